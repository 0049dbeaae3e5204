"""A campaign whose people wait for the user's hand, and the user who goes through them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from backend.domain.contact.sends import SendContext
from backend.domain.model.campaign import Limits
from backend.domain.model.condition import Condition
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence, Step
from backend.ports.account_locks import ONLY_FOLDER, AccountLocks
from backend.ports.clock import Clock
from backend.ports.sync_status import LocalOnly
from backend.runtime.run.send_session import SendSession
from backend.situation import situations
from backend.situation.send_people import campaign_by_hand
from backend.situation.send_queue import MOST_PEOPLE, SessionState, people_by_hand
from backend.store.database import Database
from tests.fakes.by_hand import by_hand, run_by_hand
from tests.fakes.campaign import Stage

MESSAGES = Sequence(
    steps=(
        Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),
        Step(key="again", kind="message", template="Hi {first_name}, a short note again.", after_days=3),
    )
)

_CONNECTED = Condition(what="connected")
BRANCHES = Sequence(
    steps=(
        Step(
            key="invite",
            kind="invitation",
            template="Hi {first_name}",
            only_if=(_CONNECTED.model_copy(update={"negated": True}),),
        ),
        Step(key="hello", kind="message", template="Dear {first_name}", only_if=(_CONNECTED,)),
    )
)

EVERY_DAY = Limits(ramp_days=0, spacing_seconds=0, work_days=(0, 1, 2, 3, 4, 5, 6))


def session_state(
    database: Database,
    session: SendSession,
    campaigns: Iterable[str],
    clock: Clock,
    most: int,
    withdrawals: bool = False,
) -> SessionState:
    """What the session shows of campaigns that the user sends by hand."""
    with database.read() as connection:
        among = [campaign_by_hand(connection, campaign) for campaign in campaigns]
        inputs = session.turn_inputs(clock)
        return people_by_hand(connection, among, inputs, session.refusals(), most, withdrawals=withdrawals)


@dataclass
class Desk:
    """A campaign, and the user who goes through its people."""

    stage: Stage
    campaign: str
    sync: Any
    refuse: Callable[[], None] = lambda: None
    other_clock: Clock | None = None
    accounts: AccountLocks = ONLY_FOLDER

    @property
    def clock(self) -> Clock:
        return self.other_clock or self.stage.clock

    @property
    def session(self) -> SendSession:
        return SendSession(self.stage.journal, self.sync, self.stage.turn_queue.turn, self.refuse, self.accounts)

    def state(self, most: int = MOST_PEOPLE, *, withdrawals: bool = False) -> SessionState:
        return session_state(self.stage.database, self.session, [self.campaign], self.clock, most, withdrawals)

    def asks(self) -> list[SessionAsk]:
        return [person.ask for person in self.state().people]

    def shown(self, position: int = 0, *, no_reply: bool = False) -> Callable[..., SendContext]:
        """What takes the text as the card of somebody shows it now, whatever comes in between."""
        person = self.state().people[position]
        assert person.message is not None
        digest = situations.digest_of(person.campaign, person.lead, person.message)
        return partial(
            self.session.hand_over,
            self.campaign,
            person.lead.id,
            self.clock,
            shown_digest=digest,
            no_reply=no_reply,
            action_id=person.action_id,
        )

    def hand_over(self, position: int = 0, *, no_reply: bool = False) -> str:
        """The id of the lead whose text was handed over."""
        return self.shown(position, no_reply=no_reply)().lead.id

    def say(self, lead_id: str, answer: Word, reply: str = "") -> None:
        self.session.answer(self.campaign, lead_id, self.clock, answer, reply)

    def leave(self) -> None:
        self.session.leave(self.campaign, self.clock)

    def sent(self) -> int:
        return int(self.stage.one("SELECT count(*) FROM messages WHERE status='sent'"))

    def lead(self, lead_id: str, column: str) -> Any:
        return self.stage.one(f"SELECT {column} FROM leads WHERE id=?", lead_id)

    def run(self) -> None:
        run_by_hand(self.stage, self.campaign)


def desk(stage: Stage, sequence: Sequence = DEFAULT_SEQUENCE, **how: Any) -> Desk:
    made = Desk(stage, by_hand(stage, sequence, **how), LocalOnly())
    made.run()
    return made

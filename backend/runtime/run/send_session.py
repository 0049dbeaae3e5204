"""The send session: shows the people of the day, and hands one person's text after the other to the user.

Before a text is handed over its intent is on disk and, with a project attached, confirmed by the shared store. What the user
says of a person is recorded by `commands/send_words.py`.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

from backend.commands.send_words import SendWordCommands
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.contact.sends import SendContext, intent_events, outcome_events
from backend.domain.events.events import AuditEntry
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.gates import gates
from backend.domain.gates.gates import HandVerdict
from backend.domain.model.campaign import Campaign, refuse_archived
from backend.domain.model.channel import find_channel
from backend.domain.model.message import SendOutcome
from backend.domain.model.send_word import GivenWord, SessionAsk, Word
from backend.domain.model.site import Attempt, SiteAnswer
from backend.domain.model.task import ACTING, TaskStatus
from backend.domain.model.tools import sending_tool
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.task_progress import gate_refused
from backend.domain.values.errors import OutriderError
from backend.ports.account_locks import ONLY_FOLDER, AccountLocks, SenderAccount
from backend.ports.clock import Clock
from backend.ports.sync_status import LOCAL, SyncStatus
from backend.situation import send_people, send_queue, situations
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.contact import messages
from backend.turn.gateway import act_started
from backend.turn.known_elsewhere import KnownElsewhere
from backend.turn.verifier import verify_waiting

UNCONFIRMED = "the shared store did not confirm that this device may act; nothing was handed over"
_CAUSE = "send session"
_HANDS_OVER = (SessionAsk.INVITE, SessionAsk.WRITE, SessionAsk.OUTCOME)
_LASTING = frozenset({
    "not_on_do_not_contact", "not_replied", "not_in_touch_elsewhere", "same_person_settled", "no_open_conflict", "approved",
})  # fmt: skip
"""Gates that do not open by waiting."""


class ShownText(NamedTuple):
    """What the user saw when they took a text: the act if they have it already, its digest, and what spoke against it.

    `no_reply`: they looked at the conversation, and nothing new stands there.
    """

    action_id: str
    digest: str
    no_reply: bool
    despite: frozenset[str]

    def passed(self, verdict: HandVerdict) -> list[str]:
        """The gates that the user passes by taking it; raises `send_asks_first` for one that asks and was not shown."""
        for asked in verdict.asks:
            if asked.code not in self.despite:
                raise OutriderError("send_asks_first", why=asked.sentence.rstrip("."))
        return [shut.code for shut in (*verdict.asks, *verdict.advises)]


@dataclass(frozen=True, slots=True)
class SendSession:
    """What a send session shows, hands over and records. `turn` lets one act on the data folder at a time.

    `refuse` raises what forbids every act, as damaged log entries do. Then nobody new is shown and nothing is handed over, but
    what the user says of a text that they have is still recorded. Of `accounts` it holds the one by which the user writes, from
    the first text until they leave and have said of each what became of it.
    """

    journal: Journal
    sync: SyncStatus
    turn: Callable[[], AbstractContextManager[object]]
    refuse: Callable[[], None] = lambda: None
    accounts: AccountLocks = ONLY_FOLDER

    def refusals(self) -> set[str]:
        """Why nobody may be written to at all; usually nothing."""
        try:
            self.refuse()
        except OutriderError as error:
            return {error.sentence}
        return set()

    def turn_inputs(self, clock: Clock) -> TurnInputs:
        """Who presses keys is here."""
        return TurnInputs.at(clock, clock.now(), True, self.sync.describe())

    def next_opening(self, connection: DatabaseConnection, campaign_id: str, clock: Clock) -> int | None:
        """When a gate opens (ms UTC) that keeps a family back for which somebody waits now; None if none does by itself."""
        campaign, inputs = send_people.campaign_by_hand(connection, campaign_id), self.turn_inputs(clock)
        times = []
        for family in ACTING:
            waiting = task_queries.next_of_family(connection, campaign_id, TaskStatus.IN_PROGRESS, family, 1)
            if waiting and waiting[0].ready_at <= inputs.now:
                shut = gates.refusal(send_queue.account_by_hand(connection, campaign, inputs, family), None)
                if shut is not None and shut.until is not None:
                    times.append(shut.until)
        return min(times, default=None)

    def hand_over(
        self,
        campaign_id: str,
        lead_id: str,
        clock: Clock,
        *,
        shown_digest: str,
        no_reply: bool,
        action_id: str = "",
        despite: Collection[str] = (),
    ) -> SendContext:
        """The text that was shown, now to be sent by the user; `no_reply`: they looked, and nothing new stands there.

        `action_id` is the act for which they have the text already, and take it once more. `despite` are the codes of limits that
        the user was shown as used up, and goes beyond. Raises `person_not_waiting`, `already_handed_over` for a text that was taken
        elsewhere meanwhile, `approval_text_changed`, `send_held` by the first gate that is shut, `send_asks_first` for a limit that
        is not among `despite`, what `refuse` raises, and `account_in_use` and `account_lock_failed`.
        """
        self.refuse()
        campaign = self.journal.database.query(send_people.campaign_by_hand, campaign_id)
        self.accounts.take(_sender(campaign), _CAUSE)
        try:
            shown = ShownText(action_id, shown_digest, no_reply=no_reply, despite=frozenset(despite))
            return self._hand_over(campaign_id, lead_id, clock, shown)
        except OutriderError:
            self._release_account(campaign_id)
            raise

    def answer(self, campaign_id: str, lead_id: str, clock: Clock, word: Word, reply: str = "") -> None:
        """What the user says now of a person, as they are asked about them now; raises what `SendWordCommands.say` does."""
        with self.journal.database.read() as connection:
            campaign = send_people.campaign_by_hand(connection, campaign_id)
            person = send_people.person(connection, campaign, lead_id, clock.now())
        if person is None:
            raise OutriderError("person_not_waiting")
        commands, action_id = SendWordCommands(self.journal, clock), person.action_id
        commands.say(campaign_id, lead_id, word, ask=person.ask, action_id=action_id, at=clock.now(), reply=reply)

    def take_back(self, campaign_id: str, clock: Clock) -> None:
        """The last word is as if it had not been said; raises `nothing_to_take_back` once it has taken effect."""
        last = self._last_word(campaign_id)
        if last is None:
            raise OutriderError("nothing_to_take_back")
        words = SendWordCommands(self.journal, clock)
        words.take_back(campaign_id, last.lead_id, last.word, ask=last.ask, action_id=last.action_id, at=last.at)

    def leave(self, campaign_id: str, clock: Clock) -> None:
        """The user leaves the queue: `settle` for this campaign, and for each other one of which a word can still be taken back.

        A page that was loaded anew does not know in which campaigns it was said.
        """
        with self.journal.database.read() as connection:
            by_hand = [campaign.id for campaign in send_people.campaigns_by_hand(connection)]
            others = [id_ for id_ in by_hand if id_ != campaign_id and send_people.last_word(connection, id_)]
        for id_ in (campaign_id, *others):
            self.settle(id_, clock)

    def settle(self, campaign_id: str, clock: Clock) -> None:
        """The last word takes effect, and nobody goes on waiting for a hand that must not write to them."""
        if (last := self._last_word(campaign_id)) is not None:
            SendWordCommands(self.journal, clock).settle(campaign_id, last.lead_id, at=last.at)
        with self.journal.transaction() as transaction:
            self._release_held(transaction, campaign_id, clock)
        KnownElsewhere(self.journal, clock, campaign_id).end_sequences()
        verify_waiting(self.journal, clock, campaign_id, None)
        self._release_account(campaign_id)

    # --- inside ---

    def _hand_over(self, campaign_id: str, lead_id: str, clock: Clock, shown: ShownText) -> SendContext:
        # With a project the log may be set behind another device's between two turns; without one nothing can come between.
        alone = nullcontext() if self.sync.describe() == LOCAL else self.turn()
        with alone:
            handed = self._record_intent(campaign_id, lead_id, clock, shown)
            self.journal.keep_heads()
            if not (self.sync.push_and_confirm(campaign_id) and self.sync.may_still_act()):
                if not shown.action_id:  # an earlier one may have been sent, and only the user can say so
                    self._call_off(campaign_id, handed, clock)
                raise OutriderError("send_held", why=UNCONFIRMED)
        return handed

    def _release_account(self, campaign_id: str) -> None:
        """Unless a text is out of which the user has not said what became of it."""
        with self.journal.database.read() as connection:
            campaign = send_people.campaign_by_hand(connection, campaign_id)
            sharing = [
                other for other in send_people.campaigns_by_hand(connection) if _sender(other) == _sender(campaign)
            ]
            if any(send_people.handed_over(connection, other) for other in sharing):
                return
        self.accounts.release(_sender(campaign), _CAUSE)

    def _last_word(self, campaign_id: str) -> GivenWord | None:
        with self.journal.database.read() as connection:
            send_people.campaign_by_hand(connection, campaign_id)
            return send_people.last_word(connection, campaign_id)

    def _record_intent(self, campaign_id: str, lead_id: str, clock: Clock, shown: ShownText) -> SendContext:
        """The act; no second one is begun for the same text."""
        inputs, refusal = self.turn_inputs(clock), None
        with self.journal.transaction() as transaction:
            connection = transaction.connection
            campaign = send_people.campaign_by_hand(connection, campaign_id)
            refuse_archived(campaign)
            person = send_people.person(connection, campaign, lead_id, inputs.now)
            last = send_people.last_word(connection, campaign_id)
            if last is not None and last.is_over(inputs.now, inputs.offset_at):
                last = None
            if person is None or (last is not None and person.action_id and last.action_id == person.action_id):
                raise OutriderError("person_not_waiting")
            if person.action_id != shown.action_id:
                raise OutriderError("already_handed_over" if person.action_id else "person_not_waiting")
            if person.ask not in _HANDS_OVER or person.message is None:
                raise OutriderError("person_not_waiting")
            digest = situations.digest_of(campaign, person.lead, person.message)
            if not digest or digest != shown.digest:
                raise OutriderError("approval_text_changed")
            family = person.family
            account = send_queue.account_by_hand(connection, campaign, inputs, family)
            if person.sending is not None:  # the same text once more, and no second intent
                verdict = send_queue.handed_again(connection, person, inputs)
                if verdict.refusal is not None:
                    raise OutriderError("send_held", why=verdict.refusal.sentence.rstrip("."))
                # Always: by its answer to this the shared store tells what another device decided since the intent.
                facts = {"action_id": person.action_id, "despite": shown.passed(verdict)}
                again = AuditEntry("action.handed_again", facts)
                transaction.audit(campaign_id, [again], actor="user", cause=_CAUSE, at=inputs.now)
                return person.sending
            verdict = send_queue.verdict_for_hand(connection, person, account, inputs.now, read=shown.no_reply)
            refusal = verdict.refusal
            if refusal is None and person.approval is not None:
                passed = shown.passed(verdict)
                attempts = messages.attempts(connection, person.message.id)
                handed = SendContext(
                    transaction.new_id(),
                    campaign,
                    person.task,
                    person.lead,
                    person.message,
                    person.approval.id,
                    attempts,
                    inputs.now,
                )
                tool = sending_tool(person.message.kind)
                events = intent_events(
                    handed,
                    turn=None,
                    tool=tool,
                    family=family,
                    seen_before=0,
                    now=inputs.now,
                    real_time=clock.real_time(),
                    despite=passed,
                )
                looked = LeadAdvanced(lead_id, thread_read_at=inputs.now) if shown.no_reply else None
                started = act_started(tool, handed.action_id, handed.lead, message_id=handed.message.id)
                # With a project the text is theirs only when the intent is in the shared store: one that a rebase takes
                # off the log was never handed over, and is no decision of theirs.
                actor = "user" if self.sync.describe() == LOCAL else "controller"
                transaction.audit(campaign_id, [started], actor=actor, cause=_CAUSE, at=inputs.now)
                handing = [*events, *([looked] if looked else [])]
                transaction.record(campaign_id, handing, actor=actor, cause=_CAUSE, at=inputs.now)
                return handed
            if refusal is not None and refusal.code in _LASTING - {"no_open_conflict"}:
                events = gate_refused(_refused_facts(person, inputs.now), person.task, refusal, transaction.new_id)
                transaction.record(campaign_id, events, actor="controller", cause=_CAUSE, at=inputs.now)
        raise OutriderError("send_held", why=refusal.sentence.rstrip(".") if refusal else "it is not approved")

    def _call_off(self, campaign_id: str, handed: SendContext, clock: Clock) -> None:
        """Nothing, if by now the user has said in another window what became of it, or it is no longer on record."""
        with self.journal.transaction() as transaction:
            connection = transaction.connection
            open_acts = send_people.handed_over(connection, send_people.campaign_by_hand(connection, campaign_id))
            word = send_people.last_word(connection, campaign_id)
            answered = word is not None and word.action_id == handed.action_id
            if answered or handed.action_id not in {person.action_id for person in open_acts}:
                return
            attempt = Attempt(SiteAnswer.NO_ANSWER, UNCONFIRMED, requested=False)
            now = clock.now()
            events = outcome_events(handed, SendOutcome.NOT_SENT, attempt, now, transaction.new_id, tried=False)
            transaction.record(campaign_id, events, actor="controller", cause=_CAUSE, at=now)

    def _release_held(self, transaction: Transaction, campaign_id: str, clock: Clock) -> None:
        """Whom no waiting helps goes back to Review, ends, or is asked about, as after a turn that met the same gate."""
        connection, inputs = transaction.connection, self.turn_inputs(clock)
        campaign = send_people.campaign_by_hand(connection, campaign_id)
        account = cache(partial(send_queue.account_by_hand, connection, campaign, inputs))
        for family in ACTING:
            waiting = task_queries.next_of_family(
                connection, campaign_id, TaskStatus.IN_PROGRESS, family, send_queue.MOST_PEOPLE
            )
            for row in waiting:
                task = task_queries.task(connection, campaign_id, row.id)
                person = send_people.waiting(connection, campaign, task, inputs.now)
                if person is None:
                    continue
                checklist = send_queue.checklist(connection, person, account(person.family), inputs.now, read=True)
                refusal = gates.first_refusal(tuple(line for line in checklist if line.code in _LASTING))
                if refusal is not None:
                    events = gate_refused(_refused_facts(person, inputs.now), person.task, refusal, transaction.new_id)
                    transaction.record(campaign_id, events, actor="controller", cause=_CAUSE, at=inputs.now)


def _sender(campaign: Campaign) -> SenderAccount:
    return SenderAccount(find_channel(campaign.site).address, campaign.account)


def _refused_facts(person: QueuedPerson, now: int) -> ProposalFacts:
    return ProposalFacts(
        person.campaign,
        now,
        frozenset(),
        task=person.task,
        lead=person.lead,
        message=person.message,
        approval=person.approval,
    )

"""A dry run: the next days of a campaign by the controller itself, on a copy in memory, with people who behave as assumed.

Texts are the templates' and are taken to be approved before their time comes; where the user sends, they are taken to do so at
once. Nothing of it is stored; in the background one goes at a time, and its forecast is there until the next.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.adapters.clocks import SimulatedClock
from backend.adapters.ids import SystemIds
from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.sites.assumed import AssumedSite, KnownPerson
from backend.adapters.sites.user_hands import UserHands
from backend.commands.user_commands import Commands
from backend.domain.contact.conversation import EXCHANGED
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.gates.gates import NOTE_PERIOD
from backend.domain.model.campaign import DAY, Campaign
from backend.domain.model.channel import is_settled_by_user
from backend.domain.model.condition import told_recorded
from backend.domain.model.days import OffsetAt, local_time, moment_of
from backend.domain.model.message import Message
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.site import Relation, ThreadMessage
from backend.domain.model.task import IN_TURNS
from backend.domain.turn.assumption import Assumption
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.ports.clock import Clock
from backend.ports.site import unguarded
from backend.ports.sync_status import LocalOnly
from backend.runtime.run.campaign_runner import CampaignRunner, RunEnd, RunResult
from backend.runtime.run.send_session import SendSession
from backend.runtime.worker import Workers
from backend.situation import send_people, send_queue, situations
from backend.store.database import Database, DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.contact import actions, messages
from backend.store.queries.contact.actions import SentAct
from backend.store.queries.device import erased_things
from backend.store.queries.leads import leads
from backend.store.scratch_database import ScratchDatabase
from backend.turn import load as loading
from backend.turn.gateway import ToolGateway
from backend.turn.loop import NothingEligible, TurnCallbacks, TurnLoop
from backend.turn.presence import Presence
from backend.turn.turn_queue import TurnQueue

ACTOR = "dry run"


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would go out, in order; `ends_at` is when the campaign would be completed (ms UTC), None if not in these days.

    `finished` counts the people whose sequence would have ended by then, by the reason; `open` the other tasks by what they
    would wait for; `left_out` those who get nothing, by what is in the way; `unplanned` those who would not have been begun
    with. `answered` counts what came of conditions in
    these days: the ways that people would take. `hold_reasons` says what would keep everything from going on.
    """

    began_at: int
    until: int
    offset_at: OffsetAt
    acts: tuple[SentAct, ...]
    ends_at: int | None
    finished: dict[str, int]
    open: dict[str, int]
    left_out: dict[str, int]
    unplanned: int
    hold_reasons: tuple[str, ...]
    answered: dict[str, int]


def dry_run(
    database: Database,
    campaign_id: str,
    clock: Clock,
    days: int,
    assumption: Assumption,
    goes_on: Callable[[int], bool] = lambda _: True,
) -> Forecast:
    """The next `days` of the campaign; raises `campaign_unknown`, and whatever keeps it from running.

    `goes_on` is told how far it is (simulated time, ms UTC), and breaks it off by saying no.
    """
    scratch = ScratchDatabase(database)
    try:
        return _DryRun(scratch, campaign_id, clock, days, assumption, goes_on).run()
    finally:
        scratch.close()


@dataclass
class _DryRun:
    database: Database
    campaign_id: str
    real: Clock
    days: int
    assumption: Assumption
    goes_on: Callable[[int], bool]
    _stop: threading.Event = field(default_factory=threading.Event)
    _wake: threading.Event = field(default_factory=threading.Event)
    _held_drafts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.began_at = self.real.now()
        local_end = local_time(self.began_at, self.real.offset) + self.days * DAY
        self.until = moment_of(
            local_end, self.real.offset
        )  # so many days later by the clock, which may be changed meanwhile
        self.clock = SimulatedClock(self.began_at, self.real.offset, self.until, self._stop.set)
        self.journal = Journal(self.database, SystemIds())
        self.commands = Commands(self.journal, self.clock, ACTOR)
        with self.database.read() as connection:
            campaign = campaigns.existing_campaign(connection, self.campaign_id)
            self.answered = leads.answer_counts(connection, self.campaign_id)
            self.profiles = leads.leads_by_profile(connection, self.campaign_id)
        self.campaign: Campaign = campaign
        self.by_hand = is_settled_by_user(campaign.site)
        self.site = AssumedSite(campaign.site, self.clock.now, self.assumption, self._know)
        self.session = SendSession(self.journal, LocalOnly(), TurnQueue().turn)

    def run(self) -> Forecast:
        if self.by_hand:
            self.session.settle(self.campaign_id, self.clock)
        while True:
            ended = self._runner().run(self.campaign_id)
            if self._stop.is_set() or ended.halt is RunEnd.COMPLETED or not self.by_hand:
                break
            if self._user_acts():
                continue
            opening = self._next_opening()
            if opening is None:
                break
            self.clock.sleep_until(opening, self._wake)
            if self._stop.is_set():
                break
        return self._forecast(ended)

    def _runner(self) -> CampaignRunner:
        site = UserHands(self.campaign.site) if self.by_hand else self.site
        loop = TurnLoop(
            self.journal,
            ScriptedProposer(),
            ToolGateway(site, self.clock.ticks),
            self.clock,
            Presence(attended=True),
            callbacks=TurnCallbacks(stopped=self._stopped),
        )
        return CampaignRunner(
            loop,
            stop=self._stop,
            wake=self._wake,
            on_drafts=self._approve,
            drafts_at_once=self._drafts_wanted,
            on_sleep=self._before_sleep if self.by_hand else lambda _: None,
        )

    def _stopped(self) -> bool:
        if not self.goes_on(self.clock.now()):
            self._stop.set()
        return self._stop.is_set()

    def _drafts_wanted(self, campaign_id: str) -> int:
        """Two days' sends are always there: more would only be written sooner, not sent sooner."""
        limits = self.campaign.settings.limits
        stock = self.database.query(messages.count_approved, campaign_id, self.clock.now())
        missing = 2 * (limits.invitations_a_day + limits.messages_a_day) - stock
        return missing + len(self._held_drafts) if missing > 0 else 0

    def _approve(self, campaign_id: str, drafts: list[Message]) -> bool:
        """Whether any was approved: where all are held, nothing changes by asking again."""
        approved = False
        for draft in drafts:
            digest = self.commands.review.digest(campaign_id, draft.id)
            try:
                self.commands.review.approve(
                    campaign_id, draft.id, shown_digest=digest, hidden_shown=None, placeholders_shown=None
                )
            except OutriderError as error:
                if error.code != "person_held":  # who is left to another campaign, and the draft with them
                    raise
                self._held_drafts.add(draft.id)
            else:
                approved = True
        return approved

    # --- where the user sends ---

    def _before_sleep(self, _: NothingEligible) -> None:
        if self._user_acts():
            self._wake.set()  # what they did may be followed by more at once
        else:
            self.clock.not_beyond = self._next_opening()

    def _user_acts(self) -> bool:
        """They do all that waits for them now; whether there was anything."""
        did = False
        while True:
            with self.database.read() as connection:
                among = [send_people.campaign_by_hand(connection, self.campaign_id)]
                people = send_queue.people_by_hand(
                    connection, among, self.session.turn_inputs(self.clock), most=1
                ).people
            if not people:
                return did
            self._user_does(people[0])
            did = True

    def _user_does(self, person: QueuedPerson) -> None:
        lead, message = person.lead, person.message
        has_reply = any(
            thread_message.author == "them" for thread_message in self.site.read_thread(lead.person).messages
        )
        word = Word.NO_REPLY
        if has_reply:
            word = Word.REPLIED
        elif person.ask in (SessionAsk.ACCEPTED, SessionAsk.CONNECTED):
            accepted = self.site.read_profile(lead.person).relation is Relation.CONNECTED
            word = Word.CONNECTED if accepted else Word.NOT_CONNECTED
        elif message is not None:
            if person.sending is None:  # else they have it already, maybe since before the dry run
                digest = situations.digest_of(person.campaign, lead, message)
                read = person.ask is SessionAsk.WRITE
                self.session.hand_over(self.campaign_id, lead.id, self.clock, shown_digest=digest, no_reply=read)
            invites = message.kind == "invitation"
            (self.site.send_invitation if invites else self.site.send_message)(lead.person, message.text, unguarded)
            word = Word.SENT
        self.session.answer(self.campaign_id, lead.id, self.clock, word)
        self.session.settle(self.campaign_id, self.clock)

    def _next_opening(self) -> int | None:
        """When a text is to be written or somebody waits for the user's hand next, or a gate in their way opens."""
        with self.database.read() as connection:
            opens = self.session.next_opening(connection, self.campaign_id, self.clock)
            ready = tasks.next_ready(connection, self.campaign_id, self.clock.now(), IN_TURNS)
        ends = self.campaign.settings.limits.next_end(self.clock.now())
        return min((at for at in (opens, ready, ends) if at is not None), default=None)

    # --- what is known, and what came of it ---

    def _know(self, profile_url: str) -> KnownPerson:
        """By what is on record; who came as a contact is connected."""
        with self.database.read() as connection:
            lead_id, connected_on = self.profiles.get(profile_url, ("", ""))
            lead = situations.known_lead(connection, self.campaign_id, lead_id, self.clock.now())
            if lead is None:
                return KnownPerson(Relation.NONE)
            exchanged = messages.last_exchanged(connection, lead.id, 200, 20_000)
        relation = Relation.CONNECTED if connected_on and lead.relation is Relation.NONE else lead.relation
        thread = tuple(
            ThreadMessage("them" if message.author == "them" else "you", message.text, message.at)
            for message in exchanged
            if message.kind in ("message", "reply") and message.status in EXCHANGED
        )
        return KnownPerson(relation, thread, lead.invited_at)

    def _open(self, connection: DatabaseConnection) -> dict[str, int]:
        """Who would still be waiting, by what for: those whose note is one too many in 30 days wait for no free day."""
        waiting, now = tasks.open_by_need(connection, self.campaign_id), self.clock.now()
        used = len(actions.note_times(connection, self.campaign.account, now - NOTE_PERIOD, now))
        if used < self.campaign.settings.limits.notes_a_month:
            return waiting
        with_note = tasks.count_waiting_notes(connection, self.campaign_id)
        without_note = waiting.get("invite", 0) - with_note
        split = {**waiting, "invite": without_note, "note": with_note}
        return {family: count for family, count in split.items() if count > 0}

    def _forecast(self, ended: RunResult) -> Forecast:
        # What comes to the end of the days is paused, too, but that says nothing about the campaign.
        reasons = ended.reasons if ended.halt is RunEnd.HELD and not self._stop.is_set() else ()
        with self.database.read() as connection:
            answered = leads.answer_counts(connection, self.campaign_id)
            return Forecast(
                self.began_at,
                self.until,
                self.clock.offset,
                tuple(actions.sent_since(connection, self.campaign_id, self.began_at)),
                self.clock.now() if ended.halt is RunEnd.COMPLETED else None,
                leads.finished_counts(connection, self.campaign_id),
                self._open(connection),
                leads.left_out_counts(connection, self.campaign_id),
                leads.count_unplanned(connection, self.campaign_id),
                tuple(reason for reason in reasons if reason != loading.FOR_USER),
                {told_recorded(answer): n for answer, n in sorted((answered - self.answered).items())},
            )


CLOSE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class DryRunState:
    """A dry run: whose, over how many days, by which assumption; `at` is how far it is (ms UTC, simulated).

    Once it has ended it has a forecast or an error, and neither if it was cancelled.
    """

    campaign_id: str
    days: int
    assumption: Assumption
    began_at: int
    at: int
    running: bool = True
    forecast: Forecast | None = None
    error: ErrorShape | None = None


class DryRuns:
    """At most one at a time; beginning another ends the one before."""

    def __init__(self, database: Database, workers: Workers) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._worker = workers.add("dry run", self._work)
        self._state: DryRunState | None = None
        self._pending_request: tuple[DryRunState, Clock] | None = None
        self._at = 0
        self._erasures = 0
        """So many there were when the latest began."""
        self.idle = threading.Event()
        """Set while none is under way."""
        self.idle.set()

    def of(self, campaign_id: str) -> DryRunState | None:
        """The campaign's latest dry run of this launch; none once something was erased, because a forecast names people."""
        state, at = self._state, self._at
        if state is None or state.campaign_id != campaign_id or self._erasures != self._count_erasures():
            return None
        return DryRunState(campaign_id, state.days, state.assumption, state.began_at, at) if state.running else state

    def start(self, campaign_id: str, clock: Clock, days: int, assumption: Assumption) -> None:
        """Begin; raises `closing`."""
        now, erasures = clock.now(), self._count_erasures()
        with self._lock:
            self._worker.start()
            self._erasures = erasures
            self.idle.clear()
            self._state = DryRunState(campaign_id, days, assumption, now, now)
            self._pending_request, self._at = (self._state, clock), now

    def cancel(self, campaign_id: str) -> None:
        """Break it off; nothing if none is under way."""
        with self._lock:
            if self._state is not None and self._state.campaign_id == campaign_id and self._state.running:
                self._state = self._pending_request = None

    def close(self) -> None:
        """Break off and wait for it."""
        self._worker.stop()
        self._worker.join(CLOSE_SECONDS)

    def _count_erasures(self) -> int:
        return self._database.query(erased_things.erasure_count)

    def _work(self) -> None:
        while True:
            with self._lock:
                request, self._pending_request = self._pending_request, None
                if request is None:
                    self.idle.set()
                    return
            self._run(*request)

    def _run(self, state: DryRunState, clock: Clock) -> None:
        self._worker.doing = f"a dry run of campaign {state.campaign_id}"

        def goes_on(at: int) -> bool:
            if self._state is not state or self._worker.stopping.is_set():
                return False
            self._at = at
            return True

        forecast, error = None, None
        try:
            forecast = dry_run(self._database, state.campaign_id, clock, state.days, state.assumption, goes_on)
        except OutriderError as failed:
            error = ErrorShape.showing(failed)
        except Exception as defect:
            error = ErrorShape.showing(as_told(defect))
            raise
        finally:
            with self._lock:
                if self._state is state:
                    self._state = DryRunState(
                        state.campaign_id,
                        state.days,
                        state.assumption,
                        state.began_at,
                        self._at,
                        running=False,
                        forecast=forecast,
                        error=error,
                    )

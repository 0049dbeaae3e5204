"""What the runtime tells whoever listens: the state of what runs, and the messages of the live feed."""

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.values.health_check import HealthCheck
from backend.domain.values.shapes import ErrorShape, Shape
from backend.turn.loop import NothingEligible


class RunState(Shape):
    """What the background runner does for a campaign.

    `once`: one turn and no more. `halt` says how the last run ended, `until` (ms UTC) up to when it had nothing to do.
    """

    phase: Literal["idle", "starting", "running", "stopping"]
    campaign_id: str
    once: bool = False
    nothing_eligible: NothingEligible | None = None
    until: int | None = None
    halt: str | None = None
    because: tuple[str, ...] = ()
    error: ErrorShape | None = None
    name: str = ""
    checks: tuple[HealthCheck, ...] = ()
    """What was looked at before the run began to act."""
    away_since: int | None = None
    """Real time, ms UTC: the user was away then, and nothing is done until they say that it goes on."""
    told: tuple[str, ...] = ()
    """The latest steps of a rehearsal in sentences, for somebody who watches."""


class PausedCampaign(Shape):
    """A campaign that was paused with all others; `ran_here`, or was it on elsewhere."""

    id: str
    name: str
    ran_here: bool


SyncPhase = Literal["local", "in_sync", "pushing", "pulling", "offline", "locked", "signed_out", "refused"]
OUT_OF_REACH: tuple[SyncPhase, ...] = ("offline", "locked", "signed_out", "refused")


class SyncState(Shape):
    """How this machine and the project stand; always shown. `waiting` events are not acknowledged yet.

    `since`: when it began to be out of reach. `acting` says which device may act, `asked` that it was asked to hand over,
    `until` when it loses that at the latest. `conflicts` decisions wait for a choice. While it is pulling, `pulled` of `to_pull`
    entries are here.
    """

    phase: SyncPhase = "local"
    waiting: int = 0
    since: int | None = None
    conflicts: int = 0
    acting: Literal["nobody", "here", "elsewhere"] = "nobody"
    acting_name: str = ""
    asked: bool = False
    until: int | None = None
    problem: ErrorShape | None = None
    pulled: int = 0
    to_pull: int = 0
    pull_seconds_left: int | None = None

    @property
    def is_out_of_reach(self) -> bool:
        """Whether other devices hear nothing of what is done here for now."""
        return self.phase in OUT_OF_REACH


class SyncChanged(Shape):
    """The latest replaces those before it."""

    type: Literal["sync"] = "sync"
    sync: SyncState


EventKindName = Annotated[str, WithJsonSchema({"type": "string", "typescript": "EventKind"})]
"""The name of a kind of event; for the page a union of those there are."""


class FeedEvent(Shape):
    """A recorded fact; `seq` has no gaps within a campaign.

    `changes` holds the new values of the columns it changed, which the page folds into the rows it shows; null when that
    is too much to send, or was erased: then the row is asked for.
    """

    campaign_id: str
    seq: int
    at: int
    kind: EventKindName
    entity: str
    entity_id: str
    actor: str
    cause: str
    changes: dict[str, Any] | None


class Ready(Shape):
    """The feed is open; where each stream stands."""

    type: Literal["ready"] = "ready"
    heads: dict[str, int]


class Events(Shape):
    """Events in order."""

    type: Literal["events"] = "events"
    events: list[FeedEvent]


class Reset(Shape):
    """Too much was missed to be sent one by one: load the campaign again, the feed goes on after `seq`."""

    type: Literal["reset"] = "reset"
    campaign_id: str
    seq: int


class StepTicker(Shape):
    """A turn's step was closed; `task` once selected, `request_id` of the user's request. In no log; may be left out under load."""

    type: Literal["step"] = "step"
    campaign_id: str
    step: int
    what: str
    task: str = ""
    request_id: str | None = None


class ReplyText(Shape):
    """The reply of the turn in flight, as far as it has arrived: its end, which begins at `offset` (characters).

    `whole` once that is the reply as received; `request_id` when the turn is for what the user asked the
    assistant. Not in any log; the latest replaces those before it.
    """

    type: Literal["reply"] = "reply"
    campaign_id: str
    turn: int
    offset: int
    text: str
    whole: bool
    request_id: str | None = None


class RunChanged(Shape):
    """What runs of a campaign; the latest replaces those of the same campaign before it."""

    type: Literal["run"] = "run"
    run: RunState


class ImportProgress(Shape):
    """A lead file is being imported (`done` rows so far), or was: then with the import's id, or with what went wrong.

    `total` rows at most are in the file (0: nobody knows). `cancelled`: the user stopped it. `reconciled`: what the file, if it is
    LinkedIn's export, changed about people on record.
    """

    type: Literal["import"] = "import"
    campaign_id: str
    file: str
    phase: Literal["running", "ended"]
    done: int
    total: int = 0
    rows_a_second: int = 0
    seconds_left: int | None = None
    cancelled: bool = False
    import_id: str | None = None
    reconciled: Reconciliation | None = None
    error: ErrorShape | None = None


class DoNotContactProgress(Shape):
    """A do-not-contact file is being imported (`done` of `total` rows at most), or was: then with the import's id, or the error."""

    type: Literal["do_not_contact_import"] = "do_not_contact_import"
    file: str
    phase: Literal["running", "ended"]
    done: int
    total: int
    import_id: str | None = None
    error: ErrorShape | None = None


class ScriptProgress(Shape):
    """A script of that campaign waits for its turn, runs for the first or the second time, or has ended."""

    type: Literal["script"] = "script"
    campaign_id: str
    run_id: str
    phase: Literal["waiting", "first", "second", "ended"]


class CloseAsked(Shape):
    """The user wants to close the window while a campaign runs: ask them. Sent to the window's own page."""

    type: Literal["closing"] = "closing"


MAX_TAIL_CHARS = 20_000
"""Characters of the end of a reply that are sent; what is before them is counted."""


class ReplyTail:
    """One turn's reply at a time; a piece of another turn begins anew."""

    def __init__(self) -> None:
        self.request_id: str | None = None
        self._turn = ("", 0)
        self._tail = ""
        self._length = 0

    def append(self, campaign_id: str, turn: int, text: str, *, whole: bool) -> ReplyText:
        """Take a piece, or with `whole` all of it as received; what the page is to show now."""
        if whole or (campaign_id, turn) != self._turn:
            self._turn, self._tail, self._length = (campaign_id, turn), "", 0
        self._length += len(text)
        self._tail = (self._tail + text[-MAX_TAIL_CHARS:])[-MAX_TAIL_CHARS:]
        return ReplyText(
            campaign_id=campaign_id,
            turn=turn,
            offset=self._length - len(self._tail),
            # It may hold half a surrogate pair, which no JSON can carry to the page.
            text=self._tail.encode("utf-8", "backslashreplace").decode(),
            whole=whole,
            request_id=self.request_id,
        )


TransientMessage = (
    StepTicker
    | ReplyText
    | RunChanged
    | ImportProgress
    | DoNotContactProgress
    | ScriptProgress
    | CloseAsked
    | SyncChanged
)
"""What is in no log: the latest of its key replaces the others."""

FeedMessage = Ready | Events | Reset | TransientMessage
"""Everything that the feed says."""

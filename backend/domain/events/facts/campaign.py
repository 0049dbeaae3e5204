"""What happens to a campaign, to its runtime, and to its scorings."""

from collections.abc import Sequence
from typing import Annotated, Literal

from backend.domain.events.facts.fact import OMITTED, Fact, ReadBy, Verb
from backend.domain.events.facts.statuses import ConflictStatus, ScoringStatus
from backend.domain.model.campaign import CampaignStatus, read_settings
from backend.domain.model.turn import TurnState

_C, _O, _S = CampaignStatus, ConflictStatus, ScoringStatus
_NEW, _CHANGE = Verb.CREATES, Verb.CHANGES

SettingsText = Annotated[str, ReadBy(read_settings)]
"""A campaign's `Settings` as JSON."""


class CampaignCreated(Fact, entity="campaign", verb=_NEW, starts=_C.INITIALIZING):
    """A campaign was made; it starts once its environment is checked."""

    name: str
    goal: str
    site: str
    account: str
    settings: SettingsText
    created_at: int
    proposer: str = OMITTED
    """Omitted for the script."""


class CampaignActivated(Fact, entity="campaign", verb=_CHANGE, moves={_C.INITIALIZING: _C.ACTIVE}):
    """It runs for the first time."""

    status_reason: str


class CampaignPaused(Fact, entity="campaign", verb=_CHANGE, moves={_C.ACTIVE: _C.PAUSED}):
    """It stopped until somebody continues it."""

    status_reason: str


class CampaignHeld(Fact, entity="campaign", verb=_CHANGE, moves={_C.ACTIVE: _C.ACTIVE}):
    """It stands still for a reason until the user continues it; only the user pauses a campaign (spec 001 FR-056)."""

    status_reason: str


class CampaignContinued(Fact, entity="campaign", verb=_CHANGE, moves={_C.PAUSED: _C.ACTIVE, _C.ACTIVE: _C.ACTIVE}):
    """It runs again, after it was paused or held."""

    status_reason: str


class CampaignReopened(Fact, entity="campaign", verb=_CHANGE, moves={_C.COMPLETED: _C.PAUSED}):
    """The user gave it something to do again: an answer to somebody."""

    status_reason: str


class CampaignCompleted(Fact, entity="campaign", verb=_CHANGE, moves={_C.ACTIVE: _C.COMPLETED}):
    """Every task is done."""

    status_reason: str = OMITTED


class CampaignFailed(Fact, entity="campaign", verb=_CHANGE, moves=dict.fromkeys(_C, _C.ERROR)):
    """Something that always holds did not; a second failure gives the campaign's error its newer reason."""

    status_reason: str


class CampaignRecovered(Fact, entity="campaign", verb=_CHANGE, moves={_C.ERROR: _C.PAUSED}):
    """The user took it out of its error, with a reason."""

    status_reason: str


class CampaignEdited(Fact, entity="campaign", verb=_CHANGE):
    """The user changed what it is about or may do."""

    name: str = OMITTED
    goal: str = OMITTED
    version: int = OMITTED
    settings: SettingsText = OMITTED
    proposer: str = OMITTED


class SequenceChanged(Fact, entity="campaign", verb=_CHANGE):
    """Another sequence is in force; `sequence_back` is what was in force before, so that this can be undone."""

    settings: SettingsText
    sequence_back: str


class CampaignArchived(Fact, entity="campaign", verb=_CHANGE):
    """Hidden from the lists; nothing runs."""

    archived_at: int


class CampaignUnarchived(Fact, entity="campaign", verb=_CHANGE, sets={"archived_at": None}):
    """It is in the lists again."""


class CampaignDeleted(Fact, entity="campaign", verb=_CHANGE):
    """It is gone: with it the words of its entries, which are erased in the same transaction."""

    deleted_at: int


class ConversationDeleted(Fact, entity="campaign", verb=_CHANGE):
    """The lines so far are hidden; `conversation_back` is up to which they were before."""

    conversation_from: int
    conversation_back: int


class ConversationRestored(Fact, entity="campaign", verb=_CHANGE):
    """The last deletion was taken back."""

    conversation_from: int


class RuntimeChanged(Fact, entity="runtime", verb=_CHANGE):
    """Whether turns run, and where the turn machine stands between them."""

    state: TurnState = OMITTED
    turn_lock: int = OMITTED
    loop_enabled: int = OMITTED


class ClockSetBack(Fact, entity="runtime", verb=_CHANGE):
    """The log has entries of up to `clock_was` (ms UTC), which is later than this one; 0: that time has come."""

    clock_was: int


class ScoringStarted(Fact, entity="scoring", verb=_NEW):
    """All leads are to be scored anew by this version of the blueprint."""

    blueprint: int
    leads: int
    created_at: int


class LeadsRanked(Fact, entity="ranking", verb=_NEW):
    """The user put some leads in order, the first one first; `number` counts the rounds."""

    number: int
    lead_ids: list[str]
    created_at: int


class RankingTakenBack(Fact, entity="ranking", verb=_CHANGE, sets={"counts": 0}):
    """The round counts no more."""


class RankingPutBack(Fact, entity="ranking", verb=_CHANGE, sets={"counts": 1}):
    """The round counts again."""


class ScoringAdvanced(Fact, entity="scoring", verb=_CHANGE):
    """The leads up to `through` have their new scores."""

    through: str
    done: int
    changed: int


class ScoringEnded(Fact, entity="scoring", verb=_CHANGE, moves={_S.RUNNING: (_S.DONE, _S.SUPERSEDED)}):
    """Every lead is scored, or a newer blueprint is in force."""

    status: Literal[ScoringStatus.DONE, ScoringStatus.SUPERSEDED]
    finished_at: int


class ConflictOpened(Fact, entity="conflict", verb=_NEW, starts=_O.OPEN):
    """A decision of that device could not be reapplied behind another's, and waits there for the user's choice.

    `kind` is the event that said what was decided. `lead_ids`: whom no device writes to before the choice, or
    whom it remarks on.
    """

    device_id: str
    kind: str
    lead_ids: Sequence[str]
    decided_at: int
    created_at: int


class ConflictSettled(Fact, entity="conflict", verb=_CHANGE, moves={_O.OPEN: _O.SETTLED}):
    """The user chose, or nothing was left to choose."""

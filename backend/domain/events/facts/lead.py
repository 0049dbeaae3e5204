"""What happens to a lead, and to the file it came from."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from backend.domain.events.facts.fact import OMITTED, Fact, Verb
from backend.domain.model.lead import Label, Lead, LeadStatus
from backend.domain.model.site import Relation

_L = LeadStatus
_NEW, _CHANGE = Verb.CREATES, Verb.CHANGES


class ImportStarted(Fact, entity="import", verb=_NEW):
    """A lead file is being read."""

    file: str
    format: str
    created_at: int
    preamble: str = OMITTED
    header: Sequence[str] = OMITTED
    mapping: Mapping[str, str] = OMITTED


class ImportCounts(TypedDict):
    """How many rows of a file became what."""

    accepted: int
    merged: int
    unchanged: int
    rejected: int
    filtered_out: int


class ImportFinished(Fact, entity="import", verb=_CHANGE):
    """The whole file was read."""

    accepted: int
    merged: int
    unchanged: int
    rejected: int
    filtered_out: int = OMITTED
    finished_at: int


class ImportUndone(Fact, entity="import", verb=_CHANGE):
    """What the import brought was taken back, as far as nobody was contacted."""

    taken_back: int
    kept: int
    restored: int
    unlisted: int
    undone_at: int


class RowRejected(Fact, entity="rejected_row", verb=_NEW):
    """A row of the file is no lead."""

    import_id: str
    line: int
    code: str
    reason: str
    raw: str


class LeadImported(Fact, entity="lead", verb=_NEW):
    """A lead came with a file, or from another campaign: then `known_since` (ms UTC) is when the person was first imported."""

    full_name: str
    profile_url: str
    member_key: str
    position: int
    import_id: str
    job_title: str = OMITTED
    company: str = OMITTED
    email: str = OMITTED
    connected_on: str = OMITTED
    extra: Mapping[str, str] = OMITTED
    tags: Sequence[str] = OMITTED
    blocked: str = OMITTED
    known_since: int = OMITTED


class MergedColumns(TypedDict, total=False):
    """What a later row may say better of a lead that is known."""

    job_title: str
    company: str
    email: str
    connected_on: str
    extra: Mapping[str, str]
    tags: Sequence[str]
    profile_url: str
    member_key: str


class _SaidInFile(Fact):
    profile_updated_at: int
    job_title: str = OMITTED
    company: str = OMITTED
    email: str = OMITTED
    connected_on: str = OMITTED
    extra: Mapping[str, str] = OMITTED
    tags: Sequence[str] = OMITTED
    profile_url: str = OMITTED
    member_key: str = OMITTED


class LeadMerged(_SaidInFile, entity="lead", verb=_CHANGE):
    """A file said more of a lead that was known."""


class RowMerged(Fact, entity="merged_row", verb=_NEW):
    """A row of a file is a lead that was known, and said something else of it."""

    import_id: str
    line: int
    lead_id: str
    matched: str
    earlier: Mapping[str, str]
    later: Mapping[str, str]


class MergeUndone(_SaidInFile, entity="lead", verb=_CHANGE):
    """What a file said of a lead was taken back."""


class LeadScored(Fact, entity="lead", verb=_CHANGE):
    """Its score is another."""

    weight_score: int


class LeadPlanned(Fact, entity="lead", verb=_CHANGE):
    """It has a task now."""

    sequence_step: int


class LeadProgress(TypedDict, total=False):
    """The columns that tell how far a lead is."""

    status: LeadStatus
    sequence_step: int
    relation: Relation
    visited_at: int
    invited_at: int
    accepted_at: int
    last_sent_at: int
    thread_read_at: int
    replied_at: int | None
    paused_until: int


def looked_at(lead: Lead, now: int) -> LeadProgress:
    """That their page was open, and is as all that is known of the person has it; what it shows instead comes on top.

    What another campaign saw is kept with the look: afterwards it would read as seen by this one, and not there.
    """
    looked: LeadProgress = {"visited_at": now}
    if lead.relation is not Relation.NONE:
        looked["relation"] = lead.relation
    return looked


class LeadAdvanced(
    Fact,
    entity="lead",
    verb=_CHANGE,
    moves={
        _L.PENDING: (_L.CONTACTED, _L.RESPONDED, _L.REJECTED),
        _L.CONTACTED: (_L.RESPONDED, _L.REJECTED),
        _L.RESPONDED: _L.REJECTED,
        _L.REJECTED: (_L.PENDING, _L.CONTACTED, _L.RESPONDED),  # the user takes the no back
    },
):
    """Something was seen of a lead, or done about it."""

    status: LeadStatus = OMITTED
    headline: str = OMITTED
    profile_updated_at: int = OMITTED
    sequence_step: int = OMITTED
    relation: Relation = OMITTED
    visited_at: int = OMITTED
    invited_at: int = OMITTED
    accepted_at: int = OMITTED
    last_sent_at: int = OMITTED
    thread_read_at: int = OMITTED
    replied_at: int | None = OMITTED
    paused_until: int = OMITTED


class ConditionAnswered(Fact, entity="lead", verb=_CHANGE):
    """A condition of its sequence was answered: all answers that it has, the new one last."""

    answers: Sequence[str]


class InvitationWithdrawn(Fact, entity="lead", verb=_CHANGE, sets={"relation": Relation.NONE}):
    """The invitation was taken back: by Outrider, who saw it gone, or by the user, who said so."""

    withdrawn_at: int = OMITTED


class LeadClaimed(Fact, entity="lead", verb=_CHANGE):
    """The campaign is in touch with this person from now on: at the first approval or intent about them."""

    claimed_at: int


class LeadContactAllowed(Fact, entity="lead", verb=_CHANGE):
    """The user lets this campaign write although another one is in touch with them, and why; "" takes that back."""

    contact_anyway: str


class LeadFinished(Fact, entity="lead", verb=_CHANGE):
    """Its sequence ended, and why."""

    finished: str


class LeadResumed(Fact, entity="lead", verb=_CHANGE, sets={"finished": ""}):
    """What had ended its sequence was taken back."""


class LeadBlocked(Fact, entity="lead", verb=_CHANGE):
    """Nothing more is done about it, and why."""

    blocked: str


class LeadUnblocked(Fact, entity="lead", verb=_CHANGE, sets={"blocked": ""}):
    """It goes on."""


class LeadPrioritised(Fact, entity="lead", verb=_CHANGE):
    """The user gave it a priority of its own, or gave that back to the score (None)."""

    priority_override: int | None


class LeadLabelled(Fact, entity="lead", verb=_CHANGE):
    """The user said what came of the conversation ("" for nothing)."""

    label: Label | Literal[""]
    labelled_at: int


class LeadSnoozed(Fact, entity="lead", verb=_CHANGE):
    """The conversation is out of the way until then; None takes that back."""

    snoozed_until: int | None
    snoozed_at: int | None


class RepliesRead(Fact, entity="lead", verb=_CHANGE):
    """The user opened the conversation, and saw what they had written by then."""

    replies_read_at: int


class LeadNoted(Fact, entity="lead", verb=_CHANGE):
    """The user changed its notes."""

    notes: str


class GreetingChosen(Fact, entity="lead", verb=_CHANGE):
    """The user said what they are called in a greeting; "" leaves that to their name again."""

    greeting_name: str


class LeadTagged(Fact, entity="lead", verb=_CHANGE):
    """The user changed its tags."""

    tags: Sequence[str]

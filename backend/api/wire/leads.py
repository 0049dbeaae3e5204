"""Leads: the list in windows, one lead with all that is known of it, and what the user sets by hand."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.api.wire.campaigns import GateLine
from backend.api.wire.files import Ticket
from backend.domain.lead import LeadStatus


class LeadLine(Wire):
    """A lead in the list. Its columns bear the names they have in events, so that the page folds those into it."""

    id: str
    full_name: str
    job_title: str
    company: str
    status: LeadStatus
    weight_score: int | None
    score_reasons: list[str]
    """What each criterion that counted gave: "+42 job title contains “cto”"."""
    priority_override: int | None
    tags: list[str]
    blocked: str
    active_at: int | None
    """When something last passed between the two people."""


class LeadWindow(Wire):
    """A stretch of the list: the rows after `after` and `skip` more, and where the next stretch begins."""

    rows: list[LeadLine]
    next: str | None
    total: int
    more: bool
    """Whether a search stopped looking: there are more than it found."""


class LeadFacets(Wire):
    """What the list can be filtered by: every status with its number, the tags in use, and how many are set by hand."""

    statuses: dict[LeadStatus, int]
    tags: list[str]


class ScorePart(Wire):
    """What one criterion of the blueprint gave: `points` of its `weight`, and why."""

    name: str
    asks: str
    weight: int
    points: int
    why: str


class SequenceLine(Wire):
    """One step of the sequence, as it stands for this lead."""

    key: str
    kind: str
    state: Literal["done", "now", "ahead", "left_out"]


class Happening(Wire):
    """Something that happened with this lead; `at` is null when only its order is known."""

    at: int | None
    what: str
    said: str = ""


class Waiting(Wire):
    """Why nothing is sent to this person now, and when that may change (null: only when somebody acts)."""

    code: str
    sentence: str
    until: int | None = None


class LeadDetail(Wire):
    """One lead with all that is known of it."""

    line: LeadLine
    profile_url: str
    email: str
    connected_on: str | None
    headline: str
    extra: dict[str, str]
    notes: str
    origin: str
    finished: str
    task_status: str
    do_not_contact: bool
    score: list[ScorePart]
    score_stale: bool
    """Whether the score is one by other rules than those that explain it: the leads are to be scored again."""
    sequence: list[SequenceLine]
    waiting: Waiting | None
    gates: list[GateLine]
    history: list[Happening]


class Prioritise(Wire):
    """A priority set by hand; null gives the lead back to its score."""

    priority: int | None


class Place(Wire):
    """Between which two leads it was put (null: the end of the list), and whether it came from below."""

    above: Id | None
    below: Id | None
    upwards: bool


class Prioritised(Wire):
    """The priority as it is now, and as it was before."""

    lead_id: str
    priority: int | None
    before: int | None


class Note(Wire):
    """The notes on a lead, the whole text."""

    text: str = Field(max_length=50_000)


class Tags(Wire):
    """All tags of a lead."""

    tags: list[Annotated[str, Field(max_length=1_000)]] = Field(max_length=200)


class TagsKept(Wire):
    """The tags as they were kept."""

    lead_id: str
    tags: list[str]


class DoNotContact(Wire):
    """Never contact this person again, and why."""

    reason: Annotated[str, Field(max_length=500)] = ""


class ContactRefused(Wire):
    """What that stopped: whether a task was ended, and how many texts were withdrawn."""

    lead_id: str
    task_stopped: bool
    texts_withdrawn: int


class ImportLine(Wire):
    """A lead file that was imported; `finished_at` is null while it runs or when it was cut off."""

    id: str
    file: str
    format: str
    accepted: int
    merged: int
    unchanged: int
    rejected: int
    created_at: int
    finished_at: int | None


class ImportPage(Wire):
    """Imports, the latest first."""

    rows: list[ImportLine]
    next: str | None


class RejectedLine(Wire):
    """A record that could not become a lead, kept whole."""

    id: str
    line: int
    code: str
    reason: str
    raw: str


class RejectedPage(Wire):
    """An import's rejected records, in the order of the file."""

    rows: list[RejectedLine]
    next: str | None


LeadField = Literal[
    "full_name", "first_name", "last_name", "profile_url", "email", "company", "job_title", "connected_on"
]
ColumnMapping = Annotated[dict[LeadField, Annotated[str, Field(max_length=1_000)]], Field(max_length=8)]


class ChosenLeads(Wire):
    """A lead file that was chosen; `mapping` names the column of each field, null: as its format says."""

    ticket: Ticket
    mapping: ColumnMapping | None = None


class FileColumn(Wire):
    """A column of the file, the field it is read as, and a few of its values."""

    name: str
    field: str | None
    samples: list[str]


class SampleLead(Wire):
    """A row as it will be read."""

    line: int
    full_name: str
    job_title: str
    company: str
    email: str
    profile_url: str
    connected_on: str
    more: dict[str, str]
    """What templates may say of its further columns, by the variables' names."""


class FindInFile(ChosenLeads):
    """Rows of a lead file in whose name all words begin some word."""

    words: str = Field(max_length=200)


class FoundInFile(Wire):
    """The first rows that fit."""

    rows: list[SampleLead]


class ImportPreview(Wire):
    """What would be imported: how the file is read, its first rows, and the first records that cannot be leads.

    `looked_at` records were read for this; `whole` when that is all of them. Nothing was written.
    """

    file: str
    format: str
    encoding: str
    delimiter: str
    columns: list[FileColumn]
    usable: bool
    rows: list[SampleLead]
    rejected: list[RejectedLine]
    good: int
    bad: int
    whole: bool
    variables: list[str]
    """Further variables: what its further columns are called in braces."""
    lacking: dict[str, int]
    """Variable -> how many of the good rows have no value for it; only those that some row lacks."""

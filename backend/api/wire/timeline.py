"""The logs as people read them, a campaign as it was, and the proofs that nobody edited either."""

from typing import Annotated, Any, Literal

from pydantic import Field

from backend.api.wire.base import Wire
from backend.api.wire.campaigns import CampaignView
from backend.api.wire.review import Draft
from backend.domain.lead import LeadStatus
from backend.domain.task import Needs, TaskStatus

LogName = Literal["events", "audit", "workspace"]
"""The campaign's event log, its audit log, and the workspace's own events: do-not-contact, configuration."""

MOST = 10**15 - 1
"""Every number of the wire is exact in the page."""

Word = Annotated[str, Field(max_length=64)]


class TimelineQuery(Wire):
    """What is looked for. `before` and `after` are numbers of entries (not included); an empty word looks for everything.

    `about` is the id of an entity: everything that names it, or names what belongs to it.
    """

    log: LogName = "events"
    before: int | None = Field(default=None, ge=1, le=MOST)
    after: int | None = Field(default=None, ge=0, le=MOST)
    group: Word = ""
    actor: Word = ""
    about: Word = ""
    turn: int | None = Field(default=None, ge=0)
    text: str = Field(default="", max_length=200)


class Subject(Wire):
    """What an entry is about, by the names it has today; empty where it is about nothing of that kind."""

    lead_id: str = ""
    lead: str = ""
    task_id: str = ""
    task: str = ""
    message_id: str = ""
    what: str = ""


class TimelineRow(Wire):
    """One entry. `kind` is the event's kind or the audit entry's action.

    `payload` is null when it was `erased`, and when it is `large`: then the entry is asked for by itself.
    """

    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str
    payload: dict[str, Any] | None
    erased: bool
    large: bool
    subject: Subject


class TimelinePage(Wire):
    """Entries, newest first; the next page begins before `next` (null: there is nothing older).

    A page without entries may have a `next`: only so much of the log is looked through at a time. It was looked through
    back to entry `searched`, of the time `searched_at`.
    """

    rows: list[TimelineRow]
    next: int | None
    searched: int
    searched_at: int | None
    head: int


class TimelineEntry(Wire):
    """One entry whole: `text` is its payload as it was hashed (cut for display), null when it was erased."""

    row: TimelineRow
    text: str | None
    cut: bool
    size: int
    hash: str
    previous_hash: str
    payload_digest: str


class PastProgress(Wire):
    """How much of the log is folded; `left_ms` is null while nobody can tell."""

    folded: int
    of: int
    left_ms: int | None


class PastMoment(Wire):
    """The campaign as it was after `event`: `view` and the first drafts that waited, or how far it is on the way there.

    `turn_before` and `turn_after` are the events with which the neighbouring turns ended.
    """

    event: TimelineRow
    head: int
    turn_before: int | None
    turn_after: int | None
    progress: PastProgress | None
    view: CampaignView | None
    drafts: list[Draft]


class PastQuery(Wire):
    """A page of a list as it was; `after` is the cursor of the page before."""

    after: str = Field(default="", max_length=128)
    status: Word = ""


class PastTask(Wire):
    """A task as it was."""

    id: str
    description: str
    status: TaskStatus
    needs: Needs
    reason: str
    lead_name: str


class PastLead(Wire):
    """A lead as it was; `step` counts from 0."""

    id: str
    full_name: str
    job_title: str
    company: str
    status: LeadStatus
    score: int | None
    step: int | None
    finished: str
    blocked: str


class PastTasks(Wire):
    """Tasks as they were, in the order in which they were made."""

    rows: list[PastTask]
    next: str | None


class PastLeads(Wire):
    """Leads as they were, in the order of import."""

    rows: list[PastLead]
    next: str | None


class Flaw(Wire):
    """The first entry that does not fit, and how."""

    seq: int
    detail: str


class ChainLine(Wire):
    """One chain; `erased` entries have lost their payload on a person's request and still verify."""

    stream: Literal["campaign", "workspace"]
    log: Literal["events", "audit"]
    length: int
    erased: int
    broken: Flaw | None


class ReplayLine(Wire):
    """Whether every row of every table is what the event log says; `first` names the first that is not."""

    equal: bool
    differences: int
    first: str


class Proof(Wire):
    """A walk over the logs: how far it is (`done` of `of` entries in `stage`), and what it found so far."""

    running: bool
    stage: str = ""
    done: int = 0
    of: int = 0
    chains: tuple[ChainLine, ...] = ()
    replay: ReplayLine | None = None
    error: str = ""

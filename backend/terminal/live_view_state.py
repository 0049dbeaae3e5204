"""What there is to see of a running campaign: gathered from the database, drawn by `live_view`."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from backend.domain.events.facts.sentences import LogEntry, event_sentence
from backend.domain.model.days import OffsetAt, local_time
from backend.domain.model.task import ACT_WORDS, NEVER, ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.reports.campaign_state import STATE_OF_STATUS, StateName
from backend.ports.clock import Clock
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import count_approvable
from backend.store.database import Database, DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.leads import leads as lead_queries
from backend.terminal.output import one_line
from backend.turn.loop import NothingEligible, TurnReport

STEPS = ("load", "select", "ask", "check", "act", "log", "update", "repeat")
"""The eight steps of a turn (spec 001 FR-005), in a word each."""

ROWS = 6
_WIDEST_WINDOW = 200


@dataclass(frozen=True, slots=True)
class LiveViewTask:
    """One task: whether it is the current one, what it is, how it stands."""

    current: bool
    status: str
    description: str
    state_text: str


@dataclass(frozen=True, slots=True)
class LiveViewState:
    """Everything that the live view shows."""

    name: str = ""
    state: StateName = StateName.NOT_STARTED
    turn: int = 0
    step: int = 0  # how many of the eight are behind us
    doing: str = ""
    time: str = ""
    rows: tuple[LiveViewTask, ...] = ()
    more: int = 0
    done: int = 0
    total: int = 0
    leads: dict[str, int] = field(default_factory=dict)
    drafts: int = 0
    proposal: str = ""
    verdict: str = ""
    detail: str = ""
    waiting_reasons: tuple[str, ...] = ()
    until: str = ""
    waiting: bool = False
    notice: str = ""


def clock_time(at: int, offset_at: OffsetAt, *, year: bool = True) -> str:
    """A moment (ms UTC) as a person reads it, in the campaign's own time."""
    moment = datetime.fromtimestamp(local_time(at, offset_at) / 1_000, UTC)
    return moment.strftime("%a %d %b %Y, %H:%M" if year else "%a %d %b, %H:%M")


def proposal_text(report: TurnReport) -> str:
    """The turn's proposal in a few words: its type, and the tool if it names one."""
    try:
        reply = json.loads(report.raw)
        tool = reply["params"].get("tool", "")
    except (ValueError, KeyError, TypeError, AttributeError):
        tool = ""
    return one_line(tool if isinstance(tool, str) and tool else report.proposal or "unreadable reply")


def turn_sentence(report: TurnReport) -> str:
    """The turn as the timeline says it, and what came of it."""
    values = {"proposal": proposal_text(report), "verdict": report.verdict, "error": report.detail}
    sentence = event_sentence(LogEntry("TurnCompleted", str(report.number), values))
    return f"{sentence}: {report.detail}" if report.verdict == "accepted" and report.detail else sentence


def after_turn(scene: LiveViewState, report: TurnReport) -> LiveViewState:
    """The scene once the turn is on disk."""
    return replace(
        scene,
        turn=report.number,
        proposal=proposal_text(report),
        verdict=one_line(report.verdict),
        detail=one_line(report.detail),
    )


def with_nothing_due(scene: LiveViewState, nothing_eligible: NothingEligible, offset_at: OffsetAt) -> LiveViewState:
    """The scene while nothing is eligible."""
    until = "" if nothing_eligible.until is None else clock_time(nothing_eligible.until, offset_at)
    reasons = tuple(map(one_line, nothing_eligible.held_reasons))
    if nothing_eligible.model_silent_since is not None:
        since = clock_time(nothing_eligible.model_silent_since, offset_at)
        reasons = (f"The model is silent since {since}; next try {until}.", *reasons)
    return replace(scene, waiting_reasons=reasons, until=until, waiting=True)


class LiveViewReader:
    """Looks at a campaign in the database; every read is bounded."""

    def __init__(self, database: Database, campaign_id: str, clock: Clock) -> None:
        self._database = database
        self._campaign_id = campaign_id
        self._clock = clock
        self._unplannable = 0

    def look(self, scene: LiveViewState) -> LiveViewState:
        """The scene brought up to date."""
        now = self._clock.now()
        offset_at = self._clock.offset
        with self._database.read() as connection:
            where = campaigns.position(connection, self._campaign_id)
            if where is None:
                return scene
            tasks = self._tasks(connection, where.current_task_id)
            counts = task_queries.task_counts(connection, self._campaign_id)
            leads = lead_queries.lead_counts(connection, self._campaign_id)
            drafts = count_approvable(connection, where.campaign, TurnInputs.at(self._clock, now, present=True), 1_000)
        unfinished = sum(n for (_, status), n in counts.items() if status != TaskStatus.DONE)
        return replace(
            scene,
            name=one_line(where.campaign.name),
            state=STATE_OF_STATUS[where.campaign.status],
            turn=where.last_turn,
            time=clock_time(now, offset_at),
            rows=tuple(_row(task, where.current_task_id, now, offset_at) for task in tasks),
            more=unfinished - len(tasks),
            done=counts.get((TaskKind.REACH_LEAD, TaskStatus.DONE), 0),
            total=max(0, sum(leads.values()) - self._unplannable),
            leads=leads,
            drafts=drafts,
        )

    def count_unplannable(self) -> None:
        """Leads that will never have a task (no address, do not contact); looks at every lead, so not at every turn."""
        self._unplannable = self._database.query(lead_queries.count_unplannable, self._campaign_id)

    def _tasks(self, connection: DatabaseConnection, current: str | None) -> list[Task]:
        """The tasks to show: those under way in a steady order, the current one among them, then blocked, then next."""

        def of(status: TaskStatus, limit: int) -> list[Task]:
            return task_queries.tasks_with_status(connection, self._campaign_id, status, limit)

        under_way = sorted(of(TaskStatus.IN_PROGRESS, _WIDEST_WINDOW), key=lambda task: task.id)
        blocked = of(TaskStatus.BLOCKED, 2)
        shown = under_way[: ROWS - len(blocked)]
        missing = next((task for task in under_way if task.id == current and task not in shown), None)
        if missing:
            shown[-1] = missing
        shown += of(TaskStatus.VERIFYING, 1) + blocked
        return (shown + of(TaskStatus.PENDING, max(0, ROWS - len(shown))))[:ROWS]


def _row(task: Task, current: str | None, now: int, offset_at: OffsetAt) -> LiveViewTask:
    is_current = task.id == current
    words = task_state_text(task, now, offset_at, current=is_current)
    return LiveViewTask(is_current, task.status, one_line(task.description), words)


def task_state_text(task: Task, now: int, offset_at: OffsetAt, *, current: bool) -> str:
    """How a task stands, in a few words."""
    if task.status is TaskStatus.BLOCKED:
        return f"blocked: {one_line(task.reason)}"
    words = ACT_WORDS[task.needs]
    if task.needs in (ActionFamily.APPROVAL, ActionFamily.INPUT):
        return words.doing
    if task.status is TaskStatus.PENDING:
        return "next"
    if task.status is TaskStatus.VERIFYING:
        return "being checked"
    if now < task.ready_at < NEVER:
        return f"until {clock_time(task.ready_at, offset_at, year=False)}"
    return words.doing if current else f"next: {words.does}"

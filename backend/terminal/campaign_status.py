"""Where campaigns stand: read-only, while another process runs or while none does."""

# ruff: noqa: PLC0415 - the list of campaigns is shown before the controller could be imported

from collections import Counter
from typing import TYPE_CHECKING, Any

from backend.domain.events.record_loss import describe_all
from backend.domain.model.lead import STATUS_WORDS, LeadStatus
from backend.domain.model.task import STATUS_WORDS as TASK_WORDS
from backend.domain.model.task import TaskStatus
from backend.domain.reports.campaign_state import STATE_OF_STATUS
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.store.database import Database, DatabaseConnection
from backend.store.log.heads_file import HeadsKeeper, heads_path
from backend.store.queries.campaign.campaigns import names
from backend.store.queries.leads import imports
from backend.store.queries.reports import campaign_overview
from backend.store.queries.reports.campaign_overview import CampaignBrief, CampaignOverview
from backend.terminal.output import TerminalOutput, columns, one_line

if TYPE_CHECKING:
    from backend.app.wiring import Workspace

LISTED = 50
MOST_NAMED = 8


def print_campaigns(output: TerminalOutput, settings: AppSettings) -> None:
    """The list of campaigns; a folder in which nothing was ever stored stays as it is."""
    campaigns: list[dict[str, Any]] = []
    if settings.has_database() or heads_path(settings.database).exists():
        database = Database(settings.database)
        try:
            if lost := HeadsKeeper(database).look():
                raise OutriderError("records_lost", what=describe_all(lost, database.query(names)))
            campaigns = database.query(overview)
        finally:
            database.close()
    if campaigns:
        _count_drafts(settings, campaigns)
    output.result(overview_lines(campaigns), {"campaigns": campaigns})


def _count_drafts(settings: AppSettings, campaigns: list[dict[str, Any]]) -> None:
    """How many drafts of each can be approved now, as the window counts them."""
    from backend.app.wiring import open_workspace

    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        for campaign in campaigns:
            campaign["drafts"] = _drafts_now(workspace, connection, campaign["campaign"])


def _drafts_now(workspace: "Workspace", connection: DatabaseConnection, campaign_id: str) -> int:
    from backend.runtime.run.rehearsal import clock_of
    from backend.situation.situations import TurnInputs
    from backend.situation.state_of_campaign import MOST_COUNTED, count_approvable
    from backend.store.queries.campaign import campaigns as campaign_queries

    campaign, clock = campaign_queries.existing_campaign(connection, campaign_id), clock_of(workspace, campaign_id)
    return count_approvable(connection, campaign, TurnInputs.at(clock, clock.now(), present=True), MOST_COUNTED)


def print_campaign(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """Everything about one campaign."""
    from backend.app.wiring import open_workspace

    if not settings.has_database():
        raise OutriderError("campaign_unknown", campaign=one_line(id_or_name))
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = find_campaign(connection, id_or_name)
        campaign_details = details(connection, campaign.id, waiting_reasons(workspace, campaign.id))
        campaign_details["state"] = _state_now(workspace, connection, campaign.id)
        campaign_details["target"] = _target_now(workspace, connection, campaign.id)
        campaign_details["drafts"] = _drafts_now(workspace, connection, campaign.id)
    output.result(details_lines(campaign_details), campaign_details)


def _state_now(workspace: "Workspace", connection: DatabaseConnection, campaign_id: str) -> dict[str, Any]:
    """The state as the window shows it, as if the user were here."""
    from backend.runtime.run.rehearsal import clock_of
    from backend.situation.situations import TurnInputs
    from backend.situation.state_of_campaign import needs_of, state_of
    from backend.store.queries.campaign import campaigns as campaign_queries

    campaign, clock = campaign_queries.existing_campaign(connection, campaign_id), clock_of(workspace, campaign_id)
    inputs = TurnInputs.at(clock, clock.now(), present=True)
    return state_of(connection, campaign, inputs, needs_of(connection, campaign, inputs)).model_dump(mode="json")


def _target_now(workspace: "Workspace", connection: DatabaseConnection, campaign_id: str) -> dict[str, Any] | None:
    """How the campaign does by its target for this month; None if it has none."""
    from backend.api import insights
    from backend.runtime.run.rehearsal import clock_of
    from backend.store.queries.campaign import campaigns as campaign_queries

    campaign = campaign_queries.campaign(connection, campaign_id)
    target = campaign and insights.target(connection, campaign, clock_of(workspace, campaign_id))
    return target.model_dump() if target else None


def find_campaign(connection: DatabaseConnection, id_or_name: str) -> CampaignBrief:
    """The campaign with this id or name, or the only one whose id or name begins so.

    Raises `campaign_unknown`, and `campaign_ambiguous`, which lists the ids.
    """
    typed = id_or_name.strip()
    campaigns = campaign_overview.states_by_id_or_name(connection, typed, MOST_NAMED + 1) if typed else []
    if not campaigns:
        raise OutriderError("campaign_unknown", campaign=one_line(id_or_name))
    if len(campaigns) > 1:
        names = [f"{campaign.id} (“{campaign.name}”)" for campaign in campaigns[:MOST_NAMED]]
        more = ["and more"] if len(campaigns) > MOST_NAMED else []
        raise OutriderError(
            "campaign_ambiguous", campaign=one_line(id_or_name), which=one_line(", ".join(names + more))
        )
    return campaigns[0]


def require_complete_import(connection: DatabaseConnection, campaign_id: str) -> None:
    """Raises `import_unfinished` when the last import was cut off."""
    for last in imports.imports(connection, campaign_id, "", 1):
        if last.finished_at is None:
            raise OutriderError("import_unfinished", file=one_line(last.file), campaign=campaign_id)


# --- all campaigns -----------------------------------------------------------------------------------------------------


def overview(connection: DatabaseConnection) -> list[dict[str, Any]]:
    """Every campaign, newest first."""
    return [_named(campaign) for campaign in campaign_overview.overviews(connection)]


def _named(campaign: CampaignOverview) -> dict[str, Any]:
    return {
        "campaign": campaign.id,
        "name": campaign.name,
        "status": campaign.status,
        "status_reason": campaign.status_reason,
        "site": campaign.site,
        "turn": campaign.last_turn,
        "turn_state": campaign.turn_state,
        "loop_enabled": campaign.loop_enabled,
        "leads": campaign.leads,
        "leads_done": campaign.leads_done,
        "tasks_blocked": campaign.tasks_blocked,
        "incidents": campaign.open_incidents,
    }


def overview_lines(campaigns: list[dict[str, Any]]) -> list[str]:
    """The list for a person."""
    if not campaigns:
        return ["There is no campaign yet. `outrider rehearse` creates one."]
    head = ("campaign", "status", "leads", "step", "drafts", "blocked", "name")
    rows = [
        (c["campaign"], STATE_OF_STATUS[c["status"]] + (" (incident)" if c["incidents"] else ""),
         f"{c['leads_done']} of {c['leads']}", c["turn"], c["drafts"], c["tasks_blocked"], c["name"])
        for c in campaigns
    ]  # fmt: skip
    return columns([head, *rows])


# --- one campaign ------------------------------------------------------------------------------------------------------


def details(connection: DatabaseConnection, campaign_id: str, reasons: tuple[str, ...]) -> dict[str, Any]:
    """One campaign: its position, what holds it back, and everything that waits for a person."""
    from backend.domain.model.message import MessageStatus
    from backend.store.queries.campaign import campaigns as campaign_queries
    from backend.store.queries.campaign import questions, tasks
    from backend.store.queries.contact import incidents, messages
    from backend.store.queries.leads import leads

    head = campaign_overview.overview(connection, campaign_id)
    current = campaign_queries.current_work(connection, campaign_id)
    drafts = messages.addressed(connection, campaign_id, MessageStatus.DRAFT, LISTED)
    unknown = messages.addressed(connection, campaign_id, MessageStatus.OUTCOME_UNKNOWN, LISTED)
    task_counts: Counter[str] = Counter()
    for (_, status), count in tasks.task_counts(connection, campaign_id).items():
        task_counts[status] += count
    return {
        **_named(head),
        "current_task": {"task": current.task_id, "description": current.task, "status": current.task_status}
        if current.task_id
        else None,
        "model": _model(connection, campaign_id),
        "lead_counts": leads.lead_counts(connection, campaign_id),
        "task_counts": dict(+task_counts),
        "held": list(reasons),
        "open_drafts": [
            {"message": draft.id, "recipient": draft.recipient, "kind": draft.kind, "characters": len(draft.text)}
            for draft in drafts
        ],
        "questions": [
            {"question": question.id, "text": question.shown_text}
            for question in questions.list_open(connection, campaign_id, LISTED)
        ],
        "blocked": [
            {"task": task.id, "description": task.description, "reason": task.reason}
            for task in tasks.blocked_tasks(connection, campaign_id, LISTED)
        ],
        "outcome_unknown": [
            {"message": message.id, "recipient": message.recipient, "text": message.text} for message in unknown
        ],
        "open_incidents": [
            {"incident": incident.id, "kind": incident.kind, "said": incident.said}
            for incident in incidents.open_incidents(connection, head.account, LISTED)
        ],
    }


def _model(connection: DatabaseConnection, campaign_id: str) -> dict[str, Any]:
    """Who proposes, and what that cost for each person that was begun with."""
    from backend.store.queries.campaign import campaigns as campaign_queries
    from backend.store.queries.campaign import tasks
    from backend.store.queries.device import models

    campaign = campaign_queries.campaign(connection, campaign_id)
    spent = models.spending_by_model(connection, campaign_id)
    calls = sum(spending.replies for spending in spent)
    used = sum(spending.tokens_in + spending.tokens_out for spending in spent)
    people = tasks.people_begun(connection, campaign_id)
    return {
        "proposer": campaign.proposer if campaign else "",
        "alone": campaign.settings.model_alone if campaign else False,
        "calls": calls,
        "tokens": used,
        "people": people,
        "calls_a_person": round(calls / people, 1) if people else 0.0,
        "tokens_a_person": round(used / people) if people else 0,
    }


def waiting_reasons(workspace: "Workspace", campaign_id: str) -> tuple[str, ...]:
    """Why what is due is held back, asked of the same gates, as if the user were here."""
    from backend.runtime.run.rehearsal import clock_of
    from backend.situation import situations
    from backend.store.queries.campaign import campaigns as campaign_queries
    from backend.turn import load as loading

    clock = clock_of(workspace, campaign_id)
    now = clock.now()
    with workspace.database.read() as connection:
        position = campaign_queries.position(connection, campaign_id)
        if position is None or position.campaign.status != "active":
            return ()
        return loading.held_reasons(loading.load(connection, position, situations.TurnInputs.at(clock, now, True)))


def details_lines(details: dict[str, Any]) -> list[str]:
    """One campaign for a person."""
    current, state = details["current_task"], details["state"]
    counts = {STATUS_WORDS[LeadStatus(status)]: n for status, n in details["lead_counts"].items()}
    rows = [
        ("campaign", details["campaign"]),
        ("name", details["name"]),
        ("state", " ".join(filter(None, (f"{state['name']}.", state["detail"], state["remedy"])))),
        ("position", f"step {details['turn']}" + (f", {current['description']}" if current else "")),
        ("leads", f"{details['leads_done']} of {details['leads']} done; {_listing(counts)}"),
        (
            "tasks",
            _listing({TASK_WORDS[TaskStatus(status)]: n for status, n in details["task_counts"].items()}),
        ),
    ]
    if details["target"]:
        target = details["target"]
        rows.append(("target", f"{target['wanted']} conversations this month: {target['so_far']} so far"))
    if details["model"]["calls"]:
        cost = details["model"]
        rows.append(
            (
                "model",
                f"{cost['calls_a_person']} calls and {cost['tokens_a_person']:,} tokens a person, {cost['people']} begun",
            )
        )
    lines = columns(rows)
    for title, entries in (
        ("held back", details["held"]),
        ("incidents", [row["said"] for row in details["open_incidents"]]),
        (
            "drafts in review",
            [f"{row['message']}  {row['kind']} to {row['recipient']}" for row in details["open_drafts"]],
        ),
        ("questions", [f"{row['question']}  {row['text']}" for row in details["questions"]]),
        ("blocked", [f"{row['task']}  {row['description']}: {row['reason']}" for row in details["blocked"]]),
        (
            "outcome unknown",
            [f"{row['message']}  to {row['recipient']}" for row in details["outcome_unknown"]],
        ),
    ):
        if entries:
            lines += ["", title, *(f"  {one_line(entry)}" for entry in entries)]
    return lines


def _listing(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"

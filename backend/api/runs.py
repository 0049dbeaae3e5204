"""Runs: the Run screen, start, one step, stop, pause everything. To press one of these is a sign that the user is here."""

from backend.api import gates, tasks, turns
from backend.api.gates import FamilyGates
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import MadeCampaign, Page
from backend.api.tasks import TaskRow
from backend.api.turns import TurnDetail
from backend.domain.gates.gates import GateLine
from backend.domain.model.answer import acting_family
from backend.domain.model.message import SENT_BY
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import ACTING, NEVER, ActionFamily, TaskStatus
from backend.domain.values.shapes import Shape
from backend.runtime.feed.feed_messages import PausedCampaign
from backend.runtime.run.rehearsal import WhatWasProven, what_was_proven
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.campaign.campaigns import CampaignPosition
from backend.store.queries.turn.turns import TurnLine

RECENT, NEXT = 25, 6

_WORDS = {
    DueAction.DECIDE: "Decide about “{step}”",
    DueAction.VISIT: "View the profile",
    DueAction.CHECK: "See whether they accepted",
    DueAction.READ: "Read the conversation",
    DueAction.DRAFT: "Write “{step}”",
    DueAction.APPROVE: "Send “{step}”",
    DueAction.SEND: "Send “{step}”",
    DueAction.WITHDRAW: "Withdraw the invitation",
    DueAction.FINISH: "Finish",
    DueAction.STUCK: "Nothing: {reason}",
}

routes = Routes("runs")


class NextAct(Shape):
    """What the current task would do next for its lead, not before `at` (null: not before somebody decides), and its gates."""

    task_id: str
    lead_id: str
    lead_name: str
    what: str
    at: int | None
    gates: list[GateLine]


class RunView(Shape):
    """What is done now, what may be done, what comes next and what was done, as of event `seq`; every list is bounded."""

    seq: int
    act: NextAct | None
    families: list[FamilyGates]
    next: list[TaskRow]
    turns: Page[TurnLine]
    last: TurnDetail | None


class PausedAll(Shape):
    """What was paused. `out_of_reach`: other devices do not hear of it yet, such as `acting_name`, which acts."""

    campaigns: list[PausedCampaign]
    out_of_reach: bool
    acting_name: str


@routes.post("/rehearsals", status=201)
def rehearse(services: Services) -> MadeCampaign:
    """Begin a rehearsal on the practice network."""
    services.presence.resume()
    return MadeCampaign(campaign_id=services.run_service.start_rehearsal())


@routes.get("/campaigns/<campaign_id>/rehearsal")
def proven(services: Services, campaign_id: str) -> WhatWasProven:
    """What a rehearsal has proven so far, counted afresh; raises `campaign_unknown`."""
    return what_was_proven(services.workspace, campaign_id)


@routes.get("/campaigns/<campaign_id>/run")
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> RunView:
    """What the Run screen shows, as of one moment; raises `campaign_unknown`."""
    inputs = services.turn_inputs(campaign_id)
    position = campaigns.existing_position(connection, campaign_id)
    recent = turns.page(connection, campaign_id, None, RECENT)
    return RunView(
        seq=position.seq,
        act=_act(connection, position, inputs),
        families=gates.family_gates(connection, position.campaign, inputs),
        next=tasks.next_up(connection, position.campaign, inputs, NEXT),
        turns=recent,
        last=turns.detail(connection, campaign_id, recent.rows[0].number) if recent.rows else None,
    )


@routes.post("/campaigns/<campaign_id>/start")
def start(services: Services, campaign_id: str) -> None:
    """Let the campaign run until it has nothing to do."""
    services.presence.resume()
    services.run_service.start(campaign_id)


@routes.post("/campaigns/<campaign_id>/step")
def step(services: Services, campaign_id: str) -> None:
    """Let the campaign take one turn."""
    services.presence.resume()
    services.run_service.step(campaign_id)


@routes.post("/campaigns/<campaign_id>/go-on")
def go_on(services: Services, campaign_id: str) -> None:
    """Let a rehearsal's clock go on, which waits because replies are to be read."""
    services.presence.resume()
    services.run_service.go_on(campaign_id)


@routes.post("/campaigns/<campaign_id>/stop")
def stop(services: Services, campaign_id: str) -> None:
    """Stop the campaign after the current atomic action."""
    services.run_service.stop(campaign_id)


@routes.post("/pause", status=202)
def pause(services: Services) -> PausedAll:
    """Pause every campaign of every device, after its current atomic action."""
    paused, sync = services.run_service.pause_all(), services.sync.state()
    return PausedAll(
        campaigns=paused,
        out_of_reach=sync.is_out_of_reach,
        acting_name=sync.acting_name if sync.acting == "elsewhere" else "",
    )


def _act(connection: DatabaseConnection, position: CampaignPosition, inputs: TurnInputs) -> NextAct | None:
    """What the current task owes its lead next, and every gate that guards it."""
    task = (
        task_queries.task(connection, position.campaign.id, position.current_task_id)
        if position.current_task_id
        else None
    )
    if task is None or task.lead_id is None or task.status not in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS):
        return None
    situation = situations.task_situation(connection, position.campaign, task, inputs.now)
    family = None if situation is None else _family(situation)
    if situation is None or family is None:
        return None
    family = acting_family(family, task)
    step = situation.due_step.step.key.replace("_", " ") if situation.due_step.step else ""
    return NextAct(
        task_id=task.id,
        lead_id=situation.lead.id,
        lead_name=situation.lead.full_name,
        what=_WORDS[situation.due_step.due].format(step=step, reason=situation.due_step.reason),
        at=None
        if situation.due_step.at >= NEVER
        else max(situation.due_step.at, task.ready_at if task.ready_at < NEVER else 0),
        gates=gates.action_gates(connection, position.campaign, inputs, family, situation),
    )


def _family(situation: LeadSituation) -> ActionFamily | None:
    """The family of the act; of what waits for approval that of the send."""
    if situation.message is not None and situation.due_step.due in (DueAction.APPROVE, DueAction.SEND):
        return SENT_BY[situation.message.kind]
    return situation.due_step.family if situation.due_step.family in ACTING else None

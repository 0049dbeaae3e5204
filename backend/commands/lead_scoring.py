"""All leads scored anew by the blueprint in force: in bounded transactions that go on where the last one ended.

How far it has come is in the database, so a crash loses nothing. Only a score that changes is an event. An explanation is
never kept: blueprint and lead give it again at any time.
"""

from collections.abc import Callable, Iterable

from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import CampaignEdited, ScoringAdvanced, ScoringEnded, ScoringStarted
from backend.domain.events.facts.lead import LeadScored
from backend.domain.events.facts.statuses import ScoringStatus
from backend.domain.events.facts.task import TaskAdvanced
from backend.domain.model.artifact import ArtifactType, Maker, text_content
from backend.domain.model.campaign import Campaign, scored_by
from backend.domain.model.scoring import Blueprint, NewBlueprint, in_force, scorer, weights
from backend.domain.model.task import PLAN_AHEAD, TaskStatus
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.values.canonical_json import canonical
from backend.ports.clock import Clock
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads import scored_leads
from backend.store.queries.leads.scored_leads import ScoredLead
from backend.store.queries.turn import artifacts
from backend.turn import planner

BATCH = 1_000
"""Leads a transaction: few enough that a turn or an approval never waits long."""
BLUEPRINT, WEIGHTS = "blueprint", "weights"
"""The keys of the artifacts `scoring_algorithm` and `lead_scoring_config`."""


def adoption_events(
    transaction: Transaction, campaign: Campaign, new_blueprint: NewBlueprint, made_by: Maker, now: int
) -> list[Event]:
    """The blueprint takes effect: kept as the next version, in force from now on, and all leads are scored by it."""
    latest = artifacts.latest_version(transaction.connection, campaign.id, ArtifactType.SCORING_ALGORITHM, BLUEPRINT)
    blueprint = in_force(new_blueprint, latest + 1, now)
    return [
        *blueprint_artifact_events(transaction, campaign.id, blueprint, made_by, now),
        CampaignEdited(campaign.id, **scored_by(campaign, blueprint)),
        *scoring_started_events(transaction, campaign.id, blueprint, now),
    ]


def blueprint_artifact_events(
    transaction: Transaction, campaign_id: str, blueprint: Blueprint, made_by: Maker, now: int
) -> list[Event]:
    """The artifacts of a blueprint: its rules, and its weights by name."""
    contents = (
        text_content(ArtifactType.SCORING_ALGORITHM, BLUEPRINT, blueprint.model_dump_json()),
        text_content(ArtifactType.LEAD_SCORING_CONFIG, WEIGHTS, canonical(weights(blueprint))),
    )
    latest = [
        artifacts.latest_version(transaction.connection, campaign_id, content.artifact_type, content.key)
        for content in contents
    ]
    return [
        artifact_persisted(content, transaction.new_id(), made_by, before, now)
        for content, before in zip(contents, latest, strict=True)
    ]


def scoring_started_events(transaction: Transaction, campaign_id: str, blueprint: Blueprint, now: int) -> list[Event]:
    """Scoring begins; one that was under way by an earlier blueprint ends there. Nothing for a campaign without leads."""
    leads = sum(lead_queries.lead_counts(transaction.connection, campaign_id).values())
    under_way = scored_leads.running_scoring(transaction.connection, campaign_id)
    events: list[Event] = []
    if under_way is not None:
        events.append(ScoringEnded(under_way.id, status=ScoringStatus.SUPERSEDED, finished_at=now))
    if leads:
        events.append(ScoringStarted(transaction.new_id(), blueprint=blueprint.version, leads=leads, created_at=now))
    return events


def finish_scoring(
    journal: Journal, clock: Clock, campaign_id: str, stopped: Callable[[], bool] = lambda: False
) -> bool:
    """Bring a scoring that is under way to its end, unless `stopped`; whether there was one."""
    was_running = False
    while not stopped() and score_next_batch(journal, clock, campaign_id):
        was_running = True
    return was_running


def score_next_batch(journal: Journal, clock: Clock, campaign_id: str) -> bool:
    """Score the next leads, in one transaction; False when no scoring is under way."""
    with journal.database.read() as connection:  # a run that rests asks again and again: it must not hold up who writes
        if scored_leads.running_scoring(connection, campaign_id) is None:
            return False
    with journal.transaction() as transaction:
        connection, now = transaction.connection, clock.now()
        run, campaign = (
            scored_leads.running_scoring(connection, campaign_id),
            campaigns.campaign(connection, campaign_id),
        )
        if run is None or campaign is None:
            return False
        leads = scored_leads.leads_after(connection, campaign_id, run.through, BATCH)
        events = _changes(transaction, campaign, leads)
        changed = sum(event.kind == "LeadScored" for event in events)
        if leads:
            done = run.done + len(leads)
            events.append(ScoringAdvanced(run.id, through=leads[-1].id, done=done, changed=run.changed + changed))
        over = len(leads) < BATCH
        if over:
            events.append(ScoringEnded(run.id, status=ScoringStatus.DONE, finished_at=now))
        cause = f"scoring {run.id}"
        transaction.record(campaign_id, events, actor="controller", cause=cause, at=now)
        if over:
            _replan(transaction, campaign_id, cause, now)
        return True


def rescore_leads(transaction: Transaction, campaign: Campaign, lead_ids: Iterable[str], cause: str, now: int) -> None:
    """Leads of whom more is known now have the score that goes with it; who has none yet waits to be scored."""
    scored = (scored_leads.scored_lead(transaction.connection, campaign.id, lead_id) for lead_id in lead_ids)
    leads = [lead for lead in scored if lead is not None and lead.score is not None]
    events = _changes(transaction, campaign, leads)
    transaction.record(campaign.id, events, actor="controller", cause=cause, at=now)
    for event in events:
        if event.kind == "LeadScored":
            planner.plan_sooner(transaction, campaign.id, event.entity_id, cause=cause, at=now)


def _changes(transaction: Transaction, campaign: Campaign, leads: Iterable[ScoredLead]) -> list[Event]:
    """The scores that are others now; a lead that is planned and goes by its score changes its place, too."""
    score = scorer(campaign.settings.blueprint)
    events: list[Event] = []
    for lead in leads:
        points = score(lead.fields)
        if points == lead.score:
            continue
        events.append(LeadScored(lead.id, weight_score=points))
        if lead.planned and lead.override is None:
            task = tasks.task_of_lead(transaction.connection, lead.id)
            if task is not None and task.status is TaskStatus.PENDING:
                events.append(TaskAdvanced(task.id, rank=-points))
    return events


def _replan(transaction: Transaction, campaign_id: str, cause: str, now: int) -> None:
    """The leads that come first now are planned before those that were planned by other scores."""
    planner.plan(transaction, campaign_id, cause=cause, at=now)
    for lead in lead_queries.unplanned_leads(transaction.connection, campaign_id, PLAN_AHEAD):
        if not planner.plan_sooner(transaction, campaign_id, lead.id, cause=cause, at=now):
            return

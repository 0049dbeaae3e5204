"""Scoring in the controller: a blueprint takes effect by the user's yes, all leads follow, and nothing else moves."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from backend.commands import lead_scoring
from backend.commands.lead_import import import_leads
from backend.domain.events.events import Event
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.campaign import Settings, read_settings
from backend.domain.model.criteria import BASE_FIELDS, Complete, Criterion, Keywords
from backend.domain.model.scoring import DEFAULT_BLUEPRINT, NewBlueprint, score
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from backend.store.queries.leads import lead_list, scored_leads
from backend.store.queries.leads import leads as lead_queries
from tests.commands.test_lead_import import bring_in, person
from tests.fakes.campaign import ONE_STEP, QUICK, Stage
from tests.kills import KILLED

RECRUITERS = blueprint_for("recruiters", BASE_FIELDS)
COMPANY = NewBlueprint(criteria=(Criterion(name="Company", weight=100, rule=Complete(fields=("company",))),))


def settings_of(stage: Stage, campaign: str) -> Settings:
    return read_settings(stage.one("SELECT settings FROM campaigns WHERE id=?", campaign))


def scores(stage: Stage) -> dict[str, int]:
    return dict(stage.query("SELECT id, weight_score FROM leads"))


def should_be(stage: Stage, campaign: str) -> dict[str, int]:
    """Every lead's score by the blueprint in force, worked out here."""
    leads = stage.database.query(scored_leads.leads_after, campaign, "", 10_000)
    return {lead.id: score(settings_of(stage, campaign).blueprint, lead.fields) for lead in leads}


def scored(stage: Stage, campaign: str) -> None:
    stage.commands().scoring.again(campaign)
    assert lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)


def sound(stage: Stage) -> bool:
    return replay.find_differences(stage.database) == []


# --- a blueprint takes effect ---


def test_a_blueprint_in_force_is_a_new_version_of_both_artifacts_and_all_leads_are_scored_by_it(stage: Stage) -> None:
    campaign = stage.campaign(20)
    scored(stage, campaign)
    version = stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    assert version == 2
    assert scores(stage) != should_be(stage, campaign)
    assert lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert scores(stage) == should_be(stage, campaign)
    blueprint = settings_of(stage, campaign).blueprint
    assert (blueprint.version, blueprint.reference_date, blueprint.criteria) == (2, "2026-06-01", RECRUITERS.criteria)
    rows = stage.query(
        "SELECT artifact_type, version, content FROM artifacts WHERE artifact_type<>'context'"
        " ORDER BY artifact_type, version"
    )
    assert [(kind, n) for kind, n, _ in rows] == [
        ("lead_scoring_config", 1), ("lead_scoring_config", 2), ("scoring_algorithm", 1), ("scoring_algorithm", 2),
    ]  # fmt: skip
    assert json.loads(rows[3][2]) == json.loads(blueprint.model_dump_json())
    assert json.loads(rows[1][2]) == {criterion.name: criterion.weight for criterion in RECRUITERS.criteria}
    assert sound(stage)


def test_approvals_outlive_another_blueprint(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    stage.run(campaign, approve=False)
    drafts = stage.query("SELECT id FROM messages WHERE status='draft'")
    user = stage.commands()
    for (draft,) in drafts:
        user.review.approve(campaign, draft, shown_digest=user.review.digest(campaign, draft))
    before = stage.one("SELECT version FROM campaigns")
    user.scoring.adopt(campaign, COMPANY, follows=1)
    assert stage.one("SELECT version FROM campaigns") == before
    assert stage.run(campaign).halt == "completed"
    assert len(stage.delivered()) == len(drafts) == 2
    assert stage.unapproved() == []
    assert sound(stage)


@pytest.mark.parametrize(
    ("blueprint", "follows", "code"),
    [
        (COMPANY, 0, "blueprint_changed"),
        (COMPANY, 7, "blueprint_changed"),
        (NewBlueprint(criteria=(COMPANY.criteria[0].model_copy(update={"weight": 99}),)), 1, "blueprint_weights"),
        (
            NewBlueprint(criteria=(Criterion(name="x", weight=100, rule=Complete(fields=("shoe_size",))),)),
            1,
            "blueprint_field_unknown",
        ),
    ],
)
def test_what_cannot_be_in_force_is_refused_and_changes_nothing(
    stage: Stage, blueprint: NewBlueprint, follows: int, code: str
) -> None:
    campaign = stage.campaign(3)
    before = stage.head(campaign)
    with pytest.raises(OutriderError) as refused:
        stage.commands().scoring.adopt(campaign, blueprint, follows=follows)
    assert refused.value.code == code
    assert "{" not in refused.value.sentence
    assert stage.head(campaign) == before


def test_the_same_rules_again_are_refused_until_another_day_counts(stage: Stage) -> None:
    campaign = stage.campaign(1)
    user = stage.commands()
    assert user.scoring.adopt(campaign, COMPANY, follows=1) == 2
    with pytest.raises(OutriderError) as refused:
        user.scoring.adopt(campaign, COMPANY, follows=2)
    assert refused.value.code == "blueprint_unchanged"
    stage.clock.advance(86_400_000)
    assert user.scoring.adopt(campaign, COMPANY, follows=2) == 3
    assert settings_of(stage, campaign).blueprint.reference_date == "2026-06-02"


# --- proposed ---


def propose(blueprint: object) -> Callable[[Any], str]:
    def reply(snapshot: Any) -> str:
        focus = snapshot.focus.task
        if focus.status == "pending":
            return json.dumps({"type": "select_next_task", "task_id": focus.id, "params": {}})
        return json.dumps({"type": "analyze_leads", "task_id": focus.id, "params": {"blueprint": blueprint}})

    return reply


class Proposing:
    """Says what it is told to, whatever it sees."""

    name = "proposing"

    def __init__(self, blueprint: object) -> None:
        self._reply = propose(blueprint)

    def propose(self, snapshot: Any, on_text: Any = None, on_usage: Any = None) -> str:
        return self._reply(snapshot)


def asked(stage: Stage, campaign: str, blueprint: object) -> tuple[str, dict[str, Any]]:
    """The proposal made in a turn; the question that it became, with its payload."""
    stage.activate(campaign)
    loop = stage.loop(Proposing(blueprint))
    loop.run_turn(campaign)
    loop.run_turn(campaign)
    ((id_, kind, payload),) = stage.query("SELECT id, kind, payload FROM input_requests WHERE status='open'")
    assert kind == "approve_blueprint"
    return id_, json.loads(payload)


def test_a_proposed_blueprint_takes_effect_by_the_users_yes_and_no_sooner(stage: Stage) -> None:
    campaign = stage.campaign(8)
    blueprint = json.loads(RECRUITERS.model_dump_json())
    question, payload = asked(stage, campaign, blueprint)
    assert payload == {"blueprint": blueprint, "made_by": "model"}
    assert settings_of(stage, campaign).blueprint.version == 1
    assert stage.kinds(campaign)["LeadScored"] == stage.kinds(campaign)["ScoringStarted"] == 0
    stage.commands().questions.answer(campaign, question, "yes")
    assert settings_of(stage, campaign).blueprint.criteria == RECRUITERS.criteria
    made_by = stage.one("SELECT made_by FROM artifacts WHERE artifact_type='scoring_algorithm' AND version=2")
    assert made_by == "model"
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert scores(stage) == should_be(stage, campaign)
    assert stage.one("SELECT needs FROM tasks WHERE kind='score_leads'") == "think"
    assert sound(stage)


def test_a_no_leaves_everything_as_it_was_and_the_task_goes_on(stage: Stage) -> None:
    campaign = stage.campaign(3)
    question, _ = asked(stage, campaign, json.loads(COMPANY.model_dump_json()))
    stage.commands().questions.answer(campaign, question, "no")
    assert settings_of(stage, campaign).blueprint.version == 1
    assert stage.kinds(campaign)["ArtifactPersisted"] == 3, "the campaign's context and its first blueprint"
    assert stage.run(campaign).halt == "completed"
    assert scores(stage) == should_be(stage, campaign)


LARGE = {"rule": "keywords", "fields": ["company"], "words": [f"{n:060}" for n in range(40)]}


@pytest.mark.parametrize(
    "blueprint",
    [
        json.loads(NewBlueprint(criteria=DEFAULT_BLUEPRINT.criteria).model_dump_json()),
        {"criteria": [{"name": "x", "weight": 10, "rule": LARGE}] * 10},
        {"criteria": [{"name": "x", "weight": 99, "rule": {"rule": "completeness", "fields": ["company"]}}]},
        {"criteria": [{"name": "x", "weight": 100, "rule": {"rule": "script", "code": "1"}}]},
        {"criteria": [{"name": field, "weight": 50, "rule": {"rule": "completeness", "fields": [field]}}
                      for field in ("company", "no_such")]},
        {"criteria": []},
        "mine",
    ],
)  # fmt: skip
def test_what_is_no_blueprint_is_rejected_and_nobody_is_asked(stage: Stage, blueprint: object) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    loop = stage.loop(Proposing(blueprint))
    loop.run_turn(campaign)
    turn = loop.run_turn(campaign)
    assert getattr(turn, "verdict", "").startswith(("blueprint_", "wrong_shape"))
    assert stage.query("SELECT 1 FROM input_requests") == []
    assert stage.kinds(campaign)["LeadScored"] == 0


# --- scoring anew ---


def test_only_scores_that_change_are_events_and_scoring_again_changes_nothing(stage: Stage) -> None:
    campaign = stage.campaign(30)
    scored(stage, campaign)
    before = scores(stage)
    scored(stage, campaign)
    assert (scores(stage), stage.kinds(campaign)["LeadScored"]) == (before, 30)
    assert stage.query("SELECT status, leads, done, changed FROM scorings ORDER BY id") == [
        ("done", 30, 30, 30), ("done", 30, 30, 0),
    ]  # fmt: skip


def test_a_priority_by_hand_is_kept_and_wins_whatever_the_score(stage: Stage) -> None:
    campaign = stage.campaign(6)
    scored(stage, campaign)
    low = stage.one("SELECT id FROM leads ORDER BY weight_score, position LIMIT 1")
    stage.commands().leads.prioritise(campaign, low, 100)
    stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert stage.one("SELECT priority_override FROM leads WHERE id=?", low) == 100
    assert stage.database.query(lead_queries.unplanned_leads, campaign, 1)[0].id == low


def test_leads_are_worked_in_the_order_of_the_new_scores_even_those_planned_by_the_old(stage: Stage) -> None:
    campaign = stage.campaign(40, settings=ONE_STEP)
    stage.run(campaign, stop_after=3)
    assert stage.query("SELECT count(*) FROM tasks WHERE kind='reach_lead'") != [(0,)]
    stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    pending = stage.query(
        "SELECT -t.rank, l.weight_score FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.status='pending' ORDER BY t.rank"
    )
    assert pending
    assert all(rank == points for rank, points in pending)
    best = max(points for _, points in pending)
    assert best == max(stage.query("SELECT weight_score FROM leads WHERE finished=''"))[0]
    begun = len(stage.events(campaign, "TaskStarted"))
    stage.run(campaign)
    points = dict(stage.query("SELECT t.id, l.weight_score FROM tasks t JOIN leads l ON l.id = t.lead_id"))
    worked = [points[task] for _, task, _ in stage.events(campaign, "TaskStarted")[begun:]]
    assert worked == sorted(worked, reverse=True)
    assert sound(stage)


def test_nobody_is_planned_while_half_of_the_scores_are_by_another_blueprint(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lead_scoring, "BATCH", 5)
    campaign = stage.campaign(12, settings=ONE_STEP)
    scored(stage, campaign)
    stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    assert lead_scoring.score_next_batch(stage.journal, stage.clock, campaign)
    assert stage.run(campaign).halt == "completed"
    kinds = [kind for kind, _, _ in stage.events(campaign)]
    assert kinds.index("LeadPlanned") > len(kinds) - 1 - kinds[::-1].index("ScoringEnded")
    assert scores(stage) == should_be(stage, campaign)


def test_a_second_blueprint_takes_over_from_a_scoring_that_is_under_way(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lead_scoring, "BATCH", 5)
    campaign = stage.campaign(12)
    scored(stage, campaign)
    stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    lead_scoring.score_next_batch(stage.journal, stage.clock, campaign)
    stage.commands().scoring.adopt(campaign, COMPANY, follows=2)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    states = [status for (status,) in stage.query("SELECT status FROM scorings ORDER BY id")]
    assert sorted(states) == ["done", "done", "superseded"]
    assert scores(stage) == should_be(stage, campaign)
    assert not lead_scoring.score_next_batch(stage.journal, stage.clock, campaign)


def test_scoring_again_needs_leads(stage: Stage) -> None:
    campaign = stage.campaign(0)
    with pytest.raises(OutriderError) as refused:
        stage.commands().scoring.again(campaign)
    assert refused.value.code == "campaign_empty"


# --- killed in the middle ---

VICTIM = """
import os, sys
from pathlib import Path
from backend.commands import lead_scoring
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SeededIds
from tests.kills import KILL
lead_scoring.BATCH = 7
path, campaign, batches = sys.argv[1], sys.argv[2], int(sys.argv[3])
database = Database(Path(path))
journal = Journal(database, SeededIds("victim"))
for _ in range(batches):
    lead_scoring.score_next_batch(journal, FakeClock(now=1_780_315_200_000), campaign)
Transaction.finish = lambda self: os.kill(os.getpid(), KILL)  # the batch is written, and not committed
lead_scoring.score_next_batch(journal, FakeClock(now=1_780_315_200_000), campaign)
"""


@pytest.mark.parametrize("batches", [0, 1, 4])
def test_a_scoring_that_is_killed_goes_on_where_it_was(stage: Stage, batches: int) -> None:
    campaign = stage.campaign(40)
    scored(stage, campaign)
    stage.commands().scoring.adopt(campaign, RECRUITERS, follows=1)
    victim = subprocess.run([sys.executable, "-c", VICTIM, str(stage.path), campaign, str(batches)], check=False)
    assert victim.returncode == KILLED
    stage.reopen()
    assert stage.query("SELECT done FROM scorings WHERE status='running'") == [(7 * batches,)]
    assert lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert scores(stage) == should_be(stage, campaign)
    changed = [entity for _, entity, _ in stage.events(campaign, "LeadScored")][40:]
    assert len(changed) == len(set(changed)) == stage.one("SELECT changed FROM scorings ORDER BY id DESC LIMIT 1")
    assert sound(stage)


# --- new data ---


def test_new_data_scores_anew_those_leads_only(stage: Stage) -> None:
    campaign = stage.campaign(0)
    rows = [person(k) for k in range(20)]
    rows[5] = person(5, company="")  # worth nothing yet
    bring_in(stage, campaign, rows)
    scored(stage, campaign)
    rows[3], rows[5] = person(3, job_title="Founder"), person(5, company="", job_title="Founder")
    rows[4] = person(4, extra={"Company Size": "51-200"})
    bring_in(stage, campaign, rows)
    changed = {entity for _, entity, _ in stage.events(campaign, "LeadScored")[20:]}
    assert changed == {id_ for (id_,) in stage.query("SELECT id FROM leads WHERE member_key IN ('ada-3', 'ada-5')")}
    assert scores(stage) == should_be(stage, campaign)
    assert "company_size" in stage.database.query(scored_leads.scorable_fields, campaign)
    assert sound(stage)


def test_all_for_whom_new_data_speaks_are_planned_sooner(stage: Stage) -> None:
    campaign = stage.campaign(0, settings=ONE_STEP)
    rows = [person(k) for k in range(20)]
    bring_in(stage, campaign, rows)
    stage.run(campaign, stop_after=3)
    for k in (17, 18):
        rows[k] = person(k, job_title="Founder")
    bring_in(stage, campaign, rows)
    planned = "SELECT l.member_key FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.rank=-? ORDER BY 1"
    best = stage.one("SELECT max(weight_score) FROM leads")
    assert stage.query(planned, best) == [("ada-17",), ("ada-18",)]


def test_a_column_that_an_import_brought_can_be_scored_by(stage: Stage) -> None:
    campaign = stage.campaign(0)
    rows = [person(k, extra={"Industry": "Payments" if k % 2 else "Bakery"}) for k in range(4)]
    import_leads(stage.journal, stage.clock, campaign, rows, file="a.csv", file_format="linkedin")
    industry = Criterion(name="x", weight=100, rule=Keywords(fields=("industry",), words=("payments",)))
    stage.commands().scoring.adopt(campaign, NewBlueprint(criteria=(industry,)), follows=1)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert stage.query("SELECT weight_score FROM leads ORDER BY position") == [(0,), (100,), (0,), (100,)]


def test_a_headline_seen_on_the_site_counts_where_the_blueprint_asks_for_it(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    words = tuple({card.headline.split()[0] for card in stage.cards(2)})
    seen = Criterion(name="x", weight=100, rule=Keywords(fields=("headline",), words=words))
    stage.commands().scoring.adopt(campaign, NewBlueprint(criteria=(seen,)), follows=1)
    assert stage.run(campaign).halt == "completed"
    assert scores(stage) == should_be(stage, campaign)
    assert sound(stage)


def test_a_profile_is_as_recent_as_what_was_last_seen_to_be_new_on_it(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=QUICK)
    headlines = {card.slug: card.headline for card in stage.cards(2)}
    slug = next(iter(headlines))
    (lead,) = stage.query("SELECT id FROM leads WHERE member_key=?", slug)[0]
    event = Event("LeadAdvanced", lead, {"headline": headlines[slug]})
    stage.journal.record(campaign, events=[event], actor="user", cause="x", at=1)
    stage.run(campaign)
    seen = dict(stage.query("SELECT member_key, profile_updated_at FROM leads"))
    visited = dict(stage.query("SELECT member_key, visited_at FROM leads"))
    assert seen.pop(slug) == 0, "it said nothing new"
    assert all(visited[other] >= at > 0 for other, at in seen.items()), (seen, visited)


# --- the order ---


def test_the_planner_and_the_list_of_leads_agree_on_ties(stage: Stage) -> None:
    campaign = stage.campaign(0)
    for file in ("a", "b"):
        rows = [person(k, member_key=f"{file}-{k}", profile_url=f"https://x/{file}{k}") for k in range(20)]
        import_leads(stage.journal, stage.clock, campaign, rows, file=f"{file}.csv", file_format="linkedin")
    scored(stage, campaign)
    late = [row[0] for row in stage.query("SELECT id FROM leads ORDER BY id LIMIT 3 OFFSET 10")]
    events = [Event("LeadMerged", lead, {"profile_updated_at": n % 2 + 1}) for n, lead in enumerate(late)]
    stage.journal.record(campaign, events=events, actor="user", cause="x", at=1)
    with stage.database.read() as connection:
        planned = [lead.id for lead in lead_queries.unplanned_leads(connection, campaign, 40)]
        listed = list(lead_list.all_lead_ids(connection, campaign, lead_list.LeadQuery()))
    assert planned == listed
    assert len(planned) == 40
    assert planned[0] == late[1]
    assert set(planned[1:3]) == {late[0], late[2]}


# --- bounded ---


def test_reads_of_scoring_use_their_indexes(stage: Stage) -> None:
    campaign = stage.campaign(30)
    statements: list[str] = []
    with stage.database.read() as connection:
        connection.set_trace_callback(statements.append)
        scored_leads.running_scoring(connection, campaign)
        scored_leads.unscored(connection, campaign, 10)
        scored_leads.scored_lead(connection, campaign, "x")
        scored_leads.leads_after(connection, campaign, "", 10)
        scored_leads.scorable_fields(connection, campaign)
        connection.set_trace_callback(None)
        plans = [
            " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"))
            for statement in statements
        ]
    assert len(plans) == 6
    assert not [plan for plan in plans if "SCAN" in plan or "TEMP B-TREE" in plan]

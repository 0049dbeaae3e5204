"""A campaign is finished with a model that is of little use: few calls, few questions, and the template where it fails."""

import json
from collections import Counter

import pytest

from backend.adapters.llm.campaign_proposer import CompositeProposer
from backend.adapters.llm.scripted import ScriptedProposer
from backend.commands import lead_scoring
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.campaign import Settings, read_settings
from backend.domain.model.connection import Connection
from backend.domain.model.criteria import BASE_FIELDS
from backend.domain.model.providers import Provider
from backend.domain.model.sequence import DueAction, Sequence, Step
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.turn.agent_questions import AGENT_QUESTIONS
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import Proposer
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from tests.fakes.campaign import ONE_STEP, QUICK, Stage
from tests.fakes.proposers import MockProposer
from tests.fakes.weak import WEAKNESSES, Weakness, WeakProposer, asks_always, invents_tasks, writes_nothing

MODEL = Connection(
    id="weak", name="Weak", provider=Provider.LLAMA_CPP, base_url="http://127.0.0.1:8080/v1", model="weak"
)


def campaign_with_model(stage: Stage, leads: int = 3, settings: Settings = QUICK) -> str:
    campaign = stage.campaign(leads, settings=settings)
    stage.commands().models.save(MODEL)
    stage.commands().models.choose(campaign, MODEL.id)
    return campaign


def composite(model: Proposer) -> CompositeProposer:
    return CompositeProposer(lambda: model)


def run_and_answer(stage: Stage, campaign: str, model: Proposer, runs: int = 30) -> RunEnd:
    """Run until it completes; between two runs the user answers everything that is open."""
    halt = RunEnd.NEEDS_YOU
    for _ in range(runs):
        halt = stage.run(campaign, proposer=composite(model)).halt
        if halt is RunEnd.COMPLETED:
            return halt
        for question, kind in stage.query("SELECT id, kind FROM input_requests WHERE status='open'"):
            words = {"unblock": "try again", "text": "As you think best."}.get(kind, "yes")
            stage.commands().questions.answer(campaign, question, words)
        stage.reopen()
    return halt


def questions(stage: Stage) -> Counter[str]:
    return Counter(kind for (kind,) in stage.query("SELECT kind FROM input_requests"))


@pytest.mark.parametrize(
    "weakness", [*WEAKNESSES, None], ids=lambda weakness: weakness.__name__ if weakness else "all of them"
)
def test_a_weak_model_finishes_a_campaign_with_at_most_a_question_a_person(
    stage: Stage, weakness: Weakness | None
) -> None:
    campaign = campaign_with_model(stage)
    model = WeakProposer(weakness)
    assert run_and_answer(stage, campaign, model) is RunEnd.COMPLETED
    asked = questions(stage)
    assert asked["unblock"] == 0, "nothing was blocked"
    per_task = stage.query("SELECT t.kind, count(*) FROM input_requests q JOIN tasks t ON t.id=q.task_id GROUP BY t.id")
    assert all(count <= (1 if kind == "reach_lead" else 3) for kind, count in per_task)
    assert stage.one("SELECT count(*) FROM messages WHERE status='sent'") >= 3
    assert (stage.duplicates(), stage.missing(), stage.unapproved()) == (0, [], [])
    assert replay.find_differences(stage.database) == []


def test_invented_tasks_do_not_keep_the_people_from_being_reached(stage: Stage) -> None:
    campaign = campaign_with_model(stage)
    stage.run(campaign, proposer=composite(WeakProposer(invents_tasks)))
    assert stage.one("SELECT count(*) FROM messages WHERE status='sent'") >= 3


def test_five_mechanical_steps_in_a_row_cost_no_token(stage: Stage) -> None:
    campaign = campaign_with_model(stage)
    model = WeakProposer(writes_nothing)
    stage.run(campaign, proposer=composite(model))
    rows = stage.query("SELECT model, proposal FROM turn_projection WHERE campaign_id=? ORDER BY number", campaign)
    in_a_row, most = 0, 0
    for named, _ in rows:
        in_a_row = 0 if named else in_a_row + 1
        most = max(most, in_a_row)
    assert most >= 5
    assert all(not named for named, proposal in rows if proposal in ("select_next_task", "execute_tool"))


def test_a_person_costs_one_call_for_each_text(stage: Stage) -> None:
    """A model that can write is asked for the texts, and once how to score."""
    campaign = campaign_with_model(stage)
    model = MockProposer([ScriptedProposer().propose] * 40)
    assert stage.run(campaign, proposer=composite(model)).halt is RunEnd.COMPLETED
    due = [shown.focus.need.due if shown.focus.need else None for shown in model.seen]
    drafts = stage.kinds(campaign)["MessageDrafted"]
    assert Counter(due) == {DueAction.DRAFT: drafts, None: 1}
    assert all(shown.focus.task.status is TaskStatus.IN_PROGRESS for shown in model.seen)


def test_a_blueprint_for_the_goal_is_asked_of_the_model_by_default_and_takes_effect_by_the_users_yes(
    stage: Stage,
) -> None:
    """FR-029: the model is shown the goal and the rules in force, once, before anybody is scored."""
    campaign = campaign_with_model(stage)
    blueprint = json.loads(blueprint_for("find recruiters", BASE_FIELDS).model_dump_json())

    def fitting(shown: Snapshot) -> str:
        proposal = {"type": "analyze_leads", "task_id": shown.focus.task.id, "params": {"blueprint": blueprint}}
        return (
            json.dumps(proposal) if shown.focus.task.kind is TaskKind.SCORE_LEADS else ScriptedProposer().propose(shown)
        )

    model = MockProposer([fitting] * 40)
    assert stage.run(campaign, proposer=composite(model)).halt is RunEnd.NEEDS_YOU
    asked = model.seen[0]
    assert asked.focus.task.kind is TaskKind.SCORE_LEADS
    assert stage.one("SELECT goal FROM campaigns") in asked.to_json()
    assert stage.one("SELECT count(*) FROM leads WHERE weight_score IS NOT NULL") == 0
    ((question, kind, payload),) = stage.query("SELECT id, kind, payload FROM input_requests WHERE status='open'")
    assert (kind, json.loads(payload)) == ("approve_blueprint", {"blueprint": blueprint, "made_by": "model"})
    stage.commands().questions.answer(campaign, question, "yes")
    assert lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    stage.reopen()
    assert stage.run(campaign, proposer=composite(model)).halt is RunEnd.COMPLETED
    settings = read_settings(stage.one("SELECT settings FROM campaigns"))
    assert json.loads(settings.blueprint.model_dump_json())["criteria"] == blueprint["criteria"]
    assert sum(shown.focus.task.kind is TaskKind.SCORE_LEADS for shown in model.seen) == 1, "it is asked once"


def test_a_text_that_cannot_be_used_twice_is_the_templates_and_marked_so(stage: Stage) -> None:
    campaign = campaign_with_model(stage, 1, ONE_STEP)
    model = WeakProposer(writes_nothing)
    stage.run(campaign, proposer=composite(model), approve=False)
    ((text, marked),) = stage.query("SELECT text, from_template FROM messages")
    assert text.endswith("shall we talk?")
    assert marked == 1
    verdicts = [row[0] for row in stage.query("SELECT verdict FROM turn_projection WHERE model='weak' AND lead_id<>''")]
    assert verdicts == ["text_empty", "text_empty"]
    message = stage.one("SELECT id FROM messages")
    stage.commands().review.edit(campaign, message, "My own words")
    assert stage.one("SELECT from_template FROM messages") == 0, "the user's words are no template"


def test_the_texts_of_a_model_and_of_the_script_bear_no_mark(stage: Stage) -> None:
    def writes(snapshot: Snapshot) -> str:
        proposal = json.loads(ScriptedProposer().propose(snapshot))
        if proposal["type"] == "generate_message":
            proposal["params"]["text"] += " It would be a pleasure."
        return json.dumps(proposal)

    campaign = campaign_with_model(stage, 1, ONE_STEP)
    stage.run(campaign, proposer=composite(MockProposer([writes] * 9)))
    other = stage.campaign(1, settings=ONE_STEP, skip=5)
    stage.run(other)
    without_a_note = Settings(sequence=Sequence(steps=(Step(key="invite", kind="invitation", template=""),)))
    stage.run(stage.campaign(1, settings=without_a_note, skip=7))
    assert stage.query("SELECT from_template FROM messages") == [(0,), (0,), (0,)]


def test_a_text_that_was_rejected_before_the_last_one_is_refused_as_well(stage: Stage) -> None:
    texts = iter(("One.", "Two.", "One.", "Three."))

    def writes(snapshot: Snapshot) -> str:
        proposal = json.loads(ScriptedProposer().propose(snapshot))
        if proposal["type"] == "generate_message":
            proposal["params"]["text"] = next(texts)
        return json.dumps(proposal)

    campaign, text = campaign_with_model(stage, 1, ONE_STEP), ""
    for _ in range(3):
        stage.run(campaign, proposer=composite(MockProposer([writes] * 9)), approve=False)
        *_, (draft, text) = stage.query("SELECT id, text FROM messages WHERE status='draft'")
        if text != "Three.":
            stage.commands().review.reject(campaign, draft)
    assert text == "Three."
    assert stage.query("SELECT verdict FROM turn_projection WHERE verdict GLOB 'text_*'") == [("text_refused_before",)]


def test_a_question_about_which_nothing_has_changed_is_refused_and_the_model_is_told(stage: Stage) -> None:
    campaign = campaign_with_model(stage, 1, ONE_STEP)
    model = WeakProposer(asks_always)
    seen: list[Snapshot] = []
    # The model alone: nobody takes any step for it.
    script = ScriptedProposer()

    class Alone:
        name = "alone"

        def propose(self, snapshot: Snapshot, *heard: object) -> str:
            seen.append(snapshot)
            begun = snapshot.focus.task.status is TaskStatus.IN_PROGRESS
            drafting = begun and snapshot.focus.need is not None and snapshot.focus.need.due is DueAction.DRAFT
            return model.propose(snapshot) if drafting else script.propose(snapshot)

    stage.run(campaign, proposer=Alone())
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "Be brief."
    )
    stage.run(campaign, proposer=Alone())
    verdicts = [row[0] for row in stage.query("SELECT verdict FROM turn_projection ORDER BY number")]
    assert verdicts[-3:] == ["too_many_questions"] * 3
    last_verdicts = [shown.last for shown in seen if shown.last is not None]
    assert any(
        last.verdict == "too_many_questions" and "go on without asking" in last.feedback for last in last_verdicts
    )
    assert sum(questions(stage)[kind] for kind in AGENT_QUESTIONS) == 1

"""A script that is proposed: checked before anybody sees it, run only after the user's yes, its answer given to its task."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backend.adapters.sandbox.builtin_scripts import SandboxChecks, builtin_source
from backend.domain.device.script import script_sha256
from backend.domain.events.events import Event
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.criteria import BASE_FIELDS
from backend.domain.model.task import TaskKind
from backend.domain.model.tools import tools_for
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.jobs.script_runs import ScriptRunner
from backend.runtime.jobs.script_service import ScriptService
from backend.runtime.worker import Workers
from backend.store.queries.turn import scripts
from backend.turn.load import TOOLS_FOR
from tests.patience import PATIENCE
from tests.runtime.assistant.conftest import Saying, Talk, saying
from tests.sandbox.conftest import sandbox

COUNT = "result = query('SELECT count(*) AS n FROM leads')[0]['n']"
DONE = saying("no_op")


@pytest.fixture
def talk(talk: Talk) -> Talk:
    talk.scripts = SandboxChecks(sandbox)
    return talk


def service_of(talk: Talk) -> ScriptService:
    stage = talk.stage
    runner = ScriptRunner(stage.journal, sandbox(), stage.clock, stage.commands().artifacts, builtin_source)
    return ScriptService(stage.journal, LiveFeed(stage.journal), Workers(stage.clock), lambda _: runner)


@pytest.fixture
def service(talk: Talk) -> Iterator[ScriptService]:
    service = service_of(talk)
    service.open()
    yield service
    service.close()


def wait(talk: Talk, holds: Callable[[], bool]) -> None:
    """Until it holds after some commit."""
    commits = threading.Condition()

    def committed(_: object) -> None:
        with commits:
            commits.notify_all()

    unsubscribe = talk.stage.journal.subscribe(committed)
    with commits:
        assert commits.wait_for(holds, PATIENCE)
    unsubscribe()


def proposing(**params: Any) -> Callable[..., str]:
    return saying("execute_tool", tool="scripts.run", **params)


def runs(talk: Talk) -> list[str]:
    with talk.stage.database.read() as connection:
        return [run.parameters["outcome"] for run in scripts.ended_runs(connection, talk.campaign, 10)]


def test_a_plain_request_proposes_a_builtin_and_its_answer_comes_after_the_yes(
    talk: Talk, service: ScriptService
) -> None:
    request = talk.tell("show me the funnel by week")
    author, kind, text, payload = talk.lines(request)[-1]
    assert (author, kind) == ("outrider", "question"), text
    asked = json.loads(talk.stage.one("SELECT payload FROM input_requests WHERE id=?", payload["question_id"]))
    assert asked["source"] == builtin_source("funnel_by_week")
    assert asked["script_sha256"] == script_sha256(asked["source"])
    assert runs(talk) == []
    talk.answer("yes")
    wait(talk, lambda: talk.runs() == [request])
    (script_result,) = [result for result in talk.results(request) if result["kind"] == "script"]
    assert (script_result["key"], script_result["script_sha256"]) == ("funnel_by_week", asked["script_sha256"])
    assert talk.stage.database.query(scripts.result, script_result["result_id"]) is not None
    talk.work(request)
    assert talk.status(request) == ("done", "")


def test_no_is_no(talk: Talk, service: ScriptService) -> None:
    request = talk.tell("count them", proposer=Saying([proposing(source=COUNT, artifact_key="count"), DONE]))
    talk.answer("no")
    assert talk.results(request)[-1]["sentence"] == "The script does not run."
    assert (runs(talk), service.last(talk.campaign)) == ([], None)
    assert talk.stage.query("SELECT 1 FROM artifacts WHERE artifact_type='python_script'") == []


def test_no_is_no_to_a_text_that_was_approved_before(talk: Talk) -> None:
    request = ""
    for answer in ("yes", "no"):
        request = talk.tell("count them", proposer=Saying([proposing(source=COUNT), DONE]))
        talk.answer(answer)
    with talk.stage.database.read() as connection:
        assert request not in [proposal.task_id for proposal in scripts.approved_proposals(connection)]


def test_each_approved_text_is_kept_also_under_a_key_that_is_taken(talk: Talk) -> None:
    for source in (COUNT, f"{COUNT}  # again", COUNT):
        talk.tell("count them", proposer=Saying([proposing(source=source, artifact_key="count"), DONE]))
        talk.answer("yes")
    sources = "SELECT version, content FROM artifacts WHERE artifact_type='python_script' ORDER BY version"
    assert talk.stage.query(sources) == [(1, COUNT), (2, f"{COUNT}  # again")]


def test_a_blueprint_that_is_proposed_for_a_request_takes_effect_by_the_users_yes(talk: Talk) -> None:
    blueprint = blueprint_for("recruiters", BASE_FIELDS).model_dump(mode="json")
    in_force = "SELECT settings ->> '$.blueprint.criteria' FROM campaigns"
    before = talk.stage.query(in_force)
    talk.tell("score recruiters first", proposer=Saying([saying("analyze_leads", blueprint=blueprint), DONE]))
    assert talk.stage.query(in_force) == before
    talk.answer("yes")
    assert json.loads(talk.stage.one(in_force)) == blueprint["criteria"] != json.loads(before[0][0])


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"source": "import os\nresult = 1"}, "script_denied"),
        ({"source": "result = ("}, "script_denied"),
        ({"source": "result = 1  # \u202e"}, "script_hides"),
        ({}, "script_empty"),
        ({"builtin": "no_such"}, "script_builtin_unknown"),
        ({"builtin": "best_variant", "source": "result = 1"}, "script_builtin_unknown"),
    ],
)
def test_what_may_not_run_is_refused_before_anybody_sees_it_and_the_model_is_told(
    talk: Talk, params: dict[str, Any], code: str
) -> None:
    model = Saying([proposing(**params), DONE])
    request = talk.tell("count them", proposer=model)
    assert code in talk.codes(request)
    assert talk.stage.query("SELECT 1 FROM input_requests") == []
    seen = model.seen[1].request
    assert seen is not None
    assert code in "".join(seen.results)


def test_a_script_that_fails_ends_its_request_with_line_and_reason(talk: Talk, service: ScriptService) -> None:
    request = talk.tell("count them", proposer=Saying([proposing(source="x = []\nresult = x[1]"), DONE]))
    talk.answer("yes")
    wait(talk, lambda: talk.status(request)[0] == "blocked")
    assert "Line 2: IndexError" in talk.results(request)[-1]["sentence"]
    assert talk.codes(request)[-1] == "script_failed"
    assert talk.stage.query("SELECT 1 FROM artifacts WHERE artifact_type='analysis_result'") == []


def test_what_was_approved_before_outrider_ended_does_not_run_at_the_next_start(talk: Talk) -> None:
    request = talk.tell("count them", proposer=Saying([proposing(source=COUNT), DONE]))
    talk.answer("yes")
    later = service_of(talk)
    later.open()
    later.close()
    assert talk.codes(request)[-1] == "script_interrupted"
    assert (talk.status(request)[0], runs(talk)) == ("blocked", [])


def test_a_changed_text_is_not_the_approved_one(talk: Talk, service: ScriptService) -> None:
    talk.tell("count them", proposer=Saying([proposing(source=COUNT), DONE]))
    ((question, payload),) = talk.stage.query("SELECT id, payload FROM input_requests")
    changed = json.dumps({**json.loads(payload), "source": COUNT + " "})
    with talk.stage.database.write() as connection:
        connection.execute("UPDATE input_requests SET payload=? WHERE id=?", (changed, question))
    with pytest.raises(Exception, match="approval_text_changed"):
        talk.answer("yes")
    assert runs(talk) == []


@pytest.mark.parametrize(
    ("source", "status", "needs"),
    [
        (COUNT, "in_progress", "think"),
        ("result = 1 / 0", "blocked", "input"),
        ("try:\n    query('SELECT * FROM sqlite_master')\nexcept:\n    result = 1", "blocked", "input"),
    ],
)
def test_a_campaigns_own_task_goes_on_with_the_answer_or_is_blocked(
    talk: Talk, service: ScriptService, source: str, status: str, needs: str
) -> None:
    assert "scripts.run" in TOOLS_FOR[TaskKind.CUSTOM] == tools_for(TaskKind.CUSTOM)
    task = {"kind": "custom", "description": "Count", "status": "in_progress", "needs": "input", "created_at": 1}
    asked = {
        "task_id": "t1", "kind": "approve_script", "question": "Run?", "choices": ["yes", "no"], "status": "open",
        "created_at": 1,
        "payload": {"artifact_key": "count", "source": source, "script_sha256": script_sha256(source), "builtin": False},
    }  # fmt: skip
    events = [Event("TaskCreated", "t1", task), Event("InputRequested", "q1", asked)]
    talk.stage.journal.record(talk.campaign, events=events, actor="controller", cause="test", at=1)
    talk.answer("yes")
    where = "SELECT status, needs FROM tasks WHERE id='t1'"
    wait(talk, lambda: talk.stage.query(where) != [("in_progress", "input")])
    assert talk.stage.query(where) == [(status, needs)]

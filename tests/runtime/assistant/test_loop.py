"""The continuation loop: each iteration one ordinary turn that sees what came before, and an end, whatever is proposed."""

import io
import json
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.adapters.files.content_files import BlobStore
from backend.commands.user_commands import Commands
from backend.domain.model.task import MAX_STRIKES
from backend.domain.turn.assistant_results import summary_of_earlier
from backend.domain.turn.request import MOST_TOKENS, MOST_TURNS, Attachment
from backend.domain.turn.snapshot import MAX_RESULTS, Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run import continuation
from backend.runtime.run.continuation import ContinuationEnd
from backend.runtime.run.deadline_proposer import DeadlineProposer
from backend.store.log import replay, verification
from tests.domain.proposal_texts import LOOK_UPS, VALID
from tests.domain.test_snapshot import snapshot
from tests.fakes.campaign import Stage
from tests.fakes.proposers import StubProposer
from tests.patience import PATIENCE
from tests.runtime.assistant.conftest import Saying, Stages, Talk, proposal, saying

SEARCH = saying("execute_tool", tool="artifacts.search")
DONE = saying("no_op")


def sound(stage: Stage) -> None:
    """Both logs and every projection."""
    assert replay.find_differences(stage.database) == []
    with stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []


def keep(stage: Stage, campaign: str, artifact_type: str, key: str, text: str = "text") -> None:
    stage.commands().artifacts.save(
        campaign, artifact_type, key, io.BytesIO(text.encode()), BlobStore(stage.path.parent / "blobs"), follows=0
    )


# --- what it does ---


def test_a_request_is_a_task_that_is_verified_and_done(talk: Talk) -> None:
    request = talk.tell("list my saved artifacts")
    assert talk.status(request) == ("done", "")
    assert talk.turns(request) == 2
    ((status, detail),) = talk.stage.query("SELECT status, detail FROM commitments WHERE task_id=?", request)
    assert (status, detail) == ("passed", "every step for it is on record")
    kinds = [kind for kind, entity, _ in talk.stage.events(talk.campaign) if entity == request]
    assert kinds == ["TaskCreated", "TaskClaimed", "TaskCompleted"]
    sound(talk.stage)


def test_every_iteration_is_one_turn_of_eight_steps_with_its_reply_on_record(talk: Talk) -> None:
    request = talk.tell("list my saved artifacts")
    rows = talk.stage.query("SELECT history, json_array_length(steps) FROM turn_projection WHERE request_id=?", request)
    assert rows == [("WLPAC", 8)] * 2
    assert talk.raw(request) == talk.replies
    tools = talk.stage.audits(talk.campaign, "artifacts.search")
    assert len(tools) == 1
    assert json.loads(tools[0][1])["parameters"] == {"words": ""}


def test_each_line_names_the_turn_that_left_it_and_what_the_user_said_names_none(talk: Talk) -> None:
    talk.tell("list my saved artifacts")
    ran = {number for (number,) in talk.stage.query("SELECT number FROM turn_projection")}
    (question, *left) = [turn for (turn,) in talk.stage.query("SELECT turn FROM conversations ORDER BY line")]
    assert question is None
    assert left
    assert set(left) <= ran


def test_the_next_turn_sees_what_the_last_one_found_from_the_database(talk: Talk) -> None:
    keep(talk.stage, talk.campaign, "note", "acme")
    model = Saying([SEARCH, saying("execute_tool", tool="leads.response_rates", field="company"), DONE])
    talk.tell("what is there?", proposer=model)
    first, second, third = (snapshot.request for snapshot in model.seen)
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.text, first.results) == ("what is there?", ())
    (result,) = second.results
    assert json.loads(result)["found"][0]["key"] == "acme"
    assert third.results[:-1] == second.results
    assert json.loads(third.results[-1])["kind"] == "rates"


def test_several_tools_run_for_one_message_before_the_user_is_heard_again(talk: Talk) -> None:
    rates = saying("execute_tool", tool="leads.response_rates", field="company")
    model = Saying([SEARCH, rates, SEARCH, DONE])
    request = talk.tell("what is there, and who answers?", proposer=model)
    assert [author for author, *_ in talk.lines(request)] == ["user", "outrider", "outrider", "outrider"]
    assert [result["kind"] for result in talk.results(request)] == ["artifacts", "rates", "artifacts"]
    assert (talk.turns(request), model.asked) == (4, 4)
    assert talk.status(request) == ("done", "")


def test_older_results_are_summed_up_by_the_controller_in_a_bounded_text_that_nothing_depends_on(talk: Talk) -> None:
    stage, asks = talk.stage, saying("request_user_input", question="Which?", kind="text")
    model = Saying([SEARCH, SEARCH, asks])
    request = talk.ask("what is there?")
    for _ in range(5):
        talk.work(request, model)
        talk.answer("look again")
    before = model.seen[-1].request
    assert before is not None
    assert (len(before.results), before.earlier) == (MAX_RESULTS, "Before these: 4 searches of artifacts.")
    assert "Before these: 4 searches" in model.seen[-1].to_json()
    assert stage.query("SELECT 1 FROM event_log WHERE change_payload LIKE '%Before these%'") == [], (
        "and it is no record"
    )

    stage.outside.execute("DELETE FROM conversations")
    talk.work(request, Saying([DONE]))
    assert talk.status(request) == ("done", "")
    assert len(summary_of_earlier(dict.fromkeys(("artifacts", "artifact", "rates", "lead", "status"), 10**9))) < 500


def test_a_request_sees_no_lines_but_its_own(talk: Talk) -> None:
    talk.tell("list my saved artifacts")
    model = Saying([DONE])
    talk.tell("and now?", proposer=model)
    (snapshot,) = model.seen
    assert snapshot.request is not None
    assert snapshot.request.results == ()
    assert "list my" not in snapshot.to_json()
    assert [task.kind for task in snapshot.tasks] == ["assist"]
    assert snapshot.task_counts == {"pending": 1}


def test_words_are_shown_as_the_model_said_them(talk: Talk) -> None:
    text = "  Sure — “it”\r\n\tis\u2028here.\n"
    request = talk.tell("hello", proposer=Saying([saying("no_op", say=text)]))
    assert talk.lines(request)[1][:3] == ("model", "said", text)


def test_a_model_with_nothing_to_say_is_not_silent(talk: Talk) -> None:
    request = talk.tell("hello", proposer=Saying([DONE]))
    assert talk.codes(request) == ["nothing_proposed"]
    assert talk.status(request)[0] == "done"


def test_it_asks_and_goes_on_by_itself_after_the_answer(talk: Talk) -> None:
    model = Saying([saying("request_user_input", question="Which?", kind="choice", choices=["a", "b"]), DONE])
    request = talk.ask("do it")
    assert talk.work(request, model) is ContinuationEnd.OVER
    assert (talk.runs(), model.asked) == ([], 1)
    talk.stage.reopen()  # it survives a restart
    talk.answer("b")
    assert talk.runs() == [request]
    talk.work(request, model)
    assert model.seen[1].focus.answered == ("Which?", "b")
    assert talk.status(request)[0] == "done"
    sound(talk.stage)


@pytest.mark.parametrize("status", ["initializing", "paused", "completed"])
def test_it_works_whatever_the_campaign_does_and_leaves_it_there(talk: Talk, status: str) -> None:
    stage = talk.stage
    if status != "initializing":
        runner = stage.runner(stop_after=7 if status == "paused" else None)
        runner.run(talk.campaign)
    assert stage.status(talk.campaign) == status
    tables = ("campaigns", "leads", "messages", "execution_state", "actions")
    before = [stage.query(f"SELECT * FROM {table}") for table in tables]
    state = stage.query("SELECT state, turn_lock, loop_enabled, last_error FROM runtime_snapshot")
    request = talk.tell("list my saved artifacts")
    assert talk.status(request)[0] == "done"
    assert [stage.query(f"SELECT * FROM {table}") for table in tables] == before
    assert stage.query("SELECT state, turn_lock, loop_enabled, last_error FROM runtime_snapshot") == state
    sound(stage)


def test_requests_are_no_part_of_the_campaigns_own_work(stages: Stages) -> None:
    """Whoever talks all the while changes nothing of what the campaign decides and does."""
    silent, talking = stages(seed="own"), stages(seed="own")
    expected = silent.campaign(3)
    silent.run(expected)
    talk = Talk(talking, talking.campaign(3))

    def elsewhere(user: Commands) -> None:
        user.requests.begin(
            talk.campaign, "list my saved artifacts", [Attachment("a.txt", "x")], key=str(len(talking.turns))
        )

    open_requests: list[str] = []

    def ask_and_work(turn: Any) -> None:
        if turn.number % 5 == 0:
            talking.elsewhere(elsewhere)
        for request in talk.runs():
            talk.work(request)
            open_requests.append(request)

    talking.runner(on_turn=ask_and_work).run(talk.campaign)
    assert len(open_requests) > 2
    assert talking.status(talk.campaign) == silent.status(expected) == "completed"

    def decided(stage: Stage, campaign: str) -> list[tuple[str, str]]:
        own = {row[0] for row in stage.query("SELECT id FROM tasks WHERE kind<>'assist'")}
        skipped = ("Conversation", "Attachment", "Turn", "Commitment", "Task")
        return [
            (kind, payload)
            for kind, entity, payload in stage.events(campaign)
            if not kind.startswith(skipped) or entity in own
        ]

    kinds = [
        [kind for kind, _ in decided(stage, campaign)]
        for stage, campaign in ((silent, expected), (talking, talk.campaign))
    ]
    assert kinds[0] == kinds[1]
    deliveries = [[(entry.kind, entry.to, entry.text) for entry in stage.delivered()] for stage in (silent, talking)]
    assert deliveries[0] == deliveries[1]
    sound(talking)


def test_a_repeated_key_is_the_same_request(talk: Talk) -> None:
    requests = talk.stage.commands().requests
    request = requests.begin(talk.campaign, "help", [], key="same")
    assert requests.begin(talk.campaign, "help", [], key="same") == request
    assert talk.stage.one("SELECT count(*) FROM conversations") == 1


# --- it always ends ---


ENDLESS: dict[str, list[Any]] = {
    "always the same": [SEARCH],
    "alternating": [SEARCH, saying("execute_tool", tool="leads.response_rates", field="company")],
    "garbage": ["{", "\ud800", "", "Sure!"],
    "garbage now and then": ["{", SEARCH],
    "a foreign task": [json.dumps({"type": "no_op", "task_id": "nobody"})],
    "what is not for a request": [saying("select_next_task"), saying("analyze_leads")],
    "acts on the site": [saying("execute_tool", tool="browser.check_selectors")],
    "new tasks": [json.dumps(VALID["create_task"])],
}


@pytest.mark.parametrize("name", ENDLESS)
def test_it_ends_whatever_is_proposed_for_ever(talk: Talk, name: str) -> None:
    model = Saying(ENDLESS[name])
    request = talk.tell("go", proposer=model)
    assert talk.turns(request) == model.asked <= MOST_TURNS
    status, reason = talk.status(request)
    assert status == "blocked"
    assert reason
    assert talk.results(request)[-1]["code"] in ("turns", "gave_up")
    assert talk.runs() == []
    sound(talk.stage)


def test_three_refusals_in_a_row_end_it_plainly(talk: Talk) -> None:
    model = Saying(["{no JSON", "[]", "\x00"])
    request = talk.tell("go", proposer=model)
    assert model.asked == MAX_STRIKES
    assert talk.raw(request) == talk.replies == ["{no JSON", "[]", "\x00"]
    assert talk.codes(request) == ["reply_not_json"] * 3 + ["gave_up"]
    assert "Tried 3 times without success" in talk.status(request)[1]


def test_prose_is_shown_as_prose_and_does_nothing(talk: Talk) -> None:
    prose = "I looked at the campaign: nobody has replied yet.\n\nShall I write to them again?"
    model = Saying([prose])
    before = talk.stage.dump()
    request = talk.tell("has anybody replied?", proposer=model)
    assert (model.asked, talk.status(request)[0], talk.codes(request)) == (1, "done", [])
    words = "SELECT role, content FROM conversations WHERE request_id=? AND role<>'user'"
    assert talk.stage.query(words, request) == [("model", prose)]
    after = talk.stage.dump()
    for table in ("leads", "messages", "approvals", "actions"):
        assert after[table] == before[table]
    sound(talk.stage)


def test_a_model_that_asks_and_asks_runs_only_as_often_as_it_is_answered(talk: Talk) -> None:
    model = Saying([saying("request_user_input", question="Sure?", kind="text")])
    request = talk.ask("go")
    for answers in range(1, 4):
        talk.work(request, model)
        assert model.asked == answers
        talk.work(request, model)  # nothing runs while the question is open
        assert model.asked == answers
        talk.answer("yes")


class Spending:
    """A model that costs a lot."""

    name = "spending"

    def propose(self, snapshot: Any, on_text: Any = None, on_usage: Any = None) -> str:
        on_usage(ModelUsage("x", MOST_TOKENS, 1, 1))
        return proposal("execute_tool", snapshot, tool="artifacts.search")


def test_it_ends_when_the_tokens_are_used_up(talk: Talk) -> None:
    request = talk.tell("go", proposer=Spending())
    assert (talk.turns(request), talk.codes(request)[-1]) == (1, "tokens")


class Silent:
    """A model that never comes back."""

    name = "silent"

    def __init__(self) -> None:
        self.on = threading.Event()

    def propose(self, snapshot: Any, on_text: Any = None, on_usage: Any = None) -> str:
        on_text("I thi")
        self.on.wait(PATIENCE)
        return ""


def test_a_model_that_never_answers_is_left(talk: Talk) -> None:
    model = Silent()
    try:
        request = talk.ask("go")
        assert talk.work(request, model, seconds=0.2) is ContinuationEnd.FAILED
    finally:
        model.on.set()
    assert (talk.status(request)[0], talk.codes(request)) == ("blocked", ["proposer_unavailable"])
    ((_, payload),) = talk.stage.audits(talk.campaign, "turn_failed")
    assert json.loads(payload)["reply"] == "I thi"
    sound(talk.stage)


def test_a_model_that_is_left_says_what_it_cost_and_nobody_is_asked_after_that() -> None:
    over, billed = threading.Event(), list[ModelUsage]()

    class Dear:
        name = "dear"
        asked = 0

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            self.asked += 1
            over.wait(PATIENCE)
            on_usage(ModelUsage("dear", 10, 20, 999))
            return "too late"

    model = Dear()
    bounded = DeadlineProposer(model, 0.05, over=over)
    for _ in range(2):
        with pytest.raises(OutriderError):
            bounded.propose(snapshot(), ignore_text, billed.append)
    assert (model.asked, [usage.micros for usage in billed], bounded.tokens) == (1, [999], 30)


def test_what_a_model_costs_that_says_so_after_its_turn_has_ended_is_on_record_once(talk: Talk) -> None:
    answers, metered = threading.Event(), threading.Event()

    class Slow:
        name = "slow"

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            on_usage(ModelUsage("slow", 1, 2, 100))
            answers.wait(PATIENCE)
            on_usage(ModelUsage("slow", 10, 20, 999))
            metered.set()
            return "too late"

    request = talk.ask("go")
    assert talk.work(request, Slow(), seconds=0.05) is ContinuationEnd.FAILED
    spent = "SELECT sum(change_payload ->> '$.cost_micros') FROM event_log"
    assert talk.stage.one(spent) == 100
    answers.set()
    assert metered.wait(PATIENCE)
    assert talk.stage.one(spent) == 1_099
    sound(talk.stage)


def test_no_turn_begins_once_the_time_is_over(talk: Talk) -> None:
    model = Saying([SEARCH])
    request = talk.ask("go")
    assert talk.work(request, model, seconds=0.0) is ContinuationEnd.TIME
    assert (model.asked, talk.codes(request)) == (0, ["time"])


def test_without_a_model_it_says_so_and_the_campaign_is_not_faulted(talk: Talk) -> None:
    request = talk.tell("go", proposer=StubProposer())
    assert talk.codes(request) == ["proposer_unavailable"]
    assert talk.stage.one("SELECT faulted FROM turn_projection WHERE request_id=?", request) == 1
    assert talk.stage.one("SELECT state FROM runtime_snapshot") == "Bootstrapping"
    ended_by_its_turn(talk)


def ended_by_its_turn(talk: Talk) -> None:
    """In the transaction of the turn that failed, and not by whoever hears of it later."""
    ((actor, at),) = talk.stage.query("SELECT actor, seq FROM event_log WHERE kind='RequestEnded'")
    assert actor == "controller"
    assert talk.stage.query("SELECT kind FROM event_log WHERE seq>? ORDER BY seq", at) == [
        ("ConversationSaid",),
        ("TurnFaulted",),
    ]


def test_a_defect_in_a_turn_for_a_request_ends_that_request_and_not_the_campaign(talk: Talk) -> None:
    def fail(boundary: str) -> None:
        if boundary == "step-5":
            raise RuntimeError("nobody thought of this")

    talk.boundary = fail
    before = talk.stage.status(talk.campaign)
    request = talk.tell("go", proposer=Saying([DONE]))
    assert talk.codes(request) == ["unexpected_failure"]
    assert talk.status(request)[0] == "blocked"
    assert talk.stage.status(talk.campaign) == before != "error"
    ended_by_its_turn(talk)


def test_stopping_ends_it_after_the_turn_in_flight(talk: Talk) -> None:
    model = Saying([SEARCH])
    request = talk.ask("go")
    assert (
        talk.work(request, model, halted=lambda: ContinuationEnd.STOPPED if model.asked else None)
        is ContinuationEnd.STOPPED
    )
    assert (model.asked, talk.status(request)) == (1, ("blocked", "Stopped by you."))


def test_a_request_that_is_left_in_the_middle_asks_at_the_next_start(talk: Talk) -> None:
    model = Saying([SEARCH])
    request = talk.ask("go")
    assert (
        talk.work(request, model, halted=lambda: ContinuationEnd.CLOSED if model.asked else None)
        is ContinuationEnd.CLOSED
    )
    talk.stage.reopen()
    for request_id in talk.runs():
        talk.stage.commands().requests.interrupted(talk.campaign, request_id)
    assert talk.runs() == []
    talk.answer("go on with it")
    talk.work(request)
    assert talk.status(request)[0] == "done"
    other = talk.ask("go")
    talk.stage.commands().requests.interrupted(talk.campaign, other)
    talk.answer("leave it")
    assert talk.status(other) == ("blocked", "left by the user")
    sound(talk.stage)


def test_a_request_that_cannot_be_verified_ends(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the assistant would take it up again and again, without a pause: where the device is signed out, say."""
    model = Saying([DONE])
    request = talk.ask("go")
    with monkeypatch.context() as patch:
        patch.setattr(continuation, "verify_waiting", lambda *_: None)
        talk.work(request, model, halted=lambda: ContinuationEnd.CLOSED if model.asked else None)
    assert talk.status(request)[0] == "verifying"
    assert talk.work(request, model, halted=lambda: ContinuationEnd.MAY_NOT) is ContinuationEnd.MAY_NOT
    assert talk.status(request)[0] == "blocked"
    assert talk.runs() == []
    sound(talk.stage)


PLANS: dict[str, Any] = {
    **{name: saying("execute_tool", tool=name, **params) for name, params in LOOK_UPS.items()},
    **{name: (lambda snapshot, value=value: _about(snapshot, value)) for name, value in VALID.items()},
    "ask": saying("request_user_input", question="?", kind="text"),
    "choose": saying("request_user_input", question="?", kind="choice", choices=["a", "b"]),
    "persist": saying("persist_artifact", artifact_type="note", artifact_key="k", content="c"),
    "done": DONE,
}


def _about(snapshot: Any, value: dict[str, Any]) -> str:
    return json.dumps(value | ({"task_id": snapshot.focus.task.id} if "task_id" in value else {}))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=st.lists(st.sampled_from(sorted(PLANS)) | st.text(max_size=30), min_size=1, max_size=20))
def test_any_sequence_of_proposals_comes_to_an_end(talk: Talk, plan: list[str]) -> None:
    model = Saying([PLANS.get(step, step) for step in plan])
    request = talk.ask("go")
    for _ in range(3):
        asked = model.asked
        talk.work(request, model)
        assert model.asked - asked <= MOST_TURNS
        assert request not in talk.runs()
        waiting = talk.stage.query("SELECT id, choices FROM input_requests WHERE task_id=? AND status='open'", request)
        if not waiting:
            break
        ((question, choices),) = waiting
        talk.stage.commands().questions.answer(talk.campaign, question, (json.loads(choices) or ["x"])[-1])
    assert len(talk.raw(request)) == model.asked == talk.turns(request)
    assert talk.stage.received() == []


def test_what_a_model_says_in_the_moment_of_stop_is_neither_done_nor_asked(talk: Talk) -> None:
    model = Saying([saying("request_user_input", question="Which?", kind="text")])
    request = talk.ask("go")
    ended = talk.work(
        request,
        model,
        halted=lambda: ContinuationEnd.STOPPED if model.asked else None,
        stopped=lambda: model.asked > 0,
    )
    assert ended is ContinuationEnd.STOPPED
    assert talk.stage.query("SELECT count(*) FROM input_requests WHERE status='open'") == [(0,)]
    assert (model.asked, talk.status(request)[0]) == (1, "blocked")

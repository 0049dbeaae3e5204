"""Done is what the verifier found to be so; a claim only asks it to look. Waiting for a person survives everything."""

import hashlib
import json
from typing import Any

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskClaimed, TaskStarted
from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.model.task import TaskStatus
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn import verifier
from backend.turn.loop import TurnReport
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Noted, Stage
from tests.fakes.proposers import MockProposer


def say(kind: str, params: dict[str, Any] | None = None) -> Any:
    """A reply about the task in focus."""
    return lambda snapshot: json.dumps({"type": kind, "task_id": snapshot.focus.task.id, "params": params or {}})


def make(description: str, *commitments: dict[str, Any], preconditions: tuple[str, ...] = ()) -> str:
    params = {"description": description, "commitments": list(commitments), "preconditions": list(preconditions)}
    return json.dumps({"type": "create_task", "justification": "it helps", "params": params})


NOTE = {"type": "artifact_exists", "artifact_type": "note", "artifact_key": "plan"}
RESEARCH = {"type": "artifact_exists", "artifact_type": "research", "artifact_key": "market"}
SCORED = {"type": "leads_scored"}
CLAIM = say("no_op", {"claims_done": True})
SELECT = say("select_next_task")


def turns(stage: Stage, campaign: str, *replies: Any, seconds: float = verifier.TIMEOUT_SECONDS) -> list[TurnReport]:
    """These turns, each followed by verification as in a run."""
    loop = stage.loop(MockProposer(replies))
    ran = []
    for _ in replies:
        turn = loop.run_turn(campaign)
        assert isinstance(turn, TurnReport), turn
        ran.append(turn)
        verify_waiting(stage.journal, stage.clock, campaign, seconds=seconds)
    return ran


def task(stage: Stage, description: str) -> tuple[str, str, int]:
    """(status, reason, strikes) of the task."""
    return stage.query("SELECT status, reason, strikes FROM tasks WHERE description=?", description)[0]


def test_a_claim_without_fulfilment_brings_the_task_back_with_the_reason_and_three_block_it(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, CLAIM)
    assert task(stage, "Score the leads") == ("in_progress", "some leads have no score", 1)
    turns(stage, campaign, CLAIM)
    assert task(stage, "Score the leads") == ("in_progress", "some leads have no score", 2)
    turns(stage, campaign, CLAIM)
    assert task(stage, "Score the leads") == ("blocked", "verification failed: some leads have no score", 0)
    assert stage.query("SELECT kind FROM input_requests WHERE status='open'") == [("unblock",)]
    assert stage.query(
        "SELECT status FROM commitments WHERE task_id IN (SELECT id FROM tasks WHERE kind='score_leads')"
    ) == [("failed",)]


def test_the_reason_is_told_to_the_model_with_the_next_snapshot(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    shown: list[str] = []

    def look(snapshot: Snapshot) -> str:
        shown.append(snapshot.to_json())
        return ScriptedProposer().propose(snapshot)

    turns(stage, campaign, SELECT, CLAIM, look)
    assert "some leads have no score" in json.dumps(json.loads(shown[0])["focus"])


def test_a_hallucinated_completion_finishes_no_lead(stage: Stage) -> None:
    campaign = stage.campaign(2)

    def lie(snapshot: Snapshot) -> str:
        if snapshot.focus.lead is not None and snapshot.focus.task.status is TaskStatus.IN_PROGRESS:
            return str(CLAIM(snapshot))
        return ScriptedProposer().propose(snapshot)

    assert stage.run(campaign, proposer=MockProposer([lie] * 60)).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT DISTINCT status, reason FROM tasks WHERE kind='reach_lead'") == [
        ("blocked", "verification failed: the sequence has not ended")
    ]
    assert stage.received() == []
    assert stage.status(campaign) == "active"


def test_a_task_is_done_by_the_verifiers_hand_only(stage: Stage) -> None:
    campaign = stage.campaign(3)
    stage.run(campaign)
    assert stage.query("SELECT DISTINCT actor FROM event_log WHERE kind='TaskCompleted'") == [("verifier",)]
    assert stage.kinds(campaign)["TaskCompleted"] == stage.one("SELECT count(*) FROM tasks") == 4
    done = [json.loads(payload) for _, payload in stage.audits(campaign, "verification")]
    assert all(entry["done"] and all(check["passed"] for check in entry["checks"]) for entry in done)


@pytest.mark.parametrize("promises", [(SCORED, NOTE), (NOTE, SCORED), (NOTE, SCORED, RESEARCH)])
def test_done_is_all_or_nothing_and_each_check_is_reported(stage: Stage, promises: tuple[dict[str, str], ...]) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, say("analyze_leads"), make("Promises", *promises))
    _work_on(stage, campaign, "Promises")
    turns(stage, campaign, SELECT, CLAIM)
    missing = [f"there is no {p['artifact_type']} “{p['artifact_key']}”" for p in promises if p is not SCORED]
    assert task(stage, "Promises")[:2] == ("in_progress", "; ".join(missing))
    reported = {(True, "every lead has a score"), *((False, detail) for detail in missing)}
    checks = json.loads(stage.audits(campaign, "verification")[-1][1])["checks"]
    assert {(check["passed"], check["detail"]) for check in checks} == reported
    stored = "SELECT status='passed', detail FROM commitments WHERE task_id=?"
    assert set(stage.query(stored, _id(stage, "Promises"))) == reported
    stage.outside.execute("UPDATE leads SET weight_score=NULL")
    turns(stage, campaign, CLAIM)
    assert "some leads have no score" in task(stage, "Promises")[1], "what held once is looked at again"


def test_what_cannot_be_looked_at_is_not_done(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, say("analyze_leads"), make("Write it down", SCORED))
    promise = {"task_id": _id(stage, "Write it down"), "params": {"type": "file_exists", "path": "plan.md"}}
    stage.note_elsewhere(campaign, Event("CommitmentMade", "01FILE", {**promise, "source": "user"}))
    _work_on(stage, campaign, "Write it down")
    turns(stage, campaign, SELECT, CLAIM)
    assert task(stage, "Write it down")[:2] == ("in_progress", "it cannot be checked here")


def _work_on(stage: Stage, campaign: str, description: str) -> None:
    """Make it the task that the turn before was about, as it would be if it went on."""
    task_id = stage.one("SELECT id FROM tasks WHERE description=?", description)
    others = stage.query(
        "SELECT id FROM tasks WHERE campaign_id=? AND id<>? AND status IN ('pending', 'in_progress')", campaign, task_id
    )
    events = [Event("TaskDeferred", other, {"ready_at": stage.clock.now() + 10**9}) for (other,) in others]
    stage.note_elsewhere(campaign, *events)


def test_a_task_that_an_agent_made_is_done_when_its_own_promise_holds(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, say("analyze_leads"), make("Check the scores", NOTE, SCORED))
    promises = "SELECT source, json_extract(params, '$.type') FROM commitments WHERE task_id=? ORDER BY id"
    assert stage.query(promises, _id(stage, "Check the scores")) == [
        ("agent", "artifact_exists"),
        ("agent", "leads_scored"),
    ]
    assert stage.query("SELECT source, metadata FROM tasks WHERE description='Check the scores'") == [
        ("agent", '{"justification":"it helps"}')
    ]
    _work_on(stage, campaign, "Check the scores")
    turns(stage, campaign, SELECT, CLAIM, CLAIM)
    assert task(stage, "Check the scores")[::2] == ("in_progress", 2), "claimed too early, and twice"
    note = text_content("note", "plan", "Call them.")
    stage.note_elsewhere(campaign, artifact_persisted(note, stage.ids.new(), BY_USER, 0, stage.clock.now()))
    turns(stage, campaign, CLAIM)
    assert task(stage, "Check the scores")[0] == "done"


def test_a_message_counts_as_sent_for_a_promise_only_if_it_was_seen(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.arm("says_sent_but_dropped", "message")
    stage.run(campaign)
    lead = stage.one("SELECT id FROM leads")
    promise = {"type": "message_sent", "lead_id": lead, "step": "hello"}
    made = {
        "description": "See that it arrived",
        "kind": "custom",
        "status": "pending",
        "needs": "think",
        "created_at": 0,
    }
    stage.note_elsewhere(
        campaign,
        Event("TaskCreated", "01SEE", made),
        Event("CommitmentMade", "01SEEN", {"task_id": "01SEE", "params": promise, "source": "user"}),
    )
    turns(stage, campaign, SELECT, CLAIM)
    assert task(stage, "See that it arrived")[:2] == ("in_progress", "“hello” was not seen at its recipient")


@pytest.mark.parametrize(
    ("promise", "is_kept"),
    [
        ({"type": "message_sent", "step": "hello"}, True),
        ({"type": "message_sent", "step": "another"}, False),
        ({"type": "lead_status", "status": "contacted"}, True),
        ({"type": "lead_status", "status": "rejected"}, False),
        ({"type": "sequence_finished"}, True),
    ],
)
def test_what_is_recorded_of_a_lead_keeps_a_promise_about_it(
    stage: Stage, promise: dict[str, str], is_kept: bool
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    assert keeps(stage, campaign, promise) is is_kept


@pytest.mark.parametrize("promise", ["message_sent", "sequence_finished"])
def test_a_message_that_was_not_seen_keeps_no_promise(stage: Stage, promise: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    stage.outside.execute("UPDATE actions SET status='not_sent'")
    step = {"step": "hello"} if promise == "message_sent" else {}
    assert not keeps(stage, campaign, {"type": promise, **step})


def keeps(stage: Stage, campaign: str, promise: dict[str, str]) -> bool:
    """Whether a task that promises this of the campaign's one lead, and claims to be done, is."""
    ((task_id, done),) = verified(stage, campaign, promise)
    return done and task_id == "01SEE"


def verified(stage: Stage, campaign: str, promise: dict[str, str]) -> list[tuple[str, bool]]:
    """What the verifier says of such a task, `01SEE`."""
    made = {"description": "See", "kind": "custom", "status": "pending", "needs": "think", "created_at": 0}
    params = {**promise, "lead_id": stage.one("SELECT id FROM leads")}
    stage.note_elsewhere(
        campaign,
        Event("TaskCreated", "01SEE", made),
        Event("CommitmentMade", "01SEEN", {"task_id": "01SEE", "params": params, "source": "user"}),
        TaskStarted("01SEE"),
        TaskClaimed("01SEE"),
    )
    return verify_waiting(stage.journal, stage.clock, campaign)


def test_a_sequence_with_a_message_that_nobody_saw_at_its_recipient_is_not_done(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    stage.outside.execute("UPDATE actions SET status='not_sent'")
    assert verified(stage, campaign, {"type": "sequence_finished"}) == [("01SEE", False)]


def test_a_done_task_releases_those_that_waited_for_it(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    first = stage.one("SELECT id FROM tasks")
    turns(stage, campaign, make("After scoring", SCORED, preconditions=(first,)))
    waits = stage.one("SELECT ready_at FROM tasks WHERE description='After scoring'")
    assert waits > stage.clock.now()
    ran = turns(
        stage, campaign, json.dumps({"type": "select_next_task", "task_id": _id(stage, "After scoring"), "params": {}})
    )
    assert ran[0].verdict == "task_not_eligible"
    turns(stage, campaign, SELECT, say("analyze_leads"))
    assert stage.query("SELECT ready_at, status FROM tasks WHERE description='After scoring'") == [(0, "pending")]


def test_a_task_waits_until_all_that_it_waits_for_is_done(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    scoring = stage.one("SELECT id FROM tasks")
    turns(stage, campaign, make("Write the plan", NOTE))
    turns(stage, campaign, make("After both", SCORED, preconditions=(scoring, _id(stage, "Write the plan"))))
    turns(stage, campaign, SELECT, say("analyze_leads"))
    assert stage.one("SELECT status FROM tasks WHERE id=?", scoring) == "done"
    assert stage.one("SELECT ready_at FROM tasks WHERE description='After both'") > stage.clock.now()


def _id(stage: Stage, description: str) -> str:
    return str(stage.one("SELECT id FROM tasks WHERE description=?", description))


def test_a_task_whose_preconditions_are_done_already_need_not_wait(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    first = stage.one("SELECT id FROM tasks")
    turns(stage, campaign, SELECT, say("analyze_leads"), make("After scoring", SCORED, preconditions=(first,)))
    assert stage.query("SELECT ready_at FROM tasks WHERE description='After scoring'") == [(0,)]


def test_a_check_that_takes_too_long_has_failed_with_that_reason(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)

    def endless(connection: Any, _: str, __: Any) -> tuple[bool, str]:
        connection.execute(
            "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT count(*) FROM n"
        ).fetchone()
        return True, "never reached"

    monkeypatch.setitem(verifier._CHECKS, "leads_scored", endless)
    turns(stage, campaign, SELECT, CLAIM, seconds=0.05)
    assert task(stage, "Score the leads")[:2] == ("in_progress", "the check took longer than 0.05 s")


# --- artifacts ---


def question(stage: Stage) -> str:
    return str(stage.one("SELECT id FROM input_requests WHERE status='open'"))


def save(content: str) -> Any:
    return say("persist_artifact", {"artifact_type": "note", "artifact_key": "plan", "content": content})


def test_an_artifact_is_kept_only_after_the_users_yes_and_each_yes_is_a_new_version(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    query = "SELECT version, content, source FROM artifacts WHERE artifact_type='note' ORDER BY version"
    namesake = artifact_persisted(text_content("research", "plan", "another"), "01NAMESAKE", BY_USER, 0, 1)
    stage.note_elsewhere(campaign, namesake)
    turns(stage, campaign, SELECT, save("first"))
    assert stage.query(query) == []
    stage.commands().questions.answer(campaign, question(stage), "no")
    assert stage.query(query) == []
    turns(stage, campaign, save("second"))
    stage.commands().questions.answer(campaign, question(stage), "yes")
    turns(stage, campaign, save("third"))
    stage.reopen()
    stage.commands().questions.answer(campaign, question(stage), "yes")
    assert stage.query(query) == [(1, "second", "agent"), (2, "third", "agent")]
    actors = "SELECT DISTINCT actor FROM event_log WHERE kind='ArtifactPersisted' AND entity_id<>'01NAMESAKE'"
    assert stage.query(actors) == [("user",)]


def test_the_question_says_what_would_be_kept(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, save("twelve chärs"))
    ((asked, payload),) = stage.query("SELECT question, payload FROM input_requests")
    digest = hashlib.sha256("twelve chärs".encode()).hexdigest()
    assert asked == "Save note “plan” (13 bytes)?"
    assert json.loads(payload) == {
        "artifact_type": "note", "artifact_key": "plan", "content": "twelve chärs", "sha256": digest,
        "made_by": "model"
    }  # fmt: skip


def test_a_yes_is_to_the_very_bytes_that_the_question_named(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, save("as shown"))
    stage.outside.execute("UPDATE input_requests SET payload=json_set(payload, '$.content', 'another')")
    with pytest.raises(OutriderError, match="approval_text_changed"):
        stage.commands().questions.answer(campaign, question(stage), "yes")
    assert stage.query("SELECT 1 FROM artifacts WHERE artifact_type='note'") == []


# --- waiting for a person ---


def test_a_question_waits_survives_a_restart_and_its_answer_lets_the_task_go_on(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    asking = {"question": "Which day?", "kind": "choice", "choices": ["Monday", "Tuesday"]}
    turns(stage, campaign, SELECT, say("request_user_input", asking))
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT question, kind, choices, status FROM input_requests") == [
        ("Which day?", "choice", '["Monday","Tuesday"]', "open")
    ]
    asked = question(stage)
    stage.commands().questions.answer(campaign, asked, "Tuesday")
    assert stage.query("SELECT status, answer FROM input_requests") == [("answered", "Tuesday")]
    with pytest.raises(OutriderError) as error:
        stage.commands().questions.answer(campaign, asked, "Wednesday")
    assert error.value.code == "question_unknown"
    turns(stage, campaign, CLAIM, CLAIM, CLAIM)
    stage.commands().questions.answer(campaign, question(stage), "try again")
    answered: list[tuple[str, str] | None] = []
    proposer = Noted(ScriptedProposer(), lambda snapshot: answered.append(snapshot.focus.answered))
    assert stage.run(campaign, proposer=proposer).halt is RunEnd.COMPLETED
    assert [answer for _, answer in filter(None, answered[:1])] == ["try again"], "the latest answer"


def test_a_question_about_a_lead_in_mid_sequence_does_not_disturb_the_sequence(stage: Stage) -> None:
    campaign = stage.campaign(2)

    def ask_once(snapshot: Snapshot) -> str:
        lead = snapshot.focus.lead
        if lead is not None and lead.invited_at is not None and not stage.one("SELECT count(*) FROM input_requests"):
            return str(say("request_user_input", {"question": "Go on?", "kind": "confirm"})(snapshot))
        return ScriptedProposer().propose(snapshot)

    stage.run(campaign, proposer=MockProposer([ask_once] * 500))
    stage.commands().questions.answer(campaign, question(stage), "yes")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (stage.duplicates(), stage.missing()) == (0, [])


# --- a blocked task, and the user's word on it ---


def test_trying_again_with_somebody_on_the_do_not_contact_list_asks_again(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    stage.commands().workspace.add_do_not_contact(stage.cards(1)[0].slug, "Somebody", "asked not to be written to")
    for _ in range(3):
        assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
        assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("blocked",)]
        stage.commands().questions.answer(campaign, question(stage), "try again")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    stage.commands().questions.answer(campaign, question(stage), "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []


def test_a_scoring_that_the_user_leaves_lets_the_campaign_go_on_with_the_leads_as_they_are(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    stage.run(campaign, proposer=MockProposer(["nonsense"] * 3), stop_after=3)
    assert stage.query("SELECT kind, status FROM tasks") == [("score_leads", "blocked")]
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.one("SELECT count(*) FROM tasks") == 1, "while the question is open, nothing is decided"
    stage.commands().questions.answer(campaign, question(stage), "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 2


def test_a_task_whose_precondition_the_user_left_asks_for_itself(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    scripted, made = ScriptedProposer(), list[str]()

    class Hopeless:
        name = "hopeless"

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            task = snapshot.focus.task
            if task.kind != "reach_lead":
                return scripted.propose(snapshot)
            if made:
                return "nonsense"
            made.append(task.id)
            return make("After it", {"type": "leads_scored"}, preconditions=(task.id,))

    assert stage.run(campaign, proposer=Hopeless()).halt is RunEnd.NEEDS_YOU
    stage.commands().questions.answer(campaign, question(stage), "leave it")
    assert task(stage, "After it")[0] == "blocked"
    ((asked,),) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "After it" in asked
    assert "was left" in asked
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    stage.commands().questions.answer(campaign, question(stage), "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED


# --- questions of the model ---


class Asking:
    """Says this in turn about the lead's task, and what is right about everything else."""

    name = "asking"

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.shown: list[str] = []
        self._scripted = ScriptedProposer()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self.shown.append(snapshot.to_json())
        task = snapshot.focus.task
        if task.kind != "reach_lead" or task.status != "in_progress" or not self.replies:
            return self._scripted.propose(snapshot)
        reply = self.replies.pop(0)
        return str(reply(snapshot)) if callable(reply) else str(reply)


ASK = say("request_user_input", {"question": "Which tone?", "kind": "text"})
STRIKES = "SELECT strikes, needs, status FROM tasks WHERE kind='reach_lead'"


def test_a_question_is_put_again_once_something_has_changed_and_the_newest_answer_counts(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    turns(stage, campaign, SELECT, ASK)
    stage.commands().questions.answer(campaign, question(stage), "ZEBRA")
    assert turns(stage, campaign, ASK)[0].verdict == "question_answered"
    turns(stage, campaign, CLAIM, ASK)
    stage.clock.advance(1)
    stage.commands().questions.answer(campaign, question(stage), "GIRAFFE")
    proposer = MockProposer([ScriptedProposer().propose])
    stage.loop(proposer).run_turn(campaign)
    assert proposer.seen[0].focus.answered == ("Which tone?", "GIRAFFE")


def test_the_users_answer_is_in_the_next_snapshot_as_data(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    asking = Asking(ASK)
    assert stage.run(campaign, proposer=asking).halt is RunEnd.NEEDS_YOU
    assert {str(json.loads(shown)["focus"]["answered"]) for shown in asking.shown} == {"None"}
    stage.commands().questions.answer(campaign, question(stage), "ZEBRA")
    before = len(asking.shown)
    assert stage.run(campaign, proposer=asking).halt is RunEnd.COMPLETED
    focus = json.loads(asking.shown[before])["focus"]
    answer = {"question": "Which tone?", "answer": "ZEBRA"}
    assert focus["answered"] == {"source": "the user's answer", "data": answer}
    del focus["answered"]
    assert "ZEBRA" not in json.dumps(focus), "nowhere but under data"


def test_a_question_forgives_no_strikes(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    assert stage.run(campaign, proposer=Asking("nonsense", "nonsense", ASK)).halt is RunEnd.NEEDS_YOU
    assert stage.query(STRIKES) == [(2, "input", "in_progress")]


def test_asking_again_and_again_does_not_forgive_strikes(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    asking = Asking(*["nonsense", ASK] * 6)
    for _ in range(6):
        assert stage.run(campaign, proposer=asking).halt is RunEnd.NEEDS_YOU
        if stage.query(STRIKES)[0][2] == "blocked":
            break
        stage.commands().questions.answer(campaign, question(stage), "ZEBRA")
    assert stage.query(STRIKES) == [(0, "think", "blocked")]
    assert len(asking.replies) == 8, "blocked with the third that led nowhere, the repeated question among them"

"""One turn: eight steps in order, all of them recorded, one transaction or two, and nothing decided by what is no longer so."""

import hashlib
import itertools
import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.commands.user_commands import Commands
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadScored
from backend.domain.events.facts.task import TaskStarted
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.lead import LeadStatus
from backend.domain.model.task import TaskStatus
from backend.domain.model.turn import STEPS, TurnState
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.store.queries.contact import messages
from backend.turn.loop import NothingEligible, TurnLoop, TurnReport
from backend.turn.turn_queue import TurnQueue
from backend.turn.turn_record import KEPT_REPLY
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import MESSAGE_ONLY, Noted, Stage, in_a_thread
from tests.fakes.folds import run_history
from tests.fakes.proposers import MockProposer, Reply
from tests.patience import PATIENCE
from tests.turn.test_turn_queue import arrived

EFFECTS = ("browser.send_invitation", "browser.send_message")


def turn(loop: TurnLoop, campaign_id: str) -> TurnReport:
    """A turn that took place."""
    ran = loop.run_turn(campaign_id)
    assert isinstance(ran, TurnReport)
    return ran


def up_to_a_send(stage: Stage, campaign_id: str) -> None:
    """Run until a message is approved and only its sending is owed."""
    runner = stage.runner(on_turn=lambda ran: runner.stop.set() if ran.proposal == "generate_message" else None)
    runner.run(campaign_id)
    stage.commands().campaigns.change_status(campaign_id, CampaignStatus.ACTIVE)


# --- the steps ---


@pytest.mark.parametrize(("reply", "verdict"), [(None, "accepted"), ("nonsense", "reply_not_json")])
def test_a_turn_runs_the_eight_steps_in_order_and_says_so_while_it_runs(
    stage: Stage, reply: str | None, verdict: str
) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    boundaries: list[str] = []
    heard: list[tuple[int, str]] = []
    proposer = MockProposer([reply or ScriptedProposer().propose])
    loop = stage.loop(proposer, boundary=boundaries.append, on_step=lambda _, *step: heard.append(step))
    ran = turn(loop, campaign)
    judged = "select_next_task: valid" if reply is None else f"reply: {verdict}"
    words = ("load state", "Score the leads", ran.raw, judged, verdict, "persist logs", "update state", "repeat")
    assert heard == list(enumerate(words, 1))
    assert len(heard) == len(STEPS)
    assert boundaries == [*(f"step-{n}" for n in range(1, 9)), "before-commit", "after-commit"]
    assert len(ran.steps) == 8


def test_each_step_of_each_turn_of_a_campaign_is_recorded_with_its_duration(stage: Stage) -> None:
    campaign = stage.campaign(3)
    stage.site.during = lambda _, when: stage.clock.advance(7) if when == "before" else None
    stage.run(campaign)
    recorded = (
        "SELECT number, task_id, lead_id, proposal, verdict FROM turn_projection WHERE campaign_id=? ORDER BY number"
    )
    assert stage.query(recorded, campaign) == [
        (ran.number, ran.task_id, ran.lead_id, ran.proposal, ran.verdict) for ran in stage.turns
    ]
    rows = stage.query("SELECT number, steps FROM turn_projection WHERE campaign_id=? ORDER BY number", campaign)
    assert [number for number, _ in rows] == list(range(1, len(rows) + 1))
    every = [json.loads(steps) for _, steps in rows]
    assert all(len(steps) == 8 for steps in every)
    looks = [steps for steps in every if sum(steps)]
    assert looks, "time passed during looks and sends"
    assert all(steps[4] == sum(steps) >= 7_000 for steps in looks), "and all of it in step 5"


def test_the_machine_moves_only_by_legal_events_and_its_history_leads_where_the_record_says(stage: Stage) -> None:
    campaign, judged = stage.campaign(2), itertools.count()

    def meanwhile(_: str, number: int, __: str) -> None:
        if number == 4 and next(judged) % 2 == 0:  # each proposal is judged again
            stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"goal": "changed meanwhile"}))

    with pytest.raises(OutriderError, match="proposer_unavailable"):
        stage.run(campaign, proposer=MockProposer([]))
    stage.run(campaign, on_step=meanwhile)
    unanswered, *turns = stage.query("SELECT history, faulted FROM turn_projection ORDER BY number")
    assert unanswered == ("WLF", 1)
    assert turns
    for history, faulted in turns:
        assert (history, faulted) == ("WLPAC", 0)
        assert run_history(TurnState.IDLE, history) is TurnState.IDLE


def test_the_record_of_a_step_that_is_not_there_cannot_be_made(stage: Stage) -> None:
    """A boundary that fails stops the turn there: no later step is heard, and the turn is on record as faulted."""
    for broken in range(1, 9):
        campaign = stage.campaign(1, skip=broken, name=f"broken {broken}")
        stage.activate(campaign)

        def boundary(name: str, broken: int = broken) -> None:
            if name == f"step-{broken}":
                raise LookupError(name)

        heard: list[int] = []
        loop = stage.loop(boundary=boundary, on_step=lambda _, number, __, heard=heard: heard.append(number))  # type: ignore[misc]
        with pytest.raises(OutriderError, match="unexpected_failure"):
            loop.run_turn(campaign)
        assert heard == list(range(1, broken + 1))
        assert stage.kinds(campaign)["TurnCompleted"] == 0
        steps = stage.one("SELECT steps FROM turn_projection WHERE campaign_id=? AND faulted=1", campaign)
        assert len(json.loads(steps)) == broken


# --- transactions ---


def test_a_turn_without_effect_is_one_transaction_and_one_with_an_effect_is_two(stage: Stage) -> None:
    campaign = stage.campaign(2)
    commits: list[tuple[bool, int]] = []
    stage.activate(campaign)
    loop = stage.loop()
    while isinstance(stage_turn := _counted(stage, loop, campaign), tuple):
        ran, n = stage_turn
        commits.append((ran.effect, n))
        drafts = stage.database.query(messages.drafts, campaign)
        stage.approve(campaign, drafts)
    assert {n for effect, n in commits if not effect} == {1}
    assert {n for effect, n in commits if effect} == {2}


def _counted(stage: Stage, loop: TurnLoop, campaign: str) -> tuple[TurnReport, int] | NothingEligible:
    before = stage.journal.commits
    ran = loop.run_turn(campaign)
    if isinstance(ran, NothingEligible):
        return ran
    commits = stage.journal.commits - before
    verify_waiting(stage.journal, stage.clock, campaign)
    return ran, commits


def test_a_turn_that_does_not_begin_writes_nothing(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, approve=False)
    stage.commands()
    before = stage.head(campaign), stage.journal.commits
    assert isinstance(stage.loop().run_turn(campaign), NothingEligible)
    assert (stage.head(campaign), stage.journal.commits) == before


MOMENTS_OF_A_SEND = ("before", "page", "click", "bytes", "after")


def test_the_intent_is_on_disk_before_the_act_and_the_outcome_after_it(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    seen: list[tuple[str, str, tuple[object, ...]]] = []

    def look(tool: str, when: str) -> None:
        if tool.startswith("send_"):
            row = stage.query(
                "SELECT a.status, m.status, p.status, r.state, r.turn_lock, e.current_action_id = a.id FROM actions a"
                " JOIN messages m ON m.id=a.message_id JOIN approvals p ON p.id=a.approval_id"
                " JOIN runtime_snapshot r ON r.campaign_id=a.campaign_id"
                " JOIN execution_state e ON e.campaign_id=a.campaign_id ORDER BY a.intended_at DESC, a.id DESC LIMIT 1"
            )[0]
            seen.append((tool, when, row))

    stage.site.during = look
    stage.run(campaign)
    intended = ("intended", "sending", "used", "ExecutingActions", 1, 1)
    assert seen == [("send_message", when, intended) for _ in range(2) for when in MOMENTS_OF_A_SEND]
    assert stage.query("SELECT DISTINCT a.status, m.status FROM actions a JOIN messages m ON m.id=a.message_id") == [
        ("sent", "sent")
    ]
    assert stage.one("SELECT count(*) FROM actions WHERE settled_at IS NULL OR settled_at < intended_at") == 0


def test_the_raw_reply_is_on_disk_with_the_intent_and_only_once(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    counts: list[int] = []

    def look(tool: str, when: str) -> None:
        if tool == "send_message" and when == "before":
            counts.append(sum("send_message" in raw for _, raw in stage.audits(campaign, "proposal")))

    stage.site.during = look
    stage.run(campaign)
    assert counts == [1]
    assert sum("send_message" in raw for _, raw in stage.audits(campaign, "proposal")) == 1
    assert len(stage.audits(campaign, "proposal")) == len(stage.turns)


# --- replies as received ---

ODD_REPLIES = {
    "empty": "",
    "blanks": " \n\t",
    "nul and control bytes": "\x00\x01\x1f\x7f{",
    "a lone surrogate": 'x\ud800y"\udfff',
    "surrogate in JSON": '{"type": "no_op", "task_id": "\ud800"}',
    "not text of any language": "\ufeff\u202e\u2066\U0001d54f\U0010ffff",
    "quotes and line ends": '"\\"\\\\\r\n\u2028\u2029',
    "300 kB": "ä" * 300_000,
}


@pytest.mark.parametrize("odd", ODD_REPLIES.values(), ids=ODD_REPLIES)
def test_the_reply_is_stored_exactly_as_received(stage: Stage, odd: str) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    ran = turn(stage.loop(MockProposer([odd])), campaign)
    assert ran.verdict in ("reply_missing", "reply_not_json", "reply_too_large")
    ((_, payload),) = stage.audits(campaign, "proposal")
    assert json.loads(payload)["raw"] == odd == ran.raw
    assert stage.one("SELECT verdict FROM turn_projection") == ran.verdict


def test_of_a_gigantic_reply_the_beginning_is_kept_with_length_and_digest_of_the_whole(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    giant = '{"type":"' + "ß" * (KEPT_REPLY + 5)
    turn(stage.loop(MockProposer([giant])), campaign)
    recorded = json.loads(stage.audits(campaign, "proposal")[0][1])
    assert giant.startswith(recorded["raw"])
    assert (len(recorded["raw"]), recorded["length"]) == (KEPT_REPLY, len(giant))
    assert recorded["sha256"] == hashlib.sha256(giant.encode()).hexdigest()


def test_a_rejected_reply_comes_back_with_its_reason_in_the_next_snapshot(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    proposer = MockProposer(["nonsense", "nonsense"])
    loop = stage.loop(proposer)
    assert len(turn(loop, campaign).steps) == 8
    turn(loop, campaign)
    last = proposer.seen[1].last
    assert last is not None
    assert (last.verdict, last.feedback) == ("reply_not_json", "The reply is not one JSON object.")


def test_a_rejected_proposal_is_blamed_on_the_task_it_names_if_that_was_begun_and_on_offer(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    scoring = stage.one("SELECT id FROM tasks")
    other = "01OTHER"
    made = {"description": "Look on", "kind": "custom", "status": "pending", "needs": "think", "created_at": 0}
    stage.note_elsewhere(campaign, Event("TaskCreated", other, made))
    stage.note_elsewhere(campaign, TaskStarted(scoring))

    def after(task_id: str) -> list[tuple[str, int]]:
        """The strikes after a proposal about that task which is rejected for what it means."""
        tool = {"tool": "browser.read_profile", "lead_id": "nobody"}
        reply = json.dumps({"type": "execute_tool", "task_id": task_id, "params": tool})
        turn(stage.loop(MockProposer([reply])), campaign)
        return stage.query("SELECT id, strikes FROM tasks WHERE strikes>0 ORDER BY id")

    assert after("01NONE") == [(scoring, 1)], "one that is not there"
    assert after(other) == [(scoring, 2)], "one that nobody has begun cannot be worked on in vain"
    stage.note_elsewhere(campaign, TaskStarted(other))
    assert sorted(after(other)) == sorted([(scoring, 2), (other, 1)])


# --- tool calls ---


def test_every_call_to_the_site_has_one_audit_entry_with_parameters_duration_and_outcome(stage: Stage) -> None:
    campaign = stage.campaign(5)
    also = iter(("browser.check_selectors", "browser.open_profile"))  # the script owes them to nobody

    def propose(snapshot: Snapshot) -> str:
        task, lead = snapshot.focus.task, snapshot.focus.lead
        if lead is None or task.status is not TaskStatus.IN_PROGRESS or (tool := next(also, None)) is None:
            return ScriptedProposer().propose(snapshot)
        params = {"tool": tool} if "selectors" in tool else {"tool": tool, "lead_id": lead.id}
        return json.dumps({"type": "execute_tool", "task_id": task.id, "params": params})

    stage.run(campaign, proposer=MockProposer([propose] * 500))
    assert next(also, "") == ""
    assert stage.status(campaign) == "completed"
    entries = [(kind, json.loads(payload)) for kind, payload in stage.audits(campaign, "browser.%")]
    assert [kind for kind, _ in entries] == ["browser.open", *(f"browser.{call}" for call in stage.site.calls)]
    assert all({"parameters", "us", "outcome"} <= set(payload) for _, payload in entries)
    nobody = ("browser.open", "browser.check_selectors")
    assert all(payload["parameters"].get("lead_id") for kind, payload in entries if kind not in nobody)


def test_what_was_kept_of_a_page_is_named_in_the_entry_of_the_look(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign)
    names = {name for (text,) in stage.query("SELECT evidence FROM messages") for name in _files(json.loads(text))}
    named = {
        name for _, payload in stage.audits(campaign, "browser.%") for name in json.loads(payload).get("evidence", ())
    }
    assert names <= named


def _files(evidence: list[dict[str, str]]) -> set[str]:
    return {seen["file"] for seen in evidence if seen.get("file")}


def test_a_call_that_failed_is_audited_too(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.arm("error_500", "profile")
    stage.run(campaign)
    outcomes = [json.loads(payload)["outcome"] for _, payload in stage.audits(campaign, "browser.read_profile")]
    assert len(outcomes) == stage.site.calls.count("read_profile")
    assert outcomes[0].startswith("unavailable")


def test_calls_and_reply_of_a_turn_that_a_pause_superseded_are_still_on_record(stage: Stage) -> None:
    """Logs are never skipped (FR-005f), not even when the user stops everything while the page is being read."""
    campaign = stage.campaign(2)

    def pause(tool: str, when: str) -> None:
        if (tool, when) == ("read_profile", "after"):
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))

    stage.site.during = pause
    stage.run(campaign)
    assert stage.site.calls[-1] == "read_profile"
    assert len(stage.audits(campaign, "browser.read_profile")) == 1
    assert "read_profile" in stage.audits(campaign, "proposal")[-1][1]


def test_half_an_emoji_on_a_page_breaks_nothing(stage: Stage) -> None:
    """Pages cut texts in the middle of a character; a browser hands on what no file can hold."""
    campaign = stage.campaign(1)
    read = stage.site.read_profile
    stage.site.read_profile = lambda person: replace(read(person), headline="Head of Fun \ud83d")  # type: ignore[method-assign]
    stage.run(campaign)
    assert stage.status(campaign) == "completed"


# --- fresh state ---


def test_a_change_made_by_another_process_between_turns_is_seen_by_the_next(stage: Stage) -> None:
    campaign = stage.campaign(3)
    stage.activate(campaign)
    proposer = Noted(ScriptedProposer())
    loop = stage.loop(proposer)
    turn(loop, campaign)
    lead = stage.one("SELECT id FROM leads")
    made = {"description": "Look on", "kind": "custom", "status": "pending", "needs": "think", "created_at": 0}
    stage.note_elsewhere(
        campaign,
        Event("CampaignEdited", campaign, {"goal": "Something else entirely."}),
        Event("TaskCreated", "01OTHER", made),
        LeadAdvanced(lead, status=LeadStatus.CONTACTED),
        LeadScored(lead, weight_score=97),
    )
    soul = {"text": "Be brief.", "version": 1, "who": "user", "restores": None, "created_at": 0}
    stage.note_elsewhere("workspace", Event("SoulChanged", "01SOUL", soul))
    turn(loop, campaign)
    before, after = (json.loads(shown) for shown in proposer.shown)
    assert "Something else entirely." not in proposer.shown[0]
    assert after["campaign"]["goal"] == "Something else entirely."
    assert "01OTHER" in {task["id"] for task in after["tasks"]} - {task["id"] for task in before["tasks"]}
    assert (before["task_counts"], after["task_counts"]) == ({"pending": 1}, {"in_progress": 1, "pending": 1})
    assert (before["lead_counts"], after["lead_counts"]) == ({"pending": 3}, {"pending": 2, "contacted": 1})
    assert [entry["action"] for entry in before["recent_audit"]] != [entry["action"] for entry in after["recent_audit"]]
    assert 97 in {lead["score"] for lead in after["top_leads"]} - {lead["score"] for lead in before["top_leads"]}
    assert ['"soul":"Be brief."' in shown for shown in proposer.shown] == [False, True]


def test_the_same_state_gives_the_same_snapshot_to_the_byte(stage: Stage) -> None:
    campaign = stage.campaign(3)
    stage.activate(campaign)
    shown: list[str] = []

    class Refusing:
        name = "refusing"

        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            shown.append(snapshot.to_json())
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            stage.loop(Refusing()).run_turn(campaign)
    assert len(set(shown)) == 1
    turn(stage.loop(MockProposer(["nonsense"])), campaign)
    with pytest.raises(KeyboardInterrupt):
        stage.loop(Refusing()).run_turn(campaign)
    first, later = json.loads(shown[0]), json.loads(shown[-1])
    assert {name for name in first if first[name] != later[name]} == {"last", "recent_audit"}, "all else is said again"


# --- the turn lock ---


def test_a_second_turn_waits_while_one_is_in_flight_and_one_within_it_is_refused(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    asked, answer = threading.Event(), threading.Event()

    def wait(snapshot: Snapshot) -> None:
        asked.set()
        assert answer.wait(PATIENCE)

    within: list[str] = []

    def again(_: str, number: int, __: str) -> None:
        if number == 1:
            with pytest.raises(OutriderError) as refused:
                loop.run_turn(campaign)
            within.append(refused.value.code)

    loop = stage.loop(Noted(ScriptedProposer(), wait), on_step=again)
    threads = [threading.Thread(target=loop.run_turn, args=(campaign,)) for _ in range(2)]
    threads[0].start()
    assert asked.wait(PATIENCE)
    threads[1].start()
    arrived(loop.turn_queue, 2)
    assert within == ["turn_in_flight"], "the second has not begun"
    answer.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert stage.one("SELECT count(*) FROM turn_projection") == 2
    turn_after = loop.run_turn  # the lock is free again, also after a turn that failed
    with pytest.raises(OutriderError):
        turn_after("no-such-campaign")
    assert isinstance(turn_after(campaign), NothingEligible | TurnReport)


def test_of_two_loops_on_one_database_only_one_gets_to_send(stage: Stage) -> None:
    """Two processes on the same data: the second one's intent is refused by what the first wrote."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    here = stage.loop()
    stage.turn_queue = TurnQueue()  # the other process has its own
    other = stage.loop()
    raised: list[BaseException | None] = []

    def intrude(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "after") and not raised:
            raised.append(None)
            raised[0] = in_a_thread(lambda: other.run_turn(campaign))

    stage.site.during = intrude
    here.run_turn(campaign)
    assert len(stage.delivered()) == 1
    assert stage.one("SELECT count(*) FROM actions") == 1


# --- judged on what is no longer so ---


def judged_again(
    stage: Stage, campaign: str, reply: Reply, decide: Callable[[Commands], object]
) -> TurnReport | OutriderError:
    """A turn during which the user decides something elsewhere after the model was asked."""

    def late(snapshot: Snapshot) -> str:
        raw = reply if isinstance(reply, str) else reply(snapshot)
        stage.elsewhere(decide)
        return raw

    try:
        return turn(stage.loop(MockProposer([late])), campaign)
    except OutriderError as error:
        return error


def test_a_reply_is_told_with_the_number_of_its_turn(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    replies: list[tuple[int, bool]] = []
    report = stage.loop(on_text=lambda _, turn, text, whole: replies.append((turn, whole))).run_turn(campaign)
    assert isinstance(report, TurnReport)
    assert replies == [(report.number, False), (report.number, True)]


def test_a_proposal_judged_on_stale_state_is_judged_again_and_the_model_is_not_asked_twice(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    steps: list[int] = []
    asked = itertools.count()

    def decide(_: str, number: int, __: str) -> None:
        steps.append(number)
        if number == 4 and not next(asked):
            stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"goal": "changed meanwhile"}))

    loop = stage.loop(proposer := MockProposer([ScriptedProposer().propose]), on_step=decide)
    ran = turn(loop, campaign)
    assert ran.verdict == "accepted"
    assert steps == [1, 2, 3, 4, 5, 4, 5, 6, 7, 8]
    assert len(ran.steps) == 8
    assert len(proposer.seen) == 1
    assert stage.kinds(campaign)["TaskStarted"] == 1


def test_a_pause_between_judgement_and_intent_means_that_nothing_is_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)

    def pause(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "after"):
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))

    stage.site.during = pause
    with pytest.raises(OutriderError) as ended:
        stage.loop().run_turn(campaign)
    assert ended.value.code == "campaign_not_active"
    assert stage.delivered() == []
    assert stage.one("SELECT count(*) FROM actions") == 0
    assert stage.one("SELECT status FROM messages") == "approved"


def test_an_approval_taken_back_right_before_the_intent_means_that_nothing_is_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    approval = stage.one("SELECT id FROM approvals")
    done = itertools.count()

    def revoke(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "after") and not next(done):
            stage.note_elsewhere(campaign, Event("ApprovalRevoked", approval, {"status": "revoked"}))

    stage.site.during = revoke
    ran = turn(stage.loop(), campaign)
    assert ran.verdict == "gate:approved"
    assert stage.delivered() == []
    assert stage.one("SELECT status FROM messages") == "draft", "back to Review"
    assert stage.one("SELECT count(*) FROM actions") == 0


def test_do_not_contact_right_before_the_intent_means_that_nothing_is_sent(stage: Stage) -> None:
    """The list is of the workspace, not of the campaign: its stream must be looked at too."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    key = stage.one("SELECT member_key FROM leads")
    done = itertools.count()

    def forbid(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "after") and not next(done):
            stage.elsewhere(lambda user: user.workspace.add_do_not_contact(key, "", "asked us to stop"))

    stage.site.during = forbid
    stage.loop().run_turn(campaign)
    assert stage.delivered() == []
    assert stage.one("SELECT count(*) FROM actions") == 0


def test_an_incident_of_the_account_right_before_the_intent_means_that_nothing_is_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    other = stage.campaign(1, skip=5, name="the account's other campaign")
    up_to_a_send(stage, campaign)
    done = itertools.count()
    opened = {"account": "practice", "kind": "unusual_activity", "said": "seen", "status": "open", "opened_at": 1}

    def happen(tool: str, when: str) -> None:
        if (tool, when) == ("read_thread", "after") and not next(done):
            stage.note_elsewhere(other, Event("IncidentOpened", "01INCIDENT", opened))

    stage.site.during = happen
    stage.loop().run_turn(campaign)
    assert stage.delivered() == []
    assert stage.one("SELECT count(*) FROM actions") == 0


def test_an_incident_of_the_account_while_the_model_thinks_means_that_no_page_is_read(stage: Stage) -> None:
    campaign = stage.campaign(1)
    other = stage.campaign(1, skip=5, name="the account's other campaign")
    runner = stage.runner(on_turn=lambda ran: runner.stop.set() if ran.lead_id else None)
    runner.run(campaign)
    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    opened = {"account": "practice", "kind": "unusual_activity", "said": "seen", "status": "open", "opened_at": 1}
    calls = list(stage.site.calls)

    def meet(_: Snapshot) -> None:
        stage.note_elsewhere(other, Event("IncidentOpened", "01INCIDENT", opened))

    ran = turn(stage.loop(Noted(ScriptedProposer(), meet)), campaign)
    assert (ran.proposal, ran.verdict) == ("execute_tool", "gate:no_incident")
    assert stage.site.calls == calls


def test_a_draft_rejected_while_the_model_thought_of_sending_it_is_not_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    message = stage.one("SELECT id FROM messages")

    def decide(user: Commands) -> None:
        # Taken back to Review, then discarded: two decisions of the user, one turn of the model.
        user.journal.record(
            campaign,
            events=[Event("MessageWithdrawn", message, {"status": "draft"})],
            actor="user",
            cause="take back",
            at=stage.clock.now(),
        )
        user.review.reject(campaign, message)

    ran = judged_again(stage, campaign, ScriptedProposer().propose, decide)
    assert isinstance(ran, TurnReport)
    assert ran.verdict == "out_of_sequence"
    assert stage.delivered() == []
    assert stage.one("SELECT status FROM messages") == "cancelled"
    assert stage.one("SELECT sum(strikes) FROM tasks") == 0, "the proposal was right when it was made"


def test_a_stop_while_the_model_thinks_of_sending_means_that_nothing_is_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    asked: list[Snapshot] = []
    loop = stage.loop(Noted(ScriptedProposer(), asked.append), stopped=lambda: bool(asked))
    ran = turn(loop, campaign)
    assert (ran.proposal, ran.verdict) == ("execute_tool", "gate:user_present")
    assert stage.received() == []


def test_a_pause_while_the_model_is_thinking_ends_the_turn_without_executing_it(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    before = stage.kinds(campaign)
    ended = judged_again(
        stage,
        campaign,
        ScriptedProposer().propose,
        lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED),
    )
    assert isinstance(ended, OutriderError)
    assert ended.code == "campaign_not_active"
    assert stage.kinds(campaign) - before == {"CampaignPaused": 1}


def test_what_happened_in_the_world_is_recorded_whatever_was_decided_meanwhile(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)

    def pause(tool: str, when: str) -> None:
        if (tool, when) == ("send_message", "after"):
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))

    stage.site.during = pause
    ran = turn(stage.loop(), campaign)
    assert (ran.effect, ran.verdict) == (True, "accepted")
    assert stage.one("SELECT status FROM messages") == "sent"
    assert stage.status(campaign) == "paused"


# --- failing turns ---


def test_a_model_without_an_answer_faults_the_turn_and_leaves_it_on_record(stage: Stage) -> None:
    campaign = stage.campaign()
    with pytest.raises(OutriderError) as error:
        stage.run(campaign, proposer=MockProposer([]))
    assert error.value.code == "proposer_unavailable"
    assert stage.query("SELECT number, history, faulted, verdict FROM turn_projection") == [
        (1, "WLF", 1, "proposer_unavailable")
    ]
    assert stage.one("SELECT state FROM runtime_snapshot") == "Faulted"
    assert json.loads(stage.audits(campaign, "turn_failed")[0][1])["code"] == "proposer_unavailable"
    assert stage.status(campaign) == "active"
    stage.run(campaign)
    assert stage.status(campaign) == "completed", "the next run resets the fault and goes on"


def test_the_turn_after_a_fault_is_refused_before_the_fault_is_reset(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)
    loop = stage.loop(MockProposer([]))
    with pytest.raises(OutriderError, match="proposer_unavailable"):
        loop.run_turn(campaign)
    with pytest.raises(OutriderError) as error:
        loop.run_turn(campaign)
    assert error.value.code == "invariant_broken"
    assert stage.status(campaign) == "error"


def test_an_illegal_transition_stops_the_campaign_with_an_error_that_is_on_record(stage: Stage) -> None:
    campaign = stage.campaign()

    def corrupt(_: TurnReport) -> None:
        stage.note_elsewhere(campaign, Event("RuntimeChanged", campaign, {"state": "Persisting"}))

    with pytest.raises(OutriderError) as error:
        stage.run(campaign, on_turn=corrupt)
    assert error.value.code == "invariant_broken"
    assert stage.status(campaign) == "error"
    assert (
        stage.one("SELECT status_reason FROM campaigns")
        == "A step failed inside Outrider: WAKE_REQUESTED is not possible in Persisting."
    )
    (failed,) = stage.audits(campaign, "turn_failed")
    assert json.loads(failed[1])["code"] == "invariant_broken"
    with pytest.raises(OutriderError) as again:
        stage.run(campaign)
    assert again.value.code == "campaign_not_active"
    stage.commands().campaigns.change_status(campaign, CampaignStatus.PAUSED, "looked at it, it was a test")
    stage.run(campaign)
    assert stage.status(campaign) == "completed"


def test_a_turn_whose_transaction_fails_leaves_nothing_half_done(stage: Stage) -> None:
    campaign = stage.campaign(3)
    stage.activate(campaign)
    before = stage.dump(skip=())
    loop = stage.loop(boundary=_full)
    with pytest.raises(OutriderError, match="database_failed"):
        loop.run_turn(campaign)
    assert stage.dump(skip=()) == before


def _full(name: str) -> None:
    if name == "before-commit":
        raise sqlite3.OperationalError("database or disk is full")


def test_one_turn_takes_exactly_one_proposal_even_if_the_reply_holds_two(stage: Stage) -> None:
    campaign = stage.campaign()
    stage.activate(campaign)

    def two(snapshot: Snapshot) -> str:
        proposal = ScriptedProposer().propose(snapshot)
        return f"{proposal}\n{proposal}"

    assert turn(stage.loop(MockProposer([two])), campaign).verdict == "reply_not_json"
    assert (
        turn(stage.loop(MockProposer([lambda s: f"[{ScriptedProposer().propose(s)}]"])), campaign).verdict
        == "reply_not_json"
    )
    assert stage.kinds(campaign)["TaskStarted"] == 0


def test_there_is_never_a_second_act_in_one_turn(stage: Stage) -> None:
    campaign = stage.campaign(8)
    acts: list[int] = []

    def count(ran: TurnReport) -> None:
        sends = sum(call.startswith("send_") for call in stage.site.calls)
        acts.append(sends)

    stage.run(campaign, on_turn=count)
    assert all(after - before <= 1 for before, after in itertools.pairwise([0, *acts]))
    assert stage.one("SELECT max(n) FROM (SELECT count(*) AS n FROM actions GROUP BY campaign_id, turn)") == 1


@pytest.mark.parametrize("tool", ["open_profile", "check_selectors"])
def test_the_tool_that_is_proposed_is_the_one_that_runs(stage: Stage, tool: str) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    up_to_a_send(stage, campaign)
    stage.outside.execute("UPDATE tasks SET needs='look'")
    lead = {} if tool == "check_selectors" else {"lead_id": stage.one("SELECT id FROM leads")}

    def look(snapshot: Snapshot) -> str:
        params = {"tool": f"browser.{tool}", **lead}
        return json.dumps({"type": "execute_tool", "task_id": snapshot.focus.task.id, "params": params})

    calls = len(stage.site.calls)
    turn(stage.loop(MockProposer([look])), campaign)
    assert stage.site.calls[calls:] == [tool]

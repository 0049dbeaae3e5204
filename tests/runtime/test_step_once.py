"""One step: exactly one turn, whole whatever it does outside, and then the campaign is paused."""

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.events.facts.lead import LeadFinished
from backend.domain.events.facts.task import InputRequested, TaskBlocked, TaskClaimed, TaskStarted
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.campaign_runner import RunEnd, RunResult
from backend.turn.presence import Presence
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Noted, Stage


def step(stage: Stage, campaign: str, *, approve: bool = True) -> RunResult:
    runner = stage.runner(approve=approve, once=True)
    return runner.run(campaign)


def actors(stage: Stage, *kinds: str) -> set[str]:
    """Who is written beside these events."""
    return {actor for kind, actor in stage.query("SELECT kind, actor FROM event_log") if kind in kinds}


def test_a_step_is_exactly_one_turn_and_holds_the_campaign(stage: Stage) -> None:
    campaign = stage.campaign(2)
    for turn in range(1, 6):
        assert step(stage, campaign).halt is RunEnd.STEPPED
        assert stage.one("SELECT max(number) FROM turn_projection") == turn
        assert stage.query("SELECT status, status_reason FROM campaigns") == [("active", "one step was made")]
        assert stage.one("SELECT loop_enabled FROM runtime_snapshot") == 0
    assert actors(stage, "CampaignHeld") == {"controller"}
    assert actors(stage, "CampaignPaused") == set(), "only the user pauses"
    assert actors(stage, "CampaignActivated", "CampaignContinued") == {"user"}


def test_steps_lead_to_the_same_end_as_a_run(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    for _ in range(60):
        if step(stage, campaign).halt is RunEnd.COMPLETED:
            break
    assert stage.status(campaign) == "completed"
    assert (len(stage.delivered()), stage.duplicates(), stage.missing()) == (2, 0, [])


def test_a_step_with_an_outside_effect_is_finished_whole(stage: Stage) -> None:
    """Stop is pressed in the middle of the send: the look after it, the outcome and the log still belong to the step."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    runner = stage.runner(once=True)

    def stop(tool: str, when: str) -> None:
        if (tool, when) == ("send_message", "before"):
            runner.stop.set()

    stage.site.during = stop
    while "send_message" not in stage.site.calls:
        runner.stop.clear()
        assert runner.run(campaign).halt is RunEnd.STEPPED
    assert stage.site.calls[-2:] == ["send_message", "read_thread"]
    assert stage.query("SELECT status FROM actions") == [("sent",)]
    assert stage.status(campaign) == "active"
    assert len(stage.delivered()) == 1


@pytest.mark.parametrize("jumps", [True, False])
def test_a_step_says_that_texts_wait_for_approval(stage: Stage, jumps: bool) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    stage.clock.skips_waiting = jumps
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    turns = stage.one("SELECT count(*) FROM turn_projection")
    assert step(stage, campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.one("SELECT count(*) FROM turn_projection") == turns
    assert stage.query("SELECT status, status_reason FROM campaigns") == [
        ("active", "there was nothing to do in a step")
    ]


def test_a_step_says_what_it_needs_the_user_for(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    step(stage, campaign)
    step(stage, campaign)
    task, named = stage.query("SELECT id, description FROM tasks WHERE kind='reach_lead'")[0]
    asked = InputRequested("q", kind="unblock", question="?", task_id=task, choices=[], payload={}, created_at=1)
    blocked = TaskBlocked(task, reason="its page is gone")
    stage.journal.record(campaign, events=[blocked, asked], actor="controller", cause="t", at=stage.clock.now())
    assert step(stage, campaign) == RunResult(RunEnd.NEEDS_YOU, (f"“{named}” is blocked: its page is gone",))


def test_what_is_claimed_while_it_rests_is_verified_before_it_ends(stage: Stage) -> None:
    """Such as by a user who takes the last step out of the sequence."""
    campaign = stage.campaign(1, settings=ONE_STEP)
    step(stage, campaign)
    step(stage, campaign)
    lead, task = stage.query("SELECT lead_id, id FROM tasks WHERE kind='reach_lead'")[0]
    events = [LeadFinished(lead, finished="skipped"), TaskStarted(task), TaskClaimed(task)]
    stage.journal.record(campaign, events=events, actor="user", cause="sequences.change", at=stage.clock.now())
    assert step(stage, campaign).halt is RunEnd.COMPLETED


def test_a_step_says_until_when_there_is_nothing_to_do_and_does_not_wait_for_it(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.clock.skips_waiting = False
    ended = RunResult(RunEnd.STEPPED)
    for _ in range(40):
        ended = step(stage, campaign)
        if ended.halt is not RunEnd.STEPPED:
            break
    assert ended.halt is RunEnd.NOT_YET, "invited, and it is too early to look whether they accepted"
    assert ended.until is not None
    assert ended.until > stage.clock.now()
    assert stage.clock.sleeps == []


def test_a_step_of_a_rehearsal_jumps_over_the_waiting(stage: Stage) -> None:
    campaign = stage.campaign(1)
    while not stage.clock.sleeps:
        assert step(stage, campaign).halt is RunEnd.STEPPED
    assert stage.one("SELECT count(*) FROM turn_projection") > 0


def test_no_step_while_nobody_is_here(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.presence = Presence()
    assert step(stage, campaign).halt is RunEnd.HELD
    assert stage.turns == []


def test_stopped_while_the_model_replies_nothing_is_done_and_continuing_goes_on_with_that_lead(stage: Stage) -> None:
    campaign = stage.campaign(3)
    runner = stage.runner(approve=False)
    asked: list[str | None] = []

    def stop(snapshot: Snapshot) -> None:
        asked.append(snapshot.focus.task.id)
        if len(set(asked)) == 4 and snapshot.focus.task.status == "in_progress":  # the scoring and three leads
            runner.stop.set()

    runner.loop.proposer = Noted(ScriptedProposer(), stop)
    assert runner.run(campaign).halt is RunEnd.STOPPED
    looked = len(stage.site.calls)
    assert stage.query("SELECT verdict FROM turn_projection ORDER BY number DESC LIMIT 1") == [("gate:user_present",)]
    first: list[str] = []
    again = Noted(ScriptedProposer(), lambda snapshot: first.append(snapshot.focus.task.id))
    assert stage.run(campaign, proposer=again, approve=False, stop_after=1).halt is RunEnd.STOPPED
    assert first == asked[-1:]
    assert stage.site.calls[looked:] == ["check_selectors", "read_profile"]


# --- the reply while it is generated ---


class Slow:
    """Says the right reply in pieces, and notes how far it was when it was heard."""

    name = "slow"

    def __init__(self, *, falls_silent: bool = False) -> None:
        self.falls_silent = falls_silent
        self.finished = 0

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        reply = ScriptedProposer().propose(snapshot)
        for start in range(0, len(reply), 5):
            on_text(reply[start : start + 5])
            if self.falls_silent:
                raise OutriderError("proposer_unavailable", why="it fell silent")
        self.finished += 1
        return reply


def test_the_reply_is_heard_in_pieces_before_it_is_complete_and_then_whole_as_received(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.activate(campaign)
    slow = Slow()
    heard: list[tuple[str, int, str, bool, int]] = []
    loop = stage.loop(
        slow,
        on_text=lambda campaign_id, turn, text, whole: heard.append((campaign_id, turn, text, whole, slow.finished)),
    )
    report = loop.run_turn(campaign)
    pieces, (last,) = heard[:-1], heard[-1:]
    assert len(pieces) > 5
    assert {(where, turn, whole, finished) for where, turn, _, whole, finished in pieces} == {(campaign, 1, False, 0)}
    assert "".join(text for _, _, text, _, _ in pieces) == report.raw  # type: ignore[union-attr]
    assert last == (campaign, 1, report.raw, True, 1)  # type: ignore[union-attr]


def test_what_was_said_before_the_model_fell_silent_is_kept_and_is_no_reply(stage: Stage) -> None:
    campaign = stage.campaign(1)
    with pytest.raises(OutriderError, match="fell silent"):
        stage.run(campaign, proposer=Slow(falls_silent=True))
    ((_, payload),) = stage.audits(campaign, "turn_failed")
    assert '"reply":"{\\"typ"' in payload
    assert stage.audits(campaign, "proposal") == []


def test_whoever_decided_an_event_is_its_actor_and_a_model_decides_none(stage: Stage) -> None:
    campaign = stage.campaign(2)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    by_actor: dict[str, set[str]] = {}
    for kind, actor in stage.query("SELECT kind, actor FROM event_log"):
        by_actor.setdefault(actor, set()).add(kind)
    assert set(by_actor) <= {"user", "auto_approve", "controller", "verifier", "recovery", "test"}
    of_the_user = {"CampaignCreated", "TaskCreated", "ImportStarted", "LeadImported", "CampaignActivated", "ConfigSet"}
    assert by_actor["user"] <= of_the_user | {"CommitmentMade", "ArtifactPersisted"}, (
        "what makes a campaign, and its start"
    )
    assert {"CampaignCompleted", "ActionIntended", "MessageSent"} <= by_actor["controller"]


def test_a_stop_is_the_users_and_an_end_of_outrider_is_not(stage: Stage) -> None:
    campaign = stage.campaign(2)
    assert stage.run(campaign, stop_after=2).halt is RunEnd.STOPPED
    assert stage.query("SELECT status, status_reason FROM campaigns") == [("paused", "stopped by you")]
    assert actors(stage, "CampaignPaused") == {"user"}
    assert stage.run(campaign, stop_after=4, stopped_by_user=lambda: False).halt is RunEnd.STOPPED
    assert stage.query("SELECT status, status_reason FROM campaigns") == [("active", "Outrider was closed")]
    assert actors(stage, "CampaignPaused") == {"user"}

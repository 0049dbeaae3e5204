"""Runs begin, rest and end as the rules say: stop, pause, presence, planning ahead, the backlog of drafts, completion."""

import json
import sqlite3
from collections import Counter

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.commands.lead_import import import_leads
from backend.commands.servitors import ServitorCommands
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, HOUR, CampaignStatus, Limits, Settings
from backend.domain.people.lead_row import LeadRow
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Wake
from backend.ports.site import SiteUnavailable
from backend.ports.sync_status import LocalOnly
from backend.runtime.run import campaign_runner as running
from backend.runtime.run.campaign_runner import CampaignRunner, RunEnd, RunResult
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.queries.contact import messages as message_queries
from backend.turn.loop import NothingEligible, TurnReport
from backend.turn.presence import Presence
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, QUICK, Killed, Noted, Stage, in_a_thread
from tests.fakes.ids import SeededIds
from tests.fakes.proposers import MockProposer
from tests.fakes.stages import Stages


class OutOfStep(LocalOnly):
    """A shared store that is behind until the test says otherwise."""

    in_step = False

    def describe(self) -> str:
        return super().describe() if self.in_step else "being brought into step"


# --- the browser ---


def test_opening_every_look_and_closing_of_the_browser_have_their_audit_entry(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    runner = stage.runner()
    try:
        runner.run(campaign)
    finally:
        runner.close_site(campaign)
    entries = [kind for kind, _ in stage.audits(campaign) if kind.startswith("browser.")]
    assert (entries[0], entries[-1]) == ("browser.open", "browser.close")
    assert Counter(entries)["browser.open"] == Counter(entries)["browser.close"] == 1
    assert len(entries) - 2 == len(stage.site.calls), "and every call between has one"


def test_a_browser_that_was_never_opened_is_not_closed_on_record(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.presence = Presence(attended=False)
    runner = stage.runner()
    assert runner.run(campaign).halt is RunEnd.HELD
    runner.close_site(campaign)
    assert stage.audits(campaign, "browser.%") == []


def test_a_browser_in_which_nobody_could_sign_in_is_closed_on_record(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened_in_vain() -> None:
        raise SiteUnavailable("nobody signed in")

    campaign = stage.campaign(1)
    monkeypatch.setattr(stage.site, "open", opened_in_vain)
    runner = stage.runner()
    with pytest.raises(OutriderError, match="site_unreachable"):
        runner.run(campaign)
    runner.close_site(campaign)
    assert [kind for kind, _ in stage.audits(campaign, "browser.%")] == ["browser.open", "browser.close"]


# --- stop and pause ---


def test_stop_lets_the_current_action_finish_and_then_halts(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    runner = stage.runner()

    def stop(tool: str, when: str) -> None:
        if (tool, when) == ("send_message", "before"):
            runner.stop.set()

    stage.site.during = stop
    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert stage.site.calls[-2:] == ["send_message", "read_thread"], "sent and seen, and nothing after it"
    assert stage.query("SELECT status FROM actions") == [("sent",)]
    assert stage.status(campaign) == "paused"
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(stage.delivered()), stage.duplicates()) == (2, 0)


def test_after_a_stop_the_campaign_continues_with_the_next_action_and_repeats_none(stages: Stages) -> None:
    whole = stages()
    whole.run(whole.campaign(3))
    stage = stages()
    campaign = stage.campaign(3)
    stage.run(campaign, stop_after=9)
    lead = stage.query("SELECT current_lead_id FROM execution_state")
    stage.reopen()
    assert stage.query("SELECT current_lead_id FROM execution_state") == lead
    stage.run(campaign)
    assert stage.turns[0].lead_id == lead[0][0]
    assert [entry.text for entry in stage.delivered()] == [entry.text for entry in whole.delivered()]
    assert stage.one("SELECT count(*) FROM turn_projection") == len(whole.turns)


def test_a_pause_from_another_process_ends_the_run_after_the_current_turn(stage: Stage) -> None:
    campaign = stage.campaign(3)

    def pause(turn: TurnReport) -> None:
        if turn.number == 5:
            stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED, "lunch"))

    assert stage.run(campaign, on_turn=pause).halt is RunEnd.STOPPED
    assert len(stage.turns) == 5
    assert stage.query("SELECT status, status_reason FROM campaigns") == [("paused", "lunch")]
    assert stage.run(campaign).halt is RunEnd.COMPLETED


@pytest.mark.parametrize("moment", ["before", "on_checked", "on_turn"])
def test_a_campaign_that_is_deleted_from_elsewhere_ends_the_run_and_says_so(stage: Stage, moment: str) -> None:
    campaign = stage.campaign(2)

    def delete(*_: object) -> None:
        stage.note_elsewhere(campaign, Event("CampaignDeleted", campaign, {"deleted_at": 1}))

    if moment == "before":
        delete()
    ended = stage.run(campaign, **{} if moment == "before" else {moment: delete})
    assert (ended.halt, ended.reasons) == (RunEnd.STOPPED, ("The campaign was deleted.",))


def test_a_pause_at_the_last_moment_is_no_defect(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is done and about to be completed when the user pauses: the pause wins and nothing breaks."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    complete = CampaignRunner._complete

    def paused_right_before(runner: CampaignRunner, campaign_id: str) -> RunResult | None:
        stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED))
        return complete(runner, campaign_id)

    monkeypatch.setattr(CampaignRunner, "_complete", paused_right_before)
    runner = stage.runner()
    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert stage.one("SELECT count(*) FROM tasks WHERE status<>'done'") == 0
    assert stage.status(campaign) == "paused"


# --- sleeping ---


def test_a_sleep_is_not_ended_by_the_runs_own_writing(stage: Stage) -> None:
    """With a real clock that would be a loop that never rests and writes to the disk all the while."""
    campaign = stage.campaign(2)
    woken: list[bool] = []
    sleep = stage.clock.sleep_until

    def noted(at: int, wake: Wake) -> None:
        woken.append(wake.is_set())
        sleep(at, wake)

    stage.clock.sleep_until = noted  # type: ignore[method-assign]
    stage.run(campaign)
    assert woken
    assert not any(woken)


def test_a_rehearsal_skips_no_days_while_replies_are_to_be_read(stage: Stage) -> None:
    campaign = stage.campaign(2)
    new, at, reported = [0], [], []

    def read(_: str) -> int:
        at.append(stage.clock.now())
        return new[0]

    def look(nothing_eligible: NothingEligible) -> None:
        reported.append(nothing_eligible.new_replies)
        new[0] = 3 if len(reported) == 2 else new[0]

    runner = stage.runner(stay=True, new_replies=read, on_sleep=look)
    stood: list[int] = []

    def wait_for_user(seconds: float, wake: Wake) -> None:
        stood.append(stage.clock.now())
        if len(stood) == 5:
            new[0] = 0  # they are read, and the user says so
        if len(stood) > 5:
            runner.stop.set()

    stage.clock.wait_for_user = wait_for_user  # type: ignore[method-assign]
    runner.run(campaign)
    assert reported[:8] == [0, 0, 3, 3, 3, 3, 3, 0]
    assert len(set(stood[:5])) == 1, "however often it looks, its clock stands"
    assert at[7] == stood[0], "and goes on from there"


def test_a_decision_of_the_user_ends_a_sleep(stage: Stage) -> None:
    """In one thread: all that happens while the runner waits happens in its clock's wait."""
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, approve=False, stop_after=4)
    runner = stage.runner(approve=False, stay=True)
    woken: list[bool] = []

    def approve() -> None:
        user = stage.commands()
        for (message,) in stage.query("SELECT id FROM messages WHERE status='draft'"):
            user.review.approve(campaign, message, shown_digest=user.review.digest(campaign, message))

    def meanwhile() -> None:
        assert in_a_thread(approve) is None
        woken.append(runner.wake.is_set())

    stage.clock.on_wait = meanwhile
    assert runner.run(campaign).halt is RunEnd.COMPLETED
    assert woken == [True]
    assert len(stage.delivered()) == 2


def test_a_run_waits_for_both_stores_to_come_into_step_by_its_clock(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.sync_status = status = OutOfStep()

    def meanwhile() -> None:
        status.in_step = len(stage.clock.waits) == 3

    stage.clock.on_wait = meanwhile
    stage.run(campaign)
    assert stage.clock.waits[:3] == [1.0, 1.0, 1.0]
    assert stage.status(campaign) == "completed"


def test_the_machine_sleeps_while_it_waits_and_wakes_to_work(stage: Stage) -> None:
    campaign = stage.campaign(2)
    states: list[str] = []
    sleep = stage.clock.sleep_until

    def noted(at: int, wake: Wake) -> None:
        states.append(stage.one("SELECT state FROM runtime_snapshot"))
        sleep(at, wake)

    stage.clock.sleep_until = noted  # type: ignore[method-assign]
    stage.run(campaign)
    assert set(states) == {"Sleeping"}
    assert stage.one("SELECT state FROM runtime_snapshot") in ("Idle", "Sleeping")


# --- presence ---


def test_when_presence_ends_nothing_is_looked_at_or_sent_and_when_it_returns_it_goes_on(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True)
    left: list[int] = []

    def leave(turn: TurnReport) -> None:
        if turn.number == 6:
            stage.presence.attended = False
            left.append(len(stage.site.calls))

    ended = stage.run(campaign, on_turn=leave)
    assert ended.halt is RunEnd.HELD
    assert "You are away. Automation runs only while you are here." in ended.reasons
    assert len(stage.site.calls) == left[0]
    assert len(stage.delivered()) < 3
    for _ in range(20):  # the user comes back now and then
        stage.presence.attended = True
        if stage.run(campaign).halt is RunEnd.COMPLETED:
            break
    assert stage.status(campaign) == "completed"
    assert (len(stage.delivered()), stage.duplicates()) == (3, 0)


def test_while_nobody_is_here_not_even_a_look_is_taken(stage: Stage) -> None:
    stage.presence = Presence()
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign).halt is RunEnd.HELD
    assert stage.site.calls == []


# --- planning and the backlog ---


def test_only_a_few_lead_tasks_are_planned_ahead(stages: Stages) -> None:
    stage = stages(people=130)
    campaign = stage.campaign(120)
    most: list[int] = []

    def count(_: TurnReport) -> None:
        most.append(stage.one("SELECT count(*) FROM tasks WHERE kind='reach_lead' AND status='pending'"))

    stage.run(campaign, on_turn=count, stop_after=150)
    assert max(most) == 10
    assert stage.one("SELECT count(*) FROM tasks") < 120


def test_leads_are_planned_by_score_and_none_before_all_are_scored(stage: Stage) -> None:
    campaign = stage.campaign(30)
    stage.run(campaign, stop_after=40)
    kinds = [kind for kind, _, _ in stage.events(campaign)]
    scored, planned = max(k for k, kind in enumerate(kinds) if kind == "LeadScored"), kinds.index("LeadPlanned")
    assert scored < planned
    order = [entity for kind, entity, _ in stage.events(campaign, "LeadPlanned")]
    scores = dict(stage.query("SELECT id, weight_score FROM leads"))
    assert [scores[lead] for lead in order] == sorted((scores[lead] for lead in order), reverse=True)


def waiting(stage: Stage, campaign: str) -> int:
    return int(
        stage.one("SELECT count(*) FROM messages WHERE campaign_id=? AND status IN ('draft', 'approved')", campaign)
    )


def small_steps(ramp_days: int = 0) -> Settings:
    """Contacts are written to: 4 messages a day, in working hours."""
    return MESSAGE_ONLY.model_copy(update={"limits": Limits(messages_a_day=4, ramp_days=ramp_days)})


def test_messages_are_drafted_for_the_next_working_days_and_approving_them_brings_no_more(stage: Stage) -> None:
    campaign = stage.campaign(50, settings=small_steps(), connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert waiting(stage, campaign) == 3 * 4
    message = stage.one("SELECT id FROM messages ORDER BY id LIMIT 1")
    stage.commands().review.reject(campaign, message)
    stage.run(campaign, approve=False)
    assert waiting(stage, campaign) == 3 * 4
    for (draft,) in stage.query("SELECT id FROM messages WHERE status='draft' ORDER BY id LIMIT 5"):
        stage.commands().review.approve(campaign, draft, shown_digest=stage.commands().review.digest(campaign, draft))
    stage.run(campaign, approve=False, stop_after=30)
    sent = len(stage.delivered())
    assert 0 < sent <= 4
    assert waiting(stage, campaign) <= 3 * 4


def test_a_ramp_prepares_as_little_as_it_lets_go_out(stage: Stage) -> None:
    campaign = stage.campaign(50, settings=small_steps(ramp_days=4), connected=True)
    stage.run(campaign, approve=False)
    assert waiting(stage, campaign) == 1 + 2 + 3


def test_days_without_work_are_not_prepared_for(stage: Stage) -> None:
    stage.clock.jump(4 * DAY)  # Friday noon: today, Monday and Tuesday
    campaign = stage.campaign(50, settings=small_steps(), connected=True)
    stage.run(campaign, approve=False)
    assert waiting(stage, campaign) == 3 * 4
    stage.clock.jump(DAY)  # nothing changes on a Saturday but today's share, which is Wednesday's now
    stage.run(campaign, approve=False)
    assert waiting(stage, campaign) == 3 * 4


def test_campaigns_that_are_on_share_what_is_prepared_for_their_account(stage: Stage) -> None:
    campaigns = [
        stage.campaign(20, settings=small_steps(), connected=True, name=name, skip=skip)
        for name, skip in (("First", 0), ("Second", 20))
    ]
    for campaign in campaigns:
        stage.note_elsewhere(campaign, Event("CampaignActivated", campaign, {"status": "active"}))
    for campaign in campaigns:
        stage.run(campaign, approve=False)
    assert [waiting(stage, campaign) for campaign in campaigns] == [2 * 3, 2 * 3]


def test_enough_messages_for_contacts_hold_back_no_invitation(stage: Stage) -> None:
    settings = Settings(limits=Limits(messages_a_day=0, ramp_days=0))
    campaign = stage.campaign(20, settings=settings)
    stage.run(campaign, approve=False, stop_after=200)
    assert stage.query("SELECT DISTINCT kind FROM messages WHERE status='draft'") == [("invitation",)]
    assert waiting(stage, campaign) > 10


def test_a_model_cannot_begin_another_lead_while_enough_is_prepared(stage: Stage) -> None:
    campaign = stage.campaign(50)
    stage.run(campaign, approve=False)
    another = stage.one("SELECT id FROM tasks WHERE kind='reach_lead' AND status='pending' LIMIT 1")
    awake = {
        "description": "Keeps the loop awake",
        "kind": "custom",
        "status": "pending",
        "needs": "think",
        "created_at": 0,
    }
    stage.note_elsewhere(campaign, Event("TaskCreated", "01AWAKE", awake))
    select = json.dumps({"type": "select_next_task", "task_id": another, "params": {}})
    ran = stage.loop(MockProposer([select])).run_turn(campaign)
    assert isinstance(ran, TurnReport)
    assert ran.verdict == "task_not_eligible"


# --- do not contact ---


def test_somebody_on_the_list_is_not_even_planned(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True)
    unwanted = stage.cards(1)[0].slug
    stage.commands().workspace.add_do_not_contact(unwanted, "", "asked")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT blocked, sequence_step FROM leads WHERE member_key=?", unwanted) == [
        ("do_not_contact", None)
    ]
    assert unwanted not in {entry.to for entry in stage.exchange.entries()}
    assert len(stage.delivered()) == 2


def test_nothing_is_drafted_for_somebody_put_on_the_list_after_the_visit(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def forbid(turn: TurnReport) -> None:
        if "read_profile" in turn.raw:
            stage.elsewhere(lambda user: user.workspace.add_do_not_contact(stage.cards(1)[0].slug, "", "asked"))

    stage.run(campaign, on_turn=forbid)
    assert stage.one("SELECT count(*) FROM messages") == 0
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]


def test_nothing_is_sent_to_somebody_put_on_the_list_after_approval(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def forbid(turn: TurnReport) -> None:
        if turn.proposal == "generate_message":
            runner.stop.set()

    runner = stage.runner(on_turn=forbid)
    runner.run(campaign)
    stage.commands().workspace.add_do_not_contact(stage.cards(1)[0].slug, "", "asked")
    stage.run(campaign)
    assert stage.received() == []
    assert stage.query("SELECT status, reason FROM messages") == [("cancelled", "on the do-not-contact list")]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]


# --- the campaign's life ---


def test_a_campaign_is_completed_only_when_every_task_is_done_and_every_lead_was_reached(stage: Stage) -> None:
    campaign = stage.campaign(2)
    early: list[str] = []

    def look(_: TurnReport) -> None:
        if stage.one("SELECT count(*) FROM tasks WHERE status<>'done'"):
            early.append(stage.status(campaign))

    assert stage.run(campaign, on_turn=look).halt is RunEnd.COMPLETED
    assert set(early) == {"active"}
    assert stage.query("SELECT DISTINCT status FROM tasks") == [("done",)]
    with pytest.raises(OutriderError) as error:
        stage.run(campaign)
    assert error.value.code == "campaign_not_active"


def test_a_run_that_only_waits_for_a_servitor_says_so(stage: Stage) -> None:
    campaign = stage.campaign(1)
    ServitorCommands(stage.journal, stage.clock).summon(campaign, name="Rook")
    ended = stage.run(campaign)
    assert (ended.halt, ended.reasons) == (RunEnd.NEEDS_YOU, ("“Rook: waits for an assignment” is still in progress.",))


def test_a_campaign_without_leads_or_without_existence_does_not_run(stage: Stage) -> None:
    empty = stage.campaign(0)
    for campaign, code in ((empty, "campaign_empty"), ("nowhere", "campaign_unknown")):
        with pytest.raises(OutriderError) as error:
            stage.run(campaign)
        assert error.value.code == code
    assert stage.site.calls == []


def test_every_change_of_status_is_an_event_with_its_actor(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, stop_after=3)
    stage.run(campaign)
    moves = stage.query(
        "SELECT kind, actor FROM event_log WHERE campaign_id=? AND entity_type='campaign' ORDER BY seq", campaign
    )
    assert moves == [
        ("CampaignCreated", "user"),
        ("CampaignActivated", "user"),
        ("CampaignPaused", "user"),
        ("CampaignContinued", "user"),
        ("CampaignCompleted", "controller"),
    ]


def test_a_row_that_is_gone_is_an_invariant_broken_and_not_a_crash(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)

    def lose(turn: TurnReport) -> None:
        if turn.number == 4:
            with stage.database.write() as connection:
                connection.execute("DELETE FROM execution_state")
                connection.execute("DELETE FROM commitments")

    with pytest.raises(OutriderError):
        stage.run(campaign, on_turn=lose)
    assert stage.received() == []


def test_a_run_ends_once_its_database_is_not_where_it_was(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    path, turns = stage.database.path, list[int]()

    def move(turn: TurnReport) -> None:
        turns.append(turn.number)
        if turn.number == 3:
            path.rename(path.with_name("elsewhere.db"))

    with pytest.raises(OutriderError) as ended:
        stage.run(campaign, on_turn=move)
    assert (ended.value.code, turns[-1]) == ("data_folder_gone", 3)
    path.with_name("elsewhere.db").rename(path)
    assert stage.status(campaign) == "active", "whoever puts it back goes on"


def test_resuming_reads_what_a_model_never_remembers(stage: Stage) -> None:
    """Another model takes over in mid-campaign: the campaign goes on where it stood."""
    campaign = stage.campaign(3)
    stage.run(campaign, stop_after=11)
    stage.reopen()
    seen: list[Snapshot] = []

    def other(snapshot: Snapshot) -> str:
        seen.append(snapshot)
        return ScriptedProposer().propose(snapshot)

    stage.run(campaign, proposer=MockProposer([other] * 500))
    assert stage.status(campaign) == "completed"
    assert seen[0].last is not None
    assert seen[0].last.number == 11
    assert (stage.duplicates(), stage.missing()) == (0, [])


def test_a_turn_asked_for_while_nothing_is_eligible_says_until_when(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=QUICK)
    stage.run(campaign, approve=False)
    ran = stage.loop().run_turn(campaign)
    assert ran == NothingEligible(until=None, held_reasons=())


def test_the_runner_ends_its_subscription_however_it_ends(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.arm("error_500", "any", times=None)
    runner = stage.runner()
    with pytest.raises(OutriderError):
        runner.run(campaign)
    runner.wake.clear()
    assert in_a_thread(lambda: stage.commands().workspace.add_do_not_contact("somebody", "", "")) is None
    assert not runner.wake.is_set()


# --- what holds at the last moment decides ---

ENDS = ("stop is pressed", "the user leaves", "working hours end", "the approval expires")


def ends(stage: Stage, runner: CampaignRunner, what: str) -> None:
    match what:
        case "stop is pressed":
            runner.stop.set()
        case "the user leaves":
            stage.presence.attended = False
        case "working hours end":
            stage.clock.advance(6 * HOUR)
        case "the approval expires":
            stage.clock.advance(8 * DAY)  # five working days after the Monday for which it is planned


def with_an_approved_invitation(stage: Stage) -> str:
    """A campaign that owes nothing but the send; the user is present for as long as nobody says otherwise."""
    campaign = stage.campaign(1, settings=ONE_STEP)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.approve(campaign, stage.database.query(message_queries.drafts, campaign))
    stage.site.calls.clear()
    return campaign


def nothing_was_sent(stage: Stage) -> None:
    assert stage.received() == []
    assert "send_invitation" not in stage.site.calls
    assert stage.query("SELECT * FROM actions") == [], "not even an intent"
    assert set(stage.query("SELECT status FROM messages")) <= {("approved",), ("draft",)}


@pytest.mark.parametrize("what", ENDS)
def test_nothing_is_sent_when_the_leave_to_send_ends_while_the_model_thinks(stage: Stage, what: str) -> None:
    campaign = with_an_approved_invitation(stage)
    thought: list[str] = []

    def think(snapshot: Snapshot) -> None:
        thought.append(snapshot.to_json())
        ends(stage, runner, what)

    runner = stage.runner(Noted(ScriptedProposer(), think), approve=False, stop_after=1)
    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert len(thought) == 1
    assert json.loads(stage.turns[-1].raw)["params"]["tool"] == "browser.send_invitation"
    nothing_was_sent(stage)
    assert "read_profile" not in stage.site.calls, "not even looked"


@pytest.mark.parametrize("what", ENDS)
def test_nothing_is_sent_when_the_leave_to_send_ends_during_the_look_before_it(stage: Stage, what: str) -> None:
    campaign = with_an_approved_invitation(stage)

    def look(tool: str, when: str) -> None:
        if (tool, when) == ("read_profile", "after"):
            ends(stage, runner, what)

    stage.site.during = look
    runner = stage.runner(approve=False, stop_after=1)
    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert "read_profile" in stage.site.calls
    nothing_was_sent(stage)


@pytest.mark.parametrize("moment", ["recovery", "the check of the page"])
def test_a_pause_from_another_process_during_the_start_of_an_active_campaign_holds(stage: Stage, moment: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    stage.activate(campaign)

    def pause(*_: object) -> None:
        stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED, "outrider pause"))

    runner = stage.runner(on_recovered=pause if moment == "recovery" else lambda _: None)
    if moment != "recovery":
        stage.site.during = lambda tool, when: pause() if (tool, when) == ("check_selectors", "before") else None
    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert (stage.status(campaign), stage.turns, stage.received()) == ("paused", [], [])
    stage.site.during = lambda _tool, _when: None
    assert stage.run(campaign).halt is RunEnd.COMPLETED, "a new start goes on"


@pytest.mark.parametrize("why", ["incident", "away"])
def test_a_start_with_an_open_incident_or_with_nobody_here_does_not_touch_the_site(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def die(name: str) -> None:
        if name == "acted":
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=die)
    stage.reopen()
    if why == "away":
        stage.presence = Presence()
    else:
        opened = {"account": "practice", "kind": "unusual_activity", "said": "stop", "status": "open", "opened_at": 1}
        stage.note_elsewhere(campaign, Event("IncidentOpened", "incident", opened))
    stage.site.calls.clear()
    monkeypatch.setattr(stage.site, "open", lambda: stage.site.calls.append("open"))
    ended = stage.run(campaign)
    assert (ended.halt, len(ended.reasons)) == (RunEnd.HELD, 1)
    assert stage.site.calls == [], "what was cut off waits, too"
    assert stage.query("SELECT status FROM actions") == [("intended",)]


# --- leads that come later ---


def bring_in_elsewhere(stage: Stage, campaign: str, position: int) -> str:
    """Another process imports one more of the network's people; who."""
    card = stage.cards(1, skip=position)[0]
    url = f"https://www.linkedin.com/in/{card.slug}"
    row = LeadRow(2, "", card.name, card.name, "", url, card.slug, None, card.company, card.headline, None, {})
    database = Database(stage.path)
    try:
        journal = Journal(database, SeededIds(f"import {position}"))
        import_leads(journal, stage.clock, campaign, [row], file="late.csv", file_format="linkedin")
    finally:
        database.close()
    return card.slug


def test_leads_imported_into_an_active_campaign_after_the_scoring_are_scored_before_they_are_planned(
    stage: Stage,
) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    come: list[str] = []

    def later(_: TurnReport) -> None:
        scored = stage.query("SELECT status FROM tasks WHERE kind='score_leads'") == [("done",)]
        if scored and stage.received() and not come:
            come.append(bring_in_elsewhere(stage, campaign, 5))

    assert stage.run(campaign, on_turn=later).halt is RunEnd.COMPLETED
    ((lead, score),) = stage.query("SELECT id, weight_score FROM leads WHERE member_key=?", come[0])
    assert score is not None
    kinds = [kind for kind, entity, _ in stage.events(campaign, "Lead%") if entity == lead]
    assert kinds[:3] == ["LeadImported", "LeadScored", "LeadPlanned"]
    assert {entry.to for entry in stage.delivered()} == {*(card.slug for card in stage.cards(2)), come[0]}


def test_a_campaign_is_not_completed_over_leads_that_were_imported_in_that_very_moment(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    real, come = running._finished, list[str]()

    def finished(connection: sqlite3.Connection, campaign_id: str, now: int) -> bool:
        over = real(connection, campaign_id, now)
        if over and not come:
            come.append(bring_in_elsewhere(stage, campaign, 5))
        return over

    monkeypatch.setattr(running, "_finished", finished)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [entry.to for entry in stage.delivered()] == [stage.cards(1)[0].slug, come[0]]
    assert stage.kinds(campaign)["CampaignCompleted"] == 1


def test_what_the_user_decides_while_a_run_is_about_to_end_is_done_by_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    looked = CampaignRunner._review

    def decided_meanwhile(runner: CampaignRunner, campaign_id: str) -> bool:
        waiting = stage.database.query(message_queries.drafts, campaign_id)
        in_a_thread(lambda: stage.approve(campaign_id, waiting))
        return looked(runner, campaign_id)

    monkeypatch.setattr(CampaignRunner, "_review", decided_meanwhile)
    stage.run(campaign, approve=False)
    assert len(stage.delivered()) == 1

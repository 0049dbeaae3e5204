"""Wake requests: due and in the user's presence, once each, and armed again after a restart and after an upgrade."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from backend.domain.model.campaign import DAY, HOUR
from backend.domain.values.errors import OutriderError
from backend.ports.scheduler import StartedWork
from backend.runtime.run.wake_timers import LONGEST_WAIT_SECONDS, WakeTimers
from backend.runtime.worker import ThreadScheduler, Worker, Workers
from backend.store.log import replay
from backend.store.queries.device import runtime_snapshot
from backend.store.queries.device.runtime_snapshot import RuntimeSnapshot
from backend.store.queries.turn import wake_requests
from backend.store.queries.turn.wake_requests import WakeRequest
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.proposers import MockProposer


class ByHand(ThreadScheduler):
    """Nothing starts by itself: a test has the rounds."""

    def start(self, name: str, work: Callable[[], None]) -> StartedWork:
        return super().start(name, lambda: None)


class Timers:
    """The timers of one launch on a stage; `woken` is what they woke."""

    def __init__(self, stage: Stage, refuse: OutriderError | None = None) -> None:
        self.stage, self.here, self.refuse = stage, True, refuse
        self.woken: list[tuple[str, str]] = []
        self._rounds: list[Worker] = []
        workers, add = Workers(stage.clock, scheduler=ByHand()), self._rounds.append
        made = workers.add

        def keep(*arguments: Any, **more: Any) -> Worker:
            add(made(*arguments, **more))
            return self._rounds[-1]

        workers.add = keep  # type: ignore[method-assign]
        self.timers = WakeTimers(stage.journal, stage.clock, workers, present=lambda: self.here, wake=self._wake)
        self.timers.open()

    def _wake(self, request: WakeRequest) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.woken.append((request.reason, request.input))

    def round(self) -> None:
        self._rounds[0].run_round()

    def pause(self) -> float | None:
        """In how many seconds the round after this one is due."""
        return self.timers._work()

    def statuses(self) -> list[str]:
        requests = self.stage.database.query(wake_requests.recent, self.stage.one("SELECT id FROM campaigns"), 50)
        return [request.status for request in reversed(requests)]


def arm(stage: Stage, campaign: str, ahead: int, text: str = "") -> int:
    return stage.commands().runtime.ask_to_wake(campaign, stage.clock.now() + ahead, text, "timer")


def test_a_timer_fires_once_when_it_is_due_and_the_user_is_here(stage: Stage) -> None:
    campaign, timers = stage.campaign(1), Timers(stage)
    arm(stage, campaign, HOUR, "Sum up the replies")
    timers.round()
    assert timers.woken == []
    stage.clock.advance(HOUR)
    timers.here = False
    timers.round()
    assert timers.woken == []
    timers.here = True
    timers.round()
    timers.round()
    assert timers.woken == [("timer", "Sum up the replies")]
    assert timers.statuses() == ["woken"]
    assert stage.query("SELECT input FROM wake_requests") == [("",)]
    outcomes = [payload for _, payload in stage.audits(campaign, "wake.settled")]
    assert '"outcome":"woken"' in outcomes[0]


@pytest.mark.parametrize("ahead", [2 * HOUR, 366 * DAY])
def test_no_wait_for_a_timer_outlasts_a_change_of_the_clock_or_what_a_system_can_wait(stage: Stage, ahead: int) -> None:
    arm(stage, stage.campaign(1), ahead)
    pause = Timers(stage).pause()
    assert pause is not None
    assert 0 < pause <= LONGEST_WAIT_SECONDS


def test_what_is_armed_is_armed_again_after_a_restart_and_after_an_upgrade(stage: Stage) -> None:
    campaign = stage.campaign(1)
    arm(stage, campaign, HOUR, "first")
    arm(stage, campaign, HOUR, "second")
    stage.reopen()
    replay.rebuild(stage.database)  # what an upgrade that changes the tables does
    stage.clock.advance(HOUR)
    timers = Timers(stage)
    timers.round()
    assert timers.woken == [("timer", "first"), ("timer", "second")]


def test_a_timer_waits_while_another_campaign_runs_and_is_refused_for_what_does_not_pass(stage: Stage) -> None:
    campaign = stage.campaign(1)
    arm(stage, campaign, HOUR)
    stage.clock.advance(HOUR)
    timers = Timers(stage, OutriderError("run_elsewhere", campaign="other"))
    timers.round()
    assert timers.statuses() == ["armed"]
    timers.refuse = OutriderError("campaign_not_active", status="completed", campaign=campaign)
    timers.round()
    assert timers.statuses() == ["refused"]
    timers.refuse = None
    timers.round()
    assert timers.woken == []


def test_a_wake_by_hand_is_carried_out_at_once_or_says_why_not(stage: Stage) -> None:
    campaign, timers = stage.campaign(1), Timers(stage)
    timers.timers.wake_now(campaign, "")
    timers.timers.wake_now(campaign, "Who replied?")
    assert timers.woken == [("manual", ""), ("manual", "Who replied?")]
    for busy in (OutriderError("turn_in_flight"), OutriderError("run_elsewhere", campaign="other")):
        timers.refuse = busy
        with pytest.raises(OutriderError) as refused:
            timers.timers.wake_now(campaign, "")
        assert refused.value is busy
    assert timers.statuses() == ["woken", "woken", "refused", "refused"]


def test_two_rounds_at_once_wake_it_once(stage: Stage) -> None:
    campaign, timers = stage.campaign(1), Timers(stage)
    arm(stage, campaign, HOUR)
    stage.clock.advance(HOUR)
    threads = [threading.Thread(target=timers.round) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(timers.woken) == 1


@pytest.mark.parametrize("ahead", [0, -HOUR, 400 * DAY])
def test_a_timer_is_for_a_time_to_come(stage: Stage, ahead: int) -> None:
    campaign = stage.campaign(1)
    with pytest.raises(OutriderError) as refused:
        arm(stage, campaign, ahead)
    assert refused.value.code == "wake_time"


def test_a_cancelled_timer_wakes_nobody_and_no_more_are_armed_than_the_bound(stage: Stage) -> None:
    campaign, timers = stage.campaign(1), Timers(stage)
    first = arm(stage, campaign, HOUR)
    for _ in range(19):
        arm(stage, campaign, HOUR)
    with pytest.raises(OutriderError) as refused:
        arm(stage, campaign, HOUR)
    assert refused.value.code == "wakes_many"
    runtime = stage.commands().runtime
    runtime.settle_wake(campaign, first, "cancelled")
    with pytest.raises(OutriderError):
        runtime.settle_wake(campaign, first, "cancelled")
    stage.clock.advance(HOUR)
    timers.round()
    assert len(timers.woken) == 19


def test_a_fault_is_reset_by_the_user_with_a_reason_and_only_a_fault_is(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    runtime = stage.commands().runtime
    with pytest.raises(OutriderError) as refused:
        runtime.reset_fault(campaign, "why not")
    assert refused.value.code == "fault_none"

    def fail(name: str) -> None:
        if name == "step-5":
            raise RuntimeError("a defect")

    with pytest.raises(OutriderError):
        stage.run(campaign, boundary=fail)

    def snapshot() -> RuntimeSnapshot:
        return stage.database.query(runtime_snapshot.runtime_snapshot, campaign)

    faulted = snapshot()
    assert (faulted.state, faulted.turn_lock, faulted.last_turn) == ("Faulted", False, 1)
    assert faulted.last_error
    runtime.reset_fault(campaign, "looked at it")
    assert (stage.one("SELECT state FROM runtime_snapshot"), stage.status(campaign)) == ("Idle", "paused")
    ((_, payload),) = stage.audits(campaign, "turn.fault_reset")
    assert "looked at it" in payload
    assert replay.find_differences(stage.database) == []
    loops: list[bool] = []
    stage.run(campaign, on_turn=lambda _: loops.append(snapshot().loop_enabled))
    assert stage.status(campaign) == "completed"
    assert set(loops) == {True}
    rested = snapshot()
    assert (rested.turn_lock, rested.loop_enabled, rested.last_error) == (False, False, "")
    assert rested.last_turn == stage.one("SELECT max(number) FROM turn_projection")


def test_the_projections_status_is_asked_of_the_log(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    with pytest.raises(OutriderError, match="proposer_unavailable"):
        stage.run(campaign, proposer=MockProposer([]))
    with stage.database.write() as connection:
        connection.execute("DELETE FROM turn_projection")
        assert runtime_snapshot.projection_status(connection, campaign).lag == 1, "a turn that faulted is one"
    replay.rebuild(stage.database)
    stage.run(campaign)
    status = stage.database.query(runtime_snapshot.projection_status, campaign)
    assert status.position == status.log_turn == stage.one("SELECT count(*) FROM turn_projection") > 0
    assert (status.lag, status.rebuilt_at) == (0, None)
    with stage.database.write() as connection:
        connection.execute("DELETE FROM turn_projection WHERE number=?", (status.position,))
        assert runtime_snapshot.projection_status(connection, campaign).lag == 1
    events = replay.rebuild(stage.database, at=7)
    rebuilt = stage.database.query(runtime_snapshot.projection_status, campaign)
    assert (rebuilt.lag, rebuilt.rebuilt_at, rebuilt.rebuilt_from) == (0, 7, events)
    assert replay.find_differences(stage.database) == []

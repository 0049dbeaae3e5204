"""A model that fails for a while does not end the run: it is asked again, later each time, and Stop is heard at once."""

import threading

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.device.model_server_error import NOTHING_RAN
from backend.domain.device.retry_after import LONGEST_WAIT, SECONDS_ASKED
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.campaign_runner import MODEL_PATIENCE_SECONDS, RunEnd
from backend.runtime.worker import Backoff
from backend.turn.loop import NothingEligible
from backend.turn.model_failures import BROKEN, CUT_OFF, MOST_COSTLY_IN_A_ROW, PASSING, may_have_cost
from tests.fakes.campaign import ONE_STEP, Stage
from tests.patience import PATIENCE

FACTS = {
    "host": "localhost",
    "status": 503,
    "http": 204,
    "detail": "HTTP 503",
    "wait": "",
    "seconds": 1,
    "what": "to answer",
    "why": "the connection broke",
}


class Failing:
    """Fails so often with that code, then proposes as the script; every call costs ten tokens."""

    name = "failing"

    def __init__(self, code: str, times: int) -> None:
        self.code, self.left, self.asked = code, times, 0

    def is_slow(self, _: Snapshot) -> bool:
        return True

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self.asked += 1
        on_usage(ModelUsage("m", 10, 0, 0))
        if self.left > 0:
            self.left -= 1
            raise OutriderError(self.code, **FACTS)  # type: ignore[arg-type]
        return ScriptedProposer().propose(snapshot, on_text)


def steady() -> Backoff:
    return Backoff(lambda: 1.0)


def costs(code: str) -> bool:
    return may_have_cost(OutriderError(code, **FACTS))  # type: ignore[arg-type]


def test_an_answer_of_nothing_costs_nothing_only_where_its_server_ended_it() -> None:
    assert not may_have_cost(OutriderError("proposer_no_content", **FACTS, **{NOTHING_RAN: True}))
    assert costs("proposer_no_content")


FREE = [code for code in sorted([*PASSING, CUT_OFF]) if not costs(code)]
COSTLY = [code for code in sorted([*PASSING, CUT_OFF]) if costs(code)]


@pytest.mark.parametrize("code", FREE)
def test_a_model_that_fails_for_a_while_is_asked_again_later_each_time(stage: Stage, code: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    sleeps: list[NothingEligible] = []
    began = stage.clock.now()
    ended = stage.run(campaign, proposer=Failing(code, 8), on_sleep=sleeps.append, backoff=steady)
    assert ended.halt is RunEnd.COMPLETED
    silent = [sleep for sleep in sleeps if sleep.model_silent_since is not None]
    assert [round(sum(stage.clock.waits))] == [1 + 2 + 4 + 8 + 16 + 32 + 60 + 60], (
        "in real time, doubled up to a minute"
    )
    assert {sleep.model_silent_since for sleep in silent} == {began}
    assert [sleep.until is not None for sleep in silent] == [True] * 8
    assert stage.kinds(campaign)["TurnFaulted"] == 8, "each failure is on record"
    assert stage.one("SELECT count(*) FROM tasks WHERE strikes>0") == 0, "nobody is blamed for a silence"


@pytest.mark.parametrize("code", COSTLY)
def test_what_may_be_billed_each_time_is_not_asked_for_ever(stage: Stage, code: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    last_in_time = Failing(code, MOST_COSTLY_IN_A_ROW - 1)
    assert stage.run(campaign, proposer=last_in_time, backoff=steady).halt is RunEnd.COMPLETED
    campaign, failing = stage.campaign(1, settings=ONE_STEP), Failing(code, 99)
    with pytest.raises(OutriderError, match=code):
        stage.run(campaign, proposer=failing, backoff=steady)
    assert failing.asked == MOST_COSTLY_IN_A_ROW


@pytest.mark.parametrize("code", FREE)
def test_no_silence_is_waited_for_for_ever(stage: Stage, code: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    with pytest.raises(OutriderError, match=code):
        stage.run(campaign, proposer=Failing(code, 9_999), backoff=steady)
    assert MODEL_PATIENCE_SECONDS <= sum(stage.clock.waits) <= MODEL_PATIENCE_SECONDS + 60


@pytest.mark.parametrize(("asked", "waits"), [(120.0, 120), (86_400.0, LONGEST_WAIT), (None, 1)])
def test_a_server_that_asks_for_a_pause_gets_it_up_to_the_longest(
    stage: Stage, asked: float | None, waits: float
) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)

    class Busy(Failing):
        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            try:
                return super().propose(snapshot, on_text, on_usage)
            except OutriderError as error:
                error.facts[SECONDS_ASKED] = asked
                raise

    assert stage.run(campaign, proposer=Busy("proposer_rate_limited", 1), backoff=steady).halt is RunEnd.COMPLETED
    assert sum(stage.clock.waits) == pytest.approx(waits)


def test_stop_is_heard_while_a_silent_model_is_waited_for(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    runner = stage.runner(Failing("proposer_unreachable", 99), on_sleep=lambda _: stop(), backoff=steady)

    def stop() -> None:
        runner.stop.set()
        runner.wake.set()

    assert runner.run(campaign).halt is RunEnd.STOPPED
    assert stage.clock.waits == []


def test_stop_ends_a_real_wait_at_once(stage: Stage) -> None:
    from backend.adapters.clocks import SystemClock  # noqa: PLC0415

    wake = threading.Event()
    waits = threading.Thread(target=lambda: SystemClock().wait(3_600.0, wake))
    waits.start()
    wake.set()
    waits.join(PATIENCE)
    assert not waits.is_alive()


def test_the_budget_ends_the_tries(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)

    class Budgeted(Failing):
        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            if self.asked == 3:
                raise OutriderError("model_budget_spent", spent="$5.00", budget="$5.00")
            return super().propose(snapshot, on_text, on_usage)

    ended = stage.run(campaign, proposer=Budgeted("proposer_failed", 99), backoff=steady)
    assert ended.halt is RunEnd.HELD
    assert "$5.00" in ended.reasons[0]
    assert stage.status(campaign) == "active", "only the user pauses"


def test_patience_may_have_an_end(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    with pytest.raises(OutriderError, match="proposer_unreachable"):
        stage.run(campaign, proposer=Failing("proposer_unreachable", 99), backoff=steady, model_patience=5.0)
    assert sum(stage.clock.waits) == 1 + 2 + 4


@pytest.mark.parametrize(
    "code",
    [
        "proposer_unauthorised",
        "proposer_request_refused",
        "proposer_prompt_too_long",
        "proposer_key_missing",
        "proxy_unusable",
        "certificates_unusable",
    ],
)
def test_what_does_not_pass_by_itself_ends_the_run(stage: Stage, code: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    facts = FACTS | {"detail": "no", "key": "k", "variable": "K", "why": "no"}

    class Refused(Failing):
        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            raise OutriderError(code, **facts)  # type: ignore[arg-type]

    with pytest.raises(OutriderError, match=code):
        stage.run(campaign, proposer=Refused(code, 1), backoff=steady)
    assert stage.clock.waits == []
    assert stage.status(campaign) == "active", "it keeps its state"


@pytest.mark.parametrize("code", ["proposer_empty", "proposer_refused"])
def test_a_reply_of_no_use_costs_a_strike_and_three_block_the_task(stage: Stage, code: str) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    assert stage.run(campaign, proposer=Failing(code, 99), backoff=steady).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT status FROM tasks") == [("blocked",)]
    assert stage.clock.waits == []


def test_a_reply_that_reached_its_limit_is_of_no_use_and_no_silence(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)

    class Endless(Failing):
        def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
            raise OutriderError("proposer_cut_off", why="it reached the most tokens that it may have")

    assert "it reached the most tokens that it may have" not in BROKEN
    assert stage.run(campaign, proposer=Endless("", 0), backoff=steady).halt is RunEnd.NEEDS_YOU
    assert stage.clock.waits == []


def test_a_single_step_does_not_wait(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    with pytest.raises(OutriderError, match="proposer_unreachable"):
        stage.run(campaign, proposer=Failing("proposer_unreachable", 1), once=True)

"""A send that arrives late, or never: nobody gets anything twice, whatever the delay and whenever the process ends."""

from collections.abc import Callable
from functools import partial

import pytest

from backend.domain.contact.sends import MAX_ATTEMPTS
from backend.domain.model.campaign import HOUR
from backend.practice.faults import LATEST_MS, FaultKind
from backend.practice.faults import Step as FaultStep
from backend.runtime.run.campaign_runner import RunEnd
from backend.turn.loop import TurnReport
from backend.turn.recovery import LONGEST_ACT_SECONDS, RecoveredAction
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Killed, Stage
from tests.fakes.stages import Stages

LATE: tuple[FaultKind, ...] = ("arrives_late", "carried_out_later")
SETTLE_MS = 60_000


def campaign_for(stage: Stage, on: FaultStep, leads: int = 1) -> str:
    if on == "message":
        return stage.campaign(leads, settings=MESSAGE_ONLY, connected=True)
    return stage.campaign(leads, settings=ONE_STEP)


def delivered_once(stage: Stage) -> None:
    assert (stage.duplicates(), stage.missing()) == (0, [])
    assert stage.query("SELECT DISTINCT status FROM messages WHERE kind <> 'reply'") == [("sent",)]
    assert stage.query("SELECT DISTINCT status FROM tasks") == [("done",)]
    assert stage.query("SELECT DISTINCT blocked FROM leads") == [("",)]
    assert stage.one("SELECT count(*) FROM input_requests") == 0, "nobody was asked for what a look could tell"


def killed(stage: Stage, campaign: str, boundary: str, **options: object) -> None:
    def die(name: str) -> None:
        if name == boundary:
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=die, **options)
    stage.reopen()


def slow_site(stage: Stage, ms: int) -> None:
    """Each call takes so long in real time."""
    stage.site.during = lambda _, when: stage.clock.advance(ms) if when == "after" else None


# --- within the run ---


@pytest.mark.parametrize("kind", LATE)
@pytest.mark.parametrize("on", ["message", "invite"])
@pytest.mark.parametrize("ms", [10_000, 14_000, 25_000, LATEST_MS])
def test_a_send_that_arrives_late_is_sent_once(stage: Stage, kind: FaultKind, on: FaultStep, ms: int) -> None:
    campaign = campaign_for(stage, on)
    stage.arm(kind, on, ms=ms)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    delivered_once(stage)
    assert ms / 1_000 <= sum(stage.clock.waits) <= 60
    if on == "invite":
        invited_at = stage.one("SELECT invited_at FROM leads")
        assert invited_at == stage.one("SELECT intended_at FROM actions"), "not from when it was found out"


@pytest.mark.parametrize("kind", LATE)
def test_while_one_send_is_unknown_the_work_for_the_others_goes_on(stage: Stage, kind: FaultKind) -> None:
    campaign = campaign_for(stage, "message", leads=4)
    stage.arm(kind, "message", ms=25_000)
    waited_before_turn: list[float] = []
    recovered: list[RecoveredAction] = []
    ended = stage.run(
        campaign,
        on_turn=lambda _: waited_before_turn.append(sum(stage.clock.waits)),
        on_recovered=recovered.extend,
    )
    assert ended.halt is RunEnd.COMPLETED
    assert [action.outcome for action in recovered] == ["sent"]
    sends = [turn for turn in stage.turns if turn.effect]
    assert [turn.verdict for turn in sends] == ["outcome_unknown", "accepted", "accepted", "accepted"]
    last = stage.turns.index(sends[-1])
    assert waited_before_turn[last] == 0, "nobody else waited"
    assert sum(stage.clock.waits) >= 25
    delivered_once(stage)


def test_it_is_looked_at_during_the_run_and_not_only_when_nothing_else_is_left(stage: Stage) -> None:
    campaign = campaign_for(stage, "message", leads=6)
    stage.arm("carried_out_later", "message", ms=3_000)
    slow_site(stage, 1_000)
    seen_in_turn: list[int] = []
    stage.run(campaign, on_recovered=lambda recovered: seen_in_turn.append(len(stage.turns)) if recovered else None)
    assert seen_in_turn
    assert seen_in_turn[0] < len(stage.turns) - 6
    assert stage.clock.waits == []
    delivered_once(stage)


def test_a_rehearsals_jumps_never_shorten_the_wait(stage: Stage) -> None:
    """The others' days pass in an instant; not one of them counts."""
    campaign = stage.campaign(4)
    stage.arm("arrives_late", "invite", ms=45_000)
    before = stage.clock.real.monotonic
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.clock.real.monotonic - before >= 45_000
    assert max(stage.clock.sleeps) - stage.clock.sleeps[0] > 24 * HOUR
    assert (stage.duplicates(), stage.missing()) == (0, [])


@pytest.mark.parametrize("on", ["message", "invite"])
def test_what_is_absent_when_nothing_can_be_under_way_any_more_is_sent_again_and_never_before(
    stage: Stage, on: FaultStep
) -> None:
    campaign = campaign_for(stage, on)
    stage.arm("error_500", on)
    at: list[int] = []

    def sent(turn: TurnReport) -> None:
        if turn.effect:
            at.append(stage.clock.real.monotonic)

    assert stage.run(campaign, on_turn=sent).halt is RunEnd.COMPLETED
    assert at[1] - at[0] >= SETTLE_MS
    delivered_once(stage)


def test_a_site_that_fails_every_time_is_given_up_after_three_attempts(stage: Stage) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm("error_500", "message", times=None)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert len(stage.received()) == MAX_ATTEMPTS
    assert stage.query("SELECT status FROM messages") == [("failed",)]
    assert stage.query("SELECT kind, status FROM input_requests") == [("unblock", "open")]
    assert stage.query("SELECT blocked FROM leads") == [("",)]


# --- where it cannot be settled ---


@pytest.mark.parametrize("fault", ["says_sent_but_dropped", "unreadable"])
def test_what_no_look_can_settle_is_asked_when_the_time_is_over_and_the_end_says_so(stage: Stage, fault: str) -> None:
    campaign = campaign_for(stage, "message")
    if fault == "unreadable":
        stage.arm("carried_out_later", "message", ms=LATEST_MS)

        def blind(turn: TurnReport) -> None:
            if turn.effect:
                stage.arm("error_500", "thread", times=None)

        ended = stage.run(campaign, on_turn=blind)
    else:
        stage.arm("says_sent_but_dropped", "message")
        ended = stage.run(campaign)
    assert ended.halt is RunEnd.NEEDS_YOU
    name = stage.cards(1)[0].name
    assert ended.reasons[-1] == f"It is not known whether the message to {name} was sent."
    assert stage.query("SELECT kind, status FROM input_requests") == [("outcome_unknown", "open")]
    assert sum(stage.clock.waits) == 60
    assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]


def test_a_question_about_a_send_that_is_seen_later_in_the_run_is_withdrawn(stage: Stage) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm("carried_out_later", "message", ms=20_000)

    def blind(turn: TurnReport) -> None:
        if turn.effect:
            stage.arm("error_500", "thread", times=None)

    assert stage.run(campaign, on_turn=blind).halt is RunEnd.NEEDS_YOU
    stage.disarm()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status, answer FROM input_requests") == [("withdrawn", "sent")]
    assert (len(stage.delivered()), stage.duplicates()) == (1, 0)


def test_a_run_that_is_stopped_meanwhile_says_what_is_not_known(stage: Stage) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm("arrives_late", "message", ms=20_000)
    ended = stage.run(campaign, once=True)
    while ended.halt is RunEnd.STEPPED and not ended.reasons:
        ended = stage.run(campaign, once=True)
    assert ended.reasons == (f"It is not known whether the message to {stage.cards(1)[0].name} was sent.",)
    assert stage.run(campaign, once=True).halt is RunEnd.NOT_YET
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    delivered_once(stage)


# --- over restarts ---


@pytest.mark.parametrize("kind", LATE)
@pytest.mark.parametrize("boundary", ["acted", "before-commit", "after-commit"])
@pytest.mark.parametrize("down", [0, 5_000, 40_000])
def test_killed_after_the_click_and_started_again_a_late_send_is_sent_once(
    stage: Stage, kind: FaultKind, boundary: str, down: int
) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm(kind, "message", ms=45_000)

    def at_the_send(name: str) -> None:
        if name == boundary and stage.query("SELECT 1 FROM actions"):
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=at_the_send)
    stage.reopen()
    stage.clock.advance(down)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    delivered_once(stage)


def waited_after_a_kill(stage: Stage, meanwhile: Callable[[], None]) -> float:
    """How long a run waits for a send that was cut off and never left; then it is sent."""
    campaign = campaign_for(stage, "message")
    killed(stage, campaign, "intent")
    meanwhile()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    delivered_once(stage)
    return sum(stage.clock.waits)


def test_after_a_restart_the_wait_counts_from_the_intent_in_real_time(stages: Stages) -> None:
    longest = round(LONGEST_ACT_SECONDS * 1_000) + SETTLE_MS
    for down, wait in ((0, 60), (longest - 60_000, 60), (longest - 20_000, 20), (longest, 0), (10 * longest, 0)):
        stage = stages()
        assert waited_after_a_kill(stage, partial(stage.clock.advance, down)) == wait


@pytest.mark.parametrize("clock", ["wall back", "wall forward", "monotonic forward", "another boot", "no boot", "jump"])
def test_no_clock_that_jumped_shortens_the_wait(stage: Stage, clock: str) -> None:
    def jump() -> None:
        real = stage.clock.real
        if clock == "wall back":
            stage.clock.advance(HOUR // 2)
            stage.clock.real = stage.clock.real._replace(wall=real.wall - 1)
        elif clock == "wall forward":
            stage.clock.real = real._replace(wall=real.wall + 24 * HOUR)
        elif clock == "monotonic forward":
            stage.clock.real = real._replace(monotonic=real.monotonic + 24 * HOUR)
        elif clock == "another boot":
            stage.clock.real = real._replace(boot="another", monotonic=10, wall=real.wall + HOUR // 2)
        elif clock == "no boot":
            stage.clock.real = real._replace(boot="", wall=real.wall + HOUR // 2)
        else:
            stage.clock.jump(24 * HOUR)

    assert waited_after_a_kill(stage, jump) == 60


def test_an_intent_without_a_readable_time_waits_as_long_as_any(stage: Stage) -> None:
    def spoil() -> None:
        stage.outside.execute('UPDATE actions SET params = \'{"real_time": ["soon"]}\'')

    assert waited_after_a_kill(stage, spoil) == 60


def test_a_wall_clock_that_is_set_during_the_run_changes_nothing(stage: Stage) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm("carried_out_later", "message", ms=40_000)
    real = stage.clock.wait

    def set_back(seconds: float, wake: object) -> None:
        real(seconds, wake)  # type: ignore[arg-type]
        stage.clock.real = stage.clock.real._replace(wall=stage.clock.real.wall - HOUR)

    stage.clock.wait = set_back  # type: ignore[method-assign]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    delivered_once(stage)


# --- limits of a promise ---


def test_a_campaign_is_not_completed_while_an_outcome_is_unknown(stage: Stage) -> None:
    """Not even if its person is on the do-not-contact list by now, so that nothing else is left to do."""
    campaign = campaign_for(stage, "message")
    stage.arm("arrives_late", "message", ms=25_000)

    def never_again(turn: TurnReport) -> None:
        if turn.effect:
            user = stage.commands()
            user.leads.do_not_contact(campaign, stage.one("SELECT id FROM leads"), "they asked")

    stage.run(campaign, on_turn=never_again)
    assert sum(stage.clock.waits) >= 25
    assert stage.query("SELECT status FROM messages") == [("sent",)]
    assert len(stage.delivered()) == 1


def test_while_an_incident_is_open_nothing_is_looked_at_and_the_run_does_not_wait(stage: Stage) -> None:
    campaign = campaign_for(stage, "message")
    stage.arm("unusual_activity", "message")
    ended = stage.run(campaign)
    assert ended.halt is RunEnd.HELD
    assert stage.clock.waits == []
    assert any("was sent" in reason for reason in ended.reasons)

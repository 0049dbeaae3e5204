"""A campaign whose clock was wrong for a while goes on at its usual pace, by true time, once it is right."""

from collections import defaultdict

import pytest

from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.lead import Label, Lead
from backend.domain.model.reply_kind import PAUSE
from backend.runtime.run.campaign_runner import RunEnd
from backend.situation import situations
from backend.store.log import replay
from backend.store.queries.campaign.corrected_times import (
    WAITED_FROM,
    ClockCorrection,
    corrected_time,
    with_corrected_times,
)
from backend.store.queries.contact import approvals
from backend.store.queries.people import people
from backend.turn.clock_check import TOLERANCE, ClockCheck, as_of
from backend.turn.execute.execution import present
from tests.domain.samples import lead as lead_row
from tests.fakes.campaign import MESSAGE_ONLY, MONDAY_NOON, QUICK, Stage

AHEAD = pytest.mark.parametrize("ahead", [365 * DAY, 40 * DAY, 3 * HOUR])
LIMITS = {"work_days": tuple(range(7)), "day_starts": 0, "day_ends": 24 * 60, "withdrawals_a_day": 5}
ROUND_THE_CLOCK = QUICK.model_copy(
    update={"limits": QUICK.limits.model_copy(update=LIMITS | {"withdraw_after_days": 7})}
)


def true_times(stage: Stage, campaign: str, wrong: int, count: int) -> list[list[tuple[int, str]]]:
    """When, by true time, each person got what, if the clock was wrong by so much after the first act, up to that one."""
    acts, times = "SELECT id, lead_id, family, intended_at FROM actions", defaultdict[str, list[tuple[int, str]]](list)
    stage.run(campaign, stop_after=1)
    stage.clock.jump(wrong)
    while len(stage.query(acts)) < count:
        stage.run(campaign, stop_after=1)
    stage.clock.jump(-wrong)
    early = {id_ for id_, *_ in stage.query(acts)}
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    for id_, lead_id, family, at in stage.query(acts):
        times[lead_id].append((at - wrong * (id_ in early), family))
    assert replay.find_differences(stage.database) == []
    return [sorted(of_lead) for of_lead in times.values()]


def corrected(stage: Stage, campaign: str) -> int:
    """When the campaign took note that its clock is right."""
    assert ClockCheck(stage.journal, stage.clock, campaign).end_sequences()
    return stage.clock.now()


def lead_of(stage: Stage, campaign: str) -> Lead:
    lead_id = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign)
    return present(stage.database.query(situations.known_lead, campaign, lead_id, stage.clock.now()))


def advanced(stage: Stage, campaign: str, **columns: object) -> None:
    event = Event("LeadAdvanced", stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign), columns)
    stage.journal.record(campaign, events=[event], actor="test", cause="test", at=stage.clock.now())


@pytest.mark.parametrize("wrong", [365 * DAY, 40 * DAY, 3 * HOUR, -365 * DAY, -40 * DAY, -3 * HOUR])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_follow_up_comes_three_days_after_the_first_message_and_once(stage: Stage, wrong: int, count: int) -> None:
    times = true_times(stage, stage.campaign(4, settings=ROUND_THE_CLOCK, connected=True), wrong, count)
    assert [len(of_lead) for of_lead in times] == [2] * 4
    wrong_for = 3 * DAY if count == 5 else 0  # one follow-up went out by that clock
    assert all(3 * DAY <= later - first <= 3 * DAY + wrong_for + 3 * HOUR for (first, _), (later, _) in times)


@AHEAD
def test_an_unanswered_invitation_is_withdrawn_after_its_days_and_nobody_is_invited_twice(
    stage: Stage, ahead: int
) -> None:
    times = true_times(stage, stage.campaign(5, settings=ROUND_THE_CLOCK), ahead, 2)
    assert [[family for _, family in of_lead].count("invite") for of_lead in times] == [1] * 5
    waits = [of_lead[1][0] - of_lead[0][0] for of_lead in times if of_lead[-1][1] == "withdraw"]
    assert 7 * DAY <= min(waits) <= max(waits) <= 8 * DAY


@AHEAD
def test_each_time_that_lies_ahead_counts_as_when_the_clock_was_right_for_other_campaigns_too(
    stage: Stage, ahead: int
) -> None:
    campaign, other = stage.campaign(1), stage.campaign(1, name="Other")
    stage.clock.jump(ahead)
    advanced(stage, campaign, **dict.fromkeys(WAITED_FROM, stage.clock.now()), finished="no reply")
    stage.clock.jump(HOUR - ahead)
    assert lead_of(stage, campaign).last_sent_at == stage.clock.now()
    right = corrected(stage, campaign)
    stage.clock.jump(HOUR)
    assert not ClockCheck(stage.journal, stage.clock, campaign).end_sequences()
    lead, now = lead_of(stage, campaign), stage.clock.now()
    assert {name: getattr(lead, name) for name in WAITED_FROM} == dict.fromkeys(WAITED_FROM, right)
    person = present(stage.database.query(people.several, lead_of(stage, other).id, now))
    assert present(person.in_touch_elsewhere(now)).claim_ends() == person.others[0].kept_until(right)


@AHEAD
def test_an_automatic_answer_puts_off_from_when_the_clock_was_right_and_the_users_date_stays(
    stage: Stage, ahead: int
) -> None:
    campaign = stage.campaign(1)
    stage.clock.jump(ahead)
    until = stage.clock.now() + PAUSE
    advanced(stage, campaign, last_sent_at=MONDAY_NOON, thread_read_at=stage.clock.now(), paused_until=until)
    stage.clock.jump(-ahead)
    right, lead = corrected(stage, campaign), lead_of(stage, campaign)
    assert (lead.paused_until, lead.thread_read_at) == (right + PAUSE, None)
    stage.commands().replies.label(campaign, lead.id, Label.LATER, until)
    assert lead_of(stage, campaign).paused_until == until


@AHEAD
def test_an_approval_by_a_clock_that_was_ahead_lives_its_life_from_when_it_was_right(stage: Stage, ahead: int) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.clock.jump(ahead)
    while not (approved := stage.query("SELECT message_id, expires_at - created_at FROM approvals")):
        stage.run(campaign, stop_after=1)
    stage.clock.jump(-ahead)
    right, ((message, life),) = corrected(stage, campaign), approved
    assert present(stage.database.query(approvals.approval_of, message, right)).expires_at == right + life


def test_what_a_clock_recorded_that_was_wrong_twice_counts_by_the_next_correction(stage: Stage) -> None:
    campaign, times = stage.campaign(1), list[int]()
    for ahead in (365 * DAY, 40 * DAY):
        stage.clock.jump(ahead)
        times.append(stage.clock.now())
        advanced(stage, campaign, last_sent_at=times[-1])
        stage.clock.jump(-ahead)
        corrected(stage, campaign)
        stage.clock.jump(HOUR)
    now = stage.clock.now()
    with stage.database.read() as connection:
        assert [corrected_time(connection, campaign, at, now) for at in times] == [now - 2 * HOUR, now - HOUR]
        assert corrected_time(connection, campaign, times[0] + 1, now) == now, "no correction explains it"


@pytest.mark.parametrize("ahead", [TOLERANCE, TOLERANCE + 1])
def test_a_clock_was_set_back_if_by_more_than_devices_differ_and_is_right_again_at_that_time(
    stage: Stage, ahead: int
) -> None:
    campaign = stage.campaign(1)
    check = ClockCheck(stage.journal, stage.clock, campaign)
    stage.clock.jump(ahead)
    advanced(stage, campaign, last_sent_at=MONDAY_NOON)
    stage.clock.jump(-ahead)
    is_back = ahead > TOLERANCE
    assert [check.end_sequences(), check.end_sequences()] == [is_back, False]
    stage.clock.jump(ahead - 1)
    assert not check.end_sequences()
    advanced(stage, campaign, last_sent_at=MONDAY_NOON)
    stage.clock.jump(1)
    assert [check.end_sequences(), check.end_sequences()] == [is_back, False]


@pytest.mark.parametrize(
    ("behind", "at", "counts_as"),
    [
        (3 * HOUR, -1, -1),  # recorded before the clock was behind
        (3 * HOUR, 0, 3 * HOUR),
        (3 * HOUR, HOUR, 4 * HOUR),
        (3 * HOUR, 3 * HOUR - 1, 5 * HOUR),  # no later than now
        (3 * HOUR, 3 * HOUR, 3 * HOUR),  # since it is right
        (DAY, 0, DAY),
        (DAY + 1, 0, DAY + 1 + 2 * HOUR),  # nobody knows how much later
    ],
)
def test_what_a_clock_recorded_that_was_behind_counts_as_so_much_later(behind: int, at: int, counts_as: int) -> None:
    began = MONDAY_NOON
    now = began + max(behind, 3 * HOUR) + 2 * HOUR
    recorded = lead_row()._replace(last_sent_at=began + at, invited_at=None)
    counted = as_of(recorded, ClockCorrection(1, began, began + behind), now)
    assert counted == recorded._replace(last_sent_at=began + counts_as)


def test_by_a_right_clock_all_counts_as_it_is_and_nothing_is_read(stage: Stage) -> None:
    campaign = stage.campaign(1)
    advanced(stage, campaign, last_sent_at=MONDAY_NOON)
    assert not ClockCheck(stage.journal, stage.clock, campaign).end_sequences()
    lead = lead_of(stage, campaign)
    with stage.database.read() as connection:
        connection.set_trace_callback(pytest.fail)
        assert with_corrected_times(connection, lead, stage.clock.now()) is lead
        connection.set_trace_callback(None)

"""What is told about another day is told by that day's own clock, as `zoneinfo` knows it, wherever clocks are changed."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest

from backend.domain.contact.ramp_words import ramp_sentences
from backend.domain.contact.send_forecast import goes_out_at
from backend.domain.gates.approval import approval_ends
from backend.domain.gates.gates import AccountFacts, not_before, refusal, working_time
from backend.domain.model.campaign import DAY, HOUR, MINUTE, CampaignStatus, Limits
from backend.domain.model.days import (
    OffsetAt,
    RelativeDay,
    count_by_day,
    day_range,
    iso_day,
    local_midnight,
    local_month,
    local_time,
    utc_offsets,
)
from backend.domain.model.task import ActionFamily
from backend.domain.reports.campaign_state import StateFacts, campaign_state
from backend.domain.reports.insight import LimitsSince, limits_on
from backend.situation.outlook import approvable_from
from backend.situation.situations import TurnInputs

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # by half an hour
    "Africa/Casablanca",  # by the moon
    "America/Santiago",  # at midnight: one day begins at one o'clock, another ends twice
    "Pacific/Chatham",  # three quarters of an hour beside others
    "Asia/Kathmandu",  # so, too, and never changed
    "UTC",
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
OFFICE = Limits(ramp_days=0, spacing_seconds=0)
NIGHT = OFFICE.model_copy(update={"day_starts": 150, "day_ends": 225, "work_days": (0, 2, 5, 6)})
WHOLE_DAYS = OFFICE.model_copy(update={"day_starts": 0, "day_ends": 1_440, "work_days": (5, 6)})
ALL_LIMITS = (OFFICE, NIGHT, WHOLE_DAYS)


class Zone:
    """A zone by `zoneinfo` alone: nothing here asks the code under test."""

    def __init__(self, name: str) -> None:
        self.zone = ZoneInfo(name)
        self.offset = cache(self._offset)
        days = range(ms(datetime(2026, 1, 1, tzinfo=UTC)), ms(datetime(2029, 1, 1, tzinfo=UTC)), DAY)
        self.changes = [self._change(at) for at in days if self.offset(at) != self.offset(at + DAY)]

    def _offset(self, at: int) -> int:
        """The offset at a moment, both in ms."""
        there = self.zone.utcoffset((EPOCH + timedelta(milliseconds=at)).astimezone(self.zone))
        assert there is not None
        return there // timedelta(milliseconds=1)

    def _change(self, day: int) -> int:
        return next(at for at in range(day, day + DAY + 1, MINUTE) if self.offset(at) != self.offset(day))

    def day(self, at: int) -> date:
        """The day there."""
        return (EPOCH + timedelta(milliseconds=at)).astimezone(self.zone).date()

    def moment(self, day: date, minutes: int = 0) -> int:
        """When clocks show that time for the first time, or skip it."""
        shown = datetime.combine(day, time()) + timedelta(minutes=minutes)
        there = shown.replace(tzinfo=self.zone).astimezone(UTC)
        if there.astimezone(self.zone).replace(tzinfo=None) == shown:
            return ms(there)
        (skipped,) = [change for change in self.changes if abs(change - ms(there)) <= HOUR]
        return skipped

    def opens(self, limits: Limits, at: int) -> int:
        """The first moment of working hours from `at` on."""
        for ahead in range(9):
            day = self.day(at) + timedelta(ahead)
            first, last = (self.moment(day, minutes) for minutes in (limits.day_starts, limits.day_ends))
            if day.weekday() in limits.work_days and max(at, first) < last:
                return max(at, first)
        raise AssertionError

    def moments(self) -> Iterator[int]:
        """Around each change, days before and after it; where there is none, a week of a summer."""
        for change in self.changes or [ms(datetime(2026, 7, 1, tzinfo=UTC))]:
            yield from (change - 1, change, change + 1)
            yield from range(change - 4 * DAY, change + 3 * DAY, 5 * HOUR + 13 * MINUTE)


def ms(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


@pytest.fixture(params=ZONES, scope="module")
def zone(request: pytest.FixtureRequest) -> Zone:
    tested_zone = Zone(request.param)
    # How often is a government's to say, and the system's newest list of zones says it.
    assert bool(tested_zone.changes) is (request.param not in ("UTC", "Asia/Kathmandu"))
    return tested_zone


def account(now: int, offset_at: OffsetAt, limits: Limits) -> AccountFacts:
    return AccountFacts(now, offset_at, ActionFamily.MESSAGE, "active", limits, first_ever=now - 90 * DAY)


def test_days_and_months_begin_at_their_own_midnight(zone: Zone) -> None:
    for now in zone.moments():
        today = zone.day(now)
        monday = today - timedelta(today.weekday())
        assert local_midnight(now, zone.offset) == zone.moment(today)
        assert local_month(now, zone.offset) == zone.moment(today.replace(day=1))
        spans: dict[RelativeDay, tuple[date, int]] = {
            "today": (today, 1),
            "yesterday": (today - timedelta(1), 1),
            "last_week": (monday - timedelta(7), 7),
            "this_week": (monday, today.weekday() + 1),
            "this_month": (today.replace(day=1), today.day),
        }
        for relative, (first, days) in spans.items():
            expected = (zone.moment(first), zone.moment(first + timedelta(days)))
            assert day_range(relative, None, None, now, zone.offset) == expected
        narrowed = day_range(None, monday.isoformat(), today.isoformat(), now, zone.offset)
        assert narrowed == (zone.moment(monday), zone.moment(today + timedelta(1)))


def test_working_hours_open_by_the_clock_of_their_own_day(zone: Zone) -> None:
    for now in zone.moments():
        for limits in ALL_LIMITS:
            for due in (now, now + DAY, now + 3 * DAY):
                assert working_time(limits, due, zone.offset) == zone.opens(limits, due)
                assert not_before(limits, ActionFamily.INVITE, due, zone.offset) == zone.opens(limits, due)


def test_a_gate_that_opens_tomorrow_opens_by_tomorrow_s_clock(zone: Zone) -> None:
    for now in zone.moments():
        tomorrow = zone.moment(zone.day(now) + timedelta(1))
        for limits in ALL_LIMITS:
            free = account(now, zone.offset, limits)
            for facts, opens in ((free._replace(sent_today=limits.messages_a_day), tomorrow), (free, now)):
                shut, is_within = refusal(facts, None), zone.opens(limits, now) == now
                assert (now if shut is None else shut.until) == zone.opens(limits, opens if is_within else now)


def test_the_forecast_names_the_moment_at_which_the_hours_open(zone: Zone) -> None:
    for now in zone.moments():
        tomorrow = zone.moment(zone.day(now) + timedelta(1))
        for limits in ALL_LIMITS:
            facts = account(now, zone.offset, limits)
            assert goes_out_at(facts, 0) == zone.opens(limits, now)
            assert goes_out_at(facts._replace(sent_today=limits.messages_a_day), 0) == zone.opens(limits, tomorrow)


def test_an_approval_ends_with_the_working_hours_of_its_last_day(zone: Zone) -> None:
    for now in zone.moments():
        for limits in ALL_LIMITS:
            day, left = zone.day(now), limits.approval_working_days
            while left:
                day += timedelta(1)
                left -= day.weekday() in limits.work_days
            assert approval_ends(limits, now, zone.offset) == zone.moment(day, limits.day_ends)


def test_a_message_may_be_approved_with_others_from_the_first_day_on_whose_approval_lasts_until_it_goes(
    zone: Zone,
) -> None:
    for change in zone.changes[:2]:
        for before in range(12):
            midnight = zone.moment(zone.day(change) - timedelta(before))
            for now in (midnight - 30 * MINUTE, midnight - 1, midnight, midnight + 30 * MINUTE):
                for limits in ALL_LIMITS:
                    planned = approval_ends(limits, zone.moment(zone.day(now) + timedelta(6)), zone.offset)
                    days = [zone.moment(zone.day(now) + timedelta(ahead)) for ahead in range(1, 9)]
                    from_there = (at for at in (now, *days) if approval_ends(limits, at, zone.offset) >= planned)
                    inputs = TurnInputs(now, zone.offset, present=True)
                    assert approvable_from(limits, planned, inputs) == next(from_there)


def test_what_is_said_of_another_day_is_what_its_clock_shows(zone: Zone) -> None:
    for now in zone.moments():
        opens = zone.opens(OFFICE, zone.moment(zone.day(now) + timedelta(1)))
        detail = campaign_state(StateFacts(CampaignStatus.ACTIVE, now, zone.offset, next_at=opens)).detail
        assert detail.endswith(", 09:00.")
        assert iso_day(local_time(opens, zone.offset)) == zone.day(opens).isoformat()
        (ramp,) = ramp_sentences(
            OFFICE.model_copy(update={"ramp_days": 1}), {ActionFamily.MESSAGE: 0}, now, zone.offset
        )
        assert ramp.startswith("Up to "), "a day is neither skipped nor counted twice"


def test_each_moment_counts_for_the_day_that_its_clock_showed(zone: Zone) -> None:
    times = list(zone.moments())
    days = Counter(zone.day(at).toordinal() - date(1970, 1, 1).toordinal() for at in times)
    assert count_by_day(times, zone.offset) == days
    history = [LimitsSince(0, OFFICE)]
    history += [
        LimitsSince(at, OFFICE.model_copy(update={"messages_a_day": n})) for n, at in enumerate(zone.changes, 1)
    ]
    for n, change in enumerate(zone.changes, 1):
        begins, ends = (zone.moment(zone.day(change) + timedelta(more)) for more in (0, 1))
        limits_in_force = limits_on(history, (zone.day(change) - date(1970, 1, 1)).days, zone.offset)
        assert n in [limits.messages_a_day for limits in limits_in_force]
        assert len(limits_in_force) == (2 if begins < change < ends else 1)


def test_the_page_is_told_every_offset_of_the_days_that_it_tells(zone: Zone) -> None:
    now = ms(datetime(2028, 1, 1, tzinfo=UTC))
    offsets = utc_offsets(now, zone.offset)
    for at in zone.moments():
        assert next(offset.ms for offset in reversed(offsets) if offset.since <= at) == zone.offset(at)

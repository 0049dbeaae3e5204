"""A computer that does not know what day it is, is told so."""

import threading
import time

import pytest

from backend.adapters.clocks import EARLIEST, LATEST, RehearsalClock, SystemClock, plausible
from backend.domain.values.errors import OutriderError
from tests import posix

FAR = (-1, 0, -62_135_596_800_000, EARLIEST - 1, LATEST, 10**18)


@pytest.mark.parametrize("now", FAR)
def test_a_moment_that_cannot_be_now_is_told_as_the_clocks_fault(now: int) -> None:
    with pytest.raises(OutriderError) as refused:
        plausible(now)
    assert refused.value.code == "clock_wrong"
    assert "clock" in refused.value.sentence


def test_both_clocks_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: -1)
    for clock in (SystemClock(), RehearsalClock(0, lambda *_: None)):
        with pytest.raises(OutriderError) as refused:
            clock.now()
        assert refused.value.code == "clock_wrong"


def test_today_is_possible() -> None:
    assert plausible(SystemClock().now())


def test_a_rehearsals_clock_stands_still_while_the_user_is_waited_for_and_goes_on_where_it_stood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, jumps, wake = [EARLIEST + 1], [], threading.Event()
    monkeypatch.setattr(SystemClock, "now", lambda _: real[0])
    clock = RehearsalClock(1_000, lambda now, ahead: jumps.append((now, ahead)))
    began = clock.now()
    for _ in range(3):  # as long as nobody decides anything, and between one look and the next
        clock.wait_for_user(0, wake)
        real[0] += 3_600_000
        assert clock.now() == began
    wake.set()
    clock.wait_for_user(0, wake)
    assert clock.now() == began
    real[0] += 5
    assert clock.now() == began + 5
    wake.clear()
    clock.wait_for_user(0, wake)
    real[0] += 3_600_000
    clock.sleep_until(began + 60_000, wake)
    assert clock.now() == began + 60_000
    assert jumps == [(began + 60_000, began + 60_000 - real[0])]


@pytest.mark.posix
def test_a_zone_that_is_changed_while_outrider_runs_holds_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C library keeps the zone that a process began with; Windows's own has no call to read it again."""
    clock, now, passed = SystemClock(), EARLIEST, time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: passed)
    zones = {"Asia/Tokyo": 9 * 60, "Australia/Lord_Howe": 11 * 60, "Pacific/Apia": 13 * 60, "Etc/UTC": 0}
    with monkeypatch.context() as patch:
        for zone, minutes in zones.items():
            patch.setenv("TZ", zone)
            passed += 10
            assert clock.offset(now) == minutes * 60_000, zone
    posix.read_zone_again()

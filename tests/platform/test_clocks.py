"""Which clock stands still while the machine sleeps, by each system's own rules: presence and the lease rest on it."""

import threading
import time
from typing import Any

import pytest

from backend.adapters import clocks
from backend.adapters.clocks import EARLIEST, SystemClock, clocks_here, clocks_of
from backend.adapters.ids import SystemIds
from backend.domain.values.real_time import elapsed_seconds
from backend.runtime.run.presence import PagePresence
from tests.platform.windows_library import Function

GOES_ON_IN_SLEEP = {
    "linux": {"CLOCK_MONOTONIC": False, "CLOCK_MONOTONIC_RAW": False, "CLOCK_BOOTTIME": True},
    "darwin": {"CLOCK_MONOTONIC": True, "CLOCK_MONOTONIC_RAW": True, "CLOCK_UPTIME_RAW": False},
    "win32": {"QueryUnbiasedInterruptTime": False, "GetTickCount64": True},
}
"""Each system's clocks, as its maker describes them."""


class Machine:
    """One that has been awake and asleep for so long; it stands for the module `time` there, and for `kernel32`."""

    def __init__(self, system: str, wall: list[int]) -> None:
        self._goes_on = GOES_ON_IN_SLEEP[system]
        self.awake_ms, self.asleep_ms, self._wall = 10**10, 10**9, wall  # months: more than 32 bits
        self.QueryUnbiasedInterruptTime = Function(self._tell_unbiased)
        self.GetTickCount64 = Function(lambda: self._shown("GetTickCount64"))

    def __getattr__(self, name: str) -> str:
        if name not in self._goes_on:
            raise AttributeError(name)
        return name

    def clock_gettime_ns(self, clock: str) -> int:
        return self._shown(clock) * 1_000_000

    def stay_awake(self, seconds: float) -> None:
        self.awake_ms += round(seconds * 1_000)
        self._wall[0] += round(seconds * 1_000)

    def sleep(self, seconds: float) -> None:
        self.asleep_ms += round(seconds * 1_000)
        self._wall[0] += round(seconds * 1_000)

    def _shown(self, clock: str) -> int:
        return self.awake_ms + (self.asleep_ms if self._goes_on[clock] else 0)

    def _tell_unbiased(self, counted: Any) -> int:
        counted._obj.value = self._shown("QueryUnbiasedInterruptTime") * 10_000
        return 1


@pytest.fixture(params=GOES_ON_IN_SLEEP)
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Machine:
    wall = [EARLIEST]
    machine = Machine(request.param, wall)
    system_clocks = clocks_of(request.param, machine, machine)
    monkeypatch.setattr(clocks, "clocks_here", lambda: system_clocks)
    monkeypatch.setattr(time, "time_ns", lambda: wall[0] * 1_000_000)
    return machine


def test_only_time_awake_counts_and_sleep_is_told(machine: Machine) -> None:
    before = SystemClock().real_time()
    assert before.slept == machine.asleep_ms
    machine.stay_awake(7)
    machine.sleep(3_600)
    after = SystemClock().real_time()
    assert after.monotonic - before.monotonic == 7_000
    assert after.slept - before.slept == 3_600_000
    assert after.wall - before.wall == 3_607_000


def test_a_lease_is_not_counted_through_a_sleep(machine: Machine) -> None:
    asked = SystemClock().real_time()
    machine.stay_awake(5)
    assert elapsed_seconds(asked, SystemClock().real_time()) == 5
    machine.sleep(2)
    assert elapsed_seconds(asked, SystemClock().real_time()) is None


def test_after_a_sleep_nobody_is_present(machine: Machine) -> None:
    presence = PagePresence(SystemClock(), minutes=10, runs=lambda: True, on_change=lambda _: None)
    presence.report_active("page", 0)
    machine.stay_awake(61)
    assert presence.is_present(0)
    machine.sleep(61)
    presence.report_active("page", 0)
    assert not presence.is_present(0)


def test_this_systems_clocks_are_there_and_go_forward() -> None:
    system_clocks = clocks_here()
    before = system_clocks.awake(), system_clocks.always()
    while system_clocks.awake() == before[0] or system_clocks.always() == before[1]:
        threading.Event().wait(0.001)
    assert system_clocks.awake() > before[0]
    assert system_clocks.always() > before[1]


def test_ids_of_one_tick_are_in_the_order_of_their_making(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows's wall clock may stand for 15 ms; what is ordered by its id is in order all the same."""
    monkeypatch.setattr(time, "time_ns", lambda: (EARLIEST + 1) * 1_000_000)
    made = [SystemIds().new() for _ in range(1_000)]
    assert made == sorted(set(made))

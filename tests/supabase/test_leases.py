"""The lease: at most one device holds it at any instant, its fence only grows, and it is never taken away before it ends."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from backend.domain.events.events import WORKSPACE, Event
from tests.fakes.clock import START
from tests.postgres import Project
from tests.supabase.tenant import Tenant, append, chained, lease, refused, signed_in

STOPPED = """
    create table outrider.stopped as select clock_timestamp() as at;
    grant all on outrider.stopped to postgres;
    create or replace function outrider.now() returns timestamptz language sql volatile set search_path = '' as
      'select at from outrider.stopped';
"""


class Clock:
    """The leases' time, standing still until a test moves it."""

    def __init__(self, admin: psycopg.Connection) -> None:
        self._admin = admin

    def wait(self, seconds: float) -> None:
        self._admin.execute("update outrider.stopped set at = at + make_interval(secs => %s)", (seconds,))


@pytest.fixture(scope="module", params=[17, 15])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    """A project of this module's own, whose time stands still."""
    server = request.getfixturevalue(f"postgres_{request.param}")
    with server.database() as database:
        server.run(database, STOPPED)
        yield Project(server, database)


@pytest.fixture
def clock(admin: psycopg.Connection) -> Clock:
    return Clock(admin)


def renew(tenant: Tenant, device: str, fence: int, seconds: float = 60.0) -> dict[str, Any]:
    answer: dict[str, Any] = tenant.call("renew_lease", device_id=device, fence=fence, seconds=seconds)
    return answer


def release(tenant: Tenant, device: str, fence: int) -> None:
    tenant.call("release_lease", device_id=device, fence=fence)


def test_the_first_device_gets_it_and_the_other_is_told_who_has_it(alice: Tenant, clock: Clock) -> None:
    assert lease(alice, "a") == {"fence": 1, "device_id": "a", "device_name": "A", "seconds": 60, "wanted_by": ""}
    clock.wait(20)
    assert lease(alice, "b") == {"fence": 0, "device_id": "a", "device_name": "A", "seconds": 40, "wanted_by": ""}


def test_asking_again_lasts_from_now_and_what_is_given_back_late_is_nothing(alice: Tenant, clock: Clock) -> None:
    lease(alice, "a")
    clock.wait(59)
    lease(alice, "b", take_over=True)
    again = lease(alice, "a", 30)
    assert (again["fence"], again["seconds"], again["wanted_by"]) == (2, 30, "B")
    release(alice, "a", 1)
    assert lease(alice, "b")["fence"] == 0


def test_it_ends_by_itself_and_the_next_fence_is_higher_even_for_the_same_device(alice: Tenant, clock: Clock) -> None:
    lease(alice, "a")
    clock.wait(60)
    with refused("PT423", "lease_lost"):
        renew(alice, "a", 1)
    assert lease(alice, "a")["fence"] == 2
    clock.wait(60)
    assert lease(alice, "b")["fence"] == 3
    with refused("PT423", "lease_lost"):
        renew(alice, "a", 2)


def test_renewing_lasts_from_now(alice: Tenant, clock: Clock) -> None:
    lease(alice, "a")
    clock.wait(50)
    assert renew(alice, "a", 1)["seconds"] == 60
    clock.wait(50)
    assert lease(alice, "b")["fence"] == 0
    for device, fence in (("a", 2), ("b", 1), ("b", 0)):
        with refused("PT423", "lease_lost"):
            renew(alice, device, fence)


def test_who_wants_it_is_told_to_its_holder_and_gets_it_only_once_it_is_given_back(alice: Tenant, clock: Clock) -> None:
    lease(alice, "a")
    assert lease(alice, "b", take_over=True)["fence"] == 0
    assert renew(alice, "a", 1)["wanted_by"] == "B"
    assert lease(alice, "b")["fence"] == 0
    release(alice, "a", 1)
    assert lease(alice, "b") == {"fence": 2, "device_id": "b", "device_name": "B", "seconds": 60, "wanted_by": ""}
    release(alice, "a", 1)
    release(alice, "a", 2)
    assert renew(alice, "b", 2)["fence"] == 2


@pytest.mark.parametrize(("asked", "granted"), [(1e9, 300), (float("inf"), 300), (float("nan"), 300), (-5, 1)])
def test_it_is_given_for_five_minutes_at_most(asked: float, granted: float, alice: Tenant, clock: Clock) -> None:
    assert lease(alice, "a", asked)["seconds"] == granted


def test_a_revoked_device_gets_it_no_more(project: Project, alice: Tenant, clock: Clock) -> None:
    lease(alice, "a")
    joined = Event("DeviceJoined", "a", {"name": "A", "created_at": START})
    revoked = Event("DeviceRevoked", "a", {"revoked_at": START})
    with signed_in(project, alice.user) as desk:
        append(desk, WORKSPACE, 0, chained(None, joined, revoked, stream=WORKSPACE), device="b")
        for name in ("a", "another name of it"):
            with refused("PT403", "device_revoked"):
                lease(alice, name)
        with refused("PT403", "device_revoked"):
            renew(alice, "a", 1)
        assert lease(desk, "b")["fence"] == 0  # what it may have begun is left to end
        clock.wait(60)
        assert lease(desk, "b")["fence"] == 2


def test_each_user_has_one_of_their_own(project: Project, alice: Tenant) -> None:
    lease(alice, "a")
    with signed_in(project, uuid4()) as bob:
        assert lease(bob, "b")["fence"] == 1
        release(bob, "a", 1)
    assert lease(alice, "b")["fence"] == 0


def test_of_devices_that_ask_at_once_exactly_one_gets_it(project: Project, alice: Tenant) -> None:
    for _ in range(10):
        fences: list[int] = []
        ready = threading.Barrier(4)

        def ask(device: str, ready: threading.Barrier = ready, fences: list[int] = fences) -> None:
            with signed_in(project, alice.user) as tenant:
                ready.wait()
                fences.append(lease(tenant, device)["fence"])

        threads = [threading.Thread(target=ask, args=(f"device-{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(fences)[:3] == [0, 0, 0]
        with signed_in(project, alice.user) as tenant:
            granted_lease = lease(tenant, "nobody")
            assert granted_lease["device_id"] != "nobody"
            release(tenant, granted_lease["device_id"], max(fences))


class Devices(RuleBasedStateMachine):
    """Two devices and a clock against the rule in words: who holds it, till when, and under which fence."""

    project: Project
    clock: Clock
    tenants: dict[str, Tenant]

    def __init__(self) -> None:
        super().__init__()
        self.clock.wait(1_000)  # what an example before this one left is over
        self.now = 0.0
        self.holder, self.until = "", 0.0
        self.fence = self.highest = self._highest()
        self.wanted = ""

    def _highest(self) -> int:
        fence = int(lease(self.tenants["a"], "a")["fence"])
        release(self.tenants["a"], "a", fence)
        return fence

    @property
    def live(self) -> bool:
        return self.holder != "" and self.now < self.until

    @rule(device=st.sampled_from("ab"), seconds=st.sampled_from((5.0, 60.0)), take_over=st.booleans())
    def acquires(self, device: str, seconds: float, take_over: bool) -> None:
        granted_lease = lease(self.tenants[device], device, seconds, take_over=take_over)
        if self.live and self.holder != device:
            self.wanted = device.upper() if take_over else self.wanted
            assert granted_lease["fence"] == 0
        else:
            if not self.live:
                self.wanted = ""
            self.fence += 1
            self.holder, self.until = device, self.now + seconds
            assert granted_lease["fence"] == self.fence
        assert (granted_lease["device_id"], granted_lease["wanted_by"]) == (self.holder, self.wanted)
        assert granted_lease["seconds"] == pytest.approx(self.until - self.now)

    @rule(device=st.sampled_from("ab"), late=st.sampled_from((0, 1)), seconds=st.sampled_from((5.0, 60.0)))
    def renews(self, device: str, late: int, seconds: float) -> None:
        if self.live and self.holder == device and late == 0:
            assert renew(self.tenants[device], device, self.fence, seconds)["wanted_by"] == self.wanted
            self.until = self.now + seconds
        else:
            with refused("PT423", "lease_lost"):
                renew(self.tenants[device], device, self.fence - late, seconds)

    @rule(device=st.sampled_from("ab"), late=st.sampled_from((0, 1)))
    def releases(self, device: str, late: int) -> None:
        release(self.tenants[device], device, self.fence - late)
        if self.holder == device and late == 0:
            self.until = self.now

    @rule(seconds=st.sampled_from((1.0, 5.0, 30.0, 60.0)))
    def waits(self, seconds: float) -> None:
        self.clock.wait(seconds)
        self.now += seconds

    @invariant()
    def the_fence_never_falls(self) -> None:
        assert self.fence >= self.highest
        self.highest = self.fence


@contextmanager
def two_devices(project: Project, user: UUID) -> Iterator[dict[str, Tenant]]:
    with signed_in(project, user) as a, signed_in(project, user) as b:
        yield {"a": a, "b": b}


def test_whatever_two_devices_do_in_whatever_order_the_rule_holds(project: Project, clock: Clock) -> None:
    with two_devices(project, uuid4()) as tenants:
        machine = type("Here", (Devices,), {"project": project, "clock": clock, "tenants": tenants})
        quick = settings(
            max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        )
        run_state_machine_as_test(machine, settings=quick)

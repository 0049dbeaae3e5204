"""Small wrong versions of the product: each breaks one rule, and the simulation must find it. That is how we know it can see.

A fault that is not found means that the simulation is to be mended, not this table.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from backend.commands.user_commands import Commands
from backend.domain import gates
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.worker import Worker
from backend.turn.execute import act_check, look, send
from tests.fakes.shared_store import FakeSharedStore
from tests.simulation import machine

Plant = Callable[[], AbstractContextManager[None]]


class Planted(NamedTuple):
    """A rule that is broken: how, and in which worlds that shows."""

    name: str
    plant: Plant
    faults: frozenset[str] | None
    """None: the seed's choice."""
    devices: int = 1


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Another value for as long as the block lasts."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def without_gates(*codes: str) -> Plant:
    """These gates are always open."""
    return lambda: replaced(gates, "GATES", tuple(gate for gate in gates.GATES if gate.code not in codes))


def _same_device_takes_the_lease() -> AbstractContextManager[None]:
    original = FakeSharedStore.acquire_lease

    def acquire(self: FakeSharedStore, device_id: str, name: str, holder: str, seconds: float, **how: Any) -> Any:
        user = self._user
        if user.device_id == device_id:
            user.holder = holder
        return original(self, device_id, name, holder, seconds, **how)

    return replaced(FakeSharedStore, "acquire_lease", acquire)


def _anybody_takes_the_lease() -> AbstractContextManager[None]:
    original = FakeSharedStore.acquire_lease

    def acquire(self: FakeSharedStore, device_id: str, name: str, holder: str, seconds: float, **how: Any) -> Any:
        self._user.ends = 0.0
        return original(self, device_id, name, holder, seconds, **how)

    return replaced(FakeSharedStore, "acquire_lease", acquire)


def _a_worker_dies_of_an_error() -> AbstractContextManager[None]:
    original = Worker._record

    def record(self: Worker, error: Exception) -> float:
        original(self, error)
        self.stopping.set()
        return 0.0

    return replaced(Worker, "_record", record)


@contextmanager
def _record_is_not_compared() -> Iterator[None]:
    with replaced(look, "differs_from_record", lambda *_: None), replaced(send, "differs_from_record", lambda *_: None):
        yield


PLANTED = (
    Planted(
        "an unanswered send is taken for lost after a second",
        lambda: replaced(machine.SimulatedSite, "settle_seconds", 1.0),
        frozenset({"late sends"}),
    ),
    Planted("working hours are not looked at", without_gates("within_working_hours"), frozenset()),
    Planted("daily limits are not looked at", without_gates("daily_limit", "ramp"), frozenset()),
    Planted("do-not-contact is not asked before an act", without_gates("not_on_do_not_contact"), frozenset()),
    Planted(
        "taking an approval back does nothing",
        lambda: replaced(Commands, "withdraw", lambda *_: None),
        frozenset(),
    ),
    Planted("what is there and not on record is not compared", _record_is_not_compared, frozenset({"older"})),
    Planted("the same device id has the lease at once", _same_device_takes_the_lease, frozenset({"copy", "stop"}), 2),
    Planted("anybody has the lease at once", _anybody_takes_the_lease, frozenset({"stop"}), 2),
    Planted(
        "nobody asks again before the click",
        lambda: replaced(act_check.ActCheck, "__call__", lambda _: None),
        frozenset({"stop", "sleep untold"}),
        2,
    ),
    Planted(
        "a lease that was lost still counts",
        lambda: replaced(SyncEngine, "may_still_act", lambda _: True),
        frozenset({"stop", "offline"}),
        2,
    ),
    Planted("a worker ends with its first error", _a_worker_dies_of_an_error, frozenset({"busy", "network"}), 2),
)  # fmt: skip

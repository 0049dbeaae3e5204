"""The lease as this device knows it: until when it may act, by clocks of its own."""

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from backend.domain.values.real_time import RealTime, elapsed_seconds
from backend.ports.clock import Clock
from backend.ports.shared_store import Lease, SharedStore, SharedStoreRefusedError
from backend.ports.site import ACT_SECONDS, STEP_SECONDS

RENEWALS = 4
"""So many renewals in a row may fail before nothing can be begun."""


class LeaseTimes(NamedTuple):
    """What an act may take decides how long a lease is. Seconds.

    `act` is the longest that an act takes up to the moment when its bytes leave (`ActCheck` refuses a longer one), `arrive`
    what is left for them to arrive, `renew` how often it is renewed.
    """

    act: float = ACT_SECONDS
    arrive: float = 2 * STEP_SECONDS
    renew: float = 15.0

    @property
    def to_begin(self) -> float:
        """More than this must be left of it for an act to be begun."""
        return self.act + self.arrive

    @property
    def whole(self) -> float:
        """For how long it is asked for."""
        return self.to_begin + RENEWALS * self.renew


class ThisDevice(NamedTuple):
    """This device and this launch; the launch holds the lease, as a copied data folder has the device's id, too."""

    id: str
    name: str
    launch: str


class _LeaseTerm(NamedTuple):
    """What was given, and when it was asked for."""

    fence: int
    asked_at: RealTime
    seconds: float


ANOTHER_LAUNCH = " (an earlier start here, or a copy of its data folder)"
"""How the holder is called that has this device's id and is not this launch: until its lease ends, it may act."""

_NONE = _LeaseTerm(0, RealTime(0, 0), 0.0)


class LeaseKeeper:
    """What this device holds of the lease; safe from any thread. Every question to the shared store is asked by the caller's."""

    def __init__(
        self, device: ThisDevice, clock: Clock, times: LeaseTimes, request_lock: AbstractContextManager[Any]
    ) -> None:
        """`request_lock` is held while the shared store is asked: one question at a time."""
        self.device = device
        self.times = times
        self._clock = clock
        self._term = _NONE
        self._last_other_holder: tuple[str, int] = ("", 0)
        self._request_lock = request_lock
        self.wanted_by = ""
        self.pulled_fence: int | None = None
        """The fence under which everything that others recorded was pulled."""
        self.confirmed_fence: int | None = None
        """The fence under which the act that is under way was confirmed."""

    def may_begin_act(self) -> bool:
        """Whether everything was pulled under it, and it lasts for as long as an act may take."""
        return self._is_unbroken(self.pulled_fence) and self.seconds() > self.times.to_begin

    def may_go_on(self) -> bool:
        """Whether the lease under which the act was confirmed was never lost, and lasts until its bytes have arrived."""
        return self._is_unbroken(self.confirmed_fence) and self.seconds() > self.times.arrive

    def _is_unbroken(self, fence: int | None) -> bool:
        return fence is not None and fence == self.pulled_fence == self.fence

    def seconds(self) -> float:
        """What is left of it, never more than the shared store thinks: it is counted from before it was asked for.

        Nothing, if the machine may have slept since it was last given: then nobody knows before it is asked for again.
        """
        term = self._term
        passed = elapsed_seconds(term.asked_at, self._clock.real_time())
        return 0.0 if passed is None else max(0.0, term.seconds - passed)

    @property
    def fence(self) -> int | None:
        """What is shown with what only the holder may record; None once it is over."""
        return self._term.fence if self._term.fence and self.seconds() > 0 else None

    @property
    def held(self) -> bool:
        """Whether there is anything to give back."""
        return self._term.fence > 0

    @property
    def until(self) -> int | None:
        """When it is over at the latest (ms UTC)."""
        term = self._term
        return term.asked_at.wall + round(term.seconds * 1e3) if self.fence else None

    @property
    def other_holder(self) -> str:
        """The name of the other device that had it when we last heard, while that may still be so."""
        name, until = self._last_other_holder
        return name if self._clock.now() < until else ""

    @property
    def other_holder_until(self) -> int | None:
        """When that device's is over if it does not keep it (ms UTC)."""
        return self._last_other_holder[1] if self.other_holder else None

    def look(self, shared_store: SharedStore) -> None:
        """Hear who has it while this device does not, and ask for nothing."""
        with self._request_lock:
            if self._term.fence:
                return
            asked_at = self._clock.real_time()
            self._note_holder(shared_store.read_lease(self.device.launch), asked_at)

    def acquire(self, shared_store: SharedStore, *, take_over: bool = False) -> bool:
        """Keep it, or ask for it; False if somebody else has it, whose name `other_holder` is then."""
        if self.fence and self.renew(shared_store):  # what acts here goes on under its fence
            return True
        with self._request_lock:
            asked_at = self._clock.real_time()
            lease = shared_store.acquire_lease(*self.device, self.times.whole, take_over=take_over)
            return self._take(lease, asked_at)

    def renew(self, shared_store: SharedStore) -> bool:
        """Keep it; False if it is lost, or was none."""
        with self._request_lock:
            if not (fence := self._term.fence):
                return False
            asked_at = self._clock.real_time()
            try:
                lease = shared_store.renew_lease(self.device.id, fence, self.times.whole)
            except SharedStoreRefusedError as refused:
                if refused.code in ("lease_lost", "device_revoked"):
                    self.mark_lost()
                if refused.code != "lease_lost":
                    raise
                return False
            # What was found lost while the answer was on its way does not come back by it.
            return self._term.fence == fence and self._take(lease, asked_at)

    def release(self, shared_store: SharedStore) -> None:
        """Give it back. It is not used from now on even if nobody hears of it: then it runs out."""
        with self._request_lock:
            fence = self._term.fence
            self.mark_lost()
            if fence:
                shared_store.release_lease(self.device.id, fence)

    def mark_lost(self) -> None:
        """It is somebody else's by now."""
        self._term, self.wanted_by = _NONE, ""

    def _take(self, lease: Lease, asked_at: RealTime) -> bool:
        if not lease.fence:
            self.mark_lost()
            self._note_holder(lease, asked_at)
            return False
        self._term = _LeaseTerm(lease.fence, asked_at, lease.seconds)
        self._last_other_holder, self.wanted_by = ("", 0), lease.wanted_by
        return True

    def _note_holder(self, lease: Lease, asked_at: RealTime) -> None:
        if lease.fence:  # this launch gave it up, and nobody heard of it
            self._last_other_holder = ("", 0)
            return
        is_this_device = lease.device_id == self.device.id
        name = f"{lease.device_name}{ANOTHER_LAUNCH if is_this_device else ''}"
        self._last_other_holder = name, asked_at.wall + round(lease.seconds * 1e3)

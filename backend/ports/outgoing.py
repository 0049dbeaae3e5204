"""Every call that leaves this machine is announced here first: who may be called, and what was sent to whom."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Purpose(NamedTuple):
    """Why a host is called and what it is sent, in words for people."""

    code: str
    why: str
    sends: str


@dataclass(slots=True)
class Call:
    """One call under way; whoever makes it fills in what is known of it."""

    bytes_out: int = 0
    bytes_in: int = 0
    failed: str = ""


class Outgoing(Protocol):
    """The one list of hosts, and the register of calls. Safe to use from any thread."""

    def allow(self, host: str, purpose: Purpose) -> None:
        """This host may be called for this; nothing if it is allowed already."""
        ...

    def forbid(self, host: str, code: str) -> None:
        """Not any more for this purpose."""
        ...

    def call(self, host: str, code: str) -> AbstractContextManager[Call]:
        """Around a call. Raises `host_not_allowed` before anything is sent; the call is registered however it ends."""
        ...


class Register(NamedTuple):
    """What one host was sent for one purpose on one day (local midnight, ms UTC)."""

    day: int
    host: str
    purpose: Purpose
    calls: int
    failures: int
    bytes_out: int
    bytes_in: int
    last_at: int

"""Every call that leaves this machine is announced here first: who may be called, and what was sent to whom."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Purpose(NamedTuple):
    """Why a host is called and what it is sent, in words for people; `once`: each call is allowed by the user alone."""

    code: str
    why: str
    sends: str
    once: bool = False


MODEL = Purpose(
    "model",
    "Proposes what a campaign does next, and answers you in the assistant.",
    "The prompt of one step: the campaign's goal, counts and latest entries; your voice and skills; the task, its lead and "
    "the messages of that conversation; artifacts that it needs; what you wrote to the assistant. And this provider's key.",
)
MODEL_LIST = Purpose(
    "model-list",
    "Says which models it offers, each time that you ask for them in Settings, Models.",
    "This provider's key, if there is one.",
    once=True,
)
SUPABASE_SYNC = Purpose(
    "supabase-sync",
    "Your own project holds the copy that counts, so that all your devices have the same and only one of them acts.",
    "Every entry of both logs: campaigns, leads, messages, decisions, the model's replies, settings, artifacts with their files; "
    "keys only sealed. This device's name.",
)
SUPABASE_AUTH = Purpose(
    "supabase-auth",
    "Signs you in to your own project.",
    "Your e-mail address with the password or the code that you enter; later, what renews the sign-in.",
)
LINKEDIN_DRIVE = Purpose(
    "linkedin-drive",
    "Sends what you approved on LinkedIn, after your written consent; its pages are loaded by the controlled browser itself.",
    "The message that you approved and its recipient, as LinkedIn's own page would send it, with that browser's cookies.",
)
UPDATES = Purpose(
    "updates",
    "Has newer versions of Outrider; it is asked when you type `outrider update`, and at no other time.",
    "The names of the files that are fetched, which say the system and the processor. Nothing about you or the version here.",
)
PURPOSES = {
    purpose.code: purpose for purpose in (MODEL, MODEL_LIST, SUPABASE_SYNC, SUPABASE_AUTH, LINKEDIN_DRIVE, UPDATES)
}


@dataclass(slots=True)
class OutgoingCall:
    """One call under way; whoever makes it fills in what is known of it. An exception is a failure by itself."""

    bytes_out: int = 0
    bytes_in: int = 0
    failed: str = ""


class EgressPolicy(Protocol):
    """The one list of hosts, those of saved models and the attached project too, and the register of calls; for any thread."""

    def allow(self, host: str, purpose: Purpose) -> None:
        """Until `forbid` or the end of the launch this host may be called too: one that the user named, not attached yet."""
        ...

    def forbid(self, host: str, code: str) -> None:
        """Takes back what `allow` gave for this purpose."""
        ...

    def call(self, host: str, code: str) -> AbstractContextManager[OutgoingCall]:
        """Around a call, in the thread that makes it; outside of one, no other machine is reached.

        Raises `host_not_allowed` before anything is sent; the call is registered however it ends.
        """
        ...

    def call_once(self, host: str, code: str, *, local_network_only: bool) -> AbstractContextManager[OutgoingCall]:
        """As `call`, to a host that the user has just named: for this one call it need not be on the list."""
        ...


class AllowedHost(NamedTuple):
    """A host that may be called for a purpose. `local_network_only`: it is called without encryption."""

    host: str
    purpose: Purpose
    local_network_only: bool = False


@dataclass(frozen=True, slots=True)
class RefusedHost:
    """A host that something wanted to reach in this launch: when last (ms UTC), and how often."""

    host: str
    at: int
    times: int


class CallTotals(NamedTuple):
    """What one host was sent for one purpose (by its code) on one day (local midnight, ms UTC)."""

    day: int
    host: str
    purpose: str
    calls: int
    failures: int
    bytes_out: int
    bytes_in: int
    last_at: int

    @property
    def key(self) -> tuple[int, str, str]:
        """There is one of each."""
        return self.day, self.host, self.purpose

    def plus(self, other: "CallTotals") -> "CallTotals":
        """Both together."""
        return self._replace(
            calls=self.calls + other.calls,
            failures=self.failures + other.failures,
            bytes_out=self.bytes_out + other.bytes_out,
            bytes_in=self.bytes_in + other.bytes_in,
            last_at=max(self.last_at, other.last_at),
        )

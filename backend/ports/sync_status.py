"""Whether this device may act now: what a turn asks of the shared store, without knowing it."""

from typing import Protocol

LOCAL = "local"
IN_SYNC = "in_sync"
MAY_ACT = frozenset({LOCAL, IN_SYNC})
"""Any other word is the reason why not, as the gate `in_sync` says it: "The shared store is …"."""


class SyncStatus(Protocol):
    """Safe to ask from any thread."""

    def describe(self) -> str:
        """`local`, `in_sync`, or why nothing may be begun."""
        ...

    def push_and_confirm(self, campaign_id: str) -> bool:
        """Whether the shared store has everything of this stream that is on disk here, and this device may still act.

        One round trip, asked between an intent and its act; False means that the act must not happen.
        """
        ...

    def may_still_act(self) -> bool:
        """Whether what `push_and_confirm` last said yes to may still be done: no round trip, only what is certain here."""
        ...


class LocalOnly:
    """Without a project the local store is the shared store."""

    def describe(self) -> str:
        """`local`."""
        return LOCAL

    def push_and_confirm(self, _: str) -> bool:
        """Always: what is on disk is all there is."""
        return True

    def may_still_act(self) -> bool:
        """Nobody else acts on this store; what the clocks say is asked by the act itself."""
        return True

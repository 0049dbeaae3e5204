"""Whether this device may act now: what a turn asks of the shared store, without knowing it."""

from typing import Protocol

LOCAL = "local"
IN_STEP = "in_step"
MAY_ACT = frozenset({LOCAL, IN_STEP})
"""Any other word is the reason why not, as the gate `authority_in_step` says it: "The shared store is …"."""


class Standing(Protocol):
    """Safe to ask from any thread."""

    def word(self) -> str:
        """`local`, `in_step`, or why nothing may be begun."""
        ...

    def acknowledged(self, campaign_id: str) -> bool:
        """Whether the authority has everything of this stream that is on disk here, and this device may still act.

        One round trip, asked between an intent and its act; False means that the act must not happen.
        """
        ...


class Alone:
    """Without a project the local store is the authority."""

    def word(self) -> str:
        """`local`."""
        return LOCAL

    def acknowledged(self, _: str) -> bool:
        """Always: what is on disk is all there is."""
        return True

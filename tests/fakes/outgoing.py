"""The real list with nobody on it: whatever stays on this machine may be called, and what is registered goes nowhere."""

from backend.clocks import SystemClock
from backend.outgoing import OutgoingCalls


def nobody_else() -> OutgoingCalls:
    """For tests that are about something else."""
    return OutgoingCalls(SystemClock(), list, lambda _: None)

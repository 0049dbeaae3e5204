"""Looking at files and starting programs to verify what a task promised."""

from typing import Protocol

from backend.domain.turn.commitments import OutsidePromise


class OutsideChecks(Protocol):
    """Looks outside the database for the verifier."""

    def check(self, campaign_id: str, promise: OutsidePromise) -> tuple[bool, str]:
        """Whether it is so, and what was found; bounded in time, never raises.

        Whoever calls has made sure that the user approved exactly this command.
        """
        ...

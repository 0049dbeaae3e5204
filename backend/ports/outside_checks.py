"""Looking at files and starting programs to verify what a task promised."""

from collections.abc import Callable
from typing import Protocol

from backend.domain.turn.commitments import OutsidePromise


class OutsideChecks(Protocol):
    """Looks outside the database for the verifier."""

    def check(
        self, campaign_id: str, promise: OutsidePromise, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[bool, str]:
        """Whether it is so, and what was found; bounded in time.

        A command that runs is ended as soon as it is `stopped`, and so is whatever it started: then, and for no other reason,
        it raises (`ProcessEndedError`), because nothing was seen. Whoever calls has made sure that the user approved exactly
        this command.
        """
        ...

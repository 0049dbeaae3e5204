"""Which data folder of this user and machine acts by an account: one at a time, whether they are copies or not.

Every data folder of a user calls the lock on an account the same.
"""

import hashlib
import math
from typing import NamedTuple, Protocol


class SenderAccount(NamedTuple):
    """By whom people are written to: the network by its address, and the account there as campaigns name it.

    Outrider does not learn which member is logged in to LinkedIn, so that all data folders of a user have one account there.
    """

    network: str
    account: str

    @property
    def lock_name(self) -> str:
        """The name of a file: the same for each spelling of the address, and it tells nobody what is behind it."""
        network = self.network.strip().rstrip("/").casefold()
        return hashlib.sha256(f"{network}\n{self.account}".encode()).hexdigest()[:32]


def seconds_to_wait(settle_seconds: float, since_taken_over: float) -> float:
    """How much longer what another data folder sent last may still be under way."""
    return max(0.0, settle_seconds - since_taken_over)


NOT_TAKEN_OVER = math.inf


class AccountLocks(Protocol):
    """Safe to ask from any thread; nothing here waits."""

    def take(self, account: SenderAccount, purpose: str) -> float:
        """Hold the account until this purpose and all others are released; taken again for the same purpose, it is held once.

        Returns how many seconds ago it was taken over from another data folder, something of which may still be under way, or
        `NOT_TAKEN_OVER`. Raises `account_in_use` and `account_lock_failed`; then it is not held.
        """
        ...

    def note_act(self, account: SenderAccount) -> None:
        """Before each act: if this process is cut off from now on, something may be under way. Raises `account_lock_failed`."""
        ...

    def release(self, account: SenderAccount, purpose: str, *, is_settled: bool = True) -> None:
        """It is not held for this purpose any more; nothing if it was not. Not settled: something may still be under way."""
        ...


class OnlyFolder:
    """There is no other data folder."""

    def take(self, _account: SenderAccount, _purpose: str) -> float:
        """Always."""
        return NOT_TAKEN_OVER

    def note_act(self, _account: SenderAccount) -> None:
        """Nobody comes after it."""

    def release(self, _account: SenderAccount, _purpose: str, *, is_settled: bool = True) -> None:
        """Nothing is held."""


ONLY_FOLDER = OnlyFolder()

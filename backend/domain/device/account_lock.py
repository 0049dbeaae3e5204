"""What the lock on a sender's account is called, so that every data folder of a user calls it the same."""

import hashlib
from typing import NamedTuple


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

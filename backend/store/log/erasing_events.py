"""The events that erase entries of a stream, also from what earlier erasures say of them."""

from collections.abc import Mapping
from itertools import chain

from backend.domain.erasure.erasure import emptied, erasures
from backend.domain.erasure.remains import least_remains, lesser
from backend.domain.events.events import Event
from backend.store.log.erasure import earlier_erasures
from backend.store.log.transaction import Transaction


def erasing_events(transaction: Transaction, campaign_id: str, left: Mapping[str, str], now: int) -> list[Event]:
    """The events that erase these entries of the stream: the digest of each, and what is left of it.

    An earlier erasure that says more of one of them still has those words, so it is erased as well: it is emptied, and what it
    named is named again. Costs a scan of the stream.
    """
    least = dict(left)
    for digest, erasure, entries in earlier_erasures(transaction.connection, campaign_id) if left else ():
        if any(name in left and lesser(remains, left[name]) != remains for name, remains in entries.items()):
            least = least_remains(chain(least.items(), entries.items()))
            least[digest] = emptied(erasure)
    return erasures(least, transaction.new_id, now)

"""How an entry is tied to the one before it.

The hash covers the entry's metadata, its predecessor's hash and a salted digest of the payload, not the payload itself:
a payload's words can be erased on a person's request and the chain still verifies.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, TypeVar

from backend.domain.values.canonical_json import canonical
from backend.ports.shared_store import LoggedAudit, LoggedEvent

Entry = TypeVar("Entry", LoggedEvent, LoggedAudit)

GENESIS = bytes(32)


def payload_digest(salt: bytes, payload: str) -> bytes:
    """SHA-256 of salt and payload; without the salt nobody can guess an erased payload by trying."""
    return hashlib.sha256(salt + payload.encode()).digest()


def entry_hash(prev_hash: bytes, digest: bytes, *metadata: Any) -> bytes:
    """SHA-256 of the predecessor's hash, the payload's digest and the metadata in canonical JSON."""
    return hashlib.sha256(prev_hash + digest + canonical(metadata).encode()).digest()


_METADATA: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    LoggedEvent: attrgetter("timestamp", "kind", "entity_type", "entity_id", "actor", "cause"),
    LoggedAudit: attrgetter("timestamp", "action_type", "actor", "cause"),
}


def link_entries(campaign_id: str, seq: int, last: bytes, entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries as they stand after the entry `seq`, whose hash is `last`: numbered and hashed anew, all else as it is.

    Those that stand there already come back equal.
    """
    for entry in entries:
        seq += 1
        last = _following_hash(campaign_id, seq, last, entry)
        yield entry._replace(seq=seq, hash=last)


def first_unlinked(campaign_id: str, seq: int, last: bytes, entries: Iterable[Entry]) -> Entry | None:
    """The first that does not stand as it would behind the one before it, the first of all behind `seq` with the hash `last`."""
    for entry in entries:
        seq += 1
        last = _following_hash(campaign_id, seq, last, entry)
        if entry.seq != seq or entry.hash != last:
            return entry
    return None


def _following_hash(campaign_id: str, seq: int, last: bytes, entry: LoggedEvent | LoggedAudit) -> bytes:
    digest = entry.digest or payload_digest(entry.salt or b"", entry.payload)
    return entry_hash(last, digest, campaign_id, seq, *_METADATA[type(entry)](entry))

"""How an entry is tied to the one before it.

The hash covers the entry's metadata, its predecessor's hash and a salted digest of the payload, not the payload itself:
a payload can be erased on a person's request and the chain still verifies.
"""

import hashlib
from typing import Any

from backend.domain.events import canonical

GENESIS = bytes(32)


def payload_digest(salt: bytes, payload: str) -> bytes:
    """SHA-256 of salt and payload; without the salt nobody can guess an erased payload by trying."""
    return hashlib.sha256(salt + payload.encode()).digest()


def entry_hash(prev_hash: bytes, digest: bytes, *metadata: Any) -> bytes:
    """SHA-256 of the predecessor's hash, the payload's digest and the metadata in canonical JSON."""
    return hashlib.sha256(prev_hash + digest + canonical(metadata).encode()).digest()

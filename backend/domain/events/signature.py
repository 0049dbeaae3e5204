"""What a device signs: where both logs of a stream end, and the key that follows on its own."""

import hashlib
from typing import NamedTuple

from backend.domain.values.canonical_json import canonical

KEY_BYTES = 32
_HEADS = b"outrider log heads 1\n"
_NEXT_KEY = b"outrider next key 1\n"


class SignedHeads(NamedTuple):
    """A device's word that both logs of a stream ended there; the hashes chain everything before. `signed_at` in ms UTC."""

    campaign_id: str
    event_seq: int
    event_hash: bytes
    audit_seq: int
    audit_hash: bytes
    key_id: str
    signed_at: int
    signature: bytes


def key_id(public_key: bytes) -> str:
    """By what a key is known: the beginning of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:32]


def fingerprint(key: str) -> str:
    """The part of a key's id that two people compare, in groups of four."""
    return " ".join(key[at : at + 4] for at in range(0, 20, 4))


def heads_message(heads: SignedHeads) -> bytes:
    """The bytes that are signed; `signature` is no part of them."""
    fields = (
        heads.campaign_id, heads.event_seq, heads.event_hash.hex(), heads.audit_seq, heads.audit_hash.hex(),
        heads.key_id, heads.signed_at,
    )  # fmt: skip
    return _HEADS + canonical(fields).encode()


def next_key_message(device_id: str, public_key: bytes) -> bytes:
    """What a device's earlier key signs to introduce the one that follows on it."""
    return _NEXT_KEY + canonical((device_id, public_key.hex())).encode()

"""The signatures of where logs end, and the keys that made them, as the database has them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from backend.domain.events.signature import SignedHeads, next_key_message
from backend.ports.signer import Signer
from backend.store.database import DatabaseConnection

_COLUMNS = ", ".join(SignedHeads._fields)
_KEEP = f"INSERT OR REPLACE INTO log_signatures({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?)"
_LAST = f"SELECT {_COLUMNS} FROM log_signatures WHERE campaign_id=? ORDER BY event_seq DESC, audit_seq DESC LIMIT 1"


class SigningKey(NamedTuple):
    """A key as its event introduces it; times in ms UTC."""

    id: str
    device_id: str
    public_key: bytes
    previous: str
    endorsement: bytes
    created_at: int


def is_vouched_for(key: SigningKey, known_keys: Mapping[str, SigningKey], signer: Signer) -> bool:
    """Whether a key of the same device signed for it, or for the key that did, and so on; a device's first key needs no word.

    Between two keys of a device are those of the device that its folder was meanwhile, if an older database was put back.
    """
    device, unseen = key.device_id, set(known_keys)
    if all(known_key.device_id != device for known_key in known_keys.values()):
        return True
    while key.previous in unseen:
        unseen.remove(key.previous)
        earlier = known_keys[key.previous]
        if not signer.verify(earlier.public_key, next_key_message(key.device_id, key.public_key), key.endorsement):
            return False
        if earlier.device_id == device:
            return True
        key = earlier
    return False


def last_signature(connection: DatabaseConnection, stream: str) -> SignedHeads | None:
    """The signature that covers most of the stream."""
    row = connection.execute(_LAST, (stream,)).fetchone()
    return SignedHeads(*row) if row else None


def signatures(connection: DatabaseConnection, stream: str) -> Iterable[SignedHeads]:
    """All of a stream's, in the order of the log."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM log_signatures WHERE campaign_id=? ORDER BY event_seq, audit_seq, key_id", (stream,)
    )
    return map(SignedHeads._make, rows)


def keep_signatures(connection: DatabaseConnection, signed_heads: Iterable[SignedHeads]) -> None:
    """Made here, or another device's that were verified."""
    connection.executemany(_KEEP, signed_heads)


def forget_signatures_beyond(connection: DatabaseConnection, stream: str, event_seq: int, audit_seq: int) -> None:
    """Entries leave the log on purpose, and with them what was signed of them."""
    connection.execute(
        "DELETE FROM log_signatures WHERE campaign_id=? AND (event_seq>? OR audit_seq>?)",
        (stream, event_seq, audit_seq),
    )


def signing_keys(connection: DatabaseConnection) -> dict[str, SigningKey]:
    """Every key that the workspace's log introduces, by its id, in the order of their events' times."""
    rows = connection.execute(
        "SELECT id, device_id, public_key, previous, endorsement, created_at FROM signing_keys ORDER BY created_at, id"
    )
    return {
        id_: SigningKey(id_, device, bytes.fromhex(public), previous, bytes.fromhex(endorsement), at)
        for id_, device, public, previous, endorsement, at in rows
    }


def hashes_at(connection: DatabaseConnection, heads: SignedHeads) -> tuple[bytes | None, bytes | None]:
    """The hashes of the entries where these heads say that the logs end; None for one that is not there."""
    return (
        _hash_at(connection, "event_log", heads.campaign_id, heads.event_seq),
        _hash_at(connection, "audit_log", heads.campaign_id, heads.audit_seq),
    )


def _hash_at(connection: DatabaseConnection, log: str, stream: str, seq: int) -> bytes | None:
    if seq == 0:
        return bytes(32)
    row = connection.execute(f"SELECT hash FROM {log} WHERE campaign_id=? AND seq=?", (stream, seq)).fetchone()
    return row[0] if row else None

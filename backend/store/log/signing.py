"""Signs where both logs of a stream end: with the outcome of each act outside, in its transaction, and when the folder is closed.

One signature stands for all entries before it, because the hashes chain them. The key is introduced by an event of the workspace's
stream, right before its first signature, and again for each device that the folder becomes.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import SigningKeyIntroduced
from backend.domain.events.signature import SignedHeads, heads_message, key_id, next_key_message
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Batch
from backend.ports.signer import Signer
from backend.store.database import DatabaseConnection

if TYPE_CHECKING:
    from backend.store.log.journal import Transaction

_COLUMNS = ", ".join(SignedHeads._fields)
_KEEP = f"INSERT OR REPLACE INTO log_signatures({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?)"
_KEY = "SELECT device_id FROM signing_keys WHERE id=?"
_HERE = "SELECT device_id FROM project"
_LAST = f"SELECT {_COLUMNS} FROM log_signatures WHERE campaign_id=? ORDER BY event_seq DESC, audit_seq DESC LIMIT 1"
_UNSIGNED = """
SELECT h.campaign_id FROM log_heads h WHERE NOT EXISTS (
  SELECT 1 FROM log_signatures s
  WHERE s.campaign_id = h.campaign_id AND s.event_seq = h.event_seq AND s.audit_seq = h.audit_seq)
"""


class SigningKey(NamedTuple):
    """A key as its event introduces it; times in ms UTC."""

    id: str
    device_id: str
    public_key: bytes
    previous: str
    endorsement: bytes
    created_at: int


class LogSigner:
    """Signs by the signer's key while that is open; else it leaves the logs unsigned until it is."""

    def __init__(self, signer: Signer) -> None:
        self.signer = signer
        self._continued: set[str] = set()

    def sign(self, transaction: "Transaction", streams: Iterable[str], at: int) -> None:
        """Sign where these streams end in this transaction. Nothing without a key, or where an earlier signature does not hold."""
        if not self.signer.is_open:
            return
        key = self._introduced(transaction, at)
        if not key:
            return
        for stream in streams:
            if not self._continues(transaction.connection, stream):
                continue  # what was signed is not there any more: signing what stands in its place would hide that
            heads = SignedHeads(stream, *transaction.head(stream), key, at, b"")
            signature = self.signer.sign(heads_message(heads))
            transaction.connection.execute(_KEEP, heads._replace(signature=signature))

    def sign_all(self, transaction: "Transaction", at: int) -> None:
        """Sign every stream whose end no signature covers."""
        if not self.signer.is_open:
            return
        streams = {stream for (stream,) in transaction.connection.execute(_UNSIGNED)}
        if streams:
            self._introduced(transaction, at)  # moves the end of the workspace's stream
            self.sign(transaction, sorted(streams | {WORKSPACE}), at)

    def introduce(self, transaction: "Transaction", at: int) -> bool:
        """Have the key in use in the workspace's log, as this device's; False without a key."""
        return self.signer.is_open and bool(self._introduced(transaction, at))

    def lost_key(self, connection: DatabaseConnection) -> bool:
        """Whether the other devices would not believe the key in use: this device had another, and that one signed for none."""
        if not self.signer.is_open:
            return False
        device_row, public = connection.execute(_HERE).fetchone(), self.signer.public_key()
        key_row = connection.execute(_KEY, (key_id(public),)).fetchone()
        return key_row is None and not self._is_believed(
            connection, self._next_key(device_row[0] if device_row else "", public, 0)
        )

    def signed_batch(self, connection: DatabaseConnection, batch: Batch, at: int) -> Batch:
        """The batch with a signature of where both logs end with it, by a key that was introduced."""
        ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
        key = key_id(self.signer.public_key())
        heads = SignedHeads(batch.campaign_id, ends[0], b"", ends[1], b"", key, at, b"")
        event, audit = hashes_at(connection, heads)
        if event is None or audit is None:  # it leaves the log meanwhile: then it is refused there
            return batch
        heads = heads._replace(event_hash=event, audit_hash=audit)
        return batch._replace(signature=heads._replace(signature=self.signer.sign(heads_message(heads))))

    def _introduced(self, transaction: "Transaction", at: int) -> str:
        """The id of the key in use, which the log knows to be this device's; "" if there is none."""
        device_row = transaction.connection.execute(_HERE).fetchone()
        device = device_row[0] if device_row else ""
        public = self.signer.public_key()
        key_row = transaction.connection.execute(_KEY, (key_id(public),)).fetchone()
        if key_row is not None and key_row[0] == device:
            return key_id(public)
        if key_row is not None:  # the folder became another device
            try:
                self.signer.renew()
            except OutriderError:
                return ""  # a full disk must not stop what is being recorded
            public = self.signer.public_key()
        fresh = self._next_key(device, public, at)
        if not self._is_believed(transaction.connection, fresh):
            return ""  # once its entry was in the shared store, the other devices would never get past it
        introduced = SigningKeyIntroduced(
            fresh.id,
            device_id=device,
            public_key=public.hex(),
            previous=fresh.previous,
            endorsement=fresh.endorsement.hex(),
            created_at=at,
        )
        transaction.record(WORKSPACE, [introduced], actor="controller", cause="signing key", at=at)
        return fresh.id

    def _next_key(self, device: str, public: bytes, at: int) -> SigningKey:
        """The key in use as this device's, with the earlier key's word for it."""
        earlier = self.signer.endorse(next_key_message(device, public))
        previous, signed = (key_id(earlier.public_key), earlier.signature) if earlier else ("", b"")
        return SigningKey(key_id(public), device, public, previous, signed, at)

    def _is_believed(self, connection: DatabaseConnection, key: SigningKey) -> bool:
        # Before it belongs to a project, nobody else has to believe it.
        return not key.device_id or is_vouched_for(key, signing_keys(connection), self.signer)

    def _continues(self, connection: DatabaseConnection, stream: str) -> bool:
        """Whether the last signature of the stream fits the log; looked at once a launch."""
        if stream in self._continued:
            return True
        last = last_signature(connection, stream)
        if last is not None and hashes_at(connection, last) != (last.event_hash, last.audit_hash):
            return False
        self._continued.add(stream)
        return True


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
    """Signatures that were verified, another device's."""
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

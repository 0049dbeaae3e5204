"""Signs where both logs of a stream end: with the outcome of each act outside, in its transaction, and when the folder is closed.

One signature stands for all entries before it, because the hashes chain them. The key is introduced by an event of the workspace's
stream, right before its first signature, and again for each device that the folder becomes.
"""

from collections.abc import Iterable

from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import SigningKeyIntroduced
from backend.domain.events.signature import SignedHeads, heads_message, key_id, next_key_message
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Batch
from backend.ports.signer import Signer
from backend.store.database import DatabaseConnection
from backend.store.log.signatures import (
    SigningKey,
    hashes_at,
    is_vouched_for,
    keep_signatures,
    last_signature,
    signing_keys,
)
from backend.store.log.transaction import Transaction

_KEY = "SELECT device_id FROM signing_keys WHERE id=?"
_HERE = "SELECT device_id FROM project"
_UNSIGNED = """
SELECT h.campaign_id FROM log_heads h WHERE NOT EXISTS (
  SELECT 1 FROM log_signatures s
  WHERE s.campaign_id = h.campaign_id AND s.event_seq = h.event_seq AND s.audit_seq = h.audit_seq)
"""


class LogSigner:
    """Signs by the signer's key while that is open; else it leaves the logs unsigned until it is."""

    def __init__(self, signer: Signer) -> None:
        self.signer = signer
        self._continued: set[str] = set()

    def sign(self, transaction: Transaction, streams: Iterable[str], at: int) -> None:
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
            keep_signatures(transaction.connection, [heads._replace(signature=signature)])

    def sign_all(self, transaction: Transaction, at: int) -> None:
        """Sign every stream whose end no signature covers."""
        if not self.signer.is_open:
            return
        streams = {stream for (stream,) in transaction.connection.execute(_UNSIGNED)}
        if streams:
            self._introduced(transaction, at)  # moves the end of the workspace's stream
            self.sign(transaction, sorted(streams | {WORKSPACE}), at)

    def introduce(self, transaction: Transaction, at: int) -> bool:
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

    def _introduced(self, transaction: Transaction, at: int) -> str:
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

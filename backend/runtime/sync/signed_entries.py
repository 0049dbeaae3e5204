"""What another device recorded is taken over only up to where one of the user's devices signed it.

Whoever administers the project can add entries that chain; they cannot sign them. A device's first key is believed when its
introduction is first seen, a later one only if an earlier one signed for it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeVar

from backend.domain.events.events import WORKSPACE
from backend.domain.events.signature import SignedHeads, heads_message, key_id
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import LoggedAudit, LoggedEvent
from backend.ports.signer import Signer
from backend.store.log.signatures import SigningKey, is_vouched_for

Entry = TypeVar("Entry", LoggedEvent, LoggedAudit)

INTRODUCES = "SigningKeyIntroduced"


class SignedEntries:
    """One stream's signatures beyond what is here, and the keys that they may be by.

    `device_id` is this device: its own keys say nothing of what others recorded, but that devices of this project sign.
    """

    def __init__(
        self,
        signer: Signer,
        campaign_id: str,
        keys: Mapping[str, SigningKey],
        signatures: Sequence[SignedHeads],
        device_id: str,
    ) -> None:
        self._signer = signer
        self._campaign_id = campaign_id
        self._keys = {name: key for name, key in keys.items() if key.device_id}
        self._signatures = [signature for signature in signatures if signature.campaign_id == campaign_id]
        self.verified: list[SignedHeads] = []
        """Signatures that were verified, for the caller to store."""
        self.required = bool(self._signatures) or any(key.device_id != device_id for key in self._keys.values())
        """Whether entries must be signed: not in a project where no device ever signed."""

    def has_unknown_key(self) -> bool:
        """Whether a signature is by a key that no entry here introduces: the workspace's stream may have more."""
        return any(signature.key_id not in self._keys for signature in self._signatures)

    def signed_pages(
        self, log: Literal["event", "audit"], pages: Iterable[Sequence[Entry]]
    ) -> Iterator[Sequence[Entry]]:
        """The same entries, held back until a signature covers them. Raises `shared_store_unsigned`, `signing_key_refused`."""
        if not self.required:
            yield from pages
            return
        signatures_by_seq: dict[int, list[SignedHeads]] = {}
        for signature in self._signatures:
            signatures_by_seq.setdefault(signature.event_seq if log == "event" else signature.audit_seq, []).append(
                signature
            )
        waiting: list[Entry] = []
        for page in pages:
            for entry in page:
                if self._campaign_id == WORKSPACE and log == "event":
                    self._admit_if_introduced(entry)
            waiting += page
            signed_count = next(
                (at for at in range(len(waiting), 0, -1) if self._is_signed(log, waiting[at - 1], signatures_by_seq)), 0
            )
            if signed_count:
                yield waiting[:signed_count]
                waiting = waiting[signed_count:]
        if waiting:
            raise OutriderError("shared_store_unsigned", campaign=self._campaign_id, log=log, seq=waiting[0].seq)

    def _is_signed(
        self, log: Literal["event", "audit"], entry: Entry, signatures_by_seq: Mapping[int, list[SignedHeads]]
    ) -> bool:
        """Whether a known device signed that this log had exactly this entry there; its hash stands for all before it."""
        for signature in signatures_by_seq.get(entry.seq, ()):
            key = self._keys.get(signature.key_id)
            if key is None or entry.hash != (signature.event_hash if log == "event" else signature.audit_hash):
                continue
            if self._signer.verify(key.public_key, heads_message(signature), signature.signature):
                self.verified.append(signature)
                return True
        return False

    def _admit_if_introduced(self, entry: LoggedEvent | LoggedAudit) -> None:
        if isinstance(entry, LoggedEvent) and entry.kind == INTRODUCES:
            self._admit(entry)

    def _admit(self, entry: LoggedEvent) -> None:
        """Know the key from now on; whether its entry is taken over is decided by the signature that covers it."""
        try:
            body = json.loads(entry.payload)
            device, public = str(body["device_id"]), bytes.fromhex(body["public_key"])
            endorsement, previous = bytes.fromhex(body["endorsement"]), str(body["previous"])
        except (KeyError, TypeError, ValueError):
            raise OutriderError("signing_key_refused", device=entry.entity_id) from None
        if not device:
            return  # of a folder before it belonged to the project
        known_key = self._keys.get(entry.entity_id)
        if known_key is not None and (known_key.device_id, known_key.public_key) == (device, public):
            return  # it is here already: the answer to its push was lost, or the project was attached again
        key = SigningKey(entry.entity_id, device, public, previous, endorsement, entry.timestamp)
        if key_id(public) != key.id or not is_vouched_for(key, self._keys, self._signer):
            raise OutriderError("signing_key_refused", device=device)
        self._keys[key.id] = key

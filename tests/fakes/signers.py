"""Signers for tests: one without cryptography, whose seed gives the same keys and signatures each time, and one that refuses."""

import hashlib

from backend.domain.values.errors import OutriderError
from backend.ports.signer import Endorsement


class MockSigner:
    """Anybody can forge it."""

    def __init__(self, seed: str = "outrider") -> None:
        self._seed = seed
        self._keys: list[bytes] = []

    def open(self) -> None:
        """Make the first key."""
        if not self._keys:
            self.renew()

    @property
    def is_open(self) -> bool:
        """Whether there is a key."""
        return bool(self._keys)

    def public_key(self) -> bytes:
        """The newest key."""
        if not self._keys:
            raise OutriderError("signer_unavailable", detail="it was not opened.")
        return self._keys[-1]

    def sign(self, message: bytes) -> bytes:
        """64 bytes that follow from key and message."""
        return _signature(self.public_key(), message)

    def renew(self) -> None:
        """The next key of this seed."""
        self._keys.append(hashlib.sha256(f"{self._seed}/{len(self._keys)}".encode()).digest())

    def copied(self, seed: str) -> "MockSigner":
        """What a copy of its file opens: the same keys; each of the two renews its own."""
        copy = MockSigner(seed)
        copy._keys = list(self._keys)
        return copy

    def endorse(self, message: bytes) -> Endorsement | None:
        """By the key before the newest."""
        return Endorsement(self._keys[-2], _signature(self._keys[-2], message)) if len(self._keys) > 1 else None

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether it is what the key gives for the message."""
        return signature == _signature(public_key, message)


def _signature(key: bytes, message: bytes) -> bytes:
    return hashlib.sha512(key + message).digest()


class StubSigner:
    """Never opens; recognises no signature."""

    is_open = False

    def open(self) -> None:
        """Raises `signer_unavailable`."""
        raise OutriderError("signer_unavailable", detail="this is a stand-in that signs nothing.")

    def public_key(self) -> bytes:
        """Raises `signer_unavailable`."""
        raise OutriderError("signer_unavailable", detail="this is a stand-in that signs nothing.")

    def sign(self, message: bytes) -> bytes:
        """Raises `signer_unavailable`."""
        raise OutriderError("signer_unavailable", detail="this is a stand-in that signs nothing.")

    def renew(self) -> None:
        """Raises `signer_unavailable`."""
        raise OutriderError("signer_unavailable", detail="this is a stand-in that signs nothing.")

    def endorse(self, message: bytes) -> Endorsement | None:
        """There is no earlier key."""
        return None

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Recognises nothing."""
        return False

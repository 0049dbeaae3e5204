"""What signs for this device: a key that never leaves it."""

from typing import NamedTuple, Protocol


class Endorsement(NamedTuple):
    """What the key before this one signed: its public key, and the signature."""

    public_key: bytes
    signature: bytes


class Signer(Protocol):
    """Signatures of 64 bytes by keys of 32. Used by one thread at a time, but for `verify`."""

    def open(self) -> None:
        """Fetch the key, or make it; may ask the keychain. Raises what that says, such as `vault_locked`."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether the key is at hand, so that the rest asks nobody."""
        ...

    def public_key(self) -> bytes:
        """The public half. Raises `signer_unavailable` while it is not open."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Raises `signer_unavailable` while it is not open."""
        ...

    def renew(self) -> None:
        """Another key from now on; the one before it still endorses it."""
        ...

    def endorse(self, message: bytes) -> Endorsement | None:
        """The message signed by the key before this one; None if there was none."""
        ...

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether that key signed exactly this; needs no key of its own."""
        ...

"""A signer without a key: it refuses, and nothing is signed."""

from backend.domain.values.errors import OutriderError
from backend.ports.signer import Endorsement


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

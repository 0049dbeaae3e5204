"""The one way in which anything is sealed: XChaCha20-Poly1305, and what it is about is part of the seal."""

import base64
import binascii
import os

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as _decrypt
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as _encrypt
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_NPUBBYTES as NONCE_BYTES
from nacl.exceptions import CryptoError

KEY_BYTES = 32


def seal(key: bytes, content: bytes, *associated_data: bytes) -> bytes:
    """Nonce and ciphertext; opens only by the same key and as being about the same."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _encrypt(content, length_prefixed(*associated_data), nonce, key)


def unseal(key: bytes, sealed: bytes, *associated_data: bytes) -> bytes | None:
    """What was sealed; None if it was changed, or sealed by another key, or about something else."""
    try:
        return _decrypt(sealed[NONCE_BYTES:], length_prefixed(*associated_data), sealed[:NONCE_BYTES], key)
    except (CryptoError, ValueError):
        return None


def length_prefixed(*parts: bytes) -> bytes:
    """Each part after its length, so that no two lists give the same bytes."""
    return b"".join(len(part).to_bytes(4) + part for part in parts)


def as_text(sealed: bytes) -> str:
    """For a column of text."""
    return base64.b64encode(sealed).decode("ascii")


def from_text(text: str) -> bytes:
    """The bytes again; none at all if it is not spelled as `as_text` spells."""
    try:
        sealed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return sealed if as_text(sealed) == text else b""

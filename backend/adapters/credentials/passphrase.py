"""From what a person remembers to a key: Argon2id, then HKDF-SHA256 over it and, where there is one, the recovery secret."""

import os
import threading
import unicodedata

from backend.adapters.credentials.sealing import KEY_BYTES, as_text, from_text, seal, unseal
from backend.domain.device.vault import KdfCost, WrappedKey, refuse_cost

SALT_BYTES = 16
_ONE_AT_A_TIME = threading.Lock()
"""Each takes as much memory as its cost says, however often the window asks."""


def wrap_key(
    key: bytes, passphrase: str, recovery: bytes, purpose: bytes, cost: KdfCost, *associated_data: bytes
) -> WrappedKey:
    """The key sealed under a passphrase, and a recovery secret unless that is empty."""
    salt = os.urandom(SALT_BYTES)
    sealed = seal(
        wrapping_key(passphrase, recovery, salt, cost, purpose),
        key,
        *_associated_data(purpose, salt, cost, *associated_data),
    )
    return WrappedKey(salt=salt.hex(), cost=cost, sealed=as_text(sealed))


def unwrap_key(
    wrapped_key: WrappedKey, passphrase: str, recovery: bytes, purpose: bytes, *associated_data: bytes
) -> bytes | None:
    """The key again; None if one of the two is wrong, or anything was changed. Raises `vault_parameters_refused`."""
    refuse_cost(wrapped_key.cost)
    salt = bytes.fromhex(wrapped_key.salt)
    key = wrapping_key(passphrase, recovery, salt, wrapped_key.cost, purpose)
    unwrapped_key = unseal(
        key, from_text(wrapped_key.sealed), *_associated_data(purpose, salt, wrapped_key.cost, *associated_data)
    )
    return unwrapped_key if unwrapped_key is not None and len(unwrapped_key) == KEY_BYTES else None


def wrapping_key(passphrase: str, recovery: bytes, salt: bytes, cost: KdfCost, purpose: bytes) -> bytes:
    """HKDF-SHA256(Argon2id(passphrase) ‖ recovery); the passphrase is the same however its accents were typed."""
    from argon2.low_level import Type, hash_secret_raw  # noqa: PLC0415 - needed once a launch, if at all

    normalised = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")
    with _ONE_AT_A_TIME:
        stretched = hash_secret_raw(normalised, salt, cost.passes, cost.memory_kib, cost.lanes, KEY_BYTES, Type.ID)
    return derive_key(stretched + recovery, purpose, KEY_BYTES)


def derive_key(secret: bytes, purpose: bytes, length: int) -> bytes:
    """HKDF-SHA256 without a salt: what goes in is a key already."""
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415 - as above

    return HKDF(SHA256(), length, None, purpose).derive(secret)


def _associated_data(purpose: bytes, salt: bytes, cost: KdfCost, *associated_data: bytes) -> tuple[bytes, ...]:
    return (purpose, salt, cost.model_dump_json().encode(), *associated_data)

"""Signatures by an Ed25519 key that is sealed under this device's key: in the system's keychain, or under a passphrase."""

import os
import threading

from nacl.bindings import (
    crypto_sign,
    crypto_sign_BYTES,
    crypto_sign_open,
    crypto_sign_PUBLICKEYBYTES,
    crypto_sign_seed_keypair,
    crypto_sign_SEEDBYTES,
)
from nacl.exceptions import BadSignatureError

from backend.domain.values.errors import OutriderError
from backend.ports.sealed_files import SealedFiles
from backend.ports.signer import Endorsement

FILE = "signing-key"
_KEYS_KEPT = 2
"""The key in use and the one before it, which endorses it."""


class Ed25519Signer:
    """Signs with the newest key of its file, which holds the seeds, newest first, and is read once."""

    def __init__(self, files: SealedFiles) -> None:
        self._files = files
        self._keys: list[tuple[bytes, bytes]] = []
        self._opening = threading.Lock()

    def open(self) -> None:
        """Read the key, or make the first one; it is on disk before it is used."""
        with self._opening:
            if not self._keys:
                self._fetch()

    def _fetch(self) -> None:
        try:
            content = self._files.read(FILE) or b""
        except OutriderError as error:
            if error.code != "sealed_file_damaged":
                raise
            content = b""  # a folder from another machine, or a key lost from the keychain: it makes a new one
        seeds = [content[at : at + crypto_sign_SEEDBYTES] for at in range(0, len(content), crypto_sign_SEEDBYTES)]
        if seeds:
            self._keys = [crypto_sign_seed_keypair(seed) for seed in seeds]
        else:
            self.renew()

    @property
    def is_open(self) -> bool:
        """Whether the key was read."""
        return bool(self._keys)

    def public_key(self) -> bytes:
        """The public half of the newest key."""
        return self._in_use()[0]

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes."""
        return crypto_sign(message, self._in_use()[1])[:crypto_sign_BYTES]

    def renew(self) -> None:
        """Make a new key and put it in use."""
        fresh = crypto_sign_seed_keypair(os.urandom(crypto_sign_SEEDBYTES))
        keys = [fresh, *self._keys][:_KEYS_KEPT]
        self._files.write(FILE, b"".join(secret[:crypto_sign_SEEDBYTES] for _, secret in keys))
        self._keys = keys

    def endorse(self, message: bytes) -> Endorsement | None:
        """Sign with the key before the one in use."""
        if len(self._keys) < _KEYS_KEPT:
            return None
        public, secret = self._keys[1]
        return Endorsement(public, crypto_sign(message, secret)[:crypto_sign_BYTES])

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether the signature fits; False for malformed keys and signatures, too."""
        if len(public_key) != crypto_sign_PUBLICKEYBYTES or len(signature) != crypto_sign_BYTES:
            return False
        try:
            crypto_sign_open(signature + message, public_key)
        except BadSignatureError:
            return False
        return True

    def _in_use(self) -> tuple[bytes, bytes]:
        if not self._keys:
            raise OutriderError("signer_unavailable", detail="it was not opened.")
        return self._keys[0]

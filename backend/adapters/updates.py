"""Asks the folder of releases that the user named for its signed list, and for one file of it."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
from nacl.bindings import crypto_sign_BYTES, crypto_sign_open
from nacl.exceptions import BadSignatureError

from backend.adapters.http_settings import client_options
from backend.domain.device.update import Update, UpdateSource
from backend.domain.model.connection import host_of
from backend.domain.values.errors import OutriderError
from backend.ports.egress import UPDATES, EgressPolicy, OutgoingCall

MAX_LIST_BYTES, MAX_FILE_BYTES = 64 * 1_024, 1 << 30
SIGNATURE = ".sig"
_SECONDS = 30.0


class ReleaseFolder:
    """Nothing is sent but the request: no id and no version; the names in it say system and processor. No redirect is followed."""

    def __init__(self, source: UpdateSource, outgoing: EgressPolicy) -> None:
        self._source, self._outgoing = source, outgoing
        self.host = host_of(source.address)

    def checksums(self, name: str) -> str:
        """The list of that name. Raises `update_unreachable` and `update_unsigned`."""
        listed, signature = self._small(name), self._small(f"{name}{SIGNATURE}")
        if len(signature) == crypto_sign_BYTES:
            with suppress(BadSignatureError):
                return crypto_sign_open(signature + listed, self._source.public_key).decode("utf-8", "replace")
        raise OutriderError("update_unsigned", host=self.host)

    def fetch(self, update: Update, folder: Path) -> Path:
        """The file, as listed, in that folder. Raises `update_unreachable` and `update_damaged`; then it is not to be used."""
        file, digest = folder / update.name, hashlib.sha256()
        with file.open("wb") as into, self._answer(update.name, MAX_FILE_BYTES) as pieces:
            for piece in pieces:
                digest.update(piece)
                into.write(piece)
        if digest.hexdigest() != update.digest:
            raise OutriderError("update_damaged", name=update.name, host=self.host)
        return file

    def _small(self, name: str) -> bytes:
        with self._answer(name, MAX_LIST_BYTES) as pieces:
            return b"".join(pieces)

    @contextmanager
    def _answer(self, name: str, most: int) -> Iterator[Iterator[bytes]]:
        options: dict[str, Any] = client_options(self._source.address, httpx2.create_ssl_context, httpx2.Proxy)
        try:
            with (
                self._outgoing.call(self.host, UPDATES.code) as call,
                httpx2.Client(
                    **options, timeout=_SECONDS, follow_redirects=False, headers={"user-agent": "Outrider"}
                ) as client,
                client.stream("GET", f"{self._source.address}{name}") as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    raise OutriderError(
                        "update_unreachable", host=self.host, detail=f"status {response.status_code} for {name}"
                    )
                yield self._bounded(response.iter_bytes(), most, call)
        except httpx2.HTTPError as error:
            raise OutriderError("update_unreachable", host=self.host, detail=type(error).__name__) from error

    def _bounded(self, pieces: Iterator[bytes], most: int, call: OutgoingCall) -> Iterator[bytes]:
        for piece in pieces:
            call.bytes_in += len(piece)
            if call.bytes_in > most:
                raise OutriderError("update_unreachable", host=self.host, detail="the answer is too long")
            yield piece

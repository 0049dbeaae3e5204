"""What a user keeps as an artifact: each save is a new version, and no version ever changes."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from backend.controller.deciding import Deciding
from backend.domain.artifact import (
    BEGINNING,
    BINARY,
    MAX_BYTES,
    MAX_INLINE,
    PLAIN,
    Content,
    Filed,
    Source,
    content,
    filed,
    media_type_of,
    refuse_size,
)
from backend.domain.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.store import reading

_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class ArtifactCommands(Deciding):
    """The user's artifacts of a campaign."""

    def save(
        self, campaign_id: str, artifact_type: str, key: str, source: IO[bytes], blobs: Blobs, *, follows: int
    ) -> int:
        """Keep these bytes as the version after `follows`, 0 for a new artifact; the new version's number.

        Raises `artifact_version_taken` when that version exists, and `artifact_…` for what may not be kept.
        """
        filed(artifact_type, key, Filed("", 1, BINARY))  # a bad name is refused before fifty megabytes are read
        wanted = kept(artifact_type, key, source, blobs)
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            latest = reading.latest_version(transaction.connection, campaign_id, wanted.artifact_type, key)
            if latest != follows:
                raise OutriderError("artifact_version_taken", type=artifact_type, key=key, latest=latest)
            event = wanted.persisted(transaction.new_id(), Source.USER, latest, self.clock.now())
            self._record(transaction, campaign_id, [event], f"save {artifact_type}/{key}")
        return latest + 1


def kept(artifact_type: str, key: str, source: IO[bytes], blobs: Blobs) -> Content:
    """Small text is handed on to the log; all else is in a file, on the disk, before anything can name it.

    Memory is bounded whatever comes. Raises `artifact_…`; what may not be kept leaves no file behind.
    """
    head = source.read(MAX_INLINE + 1)
    if len(head) <= MAX_INLINE:
        try:
            text = head.decode()
        except UnicodeDecodeError:
            pass
        else:
            return content(artifact_type, key, text)
    looked = _Look()
    named = blobs.keep(looked.through(head, source))
    return filed(artifact_type, key, Filed(named.sha256, named.size, looked.media_type, looked.beginning))


class _Look:
    """Reads along what goes into a file: how much, whether it is text, and how that begins."""

    def __init__(self) -> None:
        self.media_type = PLAIN
        self.beginning = ""

    def through(self, head: bytes, source: IO[bytes]) -> Iterator[bytes]:
        """The pieces as they come; raises `artifact_too_large` at the first byte too many."""
        decoder, size, piece = codecs.getincrementaldecoder("utf-8")(), 0, head
        while True:
            size += len(piece)
            refuse_size(size, MAX_BYTES)
            if self.media_type == PLAIN:
                try:
                    text = decoder.decode(piece, final=not piece)
                    self.beginning += text[: BEGINNING - len(self.beginning)]
                except UnicodeDecodeError:
                    self.media_type, self.beginning = media_type_of(head), ""
            if not piece:
                return
            yield piece
            piece = source.read(_PIECE)

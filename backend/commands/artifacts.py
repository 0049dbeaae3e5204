"""What a user keeps as an artifact: each save is a new version, and no version ever changes."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Annotated

from backend.commands.command import SHOWN, FromEvent, column
from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import AuditEntry, Row
from backend.domain.model.artifact import (
    BEGINNING,
    BY_USER,
    MAX_BYTES,
    MAX_INLINE,
    ArtifactContent,
    StoredFile,
    file_content,
    maker,
    media_type_of,
    refuse_protected,
    refuse_size,
    text_content,
)
from backend.domain.model.content_schema import BINARY, PLAIN
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.values.canonical_json import Json
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.store.queries.turn import artifacts

_PIECE = 256 * 1024


def _content(changes: Row) -> Json:
    """The content that an event keeps, as `ArtifactContent` has it."""
    return {
        "artifact_type": changes["artifact_type"],
        "key": changes["artifact_key"],
        "text": changes["content"],
        "schema": changes["schema"],
        "sha256": changes["sha256"],
        "size": changes["bytes"],
        "media_type": changes.get("media_type", PLAIN),
        "in_file": bool(changes.get("in_file")),
    }


@dataclass(frozen=True, slots=True)
class ArtifactCommands(CommandHandler):
    """The user's artifacts of a campaign."""

    def save(
        self, campaign_id: str, artifact_type: str, key: str, source: IO[bytes], blobs: Blobs, *, follows: int
    ) -> int:
        """Store these bytes, and keep them; as `keep`. Raises `artifact_…` for what may not be kept."""
        file_content(
            artifact_type, key, StoredFile("", 1, BINARY)
        )  # a bad name is refused before fifty megabytes are read
        content = store_content(artifact_type, key, source, blobs)
        return self.keep(campaign_id, artifact_type, key, content, follows=follows)

    @command("artifacts.keep", shows={"ArtifactPersisted": "content"})
    def keep(
        self,
        campaign_id: str,
        artifact_type: str,
        key: str,
        content: Annotated[ArtifactContent, FromEvent(("ArtifactPersisted",), _content)],
        *,
        follows: Annotated[int | None, SHOWN],
        made_by: Annotated[str, column("ArtifactPersisted", "made_by")] = str(BY_USER),
    ) -> int:
        """Keep stored content as the version after `follows`, 0 for a new artifact; the new version's number.

        None follows whichever is the latest. Raises `artifact_protected` for what only Outrider makes, and
        `artifact_version_taken` when that version exists.
        """
        refuse_protected(content.artifact_type)
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            latest = artifacts.latest_version(transaction.connection, campaign_id, content.artifact_type, key)
            if follows not in (None, latest):
                raise OutriderError("artifact_version_taken", type=artifact_type, key=key, latest=latest)
            now = self.clock.now()
            self._record(
                transaction,
                campaign_id,
                [artifact_persisted(content, transaction.new_id(), maker(made_by), latest, now)],
            )
            if content.in_file:
                parameters = {"files": [content.sha256], "bytes": content.size}
                entry = AuditEntry("file.write", {"parameters": parameters, "outcome": "ok"})
                transaction.audit(campaign_id, [entry], actor=self.actor, cause="artifact", at=now)
        return latest + 1


def store_content(artifact_type: str, key: str, source: IO[bytes], blobs: Blobs) -> ArtifactContent:
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
            return text_content(artifact_type, key, text)
    looked = _ContentInspector()
    named = blobs.keep(looked.through(head, source))
    return file_content(artifact_type, key, StoredFile(named.sha256, named.size, looked.media_type, looked.beginning))


class _ContentInspector:
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

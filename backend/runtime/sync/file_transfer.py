"""Files that artifacts are kept in, in parts: put before the event that names them, fetched after it, verified by their SHA-256."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.ports.shared_store import LoggedEvent, SharedStore

PART = 512 * 1024


class BlobFile(NamedTuple):
    """What an event says of a file."""

    sha256: str
    size: int

    @property
    def parts(self) -> int:
        """In how many it is kept."""
        return max(1, -(-self.size // PART))


def files_in_events(events: Iterable[LoggedEvent]) -> Iterator[BlobFile]:
    """The files that these events name; of an erased one that names none any more, none."""
    for event in events:
        if event.kind == "ArtifactPersisted":
            artifact = json.loads(event.payload)
            if artifact.get("in_file"):
                yield BlobFile(artifact["sha256"], artifact["bytes"])


def upload(shared_store: SharedStore, blobs: Blobs, file: BlobFile) -> None:
    """The parts of it that are not there yet. What is gone or damaged here cannot be helped, and holds nothing else up."""
    stored_digests = shared_store.blob_digests(file.sha256)
    with suppress(OutriderError):
        for number, content in enumerate(_parts(blobs.chunks(file.sha256))):
            if stored_digests.get(number) != hashlib.sha256(content).hexdigest():
                shared_store.put_blob(file.sha256, number, file.parts, content)


def download(shared_store: SharedStore, blobs: Blobs, file: BlobFile) -> bool:
    """Whether it is here, whole, when this returns; False while its parts are not all there, or are not what they should be.

    Only what is whole takes the place of a file that is damaged here.
    """
    parts: list[bytes] = []
    for number in range(file.parts):  # an event may name any size: no further than it is there
        if (part := shared_store.get_blob(file.sha256, number)) is None:
            return False
        parts.append(part)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    if digest.hexdigest() != file.sha256:
        return False
    blobs.keep(parts)
    return True


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    buffer = b""
    for chunk in chunks:
        buffer += chunk
        while len(buffer) > PART:
            yield buffer[:PART]
            buffer = buffer[PART:]
    yield buffer

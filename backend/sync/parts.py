"""Files that artifacts are kept in, in parts: put before the event that names them, fetched after it, verified by their SHA-256."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from backend.domain.errors import OutriderError
from backend.ports.authority import Authority, LoggedEvent
from backend.ports.blobs import Blobs

PART = 512 * 1024


class File(NamedTuple):
    """What an event says of a file."""

    sha256: str
    size: int

    @property
    def parts(self) -> int:
        """In how many it is kept."""
        return max(1, -(-self.size // PART))


def named(events: Iterable[LoggedEvent]) -> Iterator[File]:
    """The files that these events name; of an erased one nothing is left to be named."""
    for event in events:
        if event.kind == "ArtifactPersisted" and event.payload is not None:
            artifact = json.loads(event.payload)
            if artifact.get("in_file"):
                yield File(artifact["sha256"], artifact["bytes"])


def put(authority: Authority, blobs: Blobs, file: File) -> None:
    """All parts of it. What is gone or damaged here cannot be helped, and holds nothing else up."""
    with suppress(OutriderError):
        for number, content in enumerate(_parts(blobs.chunks(file.sha256))):
            authority.put_blob(file.sha256, number, file.parts, content)


def fetch(authority: Authority, blobs: Blobs, file: File) -> bool:
    """Whether it is here, whole, when this returns; False while its parts are not all there, or are not what they should be."""
    there: list[bytes] = []
    for number in range(file.parts):  # an event may name any size: no further than it is there
        if (part := authority.get_blob(file.sha256, number)) is None:
            return False
        there.append(part)
    return blobs.keep(there).sha256 == file.sha256


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for chunk in chunks:
        held += chunk
        while len(held) > PART:
            yield held[:PART]
            held = held[PART:]
    yield held

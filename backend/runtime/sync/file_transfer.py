"""Files that artifacts are kept in, in parts: put before the event that names them, fetched after it, verified by their SHA-256."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

from backend.domain.values.errors import OutriderError
from backend.ports.blobs import BlobRef, Blobs
from backend.ports.shared_store import LoggedEvent, SharedStore
from backend.store.database import Database
from backend.store.queries.turn import artifacts

PART = 512 * 1024


def files_in_events(events: Iterable[LoggedEvent]) -> Iterator[BlobRef]:
    """The files that these events name; of an erased one that names none any more, none."""
    for event in events:
        if event.kind == "ArtifactPersisted":
            artifact = json.loads(event.payload)
            if artifact.get("in_file"):
                yield BlobRef(artifact["sha256"], artifact["bytes"])


def upload(shared_store: SharedStore, blobs: Blobs, file: BlobRef) -> None:
    """The parts of it that are not there yet. What is gone or damaged here cannot be helped, and holds nothing else up."""
    stored_digests = shared_store.blob_digests(file.sha256)
    with suppress(OutriderError):
        for number, content in enumerate(_parts(blobs.chunks(file.sha256))):
            if stored_digests.get(number) != hashlib.sha256(content).hexdigest():
                shared_store.put_blob(file.sha256, number, _part_count(file), content)


def download(shared_store: SharedStore, blobs: Blobs, file: BlobRef) -> bool:
    """Whether it is here, whole, when this returns; False while its parts are not all there, or are not what they should be.

    Only what is whole takes the place of a file that is damaged here.
    """
    parts: list[bytes] = []
    for number in range(_part_count(file)):  # an event may name any size: no further than it is there
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


class MissingFiles:
    """Files that adopted events name and that are missing or damaged; what the shared store lacks now is asked for again later."""

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self._database, self._blobs = database, blobs
        self._due = True
        self._damaged: set[str] = set()
        self._bad_parts: dict[str, dict[int, str]] = {}
        """By file: the digests of its parts in the shared store, which do not make it."""

    def look_again(self, damaged: str = "") -> None:
        """News may name more of them; or this one was found to be damaged or gone."""
        self._damaged.update(filter(None, [damaged]))
        self._due = True

    def fetch(self, shared_store: SharedStore) -> None:
        """What the shared store has of them, whole."""
        if not self._due:
            return
        self._due = False  # before one looks: a run that begins meanwhile may bring more
        try:
            for file in self._database.query(artifacts.stored_files):
                if file.sha256 in self._damaged or not self._blobs.holds(file.sha256):
                    self._fetch(shared_store, file)
        except BaseException:
            self._due = True
            raise

    def _fetch(self, shared_store: SharedStore, file: BlobRef) -> None:
        """Not again as long as the shared store has the same useless parts of it."""
        sha256, known_bad_parts = file.sha256, self._bad_parts.get(file.sha256)
        if known_bad_parts is not None and shared_store.blob_digests(sha256) == known_bad_parts:
            return
        if download(shared_store, self._blobs, file):
            self._bad_parts.pop(sha256, None)
            self._damaged.discard(sha256)
        else:
            self._bad_parts[sha256] = shared_store.blob_digests(sha256)


def _part_count(file: BlobRef) -> int:
    return max(1, -(-file.size // PART))


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    buffer = b""
    for chunk in chunks:
        buffer += chunk
        while len(buffer) > PART:
            yield buffer[:PART]
            buffer = buffer[PART:]
    yield buffer

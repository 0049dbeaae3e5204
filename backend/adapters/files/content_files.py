"""Files named by the SHA-256 of what they hold, so that nobody can swap one unnoticed: written whole or not at all.

Artifacts that are no small text are kept so.
"""

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from backend.domain.device.device_files import is_device
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import UNFINISHED, move_onto, sync_folder
from backend.machine.real_path import real_path
from backend.ports.blobs import BlobRef

_PLAIN = re.compile(r"(?!\.)[A-Za-z0-9_.@-]{1,160}(?<!\.)")


def path_inside(folder: Path, *names: str) -> Path:
    """The path of these names below the folder, which no link leads out of; raises `path_refused`."""
    for name in names:
        if not _PLAIN.fullmatch(name) or is_device(name):
            raise OutriderError("path_refused", name=ascii(name))
    path = folder.joinpath(*names)
    if not real_path(path).is_relative_to(real_path(folder)):
        raise OutriderError("path_refused", name=ascii("/".join(names)))
    return path


PIECE = 256 * 1024


def path_of(folder: Path, sha256: str, suffix: str = "") -> Path:
    """Where content of that digest lies; raises `path_refused` if a link leads elsewhere."""
    return path_inside(folder, sha256[:2], f"{sha256}{suffix}")


def store_content(folder: Path, chunks: Iterable[bytes], suffix: str = "") -> tuple[str, int]:
    """(SHA-256, size) of content that is on the disk now; the same is stored once. Nothing stays if `chunks` raises."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    # mkstemp makes the file 0600 from its first moment.
    handle, name = tempfile.mkstemp(dir=folder, prefix=UNFINISHED)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                digest.update(chunk)
                size += file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        sha256 = digest.hexdigest()
        target = path_of(folder, sha256, suffix)
        if is_intact(target, sha256):
            unfinished.unlink()
            return sha256, size
        target.parent.mkdir(mode=0o700, exist_ok=True)
        unfinished = move_onto(unfinished, target)
        # A new name survives a power cut only when its folder is on the disk too, and that folder's own name.
        for parent in (target.parent, folder):
            sync_folder(parent)
    except BaseException:
        # Nothing names the file, so nobody else would remove it.
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    return sha256, size


def read_chunks(path: Path) -> Iterator[bytes]:
    """What a file holds, a piece at a time; raises OSError."""
    with path.open("rb") as file:
        yield from iter(lambda: file.read(PIECE), b"")


def is_intact(path: Path, sha256: str) -> bool:
    """Whether the file is there and holds what it is named for."""
    digest = hashlib.sha256()
    try:
        for piece in read_chunks(path):
            digest.update(piece)
    except FileNotFoundError:
        return False
    return digest.hexdigest() == sha256


_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Files under <folder>/<aa>/<sha256>, readable by this user only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, chunks: Iterable[bytes]) -> BlobRef:
        """On the disk when it returns; the same bytes are stored once."""
        return BlobRef(*store_content(self.folder, chunks))

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes in pieces, verified behind the last one: who needs them whole hands nothing on before the end."""
        # The digest comes from the log; not even that must make us read elsewhere.
        if not _SHA256.fullmatch(sha256):
            raise OutriderError("artifact_damaged", sha256=ascii(sha256), what="is no digest")
        digest = hashlib.sha256()
        try:
            for piece in read_chunks(path_of(self.folder, sha256)):
                digest.update(piece)
                yield piece
        except FileNotFoundError as error:
            raise OutriderError("artifact_damaged", sha256=sha256, what="is gone") from error
        if digest.hexdigest() != sha256:
            raise OutriderError("artifact_damaged", sha256=sha256, what="is not what was kept")

    def holds(self, sha256: str) -> bool:
        """Whether there is a file of that name."""
        return bool(_SHA256.fullmatch(sha256)) and path_of(self.folder, sha256).exists()

    def remove_unreferenced(self, referenced: Collection[str]) -> int:
        """Remove whatever is not named; how many files."""
        left = [file for file in self.folder.glob("**/*") if file.is_file() and file.name not in referenced]
        for file in left:
            file.unlink(missing_ok=True)
        return len(left)

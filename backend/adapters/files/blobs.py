"""Artifacts that are no small text, as files named by their SHA-256."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from backend.adapters.files import content_files
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import BlobRef

_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Files under <folder>/<aa>/<sha256>, readable by this user only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, chunks: Iterable[bytes]) -> BlobRef:
        """On the disk when it returns; the same bytes are stored once."""
        return BlobRef(*content_files.store_content(self.folder, chunks))

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes in pieces, verified behind the last one: who needs them whole hands nothing on before the end."""
        # The digest comes from the log; not even that must make us read elsewhere.
        if not _SHA256.fullmatch(sha256):
            raise OutriderError("artifact_damaged", sha256=ascii(sha256), what="is no digest")
        digest = hashlib.sha256()
        try:
            for piece in content_files.read_chunks(content_files.path_of(self.folder, sha256)):
                digest.update(piece)
                yield piece
        except FileNotFoundError as error:
            raise OutriderError("artifact_damaged", sha256=sha256, what="is gone") from error
        if digest.hexdigest() != sha256:
            raise OutriderError("artifact_damaged", sha256=sha256, what="is not what was kept")

    def holds(self, sha256: str) -> bool:
        """Whether there is a file of that name."""
        return bool(_SHA256.fullmatch(sha256)) and content_files.path_of(self.folder, sha256).exists()

    def remove_unreferenced(self, referenced: Collection[str]) -> int:
        """Remove whatever is not named; how many files."""
        left = [file for file in self.folder.glob("**/*") if file.is_file() and file.name not in referenced]
        for file in left:
            file.unlink(missing_ok=True)
        return len(left)

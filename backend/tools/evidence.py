"""Evidence: what was seen, kept as files named by their SHA-256, so that nobody can swap one unnoticed."""

import contextlib
import hashlib
import os
import re
import tempfile
from pathlib import Path

from backend.domain.errors import OutriderError
from backend.domain.site import Evidence

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.[a-z0-9]{1,8}")


class EvidenceStore:
    """Files under <folder>/<aa>/<sha256>.png: written whole or not at all, readable by this user only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, kind: str, content: bytes, quote: str = "", suffix: str = "png") -> Evidence:
        """Return when the content is on the disk; the same content is stored once."""
        sha256 = hashlib.sha256(content).hexdigest()
        evidence = Evidence(kind, sha256, f"{sha256[:2]}/{sha256}.{suffix}", quote)
        target = self.folder / evidence.file
        if not (target.exists() and _digest(target) == sha256):
            _write(target, content)
        return evidence

    def read(self, file: str) -> bytes:
        """The content, verified against its name; `evidence_damaged` when it is gone or another."""
        # The name comes from the log or from the page; neither must make us read elsewhere.
        named = _NAME.fullmatch(file)
        if named is None:
            raise OutriderError("evidence_damaged", file=ascii(file), what="is not a name under which evidence is kept")
        try:
            content = (self.folder / file).read_bytes()
        except FileNotFoundError as gone:
            raise OutriderError("evidence_damaged", file=file, what="is gone") from gone
        if hashlib.sha256(content).hexdigest() != named[2]:
            raise OutriderError("evidence_damaged", file=file, what="is not what was kept")
        return content


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file 0600 from its first moment.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    if os.name == "posix":
        # A new name survives a power cut only when its folder is on the disk too.
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

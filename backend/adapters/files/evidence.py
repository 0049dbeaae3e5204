"""Evidence: what was seen, kept as files named by their SHA-256."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from backend.adapters.files import content_files
from backend.adapters.files.content_files import path_inside
from backend.domain.model.site import Evidence
from backend.domain.values.errors import OutriderError

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.[a-z0-9]{1,8}")


class EvidenceStore:
    """Files under <folder>/<aa>/<sha256>.png, readable by this user only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, kind: str, content: bytes, quote: str = "", suffix: str = "png") -> Evidence:
        """Return when the content is on the disk; the same content is stored once."""
        sha256, _ = content_files.store_content(self.folder, [content], f".{suffix}")
        return Evidence(kind, sha256, f"{sha256[:2]}/{sha256}.{suffix}", quote)

    def forget(self, files: Iterable[str]) -> int:
        """Remove these files for good, as far as they are there; how many were."""
        removed = 0
        for file in files:
            if _NAME.fullmatch(file) is None:
                continue
            path = path_inside(self.folder, *file.split("/"))
            removed += path.is_file()
            path.unlink(missing_ok=True)
        return removed

    def read(self, file: str) -> bytes:
        """The content, verified against its name; `evidence_damaged` when it is gone or another."""
        # The name comes from the log or from the page; neither must make us read elsewhere.
        match = _NAME.fullmatch(file)
        if match is None:
            raise OutriderError("evidence_damaged", file=ascii(file), what="is not a name under which evidence is kept")
        try:
            content = path_inside(self.folder, *file.split("/")).read_bytes()
        except FileNotFoundError as error:
            raise OutriderError("evidence_damaged", file=file, what="is gone") from error
        if hashlib.sha256(content).hexdigest() != match[2]:
            raise OutriderError("evidence_damaged", file=file, what="is not what was kept")
        return content

"""What the user chose, whatever it is: a folder, a zip, or the document alone."""

import zipfile
from pathlib import Path

from backend.domain.errors import OutriderError
from backend.ports.skill_source import SkillSource
from backend.skills.archive import ZipSource
from backend.skills.folder import DocumentSource, FolderSource


def source_of(path: Path) -> SkillSource:
    """How this is read; raises `skill_source_unknown` for what is none of them."""
    if path.is_dir():
        return FolderSource(path)
    if zipfile.is_zipfile(path):
        return ZipSource(path)
    if path.suffix.lower() in (".md", ".markdown"):
        return DocumentSource(path)
    raise OutriderError("skill_source_unknown", file=path.name)

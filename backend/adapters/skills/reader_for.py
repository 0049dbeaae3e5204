"""What the user chose, whatever it is: a folder, a zip, or the document alone."""

import zipfile
from pathlib import Path

from backend.adapters.skills.archive import ZipSkillReader
from backend.adapters.skills.folder import DocumentSkillReader, FolderSkillReader
from backend.domain.values.errors import OutriderError
from backend.ports.skill_source import SkillSource


def skill_reader_for(path: Path) -> SkillSource:
    """How this is read; raises `skill_source_unknown` for what is none of them."""
    if path.is_dir():
        return FolderSkillReader(path)
    if zipfile.is_zipfile(path):
        return ZipSkillReader(path)
    if path.suffix.lower() in (".md", ".markdown"):
        return DocumentSkillReader(path)
    raise OutriderError("skill_source_unknown", file=path.name)

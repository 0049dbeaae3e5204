"""Skills from wherever they are: those that come with Outrider, and what the user chose: a folder, a zip, or the document alone."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from backend.adapters.skills.archive import ZipSkillReader
from backend.adapters.skills.folder import DocumentSkillReader, FolderSkillReader
from backend.domain.turn.skill import SkillFolder
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


FOLDER = Path(__file__).parent / "builtin"


class BuiltinSkillReader:
    """Reads all built-in skills, in the order of their names."""

    def folders(self) -> Iterator[SkillFolder]:
        """Each built-in skill."""
        for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
            yield from FolderSkillReader(folder).folders()

"""The skills that come with Outrider: one folder each, beside this file."""

from collections.abc import Iterator
from pathlib import Path

from backend.adapters.skills.folder import FolderSkillReader
from backend.domain.turn.skill import SkillFolder

FOLDER = Path(__file__).parent / "builtin"


class BuiltinSkillReader:
    """Reads all built-in skills, in the order of their names."""

    def folders(self) -> Iterator[SkillFolder]:
        """Each built-in skill."""
        for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
            yield from FolderSkillReader(folder).folders()

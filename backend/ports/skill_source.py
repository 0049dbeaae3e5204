"""Sources of skills: folders of files, read as a whole within limits, and not yet checked."""

from collections.abc import Iterator
from typing import Protocol

from backend.domain.turn.skill import SkillFolder


class SkillSource(Protocol):
    """Something that holds skills."""

    def folders(self) -> Iterator[SkillFolder]:
        """Each skill's folder; raises `skill_source_…` for a source that cannot be read or is malicious."""
        ...

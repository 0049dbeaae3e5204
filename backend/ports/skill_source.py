"""Where skills come from: folders of files, read whole and bounded, and not judged yet."""

from collections.abc import Iterator
from typing import Protocol

from backend.domain.turn.skill import SkillFolder


class SkillSource(Protocol):
    """A place with skills in it."""

    def folders(self) -> Iterator[SkillFolder]:
        """Each skill's folder; raises `skill_source_…` for what cannot be read or was made to do harm."""
        ...

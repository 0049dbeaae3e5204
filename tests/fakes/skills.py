"""Skills that exist in a test only."""

from collections.abc import Iterator, Mapping

from backend.domain.turn.skill import SkillFolder


def document(name: str, body: str = "Be kind.", applies: str = "invitation, message", version: str = "1.0") -> str:
    """A whole SKILL.md."""
    return f'---\nname: {name}\ndescription: About {name}\napplies-to: [{applies}]\nversion: "{version}"\n---\n{body}\n'


def folder(
    name: str, body: str = "Be kind.", applies: str = "invitation, message", version: str = "1.0"
) -> SkillFolder:
    """A folder with nothing but the document."""
    return SkillFolder(name, {"SKILL.md": document(name, body, applies, version).encode()})


class MemorySource:
    """Folders that are on no disk."""

    def __init__(self, folders: Mapping[str, Mapping[str, bytes]]) -> None:
        self._folders = folders

    def folders(self) -> Iterator[SkillFolder]:
        """Each of them."""
        for label, files in self._folders.items():
            yield SkillFolder(label, dict(files))

"""A skill in a folder on disk, and one that is a single document."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from backend.adapters.skills import limits
from backend.domain.turn.skill import DOCUMENT, SkillFolder
from backend.domain.values.errors import OutriderError

IGNORED = frozenset({".git", ".DS_Store", "Thumbs.db", "desktop.ini", "__MACOSX"})
"""What systems and tools leave in a folder without being asked."""

_MOUNT_POINT = 0xA0000003
"""Windows' tag of a junction, which is no symbolic link and leads elsewhere all the same."""


class FolderSkillReader:
    """One folder with a SKILL.md; links in it are refused, whatever they lead to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def folders(self) -> Iterator[SkillFolder]:
        """The one skill."""
        label = self._path.name
        try:
            files = dict(self._files(label))
        except OSError as error:
            raise unreadable(label, error) from error
        yield SkillFolder(label, files)

    def _files(self, label: str) -> Iterator[tuple[str, bytes]]:
        count = total = 0
        waiting = [(self._path, 0)]
        while waiting:
            folder, depth = waiting.pop()
            with os.scandir(folder) as entries:
                sorted_entries = sorted(
                    (entry for entry in entries if entry.name not in IGNORED), key=lambda entry: entry.name
                )
            for entry in sorted_entries:
                path = Path(entry.path)
                name = path.relative_to(self._path).as_posix()
                if _leads_elsewhere(entry):
                    raise OutriderError("skill_source_link", file=label, member=name)
                if entry.is_dir(follow_symlinks=False):
                    if depth >= limits.MAX_DEPTH:
                        raise too_large(label)
                    waiting.append((path, depth + 1))
                    continue
                content = content_of(path, label)
                count, total = count + 1, total + len(content)
                if count > limits.MAX_FILES or total > limits.MAX_BYTES:
                    raise too_large(label)
                yield name, content


class DocumentSkillReader:
    """A single SKILL.md, without a folder around it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def folders(self) -> Iterator[SkillFolder]:
        """The one skill."""
        try:
            content = content_of(self._path, self._path.name)
        except OSError as error:
            raise unreadable(self._path.name, error) from error
        yield SkillFolder(self._path.name, {DOCUMENT: content})


def content_of(path: Path, label: str) -> bytes:
    """The bytes of an ordinary file of a bounded size; OSError when it is a link or cannot be read."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - the very file that is looked at
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OutriderError("skill_source_unreadable", file=label, detail=f"{path.name} is not an ordinary file")
        content = stream.read(limits.MAX_FILE_BYTES + 1)
    if len(content) > limits.MAX_FILE_BYTES:
        raise too_large(label)
    return content


def too_large(label: str) -> OutriderError:
    """The refusal of more than a skill needs."""
    return OutriderError(
        "skill_source_too_large", file=label, files=limits.MAX_FILES, kilobytes=limits.MAX_BYTES // 1024
    )


def unreadable(label: str, error: OSError) -> OutriderError:
    """What the operating system said."""
    return OutriderError("skill_source_unreadable", file=label, detail=error.strerror or "it is not there")


def _leads_elsewhere(entry: os.DirEntry[str]) -> bool:
    tag = getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0)
    return entry.is_symlink() or tag == _MOUNT_POINT

"""A skill in a zip, after everything that a hostile zip could try is refused; nothing is unpacked to disk."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from backend.adapters.skills import limits
from backend.adapters.skills.folder import IGNORED, too_large, unreadable
from backend.domain.turn.skill import DOCUMENT, SkillFolder
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal

_ENCRYPTED = 0x1
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    LookupError,
    RuntimeError,
    ArithmeticError,
    EOFError,
)


class ZipSkillReader:
    """One zip with one SKILL.md in it, at its top or in a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def folders(self) -> Iterator[SkillFolder]:
        """The one skill: the folder in which the document lies, and nothing beside it."""
        label = self._path.name
        try:
            if self._path.stat().st_size > limits.MAX_ARCHIVE_BYTES:
                raise too_large(label)
            with zipfile.ZipFile(self._path) as archive:
                folder = SkillFolder(label, _files(archive, label))
        except OSError as error:
            raise unreadable(label, error) from error
        except _DAMAGE as error:
            raise OutriderError("skill_source_damaged", file=label) from error
        yield folder


def _files(archive: zipfile.ZipFile, label: str) -> dict[str, bytes]:
    members = [info for info in archive.infolist() if not IGNORED & set(info.filename.split("/"))]
    for info in members:
        _refuse_harm(info, label)
    names = [info.filename for info in members if not info.is_dir()]
    documents = [name for name in names if name.rpartition("/")[2] == DOCUMENT]
    if len(documents) > 1 or len(set(names)) < len(names):
        raise OutriderError("skill_source_several", file=label)
    if not documents:
        raise OutriderError("skill_without_document", file=label)
    root = documents[0].removesuffix(DOCUMENT)
    inside = [info for info in members if not info.is_dir() and info.filename.startswith(root)]
    if len(inside) > limits.MAX_FILES:
        raise too_large(label)
    files: dict[str, bytes] = {}
    for info in inside:
        files[info.filename.removeprefix(root)] = _content(archive, info, label)
        if sum(map(len, files.values())) > limits.MAX_BYTES:
            raise too_large(label)
    return files


def _refuse_harm(info: zipfile.ZipInfo, label: str) -> None:
    name = info.orig_filename.replace("\\", "/")
    parts = name.rstrip("/").split("/")
    unsafe = name.startswith("/") or ":" in parts[0] or not {"..", ".", ""}.isdisjoint(parts) or "\0" in name
    if unsafe or len(name) > limits.MAX_PATH or len(parts) > limits.MAX_DEPTH + 2:
        raise OutriderError("skill_source_unsafe_path", file=label, member=reveal(name)[:120])
    if stat.S_ISLNK(info.external_attr >> 16):
        raise OutriderError("skill_source_link", file=label, member=name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack without a bound
        raise OutriderError("skill_source_unreadable", file=label, detail="it is compressed in an unusual way")
    if info.flag_bits & _ENCRYPTED:
        raise OutriderError("skill_source_unreadable", file=label, detail="it is protected by a password")
    if info.file_size > limits.RATIO_FREE_BYTES and info.file_size > limits.MAX_RATIO * info.compress_size:
        raise OutriderError("skill_source_bomb", file=label, ratio=info.file_size // max(info.compress_size, 1))


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, label: str) -> bytes:
    with archive.open(info) as stream:
        content = stream.read(limits.MAX_FILE_BYTES + 1)  # whatever size the zip says it has
    if len(content) > limits.MAX_FILE_BYTES:
        raise too_large(label)
    return content

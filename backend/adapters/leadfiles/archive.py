"""LinkedIn's export zip and workbooks: what of a zip may be read, after everything that a hostile one could try is refused."""

import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.lead_format import FORMATS, LeadFormat, column_key
from backend.adapters.leadfiles.source import (
    LeadFileSource,
    open_archive,
    open_member,
    too_large,
    translating_file_errors,
)
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

_CONTENT_TYPES = "[Content_Types].xml"
_OPEN_DOCUMENT = {"mimetype", "content.xml"}
_OF_NUMBERS = (".iwa", "Index.zip")
_SHEETS, _SHARED_TEXT = "xl/worksheets/", "xl/sharedstrings.xml"
# What is not opened: pictures, pivot tables and such.
_UNREAD = ("xl/drawings/", "xl/charts/", "xl/media/", "xl/pivot", "xl/externallinks/", "customxml/")
_END = b"PK\x05\x06"
_END_SIZE = 22
_END64_LOCATOR = b"PK\x06\x07"
_END64_LOCATOR_SIZE = 20
_LONGEST_COMMENT = 0xFFFF
_ENCRYPTED = 0x1
_NAMES_SHOWN = 8
_HEAD_BYTES = 64 * 1024


def usual_name(member: str, formats: Sequence[LeadFormat] = FORMATS) -> bool:
    """Whether a member is called what a known format is usually called in a zip."""
    return PurePosixPath(member).name.lower() in {lead_format.zip_member for lead_format in formats}


class ZipMembers(NamedTuple):
    """What a zip offers."""

    sources: list[LeadFileSource]
    """The members that may hold leads, those with a usual name first."""
    refusal: OutriderError | None
    """Why a member that was expected to hold leads is not among them."""
    member_names: str
    """The names of all members, for a person."""


def members(path: Path, formats: Sequence[LeadFormat] = FORMATS) -> ZipMembers:
    """The members worth reading; a zip that was made to do harm is refused whole."""
    label = path.name
    sources: list[LeadFileSource] = []
    refusals: list[OutriderError] = []
    with translating_file_errors(label):
        with path.open("rb") as stream:
            _check_directory(stream, label)
        with open_archive(path) as archive:
            # Not `is_dir()`: Python 3.11's fails on a name that damage has emptied.
            infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
            names = {info.filename for info in infos}
            if _CONTENT_TYPES in names:
                raise OutriderError("lead_file_binary", file=label, kind="a workbook or another office document")
            if names >= _OPEN_DOCUMENT:
                raise OutriderError("lead_file_open_document", file=label)
            if any(name.endswith(_OF_NUMBERS) for name in names):
                raise OutriderError("lead_file_numbers", file=label)
            _check_paths(infos, label)
            for info in sorted(infos, key=lambda info: not usual_name(info.filename, formats)):
                if _suffix(info.filename) != ".csv":
                    continue
                source = LeadFileSource(path, info.filename)
                refusal = _refusal(info, source.label)
                if refusal is None and (usual_name(info.filename, formats) or _looks_known(archive, info, formats)):
                    sources.append(source)
                if refusal is not None and (
                    usual_name(info.filename, formats) or refusal.code == "lead_file_zip_encrypted"
                ):
                    refusals.append(refusal)
    if not (sources or refusals) and any(_suffix(name) == ".zip" for name in names):
        refusals.append(OutriderError("lead_file_zip_in_zip", file=label))
    return ZipMembers(sources, refusals[0] if refusals else None, _listed(names))


def is_workbook(path: Path) -> bool:
    """Whether the file is an Excel workbook; raises `lead_file_workbook_too_large` if it unpacks to more than we hold."""
    label = path.name
    try:
        with translating_file_errors(label):
            with path.open("rb") as stream:
                if stream.read(4) not in ZIP_MAGIC:
                    return False
                _check_directory(stream, label)
            with open_archive(path) as archive:
                infos = archive.infolist()
    except OutriderError as error:
        if error.code == "lead_file_zip_damaged" and path.suffix.lower() in (".xlsx", ".xlsm"):
            raise OutriderError("lead_file_workbook_damaged", file=label) from error
        raise
    names = {info.filename for info in infos}
    if _CONTENT_TYPES not in names or not any(name.startswith(_SHEETS) and name.endswith(".xml") for name in names):
        return False
    _check_paths(infos, label)
    for info in infos:
        limit = _most_bytes(info.filename.lower())
        if limit is not None and info.file_size > limit:
            raise workbook_too_large(label, info.filename, info.file_size, limit)
    return True


def _most_bytes(part: str) -> int | None:
    if part.startswith(_UNREAD):
        return None
    if part.startswith(_SHEETS):
        return limits.MAX_FILE_BYTES
    return limits.MAX_SHARED_TEXT_BYTES if part == _SHARED_TEXT else limits.MAX_WORKBOOK_PART_BYTES


def workbook_too_large(label: str, part: str, size: int, limit: int) -> OutriderError:
    """The refusal of a workbook one of whose parts is above its limit."""
    return OutriderError(
        "lead_file_workbook_too_large",
        file=label,
        part=_printable(part),
        megabytes=-(-size // 1_000_000),
        limit=limit // 1_000_000,
    )


def _suffix(member: str) -> str:
    return PurePosixPath(member).suffix.lower()


def different_contents(path: Path, sources: list[LeadFileSource]) -> set[tuple[int, int]]:
    """The members' checksums with their sizes: the same file twice is one."""
    source_members = {source.member for source in sources}
    with translating_file_errors(path.name), open_archive(path) as archive:
        return {(info.CRC, info.file_size) for info in archive.infolist() if info.filename in source_members}


def _refusal(info: zipfile.ZipInfo, label: str) -> OutriderError | None:
    """Why a member cannot be read, or unpacks to far more than it should."""
    if info.flag_bits & _ENCRYPTED:
        return OutriderError("lead_file_zip_encrypted", file=label)
    if info.file_size > limits.MAX_FILE_BYTES:
        return too_large(label, info.file_size)
    if info.file_size > limits.ZIP_RATIO_FREE_BYTES and info.file_size > limits.MAX_ZIP_RATIO * info.compress_size:
        return OutriderError("lead_file_zip_bomb", file=label, ratio=info.file_size // max(info.compress_size, 1))
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return OutriderError("lead_file_zip_damaged", file=label)
    return None


def _looks_known(archive: zipfile.ZipFile, info: zipfile.ZipInfo, formats: Sequence[LeadFormat]) -> bool:
    """Whether the member's beginning holds a signature: saves reading all of an export's other tables."""
    with open_member(archive, info.filename) as stream:
        head = stream.read(_HEAD_BYTES)
    # Without its NUL bytes, UTF-16 reads like ASCII here.
    text = column_key(head.replace(b"\0", b"").decode("ascii", "ignore"))
    return any(all(column in text for column in lead_format.signature) for lead_format in formats)


def _check_paths(infos: list[zipfile.ZipInfo], label: str) -> None:
    """Nothing is unpacked to disk, but a zip with such a path was made to do harm."""
    if len(infos) > limits.MAX_ZIP_MEMBERS:
        raise OutriderError("lead_file_zip_too_many_members", file=label, limit=limits.MAX_ZIP_MEMBERS)
    for info in infos:
        name = info.orig_filename.replace("\\", "/")
        if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/") or "\0" in name:
            raise OutriderError("lead_file_zip_unsafe_path", file=label, member=_printable(name))


def _check_directory(stream: IO[bytes], label: str) -> None:
    """Bounds the zip's table of contents before zipfile reads all of it into memory."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT - _END64_LOCATOR_SIZE))
    tail = stream.read()
    # The same search as zipfile's own, so that both look at the same record.
    at = len(tail) - _END_SIZE
    if not (tail[at : at + 4] == _END and tail.endswith(b"\0\0")):
        at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise OutriderError("lead_file_zip_damaged", file=label)
    directory_bytes = int.from_bytes(tail[at + 12 : at + 16], "little")
    locator = tail[max(0, at - _END64_LOCATOR_SIZE) : at]
    # Only an archive of 4 GB or 65,536 members needs the 64-bit form, in which all these numbers stand elsewhere.
    if directory_bytes > limits.MAX_ZIP_DIRECTORY_BYTES or locator.startswith(_END64_LOCATOR):
        raise OutriderError("lead_file_zip_too_many_members", file=label, limit=limits.MAX_ZIP_MEMBERS)


def _listed(names: set[str]) -> str:
    shown = sorted(map(_printable, names))
    if not shown:
        return "nothing"
    rest = len(shown) - _NAMES_SHOWN
    return ", ".join(shown[:_NAMES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _printable(name: str) -> str:
    return reveal(name)[:120]

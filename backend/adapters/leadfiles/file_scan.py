"""One pass over a file before anything is parsed: whether it is text, in which encoding, and how many lines it has.

The pass decodes in chunks and keeps nothing, so that a file is known to be readable to its end before its first row
is used. UTF-8 is believed only if every byte agrees; otherwise the encoding is guessed (`encoding_guess`) and tried in
further passes, unless the user has named it.
"""

import codecs
import re
from dataclasses import dataclass

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.encoding_guess import CHOICES, guess_encodings, unmarked_utf16
from backend.adapters.leadfiles.source import LeadFileSource
from backend.domain.values.errors import OutriderError

_CHUNK = 256 * 1024
_HEAD = 8 * 1024
_SAMPLE = 64 * 1024

_BINARY_KINDS = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"GIF8", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
# In the container of old Office files stands a protected new one, under this name.
_PROTECTED = "EncryptedPackage".encode("utf-16-le")
_OTHER_OLD_OFFICE = (
    ("WordDocument".encode("utf-16-le"), "a Word document"),
    ("PowerPoint Document".encode("utf-16-le"), "a presentation"),
    ("__substg1.0_".encode("utf-16-le"), "an e-mail of Outlook"),
)
# Before there was that container.
_OLDEST_WORKBOOKS = tuple(
    b"\x09" + bytes(version) for version in ((0, 4, 0), (2, 6, 0), (4, 6, 0), (8, 8, 0), (8, 16, 0))
)
# Text that is no table, by how it begins behind marks of an encoding and blanks; without NUL, UTF-16 reads like ASCII.
_OTHER_TEXTS = (
    (re.compile(rb"<(?:!doctype html|html|head|body|meta|script|table|div)\b", re.IGNORECASE), "a web page"),
    (re.compile(rb"<(?:\?xml|!--|!doctype)", re.IGNORECASE), "XML"),
    (re.compile(rb"\{\\rtf"), "a text document (RTF)"),
    (re.compile(rb"[\[{]\s*[\"\[{\]}]"), "JSON"),
    (re.compile(rb"(?:version: ?1\s+)?dn::? ?\w+=", re.IGNORECASE), "an address book (LDIF)"),
)
_ADDRESS_CARDS = re.compile(rb"BEGIN:VCARD\b", re.IGNORECASE)
_BYTE_ORDER_MARK = re.compile(rb"\xef\xbb\xbf|\xff\xfe|\xfe\xff")
# The first mark that fits decides (UTF-32's little-endian mark begins with UTF-16's); the encodings are tried in order.
_ENCODINGS: tuple[tuple[bytes, tuple[str, ...]], ...] = (
    (codecs.BOM_UTF8, ("utf-8-sig",)),
    (codecs.BOM_UTF32_LE, ()),
    (codecs.BOM_UTF32_BE, ()),
    (codecs.BOM_UTF16_LE, ("utf-16",)),
    (codecs.BOM_UTF16_BE, ("utf-16",)),
    (b"", ("utf-8",)),
)
_GAP = re.compile(rb"\0{16,}")
"""No text in any encoding: room that was set aside for a file and never written."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r") | {127})
# A stray control character is tolerated, text in which they are this common is none.
_BINARY_SHARE = 0.1
_MIXED_SHARE = 3
"""A file is taken for two joined ones if at least one in so many of its non-ASCII lines is UTF-8."""


@dataclass(frozen=True, slots=True)
class FileScan:
    """What the pass found."""

    encoding: str
    lines: int
    """Never less than the number of physical lines."""


def scan_file(source: LeadFileSource, encoding: str | None = None) -> FileScan:
    """The encoding and size of a text file; an error if it is not one we can read to its end.

    With an `encoding` that the user named it is read by that one alone; raises `lead_file_encoding_unknown`.
    """
    if source.sheet.name:
        return FileScan("utf-8", _decode(source, "utf-8").lines)
    with source.open_bytes() as stream:
        head = _GAP.sub(b"", stream.read(_HEAD))
    _check_kind(source, head)
    encodings = next(encodings for mark, encodings in _ENCODINGS if head.startswith(mark))
    unmarked = unmarked_utf16(head) if "utf-8" in encodings else ""
    if encoding is not None:
        named = _requested_encoding(encoding, source.label)
        encodings = (unmarked or named if named == "utf-16" else named,)
    elif unmarked:
        encodings = (unmarked,)
    elif "utf-8" in encodings:
        _check_controls(head, source.label)
    bad_line, tried = 1, list(encodings)
    for candidate in tried:
        result = _decode(source, candidate)
        if result.readable:
            return FileScan(candidate, result.lines)
        bad_line = max(bad_line, result.lines)
        if encoding is None and tried == ["utf-8"]:
            non_ascii_lines = _non_ascii_lines(source)
            if _is_mixed(non_ascii_lines):
                raise OutriderError("lead_file_mixed_encodings", file=source.label, line=bad_line)
            tried += guess_encodings(b"".join(non_ascii_lines))
    raise OutriderError("lead_file_wrong_encoding", file=source.label, line=bad_line)


def _check_kind(source: LeadFileSource, head: bytes) -> None:
    """Refuses what is surely no table, by how it begins."""
    if head.startswith(_OLD_OFFICE):
        if _holds(source, _PROTECTED):
            raise OutriderError("lead_file_workbook_protected", file=source.label)
        for marker, kind in _OTHER_OLD_OFFICE:
            if _holds(source, marker):
                raise OutriderError("lead_file_binary", file=source.label, kind=kind)
    if head.startswith((_OLD_OFFICE, *_OLDEST_WORKBOOKS)):
        raise OutriderError("lead_file_old_workbook", file=source.label)
    for magic, kind in _BINARY_KINDS:
        if head.startswith(magic):
            raise OutriderError("lead_file_binary", file=source.label, kind=kind)
    byte_order_mark = _BYTE_ORDER_MARK.match(head)
    beginning = head[byte_order_mark.end() if byte_order_mark else 0 :].replace(b"\0", b"").lstrip()
    if _ADDRESS_CARDS.match(beginning):
        raise OutriderError("lead_file_address_cards", file=source.label)
    for begins, kind in _OTHER_TEXTS:
        if begins.match(beginning):
            raise OutriderError("lead_file_not_a_table", file=source.label, kind=kind)


def _holds(source: LeadFileSource, marker: bytes) -> bool:
    before = b""
    with source.open_bytes() as stream:
        while chunk := stream.read(_CHUNK):
            if marker in before + chunk:
                return True
            before = chunk[-len(marker) :]
    return False


def _requested_encoding(encoding: str, label: str) -> str:
    encoding_name = encoding.strip().lower()
    if encoding_name not in CHOICES:
        raise OutriderError(
            "lead_file_encoding_unknown", file=label, encoding=encoding_name[:40], choices=", ".join(CHOICES)
        )
    return encoding_name


def _is_mixed(non_ascii_lines: list[bytes]) -> bool:
    """Whether a file that is no UTF-8 has many lines that are: parts of two files, one of which would be read wrongly.

    A line in another encoding is UTF-8 by chance only, and in most encodings never.
    """
    return sum(_is_utf8(line) for line in non_ascii_lines) * _MIXED_SHARE >= len(non_ascii_lines)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _non_ascii_lines(source: LeadFileSource) -> list[bytes]:
    """The first lines that are not plain ASCII, as many as are enough for a guess."""
    lines, size = [], 0
    with source.open_bytes() as stream:
        while size < _SAMPLE and (line := stream.readline(_CHUNK)):
            if not line.isascii():
                lines.append(line)
                size += len(line)
    return lines


@dataclass(slots=True)
class _DecodeResult:
    readable: bool = True
    lines: int = 1


def _decode(source: LeadFileSource, encoding: str) -> _DecodeResult:
    """Decodes the whole file; stops at the first byte that does not fit, with the number of its line."""
    decoder = codecs.getincrementaldecoder(encoding)()
    result = _DecodeResult()
    is_blank = True
    open_length = 0
    with source.open_bytes() as stream:
        while True:
            data = stream.read(_CHUNK)
            if gap := _GAP.search(data):
                line = result.lines + data.count(b"\n", 0, gap.start())
                raise OutriderError("lead_file_unfinished", file=source.label, line=line)
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeError as problem:  # text without the mark of UTF-16 is none from its beginning
                if isinstance(problem, UnicodeDecodeError):
                    result.lines += problem.object[: problem.start].count(b"\n")
                result.readable = False
                return result
            result.lines += text.count("\n") + text.count("\r") - text.count("\r\n")
            open_length = _open_line_length(text, open_length, source.label, result.lines)
            is_blank = is_blank and not text.strip()
            if not data:
                break
    if is_blank:
        raise OutriderError("lead_file_empty", file=source.label)
    return result


def _open_line_length(text: str, open_length: int, label: str, line: int) -> int:
    """The length of the line that is still open after the text; `open_length` is what it had before."""
    last = max(text.rfind("\n"), text.rfind("\r"))
    # A line within one chunk is shorter than the limit; only one that spans chunks can exceed it.
    open_length = open_length + len(text) if last < 0 else len(text) - last - 1
    if open_length > limits.MAX_LINE_CHARS:
        raise OutriderError("lead_file_line_too_long", file=label, line=line)
    return open_length


def _check_controls(head: bytes, label: str) -> None:
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) * _BINARY_SHARE:
        raise OutriderError("lead_file_binary", file=label, kind="not text")

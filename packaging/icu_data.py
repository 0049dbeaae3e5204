"""ICU's data with only those tables that are asked for: Qt's library (`libicudata`) 5 MB instead of 32, the engine's 6 of 10.

Qt's Core is the one library that uses this ICU. By its imported functions it asks for case mapping, collation, time zones'
canonical names and, by name, old character sets. Its languages, countries, numbers and dates are Qt's own tables, and the page's
are its engine's (`icudtl.dat`). So names of units, currencies, languages, countries and time zones, transliterations, spelled-out
numbers, line breaks and tables of old character sets are left out; ICU knows Unicode's and Latin-1 without a table.

The page asks its engine for dates and numbers in the user's language, for alphabetical order and for line breaks. It names
no unit, currency, language, country or time zone.
"""

import re
import struct
import subprocess
from pathlib import Path

QT_LEFT_OUT = re.compile(
    r"[^/]+/(?:(?:unit|curr|lang|region|zone|translit|rbnf|brkitr)/.*|[^/]+\.(?:cnv|spp|cfu)|[a-z]{2,3}(?:_\w+)?\.res)"
)
"""Names of tables inside Qt's ICU; the last is what a language says about calendars, without which ICU uses `root`'s."""
ENGINE_LEFT_OUT = re.compile(
    r"[^/]+/(?:(?:unit|lang|region|translit|rbnf)/.*|brkitr/cjdict.dict"
    r"|(?:curr|zone)/(?!root|pool|supplementalData|tzdbNames).*)"
)
"""And inside the engine's, which cannot write a date without the common part of currencies and time zones.

Without the dictionary (2 MB) a double click in Chinese or Japanese marks more than a word; lines break as before.
"""
_ALIGNED = 16
_ASSEMBLY = """
.section .rodata
.globl {symbol}
.type {symbol}, @object
.balign 16
{symbol}: .incbin "{data}"
.size {symbol}, . - {symbol}
.section .note.GNU-stack,"",@progbits
"""


def slim(library: Path, work: Path) -> None:
    """Replace the library by one of the same name and symbol with fewer tables."""
    symbol, whole = exported(library)
    data, source, object_, slimmer = (work / f"icudata.{end}" for end in ("dat", "s", "o", "so"))
    data.write_bytes(without(whole, QT_LEFT_OUT))
    source.write_text(_ASSEMBLY.format(symbol=symbol, data=data), encoding="ascii", newline="\n")
    for command in (
        ["as", "-o", str(object_), str(source)],
        ["ld", "-shared", "-z", "noexecstack", "-soname", library.name, "-o", str(slimmer), str(object_)],
    ):
        subprocess.run(command, check=True)  # noqa: S603 - binutils, on our own files
    library.write_bytes(slimmer.read_bytes())


def without(whole: bytes, left_out: re.Pattern[str]) -> bytes:
    """ICU's data (a table of contents and its items, each on a multiple of 16 bytes) without those of these names."""
    (head,) = struct.unpack_from("<H", whole)
    (count,) = struct.unpack_from("<I", whole, head)
    offsets = [struct.unpack_from("<II", whole, head + 4 + 8 * index) for index in range(count)]
    ends = [begin for _, begin in offsets[1:]] + [len(whole) - head]
    items = [
        (name, whole[head + begin : head + end])
        for (at, begin), end in zip(offsets, ends, strict=True)
        if not left_out.fullmatch(name := whole[head + at : whole.index(b"\0", head + at)].decode("ascii"))
    ]
    names = b"".join(name.encode("ascii") + b"\0" for name, _ in items)
    name_at, at = 4 + 8 * len(items), _padded(4 + 8 * len(items) + len(names))
    contents, body = [struct.pack("<I", len(items))], []
    for name, item in items:
        contents.append(struct.pack("<II", name_at, at))
        body.append(item.ljust(_padded(len(item)), b"\xaa"))
        name_at, at = name_at + len(name) + 1, at + _padded(len(item))
    table = b"".join(contents) + names
    return whole[:head] + table.ljust(_padded(len(table)), b"\xaa") + b"".join(body)


def _padded(size: int) -> int:
    return -size % _ALIGNED + size


def exported(library: Path) -> tuple[str, bytes]:
    """The one symbol that the library exports, and its bytes."""
    command = ["objdump", "--section-headers", "--dynamic-syms", str(library)]
    listing = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout  # noqa: S603
    section = re.search(r"\.rodata +[0-9a-f]+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)", listing)
    symbol_match = re.search(
        r"^([0-9a-f]+) g +DO \.rodata\t([0-9a-f]+) +(?:Base +)?(icudt\d+_dat)$", listing, re.MULTILINE
    )
    if symbol_match is None or section is None:
        raise ValueError(f"{library.name} is no data library of ICU's")
    begin = int(symbol_match[1], 16) - int(section[1], 16) + int(section[2], 16)
    return symbol_match[3], library.read_bytes()[begin : begin + int(symbol_match[2], 16)]

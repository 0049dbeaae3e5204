"""ICU's data without what Qt never asks for: what is left is whole, and ICU reads it."""

import shutil
import struct
import sys
from collections.abc import Callable
from ctypes import CDLL, RTLD_GLOBAL, byref, c_byte, c_int, c_uint16, c_void_p
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]


def data(items: dict[str, bytes]) -> bytes:
    """ICU's own form: a header, a table of contents, and each item on a multiple of 16 bytes."""
    header = struct.pack("<HH4s", 16, 0xDA27, b"test").ljust(16, b"\0")
    names, places, body = b"", [], b""
    table = 4 + 8 * len(items)
    begin = table + sum(len(name) + 1 for name in items)
    begin += -begin % 16
    for name, item in items.items():
        places.append((table + len(names), begin + len(body)))
        names += name.encode() + b"\0"
        body += item.ljust(len(item) + -len(item) % 16, b"\xaa")
    contents = struct.pack("<I", len(items)) + b"".join(struct.pack("<II", *place) for place in places) + names
    return header + contents.ljust(begin, b"\xaa") + body


def test_what_qt_asks_for_stays_as_it_was(script: Script) -> None:
    expected = {"icudt73l/coll/de.res": b"order" * 7, "icudt73l/nfc.nrm": b"forms", "icudt73l/root.res": b"root" * 4}
    out = {"icudt73l/curr/de.res": b"Euro", "icudt73l/de.res": b"Montag", "icudt73l/ibm-1047.cnv": b"table" * 9}
    icu_data = script("icu_data")
    assert icu_data.without(data(dict(sorted({**expected, **out}.items()))), icu_data.QT_LEFT_OUT) == data(expected)
    assert icu_data.without(data(expected), icu_data.QT_LEFT_OUT) == data(expected)


def test_the_engine_keeps_what_a_date_is_written_with(script: Script) -> None:
    expected = {"icudt74l/curr/root.res": b"common", "icudt74l/de.res": b"Montag", "icudt74l/zone/root.res": b"common"}
    out = {"icudt74l/curr/de.res": b"Euro", "icudt74l/lang/de.res": b"Deutsch", "icudt74l/zone/de.res": b"Zeit"}
    icu_data = script("icu_data")
    assert icu_data.without(data(dict(sorted({**expected, **out}.items()))), icu_data.ENGINE_LEFT_OUT) == data(expected)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not all(map(shutil.which, ("as", "ld", "objdump"))),
    reason="Qt comes with an ICU of its own on Linux only, and binutils make its library",
)
def test_icu_reads_the_smaller_library(script: Script, tmp_path: Path) -> None:
    spec = find_spec("PySide6")
    assert spec is not None
    assert spec.origin is not None
    for library in (Path(spec.origin).parent / "Qt/lib").glob("libicu*.so.*"):
        shutil.copy(library, tmp_path)
    (library,) = tmp_path.glob("libicudata.so.*")
    script("icu_data").slim(library, tmp_path)
    assert library.stat().st_size < 6_000_000
    version = library.suffix.removeprefix(".")
    _, common, international = (
        CDLL(str(tmp_path / f"libicu{name}.so.{version}"), mode=RTLD_GLOBAL) for name in ("data", "uc", "i18n")
    )

    def utf16(text: str) -> object:
        return (c_uint16 * (len(text) + 1))(*map(ord, text), 0)

    opened, failed = international[f"ucol_open_{version}"], c_int(0)
    opened.restype = c_void_p
    order = {}
    for language in (b"de", b"sv"):
        collator = c_void_p(opened(language, byref(failed)))
        order[language] = international[f"ucol_strcoll_{version}"](collator, utf16("ä"), -1, utf16("z"), -1)
        assert failed.value <= 0
    assert order == {b"de": -1, b"sv": 1}, "each language has its own alphabet"
    upper, length = (c_uint16 * 20)(), 0
    length = common[f"u_strToUpper_{version}"](upper, 20, utf16("istanbul"), -1, b"tr", byref(failed))
    assert "".join(map(chr, upper[:length])) == "İSTANBUL"
    canonical, is_system_id = (c_uint16 * 40)(), c_byte(0)
    ask = international[f"ucal_getCanonicalTimeZoneID_{version}"]
    length = ask(utf16("Asia/Calcutta"), -1, canonical, 40, byref(is_system_id), byref(failed))
    assert ("".join(map(chr, canonical[:length])), is_system_id.value) == ("Asia/Calcutta", 1)
    assert failed.value <= 0

"""Latin letters that are no plain letter with a mark, and what people type for them: one table for all that finds names."""

import re
from collections.abc import Mapping
from itertools import filterfalse
from unicodedata import combining, normalize

_SMALL = {
    "ł": "l", "ø": "o", "ǿ": "o", "đ": "d", "ð": "d", "ħ": "h", "ŋ": "n", "ŧ": "t", "ĸ": "k", "æ": "ae", "ǽ": "ae", "ǣ": "ae",
    "œ": "oe", "þ": "th",
}  # fmt: skip
PLAIN: Mapping[str, str] = _SMALL | {small.upper(): plain for small, plain in _SMALL.items() if small != "ĸ"} | {
    "\u0131": "i", "ß": "ss", "ẞ": "ss",
}  # fmt: skip
_TABLE = str.maketrans(dict(PLAIN))
_ACCENTED = "".join(
    letter
    for letter in map(chr, range(0xC0, 0x250))
    if len(parts := normalize("NFD", letter)) == 2 and parts[0].isascii()  # noqa: PLR2004 - a letter and one accent
)
_FOLDED_BY_AN_INDEX = re.compile(rf"[ -~{_ACCENTED}]*")


def as_typed(text: str) -> str:
    """`Łukasz Müller` as `lukasz muller`: without case and accents; other scripts keep their letters."""
    if text.isascii():
        return text.lower()
    letters = normalize("NFKD", text.casefold()).translate(_TABLE)
    return normalize("NFC", "".join(filterfalse(combining, letters)))


def is_folded_by_an_index(text: str) -> bool:
    """Whether SQLite's full-text index finds the text as it is typed: it drops accents, and leaves `ł` as it is."""
    return _FOLDED_BY_AN_INDEX.fullmatch(text) is not None

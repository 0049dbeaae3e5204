"""Latin letters that are no plain letter with a mark, and what people type for them: one table for all that finds names."""

from collections.abc import Mapping
from unicodedata import combining, normalize

_SMALL = {
    "ł": "l", "ø": "o", "ǿ": "o", "đ": "d", "ð": "d", "ħ": "h", "ŋ": "n", "ŧ": "t", "ĸ": "k", "æ": "ae", "ǽ": "ae", "ǣ": "ae",
    "œ": "oe", "þ": "th",
}  # fmt: skip
PLAIN: Mapping[str, str] = _SMALL | {small.upper(): plain for small, plain in _SMALL.items() if small != "ĸ"} | {
    "\u0131": "i", "ß": "ss", "ẞ": "ss",
}  # fmt: skip
_TABLE = str.maketrans(dict(PLAIN))


def as_typed(text: str) -> str:
    """`Łukasz Müller` as `lukasz muller`: without case and accents; other scripts keep their letters."""
    if text.isascii():
        return text.lower()
    letters = normalize("NFKD", text.casefold()).translate(_TABLE)
    return normalize("NFC", "".join(letter for letter in letters if not combining(letter)))

"""What a person is called in a greeting: a profile's name without ornaments, titles and what stands behind it."""

import re
import unicodedata

_BRACKETED = re.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|\uff08[^\uff09]*\uff09")
_BEHIND = re.compile(r"[,|\u2022\u2013\u2014/]|\s[-\u00b7]\s")
TITLES = frozenset({"dr", "prof", "mr", "mrs", "ms", "mx", "ing", "dipl", "sir", "herr", "frau"})
_INNER = frozenset("'\u2019-\u2010\u00b7.")
_JOINERS = frozenset("\u200c\u200d")


def clean_name(full_name: str) -> str:
    """The name without emoji and signs, what is bracketed, titles, and degrees behind a comma; empty if nothing is left.

    Letters of every script stay as they are, with their marks.
    """
    front = _BEHIND.split(_BRACKETED.sub(" ", full_name), maxsplit=1)[0]
    kept = front.translate(_KEPT)
    words = [word.strip("-\u2010.'\u2019 ") if not _is_initial(word) else word for word in kept.split()]
    words = [word for word in words if any(map(str.isalpha, word))]
    while len(words) > 1 and words[0].rstrip(".").casefold() in TITLES:
        words.pop(0)
    return " ".join(words)


def _kept(character: str) -> str:
    if unicodedata.category(character) == "Cf" and character not in _JOINERS:
        return ""  # what cannot be seen parts no word
    if character in _JOINERS or character in _INNER or unicodedata.category(character)[0] in "LM":
        return character
    return " "


class _Kept(dict[int, str]):
    """What becomes of each character, looked up once: a list of leads has few different ones."""

    def __missing__(self, point: int) -> str:
        self[point] = _kept(chr(point))
        return self[point]


_KEPT = _Kept()


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[0].isalpha() and word[1] == "."  # noqa: PLR2004 - a letter and a full stop

"""Guesses the encoding of a table that bears no mark of it and is no UTF-8, from how its words would read.

A careful guess, shown to the user, who may name another: Windows-1252 unless the text reads clearly better otherwise.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

SINGLE_BYTE = ("cp1252", "cp1250", "iso8859_2", "cp1251", "cp1253", "mac_roman")
"""In the order in which they are preferred where a text reads as well in both."""

CHOICES = (
    "utf-8",
    "utf-16",
    *SINGLE_BYTE,
    *"cp1254 cp1255 cp1256 cp1257 cp874 koi8_r cp932 euc_jp gb18030 big5 cp949".split(),  # noqa: SIM905
)
"""What the user may name, as Python spells it."""

_WORD = re.compile(rb"[A-Za-z\x80-\xff'-]*[\x80-\xff][A-Za-z\x80-\xff'-]*")
_MOST_WORDS = 2_000
_NUL_SHARE = 0.8
_ACCENTED_SHARE = 0.75
_USUAL_VOWELS = 0.42
_VOWELS = frozenset("aeiouyаеёиоуыэюяαεηιουωάέήίόύώ")  # noqa: RUF001 - Latin, Cyrillic, Greek
# Signs where the other alphabets have letters. Beside letters they stand in no word, but after a few (`cm\u00b3`).
_NO_PART_OF_A_WORD = re.compile(
    r"[\u00a3\u00a5\u00a6\u00ac\u00af\u00b1\u00b3\u00b6\u00b9\u00bc\u00be](?=[^\W\d_]{2})|(?<=[^\W\d_]{3})[\u00a3\u00a5\u00a6\u00a7\u00ac\u00b1\u00b3\u00b6\u00b9\u00bc\u00be]"
    r"|[\u00a9\u00ae](?=[^\W\d_]{2})(?![A-Z])"
)
_POLISH, _NOT_POLISH = re.compile("[\u0142\u0141]"), re.compile("[\u0161\u0160\u0165\u0164\u013e\u013d]")
_TURKISH = re.compile(
    "(?<=\\w)[\u00fe\u00de]|(?<!\\w)\u00dd(?=[a-z])|(?<=\\w)\u00d0|\u00fd\\w*[\u00f0\u00fe\u00fd]|[\u00f0\u00fe]\\w*\u00fd"
    "|[\u00e7\u00c7].*[\u00f0\u00fe\u00fd]|[\u00f0\u00fe\u00fd].*[\u00e7\u00c7]"
)
"""\u015f within a word, \u0130 and \u011e, several of \u011f, \u0131 and \u015f, and these beside \u00e7, as they look
in Windows-1252."""
_ALSO_TURKISH = frozenset(
    "\u00e7\u00c7\u00f6\u00d6\u00fc\u00dc\u00e2\u00c2\u00ee\u00ce\u00fb\u00db\u00f0\u00d0\u00fd\u00dd\u00fe\u00de"
)
"""No other letters are in a Turkish text; Icelandic has others in nearly every name."""
_NO_WORD = re.compile(
    "\u00f8.*[\u00e1\u00ed\u00fd\u017e\u0161]|[\u00e1\u00ed\u00fd\u017e\u0161].*\u00f8|[\u0161\u017e].*\u00e6|\u00e6.*[\u0161\u017e]",
    re.IGNORECASE,
)
"""Letters that no language has in one word: `Ji\u00f8\u00ed` is Ji\u0159\u00ed."""
_CENTRAL_EUROPEAN = re.compile(
    "[aeiouy]œ|iæ\\b"  # Wiœniewski, Petroviæ
    "|ñ[bdfgklmprstwz]|ñc(?!h)"  # Kamiñski
    "|\\bÈ[a-záéíý]|è[aeioáéíýò]|iè\\b|ù[zžšèmrlt]"  # Èapek, Franèiè, Rùžièka
    "|nì[mk]|dìk|vìt|bìl|pìt|iø[aeiín]|øe[jz]"  # Nìmec, Ondøej
    "|\\bÐ[a-zà-ÿ]"  # Ðorðe: no Icelandic word begins so
    "|ã[bcdgklmnprtuvx]|ãz(?!inh)|ãs\\w"  # Bãsescu
    "|(?:gy|sz|cs|zs)\\w*[õû]|[õû]\\w*(?:gy|sz|cs|zs)|[dt]õ[sf]|\\bÕr|hûv"  # Gyõr, Erdõs
    "|êd[rz]|êbs|êk|êcz",  # Jêdrzej
    re.IGNORECASE,
)
"""Names of Central Europe, as they look in Windows-1252, and as none of Western Europe does."""
_WESTERN_EUROPEAN = re.compile(
    "ń[aeiouáéíóú]|ř[bglry]|jř|ă[oe]|őe"  # Peńa, Sřren, Joăo, Simőes
    "|[bcdfghklmnprstv]ć[bdfghklmnprstv]|\\bĆ[bglnrs]"  # Mćrsk
    "|\\bŢó|úđ|[uö]đr|rđu"  # Ţórđur
    "|[fhlmnprtv]č(?:vr|[ncdglrst]e)|ŕ\\b|\\bĹ|hĺk",  # Lefčvre, Hĺkon
    re.IGNORECASE,
)
"""The other way round."""
_READS_AS_OTHERS = {"cp1252": _CENTRAL_EUROPEAN, "cp1250": _WESTERN_EUROPEAN, "iso8859_2": _WESTERN_EUROPEAN}
_ALONE = re.compile(
    r"(?<=[A-Za-z])[^\x00-\x7f]+(?=[A-Za-z])|(?<=[A-Za-z])[^\x00-\x7f](?![^\x00-\x7f])|(?<![^\x00-\x7f])[^\x00-\x7f](?=[A-Za-z])"
)
_MOST_ALONE = 0.1
"""Of a text in ideographs or Hangul, a sign by itself beside a Latin letter, or signs between two: `Ren\u99a5` is Ren\u00e9e."""
_APOSTROPHES = frozenset("\u2019\u2018\u00b4`")


class _DoubleByte(NamedTuple):
    """How to tell one: the share of its two-byte characters that must be of the usual kind."""

    encoding: str
    is_usual: Callable[[str], bool]
    share: float


def _kana_or_kanji(character: str) -> bool:
    return "\u3000" <= character <= "\u30ff" or "\u4e00" <= character <= "\u9fff" or "\uff01" <= character <= "\uff5e"


def _hangul(character: str) -> bool:
    """Of KS X 1001: 2,350 syllables that nearly all of a Korean text is made of."""
    return "\uac00" <= character <= "\ud7a3" and len(character.encode("euc_kr", "ignore")) == 2  # noqa: PLR2004 - bytes


def _common_simplified(character: str) -> bool:
    """The first level of GB 2312: 3,755 characters that nearly all of a Chinese text is made of."""
    code = character.encode("gb2312", "ignore")
    return len(code) == 2 and 0xB0 <= code[0] <= 0xD7  # noqa: PLR2004 - rows of the code


def _common_traditional(character: str) -> bool:
    code = character.encode("big5", "ignore")
    return len(code) == 2 and 0xA4 <= code[0] <= 0xC6  # noqa: PLR2004 - rows of the code


_DOUBLE_BYTE = (
    _DoubleByte("cp932", _kana_or_kanji, 0.95),
    _DoubleByte("cp949", _hangul, 0.8),
    _DoubleByte("gb18030", _common_simplified, 0.8),
    _DoubleByte("big5", _common_traditional, 0.8),
    _DoubleByte("euc_jp", _kana_or_kanji, 0.95),
)


def guess_encodings(sample: bytes) -> tuple[str, ...]:
    """The encodings to try, the likeliest first; `sample` is text without a mark that is no UTF-8."""
    words = _WORD.findall(sample)[:_MOST_WORDS]
    double_byte_encodings = tuple(
        double_byte.encoding for double_byte in _DOUBLE_BYTE if _reads_as(double_byte, sample)
    )
    flaws = {encoding: _flaws(words, encoding) for encoding in SINGLE_BYTE}
    if flaws["cp1252"] == 0:
        return (*double_byte_encodings, *(("cp1254",) if _is_turkish(words) else ()), "cp1252")
    # What reads badly in every encoding is no text that could be guessed.
    legible = [encoding for encoding in SINGLE_BYTE if encoding == "cp1252" or 2 * flaws[encoding] < len(words)]
    return (
        *double_byte_encodings,
        *sorted(legible, key=lambda encoding: (flaws[encoding], encoding != "cp1252", _vowels_off(words, encoding))),
    )


def unmarked_utf16(sample: bytes) -> str:
    """UTF-16 without its mark, "" for anything else: every other byte of Latin text in it is NUL."""
    half = len(sample) / 2
    if sample[1::2].count(0) > half * _NUL_SHARE:
        return "utf-16-le"
    return "utf-16-be" if sample[0::2].count(0) > half * _NUL_SHARE else ""


def _reads_as(double_byte: _DoubleByte, sample: bytes) -> bool:
    text = _decoded(sample, double_byte.encoding)
    foreign_characters = [character for character in text or "" if not character.isascii()]
    if len(foreign_characters) < 2:  # noqa: PLR2004 - a single one may be anything
        return False
    if len(_ALONE.findall(text or "")) > _MOST_ALONE * len(foreign_characters):
        return False
    return sum(map(double_byte.is_usual, foreign_characters)) >= double_byte.share * len(foreign_characters)


def _decoded(sample: bytes, encoding: str) -> str | None:
    for cut in range(4):  # the sample may end within a character
        try:
            return sample[: len(sample) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _flaws(words: list[bytes], encoding: str) -> int:
    """How many words would read wrongly."""
    texts = [word.decode(encoding, "replace") for word in words]
    not_polish = _NOT_POLISH if any(_POLISH.search(text) for text in texts) else None
    others = [pattern for pattern in (not_polish, _READS_AS_OTHERS.get(encoding)) if pattern]
    return sum(_is_flawed(text) or any(pattern.search(text) for pattern in others) for text in texts)


def _is_turkish(words: list[bytes]) -> bool:
    """Whether what reads as Icelandic in Western Europe's encoding has signs of Turkish and none of Icelandic."""
    texts = [word.decode("cp1252", "replace") for word in words]
    letters = {letter for text in texts for letter in text if letter.isalpha() and not letter.isascii()}
    return letters <= _ALSO_TURKISH and _TURKISH.search(" ".join(texts)) is not None


def _is_flawed(word: str) -> bool:
    inner = [character for character in word if character not in "'-" and character not in _APOSTROPHES]
    letters = [character for character in inner if character.isalpha()]
    if any(unicodedata.category(character) in ("Cc", "Cn", "So") for character in inner) or "\ufffd" in word:
        return True
    signs = "".join(character for character in inner if not character.isalpha())
    if letters and signs and not word.strip(signs).isalpha():
        return True  # a sign within a word
    if _NO_WORD.search(word):
        return True
    if letters and signs and _NO_PART_OF_A_WORD.search(word):
        return True
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1:
        return True
    accented = sum(not letter.isascii() for letter in letters)
    if scripts == {"LATIN"} and len(letters) > 2 and accented > _ACCENTED_SHARE * len(letters):  # noqa: PLR2004
        return True
    following = pairwise(word)
    return any(first.islower() and then.isupper() and not then.isascii() for first, then in following)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


def _vowels_off(words: list[bytes], encoding: str) -> float:
    """How far the share of vowels is from what is usual: letters of the wrong alphabet fall anywhere."""
    letters = [c for word in words for c in word.decode(encoding, "ignore").lower() if c.isalpha()]
    base_letters = [unicodedata.normalize("NFD", letter)[0] for letter in letters]
    return abs(sum(c in _VOWELS for c in base_letters) / len(base_letters) - _USUAL_VOWELS) if base_letters else 1.0

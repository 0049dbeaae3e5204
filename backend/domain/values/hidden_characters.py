"""What a person cannot see in a text, or takes for a blank: the one table of it, and how it is shown.

Import, the check of a text that is to be sent, the terminal, the prompt and the page (by `page_pattern`) all ask here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from backend.domain.values.errors import OutriderError
from backend.domain.values.unicode_ranges import DEFAULT_IGNORABLE, PICTOGRAPHS, UNASSIGNED

_NEVER_SENT = """
    0000-0008 000B-001F 007F-009F
    2028-202E 2066-206F D800-DFFF FEFF FFF9-FFFB
    FDD0-FDEF FFFE-FFFF 1FFFE-1FFFF 2FFFE-2FFFF 3FFFE-3FFFF 4FFFE-4FFFF 5FFFE-5FFFF 6FFFE-6FFFF 7FFFE-7FFFF
    8FFFE-8FFFF 9FFFE-9FFFF AFFFE-AFFFF BFFFE-BFFFF CFFFE-CFFFF DFFFE-DFFFF EFFFE-EFFFF FFFFE-FFFFF 10FFFE-10FFFF
    E0000-E007F
"""
"""Controls but tab and line feed, line separators, what turns a text around, half surrogates, byte order marks,
annotations, noncharacters, and tags, in which whole sentences can be hidden: no message needs them."""

_FORMAT = """
    00AD 0600-0605 061C 06DD 070F 0890-0891 08E2 180E 200B-200F 202A-202E 2060-2064 2066-206F FEFF FFF9-FFFB
    110BD 110CD 13430-1343F 1BCA0-1BCA3 1D173-1D17A E0001 E0020-E007F
"""
"""General category Cf."""

_PRIVATE_USE = "E000-F8FF F0000-FFFFD 100000-10FFFD"

_SPACES = "00A0 1680 2000-200A 202F 205F 3000"
"""General category Zs but U+0020: what looks like a blank and is none."""

_EMPTY = "2800 FFFC 16FE4 1D159"
"""Blank Braille, the object replacement character, the filler of the small Khitan script and the empty note head: they
look like nothing, and no property of Unicode says so."""

_TABLES = (_NEVER_SENT, _FORMAT, _PRIVATE_USE, _SPACES, _EMPTY, DEFAULT_IGNORABLE, UNASSIGNED)

_JOINING_SCRIPTS = """
    0620-06DC 06DE-070E 0710-088F 0898-08E1 08E3-0DFF 0F00-109F 1780-17B3 17B6-17DD 1820-18AA 1A20-1AAD 1B00-1BFF
    1CD0-1CFA A800-A82C A840-A877 A880-A8FF A980-A9DF AA60-AA7F AAE0-AAF6 ABC0-ABFF FB50-FDCF FDF0-FDFF FE70-FEFC
"""
"""Arabic, Syriac, N'Ko, Mongolian, the scripts of India and those descended from them: they are spelled with joiners."""

_MONGOLIAN = "1820-18AA"
_SKIN_TONES = "1F3FB-1F3FF"
_FLAGS = ("gbeng", "gbsct", "gbwls")
"""England, Scotland and Wales: the only flags that are spelled with tags."""

_NAMED = 20
"""Of so many hidden characters an error names each."""

_Spell = Callable[[int], str]


class HiddenCharacters(NamedTuple):
    """The same hidden character once or several times in a row: where, and how it is shown."""

    start: int
    end: int
    character: str

    @property
    def code_point(self) -> str:
        """Such as `U+200B`."""
        return f"U+{ord(self.character):04X}"

    @property
    def is_space(self) -> bool:
        """Whether it is seen, as a blank that it is not."""
        return _SPACE.match(self.character) is not None

    @property
    def mark(self) -> str:
        """What stands in its place wherever the text is shown."""
        count = self.end - self.start
        return f"[{self.code_point}]" if count == 1 else f"[{self.code_point} x{count}]"


def ranges(table: str) -> list[tuple[int, int]]:
    """The first and last code point of each range of a table."""
    pairs = []
    for entry in table.split():
        first, _, last = entry.partition("-")
        pairs.append((int(first, 16), int(last or first, 16)))
    return pairs


def _character_class(spell: _Spell, *tables: str) -> str:
    pairs = sorted(pair for table in tables for pair in ranges(table))
    return "[" + "".join(spell(a) if a == b else f"{spell(a)}-{spell(b)}" for a, b in pairs) + "]"


def _pattern(spell: _Spell) -> str:
    """Matches what is kept first; only what group 1 holds is hidden.

    Both engines read it: it uses nothing that Python and JavaScript write differently, but the spelling of code points.
    """
    zwnj, zwj, text_style, emoji_style = spell(0x200C), spell(0x200D), spell(0xFE0E), spell(0xFE0F)
    joining, mongolian = _character_class(spell, _JOINING_SCRIPTS), _character_class(spell, _MONGOLIAN)
    picture = _character_class(spell, PICTOGRAPHS)
    styled = f"{picture}(?:{_character_class(spell, _SKIN_TONES)}|{text_style}|{emoji_style})?"
    flags = "|".join("".join(spell(0xE0000 + ord(letter)) for letter in flag) for flag in _FLAGS)
    exempt_patterns = (
        f"{spell(0x1F3F4)}(?:{flags}){spell(0xE007F)}",
        f"{styled}(?:{zwj}{styled})*",
        f"[0-9#*]{emoji_style}{spell(0x20E3)}",
        f"(?<={joining})[{zwnj}{zwj}](?={joining})",
        f"(?<={mongolian})[{spell(0x180B)}-{spell(0x180D)}{spell(0x180F)}]",
        f"(?<={mongolian}){spell(0x180E)}(?=[{spell(0x1820)}{spell(0x1821)}])",
    )
    near = _character_class(spell, *(_within(table, 0, 0xFFFF) for table in _TABLES))
    far = _character_class(spell, *(_within(table, 0x10000, 0x10FFFF) for table in _TABLES))
    # Python looks through the many ranges beyond U+FFFF one by one, so only what lies there is compared with them.
    beyond = f"(?=[{spell(0x10000)}-{spell(0x10FFFF)}]){far}"
    return f"{'|'.join(exempt_patterns)}|({near}|{beyond})\\1*"


def _within(table: str, lowest: int, highest: int) -> str:
    inside = [(max(first, lowest), min(last, highest)) for first, last in ranges(table)]
    return " ".join(f"{first:X}-{last:X}" for first, last in inside if first <= last)


def _escape(point: int) -> str:
    return f"\\U{point:08x}"


@cache
def _hidden() -> re.Pattern[str]:
    """Compiled when a text asks for it first: that takes long, and most texts are plain."""
    return re.compile(_pattern(_escape))


@cache
def _ever_hidden() -> re.Pattern[str]:
    return re.compile(hidden_class())


@lru_cache(16_384)
def _may_hide(character: str) -> bool:
    """Whether it is ever hidden, whatever stands beside it."""
    return _ever_hidden().match(character) is not None


_UNSENDABLE = re.compile(_character_class(_escape, _NEVER_SENT))
_SPACE = re.compile(_character_class(_escape, _SPACES))
_PLAIN = re.compile(r"[\t\n\x20-\x7e\u00c0-\u024f]*")
"""Nothing of it is hidden, whatever stands beside it: ASCII and Latin letters."""


def _page_escape(point: int) -> str:
    return f"\\u{{{point:x}}}"


def page_pattern() -> str:
    """The same as a regular expression of JavaScript (flags `gu`)."""
    return _pattern(_page_escape)


def page_pattern_of_unsendable() -> str:
    """Of the hidden characters those that no message may hold, as a regular expression of JavaScript (flag `u`)."""
    return _character_class(_page_escape, _NEVER_SENT)


def hidden_class() -> str:
    """The same for Python without regard to context: a class of characters for a regular expression."""
    return _character_class(_escape, *_TABLES)


def hidden_characters(text: str) -> Iterator[HiddenCharacters]:
    """Every run of a hidden character, in the order of the text."""
    # Looking at each place for all that may stand there takes a hundred times as long as knowing each letter.
    if _PLAIN.fullmatch(text) or not any(map(_may_hide, set(text))):
        return
    for match in _hidden().finditer(text):
        if match[1] is not None:
            yield HiddenCharacters(match.start(), match.end(), match[1])


def hides(text: str) -> bool:
    """Whether a text holds anything that a person cannot see."""
    return next(hidden_characters(text), None) is not None


def hidden_code_points(text: str) -> tuple[str, ...]:
    """The code points of what is hidden in a text, each once, in the order of the text."""
    return tuple(dict.fromkeys(run.code_point for run in hidden_characters(text)))


def unsendable_character(text: str) -> HiddenCharacters | None:
    """The first hidden character that no message may hold, whoever approves it."""
    return next((run for run in hidden_characters(text) if _UNSENDABLE.match(run.character)), None)


def refuse_unsendable_topic(topic: str) -> None:
    """Raises `topic_not_clean` for what a message that says it could not hold."""
    if unclean := unsendable_character(topic):
        raise OutriderError("topic_not_clean", point=unclean.code_point)


def refuse_unshown(text: str, shown: Sequence[str] | None) -> None:
    """Raises `text_hides` unless the user was shown every hidden character of the text; None if what holds now was shown."""
    hidden = hidden_code_points(text)
    if shown is not None and not set(hidden) <= set(shown):
        raise OutriderError("text_hides", points=", ".join(hidden[:_NAMED]) + (" …" if len(hidden) > _NAMED else ""))


def reveal(text: str) -> str:
    """The text with the code point in place of everything that cannot be seen."""
    return _replaced(text, lambda run: run.mark)


def as_it_looks(text: str) -> str:
    """The text on one line without what is hidden, for comparing what people take for the same."""
    if text.isascii() and text.isprintable():  # hides nothing
        return " ".join(text.split())
    return " ".join(_replaced(text, lambda run: " " if run.is_space else "").split())


def _replaced(text: str, replacement: Callable[[HiddenCharacters], str]) -> str:
    if _PLAIN.fullmatch(text):
        return text
    parts, at = [], 0
    for run in hidden_characters(text):
        parts += [text[at : run.start], replacement(run)]
        at = run.end
    return "".join([*parts, text[at:]])

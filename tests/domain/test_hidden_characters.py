"""What a person cannot see is found, shown as its code point, and never approved unseen."""

import sys
import unicodedata

import pytest

from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import (
    as_it_looks,
    hidden_code_points,
    hides,
    ranges,
    refuse_unshown,
    reveal,
    unsendable_character,
)
from backend.domain.values.unicode_ranges import UNASSIGNED

_HIDING = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"}
_SEEN = {" ", "\n", "\t"}


def assigned() -> list[str]:
    """Every character that this Python's Unicode knows."""
    every = map(chr, range(sys.maxunicode + 1))
    return [character for character in every if unicodedata.category(character) != "Cn"]


def test_every_control_format_private_and_odd_space_character_is_hidden() -> None:
    missed = [
        f"U+{ord(character):04X}"
        for character in assigned()
        if unicodedata.category(character) in _HIDING and not hides(f"a{character}b")
    ]
    assert missed == [f"U+{ord(character):04X}" for character in sorted(_SEEN)]


def test_no_letter_mark_number_or_sign_that_is_seen_counts_as_hidden() -> None:
    ignorable = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x3164, 0xFFA0}
    ignorable |= {*range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
    empty = {0x2800, 0xFFFC, 0x16FE4, 0x1D159}
    code_points = {
        ord(character)
        for character in assigned()
        if unicodedata.category(character) not in _HIDING and hides(f"a{character}b")
    }
    assert code_points == ignorable | empty


def test_what_no_font_can_show_is_hidden() -> None:
    table = {point for first, last in ranges(UNASSIGNED) for point in range(first, last + 1)}
    assert not table & {ord(character) for character in assigned()}
    assert all(hides(f"a{chr(point)}b") for point in sorted(table)[::97])
    for point in (0x378, 0xFFFE, 0xFDD0, 0x2065, 0xFFF0, 0x1FFFE, 0x40000, 0xE0FFF, 0x10FFFF):
        assert reveal(chr(point)) == f"[U+{point:04X}]"


HIDING = {
    "tags": "\U000e0001\U000e0041\U000e007f",
    "soft hyphen": "\u00ad",
    "Arabic letter mark": "\u061c",
    "Hangul fillers": "\u115f\u1160\u3164\uffa0",
    "invisible operators": "\u2061\u2062\u2063\u2064",
    "variation selectors": "\ufe00\ufe0f\U000e0100\U000e01ef",
    "blank look-alikes": "\u2800\u00a0\u2009\u200a\u202f\u205f\u3000\u1680",
    "zero width": "\u200b\u2060\ufeff\u180e\u034f",
    "Khmer inherent vowels": "\u17b4\u17b5",
    "bidirectional controls": "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a",
    "separators": "\u2028\u2029\u0085\x0b\x0c\x1c",
    "interlinear annotation": "\ufff9\ufffa\ufffb\ufffc",
    "musical controls": "\U0001d173\U0001d17a\U0001d159",
    "terminal control": "\x1b\x9b\r\x08\x7f\x00",
    "private use": "\ue000\U000f0000\U0010fffd",
    "half surrogates": "\ud800\udfff",
}


@pytest.mark.parametrize("characters", HIDING.values(), ids=HIDING)
def test_each_is_shown_as_its_code_point(characters: str) -> None:
    for character in characters:
        assert reveal(f"Hi{character}Ada") == f"Hi[U+{ord(character):04X}]Ada"
        assert hidden_code_points(f"Hi{character}Ada") == (f"U+{ord(character):04X}",)


@pytest.mark.parametrize(
    "text",
    [
        "👩‍💻",
        "👨🏽‍🚒",
        "❤️",
        "❤︎",
        "⭐️",
        "👍🏽",
        "1️⃣",
        "🏳️‍🌈",
        "👩‍❤️‍👨",
        "🇨🇭",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "ক্‌ষ",
        "ශ්‍රී",
        "ᠮᠣᠩᠭᠣᠯ\u180b",
        "ᠠᠮ\u180eᠠ",
        "naïve — “quoted” … Grüße, 漢字, עברית, e\u0301\n\tend",
    ],
)
def test_joiners_and_selectors_stay_where_a_script_or_an_emoji_needs_them(text: str) -> None:
    assert not hides(text)
    assert reveal(text) == text


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("a\u200db", ["U+200D"]),
        ("a\u200cb", ["U+200C"]),
        ("م\u200c\u200cخ", ["U+200C"]),
        ("👩\u200d", ["U+200D"]),
        ("👩\u200d\u200d💻", ["U+200D"]),
        ("A\ufe0f", ["U+FE0F"]),
        ("1\ufe0f", ["U+FE0F"]),
        ("❤\ufe0f\ufe0f", ["U+FE0F"]),
        ("❤\ufe00", ["U+FE00"]),
        ("葛\U000e0100", ["U+E0100"]),
        ("🏴\U000e0068\U000e0069\U000e007f", ["U+E0068", "U+E0069", "U+E007F"]),
        ("\u180b", ["U+180B"]),
        ("a\u180eb", ["U+180E"]),
    ],
)
def test_out_of_their_place_they_are_hidden_like_all_else(text: str, hidden: list[str]) -> None:
    assert list(hidden_code_points(text)) == hidden


def test_a_run_is_shown_once_with_its_length() -> None:
    assert reveal("a" + "\u200b" * 300 + "b") == "a[U+200B x300]b"
    # As the page spells it, in hiddenCharacters.test.ts.
    assert reveal("Ada\u00a0Love\u200b\u200blace 👩‍💻") == "Ada[U+00A0]Love[U+200B x2]lace 👩‍💻"


def test_what_looks_the_same_is_the_same() -> None:
    assert as_it_looks(" Ada\u00a0\u200bLove\u00adlace\u202e ") == "Ada Lovelace"


def test_only_what_no_message_needs_is_refused_outright() -> None:
    for character in "\x1b\r\u2028\u202e\u2066\ufff9\ud800\U000e0041\uffff":
        unsendable = unsendable_character(f"Hi {character}")
        assert unsendable is not None
        assert unsendable.character == character
    for text in (
        "Ada\u00a0Lovelace",
        "so\u00adft",
        "\u200e\u05e9\u05dc",
        "a\u200bb",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ):
        assert unsendable_character(text) is None


def test_a_text_that_hides_something_is_refused_unless_all_of_it_was_shown() -> None:
    text = "Hi\u200b A\u00adda"
    for shown in ((), ("U+200B",), ("u+200b", "U+00AD")):
        with pytest.raises(OutriderError) as refused:
            refuse_unshown(text, shown)
        assert refused.value.code == "text_hides"
        assert "U+200B, U+00AD" in refused.value.sentence
    refuse_unshown(text, ("U+00AD", "U+200B"))
    refuse_unshown("Hi Ada", ())

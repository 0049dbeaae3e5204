"""What a company is called in running text: its name without legal form, brackets and stray punctuation.

What may be a part of the name stays: a name that is longer than it is spoken is no mistake, one that was cut is.
"""

import re
import unicodedata
from functools import lru_cache

from backend.domain.people.contact_keys import FORM_IN_FRONT, LEGAL_FORMS, without_accents

_FURTHER_FORMS = frozenset((
    "aktiebolag", "aktiengesellschaft", "bhd", "dd", "eirl", "eood", "gbr", "gesellschaftmbh", "jsc", "lllp", "nyrt", "ood",
    "ou", "o\u00fc", "pjsc", "pllc", "privatelimited", "pvt", "sabdecv", "sadecv", "sapidecv", "sderldecv", "sdnbhd", "sia",
    "snc", "sprl", "srldecv", "srls", "sti", "tbk", "uab",
))  # fmt: skip
"""Beside those by which entries of the do-not-contact list are compared, which must stay as they are stored."""
_FORMS = LEGAL_FORMS - {"company"} | FORM_IN_FRONT | _FURTHER_FORMS
_ALSO_WORDS = frozenset((
    "ab", "ag", "as", "asa", "bv", "dd", "ek", "ev", "hf", "kg", "kk", "lp", "nv", "ou", "o\u00fc", "sa", "sas", "se", "sia",
    "sl", "slu", "snc", "spa", "sti", "ug",
))  # fmt: skip
"""Forms only as they are usually written, `AG`, `SpA` or `s.a.`: otherwise they are words, or parts of names."""
_SEVERAL_WORDS = frozenset((
    "gesellschaftmbh", "privatelimited", "sabdecv", "sadecv", "sapidecv", "sderldecv", "sdnbhd", "spzoo", "srldecv",
))  # fmt: skip
_MOST_WORDS = 5
"""Of which the longest form consists: `S. de R.L. de C.V.`."""
_AND_COMPANY = re.compile(r"(\w+?)(?:&|\+|und|u|and)co(\w*)")
_AND = frozenset(("&", "+", "and", "und", "et", "y", "e", "og"))
_NO_NAME = frozenset(("the", "der", "die", "das", "le", "la", "les", "el", "il"))

_WITHOUT_BLANK = "株式会社|有限会社|合同会社|주식회사|[(\uff08](?:株|有|주)[)\uff09]|㈱|㈲|㈜"
_FORM_WITHOUT_BLANK = re.compile(
    rf"^(?:{_WITHOUT_BLANK})\s*|\s*(?:{_WITHOUT_BLANK}|股份有限公司|有限责任公司|有限公司)$"
)
_BRACKETED = re.compile(r"(?:^|(?<=\s))[(\[\uff08][^()\[\]\uff08\uff09]*(?:[)\]\uff09]|$)")
_BEHIND = re.compile(r"[|\u2022]|\s[\u00b7]\s")
_PLACE = re.compile(r",\s|\s[-\u2013\u2014]\s")
_QUOTES = "\"'\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u2018\u2019`\u00b4"
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}]+)[{_QUOTES}]")
_STRAY = " ,;:/\\-\u2013\u2014\u00b7*_"
_MARKS = re.compile(r"[.,;/\s]")
_PLAIN = re.compile(r"[A-Za-z]{2,}")


@lru_cache(maxsize=8192)  # a list of leads has few companies, and many people of each
def company_in_text(name: str) -> str:
    """The name as one would say it: `Data` for `Data, Inc.`, `Müller` for `Müller GmbH & Co. KG`; else as it is."""
    if _PLAIN.fullmatch(name):
        return name
    short_name = _FORM_WITHOUT_BLANK.sub("", _without_ornaments(name))
    short_name = _without_brackets(_BEHIND.split(short_name, maxsplit=1)[0])
    before = ""
    while short_name != before:
        before, short_name = short_name, _without_stray_marks(_without_form(_without_place(short_name)))
    return short_name if any(map(str.isalnum, short_name)) else " ".join(name.split())


def _without_ornaments(name: str) -> str:
    """Without emoji, signs of trademarks, and what cannot be seen."""
    if not name.isascii():
        plain_characters = (character for character in name if not _is_ornament(character))
        name = "".join(plain_characters)
    return " ".join(name.split())


def _is_ornament(character: str) -> bool:
    category = unicodedata.category(character)
    return (category == "So" and character not in "㈱㈲㈜") or category in ("Cf", "Sk") or character == "\ufe0f"


def _without_brackets(name: str) -> str:
    before = ""
    while name != before:  # brackets in brackets
        before, name = name, " ".join(_BRACKETED.sub("", name).split())
    return name or before


def _without_place(name: str) -> str:
    """Without what stands behind a legal form: `Acme GmbH, Berlin`."""
    for match in _PLACE.finditer(name):
        front = name[: match.start()]
        if _without_form(front) != front:
            return front
    return name


def _without_form(name: str) -> str:
    words = name.split(" ")
    for count in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
        rest = words[:-count]
        if _is_form(words[-count:], rest) and rest[-1].casefold() not in _NO_NAME:
            return " ".join(rest)
    if len(words) > 1 and words[0].isupper() and words[0].casefold() in FORM_IN_FRONT:
        return " ".join(words[1:])
    return name


def _is_form(words: list[str], behind: list[str]) -> bool:
    """Whether these words, behind others, are a legal form and nothing else."""
    parts = [_MARKS.sub("", word) for word in words]
    key = without_accents("".join(parts)).casefold()
    together = _AND_COMPANY.fullmatch(key)
    if len(words) > 1 and together:
        return together[1] in _FORMS and (not together[2] or together[2] in _FORMS)
    if key not in _FORMS:
        return False
    if len(words) > 1:
        return key in _SEVERAL_WORDS or all(len(part) == 1 for part in parts)
    if key == "co":
        return behind[-1].casefold() not in _AND and not words[0].islower()
    written = words[0].strip(",;")
    if key not in _ALSO_WORDS or re.search(r"\w[./]\w", written):
        return True
    return not (written.rstrip(".").islower() or written.rstrip(".").istitle() or written == "SPA")


def _without_stray_marks(name: str) -> str:
    name = name.strip(_STRAY)
    if quoted := _QUOTED.fullmatch(name):
        name = quoted[1].strip()
    last = name.rpartition(" ")[2]
    return name[:-1] if last.endswith(".") and "." not in last[:-1] and len(name) > 1 else name

"""Where a text names a person whose data is erased: their full name, their e-mail address, their profile.

Text is compared without accents and hidden characters; what addresses and pages spell otherwise (`%20`, `&#39;`) as what it is.
"""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from backend.domain.erasure.erasure import ERASED, ERASED_KEY, KEPT, UNIQUE_KEYS, is_erased
from backend.domain.erasure.remains import mark_erased, mark_erased_in_json
from backend.domain.people.identity import plain_letters
from backend.domain.people.person_name import clean_name
from backend.domain.values.canonical_json import Json, canonical

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)
_SPELLED_OTHERWISE = re.compile(
    r"(?:%[0-9a-f]{2})+|\\+u([0-9a-f]{4})|&(?:#\d+|#x[0-9a-f]+|\w+);|(?-i:[^\x00-\x7f])", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W_]+")
_BETWEEN_LETTERS = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\+[nrtbf]")

_UMLAUT = re.compile(r"([aou])e")
_WITH_E = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WITHOUT_BLANKS = re.compile("[\u1100-\u11ff\u2e80-\u9fff]")
"""Scripts that write sentences without blanks, or endings right behind a name."""

_LETTER = r"[^\W\d_]"
_GAP = r"[\W_]{1,6}"
"""Between the words of a name: a blank, a comma with one, the mark of a key or of an address."""
_ESCAPED_BREAK = r"(?<=\\[nrt])"
"""A line break or tab in a JSON text that is the value of a string."""
_HUMP = r"(?-i:(?<=[a-z])(?=[A-Z]))"
"""Where a word ends in what is spelled `LikeThis`."""
_BEFORE_NAME = rf"(?:(?<!{_LETTER})|{_ESCAPED_BREAK}|{_HUMP})"
_AFTER_NAME = rf"(?:(?!{_LETTER})|{_HUMP})"
_BEFORE_ADDRESS = rf"(?:(?<![^\W_])(?<![@.+-])|{_ESCAPED_BREAK})"
_BEFORE_PROFILE = rf"(?:(?<![^\W_])(?<![@-])|{_ESCAPED_BREAK})"
_AFTER_ADDRESS = r"(?![^\W_]|[@-]|\.[^\W_])"

MAY_TELL = frozenset({"line", "attachment", "artifact", "incident", "task", "input_request", "turn", "rejected_row"})
"""What may name anybody, and then loses the mentions of them alone."""

TELLING_KINDS = frozenset({
    "CampaignActivated", "CampaignCompleted", "CampaignContinued", "CampaignFailed", "CampaignHeld", "CampaignPaused",
    "CampaignRecovered", "CampaignReopened", "CommitmentChecked", "CommitmentMade",
    "DoNotContactImportStarted", "ImportStarted", "LeadContactAllowed", "LeadNoted", "LeadTagged",
})  # fmt: skip
"""Other events that may: reasons, notes about somebody else, names of files. None of them says whom a message went to."""

SHORTEST_KEY = 4
"""Characters of a key below which it would be found in words that have nothing to do with the person."""

SHORTEST_JOINED = 6
"""Letters of a name below which it is not looked for without anything between its words: it may be a word."""

SHORTEST_WITHIN = 9
"""Letters of a name below which it is not looked for within a longer word of a text."""

MOST_PASSES = 3
"""How often a text is looked through: what stood right beside a mention may be one, too, once that is gone."""


class PersonNames(NamedTuple):
    """By what a text may name a person."""

    full_name: str
    email: str
    profile_url: str
    member_key: str
    values: tuple[str, ...] = ()
    """What else their lead file says of them: by itself it names nobody, but it may be what a group of one is called by."""
    further_addresses: tuple[str, ...] = ()
    """Other e-mail addresses that files have of them, and the address of their number."""

    @property
    def addresses(self) -> Iterator[str]:
        """Every address of theirs, as a text may spell it."""
        yield self.email
        yield _SCHEME.sub("", self.profile_url).rstrip("/")
        yield _SCHEME.sub("", self.member_key).rstrip("/")
        for address in self.further_addresses:
            yield _SCHEME.sub("", address)
            yield address.rpartition("/")[2]

    @property
    def names(self) -> Iterator[tuple[str, ...]]:
        """The words of their name in each order and form, and what of their addresses has a word of it and more.

        A name of one word is not looked for: it may be anybody's.
        """
        if is_erased(self.full_name):
            return
        words = {tuple(_words(name)) for name in (self.full_name, clean_name(self.full_name))}
        for name in words:
            if len(name) > 1:
                yield name
                yield (name[-1], *name[:-1])
                yield (name[0], name[-1])
                yield (name[-1], name[0])
        surnames = {word for name in words for word in name if len(word) >= SHORTEST_KEY}
        for address in set(self.addresses):
            handle = address.partition("@")[0].partition("+")[0] if "@" in address else address.rpartition("/")[2]
            parts = tuple(_words(handle))
            joined = "".join(parts)
            if len(joined) >= SHORTEST_JOINED and any(word in joined and word != joined for word in surnames):
                yield parts


class Mentions:
    """Finds these people's names and addresses as whole words, in plain text and in JSON, in whatever spelling."""

    def __init__(self, people: Iterable[PersonNames]) -> None:
        names: dict[str, str] = {}
        addresses: dict[str, str] = {}
        for person in people:
            for words in person.names:
                names["".join(words)] = _name_regex(words)
            for address in filter(_is_long_enough, person.addresses):
                addresses[address] = _address_regex(address)
        longest_first = [  # an address has the name in it, and goes whole
            by_key[key] for by_key in (addresses, names) for key in sorted(by_key, key=lambda key: (-len(key), key))
        ]
        self._pattern = re.compile("|".join(longest_first) or r"(?!)", re.IGNORECASE)
        self._within = {key for key in map(_without_e, names) if len(key) >= SHORTEST_JOINED}
        self.finds_nothing = not longest_first

    def search(self, text: str) -> bool:
        """Whether the text names one of them."""
        return self._pattern.search(_folded(text)[0]) is not None

    def within(self, identifier: str) -> bool:
        """Whether the identifier has one of their names in it, also within a longer word."""
        letters = _without_e(identifier)
        return any(name in letters for name in self._within)

    def sub(self, replaced: Callable[[str], str], text: str) -> str:
        """The text with each mention replaced."""
        for _ in range(MOST_PASSES):
            folded, places = _folded(text)
            pieces: list[str] = []
            end = 0
            for mention in self._pattern.finditer(folded):
                start, after = mention.span() if places is None else (places[mention.start()], places[mention.end()])
                pieces += [text[end:start], replaced(text[start:after])]
                end = after
            if not pieces:
                break
            text = "".join([*pieces, text[end:]])
        return text


def mention_pattern(people: Iterable[PersonNames]) -> Mentions | None:
    """What finds these people; None if nothing could be found."""
    mentions = Mentions(people)
    return None if mentions.finds_nothing else mentions


def _name_regex(words: Sequence[str]) -> str:
    joined = "".join(words)
    spelled = [_UMLAUT.sub(r"\1e?", word) for word in words]
    if _WITHOUT_BLANKS.search(joined):  # a name among letters is a word there
        return f"(?:{_GAP})?".join(spelled)
    gap = f"(?:{_GAP})?" if len(joined) >= SHORTEST_JOINED else _GAP
    as_words = _BEFORE_NAME + gap.join(spelled) + _AFTER_NAME
    return as_words if len(joined) < SHORTEST_WITHIN else f"{as_words}|{'[-_.+]?'.join(spelled)}"


def _address_regex(address: str) -> str:
    local, at, host = map(re.escape, _folded(address)[0].partition("@"))
    before = _BEFORE_PROFILE if "/" in address else _BEFORE_ADDRESS
    return before + local + (rf"(?:\+[^\s@]*)?{at}{host}" if at else "") + _AFTER_ADDRESS


def _is_long_enough(key: str) -> bool:
    return len(key) >= SHORTEST_KEY


def _folded(text: str) -> tuple[str, Sequence[int] | None]:
    """The text as it is compared, and where each of its characters stands in the text; None if all stand in their place."""
    if _SPELLED_OTHERWISE.search(text) is None:
        return text, None
    pieces: list[str] = []
    places: list[int] = []
    end = 0
    for spelled in _SPELLED_OTHERWISE.finditer(text):
        start, after = spelled.span()
        plain = "".join(filter(_is_compared, plain_letters(_plain(spelled)).replace("\u0131", "i")))
        pieces += [text[end:start], plain]
        places += [*range(end, start), *[start] * len(plain)]
        end = after
    places += range(end, len(text) + 1)
    return "".join([*pieces, text[end:]]), places


def _plain(spelled: re.Match[str]) -> str:
    if spelled[1]:
        return chr(int(spelled[1], 16))
    return (
        bytes.fromhex(spelled[0].replace("%", "")).decode(errors="replace")
        if spelled[0].startswith("%")
        else html.unescape(spelled[0])
    )


def _is_compared(character: str) -> bool:
    return unicodedata.category(character) not in ("Cf", "Mn")


def _words(text: str) -> list[str]:
    return _LETTERS.findall(_folded(text.translate(_WITH_E))[0].casefold())


def _without_e(text: str) -> str:
    """Letters and digits alone; an umlaut may be spelled with an `e` or without one."""
    return _BETWEEN_LETTERS.sub("", _folded(text)[0].casefold()).replace("e", "")


RoughKeys = Sequence[tuple[PersonNames, tuple[str, ...]]]
"""Each of many people, and what a text that names them has in it."""


def rough_keys(people: Iterable[PersonNames]) -> RoughKeys:
    """For `mentioned`; made once for many entries."""
    return [(person, tuple(_rough_keys(person))) for person in people]


def mentioned(people: RoughKeys, payload: str) -> list[PersonNames]:
    """Those of many whom the payload of an entry seems to name; looks roughly, but quickly."""
    strings = " ".join(_strings(json.loads(payload)))
    letters = f"{_without_e(strings)} {_without_e(_ESCAPE.sub(' ', strings))}"
    return [person for person, keys in people if any(key in letters for key in keys)]


def _rough_keys(person: PersonNames) -> set[str]:
    addresses = set(filter(_is_long_enough, person.addresses))
    parts = chain.from_iterable(address.rsplit("@", 1)[-1:] if "@" in address else [address] for address in addresses)
    return {key for part in chain(map("".join, person.names), parts) if (key := _without_e(part))}


def _strings(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, member in value.items():
                yield str(key)
                yield from _strings(member)
        case list() | tuple():
            for element in value:
                yield from _strings(element)


def mentions_erased(pattern: Mentions, text: str) -> str:
    """The text with every word of every mention replaced; of a table in JSON, every word of each row that has one."""
    if text[:1] in ("[", "{"):
        text = _without_rows(pattern, text)
    return names_erased(pattern, text)


def names_erased(pattern: Mentions, text: str) -> str:
    """The text with every word of every mention replaced, and everything else as it was."""
    return pattern.sub(mark_erased, text)


_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[\[\]{}]', re.DOTALL)


def _without_rows(pattern: Mentions, text: str) -> str:
    """A script's answer may be a table of people: who is named in a row, its other columns are about, too.

    A row is a list or an object that has the mention itself. The outermost object is none: it says where the answer is from.
    """
    begun: list[int] = []
    naming, rows = set[int](), list[tuple[int, int]]()
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in ("[", "{"):
            begun.append(token.start())
        elif not begun:
            return text  # no JSON
        elif token[0] in ("]", "}"):
            start = begun.pop()
            if start in naming and (begun or token[0] == "]"):
                rows.append((start, token.end()))
        elif pattern.search(token[1]):
            naming.add(begun[-1])
    untouched = len(text)
    for start, end in reversed(rows):  # from behind, so that the places before stay; a row within a row went with it
        if end <= untouched:
            text, untouched = text[:start] + _JSON_TOKEN.sub(_without_value, text[start:end]) + text[end:], start
    return text


def _without_value(token: re.Match[str]) -> str:
    is_value = token[1] is not None and not token[2]
    return f'"{mark_erased_in_json(token[1])}"' if is_value else token[0]


def without_mentions(pattern: Mentions, value: Json) -> Json:
    """The value with every mention replaced; names of fields are values, too."""
    match value:
        case str():
            return mentions_erased(pattern, value)
        case dict():
            return {
                mentions_erased(pattern, str(key)): without_mentions(pattern, member) for key, member in value.items()
            }
        case list() | tuple():
            return [without_mentions(pattern, element) for element in value]
    return value


def payload_without_mentions(
    pattern: Mentions,
    entry_id: str,
    payload: str,
    retained_fields: Collection[str] = KEPT,
    *,
    values: Collection[str] = (),
) -> str | None:
    """What is left of an entry's payload without the mentions, in canonical JSON; None if it has none.

    `entry_id` is of the entry alone: its digest, or the id of what it is about. The `retained_fields` stay as they are: a key of
    four letters may be the name of a state. A group of people that is called by one of `values` (in lower case) loses that name.
    """
    before = json.loads(payload)
    after = _without_groups(without_mentions(pattern, before), values)
    after |= {name: before[name] for name in before.keys() & retained_fields}
    after |= {
        name: f"{ERASED_KEY}{entry_id}"  # no two may share it
        for name in before.keys() & UNIQUE_KEYS - set(retained_fields)
        if before[name] and (after[name] != before[name] or pattern.within(str(before[name])))
    }
    if after == before:
        return None
    return canonical(after | _dependent_fields(before, after))


def _without_groups(changes: dict[str, Json], values: Collection[str]) -> dict[str, Json]:
    """An answer about response rates tells of groups, and whoever is alone at their company is one."""
    match changes.get("payload"):
        case {"kind": "rates", "rows": [*rows], **answer}:
            left = [
                {**row, "value": mark_erased(value)}
                if isinstance(row, dict) and (value := str(row.get("value"))).casefold() in values
                else row
                for row in rows
            ]
            return {**changes, "payload": {**answer, "kind": "rates", "rows": left}}
    return changes


def _dependent_fields(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """What else changes where a mention goes.

    The digest and size of an artifact are those of what is left, so that none is kept; one that is a file becomes its beginning,
    and the file goes. The picture of an incident shows the page that named them, and goes, too.
    """
    fields: dict[str, Json] = {}
    if "sha256" in before and "content" in before:
        fields |= {"sha256": "", "bytes": 0} | ({"in_file": 0} if before.get("in_file") else {})
        fields |= {} if after["content"] else {"content": ERASED}
    if isinstance(before.get("evidence"), str):
        fields["evidence"] = ""
    return fields

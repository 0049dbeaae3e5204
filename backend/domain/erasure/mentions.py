"""Where a text names a person whose data is erased: their full name, their e-mail address, their profile."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from backend.domain.erasure.erasure import ERASED, ERASED_KEY, KEPT
from backend.domain.erasure.remains import mark_erased, mark_erased_in_json
from backend.domain.values.canonical_json import Json, canonical

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)
_AFTER_LINE_BREAK = r"(?<=\\[nrt])"
"""A line break or tab in a JSON text that is the value of a string."""

MAY_TELL = frozenset({"line", "attachment", "artifact", "incident", "task", "input_request", "turn", "rejected_row"})
"""What may name anybody, and then loses the mentions of them alone."""

SHORTEST_KEY = 4
"""Characters of a key below which it would be found in words that have nothing to do with the person."""


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
        yield self.member_key
        for address in self.further_addresses:
            yield _SCHEME.sub("", address)
            yield address.rpartition("/")[2]


def mention_pattern(people: Iterable[PersonNames]) -> re.Pattern[str] | None:
    """Finds these people's names and addresses as whole words, in plain text and in JSON; None if nothing could be found.

    A name of one word is not looked for: it may be anybody's.
    """
    patterns: set[str] = set()
    for person in people:
        words = person.full_name.split()
        if len(words) > 1 and person.full_name != ERASED:
            patterns |= {r"\s+".join(re.escape(word) for word in spelled) for spelled in (words, map(_escaped, words))}
        for key in person.addresses:
            if len(key) >= SHORTEST_KEY:
                patterns |= {re.escape(key), re.escape(_escaped(key))}
    if not patterns:
        return None
    longest_first = "|".join(sorted(patterns, key=lambda pattern: (-len(pattern), pattern)))
    return re.compile(rf"(?:(?<![\w@.-])|{_AFTER_LINE_BREAK})(?:{longest_first})(?![\w@-]|\.\w)", re.IGNORECASE)


RoughKeys = Sequence[tuple[PersonNames, tuple[str, ...]]]
"""Each of many people, and what a text that names them has in it."""


def rough_keys(people: Iterable[PersonNames]) -> RoughKeys:
    """For `mentioned`; made once for many entries."""
    return [(person, tuple(_rough_keys(person))) for person in people]


def mentioned(people: RoughKeys, payload: str) -> list[PersonNames]:
    """Those of many whom the payload of an entry seems to name; looks roughly, but quickly."""
    strings = " ".join(" ".join(_strings(json.loads(payload))).casefold().split())
    return [person for person, keys in people if any(key in strings for key in keys)]


def _rough_keys(person: PersonNames) -> Iterator[str]:
    for key in (person.full_name, *person.addresses):
        if len(key) >= SHORTEST_KEY:
            for spelled in (key, _escaped(key)):
                yield " ".join(spelled.casefold().split())


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


def _escaped(text: str) -> str:
    """As it stands in a JSON text that is ASCII only."""
    return json.dumps(text)[1:-1]


def mentions_erased(pattern: re.Pattern[str], text: str) -> str:
    """The text with every word of every mention replaced; of a table in JSON, every word of each row that has one."""
    if text[:1] in ("[", "{"):
        text = _without_rows(pattern, text)
    return names_erased(pattern, text)


def names_erased(pattern: re.Pattern[str], text: str) -> str:
    """The text with every word of every mention replaced, and everything else as it was."""
    return pattern.sub(lambda mention: mark_erased(mention[0]), text)


_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[\[\]{}]', re.DOTALL)


def _without_rows(pattern: re.Pattern[str], text: str) -> str:
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


def without_mentions(pattern: re.Pattern[str], value: Json) -> Json:
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
    pattern: re.Pattern[str],
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
    if after == before:
        return None
    return canonical(after | _dependent_fields(before, after, entry_id))


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


def _dependent_fields(before: Mapping[str, Json], after: Mapping[str, Json], entry_id: str) -> dict[str, Json]:
    """What else changes where a mention goes.

    The digest and size of an artifact are those of what is left, so that none is kept; one that is a file becomes its beginning,
    and the file goes. The picture of an incident shows the page that named them, and goes, too.
    """
    fields: dict[str, Json] = {}
    if "artifact_key" in before and after.get("artifact_key") != before["artifact_key"]:  # no two may share it
        fields["artifact_key"] = f"{ERASED_KEY}{entry_id}"
    if "sha256" in before and "content" in before:
        fields |= {"sha256": "", "bytes": 0} | ({"in_file": 0} if before.get("in_file") else {})
        fields |= {} if after["content"] else {"content": ERASED}
    if isinstance(before.get("evidence"), str):
        fields["evidence"] = ""
    return fields

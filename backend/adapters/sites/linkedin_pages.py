"""What LinkedIn's pages say, as values: which page it is, whom it is about, what was written there and when. No browser.

A page comes as its accessible tree, as Playwright writes it, so that every rule here is tried on saved trees.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from backend.adapters.sites.linkedin_labels import (
    ACTION_KEY,
    DELAYING,
    INCIDENT_PATHS,
    INCIDENT_WORDS,
    LABELS,
    METHOD_HEADER,
    NEW_ACTION,
    NEW_METHODS,
    OTHER_DEEDS,
    RECIPIENT_KEY,
    REQUESTS,
    UNDOING,
    WORDS_KEY,
    Labels,
)
from backend.adapters.sites.shown_name import is_shown_name
from backend.domain.model.message import folded
from backend.domain.model.site import IncidentKind, ThreadMessage

TOLD = re.compile(r'^\s*- (?:dialog|alertdialog|alert)(?: "((?:[^"\\]|\\.)*)")?[^:\n]*:?(?: (.*))?$', re.MULTILINE)
"""A dialog or an alert of a tree: its name, or its text."""
WORDS = re.compile(r"^\s*- (?:text|paragraph): (.*)$", re.MULTILINE)
HEADINGS = re.compile(r"^\s*- heading ", re.MULTILINE)
HEADING = re.compile(r'^\s*- heading "((?:[^"\\]|\\.)*)" \[level=1\]', re.MULTILINE)
CLOCK = re.compile(r"(\d{1,2})[:.h ](\d{2})(?:\s*(a|p)\.?\s?m)?", re.IGNORECASE)


LAST_DAY, FIRST_YEAR = 31, 2003
NO_WORDS = "(no text: a picture, a recording or the like)"
"""Stands for a message that has no words on the page: it is one all the same."""


class UnreadableError(ValueError):
    """Something on the page is not as we know it; the sentence says what."""


class ListedConversation(NamedTuple):
    """An entry of a conversation's list: its lines but for the messages themselves, and those."""

    lines: Sequence[str]
    bodies: Sequence[str]


def label(words: str, **fields: str) -> re.Pattern[str]:
    """A label of the table as the name of a control, filled in; printed apostrophes, dashes and ellipses are the same."""
    pattern = _pattern(words, **fields).replace("/", r"\x2f")  # in a selector a slash would end it
    return re.compile(f"^{pattern}$")


def labels_for(language: str) -> Labels | None:
    """The labels of a page whose `lang` this is; None for a language that nobody has looked at."""
    return LABELS.get(language.strip().lower()[:2])


def incident_of(path: str, tree: str) -> tuple[IncidentKind, str] | None:
    """What is wrong with the account, if this page says so, and in which words."""
    for pattern, kind in INCIDENT_PATHS:
        if re.match(pattern, path):
            return kind, f"The browser shows LinkedIn's page {path}"
    for sentence in (*names_shown(tree), *(folded(_unquoted(name) or text) for name, text in TOLD.findall(tree))):
        for pattern, kind in INCIDENT_WORDS:
            if re.search(pattern, sentence.lower()):
                return kind, sentence
    return None


def names_shown(tree: str) -> list[str]:
    """The main headings: on a profile, whose it is."""
    return [folded(_unquoted(name)) for name in HEADING.findall(tree)]


def degree_of(tree: str, labels: Labels) -> int | None:
    """How far the person of the main headings is, 0 for a contact; None if they do not say. Other headings are about others."""
    own = (HEADINGS.split(tree[heading.end() :], maxsplit=1)[0] for heading in HEADING.finditer(tree))
    text_below = "\n".join(own).lower()
    positions = [(text_below.find(degree.lower()), number) for number, degree in enumerate(labels.degrees)]
    return min((position for position in positions if position[0] >= 0), default=(0, None))[1]


def headline_of(tree: str, labels: Labels) -> str:
    """The first words below the name that say no degree."""
    heading = HEADING.search(tree)
    if heading is None:
        return ""
    degrees = tuple(degree.lower() for degree in labels.degrees)
    for text in WORDS.findall(tree, heading.end()):
        words = folded(_unquoted(text.strip().removeprefix('"').removesuffix('"')))
        if any(character.isalpha() for character in words) and not any(degree in words.lower() for degree in degrees):
            return words
    return ""


def read_messages(
    rows: Iterable[ListedConversation], labels: Labels, name: str, now: datetime
) -> tuple[ThreadMessage, ...]:
    """The messages of a conversation with the person of that name, oldest first; raises `UnreadableError` on any doubt.

    The page says who wrote and when above the first of several messages, and the day above the first of a day. It shows
    minutes; the end of the minute counts, so that an answer is never older than what it answers.
    """
    # What stands in brackets may be there or not: singular and plural.
    optional = _pattern(labels.wrote).replace(r"\(", "(?:").replace(r"\)", ")?")
    wrote = re.compile(
        optional.replace(r"\{name\}", "(?P<name>.+)").replace(r"\{time\}", "(?P<time>.+?)"), re.IGNORECASE
    )
    messages: list[ThreadMessage] = []
    day: date | None = None
    author, at, others = "", 0, set[str]()
    announced = False  # who wrote was said, and no word of it has come yet

    def add(text: str) -> None:
        by_them = is_shown_name(author, name)
        if not by_them:
            others.add(folded(author))
        messages.append(ThreadMessage("them" if by_them else "you", text, at))

    for row in rows:
        for line in map(folded, row.lines):
            day = day_of(line, labels, now.date()) or day
            if match := wrote.fullmatch(line):
                said_by = match["name"], _moment(day, match["time"], now)
                if announced and said_by != (author, at):
                    add(NO_WORDS)
                (author, at), announced = said_by, True
        if row.bodies and not author:
            raise UnreadableError("Nobody can say who wrote a message.")
        for body in row.bodies:
            add(body or NO_WORDS)
            announced = False
    if announced:
        add(NO_WORDS)
    if len(others) > 1:
        raise UnreadableError(f"More than two people write here: {', '.join(sorted(others))}.")
    return tuple(messages)


def day_of(line: str, labels: Labels, today: date) -> date | None:
    """The day that a line of its own names, such as "Today", "Monday", "Mar 3" or "3 mars 2025"; None for any other line."""
    text = line.strip().lower().rstrip(".").replace("\u2019", "'")
    if text in (labels.today, labels.yesterday):
        return today - timedelta(days=int(text == labels.yesterday))
    if text in labels.weekdays:
        return today - timedelta(days=(today.weekday() - labels.weekdays.index(text)) % 7)
    words = [word for word in re.findall(r"[^\W\d_]+|\d+", text) if word != "de"]
    numbers = [int(word) for word in words if word.isdecimal()]
    names = [word for word in words if not word.isdecimal()]
    months = [month for month, begins in enumerate(labels.months, 1) if len(names) == 1 and names[0].startswith(begins)]
    if len(months) != 1 or len(numbers) not in (1, 2) or len(words) != len(numbers) + 1:
        return None
    days, years = [n for n in numbers if n <= LAST_DAY], [n for n in numbers if n >= FIRST_YEAR]
    if len(days) != 1 or len(years) != len(numbers) - 1:
        return None
    try:
        day = date(years[0] if years else today.year, months[0], days[0])
        return day if years or day <= today else day.replace(year=today.year - 1)
    except ValueError:
        return None


def _moment(day: date | None, clock: str, now: datetime) -> int:
    match = CLOCK.fullmatch(clock.strip().rstrip("."))
    if day is None or match is None:
        raise UnreadableError(f"A message has no time that can be read: {clock!r}.")
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    try:
        minute_shown = datetime(day.year, day.month, day.day, hour, minute, 59, 999_000, tzinfo=now.tzinfo)
    except ValueError:
        raise UnreadableError(f"A message has no time that can be read: {clock!r}.") from None
    return int(min(minute_shown, now).timestamp() * 1_000)


def sends(kind: str, path: str, body: bytes, text: str) -> bool:
    """Whether this request is the one that sends: its path is of that kind and does nothing else, and what the person would read
    by it is exactly the text, once, or nothing if there is none.

    A page may leave out blanks around the text. Anything else that it changes, adds or repeats is not what was approved.
    """
    if not REQUESTS[kind].search(path) or (kind != "withdrawal" and _undoes(path)):
        return False
    try:
        values = [*_query_of(path), *_values_of(_content_of(body))]
    except (ValueError, RecursionError):
        return False
    actions = (str(value) for key, value in values if ACTION_KEY.fullmatch(_plain(key)))
    if not all(map(NEW_ACTION.search, actions)) or (kind != "withdrawal" and any(map(_delays, values))):
        return False
    texts = [(key, value.strip()) for key, value in values if isinstance(value, str) and value.strip()]
    words = [value for key, value in texts if WORDS_KEY.fullmatch(_plain(key)) or _reads_like_words(value, text)]
    return words == ([text.strip()] if text else [])


_LIKE_WORDS = re.compile(r"[^\W\d_]{2}[,;:.!?)-]*\s+\(?[^\W\d_]{2}|[\u0370-\uffff]{2}")


def _reads_like_words(value: str, text: str) -> bool:
    """Whether a person would read it, whatever its name is: words, or the address of a page that the text does not name."""
    return _LIKE_WORDS.search(value) is not None or ("://" in value and value.strip() not in text)


def _undoes(path: str) -> bool:
    return UNDOING.search(path) is not None or not OTHER_DEEDS.isdisjoint(_plain(path).split("_"))


def _delays(value: tuple[str, object]) -> bool:
    """Whether it says, by its name, that the request does something else, or nothing yet."""
    key, content = value
    return bool(content) and (UNDOING.search(key) or DELAYING.search(_plain(key))) is not None


def is_post(method: str, headers: Mapping[str, str]) -> bool:
    """Whether the request makes something new, by its method and by every header that would say another."""
    otherwise = (value for name, value in headers.items() if METHOD_HEADER.fullmatch(name))
    return all(value.strip().lower() in NEW_METHODS for value in (method, *otherwise))


def is_to(ids: Collection[str], path: str, body: bytes) -> bool:
    """Whether the request names this person as the one whom it is about, and nobody else, nor them twice in one list."""
    try:
        named = people_in(path) | frozenset(_recipients(_content_of(body), named=False))
    except (ValueError, RecursionError):
        return False
    return bool(named) and named <= {_person(person_id) for person_id in ids}


def people_in(link: str) -> frozenset[str]:
    """Whom the query of a link or a request names."""
    return frozenset(_person(value) for key, value in _query_of(link) if RECIPIENT_KEY.fullmatch(_plain(key)))


def _query_of(link: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(link).query)


def _plain(key: str) -> str:
    """A name in small letters, with `_` between its words, however it is spelled."""
    return re.sub(r"[\W_]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)).strip("_").lower()


def _content_of(body: bytes) -> object:
    """What the body says; raises `ValueError` if that is not JSON, or depends on who reads it: a key that stands there twice, or
    several requests in one."""

    def only(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({key.strip().casefold() for key, _ in pairs}) < len(pairs):
            raise ValueError("a key stands there twice")
        return dict(pairs)

    if not body.strip():
        return None
    content: object = json.loads(body.decode(), object_pairs_hook=only)
    if isinstance(content, list) and len(content) > 1:
        raise ValueError("there is more than one request")
    return content


def _recipients(value: object, *, named: bool) -> Iterable[str]:
    if named and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield _person(str(value))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _recipients(part, named=named or bool(RECIPIENT_KEY.fullmatch(_plain(key))))
    elif isinstance(value, list):
        if named and len(value) > 1:
            raise ValueError("there is more than one recipient")
        for part in value:
            yield from _recipients(part, named=named)


def _values_of(value: object, key: str = "") -> Iterable[tuple[str, object]]:
    """Every value with the name that it has; in a list, with the list's."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _values_of(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _values_of(part, key)
    else:
        yield key, value


def _person(identifier: str) -> str:
    """A member is called by their address's last part or by an id, which may stand at the end of a name (`urn:li:member:7`)."""
    return re.sub(r"^[\w:-]*:", "", identifier.strip()).casefold()


_LOOSE = (
    (r"'", r"['\u2019]"),
    (r"\-", r"[-\u2013]"),
    (r"\.\.\.", r"(?:\.\.\.|\u2026)"),
    (r"\ ", r"\s+"),
)


def _pattern(words: str, **fields: str) -> str:
    pattern = re.escape(words)
    for plain_form, loose_form in _LOOSE:
        pattern = pattern.replace(plain_form, loose_form)
    for name, value in fields.items():
        pattern = pattern.replace(rf"\{{{name}\}}", value)
    return pattern


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)

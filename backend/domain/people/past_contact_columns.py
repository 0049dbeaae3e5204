"""Columns in which other tools keep what passed with a person: which they are by their name, and what a cell of them says.

Both are tables, in English, German, French, Spanish, Dutch and Portuguese: `COLUMNS` for names and `STATES` for words in cells.
The first entry that fits counts. What no entry understands is never guessed: it is `unclear`, and told to the user.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from backend.domain.people import past_contact_words as vocabulary
from backend.domain.people.past_contact import PAST_CONTACT, PastContact
from backend.domain.values.hidden_characters import as_it_looks
from backend.domain.values.written_date import without_accents, written_date


class Topic(StrEnum):
    """What can have passed with a person, the weightiest first."""

    REFUSED = "refused"
    """They must not be contacted: asked for it, unsubscribed, bounced, are on a blacklist."""
    ANSWERED = "answered"
    WRITTEN_TO = "written_to"
    INVITED = "invited"
    CONNECTED = "connected"


class Reads(StrEnum):
    """How the cells of a column are read."""

    NOTHING = "nothing"
    """Its name only looks like one of past contact."""
    EVENT = "event"
    """A date, a count, a yes or no, or words: whether it happened."""
    TEXT = "text"
    """The words that were exchanged, or a reason: it happened if there is any."""
    LEAD_STATE = "lead state"
    """One word for how far a person is."""
    LINK_STATE = "link state"
    """One word for how an invitation or connection stands."""
    MAIL_STATE = "mail state"
    """One word on an e-mail address, which mostly says whether it was verified."""
    PLACE_OR_STATE = "place or state"
    """California, or how far a person is: what is not understood is a place."""
    DEGREE = "degree"
    """How far away on LinkedIn: 1 is a connection."""


class ColumnRule(NamedTuple):
    """Columns with such a name, and how they are read. `reversed_`: a yes says that it did not happen."""

    reads: Reads
    topic: Topic | None
    names: re.Pattern[str]
    reversed_: bool = False


def _followed_by(*phrases: str) -> re.Pattern[str]:
    """Any of the phrases, and behind it that the column has the words or the reason."""
    return re.compile(rf"{vocabulary.any_of(*phrases)}.*{vocabulary.any_of(*vocabulary.CONTENT)}")


def _status_of(*whose: str) -> re.Pattern[str]:
    """`Lead status`, `Statut du lead`, `Leadstatus`."""
    of, status = f"(?:{'|'.join(whose)})", f"(?:{'|'.join(vocabulary.STATUS)})"
    link = "(?:de |du |del |do |da |de la |des |van )?"
    return re.compile(rf"\b(?:{of} ?(?:request )?{status}|{of}s{status}|{status} {link}{of})\b")


_ACCEPTED_ALONE = rf"^(?:{'|'.join(vocabulary.ACCEPTED)})(?: (?:at|on|date|am|le|el|op|em))?$"
_ACCEPTED_BEFORE = r"\baccepted (?:invite|invitation|connection|request)\b"
_ACCEPTANCE = re.compile(
    rf"{vocabulary.any_of(*vocabulary.INVITATION, *vocabulary.REQUEST)}.*{vocabulary.any_of(*vocabulary.ACCEPTED)}"
    rf"|{_ACCEPTED_ALONE}|{_ACCEPTED_BEFORE}"
)

COLUMN_TITLES: dict[Topic | Reads, tuple[str, str]] = {
    Topic.REFUSED: ("Do not contact", "May be contacted"),
    Topic.ANSWERED: ("Replied", "Not replied"),
    Topic.WRITTEN_TO: ("Contacted", "Not contacted"),
    Topic.INVITED: ("Invited", "Not invited"),
    Topic.CONNECTED: ("Connected", "Not connected"),
    Reads.DEGREE: ("Connection degree", ""),
    Reads.LEAD_STATE: ("Lead status", ""),
    Reads.LINK_STATE: ("Invitation status", ""),
    Reads.MAIL_STATE: ("E-mail status", ""),
}
"""What a column is understood as, and when a yes in it says that it did not happen."""

COLUMNS: tuple[ColumnRule, ...] = (
    ColumnRule(Reads.EVENT, Topic.REFUSED, vocabulary.words(*vocabulary.REFUSED_AT)),
    ColumnRule(Reads.NOTHING, None, vocabulary.words(*vocabulary.OTHER_COLUMNS)),
    ColumnRule(Reads.TEXT, Topic.REFUSED, _followed_by(*vocabulary.REFUSED)),
    ColumnRule(Reads.EVENT, Topic.REFUSED, vocabulary.words(*vocabulary.REFUSED)),
    ColumnRule(Reads.EVENT, Topic.REFUSED, vocabulary.whole("baja")),
    ColumnRule(Reads.MAIL_STATE, None, _status_of(r"e ?mail(?: \w+)?", "mail", "correo")),
    ColumnRule(Reads.LINK_STATE, None, _status_of(*vocabulary.OF_A_LINK)),
    ColumnRule(Reads.LEAD_STATE, None, _status_of(*vocabulary.OF_A_LEAD)),
    ColumnRule(Reads.PLACE_OR_STATE, None, vocabulary.whole("state", "estado")),
    ColumnRule(Reads.LEAD_STATE, None, vocabulary.whole(*vocabulary.STATUS)),
    ColumnRule(Reads.EVENT, Topic.REFUSED, vocabulary.words(*vocabulary.CONSENT), reversed_=True),
    ColumnRule(Reads.TEXT, Topic.ANSWERED, _followed_by(*vocabulary.REPLY)),
    ColumnRule(Reads.EVENT, Topic.ANSWERED, vocabulary.words(*vocabulary.REPLY)),
    ColumnRule(Reads.EVENT, Topic.CONNECTED, _ACCEPTANCE),
    ColumnRule(Reads.EVENT, Topic.INVITED, vocabulary.words(*vocabulary.INVITATION)),
    ColumnRule(Reads.DEGREE, Topic.CONNECTED, vocabulary.whole(*vocabulary.DEGREE)),
    ColumnRule(Reads.EVENT, Topic.CONNECTED, vocabulary.words(*vocabulary.CONNECTED)),
    ColumnRule(Reads.TEXT, Topic.WRITTEN_TO, _followed_by(*vocabulary.WRITTEN_TO)),
    ColumnRule(Reads.TEXT, Topic.WRITTEN_TO, vocabulary.whole(*vocabulary.OWN_MESSAGE)),
    ColumnRule(Reads.EVENT, Topic.WRITTEN_TO, vocabulary.words(*vocabulary.WRITTEN_TO)),
)
"""What a column is by its name, written without accents, capitals and punctuation."""

_NEGATION = vocabulary.words(*vocabulary.NEGATIONS)


class StateRule(NamedTuple):
    """Words in a cell and what they say (None: nothing happened) in the kinds of column `reads`, or a `column` of one topic."""

    topic: Topic | None
    words: re.Pattern[str]
    reads: frozenset[Reads] = frozenset(Reads)
    column: Topic | None = None


def _denied(*phrases: str) -> re.Pattern[str]:
    """Any of the phrases, with a negation up to two words before it: “has not been contacted”."""
    negation = rf"(?:{'|'.join(vocabulary.NEGATIONS)}|keine\w|un)"
    return re.compile(rf"\b{negation}(?: \w+){{0,2}} ?{vocabulary.any_of(*phrases)[2:]}")


_NOT_OF_MAIL = frozenset(Reads) - {Reads.MAIL_STATE}
_NOT_OF_LINKS = frozenset(Reads) - {Reads.LINK_STATE, Reads.DEGREE}

STATES: tuple[StateRule, ...] = (
    StateRule(Topic.REFUSED, vocabulary.words(*vocabulary.WITHDRAWN), column=Topic.REFUSED),
    StateRule(None, _denied(*vocabulary.UNSUBSCRIBED)),
    StateRule(Topic.REFUSED, vocabulary.words(*vocabulary.REFUSED, *vocabulary.NOT_INTERESTED)),
    StateRule(None, _denied(*vocabulary.STARTED)),
    StateRule(Topic.WRITTEN_TO, vocabulary.words(*vocabulary.ATTEMPTED)),
    StateRule(None, vocabulary.words(*vocabulary.TO_DO), _NOT_OF_LINKS),
    StateRule(None, _denied(*vocabulary.REPLY), frozenset({Reads.EVENT, Reads.TEXT})),
    StateRule(Topic.WRITTEN_TO, _denied(*vocabulary.REPLY)),
    StateRule(Topic.WRITTEN_TO, vocabulary.words(*vocabulary.NO_REPLY)),
    StateRule(None, _denied(*vocabulary.CONNECTED)),
    StateRule(None, vocabulary.words(*vocabulary.NO_CONNECTION)),
    StateRule(Topic.INVITED, _denied(*vocabulary.ACCEPTED)),
    StateRule(Topic.INVITED, vocabulary.words("withdrawn", "zuruckgezogen")),
    StateRule(None, vocabulary.words(*vocabulary.VERIFICATION), frozenset({Reads.MAIL_STATE})),
    StateRule(Topic.ANSWERED, vocabulary.words(*vocabulary.REPLY, *vocabulary.IN_TALKS)),
    StateRule(Topic.CONNECTED, vocabulary.words(*vocabulary.ACCEPTED, *vocabulary.CONNECTED, "1st"), _NOT_OF_MAIL),
    StateRule(Topic.INVITED, vocabulary.words(*vocabulary.INVITATION, "awaiting acceptance"), _NOT_OF_MAIL),
    StateRule(Topic.INVITED, vocabulary.words(*vocabulary.PENDING), frozenset({Reads.LINK_STATE, Reads.DEGREE})),
    StateRule(Topic.WRITTEN_TO, vocabulary.words(*vocabulary.WRITTEN_TO, *vocabulary.UNDER_WAY)),
    StateRule(None, vocabulary.whole(*vocabulary.NEW)),
)  # fmt: skip
"""What words in a cell say; written as the names of columns are."""

_YES_MARKS, _NO_MARKS = frozenset("✓✔☑✅🗸+👍"), frozenset("✗✘☐❌✖👎")
_BEGINS_WITH_YES = re.compile(r"(?:true|yes|ja|oui|si|sim)\b.+")
_COUNT = re.compile(r"(\d[\d.,' ]*)(?: ?(?:x|times|mal|fois|veces|keer|vezes|\w*mails?|messages?|repl(?:y|ies)))?")
_AROUND_DEGREE = rf"(?:(?:distance|linkedin|{'|'.join(vocabulary.OF_A_DEGREE)}) ?)*"
_DEGREE = re.compile(
    rf"{_AROUND_DEGREE}(?:(?P<number>\d)(?:{'|'.join(vocabulary.ORDINAL_ENDINGS)})?|(?P<first>{'|'.join(vocabulary.FIRST)})"
    rf"|(?:{'|'.join(vocabulary.FURTHER)})) ?{_AROUND_DEGREE}"
)
_FIRST_USABLE_YEAR = "1990"
"""Dates before are what a tool writes for none: 1970-01-01, 1900-01-00."""
_LONG_AGO = r"(?:0\d\d\d|1[0-8]\d\d|19[0-8]\d)"
_NO_DATE = re.compile(
    rf"{_LONG_AGO}[-/.].*|(?:00?[-/.:])+00?(?:[ t].*)?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_LONG_AGO}(?:[ t,].*)?",
    re.IGNORECASE,
)
"""What tools and spreadsheets write for no date, also where it is none: 1900-01-00, 0000-00-00."""
_LONGEST_VALUE = 160
"""Characters of a cell that are looked at: what is longer is somebody's text, and is not kept in a cache."""
_REMEMBERED = 1_024
"""Values of a column, and rows of a file."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile(r"[\W_]+")


class CellMeaning(NamedTuple):
    """What a cell says: the topic that happened and its day (ISO, "" if unknown), nothing, or something unclear."""

    topic: Topic | None = None
    day: str = ""
    unclear: bool = False
    denied: Topic | None = None
    """What the cell says did not happen, in so many words."""


_NOTHING, _UNCLEAR = CellMeaning(), CellMeaning(unclear=True)


class PastColumn:
    """A column of past contact: its place in the file, its name, and what its cells say."""

    __slots__ = ("_meanings", "_tomorrow", "at", "name", "rule")

    def __init__(self, at: int, name: str, rule: ColumnRule, tomorrow: str) -> None:
        self.at, self.name, self.rule = at, name, rule
        self._tomorrow = tomorrow
        self._meanings: dict[str, CellMeaning] = {}

    def meaning(self, value: str) -> CellMeaning:
        """What that value says here; a column has few different ones, so the last are remembered."""
        meaning = self._meanings.get(value)
        if meaning is None:
            if len(self._meanings) >= _REMEMBERED:
                self._meanings.clear()
            meaning = self._meanings[value] = cell_meaning(self.rule, value, self._tomorrow)
        return meaning


class FilePast(NamedTuple):
    """What a row's columns say of earlier contact."""

    contact: PastContact | None = None
    refused: str = ""
    """The column that says not to contact them, with its value; empty if none does."""
    connected: bool = False
    connected_on: str = ""
    """ISO date, empty if nobody says when."""
    not_connected: bool = False
    unclear: tuple[tuple[str, str], ...] = ()
    """(Column, value) that nobody understands."""


NO_PAST = FilePast()
"""Nothing."""


@lru_cache(maxsize=1024)
def plain_words(text: str) -> str:
    """A name or value as the tables here spell it: words without capitals, accents and punctuation."""
    return _MARKS.sub(" ", without_accents(as_it_looks(text))).strip().casefold()


@lru_cache(maxsize=512)
def column_rule(name: str) -> ColumnRule | None:
    """How a column of that name is read; None if it does not tell of past contact."""
    spelled = plain_words(_CAMEL.sub(" ", as_it_looks(name))).replace("linked in", "linkedin")
    for rule in COLUMNS:
        if match := rule.names.search(spelled):
            if rule.reads is Reads.NOTHING:
                return None
            negated = rule.reads is Reads.EVENT and bool(_NEGATION.search(spelled[: match.start()]))
            return rule._replace(reversed_=rule.reversed_ != negated)
    return None


def column_title(name: str) -> str:
    """What a column of that name is understood as, for people; empty if it tells nothing of past contact, or only may."""
    rule = column_rule(name)
    if rule is None:
        return ""
    title_key = rule.topic if rule.reads in (Reads.EVENT, Reads.TEXT) and rule.topic else rule.reads
    return COLUMN_TITLES.get(title_key, ("", ""))[rule.reversed_]


def is_degree(name: str) -> bool:
    """Whether a column of that name says how far away people are in the network."""
    rule = column_rule(name)
    return rule is not None and rule.reads is Reads.DEGREE


def is_offered_in_braces(name: str) -> bool:
    """Whether templates may be offered a column of that name: what was last written is for nobody's eyes.

    “Kontakt seit” is the user's own column as well as a sign of earlier contact.
    """
    is_shown = is_degree(name) or column_title(name) in ("", COLUMN_TITLES[Topic.CONNECTED][0])
    return is_shown and plain_words(name) != plain_words(PAST_CONTACT)


class PastColumns:
    """The columns of past contact of a file, and what they say together of one row."""

    __slots__ = ("_columns", "_rows")

    def __init__(self, columns: Iterable[PastColumn]) -> None:
        self._columns = tuple(columns)
        self._rows: dict[tuple[str, ...], FilePast] = {}

    def __iter__(self) -> Iterator[PastColumn]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def row_past(self, cells: Sequence[str]) -> FilePast:
        """What they say of the row with these cells; many rows of a file say the same, so the last are remembered."""
        values = tuple([cells[column.at][:_LONGEST_VALUE] for column in self._columns])
        past = self._rows.get(values)
        if past is None:
            if len(self._rows) >= _REMEMBERED:
                self._rows.clear()
            past = self._rows[values] = _row_past(self._columns, values)
        return past


def past_columns(header: Sequence[str], tomorrow: str) -> PastColumns:
    """The header's columns of past contact; what they date behind `tomorrow` (ISO) has not happened."""
    rules = ((at, name, column_rule(name)) for at, name in enumerate(header))
    return PastColumns(PastColumn(at, name, rule, tomorrow) for at, name, rule in rules if rule is not None)


def cell_meaning(rule: ColumnRule, value: str, tomorrow: str) -> CellMeaning:
    """What a cell of such a column says; a date behind `tomorrow` (ISO) is of something that has not happened."""
    marks = value.strip()
    words = plain_words(_CAMEL.sub(" ", value) if " " not in marks else value)
    if marks in _YES_MARKS or marks in _NO_MARKS:
        return _happened(rule, happened=marks in _YES_MARKS)
    if words in vocabulary.EMPTY or _NO_DATE.fullmatch(marks):
        return _NOTHING
    if rule.reads is Reads.DEGREE:
        return _degree(rule, words)
    if rule.reads is Reads.EVENT or (rule.reads is Reads.TEXT and words in vocabulary.NO):
        meaning = _event(rule, value, words, tomorrow)
    elif words in vocabulary.NO:
        return _NOTHING
    else:
        meaning = None
    if meaning is None:
        meaning = _state(rule, words)
    if rule.reads is Reads.TEXT and meaning.topic is not Topic.REFUSED:
        return CellMeaning(rule.topic) if words not in vocabulary.NO else _NOTHING
    return meaning


def _event(rule: ColumnRule, value: str, words: str, tomorrow: str) -> CellMeaning | None:
    """A date, a yes or no, or a count; None for other words."""
    written = written_date(value)
    if written is not None:
        if written.first and (written.last < _FIRST_USABLE_YEAR or written.first > tomorrow):
            return _NOTHING
        return _happened(rule, happened=True)._replace(day="" if rule.reversed_ else written.day)
    if words in vocabulary.NO:
        return _happened(rule, happened=False)
    if words in vocabulary.YES or _BEGINS_WITH_YES.fullmatch(words):
        return _happened(rule, happened=True)
    if count := _COUNT.fullmatch(value.strip().casefold()):
        return _happened(rule, happened=any(digit in "123456789" for digit in count[1]))
    return None


def _happened(rule: ColumnRule, *, happened: bool) -> CellMeaning:
    if rule.topic is None:
        return _UNCLEAR if happened else _NOTHING
    return CellMeaning(rule.topic) if happened != rule.reversed_ else CellMeaning(denied=rule.topic)


def _state(rule: ColumnRule, words: str) -> CellMeaning:
    for state in STATES:
        if rule.reads in state.reads and state.column in (None, rule.topic) and state.words.search(words):
            return CellMeaning(state.topic) if state.topic else _denial(rule)
    return _NOTHING if rule.reads is Reads.PLACE_OR_STATE else _UNCLEAR


def _denial(rule: ColumnRule) -> CellMeaning:
    """In so many words they are no connection; in other columns only that nothing happened."""
    of_links = rule.reads in (Reads.LINK_STATE, Reads.DEGREE) or rule.topic is Topic.CONNECTED
    return CellMeaning(denied=Topic.CONNECTED) if of_links else _NOTHING


def _degree(rule: ColumnRule, words: str) -> CellMeaning:
    if words in vocabulary.NO:
        return CellMeaning(denied=Topic.CONNECTED)
    match = _DEGREE.fullmatch(words)
    if match is None:
        return CellMeaning(Topic.CONNECTED) if words in vocabulary.YES else _state(rule, words)
    return (
        CellMeaning(Topic.CONNECTED)
        if match["number"] == "1" or match["first"]
        else CellMeaning(denied=Topic.CONNECTED)
    )


def degree_number(value: str) -> str | None:
    """1, 2 or 3, however a file spells how far away a person is on LinkedIn; None for anything else."""
    match = _DEGREE.fullmatch(plain_words(value))
    if match is None:
        return None
    number = match["number"] or ("1" if match["first"] else "")
    return number if number in ("1", "2", "3") else None


def _row_past(columns: Iterable[PastColumn], values: Iterable[str]) -> FilePast:
    meanings = [(column, value, column.meaning(value)) for column, value in zip(columns, values, strict=True) if value]
    past_cells = [meaning for meaning in meanings if meaning[-1] is not _NOTHING]
    return _together(past_cells) if past_cells else NO_PAST


def _together(past_cells: Sequence[tuple[PastColumn, str, CellMeaning]]) -> FilePast:
    days: dict[Topic, str] = {}
    for _, _, meaning in past_cells:
        if meaning.topic:
            days[meaning.topic] = max(days.get(meaning.topic, ""), meaning.day)
    connected = Topic.CONNECTED in days
    contact = PastContact(
        days.get(Topic.ANSWERED),
        days.get(Topic.WRITTEN_TO),
        None if connected else days.get(Topic.INVITED),  # an invitation that was accepted is over
    )
    refusals = (f"{column.name}: {value}" for column, value, meaning in past_cells if meaning.topic is Topic.REFUSED)
    return FilePast(
        contact if any(day is not None for day in contact) else None,
        next(refusals, ""),
        connected,
        days.get(Topic.CONNECTED, ""),
        not connected and any(meaning.denied is Topic.CONNECTED for _, _, meaning in past_cells),
        tuple((column.name, value) for column, value, meaning in past_cells if meaning.unclear),
    )

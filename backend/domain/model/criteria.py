"""One criterion of a scoring blueprint: a typed rule over a lead's fields that earns its weight, a part of it, or nothing.

Exact: whole numbers only, no clock and no chance, so that the same lead earns the same points on every machine. A lead's
fields are text by name; an imported column's name is its `field_key`.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN

LeadFields = Mapping[str, str]
ScoredReason = tuple[int, str]
"""The points that a criterion earns, and why, in words."""
CriterionScorer = Callable[[LeadFields], ScoredReason]

BASE_FIELDS = ("job_title", "company", "headline", "email", "profile_url", "connected_on", "profile_updated_at")
"""What every lead may have; the columns that an import brought beside them come by their own names."""

MAX_TEXT = 4_000
"""Characters of a value that are looked at."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


def field_key(column: str) -> str:
    """The name by which a column is known: "Company Size" is company_size."""
    return re.sub(r"\W+", "_", column[:200].casefold()).strip("_")[:64].strip("_")


_WORD = re.compile(r"[\w+#]+")
"""A word; C++ and C# are words of their own."""


def _is_key(name: str) -> str:
    if field_key(name) != name:
        raise ValueError("a field is named in lower case with underscores")
    return name


def _has_a_word(text: str) -> str:
    if not any(map(str.isalnum, text)):
        raise ValueError("there is no word in it")
    return text


FieldKey = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_is_key)]
Word = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_has_a_word)]


class Keywords(_Strict):
    """Whole words or phrases, whatever their case: any of them (or all), in any of the fields; others earn `part` percent."""

    rule: Literal["keywords"] = "keywords"
    fields: tuple[FieldKey, ...] = Field(min_length=1, max_length=6)
    match: Literal["any", "all"] = "any"
    words: tuple[Word, ...] = Field(min_length=1, max_length=40)
    partly: tuple[Word, ...] = Field(default=(), max_length=40)
    part: int = Field(default=50, ge=1, le=99)


class Between(_Strict):
    """A number, or a range such as "51-200", within bounds (null: none); a range that only overlaps earns half."""

    rule: Literal["range"] = "range"
    field: FieldKey
    low: int | None = Field(default=None, ge=0, le=10**12)
    high: int | None = Field(default=None, ge=0, le=10**12)

    @model_validator(mode="after")
    def _bounded(self) -> "Between":
        if self.low is None and self.high is None:
            raise ValueError("a range has a bound")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("a range's lower bound is not above its upper bound")
        return self


class Recent(_Strict):
    """A date: everything on the blueprint's reference date or later, half after each half-life before it."""

    rule: Literal["recency"] = "recency"
    field: FieldKey
    half_life_days: int = Field(ge=1, le=3_650)


class Complete(_Strict):
    """The share of these fields that are filled."""

    rule: Literal["completeness"] = "completeness"
    fields: tuple[FieldKey, ...] = Field(min_length=1, max_length=12)


class OneOf(_Strict):
    """The whole value is one of these, whatever its case."""

    rule: Literal["one_of"] = "one_of"
    field: FieldKey
    values: tuple[Word, ...] = Field(min_length=1, max_length=40)


Rule = Annotated[Keywords | Between | Recent | Complete | OneOf, Field(discriminator="rule")]


class Criterion(_Strict):
    """What it is called, how much it weighs, and its rule."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]
    weight: int = Field(ge=1, le=100)
    rule: Rule


PRESETS: tuple[Criterion, ...] = (
    Criterion(name="Job title relevance", weight=40, rule=Keywords(fields=("job_title",), words=("founder", "head"))),
    Criterion(name="Company size", weight=20, rule=Between(field="company_size", low=51, high=500)),
    Criterion(name="Recent activity", weight=20, rule=Recent(field="connected_on", half_life_days=180)),
    Criterion(
        name="Profile completeness", weight=20, rule=Complete(fields=("job_title", "company", "email", "profile_url"))
    ),
)
"""The four kinds that spec 001 FR-031 names, to begin with."""


def fields_of(rule: Rule) -> tuple[str, ...]:
    """The fields that the rule looks at."""
    return rule.fields if isinstance(rule, (Keywords, Complete)) else (rule.field,)


_LABELS = {"job_title": "title", "profile_url": "profile address", "connected_on": "connected", "email": "e-mail"}


def label(field: str) -> str:
    """A field's name, for people."""
    return _LABELS.get(field, field.replace("_", " "))


def described(rule: Rule) -> str:
    """What the rule asks, for people."""
    names = " or ".join(label(field) for field in fields_of(rule))
    match rule:
        case Keywords():
            main = f"{names} contains {'all' if rule.match == 'all' else 'any'} of {_list(rule.words)}"
            return f"{main}; {rule.part} % for {_list(rule.partly)}" if rule.partly else main
        case Between():
            return f"{names} is {_bounds(rule)}"
        case Recent():
            return f"{names} is recent (half the points for every {rule.half_life_days} days)"
        case Complete():
            return f"{', '.join(label(field) for field in rule.fields)} filled in (points by share)"
        case OneOf():
            return f"{names} is {_list(rule.values, ' or ')}"


_REMEMBERED = 1 << 13
"""Values whose answer a criterion remembers: many leads share a title, a company, a date."""


def criterion_scorer(criterion: Criterion, reference_date: str) -> CriterionScorer:
    """The criterion as a function of a lead; what does not depend on the lead is worked out once."""
    return _JUDGES[criterion.rule.rule](criterion.rule, criterion.weight, reference_date)


# --- keywords ---


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> str:
    """The text's words between single blanks, so that a phrase is found on word boundaries only."""
    text = text[:MAX_TEXT]
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return f" {' '.join(_WORD.findall(plain.casefold()))} "


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the first of the words; of two that begin at the same place, the longer."""
    spelled = sorted({_words(word)[1:-1] for word in words} - {""}, key=lambda word: (-len(word), word))
    return re.compile(f" ({'|'.join(map(re.escape, spelled))})(?= )" if spelled else "(?!)")


def _keywords(rule: Keywords, weight: int, _: str) -> CriterionScorer:
    fields = tuple((field, label(field)) for field in rule.fields)
    names = " or ".join(name for _, name in fields)
    main, partly = _pattern(rule.words), _pattern(rule.partly) if rule.partly else None
    partial_points = _share(weight, rule.part, 100)
    nothing, none = (0, f"{names}: no value"), (0, f"{names}: none of the words")

    @lru_cache(maxsize=_REMEMBERED)
    def one(name: str, value: str) -> ScoredReason:
        text = _words(value)
        if match := main.search(text):
            return weight, f"{name} contains “{match[1]}”"
        if partly and (match := partly.search(text)):
            return partial_points, f"{name} contains “{match[1]}”"
        return none

    def any_of(lead: LeadFields) -> ScoredReason:
        best = nothing
        for field, name in fields:
            if value := lead.get(field):
                scored_reason = one(name, value)
                if scored_reason[0] == weight:
                    return scored_reason
                if scored_reason[0] > best[0] or best is nothing:
                    best = scored_reason
        return best

    if rule.match == "any":
        return any_of
    word_patterns = [_pattern((word,)) for word in rule.words]
    all_found = weight, f"{names}: all of {_list(rule.words)}"

    def all_of(lead: LeadFields) -> ScoredReason:
        texts = [_words(value) for field, _ in fields if (value := lead.get(field))]
        if not texts:
            return nothing
        if all(any(pattern.search(text) for text in texts) for pattern in word_patterns):
            return all_found
        for text in texts:
            if partly and (match := partly.search(text)):
                return partial_points, f"{names} contains “{match[1]}”"
        return 0, f"{names}: not all of the words"

    return all_of


# --- numbers ---

_GROUPED = r"[0-9]{1,3}(?:[,.'\u2019\u00a0\u202f ][0-9]{3})+(?![0-9])"
_NUMBER = re.compile(rf"(?<![\w.,])({_GROUPED}|[0-9]{{1,15}})(?:[.,]([0-9]{{1,2}})(?![0-9]))?(?:\s?([km])\b)?")
_THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000}
_TO = frozenset({"-", "\u2013", "\u2014", "to", "..", "bis"})
_OVER, _UNDER = (">", "≥", "over", "more than", "at least"), ("<", "≤", "under", "less than", "up to", "at most")


class NumberRange(NamedTuple):
    """A number (both ends the same) or a range; `high` None is open."""

    low: int
    high: int | None


def parse_range(text: str) -> NumberRange | None:
    """The number or range that a text states: "51-200", "10,001+", "1.5k", "over 500 employees"; None if it states none."""
    text = text[:MAX_TEXT].casefold().strip()
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None
    first = matches[0]
    low = _number(first)
    if len(matches) > 1 and text[first.end() : matches[1].start()].strip() in _TO:
        high = _number(matches[1])
        return NumberRange(low, high) if low <= high else NumberRange(high, low)
    before = text[: first.start()].strip()
    if text[first.end() :].lstrip().startswith("+") or before.endswith(_OVER):
        return NumberRange(low, None)
    return NumberRange(0, low) if before.endswith(_UNDER) else NumberRange(low, low)


def _number(match: re.Match[str]) -> int:
    whole, decimals, unit = match[1], match[2] or "", _THOUSANDS[match[3] or ""]
    tens: int = 10 ** len(decimals)
    return int(re.sub("[^0-9]", "", whole)) * unit + int(decimals or "0") * unit // tens


def _between(rule: Between, weight: int, _: str) -> CriterionScorer:
    field, name, bounds = rule.field, label(rule.field), _bounds(rule)
    low, high = rule.low or 0, rule.high
    half = _share(weight, 1, 2)

    def judged(value: str) -> ScoredReason:
        number_range = parse_range(value)
        if number_range is None:
            return 0, f"{name} “{_cut(value)}” states no number"
        begins, ends = number_range
        if begins >= low and (high is None or (ends is not None and ends <= high)):
            return weight, f"{name} {_cut(value)} is {bounds}"
        if (high is None or begins <= high) and (ends is None or ends >= low):
            return half, f"{name} {_cut(value)} is partly {bounds}"
        return 0, f"{name} {_cut(value)} is not {bounds}"

    return _of_value(field, judged)


# --- dates ---

_ISO = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")
_SPELLED = re.compile(r"([0-9]{1,2})\.? ([a-z]{3})[a-z]*\.? ([0-9]{4})$")
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: n for n, name in enumerate(_NAMES, 1)}


def parse_day(text: str) -> int | None:
    """The number of the day that a text states ("2024-03-15…", "15 Mar 2024"); None if it states none."""
    text = text.strip()[:40].casefold()
    try:
        if match := _ISO.match(text):
            return date.fromisoformat(match[1]).toordinal()
        if match := _SPELLED.match(text):
            return date(int(match[3]), _MONTHS.get(match[2], 0), int(match[1])).toordinal()
    except ValueError:
        return None
    return None


def decayed(weight: int, age: int, half_life: int) -> int:
    """Half of it after each half-life, and evenly between two of them, so that whole numbers are enough."""
    if age <= 0:
        return weight
    halvings, rest = divmod(age, half_life)
    return _share(weight, 2 * half_life - rest, half_life << min(halvings + 1, 64))


_DAYS_A_MONTH, _DAYS_A_YEAR = 30, 365


def _days_ago(days: int) -> str:
    if days < 2 * _DAYS_A_MONTH:
        return "1 day ago" if days == 1 else f"{days} days ago"
    if days < 2 * _DAYS_A_YEAR:
        return f"{days // _DAYS_A_MONTH} months ago"
    return f"{days // _DAYS_A_YEAR} years ago"


def _recent(rule: Recent, weight: int, reference_date: str) -> CriterionScorer:
    field, name, half_life = rule.field, label(rule.field), rule.half_life_days
    reference = date.fromisoformat(reference_date).toordinal()

    def judged(value: str) -> ScoredReason:
        then = parse_day(value)
        if then is None:
            unknown = value == CONNECTED_DATE_UNKNOWN
            return 0, f"{name}, {value}" if unknown else f"{name} “{_cut(value)}” is not a date"
        age = reference - then
        if age <= 0:
            return weight, f"{name} {_cut(value)} is not before {reference_date}"
        return decayed(weight, age, half_life), f"{name} {_cut(value)}, {_days_ago(age)}"

    return _of_value(field, judged)


# --- the rest ---


def _complete(rule: Complete, weight: int, _: str) -> CriterionScorer:
    fields, count = rule.fields, len(rule.fields)

    @lru_cache(maxsize=_REMEMBERED)
    def without(*missing: str) -> ScoredReason:
        if not missing:
            return weight, "all filled in" if count > 1 else f"{label(fields[0])} is filled in"
        filled, names = count - len(missing), ", ".join(map(label, missing))
        return _share(weight, filled, count), f"{filled} of {count} filled in, no {names}"

    return lambda lead: without(*[field for field in fields if not lead.get(field)])


def _one_of(rule: OneOf, weight: int, _: str) -> CriterionScorer:
    field, name = rule.field, label(rule.field)
    values = {_words(value): value for value in rule.values}

    def judged(value: str) -> ScoredReason:
        rule_value = values.get(_words(value))
        return (0, f"{name} is “{_cut(value)}”") if rule_value is None else (weight, f"{name} is “{rule_value}”")

    return _of_value(field, judged)


def _of_value(field: str, judged: Callable[[str], ScoredReason]) -> CriterionScorer:
    """A rule that looks at the value of one field."""
    remembered, nothing = lru_cache(maxsize=_REMEMBERED)(judged), (0, f"{label(field)}: no value")

    def of_lead(lead: LeadFields) -> ScoredReason:
        value = lead.get(field)
        return remembered(value) if value else nothing

    return of_lead


_JUDGES: dict[str, Callable[[Any, int, str], CriterionScorer]] = {
    "keywords": _keywords,
    "range": _between,
    "recency": _recent,
    "completeness": _complete,
    "one_of": _one_of,
}


def _share(weight: int, numerator: int, denominator: int) -> int:
    """That part of the weight, to the nearest whole point, halves upwards."""
    return (2 * weight * numerator + denominator) // (2 * denominator)


def _bounds(rule: Between) -> str:
    if rule.low is None:
        return f"at most {rule.high:,}"
    return f"at least {rule.low:,}" if rule.high is None else f"within {rule.low:,} to {rule.high:,}"


def _list(words: tuple[str, ...], last: str = ", ") -> str:
    return last.join(f"“{word}”" for word in words)


def _cut(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:39]}…"  # noqa: PLR2004 - as much as a line shows

"""What an artifact's content seems to be (JSON, a table, text), and its JSON Schema, whatever its size (spec 001 FR-017)."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from genson import SchemaBuilder

from backend.domain.values.canonical_json import Json, canonical

PLAIN, JSON, CSV, BINARY = "text/plain", "application/json", "text/csv", "application/octet-stream"
TEXT: dict[str, Json] = {"type": "string", "contentMediaType": PLAIN}
MAX_SCHEMA = 32_768
"""Characters; what would take more is told by its outermost type alone."""
LOOKED_AT = 1_000
"""Rows of a table, or members of a JSON beginning, that its schema is inferred from."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_OF_THE_BEGINNING = "inferred from the beginning"
_COLUMN = re.compile(r"\w(?:[\w .()/#%&+-]{0,60}[\w.()#%])?")
_BLANK = re.compile(r"[ \t\r\n]*")


class InferredContent(NamedTuple):
    """The media type and the schema of a content."""

    media_type: str
    schema: dict[str, Json]


def infer(text: str, *, whole: bool = True) -> InferredContent:
    """What the text is, by itself or, unless it is the `whole` content, by its beginning. The same text, the same answer."""
    json_schema = _whole_json(text) if whole else _json_beginning(text)
    if json_schema is not None:
        return InferredContent(JSON, json_schema)
    if (table := _table(text, whole=whole)) is not None:
        return InferredContent(CSV, table)
    return InferredContent(PLAIN, TEXT)


def _whole_json(text: str) -> dict[str, Json] | None:
    try:
        value = json.loads(text, parse_constant=_no_number)
        return _schema_of(value) if isinstance(value, dict | list) else None
    except (ValueError, RecursionError):  # no JSON, or nested deeper than anybody reads
        return None


def _json_beginning(text: str) -> dict[str, Json] | None:
    """A list is told by its first items, an object by its first members, as far as they are complete."""
    start = _BLANK.match(text).end()  # type: ignore[union-attr]
    opened = text[start : start + 1]
    if opened not in ("[", "{"):
        return None
    try:
        members = list(islice(_members(text, start + 1, named=opened == "{"), LOOKED_AT))
        if not members:
            return None
        schema = _schema_of(dict(members) if opened == "{" else [value for _, value in members])  # type: ignore[arg-type]
    except RecursionError:
        return None
    schema.pop("required", None)
    return {**schema, "$comment": _OF_THE_BEGINNING}


def _members(text: str, at: int, *, named: bool) -> Iterator[tuple[str | None, Json]]:
    """Each complete member of a JSON list or object that begins at that place; whatever is cut off ends it."""
    decoder, name = json.JSONDecoder(parse_constant=_no_number), None
    while True:
        try:
            if named:
                name, at = decoder.raw_decode(text, _after_blanks(text, at))
                at = _after_blanks(text, at)
                if not isinstance(name, str) or text[at : at + 1] != ":":
                    return
                at += 1
            value, at = decoder.raw_decode(text, _after_blanks(text, at))
        except ValueError:
            return
        at = _after_blanks(text, at)
        if text[at : at + 1] not in (",", "]", "}"):  # a number may go on
            return
        yield name, value
        if text[at] != ",":
            return
        at += 1


def _after_blanks(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]


def _table(text: str, *, whole: bool) -> dict[str, Json] | None:
    """Rows of equally many fields below a header of names, whichever of three separators they have."""
    text = text.removeprefix("\ufeff")
    lines = text.splitlines(keepends=True)
    if not whole:
        lines = lines[:-1]  # it may be cut off
    for separator in ",;\t":
        if lines and separator not in lines[0]:
            continue
        try:
            header, *rows = islice(csv.reader(lines, delimiter=separator, strict=True), LOOKED_AT + 1)
        except (csv.Error, ValueError):
            continue
        named = len(set(header)) == len(header) >= 2 and all(_COLUMN.fullmatch(name) for name in header)  # noqa: PLR2004
        rows = [row for row in rows if row]
        if not named or len(rows) < 2 or any(len(row) != len(header) for row in rows):  # noqa: PLR2004
            continue
        schema = _schema_of([{name: _typed(value) for name, value in zip(header, row, strict=True)} for row in rows])
        return {**schema, "contentMediaType": CSV}
    return None


def _typed(value: str) -> Json:
    """A field's value: a number where it is written as one that keeps every digit, null where it is empty."""
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,14})", value):
        return int(value)
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,14})\.\d{1,12}", value):
        return float(value)
    return value or None


def _schema_of(value: dict[str, Json] | list[Json]) -> dict[str, Json]:
    builder = SchemaBuilder(schema_uri=_DIALECT)
    builder.add_object(value)
    schema: dict[str, Json] = builder.to_schema()
    if len(canonical(schema)) <= MAX_SCHEMA:
        return schema
    return {"$schema": _DIALECT, "type": schema["type"], "$comment": "too many fields to list"}


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")

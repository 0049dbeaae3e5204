"""Reading any table of people in the terminal as the window reads it: by its kind, else as the last like it, else by its names."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import get_args

import typer

from backend.adapters.leadfiles import LeadFile, read_leads, unknown_table
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.people.lead_row import NAME_FIELDS, LeadField, LeadRow
from backend.domain.people.past_contact_counts import PastContactCounts, count_past_contact, past_contact_sentences
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks, reveal
from backend.store.database import Database
from backend.store.queries.leads import imports
from backend.terminal.output import TerminalOutput

UNAMBIGUOUS = ("utf-8", "utf-8-sig", "utf-16")
"""Encodings that a file proves by its bytes; every other one is a guess."""


def read_lead_table(
    output: TerminalOutput, database: Database, path: Path, encoding: str | None, chosen: Sequence[str], sheet: str = ""
) -> LeadFile:
    """The lead file; wherever its reading is a guess, that is told. Raises `lead_file_*`.

    `chosen` are the user's own `FIELD=COLUMN`, which go before all else; fields that they leave out are read as without them.
    """
    source = _read(output, database, path, encoding, chosen, sheet)
    for sentence in source.sheet.sentences:
        output.note(reveal(sentence))
    if source.sheet.others or source.sheet.hidden:
        output.note("--sheet NAME reads another.")
    if encoding is None and source.encoding not in UNAMBIGUOUS:
        output.note(
            f"{path.name} does not state its encoding, so it is read as {source.encoding}. Use --encoding to choose another."
        )
    return source


def tell_past_contact(
    output: TerminalOutput, source: LeadFile, max_leads: int | None, lead_filter: LeadFilter = EVERYBODY
) -> PastContactCounts:
    """Tell what the file says of earlier contact with those who are taken, and what becomes of them, before they are imported."""
    for sentence in source.unread_history.sentences:
        output.note(reveal(sentence))
    if not source.has_past_contact:
        return PastContactCounts()
    rows = (row for row in source if isinstance(row, LeadRow) and lead_filter.matches(row, in_touch=False))
    counts = count_past_contact(islice(rows, max_leads))
    for sentence in past_contact_sentences(counts):
        output.note(reveal(sentence))
    return counts


def _read(
    output: TerminalOutput, database: Database, path: Path, encoding: str | None, chosen: Sequence[str], sheet: str = ""
) -> LeadFile:
    try:
        source = read_leads(path, encoding=encoding, sheet=sheet)
    except OutriderError as error:
        if error.code != "lead_file_unknown_format":
            raise
        table = unknown_table(path, encoding, sheet)
        remembered: dict[str, str] = {}
        earlier = ""
        if table.has_headings:
            remembered, earlier = database.query(imports.mapping_of_header, table.header)
        else:
            output.note(
                f"{path.name} has no headings: its columns are numbered, and its first row is kept as a person."
            )
        mapping = {**(remembered or table.guessed), **_chosen_columns(chosen, table.header)}
        if mapping.keys().isdisjoint(NAME_FIELDS):
            raise
        basis = f"as {earlier} was" if remembered else "by its columns"
    else:
        if not chosen:
            return source
        mapping, basis = source.columns | _chosen_columns(chosen, source.header), "as you said"
    fields = ", ".join(f"{field.replace('_', ' ')} from “{reveal(column)}”" for field, column in mapping.items())
    output.note(f"{path.name} is read {basis}: {fields}. --map FIELD=COLUMN changes that.")
    return read_leads(path, mapping, encoding, sheet)


def _chosen_columns(chosen: Sequence[str], header: Sequence[str]) -> dict[str, str]:
    """Field -> column, as the user said it; a usage error for a field or column that there is not."""
    fields, columns = get_args(LeadField), {as_it_looks(cell).casefold(): cell for cell in reversed(header)}
    mapping: dict[str, str] = {}
    for assignment in chosen:
        field, _, column = assignment.partition("=")
        field = field.strip().replace(" ", "_").replace("-", "_").lower()
        if field not in fields:
            raise typer.BadParameter(f"--map {assignment}: there is no field {field}. Fields are {', '.join(fields)}.")
        cell = columns.get(as_it_looks(column).casefold())
        if cell is None:
            column_names = ", ".join(reveal(cell) for cell in header)
            raise typer.BadParameter(
                f"--map {assignment}: the file has no column “{column}”. Its columns are {column_names}."
            )
        mapping[field] = cell
    return mapping

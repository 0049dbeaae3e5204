"""Lead files that the user chose: looked at before anything is decided, and read as they were shown. Writes nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Annotated

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import ReadableLeads, Services
from backend.api.shapes import Ticket
from backend.commands.matching_rows import MatchingRows
from backend.domain.events.events import WORKSPACE
from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.model.variables import VARIABLES, Recipient, columns_as_variables, sample_readers, value_of
from backend.domain.people.contact_keys import contact_keys
from backend.domain.people.identity import contact_details, identity_of, member_key
from backend.domain.people.lead_row import DEGREE, LeadField, LeadRow, RejectedRow, UnknownTable
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.people.past_contact_columns import column_title, is_degree, is_offered_in_braces
from backend.domain.people.past_contact_counts import PastContactCounts, count_past_contact, past_contact_sentences
from backend.domain.sequence.template import preset_for
from backend.domain.values.errors import OutriderError
from backend.domain.values.latin import as_typed
from backend.domain.values.shapes import Shape
from backend.store.database import Database
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import imports, leads
from backend.store.queries.people import do_not_contact, imported_people
from backend.store.queries.people.imported_people import NOBODY, ImportedPeople

PREVIEW_RECORDS = 2_000

SHOWN, SHOWN_RAW, SAMPLES, MOST_TAGS, MOST_UNSURE, MOST_DUPLICATES = 8, 2_000, 3, 50, 100, 100

routes = Routes("lead_files", "/lead-files")

ColumnMapping = Annotated[dict[LeadField, Annotated[str, Field(max_length=1_000)]], Field(max_length=9)]


class ChosenLeads(Shape):
    """A lead file that was chosen; `mapping` names the column of each field, null: as its format says.

    `encoding` is what the user named, null: guessed; `sheet` too, of a workbook, empty: the first with people.
    """

    ticket: Ticket
    mapping: ColumnMapping | None = None
    encoding: str | None = Field(default=None, max_length=40)
    sheet: str = Field(default="", max_length=100)
    filter: LeadFilter = EVERYBODY
    """Whom of its people the campaign takes."""
    write_again: bool = False
    """Whether people with whom the user was in touch before, by the file, are written to like everybody else."""


class PreviewLeads(ChosenLeads):
    """A lead file to look at, for a campaign that is there already or one that is to be made ("")."""

    campaign_id: str = Field(default="", max_length=64)


class ImportForecast(Shape):
    """What would become of the rows that were looked at, each counted once, by the first that holds.

    `duplicates` come a second time in the file, `known` are in the campaign, `forbidden` are on the do-not-contact list or go there
    because the file says so, `in_touch` by the file itself in touch before, `without_profile` cannot be found, `elsewhere` are in
    another campaign, and `ready` none of it.
    """

    ready: int = 0
    duplicates: int = 0
    known: int = 0
    forbidden: int = 0
    in_touch: int = 0
    without_profile: int = 0
    elsewhere: int = 0


class FileColumn(Shape):
    """A column of the file, the field it is read as, and a few of its values.

    `understood_as` says what it tells of how the user and a person were in touch before; empty if nothing.
    """

    name: str
    field: str | None
    samples: list[str]
    understood_as: str = ""


class SampleLead(Shape):
    """A row as it will be read."""

    line: int
    full_name: str
    job_title: str
    company: str
    email: str
    profile_url: str
    connected_on: str
    greeted: str
    """What they are called in a greeting; empty when the user would be asked."""
    more: dict[str, str]
    """What templates may say of its further columns, by the variables' names."""


class DuplicateRow(Shape):
    """A row of somebody who is in the file already, on line `of_line`."""

    line: int
    full_name: str
    of_line: int
    of_name: str


class FindInFile(ChosenLeads):
    """Rows of a lead file, of those that its filter takes, in whose name all words begin some word."""

    words: str = Field(max_length=200)


class FoundInFile(Shape):
    """The first rows that fit."""

    rows: list[SampleLead]


class Sheet(Shape):
    """A sheet of a workbook; a spreadsheet program does not show one that is `hidden`."""

    name: str
    hidden: bool


class ImportPreview(Shape):
    """What would be imported: how the file is read, its first rows, and the first records that cannot be leads.

    `whole` when all of its records were read for this. Nothing was written.
    """

    file: str
    format: str
    encoding: str
    has_headings: bool
    """Whether its first row names the columns; if not, it is a person, and the columns are numbered."""
    sheet: str
    """The sheet of a workbook that is read; empty for any other file."""
    sheets: list[Sheet]
    """All of its sheets with anything in them; empty for any other file."""
    sheet_sentences: list[str]
    """How the file is read, and what of a workbook is not, in words."""
    columns: list[FileColumn]
    usable: bool
    rows: list[SampleLead] = Field(default_factory=list)
    unsure: list[SampleLead] = Field(default_factory=list)
    """The first people whom no greeting surely fits, so that the user is asked; `lacking` counts them."""
    duplicates: list[DuplicateRow] = Field(default_factory=list)
    """The first rows that come a second time; `forecast` counts them."""
    readers: list[SampleLead] = Field(default_factory=list)
    """A few people who differ (`domain/model/variables.py`), of those who would get a message, else of all."""
    readers_to_invite: list[SampleLead] = Field(default_factory=list)
    """The same of those who would get an invitation, because they are no contacts yet."""
    rejected: list[RejectedRow] = Field(default_factory=list)
    preset: str
    """The sequence to begin with for these people (`domain/sequence/template.py`); `contacts` of them are the user's."""
    contacts: int = 0
    good: int = 0
    bad: int = 0
    filtered_out: int = 0
    """How many people the filter leaves out: nothing else here counts or shows them."""
    tags: list[str] = Field(default_factory=list)
    """Tags of the people, whoever the filter takes; the most common first."""
    whole: bool = False
    variables: list[str] = Field(default_factory=list)
    """Further variables: what its further columns are called in braces."""
    lacking: dict[str, int] = Field(default_factory=dict)
    """Variable -> how many of the people, each counted once, have no value for it; only those that somebody lacks."""
    forecast: ImportForecast = ImportForecast()
    past: PastContactCounts = PastContactCounts()
    """How many of the people were in touch with the user before, by the file itself."""
    past_sentences: list[str] = Field(default_factory=list)
    """The same in words, with what becomes of them, and what of an export's history cannot be read."""
    people: ImportedPeople = NOBODY
    remembered: str = ""
    """The file of the same columns that was imported before, and as which this one is read."""


@routes.post("/preview")
def preview(services: Services, body: PreviewLeads) -> ImportPreview:
    """What would be imported; raises `file_ticket_unknown` and `lead_file_…`."""
    path, name = services.files.source(body.ticket)
    mapping, remembered = _plain(body.mapping), ""
    try:
        source = services.lead_files.read(path, mapping, body.encoding, body.sheet)
    except OutriderError as error:
        if error.code not in ("lead_file_unknown_format", "lead_file_no_name_column"):
            raise
        table = services.lead_files.guess(path, body.encoding, body.sheet)
        if not table.header:
            raise
        if not table.rows:
            raise OutriderError("lead_file_no_rows", file=name) from error
        guessed = dict(table.guessed)
        if mapping is None and table.has_headings:  # numbers say nothing of what the columns of another file hold
            known_mapping, remembered = services.database.query(imports.mapping_of_header, table.header)
            guessed = known_mapping or guessed
        effective_mapping = guessed if mapping is None else mapping
        if not {"full_name", "first_name", "last_name"} & effective_mapping.keys():
            return _unusable(name, table, effective_mapping)
        source = services.lead_files.read(path, effective_mapping, body.encoding, body.sheet)
    shown = source.write_again() if body.write_again else source
    now = services.clock(body.campaign_id or WORKSPACE).now()
    return _shown(name, shown, body.filter, services.database, body.campaign_id, now).model_copy(
        update={"remembered": remembered}
    )


@routes.post("/find")
def find(services: Services, body: FindInFile) -> FoundInFile:
    """The first rows in whose name all words begin some word."""
    source, _ = open_chosen_file(services, body)
    words = as_typed(body.words).split()
    now = services.clock(WORKSPACE).now()
    matching = MatchingRows(services.database, "", LINKEDIN_ACCOUNT, source, body.filter, now)
    fitting = (row for row in matching if isinstance(row, LeadRow) and _fits(words, as_typed(row.full_name).split()))
    return FoundInFile(rows=[_sample(row) for row in islice(fitting, SHOWN)])


def _fits(words: list[str], name: list[str]) -> bool:
    return all(any(part.startswith(word) for part in name) for word in words)


def further_variables(source: ReadableLeads) -> list[str]:
    """What the columns that are no field are called in braces; of earlier contact only how far away people are, and since when."""
    further = [column for column in source.header if column not in source.columns.values()]
    variable_columns = [DEGREE if is_degree(column) else column for column in further if is_offered_in_braces(column)]
    return list(columns_as_variables(dict.fromkeys(variable_columns, "")))


def open_chosen_file(services: Services, chosen_leads: ChosenLeads) -> tuple[ReadableLeads, str]:
    """The file, and what its owner calls it; raises `file_ticket_unknown` and `lead_file_*` before any row is used."""
    path, name = services.files.source(chosen_leads.ticket)
    source = services.lead_files.read(path, _plain(chosen_leads.mapping), chosen_leads.encoding, chosen_leads.sheet)
    return source.write_again() if chosen_leads.write_again else source, name


def _plain(mapping: Mapping[LeadField, str] | None) -> dict[str, str] | None:
    return None if mapping is None else {field: column for field, column in mapping.items()}  # noqa: C416 - for its type


def sheets_of(read: LeadSheet) -> list[Sheet]:
    """All sheets of a workbook with anything in them; none of any other file."""
    return [Sheet(name=name, hidden=hidden) for name, hidden in read.all]


def _unusable(name: str, table: UnknownTable, mapping: dict[str, str]) -> ImportPreview:
    fields = {column: field for field, column in mapping.items()}
    return ImportPreview(
        file=name,
        format="unknown",
        encoding=table.encoding,
        has_headings=table.has_headings,
        sheet=table.sheet.name,
        sheets=sheets_of(table.sheet),
        sheet_sentences=table.sheet.sentences,
        columns=[
            FileColumn(
                name=cell,
                field=fields.get(cell),
                samples=_first_values(row[at] for row in table.rows if at < len(row)),
                understood_as=column_title(cell),
            )
            for at, cell in enumerate(table.header)
        ],
        usable=False,
        preset=preset_for(0, 0).id,
    )


def _shown(
    name: str, source: ReadableLeads, lead_filter: LeadFilter, database: Database, campaign_id: str, now: int
) -> ImportPreview:
    rows = list(islice(source, PREVIEW_RECORDS + 1))
    is_whole, rows = len(rows) <= PREVIEW_RECORDS, rows[:PREVIEW_RECORDS]
    everybody = [row for row in rows if isinstance(row, LeadRow)]
    matching = MatchingRows(database, campaign_id, _account(database, campaign_id), everybody, lead_filter, now)
    good_rows = [row for row in matching if isinstance(row, LeadRow)]
    rejected_rows = [row for row in rows if isinstance(row, RejectedRow)]
    fields = {column: field for field, column in source.columns.items()}
    further = further_variables(source)
    outcomes = _outcomes(database, campaign_id, good_rows)
    once = [row for row, outcome in zip(good_rows, outcomes, strict=True) if outcome != "duplicates"]
    contacts = sum(row.is_connected for row in once)
    ready_rows = [row for row, outcome in zip(good_rows, outcomes, strict=True) if outcome == "ready"] or good_rows
    return ImportPreview(
        file=name,
        format=source.format.name,
        encoding=source.encoding,
        has_headings=source.has_headings,
        sheet=source.sheet.name,
        sheets=sheets_of(source.sheet),
        sheet_sentences=source.sheet.sentences,
        columns=[
            FileColumn(
                name=cell,
                field=fields.get(cell),
                samples=_samples(everybody, cell, fields.get(cell)),
                understood_as=column_title(cell),
            )
            for cell in source.header
            if cell.strip() or cell in fields
        ],
        usable=True,
        rows=[_sample(row) for row in once[:SHOWN]],
        unsure=list(islice((sample for sample in map(_sample, once) if not sample.greeted), MOST_UNSURE)),
        duplicates=list(islice(_duplicates(good_rows), MOST_DUPLICATES)),
        readers=_readers(ready_rows, further),
        readers_to_invite=_readers([row for row in ready_rows if not row.is_connected], further),
        rejected=[replace(row, raw=row.raw[:SHOWN_RAW]) for row in rejected_rows[:SHOWN]],
        preset=preset_for(contacts, len(once)).id,
        contacts=contacts,
        good=len(good_rows),
        bad=len(rejected_rows),
        filtered_out=len({member_key(row) for row in everybody} - {member_key(row) for row in good_rows}),
        tags=[tag for tag, _ in Counter(tag for row in everybody for tag in row.tags).most_common(MOST_TAGS)],
        whole=is_whole,
        variables=further,
        lacking=_lacking([_recipient(row) for row in once], [*VARIABLES, *further]),
        forecast=ImportForecast(**Counter(outcomes)),
        past=(past := count_past_contact(good_rows)),
        past_sentences=[*past_contact_sentences(past), *source.unread_history.sentences],
        people=_people(database, campaign_id, good_rows, now),
    )


def _account(database: Database, campaign_id: str) -> str:
    """Among whose people they are looked for: of a campaign that is to be made, on LinkedIn."""
    campaign = database.query(campaigns.campaign, campaign_id) if campaign_id else None
    return campaign.account if campaign else LINKEDIN_ACCOUNT


def _people(database: Database, campaign_id: str, rows: list[LeadRow], now: int) -> ImportedPeople:
    """Who of them is known."""
    account = _account(database, campaign_id)
    with database.read() as connection:
        identities = [identity_of(row, f"row {row.line}") for row in rows]
        return imported_people.forecast(connection, campaign_id, account, identities, now)


def _outcomes(database: Database, campaign_id: str, rows: list[LeadRow]) -> list[str]:
    """What would become of each row: the name of what `ImportForecast` counts it as."""
    keyed = [(row, member_key(row)) for row in rows]
    details = {key: contact_keys(contact_details(row, key)) for row, key in keyed}
    emails = [row.email.lower() for row in rows if row.email]
    with database.read() as connection:
        members = leads.leads_of_members(connection, campaign_id, details)
        recorded_keys = {key for key, lead in members.items() if lead.blocked != TAKEN_BACK}
        mailed = {
            email for email, lead in leads.leads_of_emails(connection, campaign_id, emails).items() if len(lead) == 1
        }
        listed = do_not_contact.listed(connection, {key for keys in details.values() for key in keys})
        elsewhere = leads.in_other_campaigns(connection, campaign_id, details)
    outcomes: list[str] = []
    seen: set[str] = set()
    for row, key in keyed:
        conditions = {
            "duplicates": key in seen,
            "known": key in recorded_keys or (row.email or "").lower() in mailed,
            "forbidden": bool(row.refused) or not listed.isdisjoint(details[key]),
            "in_touch": bool(row.past),
            "without_profile": not row.profile_url,
            "elsewhere": key in elsewhere,
        }
        outcomes.append(next((name for name, applies in conditions.items() if applies), "ready"))
        seen.add(key)
    return outcomes


def _duplicates(rows: list[LeadRow]) -> Iterator[DuplicateRow]:
    first_rows: dict[str, LeadRow] = {}
    for row in rows:
        of = first_rows.setdefault(member_key(row), row)
        if of is not row:
            yield DuplicateRow(
                line=row.line, full_name=row.full_name[:200], of_line=of.line, of_name=of.full_name[:200]
            )


def _samples(rows: list[LeadRow], column: str, field: str | None) -> list[str]:
    # A degree column is kept under one name, whatever the file calls it.
    name = DEGREE if is_degree(column) else column.strip()
    values = (getattr(row, field) if field else row.extra.get(name, row.extra.get(column.strip())) for row in rows)
    return _first_values(", ".join(value) if isinstance(value, tuple) else value for value in values)


def _first_values(values: Iterable[str | None]) -> list[str]:
    return list(islice(dict.fromkeys(value[:80] for value in values if value), SAMPLES))


def _sample(row: LeadRow) -> SampleLead:
    return SampleLead(
        line=row.line,
        full_name=row.full_name[:200],
        job_title=(row.job_title or "")[:200],
        company=(row.company or "")[:200],
        email=(row.email or "")[:500],
        profile_url=row.profile_url or "",
        connected_on=row.connected_on or "",
        greeted=value_of("first_name", _recipient(row), ""),
        more=columns_as_variables(row.extra),
    )


def _readers(rows: list[LeadRow], further: list[str]) -> list[SampleLead]:
    return [_sample(rows[index]) for index in sample_readers([_recipient(row) for row in rows], [*VARIABLES, *further])]


def _recipient(row: LeadRow) -> Recipient:
    return Recipient(
        row.full_name, row.company or "", row.job_title or "", row.email or "", columns_as_variables(row.extra)
    )


def _lacking(people: list[Recipient], names: list[str]) -> dict[str, int]:
    counts = {name: sum(not value_of(name, to, "-").strip() for to in people) for name in names}
    return {name: n for name, n in counts.items() if n}

"""The tables of LinkedIn's own export that say who was in touch with whom, row by row, as exports of every year have them.

Until 2023 a message named its recipients, and an invitation both sides, without their addresses: a name then stands for the
one address that the tables show beside it, if it is one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import PurePath
from typing import NamedTuple

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.csv_records import CsvRecord, cell_text, records
from backend.adapters.leadfiles.file_scan import scan_file
from backend.adapters.leadfiles.lead_format import LINKEDIN, LeadFormat, column_key, recognise
from backend.adapters.leadfiles.linkedin_date import DateOrder, column_order, linkedin_date
from backend.adapters.leadfiles.linkedin_date import moment as moment_of
from backend.adapters.leadfiles.profile_url import OWN_PROFILE, normalise_profile_url
from backend.adapters.leadfiles.source import LeadFileSource
from backend.domain.model.days import iso_day

_RECIPIENTS = "recipient profile urls"
_SEVERAL = re.compile(r"[,;\s]+")
_SEVERAL_NAMES = re.compile(r",\s+")
# `3/5/26, 1:45 AM`: so LinkedIn writes invitations, whatever the language of the account.
_AS_LINKEDIN_WRITES = re.compile(r"\d{1,2}/\d{1,2}/\d\d, \d{1,2}:\d\d\s[AP]M")

# What LinkedIn's assistants and courses were told has the columns of messages: `LearningCoachMessages.csv`, `guide_messages.csv`.
_WITH_AN_ASSISTANT = re.compile(r"(?:.+ )?(?:guide|coach|learning|role ?play|assistant)(?: .+)? ?messages?(?: \d+)?")
_PRACTICE_TALK = re.compile(r"\(role[ -]?play\)$", re.IGNORECASE)
# Whoever has left LinkedIn, or hides from it.
_UNNAMED = frozenset({"", "linkedin member"})

_YES_WORDS = "yes y true t 1 x ja j wahr oui o vrai si s sim verdadero verdadeiro vero waar"
_YES = frozenset(_YES_WORDS.split())
_INBOX = "INBOX"
_DRAFT_FOLDER = re.compile(r"(?:drafts?|entwurfe?|brouillons?|borrador(?:es)?|rascunhos?|concept(?:en)?|bozz[ae])")
_OUTGOING = """
    outgoing sent gesendet ausgehend envoyee envoye sortante sortant enviada enviado saliente verzonden uitgaand saida
    inviato inviata uscita
"""
_INCOMING = """
    incoming received empfangen erhalten eingehend recue recu entrante entrant recibida recibido ontvangen inkomend
    recebida recebido entrada ricevuto ricevuta arrivo
"""
_DIRECTIONS = {True: frozenset(_OUTGOING.split()), False: frozenset(_INCOMING.split())}
"""Whether an invitation went out -> how the column says so, folded."""


def _format(name: str, *columns: str) -> LeadFormat:
    return LeadFormat(name, frozenset(columns), {}, linkedin_date, f"{name}.csv")


INVITATIONS = _format("invitations", "from", "to", "sent at")
MESSAGES = _format("messages", "conversation id", "from", "sender profile url", "date")
HISTORY = (INVITATIONS, MESSAGES)


def history_day(text: str, order: DateOrder | None = None) -> str:
    """`2023-05-01 14:22:10 UTC` or `3/5/26, 1:45 AM` as an ISO date; empty when it is no date, or may be two."""
    return linkedin_date(text, _order_of(text, order)) or ""


def history_moment(text: str, order: DateOrder | None = None) -> int | None:
    """`2023-05-01 14:22:10 UTC` as ms UTC; None when it is no moment, or may be two."""
    return moment_of(text, _order_of(text, order))


def _order_of(text: str, order: DateOrder | None) -> DateOrder | None:
    return DateOrder.MONTH_FIRST if order is None and _AS_LINKEDIN_WRITES.fullmatch(text) else order


def is_with_an_assistant(file_name: str) -> bool:
    """Whether a file is called like a talk with one of LinkedIn's assistants or courses, which is with nobody."""
    return _WITH_AN_ASSISTANT.fullmatch(column_key(PurePath(file_name).stem)) is not None


class Participant(NamedTuple):
    """Somebody as a row names them."""

    address: str
    name: str
    is_known_by_name: bool = False
    """Whether the table has names only; where an address is missing among others, the name is a company's or nobody's."""


class ExportedInvitation(NamedTuple):
    """`outgoing` is None where the table does not say it; `day` is empty where it cannot be read."""

    inviter: Participant
    invitee: Participant
    outgoing: bool | None
    day: str


class ExportedMessage(NamedTuple):
    """`recipients` of an old export are names, of which each that the cell may mean is one."""

    conversation: str
    sender: Participant
    recipients: tuple[Participant, ...]
    day: str
    moment: int | None
    text: str
    is_draft: bool = False


@dataclass
class ExportTables:
    """The rows of an export's tables; of messages with nobody of `wanted_addresses` the text is not kept."""

    wanted_addresses: Collection[str] = ()
    invitations: list[ExportedInvitation] = field(default_factory=list)
    messages: list[ExportedMessage] = field(default_factory=list)
    connected: dict[str, str] = field(default_factory=dict)
    drafts: list[ExportedMessage] = field(default_factory=list)
    """What was never sent."""
    names_of_tables: set[str] = field(default_factory=set)
    damaged: int = 0
    """Rows that cannot be read."""
    undated_connections: int = 0
    _addresses: dict[str, set[str]] = field(default_factory=dict)
    """Name, folded -> the addresses with which the tables show it."""
    _remembered: set[Participant] = field(default_factory=set)

    def read(self, source: LeadFileSource, formats: Sequence[LeadFormat]) -> bool:
        """Add the rows of a table, if it is one, and whether it is; raises `lead_file_…`."""
        encoding = scan_file(source).encoding
        for delimiter in source.delimiters(encoding):
            with source.open_lines(encoding) as lines:
                rows = records(lines, delimiter)
                head = (record.cells for record in islice(rows, limits.HEADER_LINES) if record.cells)
                header = next(
                    (cells for cells in islice(head, limits.HEADER_RECORDS) if recognise(cells, formats)), None
                )
                if header is None:
                    continue
                table = recognise(header, formats)
                assert table is not None  # noqa: S101 - by its header
                self.names_of_tables.add(table.name)
                columns = _Columns(header)
                self._read_rows(table, (_Row(columns, record.cells) for record in self._whole(rows, len(header))))
                return True
        return False

    def identity(self, who: Participant) -> str:
        """Their address; `name_key` of somebody of whom an export has none; empty for nobody."""
        if who.address or not who.is_known_by_name:
            return who.address
        name = _folded(who.name)
        addresses = self._addresses.get(name, set())
        if len(addresses) == 1:
            return next(iter(addresses))
        return "" if name in _UNNAMED else name_key(who.name)

    def gives_names_only(self) -> bool:
        """Whether somebody is named without an address, so that the list of connections is asked for it."""
        participants = (who for invitation in self.invitations for who in invitation[:2])
        return any(
            who.is_known_by_name
            for who in chain(participants, chain.from_iterable(message.recipients for message in self.messages))
        )

    def is_unidentified(self, who: Participant) -> bool:
        """Whether they are somebody, but without an address."""
        return _folded(who.name) not in _UNNAMED and self.identity(who) in ("", name_key(who.name))

    def _whole(self, rows: Iterable[CsvRecord], width: int) -> Iterator[CsvRecord]:
        for record in rows:
            is_cut_off = 0 < len(record.cells) < width and not record.raw.endswith(("\n", "\r"))
            if record.problem is not None or (record.recovered and len(record.cells) != width) or is_cut_off:
                self.damaged += 1
            elif record.cells:
                yield record

    def _read_rows(self, table: LeadFormat, rows: Iterable["_Row"]) -> None:
        """Days are read last: all dates of a column together show what comes first in them."""
        if table is INVITATIONS:
            invitations = [self._invitation(row) for row in rows]
            order = column_order(invitation.day for invitation in invitations)
            self.invitations += [
                invitation._replace(day=history_day(invitation.day, order)) for invitation in invitations
            ]
        elif table is MESSAGES:
            messages = [message for message in map(self._message, rows) if not _is_practice(message)]
            order = column_order(message.day for message in messages)
            for message in messages:
                moment = history_moment(message.day, order)
                # A day at least, where there is no time that can be read.
                day = (
                    iso_day(moment)
                    if moment is not None and message.day.endswith("UTC")
                    else history_day(message.day, order)
                )
                dated = message._replace(day=day, moment=moment)
                (self.drafts if message.is_draft else self.messages).append(dated)
        elif table is LINKEDIN:
            self._connections(rows)

    def _invitation(self, row: "_Row") -> ExportedInvitation:
        inviter = self._participant(row, "inviter profile url", "from")
        invitee = self._participant(row, "invitee profile url", "to")
        direction = _folded(row["direction"])
        outgoing = next((goes_out for goes_out, words in _DIRECTIONS.items() if direction in words), None)
        return ExportedInvitation(inviter, invitee, outgoing, row["sent at"])

    def _message(self, row: "_Row") -> ExportedMessage:
        sender, recipients = self._participant(row, "sender profile url", "from"), self._recipients(row)
        addresses = {who.address for who in (sender, *recipients)}
        keeps_text = "" in addresses or not addresses.isdisjoint(self.wanted_addresses)
        text = row.raw("content").replace("\0", "") if keeps_text else ""
        return ExportedMessage(row["conversation id"], sender, recipients, row["date"], None, text, _is_draft(row))

    def _recipients(self, row: "_Row") -> tuple[Participant, ...]:
        addresses_text, name = row[_RECIPIENTS], row["to"]
        addresses = [address for address in map(_address_in, _SEVERAL.split(addresses_text)) if address]
        if len(addresses) > 1:
            return tuple(Participant(address, "") for address in addresses)
        has_column = row.has(_RECIPIENTS)
        if addresses or has_column or _folded(name) in self._addresses or not _SEVERAL_NAMES.search(name):
            who = Participant(addresses[0] if addresses else "", name, not has_column)
            self._remember(who)
            return (who,)
        return tuple(Participant("", recipient, is_known_by_name=True) for recipient in _SEVERAL_NAMES.split(name))

    def _connections(self, rows: Iterable["_Row"]) -> None:
        dates: list[str] = []
        connected: dict[str, str] = {}
        for row in rows:
            dates.append(row["connected on"])
            who = Participant(_address_in(row["url"]), f"{row['first name']} {row['last name']}")
            self._remember(who)
            if who.address in self.wanted_addresses:
                connected[who.address] = dates[-1]
        order = column_order(dates)
        days = {address: linkedin_date(text, order) for address, text in connected.items()}
        self.undated_connections += sum(day is None for day in days.values())
        self.connected |= {address: day or "" for address, day in days.items()}

    def _participant(self, row: "_Row", address: str, name: str) -> Participant:
        who = Participant(_address_in(row[address]), row[name], is_known_by_name=not row.has(address))
        self._remember(who)
        return who

    def _remember(self, who: Participant) -> None:
        if who.address and who.name and who not in self._remembered:
            self._remembered.add(who)
            self._addresses.setdefault(_folded(who.name), set()).add(who.address)


class _Columns:
    """Where a table keeps what, and which of its columns mark a draft."""

    __slots__ = ("at", "draft_marks", "width")

    def __init__(self, header: Sequence[str]) -> None:
        self.at = {column_key(cell): at for at, cell in reversed(list(enumerate(header)))}
        self.draft_marks = tuple(name for name in self.at if "draft" in name and "conversation" not in name)
        self.width = len(header)


class _Row:
    """A record by the keys of its columns; of a column that is not there, empty."""

    __slots__ = ("_cells", "columns")

    def __init__(self, columns: _Columns, cells: Sequence[str]) -> None:
        self.columns = columns
        # An empty cell behind the last one: what has no column reads that.
        self._cells = [*cells, *[""] * max(1, columns.width - len(cells) + 1)]

    def has(self, column: str) -> bool:
        return column in self.columns.at

    def raw(self, column: str) -> str:
        return self._cells[self.columns.at.get(column, -1)]

    def __getitem__(self, column: str) -> str:
        text = self._cells[self.columns.at.get(column, -1)]
        return cell_text(text) if text else ""


def name_key(name: str) -> str:
    """What stands for somebody of whom an export gives the name only."""
    return f"name:{_folded(name)}"


def _is_draft(row: _Row) -> bool:
    marks = map(row.__getitem__, row.columns.draft_marks)
    folder = row["folder"]
    is_in_drafts = folder != _INBOX and _DRAFT_FOLDER.fullmatch(_folded(folder)) is not None
    return is_in_drafts or any(mark and _folded(mark) in _YES for mark in marks)


def _is_practice(message: ExportedMessage) -> bool:
    return any(_PRACTICE_TALK.search(who.name) for who in (message.sender, *message.recipients))


def _address_in(text: str) -> str:
    if not text:
        return ""
    return OWN_PROFILE if text.rstrip("/") == OWN_PROFILE else normalise_profile_url(text) or ""


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.casefold().split())
    parts = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in parts if not unicodedata.combining(letter)).split())


def owner_of(tables: ExportTables) -> str:
    """Whose export it is, which is none of the people asked about; empty when that cannot be told.

    Whoever sent the invitations that it calls outgoing and got the others; else who wrote its drafts, which nobody else sees;
    else who takes part in the most conversations and invitations, if that is one person alone.
    """
    identity = tables.identity
    inviters = Counter(
        identity(invitation.inviter if invitation.outgoing else invitation.invitee)
        for invitation in tables.invitations
        if invitation.outgoing is not None
    )
    writers = Counter(identity(draft.sender) for draft in tables.drafts)
    for counted in (inviters, writers):
        del counted[""]
        if counted:
            return counted.most_common(1)[0][0]
    took_part = {
        (f"invitation {at}", who) for at, invitation in enumerate(tables.invitations) for who in invitation[:2]
    }
    took_part |= {
        (message.conversation, who) for message in tables.messages for who in (message.sender, *message.recipients)
    }
    everybody = {(conversation, identity(who)) for conversation, who in took_part}
    most = Counter(who for _, who in everybody if who and who not in tables.wanted_addresses).most_common(2)
    if not most or (len(most) > 1 and most[0][1] == most[1][1]):
        return ""
    return most[0][0]

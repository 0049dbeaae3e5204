"""What passed between the user and others, from the invitations, messages and connections of LinkedIn's own export.

The export does not say whose it is. Its owner is who sent the invitations that it calls outgoing, and without any, whoever
takes part in the most conversations; if that is nobody alone, everybody in a conversation counts as written to.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from backend.adapters.leadfiles import archive
from backend.adapters.leadfiles.cell_text import cell_text
from backend.adapters.leadfiles.csv_records import records
from backend.adapters.leadfiles.file_scan import scan_file
from backend.adapters.leadfiles.lead_format import LINKEDIN, LeadFormat, column_key, recognise
from backend.adapters.leadfiles.linkedin_date import linkedin_date
from backend.adapters.leadfiles.profile_url import OWN_PROFILE, normalise_profile_url
from backend.adapters.leadfiles.source import LeadFileSource, plain_file
from backend.domain.contact_archive import ArchivedMessage, ContactArchive, PersonInArchive
from backend.domain.errors import OutriderError
from backend.domain.past_contact import PastContact

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)\b")
_AMERICAN_DAY = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})\b")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
_CENTURY = 2000
_SEVERAL = re.compile(r"[,;\s]+")


def history_day(text: str) -> str:
    """`2023-05-01 14:22:10 UTC` or `3/5/26, 1:45 AM` as an ISO date; empty when it is no date."""
    if found := _DAY.match(text):
        year, month, day = map(int, found.groups())
    elif found := _AMERICAN_DAY.match(text):
        month, day, year = map(int, found.groups())
        year += _CENTURY if year < _CENTURY else 0
    else:
        return ""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def history_moment(text: str) -> int | None:
    """`2023-05-01 14:22:10 UTC` as ms UTC; None when it is no moment."""
    found = _MOMENT.match(text)
    try:
        return int(datetime.fromisoformat(found[0]).replace(tzinfo=UTC).timestamp()) * 1_000 if found else None
    except ValueError:
        return None


def _format(name: str, *columns: str) -> LeadFormat:
    return LeadFormat(name, frozenset(columns), {}, lambda text: history_day(text) or None, f"{name}.csv")


INVITATIONS = _format("invitations", "from", "to", "sent at", "direction", "inviter profile url", "invitee profile url")
MESSAGES = _format("messages", "conversation id", "from", "sender profile url", "recipient profile urls", "date")
HISTORY = (INVITATIONS, MESSAGES)


class _Invitation(NamedTuple):
    inviter: str
    invitee: str
    outgoing: bool
    day: str


class _Message(NamedTuple):
    conversation: str
    sender: str
    recipients: tuple[str, ...]
    day: str
    moment: int | None = None
    text: str = ""


class _Tables:
    """The rows of an export's tables; of messages with nobody of `wanted` the text is not kept."""

    def __init__(self, wanted: Collection[str] = ()) -> None:
        self.wanted = wanted
        self.invitations: list[_Invitation] = []
        self.messages: list[_Message] = []
        self.connected: dict[str, str] = {}
        self.found: set[str] = set()


def contact_archive(path: Path, wanted: Collection[str]) -> ContactArchive:
    """What the export, or one of its tables alone, says of the people with these addresses.

    Raises `export_without_history` for a file that has none of its tables, `export_owner_unknown`, and `lead_file_…`.
    """
    source = plain_file(path)
    with source.open_bytes() as stream:
        zipped = stream.read(4) in archive.ZIP_MAGIC
    known = (*HISTORY, LINKEDIN)
    tables = _Tables(wanted)
    for one in archive.members(path, known).sources if zipped else [source]:
        try:
            _read(one, tables, known)
        except OutriderError as error:
            if error.code not in ("lead_file_empty", "lead_file_unknown_format"):
                raise
    if not tables.found:
        raise OutriderError("export_without_history", file=path.name)
    owner = _owner(tables.invitations, tables.messages, wanted)
    if tables.messages and not owner:
        raise OutriderError("export_owner_unknown", file=path.name)
    return _archive_of(tables, owner)


def _archive_of(tables: _Tables, owner: str) -> ContactArchive:
    invited: dict[str, str] = {}
    for one in tables.invitations:
        if one.outgoing and one.invitee in tables.wanted:
            invited[one.invitee] = max(invited.get(one.invitee, ""), one.day)
    written: dict[str, list[ArchivedMessage]] = {}
    for message in tables.messages:
        others = [who for who in (message.sender, *message.recipients) if who and who != owner]
        if len(others) == 1 and others[0] in tables.wanted and message.moment is not None:
            by_them = message.sender != owner
            written.setdefault(others[0], []).append(ArchivedMessage(by_them, message.text, message.moment))
    people = {
        who: PersonInArchive(
            invited.get(who, ""),
            tables.connected.get(who, ""),
            tuple(sorted(written.get(who, []), key=lambda one: one.at)),
        )
        for who in {*invited, *tables.connected, *written}
    }
    return ContactArchive(people, max((one.moment for one in tables.messages if one.moment is not None), default=None))


def contact_history(path: Path) -> dict[str, PastContact]:
    """Address of a profile -> how they were in touch, from every table of that kind in the export."""
    tables = _Tables()
    for source in archive.members(path, HISTORY).sources:
        try:
            _read(source, tables, HISTORY)
        except OutriderError as error:
            if error.code not in ("lead_file_empty", "lead_file_unknown_format"):
                raise
    return _by_person(tables.invitations, tables.messages)


def _read(source: LeadFileSource, tables: _Tables, known: Sequence[LeadFormat]) -> None:
    encoding = scan_file(source).encoding
    with source.open_lines(encoding) as lines:
        found: LeadFormat | None = None
        columns: Sequence[str] = ()
        for record in records(lines, ","):
            if found is None:
                found, columns = recognise(record.cells, known), [column_key(cell) for cell in record.cells]
                if found is not None:
                    tables.found.add(found.name)
                continue
            cells = dict(zip(columns, map(cell_text, record.cells), strict=False))
            if found is INVITATIONS:
                tables.invitations.extend(_invitation(cells))
            elif found is MESSAGES:
                content = dict(zip(columns, record.cells, strict=False)).get("content", "")
                tables.messages.extend(_message(cells, content.replace("\0", ""), tables.wanted))
            else:
                _connection(cells, tables)


def _invitation(cells: dict[str, str]) -> Iterator[_Invitation]:
    inviter, invitee = _address(cells, "inviter profile url"), _address(cells, "invitee profile url")
    if inviter and invitee:
        outgoing = cells.get("direction", "").upper() == "OUTGOING"
        yield _Invitation(inviter, invitee, outgoing, history_day(cells.get("sent at", "")))


def _connection(cells: dict[str, str], tables: _Tables) -> None:
    who = _address(cells, "url")
    if who in tables.wanted:
        tables.connected[who] = linkedin_date(cells.get("connected on", "")) or ""


def _message(cells: dict[str, str], content: str, wanted: Collection[str]) -> Iterator[_Message]:
    sender = _address(cells, "sender profile url")
    given = map(_address_in, _SEVERAL.split(cells.get("recipient profile urls", "")))
    recipients = tuple(address for address in given if address)
    if sender or recipients:
        dated = cells.get("date", "")
        keep = sender in wanted or not recipients or any(who in wanted for who in recipients)
        text = content if keep else ""
        day, moment = history_day(dated), history_moment(dated)
        yield _Message(cells.get("conversation id", ""), sender, recipients, day, moment, text)


def _address(cells: dict[str, str], column: str) -> str:
    return _address_in(cells.get(column, ""))


def _address_in(text: str) -> str:
    return OWN_PROFILE if text.rstrip("/") == OWN_PROFILE else normalise_profile_url(text) or ""


def _by_person(invitations: list[_Invitation], messages: list[_Message]) -> dict[str, PastContact]:
    owner = _owner(invitations, messages)
    known: dict[str, PastContact] = {}

    def learn(person: str, contact: PastContact) -> None:
        if person and person != owner:
            known[person] = known.get(person, PastContact()).and_also(contact)

    for one in invitations:
        learn(one.invitee if one.outgoing else one.inviter, PastContact(invited=one.day))
    for message in messages:
        mine = message.sender == owner or not owner
        for recipient in message.recipients:
            if mine:
                learn(recipient, PastContact(written_to=message.day))
        learn(message.sender, PastContact(answered=message.day) if owner else PastContact(written_to=message.day))
    return known


def _owner(invitations: list[_Invitation], messages: list[_Message], leads: Collection[str] = ()) -> str:
    """Whose export it is, which is none of the `leads`; empty when that cannot be told."""
    inviters = Counter(one.inviter if one.outgoing else one.invitee for one in invitations)
    if inviters:
        return inviters.most_common(1)[0][0]
    took_part = {(one.conversation, who) for one in messages for who in (one.sender, *one.recipients) if who}
    most = Counter(who for _, who in took_part if who not in leads).most_common(2)
    if not most or (len(most) > 1 and most[0][1] == most[1][1]):
        return ""
    return most[0][0]

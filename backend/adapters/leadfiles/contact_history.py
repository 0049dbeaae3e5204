"""Who was in touch with the user before, from the invitations and messages of LinkedIn's own export.

The export does not say whose it is. Its owner is who sent the invitations that it calls outgoing, and without any, whoever
takes part in the most conversations; if that is nobody alone, everybody in a conversation counts as written to.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from backend.adapters.leadfiles import archive
from backend.adapters.leadfiles.cell_text import cell_text
from backend.adapters.leadfiles.csv_records import records
from backend.adapters.leadfiles.file_scan import scan_file
from backend.adapters.leadfiles.lead_format import LeadFormat, column_key, recognise
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.adapters.leadfiles.source import LeadFileSource
from backend.domain.errors import OutriderError
from backend.domain.past_contact import PastContact

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)\b")
_AMERICAN_DAY = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})\b")
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


def contact_history(path: Path) -> dict[str, PastContact]:
    """Address of a profile -> how they were in touch, from every table of that kind in the export."""
    invitations: list[_Invitation] = []
    messages: list[_Message] = []
    for source in archive.members(path, HISTORY).sources:
        try:
            _read(source, invitations, messages)
        except OutriderError as error:
            if error.code not in ("lead_file_empty", "lead_file_unknown_format"):
                raise
    return _by_person(invitations, messages)


def _read(source: LeadFileSource, invitations: list[_Invitation], messages: list[_Message]) -> None:
    encoding = scan_file(source).encoding
    with source.open_lines(encoding) as lines:
        found: LeadFormat | None = None
        columns: Sequence[str] = ()
        for record in records(lines, ","):
            if found is None:
                found, columns = recognise(record.cells, HISTORY), [column_key(cell) for cell in record.cells]
                continue
            cells = dict(zip(columns, map(cell_text, record.cells), strict=False))
            if found is INVITATIONS:
                invitations.extend(_invitation(cells))
            else:
                messages.extend(_message(cells))


def _invitation(cells: dict[str, str]) -> Iterator[_Invitation]:
    inviter, invitee = _address(cells, "inviter profile url"), _address(cells, "invitee profile url")
    if inviter and invitee:
        outgoing = cells.get("direction", "").upper() == "OUTGOING"
        yield _Invitation(inviter, invitee, outgoing, history_day(cells.get("sent at", "")))


def _message(cells: dict[str, str]) -> Iterator[_Message]:
    sender = _address(cells, "sender profile url")
    given = (normalise_profile_url(one) for one in _SEVERAL.split(cells.get("recipient profile urls", "")) if one)
    recipients = tuple(address for address in given if address)
    if sender or recipients:
        yield _Message(cells.get("conversation id", ""), sender, recipients, history_day(cells.get("date", "")))


def _address(cells: dict[str, str], column: str) -> str:
    return normalise_profile_url(cells.get(column, "")) or ""


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


def _owner(invitations: list[_Invitation], messages: list[_Message]) -> str:
    """Whose export it is; empty when that cannot be told."""
    inviters = Counter(one.inviter if one.outgoing else one.invitee for one in invitations)
    if inviters:
        return inviters.most_common(1)[0][0]
    took_part = {(one.conversation, who) for one in messages for who in (one.sender, *one.recipients) if who}
    most = Counter(who for _, who in took_part).most_common(2)
    if not most or (len(most) > 1 and most[0][1] == most[1][1]):
        return ""
    return most[0][0]

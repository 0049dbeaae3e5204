"""What passed between the user and others, from the invitations, messages and connections of LinkedIn's own export.

The export does not say whose it is (`owner_of`). If that cannot be told, everybody in a conversation counts as written to.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from backend.adapters.leadfiles import archive
from backend.adapters.leadfiles.export_tables import (
    HISTORY,
    ExportTables,
    history_day,
    history_moment,
    is_with_an_assistant,
    name_key,
    owner_of,
)
from backend.adapters.leadfiles.lead_format import LINKEDIN, LeadFormat
from backend.adapters.leadfiles.source import LeadFileSource, plain_file
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, LeftOut, PersonInArchive
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import PastContact, UnreadHistory
from backend.domain.values.errors import OutriderError

__all__ = ["contact_archive", "contact_history", "history_day", "history_moment", "past_contact_of"]


def contact_archive(path: Path, addresses: Collection[str]) -> ContactArchive:
    """What the export, or one of its tables alone, says of the people with these addresses.

    Raises `export_without_history` for a file that has none of its tables, `export_owner_unknown`, and `lead_file_…`.
    """
    tables = ExportTables(addresses)
    formats = (*HISTORY, LINKEDIN)
    for source in _tables_at(path, formats):
        _read(tables, source, formats)
    if not tables.names_of_tables:
        raise OutriderError("export_without_history", file=path.name)
    owner = owner_of(tables)
    if tables.messages and not owner:
        raise OutriderError("export_owner_unknown", file=path.name)
    return _archive_of(tables, owner)


def _tables_at(path: Path, formats: Sequence[LeadFormat]) -> list[LeadFileSource]:
    """The tables of an export's zip, of a workbook that some were saved as, or the one that the file is."""
    source = plain_file(path)
    if archive.is_workbook(path):
        from backend.adapters.leadfiles.workbook import visible_sheets  # noqa: PLC0415 - loaded for no other file

        return visible_sheets(path)
    with source.open_bytes() as stream:
        zipped = stream.read(4) in archive.ZIP_MAGIC
    return list(archive.members(path, formats).sources) if zipped else [source]


class FileContactHistory(NamedTuple):
    """Address of a profile -> how they were in touch; where an export gives no addresses, a name stands for them.

    `past_contact_of` knows both. `unread`: what the export may have beside it.
    """

    people: dict[str, PastContact]
    unread: UnreadHistory


def contact_history(path: Path) -> FileContactHistory:
    """How people were in touch, from every table of that kind in the export."""
    tables = ExportTables()
    sources, refusal, _ = archive.members(path, HISTORY)
    unread = [] if refusal is None else [str(refusal.facts["file"])]
    unread += [
        source.label
        for source in sources
        if not _read(tables, source, HISTORY) and archive.usual_name(source.member or "", HISTORY)
    ]
    damaged = tables.damaged
    if tables.gives_names_only():
        for source in archive.members(path, (LINKEDIN,)).sources:
            _read(tables, source, (LINKEDIN,))
    return FileContactHistory(_by_person(tables), UnreadHistory(damaged, tuple(unread)))


def past_contact_of(history: Mapping[str, PastContact], row: LeadRow) -> PastContact | None:
    """How this person was in touch before, by their address or, where the export gives none, by their name."""
    by_address = history.get(row.profile_url) if row.profile_url else None
    return by_address or history.get(name_key(row.full_name))


def _read(tables: ExportTables, source: LeadFileSource, formats: Sequence[LeadFormat]) -> bool:
    """Whether all is known that it may have to say: of a table that is none of the known ones, nothing is."""
    if is_with_an_assistant(source.member or source.path.name):
        return True
    try:
        return tables.read(source, formats)
    except OutriderError as error:
        if error.code not in ("lead_file_empty", "lead_file_unknown_format"):
            raise
        return error.code == "lead_file_empty"


def _archive_of(tables: ExportTables, owner: str) -> ContactArchive:
    wanted_addresses, identity = tables.wanted_addresses, tables.identity
    undated = unidentified = 0
    invited: dict[str, str] = {}
    for invitation in tables.invitations:
        inviter, invitee = identity(invitation.inviter), identity(invitation.invitee)
        outgoing = inviter == owner if invitation.outgoing is None and owner else invitation.outgoing
        undated += not invitation.day
        unidentified += outgoing is None or any(map(tables.is_unidentified, invitation[:2]))
        if outgoing and invitee in wanted_addresses:
            invited[invitee] = max(invited.get(invitee, ""), invitation.day)
    written: dict[str, list[ArchivedMessage]] = {}
    without_time: set[str] = set()
    for message in tables.messages:
        everybody = dict.fromkeys(map(identity, (message.sender, *message.recipients)))
        other_people = [who for who in everybody if who and who != owner]
        undated += message.moment is None
        unidentified += any(map(tables.is_unidentified, (message.sender, *message.recipients)))
        if len(other_people) != 1 or other_people[0] not in wanted_addresses:
            continue
        if message.moment is None:
            without_time.add(other_people[0])
            continue
        by_them = identity(message.sender) != owner
        written.setdefault(other_people[0], []).append(ArchivedMessage(by_them, message.text, message.moment))
    drafted = {identity(who) for draft in tables.drafts for who in draft.recipients}.intersection(wanted_addresses)
    people = {
        who: PersonInArchive(
            invited.get(who, ""),
            tables.connected.get(who, ""),
            oldest_first(written.get(who, [])),
            has_undated_messages=who in without_time,
        )
        for who in {*invited, *tables.connected, *written, *without_time, *drafted}
    }
    left_out = LeftOut(
        drafts=len(tables.drafts),
        undated=undated + tables.undated_connections,
        unidentified=unidentified,
        damaged=tables.damaged,
    )
    newest = max((message.moment for message in tables.messages if message.moment is not None), default=None)
    return ContactArchive(people, newest, left_out)


def oldest_first(messages: Sequence[ArchivedMessage]) -> tuple[ArchivedMessage, ...]:
    """Those of one person by time, and of one second as the file has them: LinkedIn writes the newest first."""
    in_order = messages if messages and messages[0].at < messages[-1].at else messages[::-1]
    return tuple(sorted(in_order, key=lambda message: message.at))


def _by_person(tables: ExportTables) -> dict[str, PastContact]:
    owner, identity = owner_of(tables), tables.identity
    contacts: dict[str, PastContact] = {}

    def learn(person: str, contact: PastContact) -> None:
        if person and person != owner:
            contacts[person] = contacts.get(person, PastContact()).and_also(contact)

    for invitation in tables.invitations:  # the owner is on one side of each
        for who in (invitation.inviter, invitation.invitee):
            learn(identity(who), PastContact(invited=invitation.day))
    for message in tables.messages:
        sender = identity(message.sender)
        if sender == owner or not owner:
            for recipient in message.recipients:
                learn(identity(recipient), PastContact(written_to=message.day))
        learn(sender, PastContact(answered=message.day) if owner else PastContact(written_to=message.day))
    return contacts

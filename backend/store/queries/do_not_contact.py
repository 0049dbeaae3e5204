"""The do-not-contact list."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.events import WORKSPACE
from backend.store.database import DatabaseConnection


def is_do_not_contact(connection: DatabaseConnection, member_key: str) -> bool:
    """Whether this person must never be contacted."""
    row = connection.execute(
        "SELECT 1 FROM do_not_contact WHERE member_key=? AND status='active' LIMIT 1", (member_key,)
    )
    return row.fetchone() is not None


class ListedEntry(NamedTuple):
    """An entry of the list, and the stream that it is in."""

    id: str
    stream: str


def entries_of(connection: DatabaseConnection, member_key: str) -> list[ListedEntry]:
    """The entries that this person is listed by."""
    rows = connection.execute(
        "SELECT id, campaign_id FROM do_not_contact WHERE member_key=? AND status='active'", (member_key,)
    )
    return [ListedEntry(*row) for row in rows]


def member_of(connection: DatabaseConnection, entry_id: str) -> str | None:
    """Whom that entry of the workspace's list is about."""
    row = connection.execute(
        "SELECT member_key FROM do_not_contact WHERE campaign_id=? AND id=? AND status='active'", (WORKSPACE, entry_id)
    ).fetchone()
    return row[0] if row else None


@dataclass(frozen=True, slots=True)
class ForbiddenPerson:
    """An entry of the workspace's list; `created_at` in ms UTC."""

    id: str
    member_key: str
    name: str
    reason: str
    created_at: int


def forbidden_people(connection: DatabaseConnection, before: str, limit: int) -> list[ForbiddenPerson]:
    """The workspace's list before that entry ("" for all), newest first."""
    rows = connection.execute(
        "SELECT id, member_key, name, reason, created_at FROM do_not_contact"
        " WHERE campaign_id=? AND status='active' AND (?='' OR id<?) ORDER BY id DESC LIMIT ?",
        (WORKSPACE, before, before, limit),
    )
    return [ForbiddenPerson(*row) for row in rows]

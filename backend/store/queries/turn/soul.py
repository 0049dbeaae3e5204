"""The soul: the text that every turn is given, in all its versions."""

from dataclasses import dataclass

from backend.domain.events.events import WORKSPACE
from backend.domain.turn.soul import DEFAULT, SHIPPED, Soul
from backend.store.database import DatabaseConnection


def soul(connection: DatabaseConnection) -> Soul:
    """The soul that holds now."""
    row = connection.execute(
        "SELECT version, text FROM souls WHERE campaign_id=? ORDER BY version DESC LIMIT 1", (WORKSPACE,)
    ).fetchone()
    return Soul(*row) if row else Soul(SHIPPED, DEFAULT)


def soul_version(connection: DatabaseConnection, version: int) -> Soul | None:
    """That version, the one that comes with Outrider included."""
    if version == SHIPPED:
        return Soul(SHIPPED, DEFAULT)
    row = connection.execute(
        "SELECT version, text FROM souls WHERE campaign_id=? AND version=?", (WORKSPACE, version)
    ).fetchone()
    return Soul(*row) if row else None


@dataclass(frozen=True, slots=True)
class SoulLine:
    """A version of the soul without its text; `restores` is the earlier one with the same text.

    `created_at` in ms UTC; None for the version that comes with Outrider, which was never made.
    """

    id: str
    version: int
    who: str
    restores: int | None
    created_at: int | None
    characters: int


def soul_versions(connection: DatabaseConnection, before: int, limit: int) -> list[SoulLine]:
    """The versions before that one, newest first."""
    rows = connection.execute(
        "SELECT id, version, who, restores, created_at, length(text) FROM souls"
        " WHERE campaign_id=? AND version<? ORDER BY version DESC LIMIT ?",
        (WORKSPACE, before, limit),
    )
    return [SoulLine(*row) for row in rows]

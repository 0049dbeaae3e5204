"""Reads of the soul and the skills, each by an index and bounded."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from backend.domain.events import WORKSPACE
from backend.domain.skill import MAX_LISTED, Occasion, ReviewState, SkillSource
from backend.domain.snapshot import MAX_SKILLS, Instruction
from backend.domain.soul import DEFAULT, SHIPPED, Soul


def soul(connection: sqlite3.Connection) -> Soul:
    """The soul that holds now."""
    row = connection.execute(
        "SELECT version, text FROM souls WHERE campaign_id=? ORDER BY version DESC LIMIT 1", (WORKSPACE,)
    ).fetchone()
    return Soul(*row) if row else Soul(SHIPPED, DEFAULT)


def soul_version(connection: sqlite3.Connection, version: int) -> Soul | None:
    """That version, the one that comes with Outrider included."""
    if version == SHIPPED:
        return Soul(SHIPPED, DEFAULT)
    row = connection.execute(
        "SELECT version, text FROM souls WHERE campaign_id=? AND version=?", (WORKSPACE, version)
    ).fetchone()
    return Soul(*row) if row else None


def instructions(connection: sqlite3.Connection, occasions: Sequence[Occasion]) -> tuple[Instruction, ...]:
    """What the reviewed and enabled skills say on these occasions, in the order of their names."""
    if not occasions:
        return ()
    fits = " OR ".join("instr(applies_to, ?) > 0" for _ in occasions)
    rows = connection.execute(
        "SELECT name, version, instructions FROM skills"
        " WHERE campaign_id=? AND enabled=1 AND review_state='reviewed' AND removed=0"
        f" AND ({fits}) ORDER BY name LIMIT ?",
        (WORKSPACE, *(json.dumps(one) for one in occasions), MAX_SKILLS),
    )
    return tuple(Instruction(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Installed:
    """A skill in the store, without its texts."""

    id: str
    name: str
    source: SkillSource
    source_hash: str
    review_state: ReviewState
    enabled: bool
    removed: bool
    applies_to: tuple[Occasion, ...]

    @property
    def in_use(self) -> bool:
        """Whether turns may be told of it."""
        return self.enabled and not self.removed and self.review_state is ReviewState.REVIEWED


_INSTALLED = "id, name, source, source_hash, review_state, enabled, removed, applies_to"


def installed(connection: sqlite3.Connection) -> list[Installed]:
    """Every skill that was not removed, by name."""
    rows = connection.execute(
        f"SELECT {_INSTALLED} FROM skills WHERE campaign_id=? AND removed=0 ORDER BY name LIMIT ?",
        (WORKSPACE, MAX_LISTED),
    )
    return [_installed(row) for row in rows]


def skill(connection: sqlite3.Connection, skill_id: str) -> Installed | None:
    """One skill, a removed one too."""
    row = connection.execute(
        f"SELECT {_INSTALLED} FROM skills WHERE id=? AND campaign_id=?", (skill_id, WORKSPACE)
    ).fetchone()
    return _installed(row) if row else None


def _installed(row: tuple[str, str, str, str, str, int, int, str]) -> Installed:
    return Installed(
        id=row[0],
        name=row[1],
        source=SkillSource(row[2]),
        source_hash=row[3],
        review_state=ReviewState(row[4]),
        enabled=bool(row[5]),
        removed=bool(row[6]),
        applies_to=tuple(Occasion(one) for one in json.loads(row[7])),
    )

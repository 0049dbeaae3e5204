"""Installed skills: what turns are told of them, and what the page shows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.events.events import WORKSPACE
from backend.domain.turn.skill import MAX_LISTED, Occasion, ReviewState, SkillOrigin
from backend.domain.turn.snapshot import MAX_SKILLS, Instruction
from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader


def instructions(connection: DatabaseConnection, occasions: Sequence[Occasion]) -> tuple[Instruction, ...]:
    """What the reviewed and enabled skills say on these occasions, in the order of their names."""
    if not occasions:
        return ()
    fits = " OR ".join("instr(applies_to, ?) > 0" for _ in occasions)
    rows = connection.execute(
        "SELECT name, version, instructions FROM skills"
        " WHERE campaign_id=? AND enabled=1 AND review_state='reviewed' AND removed=0"
        f" AND ({fits}) ORDER BY name LIMIT ?",
        (WORKSPACE, *(json.dumps(occasion) for occasion in occasions), MAX_SKILLS),
    )
    return tuple(Instruction(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class InstalledSkill:
    """A skill in the store, without its texts."""

    id: str
    name: str
    source: SkillOrigin
    source_hash: str
    review_state: ReviewState
    enabled: bool
    removed: bool
    applies_to: tuple[Occasion, ...]

    @property
    def in_use(self) -> bool:
        """Whether turns may be told of it."""
        return self.enabled and not self.removed and self.review_state is ReviewState.REVIEWED


def _installed(*row: Any) -> InstalledSkill:
    id_, name, source, source_hash, review_state, enabled, removed, applies_to = row
    return InstalledSkill(
        id_,
        name,
        SkillOrigin(source),
        source_hash,
        ReviewState(review_state),
        bool(enabled),
        bool(removed),
        _occasions(applies_to),
    )


def _occasions(column: str) -> tuple[Occasion, ...]:
    return tuple(map(Occasion, json.loads(column)))


_INSTALLED = TableReader(f"SELECT {', '.join(InstalledSkill.__annotations__)} FROM skills", _installed)


def installed(connection: DatabaseConnection) -> list[InstalledSkill]:
    """Every skill that was not removed, by name."""
    where = "WHERE campaign_id=? AND removed=0 ORDER BY name LIMIT ?"
    return _INSTALLED.every(connection, where, (WORKSPACE, MAX_LISTED))


def skill(connection: DatabaseConnection, skill_id: str) -> InstalledSkill | None:
    """One skill, a removed one too."""
    return _INSTALLED.first(connection, "WHERE id=? AND campaign_id=?", (skill_id, WORKSPACE))


@dataclass(frozen=True, slots=True)
class SkillLine:
    """A skill as the list shows it; used while it is reviewed and enabled. `updated_at` in ms UTC."""

    id: str
    name: str
    description: str
    version: str
    applies_to: tuple[Occasion, ...]
    source: SkillOrigin
    review_state: ReviewState
    enabled: bool
    updated_at: int


_LISTED = ", ".join(SkillLine.__annotations__)


def listed_skills(connection: DatabaseConnection) -> list[SkillLine]:
    """Every skill that was not removed, by name, without its text."""
    rows = connection.execute(
        f"SELECT {_LISTED} FROM skills WHERE campaign_id=? AND removed=0 ORDER BY name LIMIT ?", (WORKSPACE, MAX_LISTED)
    )
    return [_line(row) for row in rows]


def _line(row: Sequence[Any]) -> SkillLine:
    id_, name, description, version, applies_to, source, review_state, enabled, updated_at = row
    return SkillLine(
        id_,
        name,
        description,
        version,
        _occasions(applies_to),
        SkillOrigin(source),
        ReviewState(review_state),
        bool(enabled),
        updated_at,
    )


class SkillDocument(NamedTuple):
    """A skill with its exact text; `metadata` in JSON."""

    skill: SkillLine
    document: str
    source_hash: str
    metadata: str


def skill_document(connection: DatabaseConnection, skill_id: str) -> SkillDocument | None:
    """That skill, unless it was removed."""
    row = connection.execute(
        f"SELECT document, source_hash, metadata, {_LISTED} FROM skills WHERE id=? AND campaign_id=? AND removed=0",
        (skill_id, WORKSPACE),
    ).fetchone()
    if row is None:
        return None
    document, source_hash, metadata, *listed = row
    return SkillDocument(_line(listed), document, source_hash, metadata)

"""Skills as the page sees them; the list reads no text."""

import json
import sqlite3
from typing import Any

from backend.api.wire.skills import Passage, SkillLine, SkillList, SkillView
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.skill import MAX_LISTED, Occasion, ReviewState, SkillSource, claims

_LINE = "id, name, description, version, applies_to, source, review_state, enabled, updated_at"
_LIST = f"SELECT {_LINE} FROM skills WHERE campaign_id=? AND removed=0 ORDER BY name LIMIT ?"
_ONE = f"SELECT {_LINE}, document, source_hash, metadata FROM skills WHERE id=? AND campaign_id=? AND removed=0"


def skill_list(connection: sqlite3.Connection) -> SkillList:
    """Every skill that was not removed."""
    return SkillList(rows=[_line(row) for row in connection.execute(_LIST, (WORKSPACE, MAX_LISTED))])


def skill_view(connection: sqlite3.Connection, skill_id: str) -> SkillView:
    """One skill with its exact text; raises `skill_unknown`."""
    row = connection.execute(_ONE, (skill_id, WORKSPACE)).fetchone()
    if row is None:
        raise OutriderError("skill_unknown")
    document, source_hash, metadata = row[9:]
    return SkillView(
        skill=_line(row),
        document=document,
        source_hash=source_hash,
        others=json.loads(metadata).get("others", []),
        passages=[
            Passage(
                line=document.count("\n", 0, one.start) + 1, quote=document[one.start : one.end].strip(), why=one.said
            )
            for one in claims(document)
        ],
    )


def _line(row: tuple[Any, ...]) -> SkillLine:
    return SkillLine(
        id=row[0],
        name=row[1],
        description=row[2],
        version=row[3],
        applies_to=[Occasion(one) for one in json.loads(row[4])],
        source=SkillSource(row[5]),
        review_state=ReviewState(row[6]),
        enabled=bool(row[7]),
        updated_at=row[8],
    )

"""Rounds of leads that the user put in order, and what the criteria see of those leads."""

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from backend.store.database import DatabaseConnection
from backend.store.queries.leads.scored_leads import FIELDS, fields
from backend.store.queries.people.person_leads import NOT_ERASED
from backend.store.rows import marks


class RankingRow(NamedTuple):
    """A round: its leads, the first one first, and whether it counts; `created_at` in ms UTC."""

    id: str
    number: int
    lead_ids: tuple[str, ...]
    counts: bool
    created_at: int


_ROUND = "SELECT id, number, lead_ids, counts, created_at FROM rankings WHERE campaign_id=?"


def rounds(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[RankingRow]:
    """The campaign's latest rounds, latest first."""
    rows = connection.execute(f"{_ROUND} ORDER BY number DESC, id DESC LIMIT ?", (campaign_id, limit))
    return [_row(*row) for row in rows]


def ranking(connection: DatabaseConnection, campaign_id: str, ranking_id: str) -> RankingRow | None:
    """That round, if it is this campaign's."""
    row = connection.execute(f"{_ROUND} AND id=?", (campaign_id, ranking_id)).fetchone()
    return _row(*row) if row else None


def _row(id_: str, number: int, lead_ids: str, counts: int, created_at: int) -> RankingRow:
    return RankingRow(id_, number, tuple(json.loads(lead_ids)), bool(counts), created_at)


class RankedPerson(NamedTuple):
    """Somebody of a round: their name, and what the criteria see of them."""

    name: str
    fields: Mapping[str, str]


def people(connection: DatabaseConnection, campaign_id: str, lead_ids: Collection[str]) -> dict[str, RankedPerson]:
    """Those of the leads who are still there: neither erased nor taken back with their import."""
    rows = connection.execute(
        f"SELECT l.id, l.full_name, {FIELDS} FROM leads l WHERE l.campaign_id=? AND l.blocked<>'import_undone'"
        f" AND l.{NOT_ERASED} AND l.id IN ({marks(lead_ids)})",
        (campaign_id, *lead_ids),
    )
    return {id_: RankedPerson(name, fields(values)) for id_, name, *values in rows}

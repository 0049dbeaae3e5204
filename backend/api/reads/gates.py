"""The gates as they stand: for a family of acts, and for one act on one lead."""

import sqlite3

from backend.api.reads.lines import gate_lines
from backend.api.wire.campaigns import FamilyGates, GateLine
from backend.controller import context as loading
from backend.controller.context import Subject, Surroundings
from backend.domain import gates
from backend.domain.campaign import Campaign
from backend.domain.gates import Checked
from backend.domain.task import Needs
from backend.store import reading

COUNTED_TASKS = 1_000

_WAITING = (
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE campaign_id=:c AND status='pending' AND needs=:n LIMIT :most))"
    " + (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE campaign_id=:c AND status='in_progress' AND needs=:n LIMIT :most))"
)


def families(connection: sqlite3.Connection, campaign: Campaign, around: Surroundings) -> list[FamilyGates]:
    """Every family's gates, as far as they are about the account, and how many tasks wait for such an act."""
    return [
        FamilyGates(
            family=family,
            waiting=connection.execute(_WAITING, {"c": campaign.id, "n": family, "most": COUNTED_TASKS}).fetchone()[0],
            gates=gate_lines(_check(connection, campaign, around, family, None)),
        )
        for family in loading.ACTING
    ]


def of_act(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, family: Needs, about: Subject
) -> list[GateLine]:
    """Every gate that guards this act on this lead."""
    return gate_lines(_check(connection, campaign, around, family, about))


def _check(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, family: Needs, about: Subject | None
) -> tuple[Checked, ...]:
    incident = reading.open_incident(connection, campaign.account)
    account = loading.account_facts(connection, campaign, around, family, incident)
    lead = None if about is None else loading.lead_facts(connection, campaign, about, around.now)
    return gates.check(account, lead)

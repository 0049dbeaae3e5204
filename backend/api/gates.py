"""The gates as they stand: for a family of acts, and for one act on one lead."""

from backend.domain.gates import gates
from backend.domain.gates.gates import GateCheck, GateLine, gate_lines
from backend.domain.model.campaign import Campaign
from backend.domain.model.task import ACTING, ActionFamily
from backend.domain.values.shapes import Shape
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import incidents


class FamilyGates(Shape):
    """The gates of one family of acts, as they stand for the account."""

    family: ActionFamily
    waiting: int
    gates: list[GateLine]


COUNTED_TASKS = 1_000


def family_gates(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> list[FamilyGates]:
    """Every family's gates, as far as they are about the account, and how many tasks wait for such an act.

    Withdrawals are a family only where Outrider takes old invitations back.
    """
    withdraws = campaign.settings.limits.withdrawals_a_day > 0
    return [
        FamilyGates(
            family=family,
            waiting=tasks.count_waiting(connection, campaign.id, family, COUNTED_TASKS),
            gates=gate_lines(_check(connection, campaign, inputs, family, None)),
        )
        for family in ACTING
        if withdraws or family is not ActionFamily.WITHDRAW
    ]


def action_gates(
    connection: DatabaseConnection,
    campaign: Campaign,
    inputs: TurnInputs,
    family: ActionFamily,
    situation: LeadSituation,
) -> list[GateLine]:
    """Every gate that guards this act on this lead."""
    return gate_lines(_check(connection, campaign, inputs, family, situation))


def _check(
    connection: DatabaseConnection,
    campaign: Campaign,
    inputs: TurnInputs,
    family: ActionFamily,
    situation: LeadSituation | None,
) -> tuple[GateCheck, ...]:
    incident = incidents.open_incident(connection, campaign.account)
    account = situations.account_facts(connection, campaign, inputs, family, incident)
    lead = None if situation is None else situations.lead_facts(connection, campaign, situation, inputs.now)
    return gates.check_gates(account, lead)

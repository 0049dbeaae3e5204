"""The user's written consent to have a real site read and clicked."""

from backend.domain.gates.consent import CONSENT_TEXT, Consent
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import needs_consent
from backend.store.database import DatabaseConnection


def consent(connection: DatabaseConnection, account: str) -> Consent | None:
    """The consent that holds for this account: not withdrawn, and to the text as it is now."""
    row = connection.execute(
        "SELECT id, account, typed, created_at FROM consents WHERE account=? AND status='active' AND text=?"
        " ORDER BY created_at DESC, id LIMIT 1",
        (account, CONSENT_TEXT),
    ).fetchone()
    return Consent(id=row[0], account=row[1], typed=row[2], created_at=row[3]) if row else None


def active_consents(connection: DatabaseConnection, account: str) -> list[str]:
    """The ids of all that were given and not withdrawn, to whichever text."""
    rows = connection.execute("SELECT id FROM consents WHERE account=? AND status='active' ORDER BY id", (account,))
    return [id_ for (id_,) in rows]


def may_act(connection: DatabaseConnection, campaign: Campaign) -> bool:
    """Whether the campaign's channel needs no consent, or has it."""
    return not needs_consent(campaign.site) or consent(connection, campaign.account) is not None

"""What is stored about a person, gathered from every campaign, as one value and as one file to give away."""

import json
from typing import Any

from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.people import do_not_contact, person_entries


def personal_data(connection: DatabaseConnection, lead_id: str) -> dict[str, Any]:
    """By campaign: the rows about this person, every log entry of theirs with its cause, and where the data came from."""
    sections = []
    for campaign_id, ids in person_entries.leads_of_person(connection, lead_id).items():
        campaign = campaigns.campaign(connection, campaign_id)
        sections.append(
            {
                "campaign": campaign.name if campaign else campaign_id,
                "campaign_id": campaign_id,
                **person_entries.stored(connection, campaign_id, ids),
                "pictures": sorted(person_entries.evidence_files(connection, campaign_id, ids)),
            }
        )
    return {"campaigns": sections, "do_not_contact": do_not_contact.is_do_not_contact(connection, lead_id)}


def personal_data_file(connection: DatabaseConnection, lead_id: str) -> bytes:
    """The same as JSON text for people, times in ms UTC."""
    return (json.dumps(personal_data(connection, lead_id), ensure_ascii=False, indent=2) + "\n").encode()

"""Who the person of a lead file's row is, as far as the row says it."""

import json

from backend.domain.people.contact_keys import ContactDetails
from backend.domain.people.identity import Identity
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN
from backend.domain.values.hidden_characters import as_it_looks


def contact_details(row: LeadRow, key: str) -> ContactDetails:
    """By what the person of this row can be on the do-not-contact list."""
    return ContactDetails(key, row.profile_url or "", row.email or "", row.company or "", row.extra)


def member_key(row: LeadRow) -> str:
    """Who this is, for merging; somebody without URL and e-mail is told by name, company and date of connection."""
    if row.member_key:
        return row.member_key
    name, company = (as_it_looks(text).casefold() for text in (row.full_name, row.company or ""))
    day = row.connected_on if row.connected_on != CONNECTED_DATE_UNKNOWN else ""
    return f"name:{name}|{company}|{day or ''}"


def identity_of(row: LeadRow, lead_id: str) -> Identity:
    """By what the lead that this row begins can be told to be somebody."""
    return Identity(
        lead_id,
        member_key(row),
        row.full_name,
        row.profile_url or "",
        row.email or "",
        row.company or "",
        json.dumps(row.extra),
    )

"""The leads that are one person, as a part of other statements."""

from backend.domain.erasure.erasure import ERASED

NOT_ERASED = f"full_name<>'{ERASED}'"
"""A condition of `leads`: somebody still knows who that is (`is_erased`)."""

IS_ERASED = f"full_name='{ERASED}'"
"""And its opposite."""

OTHERS_OF = "SELECT p.lead_id FROM people me JOIN people p ON p.person_id = me.person_id WHERE me.lead_id = ?1"
"""All leads of the person whose lead is the statement's first parameter; none if they have only that one."""

PERSON_LEADS = f"(SELECT ?1 AS lead_id UNION {OTHERS_OF})"
"""A table of the leads that are the same person as the one that is the statement's first parameter, with itself."""

SENDS = "('invite', 'message')"
"""The families of acts by which something reaches a person; an answer is recorded as a message (`counted_family`)."""


def in_touch(lead: str = "") -> str:
    """A condition of `leads`, or of that alias with its dot: something was sent to them, or they wrote."""
    return f"{lead}invited_at IS NOT NULL OR {lead}last_sent_at IS NOT NULL OR {lead}replied_at IS NOT NULL"


def last_in_touch(lead: str = "") -> str:
    """When that was the last time (ms UTC); 0 if it never was."""
    return f"max(coalesce({lead}invited_at, 0), coalesce({lead}last_sent_at, 0), coalesce({lead}replied_at, 0))"


def open_send(lead: str) -> str:
    """When the latest send to the lead of that alias began of which nobody knows yet whether it was done; NULL without one."""
    return (
        "(SELECT max(a.intended_at) FROM actions a INDEXED BY actions_open"
        f" WHERE a.campaign_id = {lead}.campaign_id AND a.lead_id = {lead}.id"
        f" AND a.status IN ('intended', 'outcome_unknown') AND a.family IN {SENDS})"
    )

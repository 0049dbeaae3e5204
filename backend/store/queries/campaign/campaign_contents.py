"""All that a campaign holds: how much of what, whom it has not contacted, and what deleting it erases."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from backend.domain.erasure.erasure import AUDIT_LEFT, without_campaign
from backend.domain.erasure.remains import least_remains
from backend.domain.people.lead_row import LeadRow
from backend.store.database import DatabaseConnection
from backend.store.log import erasure
from backend.store.log.chain import payload_digest
from backend.store.queries.leads.imports import KNOWN_SINCE
from backend.store.queries.people.person_leads import in_touch


@dataclass(frozen=True, slots=True)
class CampaignContents:
    """How much a campaign holds of what; `not_contacted` of its people got nothing yet."""

    people: int
    not_contacted: int
    texts: int
    replies: int
    artifacts: int
    lines: int
    """Of the conversation with the assistant."""
    entries: int
    """Of its logs."""


_NOT_CONTACTED = (
    f"campaign_id=:c AND status='pending' AND relation<>'pending' AND blocked='' AND finished='' AND NOT ({in_touch()})"
)
_CONTENTS = f"""
SELECT (SELECT coalesce(sum(n), 0) FROM lead_counts WHERE campaign_id=:c),
  (SELECT count(*) FROM leads WHERE {_NOT_CONTACTED}),
  (SELECT count(*) FROM messages WHERE campaign_id=:c AND kind<>'reply'),
  (SELECT count(*) FROM messages WHERE campaign_id=:c AND kind='reply'),
  (SELECT count(*) FROM artifact_heads WHERE campaign_id=:c),
  (SELECT count(*) FROM conversations WHERE campaign_id=:c),
  coalesce((SELECT event_seq + audit_seq FROM log_heads WHERE campaign_id=:c), 0)
"""


def contents(connection: DatabaseConnection, campaign_id: str) -> CampaignContents:
    """How much there is of what; reads every text of the campaign."""
    return CampaignContents(*connection.execute(_CONTENTS, {"c": campaign_id}).fetchone())


def people_not_contacted(connection: DatabaseConnection, campaign_id: str) -> list[LeadRow]:
    """Who got nothing yet and is not held, in the order of the file that they came in; with what the user wrote on them."""
    rows = connection.execute(
        "SELECT full_name, profile_url, member_key, email, company, job_title, connected_on, extra, tags,"
        f" {KNOWN_SINCE} FROM leads WHERE {_NOT_CONTACTED} ORDER BY position, id",
        {"c": campaign_id},
    )
    return [
        LeadRow(
            line=line,
            raw="",
            full_name=name,
            first_name="",
            last_name="",
            profile_url=url or None,
            member_key=key,
            email=email or None,
            company=company or None,
            job_title=title or None,
            connected_on=connected_on,
            extra=json.loads(extra),
            tags=tuple(json.loads(tags)),
            known_since=known_since,
        )
        for line, (name, url, key, email, company, title, connected_on, extra, tags, known_since) in enumerate(rows, 1)
    ]


_EVENTS = """
SELECT entity_type, entity_id, change_payload, salt, payload_digest FROM event_log WHERE campaign_id=:c
UNION ALL SELECT entity_type, entity_id, payload, salt, payload_digest FROM rebase_queue_entries
  WHERE campaign_id=:c AND log='event'
"""
_AUDITS = """
SELECT payload, salt, payload_digest FROM audit_log WHERE campaign_id=:c
UNION ALL SELECT payload, salt, payload_digest FROM rebase_queue_entries WHERE campaign_id=:c AND log='audit'
"""


def what_is_left(connection: DatabaseConnection, campaign_id: str) -> dict[str, str]:
    """By the digest of each entry of the campaign that holds words: what is left of its payload. Reads both of its logs."""
    entries = (
        ((digest or payload_digest(salt or b"", payload)).hex(), payload, left)
        for payload, salt, digest, left in _entries(connection, campaign_id)
    )
    earlier = (
        (digest, remains, without_campaign("", digest, json.loads(remains)))
        for digest, remains in erasure.erasures_on_record(connection, campaign_id)
    )
    return least_remains((digest, left) for digest, before, left in chain(entries, earlier) if left != before)


def _entries(connection: DatabaseConnection, campaign_id: str) -> Iterator[tuple[str, bytes | None, bytes | None, str]]:
    """(payload, salt, digest if it was erased before, what is left) of each entry."""
    stream = {"c": campaign_id}
    for entity, id_, payload, salt, digest in connection.execute(_EVENTS, stream):
        yield payload, salt, digest, without_campaign(entity, id_, json.loads(payload))
    for payload, salt, digest in connection.execute(_AUDITS, stream):
        yield payload, salt, digest, AUDIT_LEFT


def forget_on_this_device(connection: DatabaseConnection, campaign_id: str) -> None:
    """Remove what only this device has of the campaign: wake requests, and approvals of scripts."""
    for table in ("wake_requests", "approved_scripts"):
        connection.execute(f"DELETE FROM {table} WHERE campaign_id=?", (campaign_id,))

"""When an account last contacted somebody whose data is gone: their campaign was deleted, or they were erased.

People are known by keyed hashes alone (`domain/people/contact_keys.py`, `forgotten_key`).
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.erasure.erasure import DELETED_KEY, ERASED_KEY
from backend.domain.gates.person import REFUSALS, REFUSED_ENDS
from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.people.contact_keys import ContactDetails, forgotten_key
from backend.domain.people.past_contact import PAST_CONTACT, kind_kept
from backend.store.database import DatabaseConnection
from backend.store.queries.people.do_not_contact import details_of_person, forgotten_secrets
from backend.store.queries.people.person_leads import SENDS, last_in_touch, open_send
from backend.store.rows import marks


@dataclass(frozen=True, slots=True)
class RememberedContact:
    """When (ms UTC) they were last written to or last wrote, None if never; `refused` if they are not to be contacted."""

    contacted_at: int | None
    refused: bool


def remembered_contact(connection: DatabaseConnection, account: str, keys: Collection[str]) -> RememberedContact | None:
    """What is remembered of the person with any of these few keys (`person_keys`), in all their campaigns with this account."""
    secrets = forgotten_secrets(connection)
    if not secrets or not keys:
        return None
    hashes = [forgotten_key(secret, key) for key in keys for secret in secrets]
    row = connection.execute(
        "SELECT count(*), max(contacted_at), max(refused) FROM remembered_contacts"
        f" WHERE account=? AND contact_key IN ({marks(hashes)})",
        (account, *hashes),
    ).fetchone()
    count, contacted_at, refused = row
    return RememberedContact(contacted_at, bool(refused)) if count else None


class ContactToRemember(NamedTuple):
    """A person who was contacted, wrote or refused, or whose file says so of earlier times; times in ms UTC.

    `details` are by what each of their leads tells them: without this one, no other may lead to them any more.
    """

    details: tuple[ContactDetails, ...]
    contacted_at: int | None
    refused: bool


_WITHOUT_WORDS = " OR ".join(f"l.member_key LIKE '{gone}%'" for gone in (ERASED_KEY, DELETED_KEY))


def _refused(lead: str) -> str:
    return " OR ".join(
        [
            f"{lead}.blocked='do_not_contact'",
            *(f"{lead}.label='{label}'" for label in REFUSALS),
            *(f"{lead}.finished='{end}'" for end in REFUSED_ENDS),
        ]
    )


_CONTACTS = f"""
WITH sends(lead_id, at, recipient) AS (
  SELECT lead_id, max(intended_at), coalesce(params ->> '$.profile_url', '') FROM actions
  WHERE campaign_id=:c AND family IN {SENDS} AND status<>'not_sent' AND lead_id IS NOT NULL GROUP BY lead_id
), refusals(lead_id) AS (
  SELECT DISTINCT lead_id FROM messages WHERE campaign_id=:c AND kind='reply' AND reply_kind='no'
)
SELECT CASE WHEN {_WITHOUT_WORDS} THEN coalesce(s.recipient, '') ELSE l.member_key END AS key,
  l.profile_url, l.email, l.company, l.extra,
  nullif(max({last_in_touch("l.")}, coalesce(s.at, 0)), 0) AS contacted_at,
  {_refused("l")} OR r.lead_id IS NOT NULL AS refused,
  iif(l.blocked='{TAKEN_BACK}', 0, c.created_at) AS before, l.id
FROM leads l JOIN campaigns c ON c.id = l.campaign_id LEFT JOIN sends s ON s.lead_id = l.id LEFT JOIN refusals r ON r.lead_id = l.id
WHERE l.campaign_id=:c AND key<>'' AND (contacted_at IS NOT NULL OR refused OR instr(l.extra, '{PAST_CONTACT}'))
  AND (:leads IS NULL OR l.id IN (SELECT value FROM json_each(:leads)))
"""


_BY_OTHER_LEADS = f"""
SELECT l.id, max(max({last_in_touch("o.")}, coalesce({open_send("o")}, 0))) AS contacted_at, max({_refused("o")}) AS refused
FROM leads l CROSS JOIN people me ON me.lead_id = l.id CROSS JOIN people p ON p.person_id = me.person_id AND p.lead_id <> l.id
CROSS JOIN leads o ON o.id = p.lead_id
WHERE l.campaign_id=:c AND (:leads IS NULL OR l.id IN (SELECT value FROM json_each(:leads)))
GROUP BY l.id HAVING contacted_at > 0 OR refused
"""
"""Leads whose person was contacted by another one, or may have been."""


def contacts_to_remember(
    connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str] | None = None
) -> Iterator[ContactToRemember]:
    """Everybody of the campaign, or of these of its leads, who was contacted, wrote or refused, by whichever lead of theirs.

    Costs a scan of the campaign's rows. Where only a file says that they were in touch, that was before the campaign began. An
    act whose outcome is unknown counts, and so does what was handed over. Where the lead's own words are gone already, the act
    tells who they were: another device wrote to them before it heard of that.
    """
    of_these = {"c": campaign_id, "leads": None if lead_ids is None else json.dumps(list(lead_ids))}
    by_others = {
        lead_id: (last, refused) for lead_id, last, refused in connection.execute(_BY_OTHER_LEADS, of_these).fetchall()
    }
    for key, url, email, company, columns, last, refused, before, lead_id in connection.execute(_CONTACTS, of_these):
        extra = json.loads(columns)
        contacted_at = last or (before if kind_kept(extra.get(PAST_CONTACT, "")) else 0)
        if contacted_at or refused:
            last_by_others, refused_by_others = by_others.pop(lead_id, (0, 0))
            yield ContactToRemember(
                (ContactDetails(key, url, email, company, extra), *_details_of_person(connection, lead_id)),
                max(contacted_at, last_by_others) or None,
                bool(refused or refused_by_others),
            )
    for lead_id, (last, refused) in by_others.items():
        yield ContactToRemember(tuple(_details_of_person(connection, lead_id)), last or None, bool(refused))


def _details_of_person(connection: DatabaseConnection, lead_id: str) -> list[ContactDetails]:
    """Without those whose words are gone."""
    person_details = details_of_person(connection, lead_id)
    return [details for details in person_details if not details.member_key.startswith((ERASED_KEY, DELETED_KEY))]


def remembered_keys(connection: DatabaseConnection, account: str) -> dict[str, tuple[int | None, bool]]:
    """Whom the account remembers already: by keyed hash, when they were last contacted, and whether they refused."""
    rows = connection.execute(
        "SELECT contact_key, max(contacted_at), max(refused) FROM remembered_contacts WHERE account=? GROUP BY contact_key",
        (account,),
    )
    return {key: (at, bool(refused)) for key, at, refused in rows}

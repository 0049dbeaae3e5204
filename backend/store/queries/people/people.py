"""What is known of a person across campaigns: all their leads, which campaign they are with, and what is asked about them."""

import json
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from backend.domain.erasure.erasure import ERASED
from backend.domain.gates.person import LeadOfPerson, Person
from backend.domain.leads.lead_merge import MOVED, TAKEN_BACK
from backend.domain.model.site import Relation
from backend.domain.model.task import NEVER
from backend.domain.people.contact_keys import person_keys
from backend.domain.people.identity import DoubtKind, Identity, plain_key
from backend.domain.people.past_contact import PAST_CONTACT
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import settings
from backend.store.queries.campaign.corrected_times import with_corrected_times
from backend.store.queries.people import do_not_contact, remembered_contacts
from backend.store.queries.people.person_leads import OTHERS_OF, PERSON_LEADS, open_send
from backend.store.rows import batched, marks

_LEADS = f"""
SELECT l.id, l.campaign_id, c.name, l.full_name, c.status = 'completed' OR c.archived_at IS NOT NULL OR c.deleted_at IS NOT NULL,
  c.settings, l.claimed_at, l.relation, l.invited_at, l.accepted_at, l.last_sent_at, l.replied_at, l.label, l.blocked, l.finished,
  l.contact_anyway, coalesce(l.connected_on, ''), l.withdrawn_at,
  coalesce(iif(json_valid(l.extra), l.extra ->> '$."{PAST_CONTACT}"', ''), ''), {open_send("l")},
  l.paused_until
FROM {{ids}} ids CROSS JOIN leads l ON l.id = ids.lead_id CROSS JOIN campaigns c ON c.id = l.campaign_id
"""
_PERSON = _LEADS.format(ids=PERSON_LEADS) + " ORDER BY l.campaign_id, l.id"


_MORE_IS_KNOWN = (
    "SELECT 1 FROM people WHERE lead_id=?1"
    f" UNION ALL SELECT 1 FROM leads WHERE id=?1 AND instr(extra, '{PAST_CONTACT}')"
    " UNION ALL SELECT 1 FROM remembered_contacts LIMIT 1"
)


def lead_ids(connection: DatabaseConnection, lead_id: str) -> list[str]:
    """All leads that are the same person as this one, with itself."""
    others = [row[0] for row in connection.execute(f"{OTHERS_OF} ORDER BY 1", (lead_id,))]
    return others or [lead_id]


def person(connection: DatabaseConnection, lead_id: str, now: int = NEVER) -> Person | None:
    """The person whose lead this is, with times as they count at `now` (ms UTC); None if there is no such lead."""
    rows = connection.execute(_PERSON, (lead_id,)).fetchall()
    leads = [with_corrected_times(connection, _lead(row), now) for row in rows]
    lead = next((lead for lead in leads if lead.lead_id == lead_id), None)
    if lead is None:
        return None
    others = tuple(other for other in leads if other is not lead)
    # Its own act is what is asked about: it must not open a gate of the last moment to itself.
    return Person(lead._replace(act_at=None), others, _remembered_at(connection, lead_id))


def _remembered_at(connection: DatabaseConnection, lead_id: str) -> int | None:
    """When the account last contacted them through a campaign that is gone, by whichever lead of theirs it is known."""
    if connection.execute("SELECT 1 FROM remembered_contacts LIMIT 1").fetchone() is None:
        return None
    (account,) = connection.execute(
        "SELECT c.account FROM leads l JOIN campaigns c ON c.id = l.campaign_id WHERE l.id=?", (lead_id,)
    ).fetchone()
    details = do_not_contact.details_of_person(connection, lead_id)
    keys = {key for of_lead in details for key in person_keys(of_lead)}
    remembered = remembered_contacts.remembered_contact(connection, account, keys)
    return None if remembered is None else remembered.contacted_at


def leads_by_id(connection: DatabaseConnection, lead_ids: Iterable[str]) -> dict[str, LeadOfPerson]:
    """These leads, with what is known by each."""
    listed = _LEADS.format(ids="(SELECT value AS lead_id FROM json_each(?))")
    rows = connection.execute(listed, (json.dumps(list(lead_ids)),))
    return {lead.lead_id: lead for lead in map(_lead, rows)}


def several(connection: DatabaseConnection, lead_id: str, now: int = NEVER) -> Person | None:
    """The same, if more is known of the person than came of this lead: through other leads, campaigns that are gone, or a file
    that says that they and the user were in touch before."""
    if connection.execute(_MORE_IS_KNOWN, (lead_id,)).fetchone() is None:
        return None
    who = person(connection, lead_id, now)
    return who if who is not None and (who.others or who.remembered_at is not None or who.lead.past_words) else None


def with_others(connection: DatabaseConnection, lead_ids: Iterable[str]) -> dict[str, Person]:
    """Of these leads, those whose person has several, each with that person."""
    shared_leads: list[str] = []
    for batch in batched(lead_ids):
        rows = connection.execute(f"SELECT lead_id FROM people WHERE lead_id IN ({marks(batch)})", batch)
        shared_leads += [lead_id for (lead_id,) in rows]
    people = ((lead_id, person(connection, lead_id)) for lead_id in shared_leads)
    return {lead_id: who for lead_id, who in people if who is not None}


def _lead(row: tuple[Any, ...]) -> LeadOfPerson:
    fields = list(row)
    fields[4], fields[5], fields[7] = bool(row[4]), settings(row[5]).limits.claim_days, Relation(row[7])
    return LeadOfPerson(*fields)


_HERE = f"l.blocked NOT IN ('{TAKEN_BACK}', '{MOVED}')"
"""Whether a lead `l` is in the lists and counts of its campaign."""


class OpenDoubt(NamedTuple):
    """Leads of an account of which nobody knows yet whether they are one person; `key` is what they share."""

    account: str
    key: str
    kind: DoubtKind
    lead_ids: tuple[str, ...]


def doubt_about(connection: DatabaseConnection, lead_id: str) -> DoubtKind | None:
    """Why this lead may be the same person as another one; None if nothing is asked about it."""
    row = connection.execute(
        "SELECT kind FROM identity_doubts WHERE lead_id=? ORDER BY key LIMIT 1", (lead_id,)
    ).fetchone()
    return DoubtKind(row[0]) if row else None


def doubts_about(connection: DatabaseConnection, lead_id: str) -> list[OpenDoubt]:
    """All that is asked about this lead."""
    rows = connection.execute(
        "SELECT other.account, other.key, other.kind, other.lead_id FROM identity_doubts me JOIN identity_doubts other"
        " ON other.key = me.key AND other.account = me.account WHERE me.lead_id=? ORDER BY other.key, other.lead_id",
        (lead_id,),
    )
    return _grouped(rows)


def open_doubts(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[OpenDoubt]:
    """What is asked about the leads of this campaign, as far as `limit` questions go."""
    rows = connection.execute(
        "SELECT d.account, d.key, d.kind, d.lead_id FROM identity_doubts d JOIN (SELECT DISTINCT d.key, d.account"
        f" FROM identity_doubts d JOIN leads l ON l.id = d.lead_id WHERE l.campaign_id=? AND {_HERE} ORDER BY d.key LIMIT ?) asked"
        " ON asked.key = d.key AND asked.account = d.account ORDER BY d.key, d.lead_id",
        (campaign_id, limit),
    )
    return _grouped(rows)


def is_anybody_in_doubt(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether a lead of this campaign is held back until it is settled who it is."""
    row = connection.execute("SELECT 1 FROM leads WHERE campaign_id=? AND blocked='in_doubt' LIMIT 1", (campaign_id,))
    return row.fetchone() is not None


def open_doubt(connection: DatabaseConnection, account: str, key: str) -> OpenDoubt | None:
    """What is asked about the leads of that account that share this key; None if nothing is."""
    rows = connection.execute(
        "SELECT account, key, kind, lead_id FROM identity_doubts WHERE key=? AND account=? ORDER BY lead_id",
        (key, account),
    )
    return next(iter(_grouped(rows)), None)


def person_ids(connection: DatabaseConnection, lead_ids: Iterable[str]) -> dict[str, str]:
    """Lead -> the person whose lead it is: the same id for the same person."""
    persons: dict[str, str] = {}
    for batch in batched(lead_ids):
        persons |= dict.fromkeys(batch, "")
        persons |= connection.execute(
            f"SELECT lead_id, person_id FROM people WHERE lead_id IN ({marks(batch)})", batch
        ).fetchall()
    return {lead_id: person_id or lead_id for lead_id, person_id in persons.items()}


_CONTACTED_ELSEWHERE = f"""
SELECT DISTINCT me.lead_id FROM leads o INDEXED BY leads_claimed
CROSS JOIN people other ON other.lead_id = o.id
CROSS JOIN people me ON me.person_id = other.person_id AND me.lead_id <> o.id
CROSS JOIN leads l ON l.id = me.lead_id AND l.campaign_id = ? AND l.campaign_id <> o.campaign_id AND {_HERE}
WHERE o.claimed_at IS NOT NULL OR o.invited_at IS NOT NULL OR o.last_sent_at IS NOT NULL
LIMIT ?
"""


def with_other_campaign(connection: DatabaseConnection, campaign_id: str, now: int, limit: int) -> list[str]:
    """The leads of this campaign whom another one keeps from being written to, of the first `limit` whom one ever contacted.

    Of each person one, however many leads they have here: the others wait for that one, not for the other campaign.
    """
    contacted = [row[0] for row in connection.execute(_CONTACTED_ELSEWHERE, (campaign_id, limit))]
    one_of_each: dict[frozenset[str], str] = {}
    for lead_id, person in sorted(with_others(connection, contacted).items()):
        holder = person.in_touch_elsewhere(now)
        if holder is not None and holder.campaign_id != campaign_id:
            one_of_each.setdefault(frozenset(lead.lead_id for lead in person.leads), lead_id)
    return list(one_of_each.values())


def count_in_doubt(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many leads of this campaign are held back until it is settled who they are."""
    row = connection.execute(
        "SELECT count(DISTINCT d.lead_id) FROM identity_doubts d CROSS JOIN leads l ON l.id = d.lead_id"
        f" WHERE l.campaign_id=? AND {_HERE}",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


def count_open_doubts(connection: DatabaseConnection, campaign_ids: Iterable[str]) -> int:
    """How many questions there are about who the leads of these campaigns are, of however many people and campaigns each."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT DISTINCT d.key, d.account FROM identity_doubts d CROSS JOIN leads l ON l.id = d.lead_id"
        f" WHERE l.campaign_id IN (SELECT value FROM json_each(?)) AND {_HERE})",
        (json.dumps(list(campaign_ids)),),
    )
    return int(row.fetchone()[0])


def _grouped(rows: Iterable[tuple[str, str, str, str]]) -> list[OpenDoubt]:
    doubts: dict[tuple[str, str], OpenDoubt] = {}
    for account, key, kind, lead_id in rows:
        doubt = doubts.get((account, key)) or OpenDoubt(account, key, DoubtKind(kind), ())
        doubts[account, key] = doubt._replace(lead_ids=(*doubt.lead_ids, lead_id))
    return list(doubts.values())


def identities(connection: DatabaseConnection, lead_ids: Iterable[str]) -> dict[str, Identity]:
    """By what each of these leads is known, and by what an answer may mean it."""
    rows: list[Identity] = []
    for batch in batched(lead_ids):
        columns = "id, member_key, full_name, profile_url, email, company, extra"
        selected = connection.execute(f"SELECT {columns} FROM leads WHERE id IN ({marks(batch)})", batch)
        rows += [Identity(*row) for row in selected]
    return {lead.lead_id: lead for lead in rows}


class LeadName(NamedTuple):
    """A lead as it is listed: its campaign, name, and what tells namesakes apart."""

    lead_id: str
    campaign_id: str
    campaign_name: str
    full_name: str
    profile_url: str
    email: str
    company: str
    job_title: str


_NAMES = "SELECT l.id, l.campaign_id, c.name, l.full_name, l.profile_url, l.email, l.company, l.job_title"


def names(connection: DatabaseConnection, lead_ids: Iterable[str]) -> list[LeadName]:
    """These leads, as they are called."""
    lead_names: list[LeadName] = []
    for batch in batched(lead_ids):
        rows = connection.execute(
            f"{_NAMES} FROM leads l JOIN campaigns c ON c.id = l.campaign_id WHERE l.id IN ({marks(batch)}) ORDER BY l.id",
            batch,
        )
        lead_names += [LeadName(*row) for row in rows]
    return lead_names


def leads_of_members(connection: DatabaseConnection, member_keys: Iterable[str]) -> list[str]:
    """The leads that an answer with these identities means, in every campaign."""
    keys, ids = set(member_keys), list[str]()
    for batch in batched(keys | {plain_key(key) for key in keys}):
        rows = connection.execute(
            "SELECT l.id, l.member_key, l.full_name FROM campaigns c"
            f" CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key IN ({marks(batch)})",
            batch,
        )
        ids += [lead_id for lead_id, *identity in rows if keys & Identity(lead_id, *identity).answer_keys]
    return ids


class GivenAnswer(NamedTuple):
    """An answer that holds: whether the leads with these identities are one person; `created_at` in ms UTC."""

    id: str
    member_keys: tuple[str, ...]
    same: bool
    created_at: int


_ANSWER = "SELECT id, member_keys, same, created_at FROM identity_answers WHERE status='active'"


def given_answers(connection: DatabaseConnection, before: str = "", limit: int = 200) -> list[GivenAnswer]:
    """The answers that hold, newest first, before that one ("" for all)."""
    rows = connection.execute(f"{_ANSWER} AND (?1='' OR id<?1) ORDER BY id DESC LIMIT ?2", (before, limit))
    return [_answer(*row) for row in rows]


def leads_in_doubt(connection: DatabaseConnection, campaign_id: str, import_id: str) -> int:
    """How many leads that this import brought are asked about."""
    row = connection.execute(
        "SELECT count(DISTINCT d.lead_id) FROM identity_doubts d CROSS JOIN leads l ON l.id = d.lead_id"
        f" WHERE l.campaign_id=? AND l.import_id=? AND {_HERE}",
        (campaign_id, import_id),
    )
    return int(row.fetchone()[0])


def answer(connection: DatabaseConnection, answer_id: str) -> GivenAnswer | None:
    """That answer, if it holds."""
    row = connection.execute(f"{_ANSWER} AND id=?", (answer_id,)).fetchone()
    return _answer(*row) if row else None


def answers_about(connection: DatabaseConnection, member_keys: Collection[str]) -> list[GivenAnswer]:
    """The answers that hold and name two of these identities."""
    named_keys = set(member_keys)
    answers = (_answer(*row) for row in connection.execute(_ANSWER))
    return [answer for answer in answers if len(named_keys.intersection(answer.member_keys)) > 1]


def same_as_forgotten(connection: DatabaseConnection) -> set[str]:
    """The identities said to be the same person as one of whom the do-not-contact list has a keyed hash alone."""
    answers = (_answer(*row) for row in connection.execute(f"{_ANSWER} AND same=1"))
    people = [{plain_key(key) for key in answer.member_keys if not key.startswith(ERASED)} for answer in answers]
    forgotten = do_not_contact.forgotten_among(connection, set[str]().union(*people))
    same = set[str]().union(*(keys - forgotten for keys in people if keys & forgotten))
    return same - do_not_contact.listed_for_good(connection, same)


def _answer(id_: str, member_keys: str, same: int, created_at: int) -> GivenAnswer:
    return GivenAnswer(id_, tuple(json.loads(member_keys)), bool(same), created_at)

"""Keeps the tables of people true: which leads are one person, and what is asked about that.

Triggers note the leads whose identity changed, and each commit tells those and whoever shares a key with them apart again
(`domain/people/identity.py`). The tables depend on the leads and the user's answers alone, in whatever order these came.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.people.contact_keys import number_address
from backend.domain.people.identity import (
    ADDRESS,
    EMAIL,
    MEMBER,
    MOST_NAMESAKES,
    MOST_SHARING,
    NAME,
    Identity,
    IdentityAnswer,
    ListedName,
    People,
    comparable_key,
    keys_of,
    namesakes_on_list,
    who_is_who,
)
from backend.store.database import Database, DatabaseConnection
from backend.store.queries.people import people
from backend.store.rows import batched, marks

BATCH = 2_000
"""Changed leads that are told apart together."""

_TAKEN_BACK = f"(l.blocked = '{TAKEN_BACK}' AND l.status = 'pending')"
"""Whether a lead `l` went with its import. Whom something reached, or who said no, is known still: another device said so then."""
_COLUMNS = "l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra"
_SOMETHING_CHANGED = "SELECT 1 FROM leads_reidentified UNION ALL SELECT 1 FROM leads_new LIMIT 1"
_CHANGED = f"""
SELECT c.lead_id, c.member_key, c.full_name, c.profile_url, c.email, c.company, c.extra, c.taken_back, {_COLUMNS}, {_TAKEN_BACK}
FROM leads_reidentified c LEFT JOIN leads l ON l.id = c.lead_id
WHERE c.lead_id > ? ORDER BY c.lead_id LIMIT {BATCH}
"""
_NEW = f"""
SELECT {_COLUMNS} FROM leads_new n CROSS JOIN leads l ON l.id = n.lead_id AND NOT {_TAKEN_BACK}
WHERE n.lead_id > ? ORDER BY n.lead_id LIMIT {BATCH}
"""


class _Member(NamedTuple):
    """A lead that is compared with others of its account."""

    account: str
    identity: Identity


def is_behind(database: Database) -> bool:
    """Whether leads wait to be told apart: a step of the schema may have said so of any."""
    with database.read() as connection:
        return connection.execute(_SOMETHING_CHANGED).fetchone() is not None


def index_people(connection: DatabaseConnection) -> None:
    """Tell apart whoever changed in this transaction; nothing to do for most."""
    if connection.execute(_SOMETHING_CHANGED).fetchone() is None:
        return
    for changed in _batches(connection, _CHANGED):
        _tell_apart(connection, _rekeyed(connection, changed))
    for new in _batches(connection, _NEW):
        _tell_apart(connection, _keyed(connection, [Identity(*row) for row in new]))
    connection.execute("DELETE FROM leads_reidentified")


def _batches(connection: DatabaseConnection, sql: str) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a statement that begins behind the lead that it is told, and has each row's lead first."""
    last = ""
    while rows := connection.execute(sql, (last,)).fetchall():
        last = rows[-1][0]
        yield rows


def _rekeyed(connection: DatabaseConnection, changed: Iterable[tuple[Any, ...]]) -> set[str]:
    """Put the keys that changed leads have now in the place of those that they had; the leads to be told apart again."""
    lead_ids: list[str] = []
    before: list[Identity] = []
    now: list[Identity] = []
    for row in changed:
        lead_id, *had, was_taken_back = row[:8]
        *has, is_taken_back = row[8:]
        lead_ids.append(lead_id)
        if had[0] is not None and not was_taken_back:
            before.append(Identity(lead_id, *had))
        if has[0] is not None and not is_taken_back:
            now.append(Identity(*has))
    former_keys = [(key, lead.lead_id) for lead in before for key in keys_of(lead)]
    connection.executemany("DELETE FROM person_keys WHERE key=? AND lead_id=?", former_keys)
    affected = _together_with(connection, lead_ids)
    lost = {key for key, _ in former_keys}
    return affected | _keyed(connection, now) | _sharing(connection, lost) | _namesakes_of_listed(connection, lost)


def _keyed(connection: DatabaseConnection, leads: Collection[Identity]) -> set[str]:
    """Write down by what these leads are compared; those who share any of it, or about whom the user answered."""
    keys = [(key, lead.lead_id) for lead in leads for key in keys_of(lead)]
    connection.executemany("INSERT OR IGNORE INTO person_keys VALUES (?,?)", sorted(keys))
    affected = _comparing(connection, Counter(key for key, _ in keys))
    affected |= _namesakes_of_listed(connection, {key for key, _ in keys})
    for answer in _answers_about(connection, leads):
        affected |= {lead.lead_id for lead in leads if answer.names(lead)}
    return affected


def _together_with(connection: DatabaseConnection, lead_ids: Collection[str]) -> set[str]:
    """Those leads that are one person with one of these, or asked about with one, by what was told before."""
    affected: set[str] = set()
    for batch in batched(lead_ids):
        affected |= {
            row[0]
            for row in connection.execute(
                f"SELECT other.lead_id FROM people me JOIN people other ON other.person_id = me.person_id"
                f" WHERE me.lead_id IN ({marks(batch)}) UNION SELECT other.lead_id FROM identity_doubts me"
                f" JOIN identity_doubts other ON other.key = me.key AND other.account = me.account"
                f" WHERE me.lead_id IN ({marks(batch)})",
                (*batch, *batch),
            )
        }
    return affected


def who_would_be_who(connection: DatabaseConnection, account: str, newcomers: Sequence[Identity]) -> People:
    """Who they would be, if these came as leads of the account; writes nothing."""
    keys = {key for newcomer in newcomers for key in keys_of(newcomer)}
    sharing = _sharing(connection, keys, least=1) | _answered_with(connection, newcomers)
    recorded = [member.identity for member in _connected(connection, sharing).values() if member.account == account]
    everybody = [*recorded, *newcomers]
    return who_is_who(everybody, _answers_about(connection, everybody), listed=_listed(connection, account, newcomers))


_MOST = f"iif(k.key GLOB '{NAME}*', {MOST_NAMESAKES}, {MOST_SHARING})"
"""How many leads may have a key `k` that says who they are."""
_COUNT = f"SELECT count(*) FROM (SELECT 1 FROM person_keys p WHERE p.key = k.key LIMIT {MOST_SHARING + BATCH + 1})"
_OF_SHARED_KEYS = f"""
SELECT s.key, s.lead_id, l.company FROM person_keys s CROSS JOIN leads l ON l.id = s.lead_id WHERE s.key IN (
  SELECT key FROM json_each(?) k WHERE EXISTS (SELECT 1 FROM person_keys p WHERE p.key = k.key LIMIT 1 OFFSET ?)
    AND ({_COUNT}) - k.value <= {_MOST})
"""
"""Of keys that several leads have, but not so many, without the new ones, that the key said nothing about who they are."""
_TOO_COMMON = f"SELECT key FROM json_each(?) k WHERE ({_COUNT}) > {_MOST}"


def _sharing(connection: DatabaseConnection, keys: Iterable[str], least: int = 2) -> set[str]:
    """The leads that are compared with another by one of these keys; those of keys that `least` leads have."""
    return _comparing(connection, dict.fromkeys(keys, 0), least)


def _comparing(connection: DatabaseConnection, keys: Mapping[str, int], least: int = 2) -> set[str]:
    """The same, or were compared before so many leads (the mapping's values) got the key that it says nothing any more."""
    compared: dict[str, list[str]] = defaultdict(list)
    for key, lead_id, company in connection.execute(_OF_SHARED_KEYS, (json.dumps(keys), least - 1)):
        if comparison_key := comparable_key(key, company):
            compared[comparison_key].append(lead_id)
    return {lead_id for lead_ids in compared.values() if len(lead_ids) >= least for lead_id in lead_ids}


def _too_common(connection: DatabaseConnection, keys: Iterable[str]) -> set[str]:
    """Those of the keys that so many leads have that they say nothing about who these are."""
    return {key for (key,) in connection.execute(_TOO_COMMON, (json.dumps(dict.fromkeys(keys, 0)),))}


_LISTED = f"""
SELECT DISTINCT d.member_key, d.name, EXISTS (SELECT 1 FROM person_keys k
  CROSS JOIN leads l ON l.id = k.lead_id CROSS JOIN campaigns c ON c.id = l.campaign_id AND c.account = ?
  WHERE k.key IN ('{ADDRESS}' || d.member_key, '{EMAIL}' || d.member_key,
    '{MEMBER}' || replace(d.member_key, '{number_address("")}', '')))
FROM json_each(?) k CROSS JOIN listed_keys listed ON listed.key = k.value CROSS JOIN do_not_contact d ON d.id = listed.entry_id
ORDER BY d.member_key, d.name
"""
_NAMESAKES = f"""
SELECT k.lead_id FROM json_each(?) one CROSS JOIN listed_keys listed ON listed.key = one.value
CROSS JOIN listed_keys name ON name.entry_id = listed.entry_id AND name.key GLOB '{NAME}*'
CROSS JOIN person_keys k ON k.key = name.key
"""


def _listed(connection: DatabaseConnection, account: str, leads: Iterable[Identity]) -> list[ListedName]:
    """Who is on the do-not-contact list with a name or an address of theirs; leads are compared with those of their account."""
    keys = {key for lead in leads for key in keys_of(lead)}
    rows = connection.execute(_LISTED, (account, json.dumps(sorted(keys))))
    return [ListedName(address, name, bool(is_lead)) for address, name, is_lead in rows]


def addresses_on_list(connection: DatabaseConnection, lead_ids: Iterable[str]) -> list[str]:
    """By which addresses somebody is on the do-not-contact list who may be the person with these leads."""
    members = [member for _, member in _members(connection, lead_ids)]
    if not members:
        return []
    leads = [member.identity for member in members]
    listed = _listed(connection, members[0].account, leads)
    return namesakes_on_list(leads, listed, _answers_about(connection, leads))


def _namesakes_of_listed(connection: DatabaseConnection, keys: Iterable[str]) -> set[str]:
    """The leads with the name of an entry of the do-not-contact list, if these keys are its name or its address."""
    if connection.execute("SELECT 1 FROM listed_keys LIMIT 1").fetchone() is None:
        return set()
    return {lead_id for (lead_id,) in connection.execute(_NAMESAKES, (json.dumps(sorted(keys)),))}


def _tell_apart(connection: DatabaseConnection, lead_ids: set[str]) -> None:
    """Write down the persons and doubts of these leads and of all with whom they are connected."""
    members = _connected(connection, lead_ids)
    for batch in batched({*lead_ids, *members}):
        connection.execute(f"DELETE FROM people WHERE lead_id IN ({marks(batch)})", batch)
        connection.execute(f"DELETE FROM identity_doubts WHERE lead_id IN ({marks(batch)})", batch)
    by_account: dict[str, list[Identity]] = defaultdict(list)
    for member in members.values():
        by_account[member.account].append(member.identity)
    for account, identities in by_account.items():
        too_common = _too_common(connection, {key for identity in identities for key in keys_of(identity)})
        answers, listed = _answers_about(connection, identities), _listed(connection, account, identities)
        identified_people = who_is_who(identities, answers, too_common, listed)
        connection.executemany(
            "INSERT INTO people VALUES (?,?)",
            [(lead_id, person[0]) for person in identified_people.persons if len(person) > 1 for lead_id in person],
        )
        connection.executemany(
            "INSERT INTO identity_doubts VALUES (?,?,?,?)",
            [
                (lead_id, doubt.key, account, doubt.kind)
                for doubt in identified_people.doubts
                for lead_id in doubt.lead_ids
            ],
        )


def _connected(connection: DatabaseConnection, lead_ids: Iterable[str]) -> dict[str, _Member]:
    """These leads, and all that share a key with them or with one of those."""
    members: dict[str, _Member] = {}
    keys: set[str] = set()
    pending_ids = set(lead_ids)
    while pending_ids:
        new_members = dict(_members(connection, pending_ids))
        members |= new_members
        new_keys = {key for member in new_members.values() for key in keys_of(member.identity)} - keys
        keys |= new_keys
        answered = _answered_with(connection, [member.identity for member in new_members.values()])
        pending_ids = (_sharing(connection, new_keys) | answered) - members.keys()
    return members


def _members(connection: DatabaseConnection, lead_ids: Iterable[str]) -> Iterator[tuple[str, _Member]]:
    for batch in batched(lead_ids):
        rows = connection.execute(
            f"SELECT {_COLUMNS}, c.account FROM leads l JOIN campaigns c ON c.id = l.campaign_id"
            f" WHERE l.id IN ({marks(batch)}) AND NOT {_TAKEN_BACK}",
            batch,
        )
        for *identity, account in rows:
            yield identity[0], _Member(account, Identity(*identity))


def _answered_with(connection: DatabaseConnection, leads: Iterable[Identity]) -> set[str]:
    """The leads that the user said are one person with one of these."""
    answers = _answers_about(connection, leads)
    return set(
        people.leads_of_members(connection, {key for answer in answers if answer.same for key in answer.member_keys})
    )


_ANSWERS = """
SELECT DISTINCT a.member_keys, a.same, a.id
FROM identity_answers a, json_each(iif(json_valid(a.member_keys), a.member_keys, '[]')) k
WHERE a.status='active' AND k.value IN ({marks})
"""


def _answers_about(connection: DatabaseConnection, leads: Iterable[Identity]) -> list[IdentityAnswer]:
    answers: dict[str, IdentityAnswer] = {}
    if connection.execute("SELECT 1 FROM identity_answers LIMIT 1").fetchone() is None:
        return []
    for batch in batched({key for lead in leads for key in lead.answer_keys}):
        for keys, same, id_ in connection.execute(_ANSWERS.format(marks=marks(batch)), batch):
            answers[id_] = IdentityAnswer(tuple(json.loads(keys)), bool(same))
    return [answers[id_] for id_ in sorted(answers)]

"""The do-not-contact list."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.erasure.erasure import ERASED
from backend.domain.events.events import WORKSPACE
from backend.domain.people.contact_keys import ContactDetails, ContactKind, contact_keys, forgotten_key, kind_of
from backend.domain.people.do_not_contact_file import ExportedEntry, is_erased_key
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import PERSON_LEADS
from backend.store.rows import batched, marks


def listed(connection: DatabaseConnection, keys: Iterable[str]) -> set[str]:
    """Those of the keys that an entry of the list names, also of people whose data is erased."""
    return _named_where(connection, keys, "status='active'")


def listed_for_good(connection: DatabaseConnection, keys: Iterable[str]) -> set[str]:
    """Those of the keys that an entry names which no import brought, or whose person's data is erased: no undo takes it back."""
    return _named_where(connection, keys, "status='active' AND (import_id='' OR member_key LIKE 'forgotten:%')")


def forgotten_among(connection: DatabaseConnection, keys: Iterable[str]) -> set[str]:
    """Those of the keys of which the list has a keyed hash: of whoever was erased, or refused in a campaign that was deleted."""
    return _named_where(connection, keys, "status='active' AND member_key LIKE 'forgotten:%'")


def listed_without(connection: DatabaseConnection, import_id: str, keys: Iterable[str]) -> set[str]:
    """Those of the keys that the list names once this import is undone."""
    return _named_where(connection, keys, f"status='active' AND (import_id<>? OR {STAYS_ERASED})", import_id)


STAYS_ERASED = f"(member_key LIKE 'forgotten:%' AND name='{ERASED}')"
"""An entry of somebody whose data was erased after it was imported: the erasure keeps it on the list."""


def _named_where(connection: DatabaseConnection, keys: Iterable[str], condition: str, *values: str) -> set[str]:
    named = _as_listed(keys, forgotten_secrets(connection))
    matching_keys: set[str] = set()
    for batch in batched(named):
        rows = connection.execute(
            f"SELECT member_key FROM do_not_contact WHERE member_key IN ({marks(batch)}) AND {condition}",
            (*batch, *values),
        )
        matching_keys |= {named[row[0]] for row in rows}
    return matching_keys


FORGOTTEN = "forgotten_people:"
"""How the names of the configuration begin that holds the secrets of the keys of people whose data is erased.

A device that erases somebody before it has heard of such a secret makes one of its own, so there may be several.
"""
_SECRETS = "SELECT value FROM config_kv WHERE campaign_id=? AND id>=? AND id<? ORDER BY id"
_WHICH_SECRETS = (WORKSPACE, FORGOTTEN, "forgotten_people;")


def forgotten_secrets(connection: DatabaseConnection) -> tuple[bytes, ...]:
    """What those keys are made with, in the same order on every device; none before anybody was erased."""
    return tuple(
        _secret(json.loads(stored_secret)) for (stored_secret,) in connection.execute(_SECRETS, _WHICH_SECRETS)
    )


def _secret(stored_secret: Mapping[str, str]) -> bytes:
    return bytes.fromhex(stored_secret["secret"])


def _as_listed(keys: Iterable[str], secrets: Sequence[bytes]) -> dict[str, str]:
    """What may stand on the list for each key -> the key."""
    named = {key: key for key in keys}
    people = [key for key in named if secrets and kind_of(key) == "person"]
    return named | {forgotten_key(secret, key): key for key in people for secret in secrets}


class WholeList(NamedTuple):
    """Every key of the list, with `secrets` as in `forgotten_secrets`; `imports`: key -> import that listed it, "" for the user."""

    keys: frozenset[str]
    secrets: tuple[bytes, ...]
    imports: frozenset[tuple[str, str]] = frozenset()

    def names(self, keys: Iterable[str]) -> bool:
        """Whether an entry of the list names one of these keys."""
        return not self.keys.isdisjoint(_as_listed(keys, self.secrets))

    def lists_for(self, import_id: str, key: str) -> bool:
        """Whether the user or this very import listed that key: undoing another import does not matter to it."""
        return any((name, by) in self.imports for name in _as_listed([key], self.secrets) for by in ("", import_id))


def whole_list(connection: DatabaseConnection) -> WholeList:
    """The list; as many keys as the user has entered."""
    rows = connection.execute("SELECT member_key, import_id FROM do_not_contact WHERE status='active'").fetchall()
    return WholeList(frozenset(key for key, _ in rows), forgotten_secrets(connection), frozenset(rows))


def is_do_not_contact(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether this person must never be contacted: by who they are in any campaign, by their company, or by their domain."""
    rows = connection.execute(_DETAILS_AND_SECRETS, (lead_id, *_WHICH_SECRETS)).fetchall()
    if not rows:
        return False
    secrets = [_secret(stored_secret) for stored_secret in map(json.loads, json.loads(rows[0][-1]))]
    lead_keys = [key for *details, _ in rows for key in contact_keys(lead_details(*details))]
    keys = tuple(_as_listed(lead_keys, secrets))
    entry = f"SELECT 1 FROM do_not_contact WHERE member_key IN ({marks(keys)}) AND status='active' LIMIT 1"
    return connection.execute(entry, keys).fetchone() is not None


_COLUMNS = "member_key, profile_url, email, company, extra"
_DETAILS = f"SELECT {_COLUMNS} FROM leads"
_DETAILS_AND_SECRETS = f"""
WITH person AS {PERSON_LEADS} SELECT {_COLUMNS}, (SELECT json_group_array(value) FROM ({_SECRETS}))
FROM person CROSS JOIN leads ON leads.id = person.lead_id
"""
"""Of all leads of the person, by one statement, because each turn asks it."""


def details_of_person(connection: DatabaseConnection, lead_id: str) -> list[ContactDetails]:
    """By what this person can be on the list, lead by lead."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {PERSON_LEADS} p CROSS JOIN leads ON leads.id = p.lead_id", (lead_id,)
    )
    return [lead_details(*row) for row in rows]


def contact_details(connection: DatabaseConnection, lead_id: str) -> ContactDetails | None:
    """By what this lead can be on the list."""
    row = connection.execute(f"{_DETAILS} WHERE id=?", (lead_id,)).fetchone()
    return lead_details(*row) if row else None


def lead_details(member_key: str, profile_url: str, email: str, company: str, extra: str) -> ContactDetails:
    """By what a lead with these columns can be on the list."""
    return ContactDetails(member_key, profile_url, email, company, {} if extra == "{}" else json.loads(extra))


class ListedEntry(NamedTuple):
    """An entry of the list, and the stream that it is in."""

    id: str
    stream: str


def entries_of(connection: DatabaseConnection, keys: Collection[str]) -> list[ListedEntry]:
    """The entries with one of these few keys."""
    keys = tuple(_as_listed(keys, forgotten_secrets(connection)))
    rows = connection.execute(
        f"SELECT id, campaign_id FROM do_not_contact WHERE member_key IN ({marks(keys)}) AND status='active'", keys
    )
    return [ListedEntry(*row) for row in rows]


_ERASED_AT = """
SELECT max(d.created_at, coalesce((SELECT max(e.created_at) FROM erasures e, json_each(e.entries) one
  WHERE e.campaign_id = d.campaign_id AND json_extract(one.value, '$.member_key') = d.member_key), 0))
FROM do_not_contact d WHERE d.id=? AND d.member_key LIKE 'forgotten:%' AND d.reason=''
"""


def erased_at(connection: DatabaseConnection, keys: Collection[str]) -> int:
    """When (ms UTC) the data of whoever one of these few keys means was last erased; 0 if it never was."""
    rows = (connection.execute(_ERASED_AT, (entry.id,)).fetchone() for entry in entries_of(connection, keys))
    return max((at for (at,) in filter(None, rows)), default=0)


ERASES = frozenset({"DoNotContactAdded", "EntriesErased"})
"""The kinds of entries in the workspace's stream that tell of somebody whose data is erased."""
_ERASES = "('DoNotContactAdded', 'EntriesErased')"

_ERASED_BETWEEN = """
SELECT 1 FROM do_not_contact d JOIN event_log l ON l.campaign_id = d.campaign_id AND l.seq > ? AND l.seq <= ?
WHERE d.id=? AND d.member_key LIKE 'forgotten:%' AND d.reason='' AND (l.kind='DoNotContactAdded' AND l.entity_id = d.id
  OR l.kind='EntriesErased' AND l.entity_id IN (SELECT e.id FROM erasures e, json_each(e.entries) one
    WHERE e.campaign_id = d.campaign_id AND json_extract(one.value, '$.member_key') = d.member_key)) LIMIT 1
"""


def has_erasures(connection: DatabaseConnection, after: int, until: int) -> bool:
    """Whether anybody's data may have been erased by what stands between these numbers of the workspace's stream."""
    query = f"SELECT 1 FROM event_log WHERE campaign_id=? AND seq>? AND seq<=? AND kind IN {_ERASES} LIMIT 1"
    return connection.execute(query, (WORKSPACE, after, until)).fetchone() is not None


def is_erased_between(connection: DatabaseConnection, keys: Collection[str], after: int, until: int) -> bool:
    """Whether the data of whoever one of these few keys means was erased by what stands there."""
    entries = entries_of(connection, keys)
    return any(connection.execute(_ERASED_BETWEEN, (after, until, entry.id)).fetchone() for entry in entries)


def same_entries(connection: DatabaseConnection, key: str) -> list[str]:
    """The entries of the workspace's list with exactly this key: of several files or devices there may be several."""
    rows = connection.execute(
        "SELECT id FROM do_not_contact WHERE member_key=? AND status='active' AND campaign_id=? ORDER BY id",
        (key, WORKSPACE),
    )
    return [id_ for (id_,) in rows]


def key_of(connection: DatabaseConnection, entry_id: str) -> str | None:
    """Whom that entry of the workspace's list is about."""
    row = connection.execute(
        "SELECT member_key FROM do_not_contact WHERE campaign_id=? AND id=? AND status='active'", (WORKSPACE, entry_id)
    ).fetchone()
    return row[0] if row else None


def blocked_by(connection: DatabaseConnection, keys: Collection[str]) -> list[tuple[str, str]]:
    """(campaign, lead) of every lead that the list blocks, and whose person one of these entries is about."""
    blocked = connection.execute("SELECT campaign_id, id FROM leads WHERE blocked='do_not_contact'").fetchall()
    keys_by_lead = keys_of_people(connection, [lead_id for _, lead_id in blocked])
    return [lead for lead in blocked if not keys_by_lead[lead[1]].isdisjoint(keys)]


_KEYS_OF_PEOPLE = f"""
SELECT leads.id, {_COLUMNS} FROM json_each(?1) given CROSS JOIN leads ON leads.id = given.value
UNION ALL SELECT me.lead_id, {_COLUMNS} FROM json_each(?1) given CROSS JOIN people me ON me.lead_id = given.value
CROSS JOIN people other ON other.person_id = me.person_id CROSS JOIN leads ON leads.id = other.lead_id
"""


def keys_of_people(connection: DatabaseConnection, lead_ids: Sequence[str]) -> dict[str, set[str]]:
    """By lead: every entry that would forbid to write to its person, as any of their leads knows them."""
    keys: dict[str, set[str]] = {lead_id: set() for lead_id in lead_ids}
    for lead_id, *details in connection.execute(_KEYS_OF_PEOPLE, (json.dumps(lead_ids),)):
        keys[lead_id].update(contact_keys(lead_details(*details)))
    return keys


def forbidden_among(connection: DatabaseConnection, lead_ids: Sequence[str]) -> set[str]:
    """Those of the leads to whose person nobody may write; quick where the list is empty."""
    if connection.execute("SELECT 1 FROM do_not_contact WHERE status='active' LIMIT 1").fetchone() is None:
        return set()
    keys = keys_of_people(connection, lead_ids)
    entries = listed(connection, set().union(*keys.values()))
    return {lead_id for lead_id, lead_keys in keys.items() if not entries.isdisjoint(lead_keys)}


@dataclass(frozen=True, slots=True)
class ForbiddenPerson:
    """An entry of the workspace's list: `kind` is `person`, `company` or `domain`; `created_at` in ms UTC."""

    id: str
    member_key: str
    name: str
    reason: str
    created_at: int
    kind: ContactKind


_NEWEST_OF_ITS_KEY = (
    "NOT EXISTS (SELECT 1 FROM do_not_contact o WHERE o.member_key=d.member_key AND o.status='active' AND o.id>d.id)"
)
"""Two devices, or two files, may have entered the same; it is shown once."""


def forbidden_people(connection: DatabaseConnection, before: str, limit: int) -> list[ForbiddenPerson]:
    """The workspace's list before that entry ("" for all), newest first."""
    rows = connection.execute(
        "SELECT id, member_key, name, reason, created_at FROM do_not_contact d"
        f" WHERE campaign_id=? AND status='active' AND (?='' OR id<?) AND {_NEWEST_OF_ITS_KEY} ORDER BY id DESC LIMIT ?",
        (WORKSPACE, before, before, limit),
    )
    return [ForbiddenPerson(id_, key, name, reason, at, kind_of(key)) for id_, key, name, reason, at in rows]


def exported_entries(connection: DatabaseConnection, after: str, limit: int) -> list[ExportedEntry]:
    """The list behind that key, each key once with the day on which it was entered first; in the order of the keys."""
    rows = connection.execute(
        "SELECT member_key, name, reason, min(created_at) FROM do_not_contact"
        " WHERE status='active' AND member_key>? GROUP BY member_key ORDER BY member_key LIMIT ?",
        (after, limit),
    )
    return [ExportedEntry(key, "" if is_erased_key(key) else name, reason, at) for key, name, reason, at in rows]

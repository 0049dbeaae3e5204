"""What is stored about a person, in every campaign, as a value and as a file to give away, and which log entries hold it."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from backend.domain.erasure.erasure import AUDIT_LEFT, ERASABLE, KEPT, SUBSTITUTES, forgotten, is_erased, without_words
from backend.domain.erasure.mentions import (
    MAY_TELL,
    TELLING_KINDS,
    PersonNames,
    RoughKeys,
    mention_pattern,
    mentioned,
    names_erased,
    payload_without_mentions,
    rough_keys,
)
from backend.domain.erasure.remains import least_remains, mark_erased
from backend.domain.events.events import WORKSPACE
from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.people.contact_keys import forgotten_key, further_addresses, member_numbers, person_keys
from backend.domain.people.identity import plain_key
from backend.domain.values.canonical_json import canonical
from backend.store.database import DatabaseConnection
from backend.store.log import erasure
from backend.store.log.chain import payload_digest
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import erased_things
from backend.store.queries.leads.imports import KNOWN_SINCE
from backend.store.queries.people import do_not_contact, people
from backend.store.queries.people.person_leads import PERSON_LEADS
from backend.store.rows import marks

_SAME = f"""
SELECT DISTINCT l.campaign_id, l.id FROM {PERSON_LEADS} p CROSS JOIN leads me ON me.id = p.lead_id
CROSS JOIN campaigns mine ON mine.id = me.campaign_id CROSS JOIN campaigns c
CROSS JOIN leads l ON l.campaign_id = c.id AND (l.member_key = me.member_key
  OR me.email <> '' AND lower(l.email) = lower(me.email)
  AND (l.blocked = '{TAKEN_BACK}' OR c.account <> mine.account AND lower(l.full_name) = lower(me.full_name))) ORDER BY 1, 2
"""
"""Who is one person is known for each account; in others, and of what was taken back, the identity or the address tells."""
_ENTITIES = """
SELECT 'lead', id FROM leads WHERE id IN ({leads})
UNION ALL SELECT 'message', id FROM messages WHERE lead_id IN ({leads})
UNION ALL SELECT 'action', a.id FROM actions a WHERE a.campaign_id=:c AND a.lead_id IN ({leads})
UNION ALL SELECT 'incident', id FROM incidents WHERE lead_id IN ({leads})
UNION ALL SELECT 'task', id FROM tasks WHERE lead_id IN ({leads})
UNION ALL SELECT 'input_request', q.id FROM input_requests q JOIN tasks t ON t.id = q.task_id WHERE t.lead_id IN ({leads})
UNION ALL SELECT 'turn', CAST(number AS TEXT) FROM turn_projection WHERE campaign_id=:c AND lead_id IN ({leads})
UNION ALL SELECT 'merged_row', id FROM merged_rows WHERE campaign_id=:c AND lead_id IN ({leads})
"""
_BETWEEN_CELLS = re.compile(r'[",;|\t]+')


def leads_of_person(connection: DatabaseConnection, lead_id: str) -> dict[str, list[str]]:
    """The person's leads by campaign, with those that were taken back with their import."""
    lead_ids_by_campaign: dict[str, list[str]] = {}
    for campaign_id, id_ in connection.execute(_SAME, (lead_id,)):
        lead_ids_by_campaign.setdefault(campaign_id, []).append(id_)
    return lead_ids_by_campaign


def is_under_way(connection: DatabaseConnection, campaign_id: str, lead_ids: Collection[str]) -> bool:
    """Whether something is being sent to them, or nobody knows whether it was."""
    row = connection.execute(
        "SELECT 1 FROM actions WHERE campaign_id=? AND status IN ('intended', 'outcome_unknown')"
        f" AND lead_id IN ({marks(lead_ids)})",
        (campaign_id, *lead_ids),
    )
    return row.fetchone() is not None


def what_is_left(
    connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str], event_seq: int = 0, audit_seq: int = 0
) -> dict[str, str]:
    """By digest, what is left of each later entry of the campaign with words about them; costs a scan of its logs from there."""
    entities = _entities(connection, campaign_id, lead_ids)
    causes = {f"t{id_}" for entity, id_ in entities if entity == "turn"}
    ids = [id_ for entity, id_ in entities if entity in ("lead", "message", "action")]
    return {
        digest.hex(): left
        for payload, digest, left in _entries(connection, campaign_id, entities, causes, ids, event_seq, audit_seq)
        if left != payload
    }


def _entities(connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str]) -> set[tuple[str, str]]:
    ids = {f"l{number}": id_ for number, id_ in enumerate(lead_ids)}
    sql = _ENTITIES.format(leads=", ".join(f":{name}" for name in ids))
    entities = set(connection.execute(sql, {"c": campaign_id, **ids}))
    return entities | {("rejected_row", id_) for id_ in _rejected_rows(connection, campaign_id, lead_ids)}


def _rejected_rows(connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str]) -> Iterator[str]:
    """Rows of files that name them, however the file spells that; first and last name may stand in two cells."""
    pattern = mention_pattern(named(connection, lead_ids))
    if pattern is None:
        return
    rows = connection.execute("SELECT id, raw FROM rejected_rows WHERE campaign_id=?", (campaign_id,))
    for id_, raw in rows:
        if pattern.search(raw) or pattern.search(_BETWEEN_CELLS.sub(" ", raw)):
            yield id_


def imported_before_erasure(connection: DatabaseConnection, campaign_id: str, event_seq: int, now: int) -> list[str]:
    """The leads imported behind this number, by the clocks, before their data was erased by whoever knew them as another lead.

    Only the do-not-contact list tells who they are. Whoever was imported again later, which the user may do, is not among them;
    of two at the same time the erasure counts, and an import that is dated later than `now` has a clock that is not believed.
    Costs a look at each lead that is new; nothing where nobody was erased.
    """
    if connection.execute("SELECT 1 FROM erasures LIMIT 1").fetchone() is None:
        return []
    return [
        id_
        for id_, at, keys in _imported_of_listed(connection, campaign_id, event_seq, LAST_SEQ)
        if at <= (erased_at := do_not_contact.erased_at(connection, keys)) or (erased_at and at > now)
    ]


def imported_unheard(
    connection: DatabaseConnection,
    campaign_id: str,
    imported: tuple[int, int],
    erased: tuple[int, int | None],
    since: int = 0,
) -> list[str]:
    """The leads imported between two numbers of a stream whose data was erased between two numbers of the workspace's.

    That is for whoever knows by these numbers that the one who imported had not heard of it: then no clock is asked, but for
    whether that was after `since` (ms UTC).
    """
    erased_after, erased_until = erased[0], LAST_SEQ if erased[1] is None else erased[1]
    if not do_not_contact.has_erasures(connection, erased_after, erased_until):
        return []
    return [
        id_
        for id_, at, keys in _imported_of_listed(connection, campaign_id, *imported)
        if at >= since and do_not_contact.is_erased_between(connection, keys, erased_after, erased_until)
    ]


def _imported_of_listed(
    connection: DatabaseConnection, campaign_id: str, after: int, until: int
) -> Iterator[tuple[str, int, set[str]]]:
    """(lead, when the user imported them, keys of theirs that are on the list) of each import between these numbers."""
    imported = connection.execute(_IMPORTED, (campaign_id, after, until)).fetchall()
    details = {id_: do_not_contact.contact_details(connection, id_) for id_, _ in imported}
    keys = {id_: person_keys(contact) for id_, contact in details.items() if contact is not None}
    listed = do_not_contact.listed(connection, {key for lead_keys in keys.values() for key in lead_keys})
    for id_, at in imported:
        if listed_keys := listed.intersection(keys.get(id_, ())):
            yield id_, at, listed_keys


LAST_SEQ = 2**62
"""Behind every entry."""

_IMPORTED = (
    f"SELECT e.entity_id, min(e.timestamp, coalesce({KNOWN_SINCE}, e.timestamp))"
    " FROM event_log e LEFT JOIN leads ON leads.id = e.entity_id"
    " WHERE e.campaign_id=? AND e.seq>? AND e.seq<=? AND e.kind='LeadImported' AND e.payload_digest IS NULL ORDER BY e.seq"
)
"""By when the user imported the file: what was cut off goes on by itself, even weeks later, and a copy brings nothing new."""


class KeysOnRecord(NamedTuple):
    """The keys by which leads are on the do-not-contact list: those of their rows, and all with those of earlier entries."""

    current: frozenset[str]
    recorded: frozenset[str]


def keys_of_leads(
    connection: DatabaseConnection, leads_by_stream: Mapping[str, Sequence[str]], event_seq: int = 0
) -> KeysOnRecord:
    """By what these leads are known, or were by an entry behind that number that was taken back since.

    Of the latter not what another lead has by now. Costs a scan of the logs from there on.
    """
    lead_ids = json.dumps([id_ for ids in leads_by_stream.values() for id_ in ids])
    current, recorded = (
        {
            key
            for stream, ids in leads_by_stream.items()
            if ids
            for row in connection.execute(query, {"c": stream, "after": event_seq, "ids": json.dumps(ids)})
            for key in person_keys(do_not_contact.lead_details(*row))
            if not key.startswith(SUBSTITUTES)
        }
        for query in (_CURRENT, _RECORDED)
    )
    for key in recorded - current:
        if connection.execute(_OF_OTHERS, {"key": key, "ids": lead_ids}).fetchone():
            recorded.discard(key)
    return KeysOnRecord(frozenset(current), frozenset(current | recorded))


_CURRENT = """
SELECT member_key, profile_url, email, company, extra FROM leads WHERE id IN (SELECT value FROM json_each(:ids))
"""
_RECORDED = """
WITH told(payload) AS (
  SELECT change_payload FROM event_log WHERE campaign_id=:c AND seq>:after AND entity_type='lead'
    AND payload_digest IS NULL AND entity_id IN (SELECT value FROM json_each(:ids))
  UNION ALL SELECT payload FROM rebase_queue_entries WHERE campaign_id=:c AND log='event' AND entity_type='lead'
    AND payload_digest IS NULL AND entity_id IN (SELECT value FROM json_each(:ids)))
SELECT coalesce(payload ->> '$.member_key', ''), coalesce(payload ->> '$.profile_url', ''),
  coalesce(payload ->> '$.email', ''), '', coalesce(payload ->> '$.extra', '{}') FROM told
"""
_OF_OTHERS = """
SELECT 1 FROM campaigns c CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key = :key
WHERE l.id NOT IN (SELECT value FROM json_each(:ids))
UNION ALL SELECT 1 FROM leads WHERE email <> '' AND lower(email) = :key AND id NOT IN (SELECT value FROM json_each(:ids)) LIMIT 1
"""


def leads_to_forget(connection: DatabaseConnection, campaign_id: str, imported: Sequence[str] = ()) -> list[str]:
    """The leads of that stream of which an entry that comes now is erased: by who had not heard of their erasure.

    `imported` are those that `imported_before_erasure` and `imported_unheard` name there.
    """
    erased = connection.execute("SELECT 1 FROM erasures WHERE campaign_id=? LIMIT 1", (campaign_id,)).fetchone()
    return [*(erased_things.erased_in(connection, campaign_id) if erased else ()), *imported]


def words_that_came_after(
    connection: DatabaseConnection, campaign_id: str, event_seq: int, audit_seq: int, lead_ids: Sequence[str] = ()
) -> dict[str, str]:
    """What is left, by digest, of each entry behind these numbers that tells of these leads (`leads_to_forget`).

    Costs a scan of what is new, and of what is kept beside the logs; nothing where nobody was erased. In the workspace's stream
    it is an entry of the do-not-contact list.
    """
    if campaign_id == WORKSPACE:
        return _listed_after(connection, event_seq)
    return what_is_left(connection, campaign_id, lead_ids, event_seq, audit_seq) if lead_ids else {}


def _entries(
    connection: DatabaseConnection,
    campaign_id: str,
    entities: set[tuple[str, str]],
    causes: set[str],
    ids: Sequence[str],
    event_seq: int,
    audit_seq: int,
) -> Iterator[tuple[str, bytes, str]]:
    """(payload, digest, what is left) of each entry behind these numbers, and of all that are kept beside the logs.

    One that was erased before may still have words that another erasure left.
    """
    queued_events = _Beside(connection, campaign_id, (id_ for entity, id_ in entities if entity not in _NO_ID))
    events = "SELECT entity_type, entity_id, change_payload, salt, payload_digest FROM event_log WHERE campaign_id=? AND seq>?"
    for entity, id_, payload, salt, digest in connection.execute(events, (campaign_id, event_seq)):
        if (entity, id_) in entities:
            yield (
                payload,
                digest or payload_digest(salt or b"", payload),
                without_words(entity, id_, json.loads(payload)),
            )
    yield from queued_events.entries()
    audits = (
        "SELECT cause, payload, salt, payload_digest FROM audit_log WHERE campaign_id=? AND seq>?"
        " UNION ALL SELECT cause, payload, salt, payload_digest FROM rebase_queue_entries WHERE campaign_id=? AND log='audit'"
    )
    all_ids = {*ids, *queued_events.made}
    for cause, payload, salt, digest in connection.execute(audits, (campaign_id, audit_seq, campaign_id)):
        if cause in causes or any(id_ in payload for id_ in all_ids):
            yield payload, digest or payload_digest(salt or b"", payload), AUDIT_LEFT


_NO_ID = frozenset({"turn", "rejected_row"})
"""What other entries do not name by its id."""

_BESIDE = """
SELECT entity_type, entity_id, payload, salt, payload_digest FROM rebase_queue_entries
WHERE campaign_id=? AND log='event' ORDER BY seq, group_id
"""


class _Beside:
    """The events about some things that are kept beside the log. What they made may not be there: it was dropped, or waits.

    An event that was erased still tells by its ids what later ones are about.
    """

    def __init__(self, connection: DatabaseConnection, campaign_id: str, entity_ids: Iterable[str]) -> None:
        remaining = [row for row in connection.execute(_BESIDE, (campaign_id,)) if row[0] in ERASABLE]
        new_ids = set(entity_ids)
        self.made: set[str] = set()
        """The ids of what these events are about."""
        self._rows: list[tuple[str, str, str, bytes | None, bytes | None]] = []
        while rows := [row for row in remaining if row[1] in new_ids or any(id_ in row[2] for id_ in new_ids)]:
            self._rows += rows
            remaining = [row for row in remaining if row not in rows]
            new_ids = {id_ for entity, id_, *_ in rows if entity not in _NO_ID} - self.made
            self.made |= new_ids

    def entries(self) -> Iterator[tuple[str, bytes, str]]:
        """(payload, digest, what is left) of each."""
        for entity, id_, payload, salt, digest in self._rows:
            yield (
                payload,
                digest or payload_digest(salt or b"", payload),
                without_words(entity, id_, json.loads(payload)),
            )


_TELLING = """
SELECT 'line', id FROM conversations WHERE campaign_id=:c
UNION ALL SELECT 'attachment', id FROM attachments WHERE campaign_id=:c
UNION ALL SELECT 'artifact', id FROM artifacts WHERE campaign_id=:c
UNION ALL SELECT 'incident', id FROM incidents WHERE campaign_id=:c
UNION ALL SELECT 'task', id FROM tasks WHERE campaign_id=:c AND lead_id IS NULL
UNION ALL SELECT 'input_request', q.id FROM input_requests q LEFT JOIN tasks t ON t.id = q.task_id
  WHERE q.campaign_id=:c AND t.lead_id IS NULL
UNION ALL SELECT 'turn', CAST(number AS TEXT) FROM turn_projection WHERE campaign_id=:c AND lead_id IS NULL
UNION ALL SELECT 'rejected_row', id FROM rejected_rows WHERE campaign_id=:c
"""
"""What may tell of anybody; what is about another lead may name somebody of the same name."""


def named(connection: DatabaseConnection, lead_ids: Sequence[str]) -> list[PersonNames]:
    """By what texts may name these leads."""
    rows = connection.execute(
        "SELECT full_name, email, profile_url, member_key, company, job_title, headline, tags, extra FROM leads"
        f" WHERE id IN ({marks(lead_ids)})",
        tuple(lead_ids),
    )
    return [
        PersonNames(
            name,
            email,
            url,
            "" if key.startswith(SUBSTITUTES) else key,
            (company, title, headline, *json.loads(tags), *json.loads(extra).values()),
            _further_addresses(url, email, extra),
        )
        for name, email, url, key, company, title, headline, tags, extra in rows
    ]


def _further_addresses(profile_url: str, email: str, extra: str) -> tuple[str, ...]:
    if "@" not in extra and email.isascii() and not member_numbers(profile_url, extra):
        return ()
    return tuple(filter(None, further_addresses(profile_url, email, json.loads(extra))))


def mentions_left(connection: DatabaseConnection, campaign_id: str, people: Sequence[PersonNames]) -> dict[str, str]:
    """What is left, by digest, of each entry that names them in an artifact, an incident, the conversation, a turn about nobody, or
    a row that is no lead, which goes whole; and of each that is kept beside the logs because they were imported on two devices.

    An entry loses the names of all other leads with theirs: whoever erases one of these later may not have it any more. One
    that was erased before is looked through, too, and so is what erasures say is left of others. Costs a scan of the campaign's
    logs.
    """
    pattern = mention_pattern(people)
    if pattern is None:
        return {}
    values = {str(value).casefold() for person in people for value in person.values if value and not is_erased(value)}
    left_of = partial(payload_without_mentions, values=values)
    anybody: RoughKeys | None = None
    telling = set(connection.execute(_TELLING, {"c": campaign_id}))
    turns_of_leads = {cause for (cause,) in connection.execute(_TURNS_OF_LEADS, (campaign_id,))}
    keys = {key for person in people for key in (person.member_key, person.email.lower()) if key}
    reimported_ids = [
        id_
        for entity, id_, payload, *_ in connection.execute(_BESIDE, (campaign_id,))
        if entity == "lead" and not keys.isdisjoint(_keys_of(json.loads(payload)))
    ]
    entries_beside = _Beside(connection, campaign_id, reimported_ids).entries() if reimported_ids else ()
    left_by_digest = {digest.hex(): left for payload, digest, left in entries_beside if left != payload}
    for entity, id_, kind, cause, payload, salt, erased, beside in connection.execute(_EVERY_ENTRY, {"c": campaign_id}):
        if not entity:
            may_mention = cause not in turns_of_leads
        elif kind in TELLING_KINDS:
            may_mention = True
        elif beside:  # what it made may not be there
            may_mention = entity in MAY_TELL and (entity == "incident" or not json.loads(payload).get("lead_id"))
        else:
            may_mention = (entity, id_) in telling
        kept_fields = KEPT if entity else ()  # what a field of an audit entry says, its name does not tell
        if may_mention and left_of(pattern, id_ or "", payload, kept_fields) is not None:
            digest = erased or payload_digest(salt or b"", payload)
            if entity == "rejected_row":  # it is theirs, with its other cells
                left_by_digest[digest.hex()] = without_words(entity, id_, json.loads(payload))
                continue
            anybody = _everybody(connection) if anybody is None else anybody
            of_all = mention_pattern([*people, *mentioned(anybody, payload)]) or pattern
            left_by_digest.setdefault(digest.hex(), left_of(of_all, id_ or "", payload, kept_fields) or payload)
    earlier = (
        (digest, left)
        for digest, remains in erasure.erasures_on_record(connection, campaign_id)
        if (left := left_of(pattern, digest, remains)) is not None
    )
    return least_remains([*left_by_digest.items(), *earlier])


def _everybody(connection: DatabaseConnection) -> RoughKeys:
    rows = connection.execute("SELECT DISTINCT full_name, email, profile_url, member_key, extra FROM leads")
    return rough_keys(
        PersonNames(name, email, url, key, further_addresses=_further_addresses(url, email, extra))
        for name, email, url, key, extra in rows
    )


def _keys_of(changes: Mapping[str, Any]) -> set[str]:
    return {str(changes.get("member_key", "")), str(changes.get("email", "")).lower()}


_TURNS_OF_LEADS = "SELECT 't' || number FROM turn_projection WHERE campaign_id=? AND lead_id IS NOT NULL"

_EVERY_ENTRY = """
SELECT entity_type, entity_id, kind, cause, change_payload, salt, payload_digest, 0 FROM event_log WHERE campaign_id=:c
UNION ALL SELECT NULL, NULL, NULL, cause, payload, salt, payload_digest, 0 FROM audit_log WHERE campaign_id=:c
UNION ALL SELECT iif(log='event', entity_type, NULL), entity_id, kind, cause, payload, salt, payload_digest, 1
  FROM rebase_queue_entries WHERE campaign_id=:c
"""


def forget_on_this_device(connection: DatabaseConnection, people: Sequence[PersonNames]) -> None:
    """Take the mentions of them out of the words of this device alone, which are in no log."""
    pattern = mention_pattern(people)
    if pattern is None:
        return
    for table, (key, *columns) in _WORDS_OF_DEVICE.items():
        for id_, *words in connection.execute(f"SELECT {key}, {', '.join(columns)} FROM {table}").fetchall():
            left = [names_erased(pattern, text) for text in words]
            if left != words:
                columns_set = ", ".join(f"{column}=?" for column in columns)
                connection.execute(f"UPDATE {table} SET {columns_set} WHERE {key}=?", (*left, id_))


_WORDS_OF_DEVICE = {
    "wake_requests": ("id", "input", "said"),
    "new_campaign_draft": ("one", "name", "form"),
    "agent_runs": ("id", "inputs", "calls", "reason"),
    "model_tests": ("connection_id", "failure"),
}
"""By table: its key, and the columns that may name anybody."""


_LISTED = """
SELECT change_payload, salt FROM event_log
WHERE campaign_id=:c AND seq>:after AND kind='DoNotContactAdded' AND payload_digest IS NULL
UNION ALL SELECT payload, salt FROM rebase_queue_entries
WHERE campaign_id=:c AND kind='DoNotContactAdded' AND payload_digest IS NULL
"""


def listed_left(connection: DatabaseConnection, by_key: Mapping[str, str], event_seq: int = 0) -> dict[str, str]:
    """Of the do-not-contact list's entries with these keys: what is left of each, with the other key in its place."""
    return {
        payload_digest(salt or b"", payload).hex(): forgotten(changes, by_key[changes["member_key"]])
        for payload, salt, changes in _listed(connection, event_seq)
        if changes["member_key"] in by_key
    }


_ANSWERED = """
SELECT change_payload, salt, payload_digest FROM event_log WHERE campaign_id=:c AND seq>:after AND kind='IdentityAnswered'
UNION ALL SELECT payload, salt, payload_digest FROM rebase_queue_entries WHERE campaign_id=:c AND kind='IdentityAnswered'
"""
"""An answer is about several: one that an erasure has taken somebody out of still names the others."""


def answers_left(connection: DatabaseConnection, keys: Collection[str], event_seq: int = 0) -> dict[str, str]:
    """Of the answers to whether leads are one person that name one of these keys: what is left of each, without it."""
    left: dict[str, str] = {}
    for digest, changes in _answered(connection, event_seq):
        without = [mark_erased(key) if key in keys or plain_key(key) in keys else key for key in changes["member_keys"]]
        if without != changes["member_keys"]:
            left[digest] = canonical(changes | {"member_keys": without})
    return left


def answers_left_without(connection: DatabaseConnection, lead_ids: Collection[str]) -> dict[str, str]:
    """Of the answers about any of these leads: what is left of each, without the identities that no other lead has."""
    leads_gone, keys_gone = frozenset(lead_ids), set[str]()
    for _, changes in _answered(connection, 0) if leads_gone else ():
        leads_by_key = {key: set(people.leads_of_members(connection, [key])) for key in changes["member_keys"]}
        if any(not leads_gone.isdisjoint(named) for named in leads_by_key.values()):
            keys_gone |= {key for key, named in leads_by_key.items() if named <= leads_gone}
    return answers_left(connection, keys_gone)


def leads_of_campaign(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """Everybody in it."""
    return [lead_id for (lead_id,) in connection.execute("SELECT id FROM leads WHERE campaign_id=?", (campaign_id,))]


def _answered(connection: DatabaseConnection, event_seq: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The digest of each answer, and what it says by now."""
    for payload, salt, erased in connection.execute(_ANSWERED, {"c": WORKSPACE, "after": event_seq}):
        yield (erased or payload_digest(salt or b"", payload)).hex(), json.loads(payload)


def _listed(connection: DatabaseConnection, event_seq: int) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    for payload, salt in connection.execute(_LISTED, {"c": WORKSPACE, "after": event_seq}):
        yield payload, salt, json.loads(payload)


def _listed_after(connection: DatabaseConnection, event_seq: int) -> dict[str, str]:
    secrets = do_not_contact.forgotten_secrets(connection)
    if not secrets:
        return {}
    keys = [changes["member_key"] for _, _, changes in _listed(connection, event_seq)]
    answered = {key for _, changes in _answered(connection, event_seq) for key in changes["member_keys"]}
    keys += [*answered, *map(plain_key, answered)]
    key_of = {forgotten_key(secret, key): key for secret in secrets for key in keys}
    named = do_not_contact.listed(connection, key_of)
    by_key = {key_of[other]: other for other in sorted(named)}
    return listed_left(connection, by_key, event_seq) | answers_left(connection, by_key, event_seq)


def evidence_files(connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str]) -> set[str]:
    """The files of evidence that show them, as far as the campaign's records and audit entries name any."""
    entities = _entities(connection, campaign_id, lead_ids)
    pattern = mention_pattern(named(connection, lead_ids))
    incidents = connection.execute(
        f"SELECT evidence, said, lead_id IN ({marks(lead_ids)}) FROM incidents WHERE campaign_id=? AND evidence<>''",
        (*lead_ids, campaign_id),
    )
    files = {
        file for file, description, is_theirs in incidents if is_theirs or (pattern and pattern.search(description))
    }
    for table, column in (("actions", "lead_id"), ("messages", "lead_id")):
        rows = connection.execute(
            f"SELECT evidence FROM {table} WHERE campaign_id=? AND {column} IN ({marks(lead_ids)})",
            (campaign_id, *lead_ids),
        )
        files |= {piece.get("file", "") for (text,) in rows for piece in json.loads(text)}
    ids = [id_ for entity, id_ in entities if entity in ("lead", "action")]
    audits = connection.execute(
        "SELECT payload FROM audit_log WHERE campaign_id=? AND payload LIKE '%\"evidence\"%'", (campaign_id,)
    )
    for (payload,) in audits:
        if any(id_ in payload for id_ in ids):
            files |= set(json.loads(payload).get("evidence") or ())
    return files - {""}


_TABLES = ("leads", "tasks", "messages", "actions")


def stored(
    connection: DatabaseConnection, campaign_id: str, lead_ids: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Every row about them in this campaign, and every event of theirs with its time and what caused it."""
    record: dict[str, list[dict[str, Any]]] = {}
    for table in _TABLES:
        column = "id" if table == "leads" else "lead_id"
        cursor = connection.execute(
            f"SELECT * FROM {table} WHERE campaign_id=? AND {column} IN ({marks(lead_ids)})", (campaign_id, *lead_ids)
        )
        names = [description[0] for description in cursor.description]
        record[table] = [
            {name: value for name, value in zip(names, row, strict=True) if name != "words"} for row in cursor
        ]
    entities = _entities(connection, campaign_id, lead_ids)
    ids = sorted({id_ for _, id_ in entities})
    rows = connection.execute(
        "SELECT timestamp, kind, entity_type, entity_id, change_payload, actor, cause FROM event_log"
        " WHERE campaign_id=? AND entity_id IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (campaign_id, json.dumps(ids)),
    )
    record["events"] = [
        {"at": at, "kind": kind, "id": id_, "changes": json.loads(payload), "by": actor, "because": cause}
        for at, kind, entity, id_, payload, actor, cause in rows
        if (entity, id_) in entities
    ]
    cursor = connection.execute(
        "SELECT i.file, i.format, i.created_at FROM imports i WHERE i.id IN"
        f" (SELECT import_id FROM leads WHERE id IN ({marks(lead_ids)}))",
        tuple(lead_ids),
    )
    record["came_from"] = [{"file": file, "format": kind, "imported_at": at} for file, kind, at in cursor]
    return record


def personal_data(connection: DatabaseConnection, lead_id: str) -> dict[str, Any]:
    """By campaign: the rows about this person, every log entry of theirs with its cause, and where the data came from."""
    sections = []
    for campaign_id, ids in leads_of_person(connection, lead_id).items():
        campaign = campaigns.campaign(connection, campaign_id)
        sections.append(
            {
                "campaign": campaign.name if campaign else campaign_id,
                "campaign_id": campaign_id,
                **stored(connection, campaign_id, ids),
                "pictures": sorted(evidence_files(connection, campaign_id, ids)),
            }
        )
    return {"campaigns": sections, "do_not_contact": do_not_contact.is_do_not_contact(connection, lead_id)}


def personal_data_file(connection: DatabaseConnection, lead_id: str) -> bytes:
    """The same as JSON text for people, times in ms UTC."""
    return (json.dumps(personal_data(connection, lead_id), ensure_ascii=False, indent=2) + "\n").encode()

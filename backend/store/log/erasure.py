"""Takes the words of entries out of both logs, and out of the rows that they made; the chains verify as before.

An entry is known by the digest of its salt and payload, which its hash is made of. What is left is put in the payload's place, the
salt goes, the digest stays: without the salt nobody can find out what was there by trying.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from backend.domain.erasure.erasure import ERASED, evidence_named
from backend.domain.erasure.remains import is_audit_reduction, is_reduction, keeps_states, least_remains, lesser
from backend.domain.erasure.remains_by_kind import may_remain
from backend.domain.events.events import EVENT_KINDS, TABLES, RowChange
from backend.domain.values.canonical_json import Json
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.log import replay
from backend.store.log.chain import payload_digest
from backend.store.queries.device import erased_things

ERASES = "EntriesErased"

_ERASURES = """
SELECT change_payload, salt FROM event_log WHERE campaign_id=:c AND kind=:kind AND payload_digest IS NULL
UNION ALL SELECT payload, salt FROM rebase_queue_entries WHERE campaign_id=:c AND kind=:kind AND payload_digest IS NULL
"""

_LOGS = {"event_log": "change_payload", "audit_log": "payload", "rebase_queue_entries": "payload"}
_ABOUT = {
    "event_log": "kind, entity_id",
    "audit_log": "NULL, NULL",
    "rebase_queue_entries": "iif(log='event', kind, NULL), entity_id",
}
_STREAM_LOGS = ("event_log", "audit_log")
_TEXT_INDEXES = {"leads": ("leads_text", "leads_text_typed"), "artifacts": ("artifacts_text",)}
_ENTRY = f"SELECT {replay.REPLAY_COLUMNS} FROM event_log WHERE campaign_id=? AND seq=?"


class _Erasable(NamedTuple):
    """`kind` and `entity_id` are those of an event, "" of an audit entry; `whole` if it has its words."""

    seq: int
    hash: bytes
    digest: bytes
    payload: str
    left: str
    whole: bool
    kind: str
    entity_id: str

    @property
    def log(self) -> str:
        """For people."""
        return "event" if self.kind else "audit"


def erase(connection: DatabaseConnection, campaign_id: str, remains: Iterable[tuple[str, str]]) -> None:
    """Put what is left in the place of these payloads of the stream, and make the rows anew that follow from them.

    `remains` has digests in hex, each with canonical JSON; of several for one entry the least counts. What is not here is passed
    over; what was erased before keeps the lesser of both. Files of evidence that they named are noted for removal. Costs a scan of
    the stream. Raises `erasure_rewrites` for one that would leave something else than a reduction of the entry.
    """
    claims = list(remains)
    left = least_remains(claims)
    if not left:
        return
    several: dict[str, set[str]] = {}
    for digest, payload in claims:
        several.setdefault(digest, set()).add(payload)
    touched: list[RowChange] = []
    files: set[str] = set()
    is_here, indexes = False, set[str]()
    for log, payload in _LOGS.items():
        for entry in list(_named(connection, log, payload, campaign_id, left)):
            if not all(_may_leave(entry, claim) for claim in several[entry.digest.hex()]):
                raise OutriderError("erasure_rewrites", campaign=campaign_id, log=entry.log, seq=entry.seq)
            if log == "event_log":
                touched += _lost_changes(connection, campaign_id, entry)
            if entry.kind in EVENT_KINDS:  # also of an entry that a rebase took off the log: its row was there before
                indexes.update(_TEXT_INDEXES.get(TABLES[EVENT_KINDS[entry.kind].entity], ()))
            files |= evidence_named(entry.payload) - evidence_named(entry.left)
            connection.execute(
                f"UPDATE {log} SET {payload}=?, salt=NULL, payload_digest=? WHERE campaign_id=? AND seq=? AND hash=?",
                (entry.left, entry.digest, campaign_id, entry.seq, entry.hash),
            )
            is_here = True
    copies = erased_things.COPIES if is_here else erased_things.OLDER_COPIES
    erased_things.note_evidence(connection, {*files, copies})
    if any(change.table == "leads" for change in touched):  # somebody; what agents found here may name them
        connection.execute("UPDATE agent_runs SET found=? WHERE found<>''", (ERASED,))
    if touched:
        replay.rebuild_rows(connection, campaign_id, touched)
    for index in sorted(indexes):  # or deleted words stay until a merge
        connection.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")


def earlier_erasures(
    connection: DatabaseConnection, campaign_id: str
) -> Iterator[tuple[str, dict[str, Json], dict[str, str]]]:
    """The digest and payload of each erasure that still has its words, and what it says is left of each entry."""
    rows = connection.execute(_ERASURES, {"c": campaign_id, "kind": ERASES})
    for payload, salt in rows.fetchall():
        erasure: dict[str, Json] = json.loads(payload)
        yield payload_digest(salt or b"", payload).hex(), erasure, erasure.get("entries", {})


def erasures_on_record(connection: DatabaseConnection, campaign_id: str) -> Iterator[tuple[str, str]]:
    """What the stream's erasures say, those that wait beside the log included: of each entry its digest, and what is left."""
    for _, _, entries in earlier_erasures(connection, campaign_id):
        yield from entries.items()


def remains_on_record(connection: DatabaseConnection, campaign_id: str) -> dict[str, str]:
    """What the stream's own log says was erased: by the digest of each entry in hex, what is left of it.

    An erasure that is erased itself, or comes without its words, names nothing.
    """
    rows = connection.execute(
        "SELECT change_payload FROM event_log WHERE campaign_id=? AND kind=? AND payload_digest IS NULL ORDER BY seq",
        (campaign_id, ERASES),
    )
    return least_remains(entry for (payload,) in rows for entry in json.loads(payload).get("entries", {}).items())


def streams_with_erased(connection: DatabaseConnection) -> set[str]:
    """The streams that hold erased entries."""
    rows = connection.execute(
        " UNION ".join(f"SELECT campaign_id FROM {log} WHERE payload_digest IS NOT NULL" for log in _STREAM_LOGS)
    )
    return {campaign_id for (campaign_id,) in rows}


def knows_erasures_of(connection: DatabaseConnection, other: DatabaseConnection) -> bool:
    """Whether whatever is erased by the other database's logs is erased by this one's."""
    return all(
        remains_on_record(other, stream).keys() <= remains_on_record(connection, stream).keys()
        for stream in streams_with_erased(other)
    )


def first_unsound(connection: DatabaseConnection, campaign_id: str) -> tuple[str, int] | None:
    """The log and number of the first entry of the stream without its words of which no erasure may leave what stands there."""
    on_record: dict[str, str] | None = None
    for log in _STREAM_LOGS:
        for seq, digest, payload, kind, _ in connection.execute(
            f"SELECT seq, payload_digest, {_LOGS[log]}, {_ABOUT[log]} FROM {log}"
            " WHERE campaign_id=? AND payload_digest IS NOT NULL ORDER BY seq",
            (campaign_id,),
        ):
            if on_record is None:
                on_record = remains_on_record(connection, campaign_id)
            if on_record.get(digest.hex()) != payload or (kind and not may_remain(kind, payload)):
                return log.removesuffix("_log"), seq
    return None


def count_words_back(erased: DatabaseConnection, restored: DatabaseConnection) -> int:
    """How many entries have their words in a database put back that the one it replaces had erased."""
    return sum(map(len, words_back(erased, restored).values()))


def words_back(erased: DatabaseConnection, restored: DatabaseConnection) -> dict[str, dict[str, str]]:
    """By stream: the entries, by digest, that have words in a database put back and had been erased; what is left of each."""
    remains: dict[str, dict[str, str]] = {}
    for campaign_id in sorted(streams_with_erased(erased)):
        left = remains_on_record(erased, campaign_id)
        for log in _STREAM_LOGS:
            for entry in _named(restored, log, _LOGS[log], campaign_id, left):
                remains.setdefault(campaign_id, {})[entry.digest.hex()] = entry.left
    return remains


def _named(
    connection: DatabaseConnection, log: str, payload: str, campaign_id: str, left: Mapping[str, str]
) -> Iterator[_Erasable]:
    """Those of the entries of which less is left from now on."""
    for seq, hash_, text, salt, erased, kind, entity_id in connection.execute(
        f"SELECT seq, hash, {payload}, salt, payload_digest, {_ABOUT[log]} FROM {log} WHERE campaign_id=?",
        (campaign_id,),
    ):
        digest = erased or payload_digest(salt or b"", text)
        remains = left.get(digest.hex())
        if remains is not None and erased:
            remains = lesser(text, remains)
        if remains is not None and (not erased or remains != text):
            yield _Erasable(seq, hash_, digest, text, remains, erased is None, kind or "", entity_id or "")


def _may_leave(entry: _Erasable, claim: str) -> bool:
    """Whether an erasure may say that this is left: compared with the words, or with what another left of them."""
    ids = entry.entity_id, entry.digest.hex()
    remains = claim if entry.whole else entry.left
    if not entry.kind:
        return is_audit_reduction(remains, entry.payload)
    return is_reduction(remains, entry.payload, ids) and (entry.whole or keeps_states(claim, entry.payload))


def _lost_changes(connection: DatabaseConnection, campaign_id: str, entry: _Erasable) -> Iterator[RowChange]:
    """What the event made that it would not make any more."""
    row = connection.execute(_ENTRY, (campaign_id, entry.seq)).fetchone()
    before, after = (replay.changes(replay.replay_entry((*row[:-1], text))) for text in (row[-1], entry.left))
    return (was for was, now in zip(before, after, strict=True) if was != now)

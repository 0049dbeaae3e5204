"""Takes the words of entries out of both logs, and out of the rows that they made; the chains verify as before.

An entry is known by the digest of its salt and payload, which its hash is made of. What is left is put in the payload's place, the
salt goes, the digest stays: without the salt nobody can find out what was there by trying.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from backend.domain.erasure import ERASED, evidence_named, least_left, leaves_less
from backend.domain.events import RowChange
from backend.store.database import DatabaseConnection
from backend.store.log import replay
from backend.store.log.chain import payload_digest
from backend.store.queries import erased_things

ERASES = "EntriesErased"

_LOGS = {"event_log": "change_payload", "audit_log": "payload", "rebase_queue_entries": "payload"}
_STREAM_LOGS = ("event_log", "audit_log")
_TEXT_INDEXES = {"leads": "leads_text", "artifacts": "artifacts_text"}
_ENTRY = f"SELECT {replay.REPLAY_COLUMNS} FROM event_log WHERE campaign_id=? AND seq=?"


class _Erasable(NamedTuple):
    seq: int
    hash: bytes
    digest: bytes
    payload: str
    left: str


def erase(connection: DatabaseConnection, campaign_id: str, left: Mapping[str, str]) -> None:
    """Put what is left in the place of these payloads of the stream, and make the rows anew that follow from them.

    `left` has canonical JSON by the digest in hex. What is not here is passed over, and so is what is left with less already.
    Files of evidence that they named are noted for removal. Costs a scan of the stream.
    """
    touched: list[RowChange] = []
    files: set[str] = set()
    for log, payload in _LOGS.items():
        for entry in list(_named(connection, log, payload, campaign_id, left)):
            if log == "event_log":
                touched += _lost_changes(connection, campaign_id, entry)
            files |= evidence_named(entry.payload) - evidence_named(entry.left)
            connection.execute(
                f"UPDATE {log} SET {payload}=?, salt=NULL, payload_digest=? WHERE campaign_id=? AND seq=? AND hash=?",
                (entry.left, entry.digest, campaign_id, entry.seq, entry.hash),
            )
    erased_things.note_evidence(connection, files)
    if any(change.table == "leads" for change in touched):  # somebody; what agents found here may name them
        connection.execute("UPDATE agent_runs SET found=? WHERE found<>''", (ERASED,))
    if touched:
        replay.rebuild_rows(connection, campaign_id, touched)
        for index in {_TEXT_INDEXES[change.table] for change in touched if change.table in _TEXT_INDEXES}:
            connection.execute(
                f"INSERT INTO {index}({index}) VALUES ('optimize')"
            )  # or deleted words stay until a merge


def erased_entries(connection: DatabaseConnection, campaign_id: str) -> set[tuple[str, str]]:
    """What the stream's own log says was erased: the digest of each entry in hex, and what is left of it.

    Two devices may have erased the same entry before they heard of each other; the less that is left counts. An erasure is never
    erased: one that comes without its words names nothing.
    """
    return set(_erasures(connection, campaign_id))


def _erasures(connection: DatabaseConnection, campaign_id: str) -> Iterator[tuple[str, str]]:
    """In the order of the log."""
    rows = connection.execute(
        "SELECT change_payload FROM event_log WHERE campaign_id=? AND kind=? AND payload_digest IS NULL ORDER BY seq",
        (campaign_id, ERASES),
    )
    return (one for (payload,) in rows for one in json.loads(payload).get("entries", {}).items())


def streams_with_erased(connection: DatabaseConnection) -> set[str]:
    """The streams that hold erased entries."""
    rows = connection.execute(
        " UNION ".join(f"SELECT campaign_id FROM {log} WHERE payload_digest IS NOT NULL" for log in _STREAM_LOGS)
    )
    return {campaign_id for (campaign_id,) in rows}


def first_unnamed(connection: DatabaseConnection, campaign_id: str) -> tuple[str, int] | None:
    """The log and number of the first entry of the stream without its words that no erasure names as it stands; or None."""
    named: set[tuple[str, str]] | None = None
    for log in _STREAM_LOGS:
        for seq, digest, payload in connection.execute(
            f"SELECT seq, payload_digest, {_LOGS[log]} FROM {log}"
            " WHERE campaign_id=? AND payload_digest IS NOT NULL ORDER BY seq",
            (campaign_id,),
        ):
            if named is None:
                named = erased_entries(connection, campaign_id)
            if (digest.hex(), payload) not in named:
                return log.removesuffix("_log"), seq
    return None


def count_words_back(erased: DatabaseConnection, restored: DatabaseConnection) -> int:
    """How many entries have their words in a database put back that the one it replaces had erased."""
    return sum(map(len, words_back(erased, restored).values()))


def words_back(erased: DatabaseConnection, restored: DatabaseConnection) -> dict[str, dict[str, str]]:
    """By stream: the entries, by digest, that have words in a database put back and had been erased; what is left of each."""
    found: dict[str, dict[str, str]] = {}
    for campaign_id in sorted(streams_with_erased(erased)):
        left = least_left(_erasures(erased, campaign_id))
        for log in _STREAM_LOGS:
            for entry in _named(restored, log, _LOGS[log], campaign_id, left):
                found.setdefault(campaign_id, {})[entry.digest.hex()] = entry.left
    return found


def _named(
    connection: DatabaseConnection, log: str, payload: str, campaign_id: str, left: Mapping[str, str]
) -> Iterator[_Erasable]:
    for seq, hash_, text, salt, erased in connection.execute(
        f"SELECT seq, hash, {payload}, salt, payload_digest FROM {log} WHERE campaign_id=?", (campaign_id,)
    ):
        digest = erased or payload_digest(salt or b"", text)
        remains = left.get(digest.hex())
        if remains is not None and (not erased or leaves_less(remains, text)):
            yield _Erasable(seq, hash_, digest, text, remains)


def _lost_changes(connection: DatabaseConnection, campaign_id: str, entry: _Erasable) -> Iterator[RowChange]:
    """What the event made that it would not make any more."""
    row = connection.execute(_ENTRY, (campaign_id, entry.seq)).fetchone()
    before, after = (replay.changes(replay.replay_entry((*row[:-1], text))) for text in (row[-1], entry.left))
    return (was for was, now in zip(before, after, strict=True) if was != now)

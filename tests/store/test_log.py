"""Both logs: append-only, chained, and every kind of tampering is found at the entry where it happened."""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from backend.domain.erasure.erasure import ERASED, without_words
from backend.domain.events.events import AuditEntry, Event
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.domain.values.latin import as_typed
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.chain import GENESIS, entry_hash, payload_digest
from backend.store.log.historical_database import HistoricalDatabase
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds
from tests.store.opening import CAMPAIGN, dump, lead_imported, open_journal, started, task_created, write
from tests.store.streams import Streams
from tests.stored_rows import all_rows, first_row

LOGS = {"event_log": "change_payload", "audit_log": "payload"}
LENGTH = 8

_REDACT = "UPDATE {log} SET {payload}='{{}}', salt=NULL, payload_digest=? WHERE campaign_id=? AND seq=?"


def filled(path: Path) -> Journal:
    """A stream with 8 events and 8 audit entries, and a second stream beside it."""
    journal = started(path, *(lead_imported(number) for number in range(1, LENGTH)))
    write(journal, audits=[AuditEntry("looked", {"at": f"page {number}", "n": number}) for number in range(LENGTH)])
    journal.record("workspace", events=[], audits=[AuditEntry("x", {})], actor="a", cause="c", at=START)
    return journal


def tampering(path: Path) -> sqlite3.Connection:
    """What somebody with the file in their hands can do: no triggers, no checks, no keys."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    for log in LOGS:
        connection.execute(f"DROP TRIGGER {log}_keeps")
        connection.execute(f"DROP TRIGGER {log}_stays")
    return connection


def report(path: Path, log: str, campaign: str = CAMPAIGN) -> verification.ChainReport:
    database = Database(path)
    try:
        with database.read() as connection:
            reports = verification.verify(connection)
            alone = verification.verify(connection, campaign)
    finally:
        database.close()
    assert [r for r in reports if r.campaign_id == campaign] == alone
    others = [r for r in reports if (r.campaign_id, r.log) != (campaign, log)]
    assert [r.broken for r in others] == [None] * len(others), "only the tampered chain is broken"
    return next(r for r in alone if r.log == log)


# --- append-only ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
def test_every_log_entry_has_an_id_of_its_own(tmp_path: Path, log: str) -> None:
    ids = [id_ for (id_,) in filled(tmp_path / "o.db").database.query(all_rows, f"SELECT id FROM {log}")]
    assert {len(bytes.fromhex(id_)) for id_ in ids} == {16}
    assert len({*ids}) == len(ids) >= LENGTH


@pytest.mark.parametrize("log", LOGS)
def test_no_log_entry_is_ever_deleted(tmp_path: Path, log: str) -> None:
    journal = filled(tmp_path / "o.db")
    for where in ("", " WHERE seq=1", f" WHERE seq={LENGTH}", " WHERE campaign_id='workspace'"):
        if where.endswith("'workspace'") and log == "event_log":
            continue  # that stream has no event
        with pytest.raises(sqlite3.IntegrityError, match="append-only"), journal.database.write() as connection:
            connection.execute(f"DELETE FROM {log}{where}")


@pytest.mark.parametrize("log", LOGS)
def test_no_log_entry_is_ever_altered(tmp_path: Path, log: str) -> None:
    journal = filled(tmp_path / "o.db")
    names = [row[1] for row in journal.database.query(all_rows, f"PRAGMA table_info({log})")]
    for name in names:
        value: Any = 99 if name in {"seq", "timestamp"} else b"x" if name in {"salt", "payload_digest", "hash"} else "x"
        for new in (value, None):
            with pytest.raises(sqlite3.IntegrityError), journal.database.write() as connection:
                connection.execute(f"UPDATE {log} SET {name}=? WHERE campaign_id=? AND seq=3", (new, CAMPAIGN))
        if name not in {LOGS[log], "salt", "payload_digest"}:  # nor as though its words were erased
            erased = f"UPDATE {log} SET salt=NULL, payload_digest=x'00', {name}=? WHERE campaign_id=? AND seq=3"
            with pytest.raises(sqlite3.IntegrityError), journal.database.write() as connection:
                connection.execute(erased, (value, CAMPAIGN))
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), journal.database.write() as connection:
        connection.execute(f"UPDATE {log} SET actor=actor WHERE seq=1")
    redacted = f"{LOGS[log]}='{{}}', salt=NULL, payload_digest=zeroblob(32)"
    for name in set(names) - {LOGS[log], "salt", "payload_digest"}:  # nor where its words are erased
        with pytest.raises(sqlite3.IntegrityError), journal.database.write() as connection:
            connection.execute(f"UPDATE {log} SET {redacted}, {name}=99 WHERE campaign_id=? AND seq=3", (CAMPAIGN,))


@pytest.mark.parametrize("log", LOGS)
def test_no_log_entry_is_ever_replaced(tmp_path: Path, log: str) -> None:
    journal = filled(tmp_path / "o.db")
    with journal.database.read() as connection:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({log})")]
        row = list(
            connection.execute(
                f"SELECT {','.join(names)} FROM {log} WHERE campaign_id=? AND seq=3", (CAMPAIGN,)
            ).fetchone()
        )
    row[names.index("actor")] = "somebody else"
    insert = f"INSERT OR REPLACE INTO {log}({','.join(names)}) VALUES ({','.join('?' * len(names))})"
    with pytest.raises(sqlite3.IntegrityError), journal.database.write() as connection:
        connection.execute(insert, row)


def erased(journal: Journal, log: str, seq: int, left: str = "{}") -> None:
    """An entry's words are erased, on record."""
    sql = f"SELECT salt, {LOGS[log]} FROM {log} WHERE campaign_id=? AND seq=?"
    digest = payload_digest(*journal.database.query(first_row, sql, CAMPAIGN, seq))
    write(
        journal, Event("EntriesErased", f"erasure-{log}-{seq}", {"entries": {digest.hex(): left}, "created_at": START})
    )


def without_name(seq: int) -> str:
    """What is left of a lead that was imported as event `seq`."""
    event = lead_imported(seq - 1)
    return without_words("lead", event.entity_id, event.changes)


@pytest.mark.parametrize("log", LOGS)
def test_an_erased_entry_still_verifies_and_is_reported(tmp_path: Path, log: str) -> None:
    path = tmp_path / "o.db"
    journal = filled(path)
    erased(journal, log, 5, without_name(5) if log == "event_log" else "{}")
    journal.database.close()
    log_report = report(path, log)
    assert (log_report.length, log_report.erased, log_report.broken) == (LENGTH + (log == "event_log"), 1, None)
    entry = next(row for row in dump(path)[log] if row[:2] == (CAMPAIGN, 5))
    assert not [value for value in entry if "page 4" in str(value) or "Person 4" in str(value)]


def redact(database: Database, log: str, seq: int) -> None:
    """As an erasure does, and no erasure is on record."""
    payload = LOGS[log]
    with database.write() as connection:
        text, salt = connection.execute(
            f"SELECT {payload}, salt FROM {log} WHERE campaign_id=? AND seq=?", (CAMPAIGN, seq)
        ).fetchone()
        connection.execute(_REDACT.format(log=log, payload=payload), (payload_digest(salt, text), CAMPAIGN, seq))


@pytest.mark.parametrize("log", LOGS)
def test_a_redaction_that_no_erasure_names_is_found(tmp_path: Path, log: str) -> None:
    path = tmp_path / "o.db"
    journal = filled(path)
    redact(journal.database, log, 5)
    journal.database.close()
    broken = report(path, log).broken
    assert broken is not None
    assert broken.seq == 5


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("change", ['{payload}=\'{{"full_name":"Forged"}}\'', "payload_digest=zeroblob(32)"])
def test_what_is_left_of_an_erased_entry_is_held_by_the_chain_too(tmp_path: Path, log: str, change: str) -> None:
    path = tmp_path / "o.db"
    journal = filled(path)
    erased(journal, log, 5, without_name(5) if log == "event_log" else "{}")
    journal.database.close()
    with contextlib.closing(tampering(path)) as connection:
        connection.execute(
            f"UPDATE {log} SET {change.format(payload=LOGS[log])} WHERE campaign_id=? AND seq=5", (CAMPAIGN,)
        )
    broken = report(path, log).broken
    assert broken is not None
    assert broken.seq == 5


@pytest.mark.parametrize("log", LOGS)
def test_an_erased_entry_is_never_given_more_words_another_digest_or_its_salt_again(tmp_path: Path, log: str) -> None:
    journal = filled(tmp_path / "o.db")
    redact(journal.database, log, 5)
    for change in (f"{LOGS[log]}='{{\"said\":1}}'", "salt=x'00'", "payload_digest=x'00'", f"{LOGS[log]}=NULL"):
        with pytest.raises(sqlite3.IntegrityError), journal.database.write() as connection:
            connection.execute(f"UPDATE {log} SET {change} WHERE campaign_id=? AND seq=5", (CAMPAIGN,))


def test_the_rows_follow_from_what_is_left(tmp_path: Path) -> None:
    """Live, replayed, rebuilt and in the past: what was erased is nowhere, what another event said stays."""
    journal = started(tmp_path / "o.db", lead_imported(1), lead_imported(2))
    write(journal, lead_imported(2)._replace(kind="LeadAdvanced", entity_id="lead-1", changes={"headline": "Ada"}))
    erased(journal, "event_log", 2, without_name(2))
    rows = "SELECT id, full_name, member_key, headline FROM leads ORDER BY id"
    expected = [("lead-1", ERASED, "erased-lead-1", "Ada"), ("lead-2", "Person 2", "x/2", "")]
    with journal.database.read() as connection:
        assert connection.execute(rows).fetchall() == expected
        assert connection.execute("SELECT count(*) FROM leads_text WHERE leads_text MATCH 'person'").fetchone() == (1,)
    assert replay.find_differences(journal.database) == []
    replay.rebuild(journal.database)
    past = HistoricalDatabase(journal.database, CAMPAIGN)
    with journal.database.read() as connection, contextlib.closing(past):
        assert connection.execute(rows).fetchall() == expected
        while not past.seek_some(3):
            pass
        assert past.scratch.execute(rows).fetchall() == [(*expected[0][:3], ""), expected[1]]


@pytest.mark.parametrize(("name", "index"), [("Quixotic", "leads_text"), ("Quixo\u0142ic", "leads_text_typed")])
def test_an_erased_word_is_not_left_in_the_index_of_the_search(tmp_path: Path, name: str, index: str) -> None:
    named = lead_imported(1, full_name=name)
    journal = started(tmp_path / "o.db", named)
    word = as_typed(name)
    blocks = f"SELECT count(*) FROM {index}_data WHERE instr(block, CAST('{word}' AS BLOB))"
    assert journal.database.query(first_row, blocks) == (1,)
    erased(journal, "event_log", 2, canonical({**named.changes, "full_name": ""}))
    assert journal.database.query(first_row, blocks) == (0,)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ('{"no_such_column":99}', "log_newer"),
        ('{"no such column":99}', "log_not_foldable"),
        ('{"position":"first"}', "log_not_foldable"),
        ("{", "log_not_foldable"),
        ("[]", "log_not_foldable"),
    ],
)
def test_an_entry_that_cannot_be_folded_is_named(tmp_path: Path, payload: str, code: str) -> None:
    journal = filled(tmp_path / "o.db")
    journal.database.close()
    with contextlib.closing(tampering(tmp_path / "o.db")) as connection:
        connection.execute("UPDATE event_log SET change_payload=? WHERE seq=3", (payload,))
    database = Database(tmp_path / "o.db")
    for fold in (replay.find_differences, replay.rebuild):
        with pytest.raises(OutriderError, match=r"[Ee]ntry 3 of") as refused:
            fold(database)
        assert refused.value.code == code
    database.close()


# --- the chain --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
def test_an_untouched_log_verifies(tmp_path: Path, log: str) -> None:
    filled(tmp_path / "o.db").database.close()
    log_report = report(tmp_path / "o.db", log)
    assert (log_report.length, log_report.erased, log_report.broken) == (LENGTH, 0, None)


def test_a_new_file_has_nothing_to_verify(tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "o.db")
    assert journal.database.query(verification.verify) == []


ALTERED = {
    "event_log": ["timestamp", "kind", "entity_type", "entity_id", "change_payload", "actor", "cause", "salt", "hash"],
    "audit_log": ["timestamp", "action_type", "payload", "actor", "cause", "salt", "hash"],
}


@pytest.mark.parametrize(("log", "column"), [(log, column) for log, columns in ALTERED.items() for column in columns])
@pytest.mark.parametrize("seq", [1, 4, LENGTH])
def test_a_changed_entry_is_found_where_it_is(tmp_path: Path, log: str, column: str, seq: int) -> None:
    path = tmp_path / "o.db"
    filled(path).database.close()
    with tampering(path) as connection:
        new = {"timestamp": f"{column}+1", "salt": "zeroblob(16)", "hash": "zeroblob(32)"}.get(column, f"{column}||' '")
        connection.execute(f"UPDATE {log} SET {column}={new} WHERE campaign_id=? AND seq=?", (CAMPAIGN, seq))
    connection.close()
    broken = report(path, log).broken
    assert broken is not None
    assert broken.seq == seq


def _put_anything(path: Path, log: str, values: str) -> None:
    """As a damaged page may: a value of a kind that the column cannot hold."""
    connection = tampering(path)
    connection.execute("PRAGMA writable_schema=ON")
    (made,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name=?", (log,)).fetchone()
    strict = "UPDATE sqlite_schema SET sql=? WHERE name=?"
    connection.execute(strict, (made.replace(", STRICT", ""), log))
    connection.execute("PRAGMA writable_schema=RESET")
    connection.execute(f"UPDATE {log} SET {values} WHERE campaign_id=? AND seq=4", (CAMPAIGN,))
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute(strict, (made, log))
    connection.close()


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("values", ["{payload}=x'07'", "salt='text'", "payload_digest='text'"])
def test_an_entry_of_another_kind_of_value_is_named_and_ends_no_walk(tmp_path: Path, log: str, values: str) -> None:
    path = tmp_path / "o.db"
    filled(path).database.close()
    _put_anything(path, log, values.format(payload=LOGS[log]))
    assert report(path, log).broken == verification.BrokenEntry(4, "it is not what an entry can be")


def _swap(c: sqlite3.Connection, log: str) -> int:
    for old, new in ((4, -4), (5, 4), (-4, 5)):
        c.execute(f"UPDATE {log} SET seq=? WHERE campaign_id=? AND seq=?", (new, CAMPAIGN, old))
    return 4


def _swap_payloads(c: sqlite3.Connection, log: str) -> int:
    p = LOGS[log]
    four, five = (
        c.execute(f"SELECT {p}, salt FROM {log} WHERE campaign_id=? AND seq=?", (CAMPAIGN, n)).fetchone()
        for n in (4, 5)
    )
    for seq, row in ((4, five), (5, four)):
        c.execute(f"UPDATE {log} SET {p}=?, salt=? WHERE campaign_id=? AND seq=?", (*row, CAMPAIGN, seq))
    return 4


def _delete_middle(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"DELETE FROM {log} WHERE campaign_id=? AND seq=4", (CAMPAIGN,))
    return 4


def _delete_and_close_up(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"DELETE FROM {log} WHERE campaign_id=? AND seq=4", (CAMPAIGN,))
    for seq in range(5, LENGTH + 1):
        c.execute(f"UPDATE {log} SET seq=seq-1 WHERE campaign_id=? AND seq=?", (CAMPAIGN, seq))
    return 4


def _delete_first(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"DELETE FROM {log} WHERE campaign_id=? AND seq=1", (CAMPAIGN,))
    return 1


def _cut_tail(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"DELETE FROM {log} WHERE campaign_id=? AND seq>=7", (CAMPAIGN,))
    return 7


def _cut_everything(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"DELETE FROM {log} WHERE campaign_id=?", (CAMPAIGN,))
    return 1


def _columns(c: sqlite3.Connection, log: str) -> list[str]:
    return [row[1] for row in c.execute(f"PRAGMA table_info({log})")]


def _copy(c: sqlite3.Connection, log: str, at: int) -> None:
    names = _columns(c, log)
    row = list(c.execute(f"SELECT {','.join(names)} FROM {log} WHERE campaign_id=? AND seq=3", (CAMPAIGN,)).fetchone())
    row[names.index("seq")] = at
    c.execute(f"INSERT INTO {log}({','.join(names)}) VALUES ({','.join('?' * len(names))})", row)


def _insert_middle(c: sqlite3.Connection, log: str) -> int:
    for seq in range(LENGTH, 4, -1):
        c.execute(f"UPDATE {log} SET seq=seq+1 WHERE campaign_id=? AND seq=?", (CAMPAIGN, seq))
    _copy(c, log, 5)
    return 5


def _append(c: sqlite3.Connection, log: str) -> int:
    _copy(c, log, LENGTH + 1)
    return LENGTH + 1


def _append_after_a_gap(c: sqlite3.Connection, log: str) -> int:
    _copy(c, log, LENGTH + 5)
    return LENGTH + 1


def _from_another_campaign(c: sqlite3.Connection, log: str) -> int:
    c.execute(f"UPDATE {log} SET campaign_id='camp-9' WHERE campaign_id=? AND seq=4", (CAMPAIGN,))
    c.execute(f"DELETE FROM {log} WHERE campaign_id='camp-9'")
    return 4


TAMPERINGS: list[Callable[[sqlite3.Connection, str], int]] = [
    _swap,
    _swap_payloads,
    _delete_middle,
    _delete_and_close_up,
    _delete_first,
    _cut_tail,
    _cut_everything,
    _insert_middle,
    _append,
    _append_after_a_gap,
    _from_another_campaign,
]


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda function: function.__name__.strip("_"))
def test_every_kind_of_tampering_is_found_at_the_first_entry_that_is_wrong(
    tmp_path: Path, log: str, tamper: Callable[[sqlite3.Connection, str], int]
) -> None:
    path = tmp_path / "o.db"
    filled(path).database.close()
    connection = tampering(path)
    first_wrong = tamper(connection, log)
    connection.close()
    broken = report(path, log).broken
    assert broken is not None
    assert broken.seq == first_wrong
    assert broken.detail


def test_a_well_made_entry_at_the_end_is_found_because_the_head_does_not_know_it(tmp_path: Path) -> None:
    """Somebody who knows how hashes are made appends a correct entry; only log_heads betrays it."""
    path = tmp_path / "o.db"
    filled(path).database.close()
    connection = tampering(path)
    (last,) = connection.execute("SELECT hash FROM event_log WHERE campaign_id=? AND seq=8", (CAMPAIGN,)).fetchone()
    payload = '{"status":"rejected"}'
    meta = (CAMPAIGN, 9, START, "LeadAdvanced", "lead", "lead-1", "user", "c")
    made = entry_hash(last, payload_digest(b"", payload), *meta)
    connection.execute(
        "INSERT INTO event_log(campaign_id, seq, timestamp, kind, entity_type, entity_id, actor, cause, change_payload, salt, hash)"
        " VALUES (?,?,?,?,?,?,?,?,?,x'',?)",
        (*meta, payload, made),
    )
    connection.close()
    broken = report(path, "event_log").broken
    assert broken is not None
    assert broken.seq in (8, 9)


@pytest.mark.parametrize("log", LOGS)
def test_a_head_that_is_gone_or_altered_is_found(tmp_path: Path, log: str) -> None:
    prefix = log.removesuffix("_log")
    for number, change in enumerate(
        (
            "DELETE FROM log_heads WHERE campaign_id=?",
            f"UPDATE log_heads SET {prefix}_hash=zeroblob(32) WHERE campaign_id=?",
            f"UPDATE log_heads SET {prefix}_seq=7 WHERE campaign_id=?",
        )
    ):
        path = tmp_path / f"{number}.db"
        filled(path).database.close()
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(change, (CAMPAIGN,))
        connection.close()
        database = Database(path)
        with database.read() as reading:
            log_report = next(r for r in verification.verify(reading, CAMPAIGN) if r.log == log)
        database.close()
        assert log_report.broken is not None, change


def test_an_edited_row_that_no_event_made_is_found_by_replay_and_mended_by_rebuilding(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = started(path, lead_imported(1), lead_imported(2), task_created(1))
    journal.database.close()
    sound = dump(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE leads SET company='Evil' WHERE id='lead-1'")
    connection.execute("DELETE FROM leads WHERE id='lead-2'")
    connection.execute("INSERT INTO config_kv VALUES ('workspace', 'soul', 'forged')")
    connection.execute("UPDATE lead_counts SET n=99")
    connection.execute("UPDATE task_counts SET n=7")
    connection.close()
    database = Database(path)
    differences = {(d.table, d.key, d.stored is None, d.replayed is None) for d in replay.find_differences(database)}
    assert differences == {
        ("leads", ("lead-1",), False, False),
        ("leads", ("lead-2",), True, False),
        ("lead_keys", ("lead-1",), False, False),
        ("lead_keys", ("lead-2",), True, False),
        ("config_kv", ("workspace", "soul"), False, True),
        ("lead_counts", (CAMPAIGN, "pending"), False, False),
        ("task_counts", (CAMPAIGN, "reach_lead", "pending"), False, False),
    }
    assert replay.rebuild(database) == 4
    assert replay.find_differences(database) == []
    database.close()
    assert dump(path) == sound


def test_rebuilding_what_is_sound_changes_nothing(tmp_path: Path) -> None:
    path, random = tmp_path / "o.db", Random(7)
    journal = open_journal(path)
    for campaign, at, event in Streams(random).take(120):
        journal.record(campaign, events=[event], actor="a", cause="c", at=at)
    journal.database.close()
    before = dump(path)
    database = Database(path)
    assert replay.rebuild(database) == 120
    database.close()
    after = dump(path)
    for table, rows in before.items():
        nonzero_rows = [row for row in rows if not (table.endswith("_counts") and row[-1] == 0)]
        assert [row for row in after[table] if not (table.endswith("_counts") and row[-1] == 0)] == nonzero_rows


# --- golden history ---------------------------------------------------------------------------------------------------

GOLDEN = Path(__file__).resolve().parents[1] / "replay" / "histories" / "seed-1.jsonl"
"""One line an entry as it was written once, and a last line with where the chains end. Never regenerate it to make a test pass."""


def _written(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    journal = Journal(Database(path), SeededIds("golden"))
    entries: list[dict[str, Any]] = []
    for line in GOLDEN.read_text("utf-8").splitlines()[:-1]:
        entry = json.loads(line)
        with journal.transaction() as transaction:
            _put(transaction, entry)
        entries.append(entry)
    heads = {
        row[0]: {"events": row[1], "event_hash": row[2].hex(), "audits": row[3], "audit_hash": row[4].hex()}
        for row in journal.database.query(all_rows, "SELECT * FROM log_heads ORDER BY campaign_id")
    }
    assert replay.find_differences(journal.database) == []
    journal.database.close()
    return entries, heads


def _put(transaction: Transaction, entry: dict[str, Any]) -> None:
    origin = {"actor": entry["actor"], "cause": entry["cause"], "at": entry["at"]}
    if "kind" in entry:
        transaction.record(entry["campaign"], [Event(entry["kind"], entry["entity"], entry["changes"])], **origin)
    else:
        transaction.audit(entry["campaign"], [AuditEntry(entry["action"], entry["payload"])], **origin)


def test_the_golden_history_is_written_with_the_same_hashes_as_ever(tmp_path: Path) -> None:
    _, heads = _written(tmp_path / "o.db")
    assert heads == json.loads(GOLDEN.read_text("utf-8").splitlines()[-1])["heads"]


def test_the_golden_history_is_the_same_whatever_was_written_before_elsewhere(tmp_path: Path) -> None:
    assert _written(tmp_path / "a.db") == _written(tmp_path / "b.db")


def test_a_hash_is_made_of_predecessor_payload_digest_and_metadata_as_documented() -> None:
    digest = hashlib.sha256(b"salt" + b'{"a":1}').digest()
    assert payload_digest(b"salt", '{"a":1}') == digest
    expected = hashlib.sha256(GENESIS + digest + b'["camp-1",1,"\\u00e9"]').digest()
    assert entry_hash(GENESIS, digest, "camp-1", 1, "é") == expected


def test_verifying_and_replaying_tell_how_far_they_are_every_thousand_entries(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    write(journal, *(lead_imported(number) for number in range(2_000)))
    progress: list[tuple[str, int]] = []
    journal.database.query(verification.verify, on_progress=lambda log, seq: progress.append((log, seq)))
    assert progress == [("event_log", 1_000), ("event_log", 2_000)]
    replayed: list[int] = []
    assert replay.find_differences(journal.database, replayed.append) == []
    assert replayed == [1_000, 2_000]

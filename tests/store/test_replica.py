"""Several devices and one authority: whatever is recorded where and whenever, in the end all have the same, and nothing is lost."""

import sqlite3
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from backend.store import replay, verification
from backend.store.replay import PROJECTIONS
from tests.store.devices import Device, MemoryAuthority, Person

LOGS = ("event_log", "audit_log", "log_heads")


def rows(device: Device, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    with device.journal.database.read() as connection:
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def assert_sound(device: Device) -> None:
    assert replay.check(device.journal.database) == []
    with device.journal.database.read() as connection:
        assert [report.broken for report in verification.verify(connection) if report.broken] == []
        assert_search_follows(connection)


def assert_search_follows(connection: sqlite3.Connection) -> None:
    """What is in no projection, because triggers keep it: keys, search indexes, the newest version of each artifact."""
    keys = "lead_id, campaign_id, priority_key, freshness_key, name_key, status_key, blocked, manual"
    assert sorted(connection.execute(f"SELECT {keys} FROM lead_keys")) == sorted(
        connection.execute(f"SELECT {keys} FROM lead_keys_now")
    )
    newest = (
        "SELECT id FROM artifacts a WHERE NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.campaign_id=a.campaign_id"
        " AND n.artifact_type=a.artifact_type AND n.artifact_key=a.artifact_key AND n.version>a.version)"
    )
    assert sorted(connection.execute("SELECT artifact_id FROM artifact_heads")) == sorted(connection.execute(newest))
    for words, of in (("leads_text", "lead_keys"), ("artifacts_text", "artifact_heads")):
        found = [
            row[0]
            for row in connection.execute(f"SELECT rowid FROM {words} WHERE {words} MATCH 'camp*' ORDER BY rowid")
        ]
        assert found == [row[0] for row in connection.execute(f"SELECT number FROM {of} ORDER BY number")]


@pytest.mark.parametrize("seed", range(30))
def test_all_devices_end_with_the_same_and_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    random, authority = Random(seed), MemoryAuthority()
    devices = [Device(tmp_path / f"{n}.db", f"d{n}") for n in range(random.choice((2, 2, 3)))]
    apart = random.choice((0, 1_000_000))  # with the same numbers, what they make collides
    people = [Person(random, device, n * apart) for n, device in enumerate(devices)]
    attached: set[Device] = set()
    for _ in range(60):
        device, person = random.choice(list(zip(devices, people, strict=True)))
        if random.random() < 0.7:
            person.decide()
            continue
        if device not in attached:
            attached.add(device)
            device.attach()
        for _ in device.synchronise(authority, page=random.choice((3, 50))):
            if random.random() < 0.05:
                device.reopen()  # as if it had been killed there
                break
    for device in devices:
        if device not in attached:
            device.attach()
    for _ in range(2):
        for device in devices:
            for _ in device.synchronise(authority):
                pass
    for device in devices:
        assert device.behind() == []
        assert_sound(device)
    first, *others = (rows(device, *LOGS, *PROJECTIONS) for device in devices)
    for other in others:
        for table, found in first.items():
            assert other[table] == found, table
    logged = Counter(row[0] for row in salts(devices[0], "event_log"))
    for device, person in zip(devices, people, strict=True):
        aside = Counter(row[0] for row in salts(device, "set_aside_entries"))
        for salt in person.events:
            assert logged[salt] + aside[salt] == 1
        assert {row[0] for row in statuses(device)} <= {"rebased", "open", "noted"}
    audits = Counter(row[0] for row in salts(devices[0], "audit_log"))
    assert audits == Counter(salt for person in people for salt in person.audits)
    for device in devices:
        device.journal.database.close()


def salts(device: Device, table: str) -> list[tuple[bytes]]:
    with device.journal.database.read() as connection:
        return connection.execute(f"SELECT salt FROM {table}").fetchall()


def statuses(device: Device) -> list[tuple[str]]:
    with device.journal.database.read() as connection:
        return connection.execute("SELECT status FROM set_aside").fetchall()

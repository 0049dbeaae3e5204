"""A device that has to rebase is killed between any two of its steps: in the end both have the same, and nothing is lost."""

import shutil
from collections import Counter
from pathlib import Path

from backend.domain.events.events import AuditEntry, Event
from backend.store.log import replay, verification
from backend.store.log.replay import PROJECTIONS
from tests import forked
from tests.crash.replica_victim import PAGE
from tests.fakes.clock import START
from tests.kills import KILLED
from tests.patience import PATIENCE
from tests.store.devices import Device, FiledSharedStore
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, write

BOUNDARIES = {"rolled back", "adopted", "followed", "pushed", "acknowledged"}


def noted(lead: int, text: str) -> Event:
    return Event("LeadNoted", f"lead-{lead}", {"notes": text})


def prepared(folder: Path) -> None:
    """Both have a campaign; one decided three things and saw six, the other five, of which one is the same."""
    there, here = Device(folder / "there.db", "there"), Device(folder / "here.db", "here")
    shared_store = FiledSharedStore(folder / "shared_store")
    write(there.journal, CREATED, *(lead_imported(n) for n in range(1, 6)))
    for device in (there, here):
        device.synchronise(shared_store)
    for n in (1, 2, 3):
        looked = [AuditEntry("looked", {"n": n})]
        here.journal.record(CAMPAIGN, events=[noted(n, "here")], audits=looked, actor="user", cause=f"n{n}", at=START)
    for n in (3, 4, 5):
        write(there.journal, noted(n, "there"))
    there.synchronise(shared_store)
    there.close()
    here.close()


def opened(folder: Path) -> tuple[Device, Device]:
    return Device(folder / "there.db", "there"), Device(folder / "here.db", "here")


def sound(device: Device) -> None:
    assert replay.find_differences(device.journal.database) == []
    with device.journal.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
        logged = Counter(row[0] for row in connection.execute("SELECT salt FROM event_log"))
        aside = Counter(row[0] for row in connection.execute("SELECT salt FROM rebase_queue_entries WHERE log='event'"))
        assert set((logged + aside).values()) == {1}


def everything(device: Device) -> dict[str, list[tuple[object, ...]]]:
    with device.journal.database.read() as connection:
        tables = ("event_log", "audit_log", "log_heads", *PROJECTIONS)
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def passed(fresh: Path, folder: Path) -> list[str]:
    """What there is to be killed at."""
    shutil.copytree(fresh, folder)
    there, here = opened(folder)
    steps = list(here.synchronise_by_steps(FiledSharedStore(folder / "shared_store"), page=PAGE))
    there.close()
    here.close()
    return steps


def test_killed_between_any_two_steps_a_device_that_has_to_rebase_comes_into_sync(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    prepared(fresh)
    boundaries = passed(fresh, tmp_path / "whole")
    assert set(boundaries) == BOUNDARIES
    for at, boundary in enumerate(boundaries, 1):
        folder = tmp_path / str(at)
        shutil.copytree(fresh, folder)
        paths = [str(folder / "here.db"), str(folder / "shared_store"), str(at)]
        killed = forked.run("tests.crash.replica_victim:main", *paths, timeout=PATIENCE)
        assert killed.returncode == KILLED, (at, killed.stderr)
        there, here = opened(folder)
        sound(here)
        for device in (here, there):
            device.synchronise(FiledSharedStore(folder / "shared_store"))
            sound(device)
        assert everything(here) == everything(there), boundary
        with here.journal.database.read() as connection:
            notes = dict(connection.execute("SELECT id, notes FROM leads"))
            open_ = connection.execute("SELECT cause FROM rebase_queue WHERE status='conflict'").fetchall()
        assert notes == {"lead-1": "here", "lead-2": "here", "lead-3": "there", "lead-4": "there", "lead-5": "there"}
        assert open_ == [("n3",)]
        there.close()
        here.close()

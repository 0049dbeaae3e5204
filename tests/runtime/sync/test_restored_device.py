"""A device whose database is put back from an old backup while another one shares the project: nothing goes out again."""

from functools import partial
from pathlib import Path

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.ids import SystemIds
from backend.runtime.copies.restoring import RestoreService, erase_again, restore_at_start
from backend.store import backup
from backend.store.database import Database
from backend.store.replication import replica
from tests.patience import PATIENCE
from tests.runtime.sync.conftest import Machine, Machines, run_rounds
from tests.runtime.sync.test_two_devices import LEADS, Race, race, wait_until

__all__ = ["race"]

ERASE_AGAIN = partial(erase_again, SystemIds(), SystemClock())


@pytest.mark.parametrize("sent_since", [1, LEADS])
def test_what_was_sent_since_a_backup_is_not_sent_again(race: Race, tmp_path: Path, sent_since: int) -> None:
    desk = Database(race.folders["Desk"] / "outrider.db")
    backup.back_up(desk, tmp_path / "copy.db")
    desk.close()
    first = race.start("Desk")
    wait_until(lambda: len(race.witness.sends) >= sent_since)
    first.kill()
    first.communicate()
    restored = backup.restore(
        race.folders["Desk"] / "outrider.db", tmp_path / "copy.db", erase_again=ERASE_AGAIN, despite_loss=True
    )
    assert restored.lost
    devices = [race.start(name) for name in race.folders]
    for device in devices:
        out, err = device.communicate(timeout=PATIENCE)
        assert device.returncode == 0, (out[-500:], err[-3000:])
    race.judge()


def put_back(machine: Machine, copy: Path) -> backup.RestoreReport:
    """The copy takes the place of the machine's database, and it is started again."""
    machine.database.close()
    report = backup.restore(machine.folder / "outrider.db", copy, erase_again=ERASE_AGAIN, despite_loss=True)
    machine.restart()
    return report


def attached(machine: Machine) -> replica.AttachedProject | None:
    with machine.database.read() as connection:
        return replica.project(connection)


def test_a_device_stays_itself_where_another_one_s_backup_is_put_back(
    desk: Machine, laptop: Machine, tmp_path: Path
) -> None:
    desk.configure("a", "1")
    run_rounds(desk, laptop)
    laptop.configure("b", "of the laptop, and not sent yet")
    backup.back_up(laptop.database, tmp_path / "copy.db")
    laptop.engine.run_round()
    desk.configure("c", "of the desk, and lost")
    project = attached(desk)
    assert put_back(desk, tmp_path / "copy.db").project_left == ""
    assert attached(desk) == project
    desk.configure("d", "4")
    run_rounds(desk, laptop)
    assert [machine.engine.report.state().phase for machine in (desk, laptop)] == ["in_sync"] * 2
    assert desk.configured() == laptop.configured() == {"a": "1", "b": "of the laptop, and not sent yet", "d": "4"}


@pytest.mark.parametrize("how", ["attached elsewhere", "attached to nothing"])
def test_a_folder_of_no_device_of_that_project_becomes_a_new_one_where_a_backup_is_put_back(
    desk: Machine, laptop: Machine, tmp_path: Path, how: str
) -> None:
    backup.back_up(laptop.database, tmp_path / "copy.db")
    with desk.journal.transaction() as transaction:
        project = replica.project(transaction.connection)
        assert project is not None
        replica.detach(transaction, 1)
        if how == "attached elsewhere":
            replica.attach(transaction, project._replace(url="http://y", device_id="dev-9"))
    put_back(desk, tmp_path / "copy.db")
    project = attached(desk)
    assert project is not None
    assert project.machine == replica.RESTORED


def test_a_backup_from_before_a_project_was_attached_says_so_before_and_after_it_is_put_back(
    machines: Machines, tmp_path: Path
) -> None:
    desk = machines("Desk")
    path, copy, after = desk.folder / "outrider.db", tmp_path / "copy.db", tmp_path / "after.db"
    backup.back_up(desk.database, after)
    project = attached(desk)
    assert project is not None
    with desk.journal.transaction() as transaction:
        replica.detach(transaction, 1)
    backup.back_up(desk.database, copy)
    with desk.journal.transaction() as transaction:
        replica.attach(transaction, project)
    service = RestoreService(path, None)
    assert service.check("t1", after, "after.db").missing == []
    (line,) = service.check("t2", copy, "copy.db").missing
    assert "http://x" in line
    assert "Attach it again under Settings, Sync & devices" in line
    service.schedule("t2")
    desk.database.close()
    restored = restore_at_start(path, ERASE_AGAIN)
    assert restored is not None
    assert restored.detached == line
    desk.restart()
    assert attached(desk) is None

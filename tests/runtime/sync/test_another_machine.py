"""A data folder that was copied, restored or moved to another machine is another device there, and says so."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backend.app.wiring import open_workspace
from backend.domain.events.events import WORKSPACE
from backend.machine.settings import AppSettings
from backend.runtime.sync.sync_service import SyncService, device_name
from backend.runtime.workspace import Workspace
from backend.store.queries.device import devices
from backend.store.replication import replica


class Folder:
    """A data folder with a project attached, opened on one machine after the other."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        project = SimpleNamespace(url="http://x.test", allow=lambda: None, close=lambda: None)
        sign_in = SimpleNamespace(restrict_to_user=lambda *_: None)
        self._account = SimpleNamespace(project=project, sign_in=sign_in, where=lambda: "", shared_store=None)
        self.begun: list[replica.AttachedProject] = []
        with workspace.journal.transaction() as transaction:
            attached = replica.AttachedProject("http://x.test", "key", "ada", "a@b.c", "dev-1", "Desk", 1, "desk")
            replica.attach(transaction, attached)

    def opened_on(self, machine: str) -> SyncService:
        def engine(_: Workspace, project: replica.AttachedProject, *_rest: Any, **_how: Any) -> Any:
            self.begun.append(project)
            return SimpleNamespace(open=lambda: None, close=lambda _: None, describe=lambda: "in_step")

        sync = SyncService(self.workspace, lambda *_: cast(Any, self._account), engine, lambda _: None, machine=machine)
        sync.open()
        sync.close()
        return sync

    def joined(self) -> list[devices.DeviceRow]:
        with self.workspace.database.read() as connection:
            return devices.devices(connection)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
        yield Folder(workspace)


def test_on_its_own_machine_it_stays_the_device_that_it_was(folder: Folder) -> None:
    for _ in range(2):
        assert folder.opened_on("desk").moved_from == ""
    assert [project.device_id for project in folder.begun] == ["dev-1", "dev-1"]


def test_on_another_machine_it_is_a_new_device_from_the_first_start_on(folder: Folder) -> None:
    assert folder.opened_on("laptop").moved_from == "Desk"
    (project,) = folder.begun
    (row,) = folder.joined()
    assert project.device_id != "dev-1"
    assert (row.id, row.name) == (project.device_id, project.device_name) == (project.device_id, device_name())
    assert folder.opened_on("laptop").moved_from == "", "said once"
    assert folder.begun[1] == project
    database = folder.workspace.database
    with database.read() as connection:
        rows = connection.execute("SELECT actor, cause FROM event_log WHERE campaign_id=?", (WORKSPACE,)).fetchall()
    assert ("controller", "another machine") in [tuple(row) for row in rows]


@pytest.mark.parametrize("first", ["", "desk"])
def test_where_the_system_does_not_tell_nothing_changes(folder: Folder, first: str) -> None:
    with folder.workspace.journal.transaction() as transaction:
        project = replica.project(transaction.connection)
        assert project is not None
        replica.become_device(transaction, project._replace(machine=first))
    assert folder.opened_on("").moved_from == ""
    assert folder.begun[0].device_id == "dev-1"


def test_a_machine_that_was_not_known_yet_is_from_now_on(folder: Folder) -> None:
    with folder.workspace.journal.transaction() as transaction:
        project = replica.project(transaction.connection)
        assert project is not None
        replica.become_device(transaction, project._replace(machine=""))
    assert folder.opened_on("laptop").moved_from == ""
    assert folder.opened_on("elsewhere").moved_from == "Desk"
    assert [project.device_id == "dev-1" for project in folder.begun] == [True, False]


@pytest.mark.parametrize("machine", ["desk", ""])
def test_a_folder_with_another_device_s_backup_is_a_new_device_on_whichever_machine(
    folder: Folder, machine: str
) -> None:
    with folder.workspace.journal.transaction() as transaction:
        project = replica.project(transaction.connection)
        assert project is not None
        replica.become_device(transaction, project._replace(machine=replica.RESTORED))
    assert [folder.opened_on(machine).moved_from for _ in range(2)] == ["Desk", ""]
    assert folder.begun[0].device_id == folder.begun[1].device_id != "dev-1"

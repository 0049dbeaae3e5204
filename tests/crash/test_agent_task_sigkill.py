"""The process is killed in the middle of an agent's task: the task waits, nothing is half there, and the next start does it."""

from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.app.wiring import Workspace, open_workspace
from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.model.campaign import Settings
from backend.machine.settings import AppSettings
from backend.store.log import replay, verification
from tests import forked
from tests.kills import KILLED
from tests.patience import PATIENCE


def work(data_dir: Path, at: int = 0) -> forked.Done:
    return forked.run("tests.crash.agent_victim:main", str(data_dir), str(at), timeout=PATIENCE)


def stands(workspace: Workspace) -> tuple[str, int]:
    """The task's status, and how many artifacts there are; everything else fits together."""
    assert replay.find_differences(workspace.database) == []
    with workspace.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
        (status,) = connection.execute("SELECT status FROM tasks WHERE source='supervisor'").fetchone()
        (artifact_count,) = connection.execute(
            "SELECT count(*) FROM artifacts WHERE artifact_type='file_summary'"
        ).fetchone()
    return status, artifact_count


def test_killed_at_any_step_an_agents_task_is_done_by_the_next_start_once(tmp_path: Path) -> None:
    settings, folder = AppSettings(tmp_path / "data", "", 10), tmp_path / "papers"
    folder.mkdir()
    (folder / "Report.pdf").write_bytes(b"%PDF-1.4 broken")
    settings.data_dir.mkdir()
    with open_workspace(settings) as workspace:
        made = workspace.commands().campaigns.create(
            "Talk", "To talk", site="practice", account="a", settings=Settings()
        )
        commands = AgentTaskCommands(workspace.journal, SystemClock())
        task = commands.assign(made, "recent-pdfs", AgentInputs(str(folder), 30))
    for at in (1, 3, 5):
        killed = work(settings.data_dir, at)
        assert killed.returncode == KILLED, killed.stderr
        with open_workspace(settings) as workspace:
            assert stands(workspace) == ("in_progress", 0)
    done = work(settings.data_dir)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
    assert work(settings.data_dir).stdout.strip() == ""  # nothing is left to do
    with open_workspace(settings) as workspace:
        assert stands(workspace) == ("done", 1)
        with workspace.database.read() as connection:
            key, made_by = connection.execute(
                "SELECT artifact_key, made_by FROM artifacts WHERE artifact_type='file_summary'"
            ).fetchone()
    assert (key, made_by) == (f"recent-pdfs-{task.id[-6:].lower()}", "program recent-pdfs")

"""A servitor is done when what it promised is verified; until then it works, whatever it says, and nothing makes it forgotten."""

import json
import os
import subprocess
import sys
from pathlib import Path

from backend.app.wiring import open_workspace
from backend.commands.servitors import ServitorCommands
from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.model.task import TaskStatus
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.servitor import STATES, report_key
from backend.domain.turn.task_progress import claim_done
from backend.machine.settings import read_settings
from backend.store.log import replay
from backend.store.queries.campaign import tasks
from backend.store.queries.turn import commitments, servitors
from backend.store.queries.turn.servitors import ServitorRow
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import Stage
from tests.kills import KILL

ROOT = Path(__file__).parents[2]


def summoned(stage: Stage) -> ServitorRow:
    campaign = stage.campaign(1)
    return ServitorCommands(stage.journal, stage.clock).summon(campaign, "Sum up the replies", "Rook")


def state(stage: Stage, servitor: ServitorRow) -> str:
    stored_servitor = stage.journal.database.query(servitors.servitor_by_id, servitor.id)
    assert stored_servitor is not None
    return STATES[TaskStatus(stored_servitor.status)]


def claim(stage: Stage, servitor: ServitorRow) -> None:
    task = stage.journal.database.query(tasks.task, servitor.campaign_id, servitor.id)
    assert task is not None
    now = stage.clock.now()
    stage.journal.record(servitor.campaign_id, events=[claim_done(task)], actor="agent", cause="claim", at=now)


def told(stage: Stage) -> list[str]:
    return [text for (text,) in stage.query("SELECT content FROM conversations ORDER BY line")]


def test_a_servitor_that_says_done_for_ever_never_is_and_its_parent_is_told_each_time(stage: Stage) -> None:
    servitor = summoned(stage)
    for _ in range(3):
        assert state(stage, servitor) == "Working"
        claim(stage, servitor)
        assert state(stage, servitor) == "Verifying"
        assert verify_waiting(stage.journal, stage.clock, servitor.campaign_id) == [(servitor.id, False)]
    assert state(stage, servitor) == "Working"
    assert stage.one("SELECT status FROM tasks WHERE id=?", servitor.id) == "blocked", "and the user is asked"
    assert len(told(stage)) == 3
    assert all(line.startswith("Rook is not done: ") for line in told(stage))


def keep_report(stage: Stage, servitor: ServitorRow) -> None:
    content = text_content("note", report_key("Rook", servitor.id), "Two replies.")
    event = artifact_persisted(content, stage.ids.new(), BY_USER, 0, stage.clock.now())
    stage.journal.record(servitor.campaign_id, events=[event], actor="user", cause="kept", at=stage.clock.now())


def test_a_servitor_whose_promise_is_kept_is_done_and_its_parent_is_told(stage: Stage) -> None:
    servitor = summoned(stage)
    for is_kept in (False, True):
        if is_kept:
            keep_report(stage, servitor)
        claim(stage, servitor)
        assert verify_waiting(stage.journal, stage.clock, servitor.campaign_id) == [(servitor.id, is_kept)]
    assert state(stage, servitor) == "Done"
    early, done = told(stage)
    assert early.startswith("Rook is not done: ")
    assert done == "Rook is done, and its result was checked."
    assert replay.find_differences(stage.database) == []


def test_what_a_servitor_promised_is_stored_read_and_listed_and_survives_a_restart(stage: Stage) -> None:
    without_promise: list[int] = []
    broken = "SELECT count(*) FROM tasks WHERE source='servitor' AND id NOT IN (SELECT task_id FROM commitments)"
    stage.journal.subscribe(lambda _: without_promise.append(stage.one(broken)))
    servitor = summoned(stage)
    assert set(without_promise) == {0}, "whenever it ends here"
    idle = ServitorCommands(stage.journal, stage.clock).summon(servitor.campaign_id)

    def promised(status: str) -> None:
        stage.reopen()
        with stage.journal.database.read() as connection:
            listed = servitors.servitors(connection, servitor.campaign_id, 10)
            (promise,) = commitments.of_task(connection, servitor.id)
        assert [row.id for row in listed] == [servitor.id, idle.id]
        assert (promise.status, json.loads(promise.params)["type"]) == (status, "artifact_exists")

    promised("open")
    for status in ("failed", "passed"):
        claim(stage, servitor)
        verify_waiting(stage.journal, stage.clock, servitor.campaign_id)
        promised(status)
        if status == "failed":
            keep_report(stage, servitor)


def test_a_servitor_that_was_summoned_survives_sigkill(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom backend.commands.servitors import ServitorCommands\n"
        "from backend.domain.model.campaign import Settings\nfrom backend.machine.settings import read_settings\n"
        "from backend.app.wiring import open_workspace\n"
        "with open_workspace(read_settings(data_dir=Path(sys.argv[1]))) as w:\n"
        "    c = w.commands()\n"
        "    campaign = c.campaigns.create('Talk', 'A talk', site='practice', account='a', settings=Settings())\n"
        "    servitors = ServitorCommands(w.journal, c.clock)\n"
        "    while True: print(servitors.summon(campaign, 'Sum up').id, flush=True)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline().strip() for _ in range(20)]
        os.kill(process.pid, KILL)
        seen += process.stdout.read().split()
    with open_workspace(read_settings(data_dir=tmp_path)) as workspace, workspace.database.read() as connection:
        there = [
            servitors.servitor_by_id(connection, servitor_id)
            for servitor_id in seen
            if len(servitor_id) == len(seen[0])
        ]
        everyone = servitors.servitors(connection, there[0].campaign_id if there[0] else "", 10_000)
        assert None not in there
        assert len({servitor.name for servitor in everyone}) == len(everyone)
        assert replay.find_differences(workspace.database) == []

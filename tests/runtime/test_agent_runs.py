"""How a run of a passive agent ends is on record, whatever the disk does at that moment."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from backend.agents.supervisor import AgentRun
from backend.domain.device.passive_agent import COMPLETED, AgentInputs, AnyAgent
from backend.domain.values.errors import OutriderError
from backend.runtime.jobs.agent_runs import AgentRuns
from backend.runtime.worker import Workers
from tests.fakes.campaign import Stage
from tests.patience import PATIENCE


class Ends:
    """A supervisor whose agents are done at once."""

    def run(self, agent: AnyAgent, inputs: AgentInputs) -> AgentRun:
        run = AgentRun(agent, inputs, context={"people": ("Ada",)})
        run.enter(COMPLETED)
        return run


def test_a_disk_that_is_busy_when_a_run_ends_keeps_no_other_run_from_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path)
    workers = Workers(stage.clock, first_pause=0.0)
    runs = AgentRuns(stage.journal, stage.clock, workers, lambda *_: cast(Any, Ends()))
    write, refused = stage.database.write, threading.Event()

    @contextmanager
    def busy_once() -> Iterator[Any]:
        if threading.current_thread() is not threading.main_thread() and not refused.is_set():
            refused.set()
            raise OutriderError("database_locked", path="x", detail="busy")
        with write() as connection:
            yield connection

    monkeypatch.setattr(stage.database, "write", busy_once)
    for _ in range(2):
        runs.start("pending-invitations", AgentInputs(days=1))
        assert runs.idle.wait(PATIENCE)
    assert refused.is_set()
    assert [(row.state, row.ended_at is not None) for row in runs.listed(5)] == [(COMPLETED, True)] * 2
    runs.close()
    stage.close()


def test_what_a_run_found_of_somebody_who_was_erased_meanwhile_is_not_kept(stage: Stage) -> None:
    campaign = stage.campaign(1)
    ((lead, name),) = stage.query("SELECT id, full_name FROM leads")

    class Erases(Ends):
        def run(self, agent: AnyAgent, inputs: AgentInputs) -> AgentRun:
            run = super().run(agent, inputs)
            run.context["people"] = (name,)
            stage.commands().people.erase(campaign, lead)
            return run

    runs = AgentRuns(stage.journal, stage.clock, Workers(stage.clock), lambda *_: cast(Any, Erases()))
    runs.start("pending-invitations", AgentInputs(days=1))
    assert runs.idle.wait(PATIENCE)
    runs.close()
    assert [(row.state, row.found) for row in runs.listed(5)] == [(COMPLETED, "(erased)")]

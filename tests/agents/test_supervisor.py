"""The supervisor ends whatever breaks a rule, at once and by name, and writes alone what an agent knows (spec 003)."""

import json
import os
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from backend.agents.passive import passive_agents
from backend.agents.passive.recent_pdfs import RecentPdfs
from backend.agents.supervisor import AgentPolicy, AgentRun
from backend.domain.device.agent_tools import AGENT_TOOLS, ToolAnswer
from backend.domain.device.passive_agent import AgentContext, AgentInputs
from backend.domain.device.step_reply import VIOLATIONS
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from backend.runtime.workspace import Workspace
from tests.agents import hostile_agents as hostile
from tests.agents.conftest import QUICK, Supervise, finds
from tests.patience import PATIENCE

ENDED = {
    hostile.LoopsForEver: "agent_step_endless",
    hostile.SwallowsEverything: "agent_step_endless",
    hostile.CallsItselfForEver: "agent_step_endless",
    hostile.WaitsForALock: "agent_step_blocked",
    hostile.Sleeps: "agent_step_blocked",
    hostile.ImportsTime: "agent_step_blocked",
    hostile.AsksTheTerminal: "agent_step_blocked",
    hostile.OpensAFile: "agent_file_access",
    hostile.OpensAFileByAnotherWay: "agent_file_access",
    hostile.OpensAFileWhenItIsMade: "agent_file_access",
    hostile.OpensAFileInItsResult: "agent_file_access",
    hostile.OpensAFileInItsStates: "agent_file_access",
    hostile.ListsAFolder: "agent_file_access",
    hostile.LooksAtAFile: "agent_file_access",
    hostile.MakesAPipe: "agent_system_call",
    hostile.LeavesWorkToASignal: "agent_system_call",
    hostile.LeavesWorkBehind: "agent_second_result",
    hostile.ForksInItsResult: "agent_system_call",
    hostile.AnswersWithoutMeasure: "agent_memory",
    hostile.NestsItsResultForEver: "agent_result",
    hostile.ImportsPathlib: "agent_file_access",
    hostile.StartsAThread: "agent_thread",
    hostile.StartsAThreadByItsOldName: "agent_thread",
    hostile.ImportsThreading: "agent_thread",
    hostile.Forks: "agent_system_call",
    hostile.SendsASignal: "agent_system_call",
    hostile.RunsAProgram: "agent_system_call",
    hostile.ImportsSockets: "agent_system_call",
    hostile.LoadsCode: "agent_system_call",
    hostile.LoadsCodeByAnotherWay: "agent_system_call",
    hostile.ChangesTheContext: "agent_context_changed",
    hostile.ChangesTheContextByForce: "agent_context_changed",
    hostile.TakesAllMemory: "agent_memory",
    hostile.Raises: "agent_step_raised",
    hostile.Leaves: "agent_step_raised",
    hostile.EndsItsProcess: "agent_process_ended",
    hostile.ReturnsNothing: "agent_result",
    hostile.ReturnsTwo: "agent_result",
    hostile.ReturnsAGenerator: "agent_result",
    hostile.CompletesWithoutItsState: "agent_result",
    hostile.AsksForAToolAtTheEnd: "agent_result",
    hostile.FailsInTheWrongState: "agent_result",
    hostile.PutsAToolIntoATool: "agent_result",
    hostile.WritesASecondResult: "agent_second_result",
    hostile.WritesWithoutEnd: "agent_second_result",
    hostile.EntersAStateThatThereIsNot: "agent_state_unknown",
    hostile.MovesAsItLikes: "agent_transition",
    hostile.GoesOnFromTheEnd: "agent_transition",
    hostile.WantsAnotherTool: "agent_tool_not_allowed",
    hostile.WantsAToolOfAnotherAgent: "agent_tool_not_allowed",
    hostile.LooksForTools: "agent_system_call",
    hostile.SearchesElsewhere: "agent_tool_params",
    hostile.ReadsWhatWasNotFound: "agent_tool_params",
    hostile.GivesParametersOfAnotherKind: "agent_tool_params",
    hostile.AsksForEver: "agent_steps",
}


@pytest.mark.parametrize("agent", ENDED, ids=lambda agent: agent.__name__)
def test_a_violation_ends_the_agent_at_once_and_by_name(
    agent: type[hostile.Hostile], supervise: Supervise, inputs: AgentInputs
) -> None:
    # Only what never answers is ended by the clock; all else may take as long as a busy machine needs.
    by_clock = ENDED[agent] in ("agent_step_endless", "agent_step_blocked")
    policy = QUICK if by_clock else replace(QUICK, step_seconds=PATIENCE, run_seconds=10 * PATIENCE)
    run: AgentRun = supervise(policy=policy).run(agent, inputs)
    assert run.error is not None
    assert (run.error.code, run.state) == (ENDED[agent], "Failed")
    assert run.states[-1] == "Failed"
    assert run.context["summary"] == ""
    assert run.error.sentence in run.context["failure"]
    assert run.steps == (policy.steps if agent is hostile.AsksForEver else 1)


def test_every_violation_that_the_process_names_is_tried_here() -> None:
    assert set(VIOLATIONS) <= set(ENDED.values())


def test_no_tool_runs_for_a_request_that_is_not_allowed(supervise: Supervise, inputs: AgentInputs) -> None:
    def never(*_: Any) -> ToolAnswer:
        raise AssertionError("it ran")

    tools = dict.fromkeys(AGENT_TOOLS, never)
    for agent, code in ENDED.items():
        if code in ("agent_tool_not_allowed", "agent_tool_params"):
            assert supervise(tools).run(agent, inputs).calls == []


def test_what_was_not_found_is_not_read_beside_what_was(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise({"FileSearchTool": finds("/a.pdf")}).run(hostile.ReadsMoreThanWasFound, inputs)
    assert (run.error and run.error.code, [call.tool for call in run.calls]) == (
        "agent_tool_params",
        ["FileSearchTool"],
    )


def test_an_agent_that_is_done_at_once_takes_no_further_step(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise().run(hostile.CompletesAtOnce, inputs)
    assert (run.states, run.steps, run.error) == (["Init", "Completed"], 1, None)


def test_the_process_of_an_ended_step_is_gone(supervise: Supervise, inputs: AgentInputs) -> None:
    pids: list[int] = []
    supervisor = supervise()

    def start(agent: Any, policy: AgentPolicy) -> Any:
        process = supervisor.start(agent, policy)
        pids.append(process._process.pid)  # type: ignore[attr-defined]  # the real one
        return process

    replace(supervisor, start=start).run(hostile.SwallowsEverything, inputs)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_run_ends_when_the_user_cancels_it(supervise: Supervise, inputs: AgentInputs) -> None:
    asked = iter([False, True])
    run = supervise(cancelled=lambda: next(asked)).run(hostile.AsksForEver, inputs)
    assert (run.error and run.error.code, run.steps) == ("agent_cancelled", 1)


def test_a_run_ends_when_its_time_is_over(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise(policy=replace(QUICK, run_seconds=0.0)).run(hostile.AsksForEver, inputs)
    assert (run.error and run.error.code, run.steps) == ("agent_run_time", 0)


def test_an_agent_remembers_nothing_but_its_state_and_context(supervise: Supervise, inputs: AgentInputs) -> None:
    assert supervise().run(hostile.RemembersBesideTheContext, inputs).state == "Completed"


def test_what_an_agent_prints_of_its_failure_opens_no_file(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise().run(hostile.FailsWhenItIsThrownAway, inputs)
    assert (run.state, run.error) == ("Completed", None)


def test_an_agent_sees_no_environment(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise().run(hostile.ReadsTheEnvironment, inputs)
    assert run.error
    assert "ValueError: []" in run.error.sentence


def test_an_agent_that_gives_up_says_why_and_takes_no_further_step(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise().run(hostile.GivesUp, inputs)
    assert (run.state, run.steps, run.error and run.error.code) == ("Failed", 2, "agent_failed")
    assert "nothing to be done" in run.context["failure"]


def gone(*_: Any) -> ToolAnswer:
    raise OutriderError("agent_folder_missing", directory="x")


def test_a_tool_that_fails_is_told_to_the_agent_which_may_do_without(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise({"FileSearchTool": gone}).run(hostile.IgnoresAFailedTool, inputs)
    assert (run.state, run.error) == ("Completed", None)
    assert [call.outcome for call in run.calls] == ["agent_folder_missing"]


def test_a_tool_that_failed_once_is_forgotten_when_it_has_worked(supervise: Supervise, inputs: AgentInputs) -> None:
    failures = [OutriderError("agent_folder_missing", directory="x")]

    def tool(*_: Any) -> ToolAnswer:
        if failures:
            raise failures.pop()
        return ToolAnswer((), "ok")

    run = supervise({"FileSearchTool": tool}).run(hostile.GoesOnAndGivesUp, inputs)
    assert (run.steps, run.error and run.error.code) == (3, "agent_failed")
    assert "nothing to be done" in run.context["failure"]


def test_a_tool_or_a_process_that_the_system_refuses_ends_the_run_by_name(
    supervise: Supervise, inputs: AgentInputs
) -> None:
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    run = supervise({"FileSearchTool": full}).run(RecentPdfs, inputs)
    assert (run.state, run.error and run.error.code) == ("Failed", "agent_tool_failed")
    run = replace(supervise(), start=full).run(RecentPdfs, inputs)
    assert (run.states, run.error and run.error.code) == (["Init", "Failed"], "agent_process_ended")


def test_every_tool_call_and_every_end_is_in_the_audit_log(
    supervise: Supervise, inputs: AgentInputs, workspace: Workspace
) -> None:
    supervise({"FileSearchTool": finds("/a.pdf")}).run(hostile.RemembersBesideTheContext, inputs)
    supervise().run(hostile.OpensAFile, inputs)
    supervise({"FileSearchTool": gone}).run(hostile.IgnoresAFailedTool, inputs)
    with workspace.database.read() as connection:
        rows = connection.execute(
            "SELECT action_type, payload FROM audit_log WHERE campaign_id=? ORDER BY seq", (WORKSPACE,)
        ).fetchall()
    entries = [(kind, json.loads(payload)) for kind, payload in rows if kind in AGENT_TOOLS or kind == "agent.run"]
    assert [kind for kind, _ in entries] == ["FileSearchTool", "agent.run", "agent.run", "FileSearchTool", "agent.run"]
    searched, completed, failed, in_vain, _ = (payload for _, payload in entries)
    assert in_vain["outcome"] == "agent_folder_missing"
    assert searched["parameters"]["directory"] == inputs.directory
    assert (searched["outcome"], completed["state"], failed["code"]) == ("ok", "Completed", "agent_file_access")
    assert searched["us"] >= 0


def test_a_tool_is_given_its_parameters_and_no_other_tool(supervise: Supervise, inputs: AgentInputs) -> None:
    seen: list[tuple[Any, ...]] = []

    def tool(params: Any, cancelled: Callable[[], bool]) -> ToolAnswer:
        seen.append((params, cancelled()))
        return ToolAnswer((), "ok")

    supervise({"FileSearchTool": tool}).run(hostile.IgnoresAFailedTool, inputs)
    assert seen == [(AGENT_TOOLS["FileSearchTool"].model_validate(seen[0][0].model_dump()), False)]


def test_every_agent_declares_what_it_may_do() -> None:
    for name, agent in passive_agents().items():
        states = {str(state) for state in agent.states}
        assert {"Init", "Completed", "Failed"} <= states, name
        assert set(agent.transitions) | {after for some in agent.transitions.values() for after in some} <= states
        assert not {"Completed", "Failed"} & set(agent.transitions), "nothing follows the end"
        assert set(agent.results) <= set(AGENT_TOOLS)
        assert set(agent.results.values()) <= {field.name for field in fields(agent.context)}
        assert issubclass(agent.context, AgentContext)
        assert set(agent.inputs) <= {field.name for field in fields(AgentInputs)}

"""Agents that break a rule each: what an agent may not do (spec 003 §8), and results that are none."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from backend.domain.device.passive_agent import AgentContext, AgentInputs, Completed, Failed, PassiveAgent, ToolRequest


class States(StrEnum):
    INIT = "Init"
    WORKING = "Working"
    COMPLETED = "Completed"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class Context(AgentContext):
    files: tuple[str, ...] = ()
    summary: str = ""


class Hostile(PassiveAgent[States, Context]):
    name = "hostile"
    does = "Breaks a rule."
    states = States
    context = Context
    results: ClassVar = {"FileSearchTool": "files", "TextSummaryTool": "summary"}
    inputs = ("directory", "days")
    transitions: ClassVar = {
        "Init": ("Working", "Completed"),
        "Working": ("Working", "Completed", "Failed"),
    }

    def step(self, context: Context) -> Any:
        return self.misbehave(context)

    def misbehave(self, context: Context) -> Any:
        raise NotImplementedError

    def search(self, **changed: Any) -> ToolRequest:
        params = {"directory": self.given.directory, "extension": ".pdf", "modified_within_days": 1}
        return ToolRequest("FileSearchTool", {**params, **changed})


def modules() -> Any:
    """Every module there is, by a way that no import statement takes."""
    return vars(dataclasses)["sys"].modules


def system() -> Any:
    """The module beneath `os`."""
    return modules()[modules()["os"].name]


class LoopsForEver(Hostile):
    def misbehave(self, context: Context) -> Any:
        while True:
            pass


class SwallowsEverything(Hostile):
    def misbehave(self, context: Context) -> Any:
        while True:
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001
                continue


class CallsItselfForEver(Hostile):
    def misbehave(self, context: Context) -> Any:
        return self.misbehave(context)


class WaitsForALock(Hostile):
    def misbehave(self, context: Context) -> Any:
        lock = modules()["_thread"].allocate_lock()
        lock.acquire()
        lock.acquire()


class Sleeps(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["time"].sleep(0.001)


class ImportsTime(Hostile):
    def misbehave(self, context: Context) -> Any:
        import time  # noqa: PLC0415

        return time.time()


class AsksTheTerminal(Hostile):
    def misbehave(self, context: Context) -> Any:
        return input()


class OpensAFile(Hostile):
    def misbehave(self, context: Context) -> Any:
        return open("/etc/passwd")  # noqa: PTH123


class OpensAFileByAnotherWay(Hostile):
    def misbehave(self, context: Context) -> Any:
        try:
            return modules()["os"].open("/etc/passwd", 0)
        except BaseException:  # noqa: BLE001
            return Completed()


class OpensAFileWhenItIsMade(Hostile):
    def __init__(self, state: States, inputs: AgentInputs) -> None:
        super().__init__(state, inputs)
        modules()["os"].open("/etc/passwd", 0)


class OpensAFileInItsResult(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return ToolRequest("FileSearchTool", Opening())  # type: ignore[arg-type]  # what it may not do


class OpensAFileInItsStates(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.visited.append(Opening())  # type: ignore[arg-type]  # what it may not do
        return self.search()


class Opening:
    def keys(self) -> Any:
        return modules()["os"].open("/etc/passwd", 0)

    __str__ = keys


class LooksAtAFile(Hostile):
    def misbehave(self, context: Context) -> Any:
        return system().stat("/etc/passwd")


class MakesAPipe(Hostile):
    def misbehave(self, context: Context) -> Any:
        return modules()["os"].pipe()


class ReadsTheEnvironment(Hostile):
    def misbehave(self, context: Context) -> Any:
        raise ValueError([*modules()["os"].environ, *system().environ])


class LeavesWorkToASignal(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["_signal"].signal(2, print)


class LeavesWorkBehind(Hostile):
    def __del__(self) -> None:
        modules()["os"].listdir("/")

    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return Completed()


class FailsWhenItIsThrownAway(Hostile):
    def __del__(self) -> None:
        raise ValueError("no")

    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return Completed()


class Items(dict[str, str]):
    def items(self) -> Any:
        return modules()["os"].fork()


class ForksInItsResult(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return self.search(directory=Items(a="b"))


class AnswersWithoutMeasure(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return self.search(directory="x" * 100_000_000)


class NestsItsResultForEver(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        nested: list[Any] = []
        for _ in range(10_000):
            nested = [nested]
        return self.search(directory=nested)


class ListsAFolder(Hostile):
    def misbehave(self, context: Context) -> Any:
        return modules()["os"].listdir("/")


class ImportsPathlib(Hostile):
    def misbehave(self, context: Context) -> Any:
        import pathlib  # noqa: PLC0415

        return pathlib.Path.home()


class StartsAThread(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["_thread"].start_new_thread(print, ())


class StartsAThreadByItsOldName(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["_thread"].start_new(print, ())


class ImportsThreading(Hostile):
    def misbehave(self, context: Context) -> Any:
        import threading  # noqa: PLC0415

        threading.Thread(target=print).start()


class Forks(Hostile):
    def misbehave(self, context: Context) -> Any:
        return modules()["os"].fork()


class SendsASignal(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["_signal"].pthread_kill(modules()["_thread"].get_ident(), 0)


class RunsAProgram(Hostile):
    def misbehave(self, context: Context) -> Any:
        return modules()["os"].system("true")


class ImportsSockets(Hostile):
    def misbehave(self, context: Context) -> Any:
        import socket  # noqa: PLC0415

        return socket.socket()


class LoadsCode(Hostile):
    def misbehave(self, context: Context) -> Any:
        return eval("1")


class LoadsCodeByAnotherWay(Hostile):
    def misbehave(self, context: Context) -> Any:
        return modules()["builtins"].eval("1")


class ChangesTheContext(Hostile):
    def misbehave(self, context: Context) -> Any:
        context.summary = "mine"  # type: ignore[misc]  # what it may not do
        return Completed()


class ChangesTheContextByForce(Hostile):
    def misbehave(self, context: Context) -> Any:
        object.__setattr__(context, "files", ("/etc/passwd",))
        self.enter(States.WORKING)
        return ToolRequest("TextSummaryTool", {"files": ["/etc/passwd"]})


class TakesAllMemory(Hostile):
    def misbehave(self, context: Context) -> Any:
        return [bytearray(1 << 20) for _ in range(1 << 20)]


class Raises(Hostile):
    def misbehave(self, context: Context) -> Any:
        raise ValueError("no")


class Leaves(Hostile):
    def misbehave(self, context: Context) -> Any:
        raise SystemExit(0)


class EndsItsProcess(Hostile):
    def misbehave(self, context: Context) -> Any:
        modules()["os"]._exit(0)


class ReturnsNothing(Hostile):
    def misbehave(self, context: Context) -> Any:
        return None


class ReturnsTwo(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return Completed(), Completed()


class ReturnsAGenerator(Hostile):
    def misbehave(self, context: Context) -> Any:
        return (Completed() for _ in range(2))


class WritesASecondResult(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        line = b'{"visited": ["Completed"], "result": {"kind": "Completed"}, "processor_seconds": 0.0}\n'
        for number in range(3, 10):
            _quietly(modules()["os"].write, number, line)
        return self.search()


class WritesWithoutEnd(Hostile):
    def misbehave(self, context: Context) -> Any:
        while True:
            for number in range(3, 10):
                _quietly(modules()["os"].write, number, b"x\n" * 32_768)


class CompletesWithoutItsState(Hostile):
    def misbehave(self, context: Context) -> Any:
        return Completed()


class AsksForAToolAtTheEnd(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return self.search()


class FailsInTheWrongState(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return Failed("no")


class EntersAStateThatThereIsNot(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter("Resting")  # type: ignore[arg-type]  # what it may not do
        return self.search()


class MovesAsItLikes(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.FAILED)
        return Failed("straight from the start")


class GoesOnFromTheEnd(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        self.enter(States.WORKING)
        return self.search()


class WantsAnotherTool(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return ToolRequest("browser.send_message", {"lead_id": "l", "message_id": "m"})


class WantsAToolOfAnotherAgent(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return ToolRequest("PendingInvitationsTool", {"older_than_days": 1})


class LooksForTools(Hostile):
    def misbehave(self, context: Context) -> Any:
        from backend.domain.device import agent_tools  # noqa: PLC0415

        return list(agent_tools.AGENT_TOOLS)


class PutsAToolIntoATool(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return ToolRequest("TextSummaryTool", {"files": self.search()})


class SearchesElsewhere(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return self.search(directory="/")


class ReadsWhatWasNotFound(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return ToolRequest("TextSummaryTool", {"files": ["/etc/passwd"]})


class ReadsMoreThanWasFound(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return (
            ToolRequest("TextSummaryTool", {"files": [*context.files, "/etc/passwd"]})
            if context.files
            else self.search()
        )


class GivesParametersOfAnotherKind(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return self.search(modified_within_days="1")


class AsksForEver(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.WORKING)
        return self.search()


SEEN: list[bool] = []


class RemembersBesideTheContext(Hostile):
    seen: ClassVar[list[bool]] = []

    def misbehave(self, context: Context, seen: list[bool] = []) -> Any:  # noqa: B006 - it is to be kept
        remembered = hasattr(self, "before") or any((SEEN, self.seen, seen))
        self.before = True
        for memory in (SEEN, self.seen, seen):
            memory.append(True)
        if self.state is States.INIT:
            self.enter(States.WORKING)
            return self.search()
        self.enter(States.FAILED if remembered else States.COMPLETED)
        return Failed("it remembered") if remembered else Completed()


class GivesUp(Hostile):
    def misbehave(self, context: Context) -> Any:
        if self.state is States.INIT:
            self.enter(States.WORKING)
            return self.search()
        self.enter(States.FAILED)
        return Failed("nothing to be done")


class GoesOnAndGivesUp(GivesUp):
    def misbehave(self, context: Context) -> Any:
        if context.failure:
            self.enter(States.WORKING)
            return self.search()
        return super().misbehave(context)


class CompletesAtOnce(Hostile):
    def misbehave(self, context: Context) -> Any:
        self.enter(States.COMPLETED)
        return Completed()


class IgnoresAFailedTool(Hostile):
    def misbehave(self, context: Context) -> Any:
        if self.state is States.INIT:
            self.enter(States.WORKING)
            return self.search()
        self.enter(States.COMPLETED)
        return Completed()


def _quietly(call: Callable[..., Any], *arguments: Any) -> None:
    try:
        call(*arguments)
    except OSError:
        return

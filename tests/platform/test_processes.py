"""Programs that we start and end, by each system's own rules: Ctrl-C is ours, children end with their parent, no look kills."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.adapters import processes
from backend.adapters.child_processes import (
    FOLDER_VARIABLES,
    LOCALE_VARIABLES,
    SEARCH_VARIABLES,
    is_running,
    job_here,
    job_of,
    own_group,
)
from backend.adapters.console_end import on_console_end
from backend.adapters.line_process import OwnLineProcess
from backend.terminal import app
from backend.terminal.review import editor_words
from bridge import __main__ as window_program
from tests.patience import PATIENCE
from tests.platform.windows_library import Function

KILL_ON_JOB_CLOSE = 0x2000


class Windows:
    """Processes with what each of them starts, jobs, and handles that are wider than 32 bits."""

    WIDE = 1 << 40

    def __init__(self, running: set[int], *, joins: bool = True, ended: set[int] | None = None) -> None:
        self.running, self.joins = running, joins
        self.ended = ended or set()  # of whom somebody has a handle
        self.jobs: dict[int, set[int]] = {}
        self.flags: dict[int, int] = {}
        self.handles: dict[int, int] = {}

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        function = Function(getattr(type(self), f"_{name}").__get__(self))
        setattr(self, name, function)
        return function

    def start(self, pid: int, parent: int) -> None:
        self.running.add(pid)
        for members in self.jobs.values():
            if parent in members:
                members.add(pid)

    def _new_handle(self, of: int) -> int:
        handle = self.WIDE + len(self.handles) + 1
        self.handles[handle] = of
        return handle

    def _CreateJobObjectW(self, *_: Any) -> int:  # noqa: N802
        handle = self._new_handle(0)
        self.jobs[handle] = set()
        return handle

    def _SetInformationJobObject(self, job: int, kind: int, limits: bytes, size: int) -> int:  # noqa: N802
        assert (kind, len(limits), size) == (9, 144, 144)
        self.flags[job] = int.from_bytes(limits[16:20], "little")
        return 1

    def _OpenProcess(self, _: int, __: int, pid: int) -> int:  # noqa: N802
        return self._new_handle(pid) if pid in self.running | self.ended else 0

    def _AssignProcessToJobObject(self, job: int, process: int) -> int:  # noqa: N802
        if self.joins:
            self.jobs[job].add(self.handles[process])
        return int(self.joins)

    def _TerminateJobObject(self, job: int, _: int) -> int:  # noqa: N802
        self.running -= self.jobs[job]
        return 1

    def _WaitForSingleObject(self, handle: int, _: int) -> int:  # noqa: N802
        return 0x102 if self.handles[handle] in self.running else 0

    def _CloseHandle(self, handle: int) -> int:  # noqa: N802
        del self.handles[handle]
        return 1


def test_on_windows_all_that_a_process_started_ends_with_it_even_when_it_had_ended_before() -> None:
    system = Windows({1, 10})
    job = job_of(10, system)
    assert job is not None
    assert list(system.flags.values()) == [KILL_ON_JOB_CLOSE], "and with us, however we end"
    system.start(11, parent=10)
    system.start(12, parent=11)
    system.running.remove(10)
    job.end()
    job.end()
    assert system.running == {1}
    assert not system.handles


@pytest.mark.parametrize(("pid", "joins"), [(10, False), (99, True)], ids=["not let in", "ended already"])
def test_on_windows_what_comes_into_no_job_leaves_no_handle(pid: int, joins: bool) -> None:
    system = Windows({10}, joins=joins)
    assert job_of(pid, system) is None
    assert system.running == {10}
    assert not system.handles


@pytest.mark.parametrize("pid", [10, 11, 99])
def test_on_windows_a_process_is_looked_at_and_sent_nothing(monkeypatch: pytest.MonkeyPatch, pid: int) -> None:
    system = Windows({10}, ended={11})
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it is killed"))
    monkeypatch.setattr(ctypes, "WinDLL", {"kernel32": system}.__getitem__, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert is_running(pid) == (pid == 10)
    assert not system.handles


@pytest.mark.parametrize(("system", "bound"), [("win32", True), ("linux", False), ("darwin", False)])
def test_only_on_windows_a_process_and_what_it_starts_needs_a_job_to_end_with_us(
    monkeypatch: pytest.MonkeyPatch, system: str, bound: bool
) -> None:
    windows = Windows({10})
    monkeypatch.setattr(ctypes, "WinDLL", {"kernel32": windows}.__getitem__, raising=False)
    monkeypatch.setattr(sys, "platform", system)
    assert (job_here(10) is not None) == bound
    assert list(windows.flags.values()) == [KILL_ON_JOB_CLOSE] * bound


def test_here_a_process_runs_until_it_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_running(child.pid)
    child.communicate(b"\n")
    assert not is_running(child.pid)


@pytest.mark.parametrize(
    ("system", "before", "expected"),
    [
        ("linux", {}, {"start_new_session": True}),
        ("darwin", {}, {"start_new_session": True}),
        ("win32", {}, {"creationflags": 0x0800_0200}),
        ("win32", {"creationflags": 0x4000}, {"creationflags": 0x0800_4200}),
    ],
)
def test_what_is_in_its_own_group_hears_no_ctrl_c_of_ours_and_opens_no_console(
    system: str, before: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert own_group(system, before) == expected


@pytest.mark.parametrize(
    "name", ["TEMP", "TMP", "TMPDIR", "PATH", "PATHEXT", "SYSTEMROOT", "COMSPEC", "USERPROFILE", "HOME", "LANG"]
)
def test_a_program_is_told_what_its_system_needs(name: str) -> None:
    assert name in (*SEARCH_VARIABLES, *FOLDER_VARIABLES, *LOCALE_VARIABLES)


def test_a_process_that_answers_line_by_line_is_told_where_its_system_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows starts no Python without SYSTEMROOT, and without TEMP its files go where nobody may write."""
    for name in FOLDER_VARIABLES:
        monkeypatch.setenv(name, f"the {name}")
    monkeypatch.setenv("OUTRIDER_DATA_DIR", "not its business")
    process = OwnLineProcess(
        [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"], most=1 << 16
    )
    try:
        surroundings = json.loads(process.first_line(PATIENCE))
    finally:
        process.end()
    assert {name: surroundings.get(name) for name in FOLDER_VARIABLES} == {
        name: f"the {name}" for name in FOLDER_VARIABLES
    }
    assert "OUTRIDER_DATA_DIR" not in surroundings


@pytest.mark.parametrize(
    ("system", "editor", "words"),
    [
        ("linux", "vim", ["vim"]),
        ("linux", r"'/opt/my editor/ed' --wait", ["/opt/my editor/ed", "--wait"]),
        ("linux", r"/opt/my\ editor/ed -n", ["/opt/my editor/ed", "-n"]),
        ("win32", r"C:\Windows\notepad.exe", [r"C:\Windows\notepad.exe"]),
        ("win32", r'"C:\Program Files\Notepad++\notepad++.exe" -multiInst', [
            r"C:\Program Files\Notepad++\notepad++.exe", "-multiInst",
        ]),
        ("win32", r"C:\Tools\O'Brien\ed.exe --wait", [r"C:\Tools\O'Brien\ed.exe", "--wait"]),
        ("win32", r'code --user-data-dir="C:\my data" --wait', ["code", r"--user-data-dir=C:\my data", "--wait"]),
        ("win32", r"\\server\share\ed.exe", [r"\\server\share\ed.exe"]),
    ],
)  # fmt: skip
def test_the_users_editor_is_found_as_each_system_writes_it(system: str, editor: str, words: list[str]) -> None:
    assert editor_words(editor, system) == words


def test_an_editor_on_windows_may_have_blanks_in_its_path_without_quotes(tmp_path: Path) -> None:
    (editor := tmp_path / "my editor.exe").touch()
    assert editor_words(str(editor), "win32") == [str(editor)]


class Console:
    """What kernel32 does when something happens to it: the latest function is asked first, and none after one that answers."""

    def __init__(self) -> None:
        self._functions: list[Any] = []

    def SetConsoleCtrlHandler(self, function: Any, add: int) -> int:  # noqa: N802 - its name there
        assert add
        self._functions.append(function)
        return 1

    def happens(self, event: int) -> bool:
        return any(function(event) for function in reversed(self._functions))


@pytest.mark.parametrize(("event", "heard"), [(0, False), (1, False), (2, True), (5, True), (6, True)])
def test_on_windows_the_end_of_the_console_stops_us_and_is_not_answered_before_we_have_ended(
    event: int, heard: bool
) -> None:
    console, done = Console(), list[str]()
    kept_function = on_console_end(console, lambda: done.append("stop"), lambda: done.append("ended"))
    assert not console.happens(event), "whoever answers is ended at once"
    assert done == (["stop", "ended"] if heard else [])
    assert kept_function is not None


def test_on_windows_the_end_of_the_console_is_one_of_the_signals_that_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "SIGBREAK", 21, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert 21 in processes.stop_signals()


@pytest.mark.parametrize("program", ["terminal", "window"])
def test_whatever_has_a_console_hears_its_end(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    heard: list[str] = []
    for module in (app, window_program):
        monkeypatch.setattr(module, "handle_console_end", lambda: heard.append("heard"))
        monkeypatch.setattr(processes, "keep_private", lambda: None)
    monkeypatch.setattr(window_program, "keep_private", lambda: None)
    monkeypatch.setattr(window_program, "remove_keys_from_environment", lambda: None)
    with pytest.raises(SystemExit):
        app.app(["--help"]) if program == "terminal" else window_program.main(["--help"])
    assert heard == ["heard"]

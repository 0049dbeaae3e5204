"""Looks at files in a campaign's folder, and starts approved programs there: bounded in time, without a shell, killed whole."""

import contextlib
import hashlib
import json
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from backend.adapters.child_processes import ProcessTree, inherited_environment, own_group
from backend.adapters.files.command_program import INHERITED_VARIABLES
from backend.domain.turn.commitments import CommandSucceeds, FileContains, FileExists, OutsidePromise
from backend.machine.real_path import real_path
from backend.ports.line_process import ProcessEndedError

PIECE = 1 << 20
_ROOT = Path(__file__).parents[3]
_POLL_SECONDS, _START_SECONDS, _END_SECONDS = 0.1, 10.0, 5.0
_MOST_ANSWER = 10_000


class CampaignFolderChecks:
    """The `OutsideChecks` on this machine; `folder` says where a campaign's folder is, `seconds` how long a file may be read.

    `watcher` starts the program that a command runs under (`command_program`).
    """

    def __init__(self, folder: Callable[[str], Path], watcher: Sequence[str], *, seconds: float = 30.0) -> None:
        self._folder = folder
        self._watcher = list(watcher)
        self._seconds = seconds

    def check(
        self, campaign_id: str, promise: OutsidePromise, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[bool, str]:
        """Whether it is so, and what was found. Raises `ProcessEndedError` once `stopped`."""
        folder = self._folder(campaign_id)
        try:
            if isinstance(promise, CommandSucceeds):
                return _run(self._watcher, folder, promise, stopped)
            with _opened(folder, promise.path) as file:
                deadline = time.monotonic() + self._seconds
                return _holds(file, promise, deadline)
        except TimeoutError:
            return False, f"the check took longer than {self._seconds:g} s"
        except (OSError, ValueError) as error:
            return False, getattr(error, "strerror", None) or str(error)


@contextlib.contextmanager
def _opened(folder: Path, path: str) -> Iterator[BinaryIO]:
    """An ordinary file within the folder, wherever links lead."""
    resolved_path = real_path(folder / path, strict=True)
    if not resolved_path.is_relative_to(real_path(folder)):
        raise ValueError("the file is outside of the campaign's folder")
    if not stat.S_ISREG(resolved_path.stat().st_mode):
        raise ValueError("it is no ordinary file")
    with resolved_path.open("rb") as file:
        yield file


def _holds(file: BinaryIO, promise: FileExists | FileContains, deadline: float) -> tuple[bool, str]:
    if isinstance(promise, FileContains):
        expected_bytes, rest = promise.text.encode(), b""
        for piece in _pieces(file, deadline):
            if expected_bytes in (rest := rest + piece):
                return True, "the text is in the file"
            rest = rest[-len(expected_bytes) :]
        return False, "the text is not in the file"
    if promise.sha256 is None:
        return True, "the file is there"
    digest = hashlib.sha256()
    for piece in _pieces(file, deadline):
        digest.update(piece)
    same = digest.hexdigest() == promise.sha256
    return same, "the file is there, as it was named" if same else f"the file there has SHA-256 {digest.hexdigest()}"


def _pieces(file: BinaryIO, deadline: float) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        if time.monotonic() > deadline:
            raise TimeoutError
        yield piece


def _run(watcher: list[str], folder: Path, promise: CommandSucceeds, stopped: Callable[[], bool]) -> tuple[bool, str]:
    """Whatever it starts ends with it, as far as the system knows how (`command_program`)."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    python_environment = {"PYTHONPATH": str(_ROOT), "PYTHONSAFEPATH": "1"}
    process = subprocess.Popen(  # noqa: S603 - a program of ours
        watcher,
        env={**inherited_environment(INHERITED_VARIABLES), **python_environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **own_group(),
    )
    tree = ProcessTree(process)  # before it is told what to start
    if process.stdin is None or process.stdout is None:
        raise ProcessEndedError
    try:
        asked = {"argv": promise.argv, "folder": str(real_path(folder)), "seconds": promise.timeout_s}
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
        deadline = time.monotonic() + promise.timeout_s + _START_SECONDS
        while not _has_ended(process, _POLL_SECONDS) and time.monotonic() < deadline:
            if stopped():
                raise ProcessEndedError
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        _has_ended(process, _END_SECONDS)
        tree.kill()
        process.wait()
        with process.stdout:
            answer = process.stdout.read(_MOST_ANSWER)
    return _verdict(answer, promise)


def _has_ended(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _verdict(answer: bytes, promise: CommandSucceeds) -> tuple[bool, str]:
    try:
        outcome = json.loads(answer)
    except ValueError:
        return False, "the process that watches over the command was ended"
    if "error" in outcome:
        return False, str(outcome["error"])
    status = outcome["status"]
    if status is None:
        return False, f"the command took longer than {promise.timeout_s} s and was ended"
    return status == promise.exit_code, f"the command ended with status {status}"

"""Python processes without the half second in which each imports the same: forked from one that has imported it.

They are processes like any other: killed for real, with surroundings, files and an end of their own. Where there is no fork,
each is started anew.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from backend.adapters.child_processes import ProcessTree
from tests import posix

ROOT = Path(__file__).parents[1]
Done = subprocess.CompletedProcess[str]


class Forking:
    """Runs functions (`module:name`, with texts as arguments) as processes of their own, one after the other."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            start_new_session=True,
        )

    def run(self, job: Mapping[str, object], timeout: float) -> tuple[int, str, str]:
        """How it ended, and what it said; raises `TimeoutExpired` after so many seconds, and all is killed."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(job).encode() + b"\n")
        self._server.stdin.flush()
        if not select.select([self._server.stdout], [], [], timeout)[0]:
            ProcessTree(self._server).kill()
            _forking.cache_clear()
            raise subprocess.TimeoutExpired(str(job), timeout)
        report = json.loads(self._server.stdout.readline())
        out, err = (text.encode("latin-1").decode("utf-8") for text in report["said"])
        return report["status"], out, err

    def close(self) -> None:
        """End the process from which the others are made."""
        self._server.communicate()


@functools.cache
def _forking() -> Forking:
    made = Forking()
    atexit.register(made.close)
    return made


def run(
    function: str,
    *arguments: str,
    imported: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float,
) -> Done:
    """Run `module:name` with these arguments as a process with this input.

    Its module and the `imported` ones are imported once for all processes.
    """
    surroundings = dict(os.environ if environment is None else environment)
    module, name = function.split(":")
    if sys.platform == "win32":
        command = [sys.executable, "-c", f"import sys; from {module} import {name}; {name}(*sys.argv[1:])", *arguments]
        return subprocess.run(
            command, env=surroundings, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
        )
    job = {
        "module": module,
        "name": name,
        "arguments": arguments,
        "imported": imported,
        "environment": surroundings,
        "given": stdin,
    }
    return subprocess.CompletedProcess([function, *arguments], *_forking().run(job, timeout))


def _jobs() -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
    """Each job, and where its end is told; our own standard streams are left to the processes that are made."""
    asked, reports = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    for line in asked:
        yield json.loads(line), reports


def _serve() -> Callable[[], object] | None:
    """Fork for each job. In the new process: what it is to do; in this one: None, once nobody asks any more."""
    posix.needed()
    for job, reports in _jobs():
        for module in (job["module"], *job["imported"]):
            importlib.import_module(module)
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            stdin.write(job["given"].encode())
            stdin.seek(0)
            # What was imported lives as long as the process: no end of one looks through a million objects for garbage.
            gc.freeze()
            child = os.fork()
            if child == 0:
                return _become(job, (stdin, out, err))
            _, status = os.waitpid(child, 0)
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode("latin-1"))
        reports.write(json.dumps({"status": os.waitstatus_to_exitcode(status), "said": texts}).encode() + b"\n")
        reports.flush()
    return None


def _become(job: dict[str, Any], streams: tuple[IO[bytes], IO[bytes], IO[bytes]]) -> Callable[[], object]:
    """Streams, arguments and surroundings as if this process had just begun."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", errors=sys.stdout.errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", errors=sys.stderr.errors, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(job["environment"])
    sys.argv[1:] = job["arguments"]
    return functools.partial(getattr(sys.modules[job["module"]], job["name"]), *job["arguments"])


if __name__ == "__main__":
    if function := _serve():
        function()

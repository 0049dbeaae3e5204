"""The `outrider` command in processes of its own: to its end, in the background, and in a terminal."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from tests import forked, posix
from tests.chromium import HIDDEN_BROWSER
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
LEADS = ROOT / "tests" / "data" / "Connections.csv"
COMMAND = [sys.executable, "-c", "from backend.terminal.app import app; app(prog_name='outrider')"]
IMPORTED = ("backend.terminal.app", "backend.runtime.doctor", "backend.terminal.run_campaign")
"""What nearly every command imports."""
_POLL = 0.05


def until(what: str, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """What `condition` answers once it is true; fails after `patience` seconds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if answer := condition():
            return answer
        time.sleep(_POLL)
    raise AssertionError(f"not within {patience:.0f} s: {what}")


def command(*arguments: str) -> None:
    """The command in this process."""
    from backend.terminal.app import app  # noqa: PLC0415 - tests need none of it

    app(arguments, prog_name="outrider")


def command_here(*arguments: str) -> None:
    """The same, acting on a practice network in this process."""
    from backend.terminal import run_campaign  # noqa: PLC0415 - tests need none of it
    from tests.fakes.network_here import rehearse_here  # noqa: PLC0415

    rehearse_here(run_campaign)
    command(*arguments)


class Ended:
    """A command that has ended."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    @property
    def told(self) -> dict[str, Any]:
        """The JSON object that is the last line, after which and beside which there is nothing."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out + self.err
        result: dict[str, Any] = json.loads(lines[0])
        return result

    @property
    def code(self) -> str:
        """The code of the error that ended it; the same on both streams."""
        code: str = self.told["error"]["code"]
        assert f"[{code}]" in self.err
        return code


class Outrider:
    """The command on one data folder."""

    program: ClassVar[list[str]] = COMMAND
    function = "tests.cli.outrider:command"

    def __init__(self, data_dir: Path, *prefix: str, **environment: str) -> None:
        self.data_dir = data_dir
        self.command = [*prefix, *self.program]
        self._prefixed = bool(prefix)
        self.environment = {**os.environ, "OUTRIDER_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT), **environment}

    def __call__(self, *arguments: str) -> Ended:
        """Run it to its end, without a terminal."""
        patience = PATIENCE * 2
        if self._prefixed:
            done = subprocess.run(
                [*self.command, *arguments],
                env=self.environment_of(arguments),
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=patience,
                check=False,
            )
        else:
            done = forked.run(
                self.function,
                *arguments,
                imported=IMPORTED,
                environment=self.environment_of(arguments),
                timeout=patience,
            )
        return Ended(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start it in the background."""
        return subprocess.Popen(
            [*self.command, *arguments],
            env=self.environment_of(arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def environment_of(self, arguments: tuple[str, ...]) -> dict[str, str]:
        """What the command with these arguments is given."""
        return {**HIDDEN_BROWSER, **self.environment} if "--headless" in arguments else self.environment

    def campaigns(self) -> list[dict[str, Any]]:
        """What `status` lists."""
        campaigns: list[dict[str, Any]] = self("status", "--json").told["campaigns"]
        return campaigns

    def delivered(self) -> list[dict[str, Any]]:
        """What reached the practice network, by its own ledgers."""
        files = (self.data_dir / "practice").glob("*.jsonl")
        lines = [line for file in files for line in file.read_text("utf-8").split("\n")[:-1]]
        return [entry for line in lines if (entry := json.loads(line)).get("disposition") == "delivered"]


class WithoutBrowser(Outrider):
    """For what is not about the browser, whose start and pages are most of a rehearsal's work."""

    program: ClassVar[list[str]] = [
        sys.executable,
        "-c",
        "import sys; from tests.cli.outrider import command_here; command_here(*sys.argv[1:])",
    ]
    function = "tests.cli.outrider:command_here"

    def __init__(self, data_dir: Path) -> None:
        self._held = data_dir.with_suffix(".held")
        super().__init__(data_dir, TEST_NETWORK_HELD=str(self._held))

    @contextmanager
    def halfway(self, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
        """Start it, and be where something arrived; it gets no answer before the end of this, and cannot be over."""
        before = len(self.delivered())
        self._held.touch()
        running = self.start(*arguments)
        until("something was delivered", lambda: len(self.delivered()) > before)
        yield running
        self._held.unlink()


# Makes the terminal on its standard input its own, so that Ctrl-C arrives as it does at a desk.
_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """The command in a pseudo-terminal, 40 lines of 100 columns."""

    def __init__(self, outrider: Outrider, *arguments: str, **environment: str) -> None:
        self.seen = ""
        self._unread = 0
        self._fd, other = posix.open_terminal(40, 100)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *outrider.command, *arguments],
            env={**outrider.environment_of(arguments), "TERM": "xterm", **environment},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)

    def until(self, what: str, condition: Callable[[], Any]) -> Any:
        """As the function `until`, reading on: the command halts once a terminal that nobody reads is full."""

        def met() -> Any:
            self._read()
            return condition()

        return until(what, met)

    def expect(self, words: str) -> str:
        """Wait until the words come after what was expected before; everything up to them."""
        self.until(
            f"the terminal shows {words!r} after {self.seen[-2_000:]!r}", lambda: words in self.seen[self._unread :]
        )
        at = self.seen.index(words, self._unread) + len(words)
        before, self._unread = self.seen[self._unread : at], at
        return before

    def type(self, keys: str) -> None:
        """Press keys; "\\r" is Enter, "\\x03" Ctrl-C."""
        os.write(self._fd, keys.encode())

    def end(self) -> int:
        """Wait for its end; the exit status."""
        self.until("the command ends", lambda: self.process.poll() is not None)
        self._read()
        return self.process.returncode

    def close(self) -> None:
        """Let go of everything, also after a test that failed half-way."""
        self.process.kill()
        self.process.wait()
        os.close(self._fd)

    def _read(self) -> None:
        while select.select([self._fd], [], [], 0)[0]:
            try:
                got = os.read(self._fd, 65_536)
            except OSError:  # on Linux, the end of a terminal
                return
            if not got:
                return
            self.seen += got.decode("utf-8", "replace")

"""A screen of its own for each test: an X server without hardware, a window manager, and a user's hands (xdotool)."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from tests.patience import PATIENCE

PROGRAMS = ("Xvfb", "openbox", "xdotool", "wmctrl", "xclip", "xprop")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
Result = TypeVar("Result")


class Geometry(NamedTuple):
    x: int
    y: int
    width: int
    height: int


def until(condition: Callable[[], Result | None], what: str) -> Result:
    """Ask again and again for what another process is to bring about."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if answer := condition():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"it did not happen: {what}")


class Screen:
    """A display, by its name (":7")."""

    def __init__(self, display: str) -> None:
        self.display = display
        self.environ = {**os.environ, "DISPLAY": display}

    def run(self, *command: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            command, env=self.environ, input=stdin, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        return done.stdout.strip()

    def hands(self, *command: str) -> str:
        """What the user does with keyboard and mouse."""
        return self.run("xdotool", *command)

    def window(self, title: str) -> str:
        """The id of the visible window with this title (a regular expression), as soon as there is one."""
        windows = until(lambda: self.hands("search", "--onlyvisible", "--name", title), f"a window {title}")
        return windows.splitlines()[-1]

    def is_gone(self, title: str, *, seconds: float) -> bool:
        """Whether no window has this title any more, at the latest after so many seconds."""
        deadline = time.monotonic() + seconds
        while self.hands("search", "--onlyvisible", "--name", title):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def title(self, window: str) -> str:
        return self.hands("getwindowname", window)

    def geometry(self, window: str) -> Geometry:
        shell = dict(line.split("=") for line in self.hands("getwindowgeometry", "--shell", window).splitlines())
        return Geometry(int(shell["X"]), int(shell["Y"]), int(shell["WIDTH"]), int(shell["HEIGHT"]))

    def state(self, window: str) -> str:
        """What the window manager says of it, such as "_NET_WM_STATE_HIDDEN"."""
        return self.run("xprop", "-id", window, "_NET_WM_STATE")

    def minimize(self, window: str) -> None:
        """Again until it is: a window manager busy with the window loses a wish on a loaded machine."""
        until(lambda: "HIDDEN" in self.state(window) or self.hands("windowminimize", window), "it is minimised")

    def close(self, window: str) -> None:
        """Through the window manager, as the cross in its corner does; a key could be lost on a busy machine."""
        self.run("wmctrl", "-i", "-c", window)

    def double_click_title(self, window: str) -> None:
        """Which maximises the window, and brings it back."""
        shown = self.geometry(window)  # counts the frame's own offset twice, hence not just above it
        position = (str(shown.x + shown.width // 3), str(max(shown.y - 30, 8)))
        self.hands("mousemove", "--sync", *position, "click", "--repeat", "2", "--delay", "60", "1")

    def clipboard(self) -> str:
        return self.run("xclip", "-selection", "clipboard", "-o")


@contextmanager
def screen(*options: str, width: int = 1600, height: int = 1000) -> Iterator[Screen]:
    """Until the test is over; `options` are the X server's."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", *options],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as output:
        display = f":{output.readline().strip()}"
    made = Screen(display)
    manager = _manager(made)

    def managed() -> bool:
        nonlocal manager
        if manager.poll() is not None:  # it gives up when the server is slow to answer
            manager = _manager(made)
        return "window id" in made.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")

    try:
        until(managed, "a window manager")
        yield made
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait()


def _manager(made: Screen) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["openbox"], env=made.environ, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

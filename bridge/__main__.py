"""`python -m bridge`: Outrider's window, or where there is no display the address of its page."""

import argparse
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from backend.api.knock import Knock
from backend.domain.errors import OutriderError
from backend.instance import InstanceLock
from backend.processes import withhold_keys
from backend.settings import AppSettings, read_settings
from bridge import window
from bridge.address import listening, port_of, url_of
from bridge.doorstep import door, knock
from bridge.ending import leave, when_asked_to_end


def main(arguments: list[str] | None = None) -> int:
    """Serve until the window is closed or Ctrl-C; the exit status."""
    withhold_keys()
    parser = argparse.ArgumentParser(prog="python -m bridge", description="Open Outrider.")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept")
    parser.add_argument("--no-window", action="store_true", help="print the page's address instead of opening a window")
    parser.add_argument("--headless-browser", action="store_true", help="hide the practice network's browser (tests)")
    given = parser.parse_args(arguments)
    try:
        settings = read_settings(data_dir=given.data_dir)
        try:
            serve(settings, windowed=not given.no_window, hidden_browser=given.headless_browser)
        except OutriderError as error:
            if error.code != "instance_running" or not knocked(settings.data_dir):
                raise
    except OutriderError as error:
        sys.stderr.write(f"{error.code}: {error.sentence}\n  {error.remedy}\n")
        return 1
    return 0


def knocked(folder: Path) -> bool:
    """Whether another launch has this data folder and was found; says where it is."""
    found = knock(folder)
    if found is None:
        return False
    there, window = found
    say(f"Outrider is running already, at {there.url}")
    say("Its window is in front now." if window else "The code for the page is in the terminal where it was started.")
    return True


def serve(settings: AppSettings, *, windowed: bool, hidden_browser: bool) -> None:
    """One launch; on leaving, a running campaign stops after its current action."""
    displayed = window.display_available()
    windowed = windowed and displayed
    # Without a display no browser can be seen; the practice network's may be hidden, no other ever is.
    hidden_browser = hidden_browser or not displayed
    knocks = Knock()
    with (
        InstanceLock(settings.data_dir),
        listening() as listener,
        door(settings.data_dir, port=port_of(listener), secret=knocks.secret),
    ):
        if windowed:
            show(settings, listener, knocks, hidden_browser=hidden_browser)
        else:
            wait(settings, listener, knocks, hidden_browser=hidden_browser)


def show(settings: AppSettings, listener: socket.socket, knocks: Knock, *, hidden_browser: bool) -> None:
    """Show the window until it is closed; the backend is imported and opened while Qt and its engine start."""
    opened = window.Window(url_of(listener), settings.data_dir)
    closed = threading.Event()

    def in_front() -> bool:
        opened.bring_to_front()
        return True

    knocks.answer = in_front

    def back() -> None:
        from bridge.backing import backed  # noqa: PLC0415 - that is the point

        try:
            with backed(settings, listener, knock=knocks, hidden_browser=hidden_browser, attach=opened.attach):
                closed.wait()
        finally:
            if not closed.is_set():  # it failed; the main thread says why when the window is gone
                opened.close()

    with ThreadPoolExecutor(1, thread_name_prefix="backend") as beside:
        backend = beside.submit(back)
        try:
            with when_asked_to_end(opened.close):
                opened.show()
        finally:
            closed.set()
        backend.result()


class Code:
    """The pairing code, printed in a terminal only when a plain browser may need it."""

    def __init__(self) -> None:
        self._latest = ""
        self._printing = False

    def show(self, code: str) -> None:
        """The code that is good from now on."""
        self._latest = code
        if self._printing:
            say(f"Code for the next page: {code}")

    def begin(self) -> None:
        """Print this one and those that follow."""
        self._printing = True
        say(f"Code for the page: {self._latest}")


def wait(settings: AppSettings, listener: socket.socket, knocks: Knock, *, hidden_browser: bool) -> None:
    """Say where the page is, and serve until Ctrl-C."""
    from bridge.backing import backed  # noqa: PLC0415 - as in `show`

    code, ended = Code(), threading.Event()
    with (
        backed(settings, listener, knock=knocks, hidden_browser=hidden_browser, show_code=code.show),
        when_asked_to_end(ended.set),
    ):
        say(f"Outrider is at {url_of(listener)}")
        code.begin()
        if hidden_browser:
            say("The practice network's browser is hidden.")
        say("Press Ctrl-C to end; a running campaign stops after its current action.")
        while not ended.wait(0.5):  # short, because on Windows a long wait cannot be interrupted
            pass
        say("Closing.")


def say(line: str) -> None:
    """To the terminal."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    leave(main())

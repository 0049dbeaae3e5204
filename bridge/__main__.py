"""`python -m bridge`: Outrider's window, or where there is no display the address of its page."""

import argparse
import gc
import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from backend.adapters.instance_lock import InstanceLock
from backend.adapters.processes import remove_keys_from_environment
from backend.api.page_files import PAGE
from backend.api.window_activation import WindowActivation
from backend.domain.errors import OutriderError
from backend.settings import AppSettings, read_settings
from bridge import window
from bridge.early_page import EarlyPage
from bridge.listener import open_listener, port_of, url_of
from bridge.single_instance import activate_running_instance, published_instance
from bridge.termination import exit_process, on_termination_signal


def main(arguments: list[str] | None = None) -> int:
    """Serve until the window is closed or Ctrl-C; the exit status."""
    os.umask(0o077)  # whatever is written from here on is for its owner alone
    remove_keys_from_environment()
    parser = argparse.ArgumentParser(prog="outrider app", description="Open Outrider.")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept")
    parser.add_argument("--no-window", action="store_true", help="print the page's address instead of opening a window")
    parser.add_argument("--headless-browser", action="store_true", help="hide the practice network's browser (tests)")
    given = parser.parse_args(arguments)
    try:
        settings = read_settings(data_dir=given.data_dir)
        try:
            serve(settings, windowed=not given.no_window, hidden_browser=given.headless_browser)
        except OutriderError as error:
            if error.code != "instance_running" or not activate_if_running(settings.data_dir):
                raise
    except OutriderError as error:
        sys.stderr.write(f"{error.code}: {error.sentence}\n  {error.remedy}\n")
        return 1
    return 0


def activate_if_running(folder: Path) -> bool:
    """Whether another launch has this data folder and was found; says where it is."""
    found = activate_running_instance(folder)
    if found is None:
        return False
    there, window = found
    print_line(f"Outrider is running already, at {there.url}")
    print_line(
        "Its window is in front now." if window else "The code for the page is in the terminal where it was started."
    )
    return True


def serve(settings: AppSettings, *, windowed: bool, hidden_browser: bool) -> None:
    """One launch; on leaving, a running campaign stops after its current action."""
    displayed = window.display_available()
    windowed = windowed and displayed
    # Without a display no browser can be seen; the practice network's may be hidden, no other ever is.
    hidden_browser = hidden_browser or not displayed
    window_activation = WindowActivation()
    with (
        InstanceLock(settings.data_dir),
        open_listener() as listener,
        published_instance(settings.data_dir, port=port_of(listener), secret=window_activation.secret),
    ):
        if windowed:
            show(settings, listener, window_activation, hidden_browser=hidden_browser)
        else:
            wait(settings, listener, window_activation, hidden_browser=hidden_browser)


def show(
    settings: AppSettings, listener: socket.socket, window_activation: WindowActivation, *, hidden_browser: bool
) -> None:
    """Show the window until it is closed; the backend is imported and opened while Qt starts and the page is painted."""
    opened = window.Window(url_of(listener), settings.data_dir)
    closed = threading.Event()

    def in_front() -> bool:
        opened.bring_to_front()
        return True

    window_activation.show_window = in_front
    window_activation.make_room = opened.make_room

    def end() -> None:
        if not closed.is_set():
            opened.close()

    def back() -> None:
        early = EarlyPage(listener, PAGE, opened.look)
        early.start()
        try:
            opened.started.wait()  # both are Python at work, which takes turns; the window's is seen first
            from bridge.launch import serving_backend  # noqa: PLC0415 - that is the point

            with serving_backend(
                settings,
                listener,
                window_activation=window_activation,
                hidden_browser=hidden_browser,
                attach=opened.attach,
                early=early,
            ):
                closed.wait()
        finally:
            early.close()
            if not closed.is_set():  # it failed; the main thread says why when the window is gone
                opened.close()

    with ThreadPoolExecutor(1, thread_name_prefix="backend") as beside:
        backend = beside.submit(back)
        with on_termination_signal(end):
            try:
                opened.show()
            finally:
                closed.set()
            backend.result()  # a campaign's current action ends first; a second signal does not wait for it


class PairingCodePrinter:
    """The pairing code, printed in a terminal only when a plain browser may need it."""

    def __init__(self) -> None:
        self._latest = ""
        self._printing = False

    def show(self, code: str) -> None:
        """The code that is good from now on."""
        self._latest = code
        if self._printing:
            print_line(f"Code for the next page: {code}")

    def begin(self) -> None:
        """Print this one and those that follow."""
        self._printing = True
        print_line(f"Code for the page: {self._latest}")


def wait(
    settings: AppSettings, listener: socket.socket, window_activation: WindowActivation, *, hidden_browser: bool
) -> None:
    """Say where the page is, and serve until Ctrl-C."""
    from bridge.launch import serving_backend  # noqa: PLC0415 - as in `show`

    code, ended = PairingCodePrinter(), threading.Event()
    with (
        serving_backend(
            settings, listener, window_activation=window_activation, hidden_browser=hidden_browser, show_code=code.show
        ),
        on_termination_signal(ended.set),
    ):
        print_line(f"Outrider is at {url_of(listener)}")
        code.begin()
        if hidden_browser:
            print_line("The practice network's browser is hidden.")
        print_line("Press Ctrl-C to end; a running campaign stops after its current action.")
        while not ended.wait(0.5):  # short, because on Windows a long wait cannot be interrupted
            pass
        print_line("Closing.")


def print_line(line: str) -> None:
    """To the terminal, as long as there is one."""
    with suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    gc.disable()  # until everything is imported and open (`bridge.launch`): that leaves little to collect, and looking takes long
    sys.setswitchinterval(0.0005)  # until then, too: the window and its page wait for short moments of Python
    exit_process(main())

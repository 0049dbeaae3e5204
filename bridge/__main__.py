"""`python -m bridge`: Outrider's window, or where there is no display the address of its page."""

import argparse
import gc
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from backend.adapters.console_end import handle_console_end
from backend.adapters.display import why_no_display, why_no_window
from backend.adapters.instance_lock import InstanceLock
from backend.adapters.processes import keep_private, remove_keys_from_environment
from backend.adapters.webview_runtime import require_webview_runtime
from backend.api.server.page_files import PAGE
from backend.api.server.window_activation import WindowActivation
from backend.domain.values.errors import OutriderError, as_told
from backend.machine.settings import AppSettings, data_folder, read_settings
from bridge import window
from bridge.early_page import EarlyPage
from bridge.listener import open_listener, port_of, url_of
from bridge.single_instance import PUBLISHED_SECONDS, activate_running_instance, last_port, published_instance
from bridge.start_failure import show_start_failure
from bridge.termination import exit_process, on_termination_signal
from bridge.window_backend import WindowBackend

if TYPE_CHECKING:
    from backend.api.server.services import Services


def main(arguments: list[str] | None = None) -> int:
    """Serve until the window is closed or Ctrl-C; the exit status."""
    keep_private()
    handle_console_end()
    remove_keys_from_environment()
    parser = argparse.ArgumentParser(prog="outrider app", description="Open Outrider.")
    parser.add_argument("--data-dir", type=Path, help="where everything is kept")
    parser.add_argument("--no-window", action="store_true", help="print the page's address instead of opening a window")
    parser.add_argument("--headless-browser", action="store_true", help="hide the practice network's browser (tests)")
    options = parser.parse_args(arguments)
    try:
        serve(options.data_dir, windowed=not options.no_window, hidden_browser=options.headless_browser)
    except (OutriderError, OSError, MemoryError) as error:
        coded_error = as_told(error)
        if coded_error.code == "internal_error":
            raise
        show_start_failure(coded_error)
        return 1
    return 0


def activate_if_running(folder: Path) -> bool:
    """Whether another launch has this data folder and was found; says where it is, and how to reach it."""
    print_line("Outrider is running already.")
    running_launch = activate_running_instance(folder, published_within=PUBLISHED_SECONDS)
    if running_launch is None:
        return False
    address, shown = running_launch
    if shown.window:
        print_line("Its window is in front now.")
    else:
        print_line(f"It is at {address.url}")
        print_line(f"Code for the page: {shown.code}")
    return True


class DataFolder:
    """The data folder of this launch, held from `claim` to the end of the `stack`."""

    def __init__(self, requested_path: Path | None, stack: ExitStack, port: int, secret: str) -> None:
        self._requested_path, self._stack = requested_path, stack
        self._port, self._secret = port, secret
        self.settings: AppSettings | None = None
        """Once it is held."""

    @property
    def path(self) -> Path:
        """Where it is or should be."""
        return self.settings.data_dir if self.settings else data_folder(self._requested_path)

    def claim(self) -> AppSettings:
        """Make it ours, unless it is; raises `data_dir_unusable`, `setting_invalid` and `instance_running`."""
        if self.settings is None:
            settings = read_settings(data_dir=self._requested_path)
            self._stack.enter_context(InstanceLock(settings.data_dir))
            self._stack.enter_context(published_instance(settings.data_dir, port=self._port, secret=self._secret))
            self.settings = settings
        return self.settings


def serve(data_dir: Path | None, *, windowed: bool, hidden_browser: bool) -> None:
    """One launch; on leaving, a running campaign stops after its current action."""
    missing = why_no_display()
    if windowed and (why := missing or why_no_window()):
        print_line(f"No window can be shown: {why}. Open the address below in a browser instead.")
        windowed = False
    # Without a display no browser can be seen; the practice network's may be hidden, no other ever is.
    hidden_browser = hidden_browser or bool(missing)
    activation = WindowActivation()
    with open_listener(last_port(data_folder(data_dir))) as listener, ExitStack() as stack:
        folder = DataFolder(data_dir, stack, port_of(listener), activation.secret)
        failure = None
        try:
            folder.claim()
        except OutriderError as error:
            if error.code == "instance_running" and activate_if_running(folder.path):
                return
            failure = error
        if windowed:
            show(folder, listener, activation, failure, hidden_browser=hidden_browser)
        elif failure:
            raise failure
        else:
            wait(folder.claim(), listener, activation, hidden_browser=hidden_browser)


def show(
    folder: DataFolder,
    listener: socket.socket,
    window_activation: WindowActivation,
    failure: OutriderError | None,
    *,
    hidden_browser: bool,
) -> None:
    """Show the window until it is closed; the backend is imported and opened while Qt starts and the page is painted.

    When that fails, or when a `failure` came before it, the page says why and may ask to start again. Raises what keeps the
    window itself from being shown.
    """
    require_webview_runtime()
    opened = window.Window(url_of(listener), folder.path)
    early = EarlyPage(listener, PAGE, opened.look, opened.query, opened.seen)

    def in_front() -> bool:
        opened.bring_to_front()
        return True

    window_activation.show_window = in_front
    window_activation.make_room = opened.make_room

    def serving(attach: Callable[["Services"], None]) -> AbstractContextManager[None]:
        settings = folder.claim()
        from bridge.launch import serving_backend  # noqa: PLC0415 - that is the point

        return serving_backend(
            settings,
            listener,
            window_activation=window_activation,
            hidden_browser=hidden_browser,
            attach=attach,
            early=early,
        )

    window_backend = WindowBackend(opened, early, serving, failure)
    with ThreadPoolExecutor(1, thread_name_prefix="backend") as pool:
        backend = pool.submit(window_backend.run)
        with on_termination_signal(window_backend.close_window):
            try:
                opened.show()
            finally:
                window_backend.window_closed()
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

"""Processes in which Outrider begins to run, by each of its entries, and that then reach for another machine."""

import socket
from contextlib import suppress
from pathlib import Path

from backend.app.launch import open_backend
from backend.machine.settings import AppSettings
from backend.terminal.app import app


def the_app(folder: str) -> None:
    """Open and close the app, and print what is said to who reaches out then."""
    with open_backend(AppSettings(Path(folder), "", 10), show_code=print):
        pass
    _reach_out()


def a_command(folder: str) -> None:
    """Give a command, and print what is said to who reaches out then."""
    with suppress(SystemExit):
        app(["status", "--data-dir", folder])
    _reach_out()


def _reach_out() -> None:
    for host, port in (("192.0.2.1", 9), ("2001:db8::1", 9)):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as raw:
            try:
                raw.connect((host, port))
            except PermissionError as error:
                print(error)


ENTRIES = (the_app, a_command)

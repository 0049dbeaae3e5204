"""The backend of one launch: opened, listening, and ended. Importing it imports nearly everything."""

import gc
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backend.api.app import create_app
from backend.api.server.services import Services
from backend.api.server.window_activation import WindowActivation
from backend.app.launch import open_backend
from backend.machine.settings import AppSettings
from bridge.early_page import EarlyPage
from bridge.server import LoopbackServer


@contextmanager
def serving_backend(
    settings: AppSettings,
    listener: socket.socket,
    *,
    window_activation: WindowActivation,
    hidden_browser: bool,
    show_code: Callable[[str], None] = lambda _: None,
    attach: Callable[[Services], None] = lambda _: None,
    early: EarlyPage | None = None,
) -> Iterator[None]:
    """Answer until left; on leaving, a running campaign stops after its current action.

    `attach` gets the services once they answer; connections that wait at the `early` page are answered first.
    """
    with open_backend(
        settings, show_code=show_code, window_activation=window_activation, hidden_browser=hidden_browser
    ) as launch:
        server = LoopbackServer(create_app(launch.services), listener, launch.services.caller_of)
        launch.authority[0] = server.authority
        server.start(early.hand_over() if early else ())
        if not gc.isenabled():
            gc.freeze()  # what was made until now stays, and is never looked through again
            gc.enable()
            sys.setswitchinterval(0.005)  # as usual
        try:
            attach(launch.services)
            yield
        finally:
            launch.services.feed.close()
            server.close()

"""The backend of one launch: opened, listening, and ended. Importing it imports nearly everything."""

import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backend.api.app import create_app
from backend.api.services import Services
from backend.api.window_activation import WindowActivation
from backend.launch import open_backend
from backend.settings import AppSettings
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
) -> Iterator[None]:
    """Answer until left; on leaving, a running campaign stops after its current action. `attach` goes before any answer."""
    with open_backend(
        settings, show_code=show_code, window_activation=window_activation, hidden_browser=hidden_browser
    ) as launch:
        attach(launch.services)
        server = LoopbackServer(create_app(launch.services), listener, launch.services.is_token)
        launch.authority[0] = server.authority
        server.start()
        if not gc.isenabled():
            gc.freeze()  # what was made until now stays, and is never looked through again
            gc.enable()
        try:
            yield
        finally:
            launch.services.feed.close()
            server.close()

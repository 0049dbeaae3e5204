"""The backend of one launch: opened, listening, and ended. Importing it imports nearly everything."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from backend.api.app import create_app
from backend.api.knock import Knock
from backend.api.services import Services
from backend.live_session import launched
from backend.settings import AppSettings
from bridge.server import LoopbackServer


@contextmanager
def backed(
    settings: AppSettings,
    listener: socket.socket,
    *,
    knock: Knock,
    hidden_browser: bool,
    show_code: Callable[[str], None] = lambda _: None,
    attach: Callable[[Services], None] = lambda _: None,
) -> Iterator[None]:
    """Answer until left; on leaving, a running campaign stops after its current action. `attach` goes before any answer."""
    with launched(settings, show_code=show_code, knock=knock, hidden_browser=hidden_browser) as launch:
        attach(launch.services)
        server = LoopbackServer(create_app(launch.services), listener)
        launch.authority[0] = server.authority
        server.start()
        try:
            yield
        finally:
            launch.services.feed.close()
            server.close()

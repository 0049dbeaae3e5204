"""The practice network as a web server on 127.0.0.1, in a process of its own."""

import json
import os
import queue
import signal
import socket
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import Forbidden, LengthRequired
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from backend.practice import virtual_time
from backend.practice.control import create_control
from backend.practice.launch_secrets import LONGEST_LINE, LaunchSecrets
from backend.practice.ledger import LedgerDamaged, LedgerInUse
from backend.practice.network_store import DEFAULT_PEOPLE, DEFAULT_SEED, NetworkStore
from backend.practice.pages import create_pages

HOST = "127.0.0.1"
LATE_EVERY = 0.1
LARGEST_REQUEST = 32 * 1024 * 1024
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


STOP_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
)


class CannotServe(Exception):  # noqa: N818 - says what is so
    """The network could not be started; the sentence says why."""


def create_app(exchange: NetworkStore, secrets: LaunchSecrets, authority: str) -> Flask:
    """The web application; `authority`, its "127.0.0.1:port", is the only Host that is answered."""
    app = Flask("backend.practice")
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    app.jinja_env.filters.update(
        iso=virtual_time.iso, spoken=virtual_time.format_time, day=virtual_time.format_day, ago=virtual_time.ago
    )
    app.register_blueprint(create_pages(exchange, secrets.password))
    app.register_blueprint(create_control(exchange, secrets.control_token))

    @app.before_request
    def refuse_strange_requests() -> None:
        # A web page whose own name was rebound to 127.0.0.1 would be of the same origin as ours. (Flask makes a host up
        # where the header is missing.)
        if request.headers.get("Host") != authority:
            raise Forbidden(f"Only {authority} is answered.")
        if "Transfer-Encoding" in request.headers:  # werkzeug reads beyond a chunk that is cut short
            raise LengthRequired

    @app.after_request
    def harden(response: Response) -> Response:
        response.headers.update(HEADERS)
        if response.mimetype in ("text/html", "application/json"):
            # Going back in a browser must show what is so now.
            response.cache_control.no_store = True
        return response

    return app


class QuietHandler(WSGIRequestHandler):
    """Stdout and stderr are for whoever started the process; the ledger is the log."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword.lower() != "server":  # no business of anybody's
            super().send_header(keyword, value)

    def log_request(self, *_: Any) -> None:
        pass


class PracticeServer:
    """A running practice network; close() stops it and lets the ledger go."""

    def __init__(
        self,
        port: int,
        ledger_path: Path,
        secrets: LaunchSecrets,
        *,
        seed: int | str = DEFAULT_SEED,
        people: int = DEFAULT_PEOPLE,
        now: int | None = None,
    ) -> None:
        listener = listen(port)
        try:
            self.exchange = NetworkStore.open(ledger_path, seed=seed, people=people, now=now)
        except (LedgerDamaged, LedgerInUse, OSError) as error:
            listener.close()
            raise CannotServe(f"The ledger cannot be opened: {error}") from error
        self.port: int = listener.getsockname()[1]
        app = create_app(self.exchange, secrets, f"{HOST}:{self.port}")
        self._server: BaseWSGIServer = make_server(
            HOST, self.port, app, threaded=True, request_handler=QuietHandler, fd=listener.fileno()
        )
        listener.close()
        self._closing = threading.Event()
        self._late = threading.Thread(target=self._carry_out_late, name="late", daemon=True)
        self._late.start()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="practice", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def _carry_out_late(self) -> None:
        """What is late is carried out in time also when nobody asks for anything."""
        while not self._closing.wait(LATE_EVERY):
            self.exchange.carry_out_due()

    def close(self) -> None:
        self._closing.set()
        self._late.join()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.exchange.close()


def listen(port: int) -> socket.socket:
    """A listening socket; ours alone, also on Windows, where SO_REUSEADDR would let two share a port."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
    listener.setsockopt(socket.SOL_SOCKET, exclusive or socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise CannotServe(f"Port {port} of {HOST} cannot be used: {error}") from error
    return listener


def serve(
    port: int,
    ledger_path: Path,
    *,
    seed: int | str = DEFAULT_SEED,
    people: int = DEFAULT_PEOPLE,
    now: int | None = None,
    exit_with_parent: bool = False,
) -> None:
    """Serve until a signal or, with exit_with_parent, the end of stdin; raises CannotServe.

    Prints one line of JSON when ready. The launch's secrets are the first line of stdin, with exit_with_parent; else
    they are new ones, and in the line that is printed: whoever started it reads that. Call it from the main thread:
    signals arrive there.
    """
    secrets = read_secrets() if exit_with_parent else LaunchSecrets.new()
    stop: queue.SimpleQueue[str] = queue.SimpleQueue()  # its put may be called from a signal handler

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        stop.put("signal")

    previous = {number: signal.signal(number, ask_to_stop) for number in STOP_SIGNALS}
    try:
        server = PracticeServer(port, ledger_path, secrets, seed=seed, people=people, now=now)
        ready: dict[str, Any] = {"url": server.url, "ledger": str(server.exchange.ledger.path), "pid": os.getpid()}
        if not exit_with_parent:
            ready |= secrets._asdict()
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        if exit_with_parent:
            threading.Thread(target=watch_parent, args=(stop,), name="parent", daemon=True).start()
        wait(stop)
        server.close()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def read_secrets() -> LaunchSecrets:
    """From the first line of stdin, byte by byte: what follows is for `watch_parent`."""
    line = b""
    while not line.endswith(b"\n") and len(line) < LONGEST_LINE:
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    try:
        return LaunchSecrets.from_line(line)
    except ValueError as error:
        raise CannotServe(f"Its first line of input must hold the launch's secrets: {error}") from None


def wait(stop: "queue.SimpleQueue[str]") -> None:
    while True:
        try:
            stop.get(timeout=1)  # a wait without end could not be interrupted on Windows
        except queue.Empty:
            continue
        return


def watch_parent(stop: "queue.SimpleQueue[str]") -> None:
    """Ask to stop at the end of stdin, which comes when the process that holds its other end dies, on every OS."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    stop.put("parent")

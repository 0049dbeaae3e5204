"""The live feed over a websocket: token first, then what was missed, then what happens."""

import contextlib
import socket as sockets
import threading
import time
from functools import partial
from typing import Annotated, Any, Never

from flask import Flask, Response, g, request
from flask_sock import Sock
from pydantic import Field
from simple_websocket import ConnectionClosed, Server  # type: ignore[import-untyped]
from wsproto.utilities import ProtocolError

from backend.api.server.auth import FEED
from backend.api.server.request_data import json_text, parse_json
from backend.api.server.services import Services
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Shape
from backend.runtime.feed.feed import FeedClient

MAX_MESSAGE_BYTES = 64 * 1024
MOST_SOCKETS = 16
PAUSE_SECONDS = 0.02
"""Between two sendings, so that a fast loop is shown in pictures and not in every detail. What the eye gets is to be no older
than a tenth of a second, all in all."""

ADMITTED = "outrider.admitted"
"""The server's function in a request's environment, to be called once the token was shown after the upgrade."""

REFUSED, GOING_AWAY, TRY_LATER = 1008, 1001, 1013


class Hello(Shape):
    """The socket's first message: the token, and the last event seen of each campaign."""

    token: str = Field(max_length=128)
    after: dict[Id, Annotated[int, Field(ge=0)]] = Field(max_length=1_000)


def register(app: Flask, services: Services) -> None:
    """`/api/feed`. Host and Origin were checked before the upgrade (auth.py)."""
    app.config["SOCK_SERVER_OPTIONS"] = {"ping_interval": 25, "max_message_size": MAX_MESSAGE_BYTES}
    slots = threading.BoundedSemaphore(MOST_SOCKETS)

    def feed(ws: Server) -> None:
        try:
            hello = _hello(ws, services)
            if hello is None:
                return
            # Not before: whoever says nothing takes no slot from those who do.
            if not slots.acquire(blocking=False):
                ws.close(TRY_LATER, "too_many_sockets")
                return
            try:
                request.environ.get(ADMITTED, _no_server)()
                _serve(ws, services, hello)
            finally:
                slots.release()
        except OSError as error:  # the other side is gone; simple_websocket says so in two ways
            raise ConnectionClosed from error
        finally:
            g.had_websocket = True
            _cut(ws)
            ws.thread.join()  # not woken by a socket that is closed right after, it would live until the next ping

    def end_without_answer(response: Response) -> Response:
        return _NoAnswer() if "had_websocket" in g else response

    app.after_request(end_without_answer)
    Sock(app).route(FEED)(feed)
    upgrade = app.view_functions[feed.__name__]

    def refuse_malformed() -> Any:
        try:
            return upgrade()
        except (ProtocolError, ConnectionError) as error:  # from the handshake: `feed` lets neither out
            raise OutriderError("bad_request", detail="its websocket handshake is malformed") from error

    app.view_functions[feed.__name__] = refuse_malformed


def _no_server() -> None:
    """For the test client, behind which there is none."""


class _NoAnswer(Response):
    """Ends the request: flask-sock would write an HTTP answer behind the closing frame, to a socket that may be closed."""

    def __call__(self, *_: Any) -> Never:
        raise ConnectionAbortedError("the websocket has ended")


def _cut(ws: Server) -> None:
    with contextlib.suppress(OSError):
        ws.sock.shutdown(sockets.SHUT_RDWR)


def _hello(ws: Server, services: Services) -> Hello | None:
    """What it says first; whoever says nothing is cut off by the server, like everybody else without the token."""
    ws.sock.settimeout(None)
    text = None
    while text is None:  # each second anew: the library does not always wake who waits when the connection ends
        text = ws.receive(timeout=1.0)
    try:
        hello = parse_json(Hello, text) if isinstance(text, str) else None
    except OutriderError:
        hello = None
    if hello is None or not services.token.matches(hello.token):
        ws.close(REFUSED, "token_refused")
        return None
    return hello


def _serve(ws: Server, services: Services, hello: Hello) -> None:
    database, client = services.database, FeedClient(hello.after, partial(_cut, ws))
    services.feed.subscribe(client)
    try:
        ws.send(json_text(client.open(database)))
        if services.importer.progress is not None and services.importer.progress.phase == "running":
            client.send_transient("import", services.importer.progress)
        listing = services.do_not_contact_importer.progress
        if listing is not None and listing.phase == "running":
            client.send_transient("do_not_contact_import", listing)
        while ws.connected and not client.closed:
            if ws.input_buffer:  # after its first message a page has nothing to say here
                ws.close(REFUSED, "unexpected_message")
                return
            if not client.wait(1.0):
                continue
            for message in client.take(database):
                client.sending_since = time.monotonic()
                ws.send(json_text(message))
                client.sending_since = None
            time.sleep(PAUSE_SECONDS)
        if client.closed:
            ws.close(GOING_AWAY, "closing")
    finally:
        if services.feed.unsubscribe(client) == 0:
            services.presence.leave()

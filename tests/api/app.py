"""The app's backend on a real port, with real SQLite and real sockets, and a client that may send any header it likes."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from flask import Flask
from simple_websocket import Client, ConnectionClosed  # type: ignore[import-untyped]
from werkzeug.routing import Map

from backend.api import app as api
from backend.api.app import create_app
from backend.api.server.page_files import PAGE
from backend.api.server.services import Services
from backend.app.launch import RunningBackend, open_backend
from backend.domain.device.vault import KdfCost
from backend.domain.events.events import Event
from backend.domain.model.task import NEVER
from backend.machine.settings import read_settings
from backend.runtime.run.run_service import RunService
from backend.runtime.workspace import Workspace
from bridge.listener import open_listener
from bridge.server import ConnectionLimits, LoopbackServer
from tests.patience import PATIENCE

JSON = "application/json"
FOR_EVER = 10 * PATIENCE
NEVER_TIMED_OUT = ConnectionLimits(
    head_seconds=FOR_EVER,
    without_token_seconds=FOR_EVER,
    without_token_seconds_when_busy=FOR_EVER,
    body_seconds=FOR_EVER,
    idle_seconds=FOR_EVER,
)
"""Nobody is cut off because the machine is busy, nor owes an answer to somebody else's being cut off."""


class AppOfKnownAddresses(Flask):
    """Its addresses are those of every app: what one of this process compiled, half of a start's work, serves the next."""

    known: ClassVar[set[tuple[str, str]]] = set()
    addresses: ClassVar[Map] = Map()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.url_map = self.addresses

    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: Any = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        """Only who answers is new."""
        endpoint = endpoint or str(view_func.__name__)
        if (rule, endpoint) in self.known:
            self.view_functions[endpoint] = view_func
        else:
            super().add_url_rule(rule, endpoint, view_func, provide_automatic_options, **options)
            self.known.add((rule, endpoint))

    @classmethod
    @contextmanager
    def of_the_product_alone(cls) -> Iterator[None]:
        """They are compiled again for the next app if a test gives others to this one."""
        known_addresses, before = cls.known, len(cls.known)
        yield
        if len(known_addresses) != before:
            cls.known, cls.addresses = set(), Map()


api.Flask = AppOfKnownAddresses  # type: ignore[attr-defined]


class PageSocket(Client):  # type: ignore[misc]
    """A websocket client that names the port in Host, as every browser does and the library forgets."""

    def handshake(self) -> None:
        self.host: str = f"127.0.0.1:{self.port}"
        super().handshake()


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        code: str = self.json["code"]
        return code


class App:
    """A launch with its server."""

    def __init__(self, launch: RunningBackend, server: LoopbackServer, codes: list[str]) -> None:
        self.launch, self.server, self.codes = launch, server, codes
        self.services: Services = launch.services
        self.workspace: Workspace = launch.workspace
        self.run_service: RunService = launch.run_service
        self.token = launch.services.token.value
        self.authority = server.authority
        self.origin = f"http://{server.authority}"

    def headers(self, **changes: str | None) -> dict[str, str]:
        """What our own page sends, with changes (None leaves one out; `_` stands for `-`)."""
        own: dict[str, str | None] = {
            "Host": self.authority,
            "Origin": self.origin,
            "Content-Type": JSON,
            "X-Outrider-Token": self.token,
            **{name.replace("_", "-"): value for name, value in changes.items()},
        }
        return {name: value for name, value in own.items() if value is not None}

    def ask(self, path: str, body: object | None = None, *, method: str | None = None, **changes: str | None) -> Answer:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with closing(http.client.HTTPConnection(self.authority, timeout=PATIENCE)) as connection:
            method = method or ("GET" if body is None else "POST")
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers(**changes).items():
                connection.putheader(name, value)
            if isinstance(data, bytes):
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data if isinstance(data, bytes) else None)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            as_recorded = "/timeline" in path or "/export" in path
            assert as_recorded or f":{NEVER}" not in text, f"{path} tells a time that no page can show"
            return Answer(answer.status, dict(answer.getheaders()), text)

    @contextmanager
    def socket(self, *, hello: object | None = None, origin: str | None = "", **more: str) -> Iterator["Socket"]:
        headers = dict(more)
        if origin is not None:
            headers["Origin"] = origin or self.origin
        ws = PageSocket(f"ws://{self.authority}/api/feed", headers=headers)
        try:
            if hello is not None:
                ws.send(json.dumps(hello))
            yield Socket(ws)
        finally:
            if ws.connected:
                ws.close()
            ws.thread.join(PATIENCE)

    @contextmanager
    def hearing(self) -> Iterator["Socket"]:
        """A page that hears all from now on."""
        progress = self.launch.services.importer.progress
        with self.socket(hello={"token": self.token, "after": {}}) as socket:
            socket.imported_before = (progress and progress.import_id) or ""
            socket.until("ready")
            yield socket

    def upload(self, name: str, content: bytes) -> str:
        """The ticket of a file that was handed over."""
        answer = self.ask(f"/api/server/uploads?name={quote(name)}", content, Content_Type="application/octet-stream")
        assert answer.status == 201, answer.text
        ticket: str = answer.json["ticket"]
        return ticket

    def record(self, campaign_id: str, *events: Event) -> None:
        """Commit something, as the controller would."""
        journal = self.launch.workspace.journal
        journal.record(campaign_id, events=list(events), actor="controller", cause="test", at=1)


class Socket:
    """A page's side of the feed."""

    def __init__(self, ws: Any) -> None:
        self.ws = ws
        self.imported_before = ""

    def next(self, timeout: float = PATIENCE) -> Any:
        text = self.ws.receive(timeout=timeout)
        assert text is not None, "the feed said nothing"
        return json.loads(text)

    def until(self, kind: str) -> Any:
        while (message := self.next())["type"] != kind:
            pass
        return message

    def import_ended(self) -> Any:
        """How the import that is under way ends; whoever joins is told once more how the one before it did."""
        while (report := self.until("import"))["phase"] == "running" or report["import_id"] == self.imported_before:
            pass
        return report

    def events_up_to(self, seq: int) -> list[int]:
        """The numbers of the events, in the order of arrival, up to this one."""
        numbers: list[int] = []
        while not numbers or numbers[-1] < seq:
            numbers += [event["seq"] for event in self.until("events")["events"]]
        return numbers

    def closed(self) -> tuple[int, str]:
        """(code, reason) with which the server closes."""
        try:
            while self.ws.receive(timeout=PATIENCE) is not None:
                pass
        except ConnectionClosed as end:
            return int(end.reason), end.message or ""
        raise AssertionError("the socket stays open")


@contextmanager
def running(
    data_dir: Path,
    page: Path | None = None,
    port: int = 0,
    limits: ConnectionLimits = NEVER_TIMED_OUT,
    *,
    first_pause: float | None = None,
    kdf_cost: KdfCost | None = None,
) -> Iterator[App]:
    codes: list[str] = []
    settings = read_settings({}, data_dir)
    with (
        open_listener(port) as listener,
        open_backend(
            settings,
            show_code=codes.append,
            hidden_browser=True,
            page=page or PAGE,
            first_pause=first_pause,
            kdf_cost=kdf_cost,
        ) as launch,
    ):
        server = LoopbackServer(create_app(launch.services), listener, launch.services.caller_of, limits)
        launch.authority[0] = server.authority
        server.start()
        try:
            with AppOfKnownAddresses.of_the_product_alone():
                yield App(launch, server, codes)
        finally:
            launch.services.feed.close()
            server.close()

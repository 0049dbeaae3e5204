"""A machine with hosts beyond it: a process in a network namespace of its own, whose addresses and names mean only itself.

`far(scenario)` runs one of the scenarios below there and gives what it found. Nothing of it can leave this machine.
"""

import contextlib
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from backend.clocks import SystemClock
from backend.domain.connection import Connection, Provider
from backend.domain.errors import OutriderError
from backend.outgoing import OutgoingCalls, guard
from backend.ports.outgoing import Allowed, Purpose
from backend.settings import AppSettings
from backend.store import outgoing_calls
from backend.wiring import Workspace, open_workspace, try_model
from tests.fakes.credentials import Pocket
from tests.fakes.model_server import ModelServer

FAR, FAR_6, SILENT_6, NEAR, PUBLIC = "198.51.100.7", "2001:db8::7", "2001:db8::8", "10.9.8.7", "192.88.99.1"
HOSTS = f"""
127.0.0.1 localhost
{FAR} api.example stray.example proxy.example xapi.example api.example.evil.example
{SILENT_6} api.example
{NEAR} models.lan
{PUBLIC} rebound.lan
"""
ASK = Purpose("ask", "to ask", "a question")


def available() -> bool:
    """Whether this system lets us have a network of our own."""
    return sys.platform == "linux" and shutil.which("ip") is not None and _unshared("true").returncode == 0


def far(scenario: str, **surroundings: str) -> Any:
    """What the scenario found."""
    done = _unshared(sys.executable, "-m", "tests.outgoing.far", scenario, **surroundings)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _unshared(*command: str, **surroundings: str) -> "subprocess.CompletedProcess[str]":
    unshare = shutil.which("unshare")
    if unshare is None:
        return subprocess.CompletedProcess(command, 1, "", "")
    return subprocess.run(
        [unshare, "--map-root-user", "--net", "--mount", *command],
        env={**os.environ, **surroundings},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def _settle(folder: Path) -> None:
    """The namespace's own addresses and names."""
    commands = [["link", "set", "lo", "up"]]
    commands += [["addr", "add", f"{one}/32", "dev", "lo"] for one in (FAR, NEAR)]
    commands += [["addr", "add", f"{one}/128", "dev", "lo", "nodad"] for one in (FAR_6, SILENT_6)]
    for command in commands:
        subprocess.run(["ip", *command], check=True)
    (folder / "hosts").write_text(HOSTS)
    subprocess.run(["mount", "--bind", folder / "hosts", "/etc/hosts"], check=True)


class Server:
    """Answers "hello" far away, sends away whoever asks for that, and remembers whom they asked for."""

    def __init__(self, host: str) -> None:
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(f"{self.headers['host'].partition(':')[0]} {self.path}")
                away = self.path.partition("?to=")[2]
                self.send_response(302 if away else 200)
                if away:
                    self.send_header("location", away)
                self.end_headers()
                self.wfile.write(b"hello")

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((host, 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


def _said(act: Callable[[], object]) -> str:
    """How it went, in a word."""
    try:
        act()
    except OutriderError as error:
        return f"{error.code} {error.facts.get('host', '')}".strip()
    except OSError as error:
        return "refused" if "host_not_allowed" in str(error) else type(error).__name__
    return "ok"


def _get(host: str, port: int, path: str = "/") -> None:
    with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=10) as answer:
        assert answer.read() == b"hello"


def _connect(host: str, port: int) -> None:
    socket.create_connection((host, port), 10).close()


def _connect_raw(host: str, port: int, family: int = socket.AF_INET) -> None:
    with socket.socket(family) as raw:
        raw.connect((host, port))


def _datagram(host: str, port: int) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as raw:
        raw.sendto(b"hello", (host, port))


def _in_a_thread(act: Callable[[], object]) -> str:
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(_said(act)))
    thread.start()
    thread.join()
    return said[0]


def strays() -> Any:
    """Ways out that nobody announced, before, in and after a call."""
    server, calls = Server(FAR), _calls(Allowed("api.example", ASK))
    port = server.port
    ways: dict[str, Callable[[], object]] = {
        "allowed name": lambda: _get("api.example", port),
        "name": lambda: _get("stray.example", port),
        "suffix": lambda: _get("api.example.evil.example", port),
        "prefix": lambda: _get("xapi.example", port),
        "address": lambda: _connect(FAR, port),
        "raw address": lambda: _connect_raw(FAR, port),
        "raw name": lambda: _connect_raw("stray.example", port),
        "another address": lambda: _connect_raw(NEAR, port),
        "IPv6": lambda: _connect_raw(FAR_6, port, socket.AF_INET6),
        "datagram": lambda: _datagram(NEAR, port),
        "lookup": lambda: socket.gethostbyname("stray.example"),
        "reverse lookup": lambda: socket.gethostbyaddr(NEAR),
        "loopback": lambda: _connect_raw("127.0.0.1", own.port),
        "localhost": lambda: _get("localhost", own.port),
        "Unix socket": _unix,
    }
    own = Server("127.0.0.1")
    outside = {name: _said(way) for name, way in ways.items()}
    before = list(server.asked)
    found: dict[str, Any] = {"outside": outside, "before": before, "inside": {}}
    for name, way in ways.items():
        with contextlib.suppress(OutriderError), calls.call("API.Example.", "ask"):
            _get("api.example", port)  # what the name means is known from here on
            found["inside"][name] = _said(way)
            found["thread"] = _in_a_thread(ways["allowed name"])
    found["after"] = _said(ways["allowed name"])
    found["asked"] = sorted(set(server.asked))
    found["refused"] = {one.host: one.times for one in calls.refused()}
    return found


def _unix() -> None:
    mine, theirs = socket.socketpair()
    mine.close()
    theirs.close()
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/s")
        listening.listen()
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(f"{folder}/s")


def redirected() -> Any:
    """A library that follows redirects is held where they lead to another host."""
    server, calls = Server(FAR), _calls(Allowed("api.example", ASK), Allowed("stray.example", ASK))

    def away() -> None:
        with calls.call("api.example", "ask"):
            _get("api.example", server.port, f"/?to=http://stray.example:{server.port}/")

    return {"said": _said(away), "asked": [one.split(" ")[0] for one in server.asked]}


def proxied() -> Any:
    """With and without a proxy in the environment."""
    server, calls = Server(FAR), _calls(Allowed("api.example", ASK))

    def ask() -> None:
        with calls.call("api.example", "ask"):
            _get("api.example", server.port)

    def reach_proxy() -> None:
        with calls.call("api.example", "ask"):
            _connect("proxy.example", server.port)

    without = _said(reach_proxy)
    os.environ["http_proxy"] = f"http://me:secret@Proxy.example:{server.port}"
    return {
        "without": without,
        "with": _said(ask),
        "outside": _said(functools.partial(_connect, "proxy.example", server.port)),
        "asked": server.asked,
        "told": calls.proxies(),
        "port": server.port,
    }


def models() -> Any:
    """A model in one's own network: tried, redirected, removed, and one whose name means a public address."""
    server = ModelServer(NEAR)
    port = server.url.rpartition(":")[2]
    with _workspace() as workspace:
        found: dict[str, Any] = {}
        kept = _model("models.lan", port)
        commands = workspace.commands().models
        found["before"] = asdict(try_model(kept, Pocket(), workspace.outgoing))
        commands.save(kept)
        found["tried"] = asdict(try_model(kept, Pocket(), workspace.outgoing))
        found["sent"] = [len(json.dumps(body)) for _, _, body in server.requests]
        server.acts.append((302, {"location": f"http://stray.example:{port}/v1/chat/completions"}))
        found["redirected"] = asdict(try_model(kept, Pocket(), workspace.outgoing))
        found["requests"] = len(server.requests)
        workspace.outgoing.write()
        with workspace.database.read() as connection:
            found["register"] = [row._asdict() for row in outgoing_calls.totals(connection, 0)]
        commands.save(_model("rebound.lan", port))
        found["rebound"] = asdict(try_model(_model("rebound.lan", port), Pocket(), workspace.outgoing))
        commands.remove("mine")
        found["removed"] = asdict(try_model(kept, Pocket(), workspace.outgoing))
        found["refused"] = {one.host: one.times for one in workspace.outgoing.refused()}
    server.close()
    return found


def _model(host: str, port: str) -> Connection:
    return Connection(
        id="mine" if host == "models.lan" else "other",
        name="Mine",
        provider=Provider.LLAMA_CPP,
        base_url=f"http://{host}:{port}/v1",
        plain_http=True,
        model="tiny",
        connect_ms=2_000,
    )


@contextlib.contextmanager
def _workspace() -> Iterator[Workspace]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_workspace(AppSettings(Path(folder), "", 10)) as workspace,
    ):
        yield workspace


def _calls(*listed: Allowed) -> OutgoingCalls:
    return OutgoingCalls(SystemClock(), lambda: listed, lambda _: None)


SCENARIOS = {one.__name__: one for one in (strays, redirected, proxied, models)}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        _settle(Path(made))
        guard()
        print(json.dumps(SCENARIOS[sys.argv[1]]()))

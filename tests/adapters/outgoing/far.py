"""A machine with hosts beyond it: a process in a network namespace of its own, whose addresses and names mean only itself.

`far(scenario)` runs one of the scenarios below there and gives what it found. Nothing of it can leave this machine.
"""

import _socket
import asyncio
import contextlib
import ctypes
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

from backend.adapters.browser.session import BrowserSession
from backend.adapters.clocks import SystemClock
from backend.adapters.egress_guard import EgressGuard, install_audit_hook
from backend.app.wiring import Workspace, open_workspace, probe_model
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.ports.egress import AllowedHost, Purpose
from backend.store.queries.device import egress_log
from tests import forked
from tests.adapters.outgoing.leaky_page import Unconfined, leaks
from tests.fakes.credentials import Pocket
from tests.fakes.model_server import ModelServer
from tests.patience import PATIENCE
from tests.posix import file_socket

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
    unshare = shutil.which("unshare")
    if sys.platform != "linux" or unshare is None or shutil.which("ip") is None:
        return False
    command = [unshare, "--map-root-user", "--net", "--mount", "true"]
    return subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).returncode == 0


def far(scenario: str) -> Any:
    """What the scenario found."""
    done = forked.run(f"{__name__}:main", scenario, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


NEW_USERS, NEW_NETWORK, NEW_MOUNTS = 0x1000_0000, 0x4000_0000, 0x0002_0000
"""As in Linux's `sched.h`; Python 3.11 has no names for them."""


def _enter_network() -> None:
    """This process alone is in a network, and in a tree of mounts, of its own; raises OSError where that may not be."""
    if sys.platform == "win32":
        raise AssertionError("needs Linux")
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_USERS | NEW_NETWORK | NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "there is no network of our own")
    # Its own root, as `unshare --map-root-user` makes it.
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)


def _settle(folder: Path) -> None:
    """The namespace's own addresses and names."""
    commands = [["link", "set", "lo", "up"]]
    commands += [["addr", "add", f"{address}/32", "dev", "lo"] for address in (FAR, NEAR)]
    commands += [["addr", "add", f"{address}/128", "dev", "lo", "nodad"] for address in (FAR_6, SILENT_6)]
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for command in commands:
        subprocess.run(["ip", *command], check=True)
    (folder / "hosts").write_text(HOSTS)
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", folder / "resolv.conf", "/etc/resolv.conf"], check=True)
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
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()


def _said(act: Callable[[], object]) -> str:
    """How it went, in a word."""
    try:
        act()
    except OutriderError as error:
        return f"{error.code} {error.facts.get('host', '')}".strip()
    except OSError as error:
        return "refused" if "host_not_allowed" in str(error) else type(error).__name__
    except TypeError as error:
        return type(error).__name__
    return "ok"


def _get(host: str, port: int, path: str = "/") -> None:
    with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=PATIENCE) as answer:
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
    outcomes: list[str] = []
    thread = threading.Thread(target=lambda: outcomes.append(_said(act)))
    thread.start()
    thread.join()
    return outcomes[0]


def strays() -> Any:
    """Ways out that nobody announced, before, in and after a call."""
    server, calls = Server(FAR), _calls(AllowedHost("api.example", ASK))
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
    outcomes: dict[str, Any] = {"outside": outside, "before": before, "inside": {}}
    for name, way in ways.items():
        with contextlib.suppress(OutriderError), calls.call("API.Example.", "ask"):
            _get("api.example", port)  # what the name means is known from here on
            outcomes["inside"][name] = _said(way)
            outcomes["thread"] = _in_a_thread(ways["allowed name"])
    outcomes["after"] = _said(ways["allowed name"])
    outcomes["asked"] = sorted(set(server.asked))
    outcomes["refused"] = {refusal.host: refusal.times for refusal in calls.refused()}
    return outcomes


def _unix() -> None:
    mine, theirs = socket.socketpair()
    mine.close()
    theirs.close()
    with tempfile.TemporaryDirectory() as folder, file_socket() as listening:
        listening.bind(f"{folder}/s")
        listening.listen()
        with file_socket() as caller:
            caller.connect(f"{folder}/s")


def names() -> Any:
    """What the name server is asked when somebody reaches for a name that nobody announced."""
    asked: list[str] = []
    server = socket.socket(type=socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def listen() -> None:
        while True:
            question, _ = server.recvfrom(4096)
            asked.append(question[12:].partition(b"\0")[0][1:].decode("latin-1"))

    threading.Thread(target=listen, daemon=True).start()
    nowhere = "name-{}.invalid.example"

    def asynchronously(host: Any) -> None:
        async def datagram() -> None:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(host, 9))
            transport.close()

        asyncio.run(datagram())

    def raw(method: str, *before: Any, kind: Any = socket.socket) -> Callable[[Any], object]:
        def reach(host: Any) -> None:
            with kind(socket.AF_INET, socket.SOCK_DGRAM) as line:
                getattr(line, method)(*before, (host, 9))

        return reach

    ways: dict[str, Callable[[Any], object]] = {
        "getaddrinfo": lambda host: socket.getaddrinfo(host, 9),
        "gethostbyname": socket.gethostbyname,
        "gethostbyname_ex": socket.gethostbyname_ex,
        "gethostbyaddr": socket.gethostbyaddr,
        "getfqdn": socket.getfqdn,
        "getnameinfo": lambda host: socket.getnameinfo((host, 9), 0),
        "create_connection": lambda host: socket.create_connection((host, 9), 1),
        "create_datagram_endpoint": asynchronously,
        "connect": raw("connect"),
        "connect_ex": raw("connect_ex"),
        "bind": raw("bind"),
        "sendto": raw("sendto", b"x"),
        "sendto with flags": raw("sendto", b"x", 0),
        "sendmsg": raw("sendmsg", [b"x"], [], 0),
        "the class beneath": lambda host: _socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect((host, 9)),
    }
    outcomes = {}
    for number, (name, way) in enumerate(ways.items()):
        host = nowhere.format(number)
        for kind, spelling in (("text", host), ("bytes", host.encode()), ("bytearray", bytearray(host.encode()))):
            outcomes[f"{name}, {kind}"] = _said(functools.partial(way, spelling))
    # A program without the guard shows that a question would have been heard.
    code = "import socket, contextlib\nwith contextlib.suppress(OSError): socket.gethostbyname('heard.example')"
    subprocess.run([sys.executable, "-c", code], check=True)
    return {"said": outcomes, "asked": asked}


def families() -> Any:
    """Ways to reach something that is no host of the internet."""
    outcomes = {}
    for family, address in (
        ("AF_VSOCK", (2, 9)),
        ("AF_NETLINK", (1, 0)),
        ("AF_PACKET", ("lo", 0)),
        ("AF_ALG", ("hash", "sha1")),
    ):

        def reach(family: str = family, address: Any = address) -> None:
            kind = socket.SOCK_SEQPACKET if family == "AF_ALG" else socket.SOCK_DGRAM
            with socket.socket(getattr(socket, family), kind) as line:
                (line.bind if family == "AF_ALG" else line.connect)(address)

        outcomes[family] = _said(reach)
    return outcomes


def redirected() -> Any:
    """A library that follows redirects is held where they lead to another host."""
    server, calls = Server(FAR), _calls(AllowedHost("api.example", ASK), AllowedHost("stray.example", ASK))

    def away() -> None:
        with calls.call("api.example", "ask"):
            _get("api.example", server.port, f"/?to=http://stray.example:{server.port}/")

    return {"said": _said(away), "asked": [request.split(" ")[0] for request in server.asked]}


def once() -> Any:
    """A host that was named for one call, in it and after it."""
    server, calls = Server(FAR), _calls()

    def named() -> None:
        with calls.call_once("API.example", "ask", local_network_only=False):
            _get("api.example", server.port)

    def stray() -> None:
        with calls.call_once("api.example", "ask", local_network_only=False):
            _get("stray.example", server.port)

    def unencrypted() -> None:
        with calls.call_once("rebound.lan", "ask", local_network_only=True):
            _connect("rebound.lan", server.port)

    def listed() -> None:
        with calls.call("api.example", "ask"):
            pass

    return {
        "named": _said(named),
        "stray": _said(stray),
        "unencrypted": _said(unencrypted),
        "after": _said(lambda: _get("api.example", server.port)),
        "listed": _said(listed),
        "asked": [request.split(" ")[0] for request in server.asked],
    }


def proxied() -> Any:
    """With and without a proxy in the environment."""
    server, calls = Server(FAR), _calls(AllowedHost("api.example", ASK))

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
        outcomes: dict[str, Any] = {}
        model = _model("models.lan", port)
        commands = workspace.commands().models
        outcomes["before"] = asdict(probe_model(model, Pocket(), workspace.outgoing))
        commands.save(model)
        outcomes["tried"] = asdict(probe_model(model, Pocket(), workspace.outgoing))
        outcomes["sent"] = [len(json.dumps(body)) for _, _, body in server.requests]
        server.acts.append((302, {"location": f"http://stray.example:{port}/v1/chat/completions"}))
        outcomes["redirected"] = asdict(probe_model(model, Pocket(), workspace.outgoing))
        outcomes["requests"] = len(server.requests)
        workspace.outgoing.write()
        with workspace.database.read() as connection:
            outcomes["register"] = [row._asdict() for row in egress_log.totals(connection, 0)]
        commands.save(_model("rebound.lan", port))
        outcomes["rebound"] = asdict(probe_model(_model("rebound.lan", port), Pocket(), workspace.outgoing))
        commands.remove("mine")
        outcomes["removed"] = asdict(probe_model(model, Pocket(), workspace.outgoing))
        outcomes["refused"] = {refusal.host: refusal.times for refusal in workspace.outgoing.refused()}
    server.close()
    return outcomes


def _model(host: str, port: str) -> Connection:
    return Connection(
        id="mine" if host == "models.lan" else "other",
        name="Mine",
        provider=Provider.LLAMA_CPP,
        base_url=f"http://{host}:{port}/v1",
        plain_http=True,
        model="tiny",
        connect_timeout_ms=2_000,
    )


@contextlib.contextmanager
def _workspace() -> Iterator[Workspace]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_workspace(AppSettings(Path(folder), "", 10)) as workspace,
    ):
        yield workspace


def _calls(*listed: AllowedHost) -> EgressGuard:
    return EgressGuard(SystemClock(), lambda: listed, lambda _: None)


def _network_card() -> None:
    """An interface besides loopback: WebRTC has no use for a machine without one."""
    commands = [
        ["link", "add", "card", "type", "veth", "peer", "name", "other-end"],
        ["link", "set", "other-end", "up"],
    ]
    commands += [["addr", "add", "192.0.2.9/24", "dev", "card"], ["link", "set", "card", "up"]]
    commands += [["route", "add", "default", "via", "192.0.2.1"]]
    for command in commands:
        subprocess.run(["ip", *command], check=True)


def confined_browser() -> Any:
    """What is heard of a page that tries to get past the proxy of our browser."""
    _network_card()
    return leaks(FAR, BrowserSession)


def unconfined_browser() -> Any:
    """The same in a browser that is not held."""
    _network_card()
    return leaks(FAR, Unconfined)


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (strays, names, families, redirected, once, proxied, models, confined_browser, unconfined_browser)
}


def main(scenario: str) -> None:
    """Print what the scenario found in a network of its own."""
    _enter_network()
    with tempfile.TemporaryDirectory() as made:
        _settle(Path(made))
        install_audit_hook()
        print(json.dumps(SCENARIOS[scenario]()))

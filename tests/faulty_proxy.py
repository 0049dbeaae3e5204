"""A bad line on loopback: an HTTP proxy before one server, that does to requests what networks do, by a seed or as it is told."""

import http.client
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.hang_up_server import HangUpServer
from tests.patience import PATIENCE

LONGEST_DELAY = 0.05
LONGEST_HELD = 0.2
_HOPS = frozenset({"connection", "keep-alive", "transfer-encoding", "host", "proxy-connection"})


class Fault(StrEnum):
    """What may happen to one request."""

    DELAY = "it is late"
    DROP_BEFORE = "it never arrives"
    DROP_AFTER = "it is done, and the answer is lost"
    CUT = "it is done, and half the answer comes"
    DUPLICATE = "it arrives twice"
    REORDER = "a later one overtakes it"
    TOO_MANY = "429"
    ERROR = "500"
    BAD_GATEWAY = "502"


_STATUSES = {Fault.TOO_MANY: 429, Fault.ERROR: 500, Fault.BAD_GATEWAY: 502}


class _Reply(NamedTuple):
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes


class FaultyProxy:
    """At `url`, before `target`. `rates`: how often each fault, 0 to 1; `counts` says how often each came about.

    `script` comes first, one request each, None for none. With one client at a time the same seed does the same.
    """

    def __init__(
        self,
        target: str,
        *,
        seed: int = 0,
        rates: Mapping[Fault, float] | None = None,
        touches: Callable[[str], bool] = lambda path: True,
    ) -> None:
        where = urlsplit(target)
        assert where.hostname in ("127.0.0.1", "localhost"), "only on this machine"
        self.target = (where.hostname, where.port or 80)
        self.healed = False
        self.counts: Counter[Fault] = Counter()
        self.requests = 0
        self.script: deque[Fault | None] = deque()
        self._random = Random(seed)
        self._rates = dict(rates or {})
        self._touches = touches
        self._passed = threading.Condition()
        self._server = _Server(_Handler)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def heal(self) -> None:
        """From now on everything arrives."""
        self.healed = True

    def close(self) -> None:
        """Hang up on everybody."""
        self._server.close()

    def _fault(self, path: str) -> Fault | None:
        """What happens to the next request; a held one counts once it was overtaken."""
        with self._passed:
            self.requests += 1
            if self.healed or not self._touches(path):
                return None
            if self.script:
                drawn = self.script.popleft()
            else:
                at, drawn = self._random.random(), None
                for fault, rate in self._rates.items():
                    if at < rate:
                        drawn = fault
                        break
                    at -= rate
            if drawn is not None and drawn is not Fault.REORDER:
                self.counts[drawn] += 1
            return drawn

    def serve(self, forward: Callable[[], _Reply], path: str) -> tuple[_Reply | None, float]:
        """The answer to one request, or None, and how much of it is sent."""
        fault = self._fault(path)
        if fault in _STATUSES:
            body = json.dumps({"message": "the line says so"}).encode()
            later = [("Content-Type", "application/json"), ("Retry-After", "0")]
            return _Reply(_STATUSES[fault], "Fault", later, body), 1
        if fault is Fault.DROP_BEFORE:
            return None, 0
        if fault is Fault.DELAY:
            time.sleep(self._random.uniform(0, LONGEST_DELAY))
        if fault is Fault.DUPLICATE:
            forward()
        if fault is Fault.REORDER:
            self._let_pass()
        reply = forward()
        with self._passed:
            self._passed.notify_all()
        if fault is Fault.DROP_AFTER:
            return None, 0
        return reply, 0.5 if fault is Fault.CUT else 1

    def _let_pass(self) -> None:
        with self._passed:
            if self._passed.wait(LONGEST_HELD):  # nobody else may be under way
                self.counts[Fault.REORDER] += 1


class _Server(HangUpServer):
    proxy: FaultyProxy


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        sent = {name: value for name, value in self.headers.items() if name.lower() not in _HOPS}
        reply, part = self.server.proxy.serve(lambda: self._forwarded(body, sent), self.path)
        if reply is None:
            self.close_connection = True
            return
        self.send_response_only(reply.status, reply.reason)
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[: int(len(reply.body) * part)])
        self.close_connection = self.close_connection or part < 1

    do_GET = do_POST  # noqa: N815 - the name that the base class looks for

    def _forwarded(self, body: bytes, headers: dict[str, str]) -> _Reply:
        upstream = http.client.HTTPConnection(*self.server.proxy.target, timeout=PATIENCE)
        try:
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            forwarded = [(name, value) for name, value in answer.getheaders() if name.lower() not in _HOPS]
            content = [(name, value) for name, value in forwarded if name.lower() != "content-length"]
            return _Reply(answer.status, answer.reason, content, answer.read())
        except (OSError, http.client.HTTPException):
            return _Reply(502, "Bad Gateway", [("Content-Type", "text/plain")], b"nobody is there")
        finally:
            upstream.close()

    def log_message(self, *args: object) -> None:
        """Nothing: what passes holds tokens."""

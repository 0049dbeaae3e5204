"""The HTTP server before both, on 127.0.0.1, a thread a connection."""

import json
import threading
import time
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

from tests.hang_up_server import HangUpServer
from tests.supabase_gateway.answer import Answer, told
from tests.supabase_gateway.auth import Auth
from tests.supabase_gateway.rest import Rest
from tests.supabase_gateway.tokens import Tokens

REST, AUTH, RPC = "/rest/v1/", "/auth/v1/", "/rest/v1/rpc/"


class Gateway:
    """A project at `url`, whose public key is `key`. `ahead` is how many seconds its clock runs before ours.

    `out_of_order`: the status and body of every answer, such as 540 of a project that is paused and 402 of one that is restricted.
    `legacy_keys_disabled`: only the publishable key is accepted, as hosted projects do once their owner switched to it.
    """

    def __init__(self, conninfo: str) -> None:
        self.tokens = Tokens()
        self.auth = Auth(self.tokens)
        self.rest = Rest(conninfo, self.tokens)
        self.ahead = 0.0
        self.legacy_keys_disabled = False
        self.out_of_order: tuple[int, dict[str, str]] | None = None
        self.requests = 0
        self._server = _Server(_Handler)
        self._server.gateway = self
        self.url = self.auth.url = f"http://127.0.0.1:{self._server.server_port}"
        self.key = self.tokens.anon_key
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Hang up on everybody."""
        self._server.close()
        self.rest.close()

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        """One request."""
        self.requests += 1
        path, query = urlsplit(target)[2:4]
        if self.out_of_order is not None:
            return told(*self.out_of_order)
        if method == "GET" and path == f"{AUTH}verify":  # a browser, which has no key
            return self.auth.answer(method, "verify", dict(parse_qsl(query)), {}, "")
        key = headers.get("apikey", "")
        if not key:
            return told(
                401, {"message": "No API key found in request", "hint": "No `apikey` request header was found."}
            )
        if key not in (self.tokens.anon_key, self.tokens.publishable_key):
            return told(401, {"message": "Invalid API key", "hint": "Double check your Supabase API key."})
        if self.legacy_keys_disabled and key == self.tokens.anon_key:
            return told(401, {"message": "Legacy API keys are disabled", "hint": "Use the new publishable API keys."})
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if path.startswith(RPC):
            if method != "POST":
                return told(405, {"code": "PGRST117", "message": f"Unsupported HTTP method: {method}"})
            if headers.get("content-profile", "public") != "public":
                return told(406, {"code": "PGRST106", "message": "Invalid schema"})
            return self.rest.call(path.removeprefix(RPC), body, bearer)
        if path.startswith(AUTH):
            what, asked = path.removeprefix(AUTH), dict(parse_qsl(query))
            renews = what == "token" and asked.get("grant_type") == "refresh_token"
            if renews:
                self.auth.entered_refresh()
            try:
                return self.auth.answer(method, what, asked, json.loads(body) if body else {}, bearer)
            finally:
                if renews:
                    self.auth.left_refresh()
        return told(404, {"message": "no Route matched with those values"})


_REASONS = {540: "Project Paused"}


class _Server(HangUpServer):
    gateway: Gateway


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        status, content, more, reason = self.server.gateway.answer(self.command, self.path, headers, body)
        self.send_response_only(status, reason or _REASONS.get(status) or HTTPStatus(status).phrase)
        self.send_header("Date", formatdate(time.time() + self.server.gateway.ahead, usegmt=True))
        for name, value in more:
            self.send_header(name, value)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - the name that the base class looks for

    def log_message(self, *args: object) -> None:
        """Nothing: what is sent holds tokens."""

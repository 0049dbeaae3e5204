"""A server on the loopback that answers the coming requests with prepared bytes, whatever was asked."""

import json
import ssl
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Raw:
    """One answer: `body` is sent as it is, and the connection is closed behind it. With status 0 there is none.

    `is_taken`: whether the request's body is read first.
    """

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "text/event-stream"
    encoding: str = "utf-8"
    is_taken: bool = True


class RawServer:
    """Gives `answers` in order, the last one for ever; keeps the bodies and the paths of the requests."""

    def __init__(self, *answers: Raw) -> None:
        self.answers = deque(answers)
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._answer(self)

            def do_CONNECT(self) -> None:
                self.send_error(server.answers[0].status)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def encrypt(self, chain: Path) -> None:
        """From now on it speaks TLS, with the key and the certificate in that file."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")

    def __enter__(self) -> "RawServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        self.paths.append(request.path)
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        length = int(request.headers["content-length"]) if answer.is_taken else 0
        self.requests.append(json.loads(request.rfile.read(length) or "{}"))
        if not answer.status:
            request.close_connection = True
            return
        request.send_response(answer.status)
        for name, value in {"content-type": answer.kind, **answer.headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(answer.body.encode(answer.encoding))

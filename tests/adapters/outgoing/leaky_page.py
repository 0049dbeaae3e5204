"""A page that tries every way past a browser's proxy, and what is heard of it; run inside `far`'s network."""

import socket
import tempfile
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from backend.adapters.browser.session import BrowserSession

HOSTS = ("prefetched", "preconnected", "fetched", "pictured", "framed", "socketed", "stunned")
PAGE = """<!doctype html><title>Leaky</title>
<link rel="dns-prefetch" href="//prefetched.example">
<link rel="preconnect" href="https://preconnected.example">
<img src="http://pictured.example/x.png"><iframe src="http://framed.example/"></iframe>"""
TRY = """async ([udp, tcp, host]) => {
    const ice = [
        {urls: `stun:${host}:${udp}`}, {urls: `stun:127.0.0.1:${udp}`}, {urls: `stun:stunned.example:${udp}`},
        {urls: `turn:${host}:${udp}?transport=udp`, username: "u", credential: "c"},
        {urls: `turn:127.0.0.1:${tcp}?transport=tcp`, username: "u", credential: "c"},
    ];
    const peer = new RTCPeerConnection({iceServers: ice});
    const candidates = [];
    const gathered = new Promise((done) => {
        peer.onicecandidate = (event) => event.candidate ? candidates.push(event.candidate.candidate) : done();
        setTimeout(done, 3000);
    });
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    const quietly = (attempt) => Promise.race([attempt().catch(() => null), new Promise((done) => setTimeout(done, 3000))]);
    await Promise.all([
        gathered,
        quietly(async () => (new WebTransport(`https://127.0.0.1:${tcp}`)).ready),
        quietly(() => fetch("http://fetched.example/")),
        quietly(() => fetch(`http://127.0.0.1:${tcp}/`, {mode: "no-cors"})),
        quietly(async () => new WebSocket("ws://socketed.example/")),
    ]);
    return candidates;
}"""


class Listeners:
    """Hear every datagram and connection that reaches them."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.names: list[str] = []
        self.udp = self._datagrams("", 0, lambda _: self.heard.append("datagram"))
        self._datagrams("127.0.0.1", 53, lambda question: self.names.append(name_in(question)))
        self._listener = socket.create_server(("", 0))
        self.tcp = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _datagrams(self, host: str, port: int, hear: Any) -> int:
        line = socket.socket(type=socket.SOCK_DGRAM)
        line.bind((host, port))

        def listen() -> None:
            while True:
                hear(line.recvfrom(4096)[0])

        threading.Thread(target=listen, daemon=True).start()
        bound_port: int = line.getsockname()[1]
        return bound_port

    def _accept(self) -> None:
        while True:
            self._listener.accept()[0].close()
            self.heard.append("connection")


def name_in(question: bytes) -> str:
    """The first label of the name that a DNS question is about."""
    return question[13 : 13 + question[12]].decode("latin-1")


class Unconfined(BrowserSession):
    """A browser as it is by itself, to show that the page's attempts would be heard."""

    def _switches(self) -> list[str]:
        return []

    def _confine(self, context: Any) -> None:
        context.set_default_timeout(self.timeout * 1000)


class PageHandler(BaseHTTPRequestHandler):
    """Gives the page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def leaks(host: str, kind: type[BrowserSession]) -> dict[str, Any]:
    """What is heard of the page in such a session."""
    listeners = Listeners()
    server = ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        session = kind("practice", Path(folder) / "profile", url, headless=True, timeout=60)

        def visit(page: Any) -> Any:
            page.goto(url)
            return page.evaluate(TRY, [listeners.udp, listeners.tcp, host])

        try:
            candidates = session.run(visit)
        finally:
            with suppress(OSError):
                session.close()
    return {
        "heard": sorted(set(listeners.heard)),
        "names": sorted(set(listeners.names) & set(HOSTS)),
        "candidates": candidates,
    }

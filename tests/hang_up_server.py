"""A threaded HTTP server that can hang up on everybody, as servers and networks do."""

import socket
from http.server import ThreadingHTTPServer


class HangUpServer(ThreadingHTTPServer):
    """On a free port of 127.0.0.1."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._open: set[socket.socket] = set()

    def process_request(self, request: socket.socket, client_address: tuple[str, int]) -> None:  # type: ignore[override]
        """One more caller."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:  # type: ignore[override]
        """One fewer."""
        self._open.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Stop, and hang up."""
        self.shutdown()
        for request in list(self._open):
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever hung up is nobody's error."""

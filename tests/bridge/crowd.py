"""Another user's program: `python -m tests.bridge.crowd PORT IDLE DRIPPING HALF_OPEN` holds so many connections to a server.

Idle ones say nothing, dripping ones a byte of an endless head or body at a time, half-open ones become a websocket and say no
more. What is ended is opened again. Prints a line once all were opened, and ends with its standard input.
"""

import contextlib
import select
import socket
import sys

HEAD = "{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: http://127.0.0.1:{}\r\n"
UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
BODY = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


def main(port: int, idle: int, dripping: int, half_open: int) -> None:
    beginnings = [
        *[b""] * idle,
        *[HEAD.format("GET /", port, port).encode()] * (dripping // 2),
        *[(HEAD.format("POST /api/pair", port, port) + BODY).encode()] * (dripping - dripping // 2),
        *[(HEAD.format("GET /api/feed", port, port) + UPGRADE).encode()] * half_open,
    ]
    drips = [False] * idle + [True] * dripping + [False] * half_open

    def opened(beginning: bytes) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", port))
        line.setblocking(False)
        with contextlib.suppress(OSError):
            line.send(beginning)
        return line

    lines = [opened(beginning) for beginning in beginnings]
    print("crowded", flush=True)
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        for position, line in enumerate(lines):
            try:
                if drips[position]:
                    line.send(b"x")
                while line.recv(4096):
                    pass
                ended = True
            except BlockingIOError:
                ended = False
            except OSError:
                ended = True
            if ended:
                line.close()
                lines[position] = opened(beginnings[position])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

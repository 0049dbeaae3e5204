"""A second start on the same data folder: it finds the first by a small file, and asks it to show its window.

The file is read by its owner only, and its secret opens nothing else. One that an earlier launch left behind does no harm:
nobody answers at its port, or somebody else does who cannot prove to know the secret and learns nothing of it.
"""

import hmac
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import Field, ValidationError

from backend.api.server.window_activation import (
    RUNNING_LAUNCH,
    SECOND_START,
    ShowWindowRequest,
    WindowShown,
    proof_of,
    window_state,
)
from backend.domain.values.shapes import Shape
from bridge.listener import HOST

FILE = "instance.json"
PORT_FILE = "port"
"""The last launch's port: at the same address, a browser's tab finds the next one."""
_PORTS = range(1_024, 65_536)
SECONDS = 30.0
"""How long the running launch has to answer: one that is just being opened on a busy machine answers once it is open."""
PUBLISHED_SECONDS = 2.0
"""How long a launch that has the folder already may take to say where it is."""
_LONGEST_ANSWER = 16_384


class InstanceAddress(Shape):
    """Where this launch listens, and the secret by which it is known."""

    port: int = Field(ge=1, le=65_535)
    secret: str = Field(min_length=1, max_length=128)

    @property
    def authority(self) -> str:
        """ "127.0.0.1:port"."""
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{self.authority}/"


@contextmanager
def published_instance(folder: Path, *, port: int, secret: str) -> Iterator[None]:
    """Say where this launch is, for as long as it is."""
    path = folder / FILE
    with suppress(OSError):  # without it a second start is refused, as it would be anyway
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", newline="") as out:  # noqa: PTH123
            out.write(InstanceAddress(port=port, secret=secret).model_dump_json())
        (folder / PORT_FILE).write_text(str(port), encoding="ascii", newline="")
    try:
        yield
    finally:
        with suppress(OSError, ValidationError):
            # Another launch may have the folder by now.
            if InstanceAddress.model_validate_json(path.read_bytes()).secret == secret:
                path.unlink(missing_ok=True)


def last_port(folder: Path) -> int:
    """On which port the last launch of this data folder listened; 0 if nobody knows."""
    with suppress(OSError, ValueError):
        port = int((folder / PORT_FILE).read_bytes()[:8])
        return port if port in _PORTS else 0
    return 0


def activate_running_instance(
    folder: Path, seconds: float = SECONDS, published_within: float = 0.0
) -> tuple[InstanceAddress, WindowShown] | None:
    """Where the running launch is and what it shows now; None if none proves within `seconds` to be it."""
    try:
        address, line = _reached(folder, time.monotonic() + published_within)
        nonce = secrets.token_urlsafe(32)
        request = ShowWindowRequest(nonce=nonce, proof=proof_of(address.secret, SECOND_START, address.authority, nonce))
        answer = WindowShown.model_validate_json(
            _ask(line, address, request.model_dump_json(), time.monotonic() + seconds)
        )
    except (OSError, ValidationError):
        return None
    state = window_state(answer.window, answer.code)
    proof = proof_of(address.secret, RUNNING_LAUNCH, address.authority, nonce, state)
    if not hmac.compare_digest(proof.encode(), answer.proof.encode("utf-8", "surrogatepass")):
        return None
    return address, answer


def _reached(folder: Path, deadline: float) -> tuple[InstanceAddress, socket.socket]:
    """Whoever listens where the file says; one that an earlier launch left behind may be about to be replaced."""
    while True:
        try:
            address = InstanceAddress.model_validate_json((folder / FILE).read_bytes())
            return address, socket.create_connection((HOST, address.port), timeout=SECONDS)
        except (OSError, ValidationError):
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.05)


def _ask(line: socket.socket, address: InstanceAddress, body: str, deadline: float) -> bytes:
    """What is answered, without its head: who answers is believed for the proof and for nothing else."""
    from backend.api.server.auth import SHOW_WINDOW  # noqa: PLC0415 - brings Flask, which a first start leaves to its backend

    request = (
        f"POST {SHOW_WINDOW} HTTP/1.0\r\nHost: {address.authority}\r\nOrigin: http://{address.authority}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    with line:
        line.sendall(request.encode())
        response = b""
        while len(response) <= _LONGEST_ANSWER:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            line.settimeout(left)
            part = line.recv(_LONGEST_ANSWER)
            if not part:
                break
            response += part
    return response.partition(b"\r\n\r\n")[2]

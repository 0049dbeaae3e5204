"""The frames between the two processes of a sandbox: a byte for the kind, four for the length, then that many bytes.

What the guest writes is always sent as a frame of kind GUEST, so it cannot forge one of the process around it.
"""

from typing import IO, NamedTuple

ABOUT, GUEST, ENDED = b"A", b"G", b"E"
"""Kinds from the sandbox: about the process, before it begins; from the guest; how the guest ended."""
ANSWER = b"R"
"""The kind of the host's answers to the guest."""
LARGEST = 16 * 1024 * 1024


class Frame(NamedTuple):
    """Its kind and its content."""

    kind: bytes
    raw: bytes


class FrameError(Exception):
    """The bytes received are no frame."""


def write_frame(pipe: IO[bytes], kind: bytes, *parts: bytes) -> None:
    """Write a frame and flush it."""
    pipe.write(kind + sum(map(len, parts)).to_bytes(4, "little"))
    for part in parts:
        pipe.write(part)
    pipe.flush()


def read_frame(pipe: IO[bytes], largest: int = LARGEST) -> Frame | None:
    """Read a frame, None at the end; raises `FrameError`."""
    head = pipe.read(5)
    if not head:
        return None
    size = int.from_bytes(head[1:5], "little")
    if len(head) < 5 or size > largest:  # noqa: PLR2004 - the length of a head
        raise FrameError(f"a frame of {size} bytes")
    raw = pipe.read(size)
    if len(raw) < size:
        raise FrameError("a frame that breaks off")
    return Frame(head[:1], raw)


class GuestFrames:
    """Cuts what the guest writes into frames, each with four bytes of length before it."""

    def __init__(self) -> None:
        self._raw = b""

    def add(self, raw: bytes) -> list[bytes]:
        """The frames that these bytes complete; raises `FrameError` for one that is too large."""
        self._raw += raw
        frames = []
        while len(self._raw) >= 4:  # noqa: PLR2004 - the length of a length
            size = int.from_bytes(self._raw[:4], "little")
            if size > LARGEST:
                raise FrameError(f"a frame of {size} bytes")
            if len(self._raw) < 4 + size:
                break
            frames.append(self._raw[4 : 4 + size])
            self._raw = self._raw[4 + size :]
        return frames

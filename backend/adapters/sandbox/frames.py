"""How the two processes of a sandbox speak: a byte that says whose word it is, four of length, and that many more.

What the guest writes is carried as the guest's, whatever is in it: it can write no frame of the process around it.
"""

from typing import IO, NamedTuple

ABOUT, GUEST, ENDED = b"A", b"G", b"E"
"""The process on itself before it begins; the guest; how the guest ended."""
ANSWER = b"R"
"""The host's answer to the guest."""
LARGEST = 16 * 1024 * 1024


class Frame(NamedTuple):
    """Whose word it is, and what was said."""

    kind: bytes
    raw: bytes


class FrameError(Exception):
    """What came is no frame."""


def write_frame(pipe: IO[bytes], kind: bytes, *parts: bytes) -> None:
    """Write one, at once."""
    pipe.write(kind + sum(map(len, parts)).to_bytes(4, "little"))
    for part in parts:
        pipe.write(part)
    pipe.flush()


def read_frame(pipe: IO[bytes], largest: int = LARGEST) -> Frame | None:
    """Read one, None at the end; raises `FrameError`."""
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
        """The frames that are whole with these bytes; raises `FrameError` for one that is too large."""
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

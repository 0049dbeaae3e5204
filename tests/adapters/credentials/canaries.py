"""Finds a word in bytes however it is written: raw, base64, hex, URL-encoded, UTF-16; in files, environments and memory."""

import base64
import contextlib
import itertools
import mmap
from array import array
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path

BIGGEST_PIECE = 64 << 20
"""A mapping that is larger is a reservation, not memory."""


def spellings(word: str) -> dict[str, bytes]:
    """How the word can stand in something longer, by what that is called."""
    raw = word.encode()
    percent = "".join(f"%{byte:02X}" for byte in raw)
    quoted = "".join(chr(byte) if chr(byte).isalnum() else f"%{byte:02X}" for byte in raw)
    spelled = {
        "raw": raw,
        "hex": raw.hex().encode(),
        "HEX": raw.hex().upper().encode(),
        "url": quoted.encode(),
        "url, small": "".join(f"%{byte:02x}" if not chr(byte).isalnum() else chr(byte) for byte in raw).encode(),
        "percent": percent.encode(),
        "percent, small": percent.lower().encode(),
        "utf-16-le": word.encode("utf-16-le"),
        "utf-16-be": word.encode("utf-16-be"),
    }
    for shift in range(3):
        # What stands before and after shares a sign with the word's ends, so these are left out.
        inner = base64.b64encode(bytes(shift) + raw)[(0, 2, 3)[shift] :].rstrip(b"=")
        inner = inner[: -1 if (shift + len(raw)) % 3 else None]
        spelled[f"base64 {shift}"] = inner
        spelled[f"base64 {shift}, for addresses"] = inner.replace(b"+", b"-").replace(b"/", b"_")
    return spelled


class Scanner:
    """Looks for several words at once; what it found is said without the word."""

    def __init__(self, *words: str) -> None:
        self._wanted = {spelled: how for word in words for how, spelled in spellings(word).items()}
        self.looked_at = 0

    def hits(self, where: str, content: bytes | str) -> list[str]:
        """Where and how each word is in it."""
        content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        self.looked_at += len(content)
        return [f"{where}: {how}" for spelled, how in self._wanted.items() if spelled in content]

    def in_folder(self, folder: Path) -> list[str]:
        """In every file below it."""
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        return [hit for file in files for hit in self.hits(str(file.relative_to(folder)), _read(file))]

    def in_process(self, pid: int) -> list[str]:
        """In its environment, its command line and what is in its memory."""
        proc = Path(f"/proc/{pid}")
        hits = [hit for name in ("environ", "cmdline") for hit in self.hits(f"{pid} {name}", _read(proc / name))]
        return hits + [hit for piece in memory_of(pid) for hit in self.hits(f"{pid} memory", piece)]


def memory_of(pid: int) -> Iterator[bytes]:
    """What the process has written and still holds; pieces that may not be read are left out."""
    proc = Path(f"/proc/{pid}")
    try:
        with (
            (proc / "maps").open() as maps,
            (proc / "mem").open("rb", buffering=0) as memory,
            (proc / "pagemap").open("rb", buffering=0) as pages,
        ):
            for line in maps:
                addresses, rights, *_ = line.split()
                start, end = (int(edge, 16) for edge in addresses.split("-"))
                if rights.startswith("rw") and end - start <= BIGGEST_PIECE:
                    for first, last in _held(pages, start // mmap.PAGESIZE, end // mmap.PAGESIZE):
                        with contextlib.suppress(OSError, OverflowError):
                            memory.seek(first * mmap.PAGESIZE)
                            yield memory.read((last - first) * mmap.PAGESIZE)
    except OSError:  # it has ended, or is protected by its own sandbox
        return


def _held(pages: RawIOBase, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Runs of pages that are in memory, or swapped out; most of what is mapped is neither."""
    pages.seek(first * 8)
    states = array("Q", pages.read((last - first) * 8) or b"")
    at = first
    for present, run in itertools.groupby(state >> 62 != 0 for state in states):
        length = len(list(run))
        if present:
            yield at, at + length
        at += length


def descendants(pid: int) -> list[int]:
    """The children, and theirs."""
    pids: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(children).split():
            pids += [int(child), *descendants(int(child))]
    return pids


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # a socket, or it is gone
        return b""

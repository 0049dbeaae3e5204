"""The system calls of the interpreter inside WebAssembly: a fixed clock, seeded random bytes, a pipe, and nothing else.

These are the few functions of WASI that CPython needs to start. They give no access to files, folders, sockets or processes, so
no path leads anywhere; wasmtime's own WASI could open real folders.
"""

import hashlib
import struct
from collections.abc import Callable, Iterator
from typing import NoReturn

from wasmtime import Func, FuncType, Memory, Module, Store

_OK, _BADF, _NOSYS, _SPIPE = 0, 8, 52, 70
_CHARACTER_DEVICE = 2
_STANDARD = 2
"""The last of the three descriptors: input, output, errors."""
_MOST_VECTORS = 1_024


class GuestExitedError(Exception):
    """The interpreter ended by itself, with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"it ended with status {status}")


class Wasi:
    """The functions of `wasi_snapshot_preview1`; `read` and `write` are the guest's pipe, `errors` what it wrote besides."""

    def __init__(
        self,
        store: Store,
        arguments: list[str],
        *,
        now: int,
        seed: int,
        read: Callable[[int], bytes],
        write: Callable[[bytes], None],
    ) -> None:
        self.errors = b""
        self.memory: Memory
        self._store = store
        self._arguments = [argument.encode() + b"\0" for argument in arguments]
        self._now = now
        self._random = _random_blocks(seed)
        self._read = read
        self._write = write

    def imports(self, module: Module) -> list[Func]:
        """The functions that the module imports, in its order; one that is not here answers ENOSYS."""
        return [
            Func(self._store, imported.type, self._function(imported.name or ""))
            for imported in module.imports
            if isinstance(imported.type, FuncType)
        ]

    def _function(self, name: str) -> Callable[..., int | None]:
        function: Callable[..., int | None] | None = getattr(self, f"_{name}", None) if name in _FUNCTIONS else None

        def call(*arguments: int) -> int | None:
            return _NOSYS if function is None else function(*(value & 0xFFFFFFFF for value in arguments))

        return call

    # --- memory of the guest, never beyond its end ---

    def _get(self, at: int, size: int) -> bytes:
        if at + size > self.memory.data_len(self._store):
            raise MemoryError("the guest named memory that it does not have")
        return bytes(self.memory.read(self._store, at, at + size))

    def _put(self, at: int, raw: bytes) -> None:
        if at + len(raw) > self.memory.data_len(self._store):
            raise MemoryError("the guest named memory that it does not have")
        if raw:  # of nothing, wasmtime refuses even an address at the end of the memory
            self.memory.write(self._store, raw, at)

    def _put_number(self, at: int, value: int, size: int = 4) -> None:
        self._put(at, value.to_bytes(size, "little"))

    def _vectors(self, at: int, count: int) -> Iterator[tuple[int, int]]:
        raw = self._get(at, 8 * min(count, _MOST_VECTORS))
        yield from struct.iter_unpack("<II", raw)

    # --- the functions ---

    def _args_sizes_get(self, count_at: int, size_at: int) -> int:
        self._put_number(count_at, len(self._arguments))
        self._put_number(size_at, sum(map(len, self._arguments)))
        return _OK

    def _args_get(self, pointers_at: int, text_at: int) -> int:
        for argument in self._arguments:
            self._put_number(pointers_at, text_at)
            self._put(text_at, argument)
            pointers_at, text_at = pointers_at + 4, text_at + len(argument)
        return _OK

    def _environ_sizes_get(self, count_at: int, size_at: int) -> int:
        self._put_number(count_at, 0)
        self._put_number(size_at, 0)
        return _OK

    def _environ_get(self, _pointers_at: int, _text_at: int) -> int:
        return _OK

    def _clock_res_get(self, _clock: int, at: int) -> int:
        self._put_number(at, 1_000_000, 8)
        return _OK

    def _clock_time_get(self, _clock: int, _precision: int, at: int) -> int:
        self._put_number(at, self._now * 1_000_000, 8)
        return _OK

    def _random_get(self, at: int, size: int) -> int:
        self._put(at, b"".join(next(self._random) for _ in range(-(-min(size, 1 << 16) // 32)))[:size])
        return _OK

    def _fd_fdstat_get(self, descriptor: int, at: int) -> int:
        if descriptor > _STANDARD:
            return _BADF
        self._put(at, bytes([_CHARACTER_DEVICE]) + bytes(7) + b"\xff" * 16)
        return _OK

    def _fd_filestat_get(self, descriptor: int, at: int) -> int:
        if descriptor > _STANDARD:
            return _BADF
        self._put(at, bytes(16) + bytes([_CHARACTER_DEVICE]) + bytes(47))
        return _OK

    def _fd_prestat_get(self, _descriptor: int, _at: int) -> int:
        return _BADF  # no folder was opened for the guest

    def _fd_close(self, descriptor: int) -> int:
        return _OK if descriptor <= _STANDARD else _BADF

    def _fd_seek(self, _descriptor: int, _by: int, _whence: int, _at: int) -> int:
        return _SPIPE

    def _fd_tell(self, _descriptor: int, _at: int) -> int:
        return _SPIPE

    def _fd_read(self, descriptor: int, vectors_at: int, count: int, read_at: int) -> int:
        if descriptor != 0:
            return _BADF
        total = 0
        for at, size in self._vectors(vectors_at, count):
            self._get(at, 0)
            raw = self._read(size)
            self._put(at, raw)
            total += len(raw)
            if len(raw) < size:
                break
        self._put_number(read_at, total)
        return _OK

    def _fd_write(self, descriptor: int, vectors_at: int, count: int, written_at: int) -> int:
        if descriptor not in (1, _STANDARD):
            return _BADF
        total = 0
        for at, size in self._vectors(vectors_at, count):
            raw = self._get(at, size)
            total += size
            if descriptor == 1:
                self._write(raw)
            else:
                self.errors = (self.errors + raw)[-2_000:]
        self._put_number(written_at, total)
        return _OK

    def _sched_yield(self) -> int:
        return _OK

    def _proc_exit(self, status: int) -> NoReturn:
        raise GuestExitedError(status)


_FUNCTIONS = frozenset({
    "args_sizes_get", "args_get", "environ_sizes_get", "environ_get", "clock_res_get", "clock_time_get", "random_get",
    "fd_fdstat_get", "fd_filestat_get", "fd_prestat_get", "fd_close", "fd_seek", "fd_tell", "fd_read", "fd_write",
    "sched_yield", "proc_exit",
})  # fmt: skip
"""The functions that a guest can call."""


def _random_blocks(seed: int) -> Iterator[bytes]:
    """The same bytes for the same seed, 32 at a time."""
    block = 0
    while True:
        yield hashlib.sha256(f"{seed}:{block}".encode()).digest()
        block += 1

"""The process in which one script runs: reads a job from its pipe, confines itself, and runs the guest.

`python -m backend.adapters.sandbox`: the first frame is the job, the second the guest's first input. It
reports which layers of confinement hold, passes on what the guest writes, and reports how the guest ended.
"""

import json
import sys
import threading  # noqa: F401 - imported while files can still be opened, as are the codecs below
from typing import Any

from wasmtime import Module, Store, Trap, WasmtimeError

from backend.adapters.sandbox.runtime import BOOT, engine, start
from backend.adapters.sandbox.wasi import Wasi
from backend.machine import frames
from backend.machine.confinement import confine, end_with_parent

_TRAPS = {"fuel": "all fuel consumed", "stack": "call stack exhausted"}
"""Why a guest was stopped -> the words in wasmtime's message for it."""


class _Pipe:
    """The guest's end of the pipe to the host."""

    def __init__(self, first: bytes) -> None:
        self._waiting = memoryview(first)
        self._guest = frames.GuestFrames()

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; waits for the host's next answer when none are left."""
        if not self._waiting:
            answer = frames.read_frame(sys.stdin.buffer)
            if answer is None or answer.kind != frames.ANSWER:
                raise EOFError
            self._waiting = memoryview(len(answer.raw).to_bytes(4, "little") + answer.raw)
        raw, self._waiting = bytes(self._waiting[:size]), self._waiting[size:]
        return raw

    def write(self, raw: bytes) -> None:
        """Pass on every complete frame."""
        for frame in self._guest.add(raw):
            frames.write_frame(sys.stdout.buffer, frames.GUEST, frame)


def main() -> None:
    """Read the job, confine this process, and run it; with the argument `layers`, print the layers that hold."""
    end_with_parent()
    if sys.argv[1:] == ["layers"]:
        sys.stdout.write(json.dumps(confine(1 << 30, 10)))
        return
    first, second = frames.read_frame(sys.stdin.buffer), frames.read_frame(sys.stdin.buffer)
    if first is None or second is None:
        return
    job: dict[str, Any] = json.loads(first.raw)
    machine = engine()
    module = Module.deserialize_file(machine, job["module"])
    store = Store(machine)
    store.set_fuel(job["fuel"])
    store.set_limits(memory_size=job["memory"], memories=1, instances=1)
    pipe = _Pipe(second.raw)
    arguments = ["python", "-I", "-S", "-B", "-c", BOOT]
    wasi = Wasi(store, arguments, now=job["now"], seed=job["seed"], read=pipe.read, write=pipe.write)
    str(Trap("x")), b"".decode("utf-8", "replace")  # load now what Python would load later, when files are out of reach
    layers = confine(job["memory"] + job["beside"], job["seconds"]) if job["confined"] else []
    frames.write_frame(sys.stdout.buffer, frames.ABOUT, json.dumps({"layers": layers}).encode())
    ended = {"how": "exit", "detail": ""}
    try:
        start(store, module, wasi)
    except (Trap, WasmtimeError) as error:
        reason = next((name for name, words in _TRAPS.items() if words in str(error)), "trap")
        ended = {"how": reason, "detail": str(error)[:2_000]}
    except (EOFError, MemoryError, frames.FrameError, OSError) as error:
        ended = {"how": "broken", "detail": f"{type(error).__name__}: {error}"[:2_000]}
    ended["errors"] = wasi.errors.decode("utf-8", "replace")
    frames.write_frame(sys.stdout.buffer, frames.ENDED, json.dumps(ended).encode())


if __name__ == "__main__":
    main()

"""Whatever comes out of the sandbox's process, and whatever the guest asks of its system: a clear reason, and no harm."""

import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from wasmtime import Engine, Limits, Memory, MemoryType, Store

from backend.adapters.sandbox.runtime import Runtime
from backend.adapters.sandbox.sandbox import _REASONS, WasiSandbox, _Watch
from backend.adapters.sandbox.wasi import _FUNCTIONS, GuestExitedError, Wasi
from backend.domain.device.script import ScriptLimits, ScriptOutcome, ScriptStatus
from backend.machine import frames
from backend.runtime.worker import THREADS
from backend.store.queries.turn.script_data import ScriptData, script_data
from tests.fakes.questions import QuestionsHere, rows
from tests.sandbox.conftest import NOW
from tests.store.opening import CAMPAIGN, lead_imported, started

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CODES = {code for code, _ in _REASONS.values()}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
OPS = st.sampled_from(["query", "table", "more", "done", "", "\ud800"])
messages = st.fixed_dictionaries(
    {"op": OPS | json_values},
    optional={
        "sql": st.sampled_from(["SELECT 1", "SELECT * FROM leads", "DROP TABLE leads", "\ud800", "\0"]) | json_values,
        "params": json_values, "name": st.sampled_from(["leads", "secrets"]) | json_values,
        "status": st.sampled_from([*ScriptStatus]) | json_values, "result": json_values, "output": json_values,
        "code": json_values, "message": json_values, "line": json_values,
    },
)  # fmt: skip
bodies = (
    st.binary(max_size=60)
    | (messages | json_values).map(lambda value: json.dumps(value).encode())
    | st.just(b"[" * 5_000)
)
lengths = st.none() | st.sampled_from([0, 1, frames.LARGEST, frames.LARGEST + 1, 2**32 - 1])
kinds = st.sampled_from([frames.ABOUT, frames.GUEST, frames.GUEST, frames.GUEST, frames.ENDED, b"R", b"\0"])


@st.composite
def conversations(draw: st.DrawFn) -> bytes:
    """Frames in any order, true ones and forged ones, some of a length that they do not have."""
    raw = b""
    for kind, body, length in draw(st.lists(st.tuples(kinds, bodies, lengths), max_size=6)):
        raw += kind + (len(body) if length is None else length).to_bytes(4, "little") + body
    return raw + draw(st.binary(max_size=8))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptData]:
    journal = started(tmp_path_factory.mktemp("data") / "outrider.db", lead_imported(1))
    with journal.database.read() as connection, script_data(connection, CAMPAIGN, NOW, QuestionsHere) as script_rows:
        yield script_rows
    journal.database.close()


class _Unstarted(WasiSandbox):
    """A sandbox of which only the conversation is had."""

    def __init__(self, *command: str) -> None:
        super().__init__(Path(), THREADS, command, {}, QuestionsHere)
        self._runtime = cast(Runtime, SimpleNamespace(module=Path("none"), guest=b""))

    def hear(self, raw: bytes, data: ScriptData) -> ScriptOutcome:
        """What it makes of these bytes."""
        process = cast("subprocess.Popen[bytes]", SimpleNamespace(stdin=io.BytesIO(), stdout=io.BytesIO(raw)))
        watch = _Watch(process, 1.0, threading.Event(), data.stop)
        return self._converse(process, watch, (b"{}", b""), data)


@QUICK
@given(raw=conversations())
def test_forged_frames_end_in_a_reason(data: ScriptData, raw: bytes) -> None:
    ended = _Unstarted().hear(raw, data)
    if ended.status is ScriptStatus.OK:
        json.loads(ended.result)
    elif ended.status is ScriptStatus.KILLED and ended.code in CODES:
        assert ended.message
    else:  # the guest's own word on how it went
        assert ended.code.startswith("script_")
    assert rows(data, "SELECT count(*) FROM leads")[1] == [[1]]


@pytest.mark.endurance
@settings(QUICK, max_examples=20_000)
@given(raw=conversations())
def test_forged_frames_end_in_a_reason_for_long(data: ScriptData, raw: bytes) -> None:
    assert _Unstarted().hear(raw, data).status in ScriptStatus


@QUICK
@given(pieces=st.lists(st.binary(max_size=40), max_size=8), split=st.integers(1, 9))
def test_frames_of_the_guest_are_cut_the_same_however_they_arrive(pieces: list[bytes], split: int) -> None:
    raw = b"".join(len(piece).to_bytes(4, "little") + piece for piece in pieces)
    cutter = frames.GuestFrames()
    cut = [frame for at in range(0, len(raw), split) for frame in cutter.add(raw[at : at + split])]
    assert cut == pieces


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("import sys; sys.stdout.buffer.write(b'G' + b'\\xff' * 1_000_000)", "script_crashed"),
        ("import sys\nwhile True: sys.stdout.buffer.write(b'A' + bytes([2, 0, 0, 0]) + b'{}')", "script_timeout"),
        ("import time\ntime.sleep(600)", "script_timeout"),
        ("raise SystemExit(3)", "script_crashed"),
    ],
)
def test_a_process_that_is_not_ours_does_no_harm(data: ScriptData, program: str, code: str) -> None:
    began = time.monotonic()
    ended = _Unstarted(sys.executable, "-c", program).run("result = 1", data, now=NOW, limits=ScriptLimits(seconds=1.0))
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, code)
    assert time.monotonic() - began < 60


words = st.integers(0, 2**32 - 1) | st.integers(0, 70_000) | st.sampled_from([0, 65_535, 65_536, -1])


@QUICK
@example(name="random_get", given_=[65_536, 0, 0, 0, 0, 0])
@given(name=st.sampled_from(sorted(_FUNCTIONS)) | st.just("path_open"), given_=st.lists(words, min_size=6, max_size=6))
def test_the_guests_system_reads_and_writes_its_memory_and_no_other(name: str, given_: list[int]) -> None:
    store = Store(Engine())
    wrote: list[bytes] = []
    wasi = Wasi(store, ["python"], now=NOW, seed=1, read=lambda size: b"x" * min(size, 9), write=wrote.append)
    wasi.memory = Memory(store, MemoryType(Limits(1, 1)))
    function: Any = getattr(wasi, f"_{name}", None)
    takes = function.__code__.co_argcount - 1 if function else 6
    try:
        answer = wasi._function(name)(*given_[:takes])
    except (MemoryError, GuestExitedError):
        return  # either ends the guest, and nothing else
    assert isinstance(answer, int)
    assert name != "path_open" or answer == 52
    assert all(len(raw) <= 65_536 for raw in wrote)

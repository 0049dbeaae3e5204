import gc
import tracemalloc
from pathlib import Path

from backend.adapters.leadfiles import read_leads

from .generate import write_connections

_ROWS = 40_000
_PEAK_BYTES = 2_000_000


def test_tens_of_thousands_of_rows_are_read_in_the_memory_of_a_few(tmp_path: Path) -> None:
    path = tmp_path / "Connections.csv"
    write_connections(path, _ROWS)
    assert path.stat().st_size > 2 * _PEAK_BYTES
    write_connections(tmp_path / "others.csv", _ROWS, seed=1)
    for _ in read_leads(tmp_path / "others.csv"):
        pass  # days that were understood are remembered, however many files are read
    gc.collect()
    gc.freeze()  # how much garbage waits for a collection goes by what else lives in this process
    gc.collect()
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_leads(path)) == _ROWS
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    assert peak < _PEAK_BYTES


def test_the_generator_writes_the_same_file_for_the_same_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_connections(tmp_path / name, 50, seed)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c

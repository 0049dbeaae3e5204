"""The wire's TypeScript: generated, deterministic, checked."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from backend.api.failures import STATUS
from backend.api.typescript import declarations, type_of
from backend.api.wire import __main__ as wire
from backend.domain.errors import WORDING

ROOT = Path(__file__).parents[2]


def test_the_page_s_types_are_fresh() -> None:
    assert wire.main(["--check", str(ROOT / "frontend" / "src" / "wire" / "generated.ts")]) == 0


def test_a_stale_file_is_refused_and_written_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep" / "generated.ts"
    assert wire.main(["--check", str(file)]) == 1
    assert "stale" in capsys.readouterr().err
    assert wire.main([str(file)]) == 0
    assert wire.main(["--check", str(file)]) == 0
    file.write_text(file.read_text() + " ")
    assert wire.main(["--check", str(file)]) == 1


def test_the_same_shapes_give_the_same_bytes_whatever_the_hash_seed() -> None:
    script = "import sys; from backend.api.wire import __main__ as wire; sys.stdout.write(wire.generated())"
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, cwd=ROOT, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {wire.generated().encode()}


def test_wrong_usage_is_status_two() -> None:
    assert wire.main([]) == wire.main(["--check"]) == 2


class Inner(BaseModel):
    """An inner one."""

    n: int | None


class Outer(BaseModel):
    inner: list[Inner | str]
    by_name: dict[str, float]


def test_a_shape_becomes_an_interface() -> None:
    text = declarations([Outer])
    assert "/** An inner one. */\nexport interface Inner {\n  n: number | null;\n}" in text
    assert "export interface Outer {\n  inner: (Inner | string)[];\n  by_name: Record<string, number>;\n}" in text


def test_what_has_no_type_is_an_error_and_not_any() -> None:
    with pytest.raises(ValueError, match="no TypeScript"):
        type_of({"type": "object"})


def test_every_status_is_of_a_code_that_exists() -> None:
    assert set(STATUS) <= set(WORDING)

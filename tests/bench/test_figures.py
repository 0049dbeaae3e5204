"""What `make bench` tells: every figure of its table, and of two revisions the ratio of what ran together."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.bench import bench_app
from tests.bench.figures import FIGURES, BenchmarkFailedError, Side, benchmarks, measure, summary, table
from tests.bench.other_revision import checked_out, revision_of

BEFORE, NOW = Side(Path("before"), "aaa"), Side(Path("now"), "bbb")
WITHOUT_A_WINDOW = ("turn", "import", "list", "person", "backend")


def of_turns(cpu_ms: float) -> Mapping[str, Any]:
    return {"turn": {"cpu_ms": cpu_ms}}


@pytest.mark.endurance
def test_every_figure_that_needs_no_window_is_measured(tmp_path: Path) -> None:
    chosen = [argument for name in WITHOUT_A_WINDOW for argument in ("--only", name)]
    result = CliRunner().invoke(bench_app, ["all", "--leads", "1000", "--tries", "1", "--json", *chosen])
    assert result.exit_code == 0, result.output
    medians = {line["name"]: line["medians"] for line in json.loads(result.output.splitlines()[-1])["figures"]}
    assert list(medians) == [figure.name for figure in FIGURES if figure.benchmark in WITHOUT_A_WINDOW]
    assert all(value > 0 for values in medians.values() for value in values)


def test_every_figure_names_a_benchmark_and_every_benchmark_has_a_figure() -> None:
    assert {figure.benchmark for figure in FIGURES} == set(benchmarks(100_000))


def test_two_revisions_are_measured_in_turn_and_neither_is_always_first() -> None:
    order: list[str] = []

    def run(side: Side, arguments: Sequence[str]) -> Mapping[str, Any]:
        order.append(f"{arguments[0]} {side.revision}")
        return {}

    measure([BEFORE, NOW], {"turn": ["turns"], "list": ["leads"]}, 2, run)
    assert order == [f"{name} {side}" for name in ("turns", "leads") for side in ("aaa", "bbb", "bbb", "aaa")]


def test_a_ratio_is_the_median_of_pairs_that_ran_together() -> None:
    answers = {
        BEFORE: [of_turns(1.0), of_turns(2.0), of_turns(4.0)],
        NOW: [of_turns(1.1), of_turns(2.2), of_turns(2.0)],
    }
    (line,) = summary([BEFORE, NOW], answers)["figures"]
    assert line["medians"] == [2.0, 2.0]
    assert line["ratio"] == 1.1
    assert line["ratios"] == [0.5, 1.1, 1.1]


def test_a_figure_that_the_earlier_revision_does_not_tell_has_no_ratio() -> None:
    result = summary([BEFORE, NOW], {BEFORE: [{"turn": {}}], NOW: [of_turns(1.0)]})
    assert [(line["medians"], line["ratio"], line["ratios"]) for line in result["figures"]] == [([None, 1.0], None, [])]
    assert "?" in table(result)[1]


def test_a_benchmark_that_fails_is_told_and_the_others_are_measured() -> None:
    def run(side: Side, arguments: Sequence[str]) -> Mapping[str, Any]:
        if arguments[0] == "start":
            raise BenchmarkFailedError("no window here")
        return {"cpu_ms": 1.0}

    answers, failures = measure([NOW], {"window": ["start"], "turn": ["turns"]}, 1, run)
    assert failures == ["window of bbb failed: no window here"]
    assert [line["name"] for line in summary([NOW], answers)["figures"]] == ["a turn"]


def test_a_benchmark_that_does_not_exist_is_refused() -> None:
    assert CliRunner().invoke(bench_app, ["all", "--only", "nothing"]).exit_code == 2


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two revisions: one from before there was a table of figures, and one with it."""
    root = tmp_path / "repository"
    (root / "tests" / "bench").mkdir(parents=True)
    git(root, "init", "--quiet")
    for text, name in (("old", "turns.py"), ("new", "figures.py")):
        (root / "tests" / "bench" / name).write_text(f"# {text}\n")
        (root / "told.txt").write_text(text)
        git(root, "add", "--all")
        git(root, "-c", "user.name=A", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", text)
    return root


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def test_another_revision_is_checked_out_beside_this_one_and_gone_afterwards(repository: Path) -> None:
    with checked_out("HEAD~1", repository) as folder:
        assert folder is not None
        assert (folder / "told.txt").read_text() == "old"
        assert (folder / "tests" / "bench" / "figures.py").exists(), "its benchmarks tell nothing that can be compared"
    assert not folder.exists()
    assert (repository / "told.txt").read_text() == "new"
    assert not list((repository / ".git" / "worktrees").glob("*"))


def test_a_revision_with_figures_of_its_own_is_measured_by_them(repository: Path) -> None:
    (repository / "tests" / "bench" / "figures.py").write_text("# changed since\n")
    assert revision_of(repository).endswith("+")
    with checked_out("HEAD", repository) as folder:
        assert folder is not None
        assert (folder / "tests" / "bench" / "figures.py").read_text() == "# new\n"
        assert not revision_of(folder).endswith("+")


def test_a_revision_that_does_not_exist_is_refused() -> None:
    result = CliRunner().invoke(bench_app, ["all", "--against", "no-such-revision"])
    assert result.exit_code == 2

"""The figures that `make bench` tells: one table, and how each is measured, in fresh processes, here or in another revision too.

Every try of a benchmark is a process of its own. A figure is the median of its tries. CPU time is the processor's time that the
process took, so that a busy machine changes little; the column "measured" says what is wall-clock time or memory instead. Between
two revisions, the ratio is what counts.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from tests.bench.other_revision import ROOT, checked_out, revision_of

CPU, WALL, MEMORY = "CPU time", "wall clock", "memory"


class Figure(NamedTuple):
    """One line of the table: which benchmark measures it, and where its answer has it (`effect.cpu_ms`)."""

    name: str
    unit: str
    measured: str
    benchmark: str
    path: str


FIGURES = (
    Figure("a turn", "ms", CPU, "turn", "cpu_ms"),
    Figure("a turn that sends", "ms", CPU, "turn", "effect.cpu_ms"),
    Figure("turns: peak of the process", "MB", MEMORY, "turn", "rss_mb"),
    Figure("import, per row", "µs", CPU, "import", "cpu_us_per_row"),
    Figure("import: peak of the process", "MB", MEMORY, "import", "rss_mb"),
    Figure("lead list, first page, median order", "ms", CPU, "list", "first_page_cpu_ms.p50"),
    Figure("lead list, first page, dearest order", "ms", CPU, "list", "first_page_cpu_ms.max"),
    Figure("lead list, sorted and filtered, median", "ms", CPU, "list", "any_window_cpu_ms.p50"),
    Figure("lead list, sorted and filtered, dearest", "ms", CPU, "list", "any_window_cpu_ms.max"),
    Figure("one person: what gates ask", "ms", CPU, "person", "facts_cpu_ms.p50"),
    Figure("one person: outrider why", "ms", CPU, "person", "why_cpu_ms.p50"),
    Figure("one person: the lead's page", "ms", CPU, "person", "page_cpu_ms.p50"),
    Figure("one person: all that is stored", "ms", CPU, "person", "stored_cpu_ms.p50"),
    Figure("Send, over ten campaigns", "ms", CPU, "send", "send_cpu_ms.p50"),
    Figure("Today", "ms", CPU, "send", "today_cpu_ms.p50"),
    Figure("the list of campaigns", "ms", CPU, "send", "campaigns_cpu_ms.p50"),
    Figure("backend: until it serves", "ms", CPU, "backend", "start_cpu_ms"),
    Figure("backend: after its start", "MB", MEMORY, "backend", "after_start_mb"),
    Figure("backend: after an import", "MB", MEMORY, "backend", "after_import_mb"),
    Figure("backend: peak", "MB", MEMORY, "backend", "peak_mb"),
    Figure("window: first paint", "ms", WALL, "window", "outrider.first_paint_ms"),
    Figure("window: current data", "ms", WALL, "window", "outrider.current_ms"),
    Figure("window and backend", "MB", MEMORY, "window", "outrider.memory_mb"),
)


def benchmarks(leads: int) -> dict[str, list[str]]:
    """Each benchmark's arguments; a turn is measured among a tenth as many leads, after so many events."""
    size = str(leads)
    turns = ["--leads", str(leads // 10), "--events", size, "--turns", str(leads // 100)]
    return {
        "turn": ["turns", *turns],
        "import": ["import", "--rows", size],
        "list": ["leads", "--leads", size],
        "person": ["person", "--leads", size, "--shared", str(leads // 100)],
        "send": ["send", "--leads", size],
        "backend": ["backend", "--rows", size],
        "window": ["start", "--times", "1"],
    }


class Side(NamedTuple):
    """A revision that is measured: the folder in which it is checked out, and its name."""

    root: Path
    revision: str


Answers = Mapping[str, Mapping[str, Any]]
"""Of each benchmark what one try of it answered; without those that failed."""
Run = Callable[[Side, Sequence[str]], Mapping[str, Any]]


class BenchmarkFailedError(Exception):
    """A benchmark ended without an answer; the message is the last that it said."""


def all_(
    leads: Annotated[int, typer.Option(min=1_000, help="Leads, rows of the file and prior events.")] = 100_000,
    tries: Annotated[int, typer.Option(min=1, help="Tries of each benchmark; their median is told.")] = 3,
    against: Annotated[str, typer.Option(help="A git revision to measure too, alternately; ratios are told.")] = "",
    only: Annotated[
        list[str] | None, typer.Option(help="A benchmark: turn, import, list, person, send, backend, window.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """A turn, import, the lead list, one person, Send, the start and memory: each in fresh processes, several tries."""
    chosen = {name: arguments for name, arguments in benchmarks(leads).items() if not only or name in only}
    if unknown := set(only or ()) - chosen.keys():
        raise typer.BadParameter(f"no such benchmark: {', '.join(sorted(unknown))}", param_hint="--only")
    here = Side(ROOT, revision_of(ROOT))
    with checked_out(against) as other:
        sides = [here] if other is None else [Side(other, revision_of(other)), here]
        answers, failures = measure(sides, chosen, tries, run)
    result = summary(sides, answers)
    typer.echo(json.dumps({"leads": leads, "tries": tries, **result}) if json_ else "\n".join(table(result)))
    for failure in failures:
        typer.echo(failure, err=True)
    raise typer.Exit(1 if failures else 0)


def run(side: Side, arguments: Sequence[str]) -> Mapping[str, Any]:
    """One try, in a process of its own that imports that revision; this interpreter and its packages."""
    command = [sys.executable, "-m", "tests.bench", *arguments, "--json"]
    surroundings = {**os.environ, "PYTHONPATH": str(side.root)}
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)  # a start compiles nothing, on a user's machine
    done = subprocess.run(command, cwd=side.root, env=surroundings, capture_output=True, text=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines() or [""]
    if done.returncode != 0:
        raise BenchmarkFailedError(lines[-1])
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def measure(
    sides: Sequence[Side], chosen: Mapping[str, Sequence[str]], tries: int, run: Run
) -> tuple[Mapping[Side, Sequence[Answers]], list[str]]:
    """Each try of a benchmark on all sides, in alternating order, so that what else the machine does meets both alike."""
    answers: dict[Side, list[dict[str, Mapping[str, Any]]]] = {side: [{} for _ in range(tries)] for side in sides}
    failures: list[str] = []
    for name, arguments in chosen.items():
        for number in range(tries):
            for side in sides if number % 2 == 0 else reversed(sides):
                try:
                    answers[side][number][name] = run(side, arguments)
                except BenchmarkFailedError as failed:
                    failures.append(f"{name} of {side.revision} failed: {failed}")
    return answers, failures


def summary(sides: Sequence[Side], answers: Mapping[Side, Sequence[Answers]]) -> dict[str, Any]:
    """Each figure of each revision; with two of them the ratio of the second to the first, of the tries that ran together."""
    lines = []
    for figure in FIGURES:
        tries = [[_value(answer, figure) for answer in answers[side]] for side in sides]
        if all(value is None for values in tries for value in values):
            continue
        line = {**figure._asdict(), "medians": [_median(values) for values in tries]}
        if len(sides) > 1:
            pairs = [after / before for before, after in zip(*tries, strict=True) if after is not None and before]
            line |= {"ratio": _median(pairs), "ratios": [round(ratio, 3) for ratio in sorted(pairs)]}
        lines.append(line)
    return {"revisions": [side.revision for side in sides], "figures": lines}


def _value(answer: Answers, figure: Figure) -> float | None:
    """None if the benchmark failed, or is of a revision that does not tell this."""
    value: Any = answer.get(figure.benchmark)
    for name in figure.path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, int | float) else None


def _median(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return round(statistics.median(measured), 3) if measured else None


def table(result: Mapping[str, Any]) -> list[str]:
    """The figures as lines of text."""
    comparing = len(result["revisions"]) > 1
    rows = [["", *result["revisions"], "", "measured", *(["ratio", "of each pair"] if comparing else [])]]
    for line in result["figures"]:
        medians = [_number(value) for value in line["medians"]]
        ratios = [_number(line["ratio"]), " ".join(map(str, line["ratios"]))] if comparing else []
        rows.append([line["name"], *medians, line["unit"], line["measured"], *ratios])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:,}"

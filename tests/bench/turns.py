"""What a turn, a resume and an import cost, against the cheapest durable transaction the same disk can do in the same run."""

import json
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.adapters.leadfiles import read_leads
from backend.app.wiring import Workspace, build_turn_loop
from backend.commands.user_commands import Commands
from backend.runtime.feed.feed import FeedClient, LiveFeed
from backend.store.queries.contact import messages
from backend.turn.loop import TurnReport
from backend.turn.presence import Presence
from backend.turn.verifier import verify_waiting
from tests import posix
from tests.bench.connections_file import write_connections
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import (
    TURNS_A_LEAD,
    InstantSite,
    empty_campaign,
    filled_campaign,
    workspace_in,
)

_BLOCK = 50


def turns(
    leads: Annotated[int, typer.Option(min=1, help="Leads in the database.")] = 10_000,
    events: Annotated[int, typer.Option(min=0, help="Prior events in the log, besides those of the leads.")] = 0,
    turns: Annotated[int, typer.Option(min=1, help="Turns to measure.")] = 1_000,
    folder: Annotated[Path | None, typer.Option(help="Where to put the database; the disk that is measured.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """The cost of a turn, without a browser and without a model."""
    if turns > leads * TURNS_A_LEAD:
        raise typer.BadParameter(f"{leads} leads give at most {leads * TURNS_A_LEAD} turns", param_hint="--turns")
    with workspace_in(folder) as workspace:
        campaign_id = filled_campaign(workspace, leads, events)
        report(_measure_turns(workspace, campaign_id, turns), json_)


def resume(
    leads: Annotated[int, typer.Option(min=1)] = 1_000,
    events: Annotated[int, typer.Option(min=0)] = 0,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """From process start to the first turn begun, beyond the imports."""
    with workspace_in(folder) as workspace:
        campaign_id = filled_campaign(workspace, leads, events)
        results = [_resume_once(workspace.settings.data_dir, campaign_id) for _ in range(5)]
    report({name: round(statistics.median(result[name] for result in results), 1) for name in results[0]}, json_)


def import_(
    rows: Annotated[int, typer.Option(min=1)] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    window: Annotated[bool, typer.Option("--window")] = False,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Importing a `Connections.csv`; with `--window`, while a page listens to the live feed."""
    from backend.commands.lead_import import import_leads  # noqa: PLC0415 - only this benchmark

    with workspace_in(folder) as workspace:
        path = workspace.settings.data_dir / "Connections.csv"
        write_connections(path, rows)
        campaign_id = empty_campaign(workspace)
        before = _rss_mb()
        with listening(workspace) if window else nullcontext([0]) as sent:
            started, cpu = time.perf_counter(), time.process_time()
            source = read_leads(path)
            commands = workspace.commands()
            done = import_leads(
                workspace.journal, commands.clock, campaign_id, source, file=path.name, file_format=source.format.name
            )
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    result = {
        "rows": rows,
        "accepted": done.accepted,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "cpu_us_per_row": round(1_000_000 * cpu / rows, 1),
        "sent_to_the_page": sent[0],
        "rss_mb": _rss_mb(),
        "rss_before_mb": before,
    }
    report(result, json_)


@contextmanager
def listening(workspace: Workspace) -> Iterator[list[int]]:
    """A page's side of the live feed, in a thread, up to its socket; how many bytes it was sent."""
    feed, client = LiveFeed(workspace.journal), FeedClient({}, lambda: None)
    sent = [0]

    def listen() -> None:
        client.open(workspace.database)
        while not client.closed:
            if client.wait(0.1):
                sent[0] += sum(len(message.model_dump_json()) for message in client.take(workspace.database))

    feed.subscribe(client)
    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield sent
    finally:
        feed.close()
        thread.join()


def _measure_turns(workspace: Workspace, campaign_id: str, count: int) -> dict[str, Any]:
    commands = workspace.commands()
    loop = build_turn_loop(workspace, InstantSite(), commands.clock, Presence(attended=True))
    floor = _Floor(workspace.settings.data_dir / "floor.db")
    for _ in range(min(20, count // 10)):  # caches and statement preparation are not what a long run costs
        loop.run_turn(campaign_id)
    spent: list[float] = []
    floors: list[float] = []
    cpu = 0.0
    commits, size = workspace.journal.commits, _size(workspace)
    while len(spent) < count:
        begun, cpu_begun = len(spent), time.process_time()
        finished = []
        while len(spent) < min(begun + _BLOCK, count):
            started = time.perf_counter()
            report = loop.run_turn(campaign_id)
            spent.append(time.perf_counter() - started)
            if not isinstance(report, TurnReport) or report.verdict != "accepted":
                raise RuntimeError(f"the benchmark's campaign came to a halt: {report}")
            finished.append(report)
        cpu += time.process_time() - cpu_begun
        floors += floor.run(_BLOCK)
    commits, size = workspace.journal.commits - commits, _size(workspace) - size
    result = {
        "turn_ms": spread(spent),
        "cpu_ms": round(1_000 * cpu / count, 3),
        "turns_per_s": round(count / sum(spent), 1),
        "bytes_per_turn": round(size / count),
        "commits_per_turn": round(commits / count, 3),
        "floor_ms": {"p50": round(1_000 * statistics.median(floors), 3)},
        "ratio_to_floor": round(statistics.median(spent) / statistics.median(floors), 2),
    }
    result["effect"] = measure_effects(workspace, campaign_id, commands, loop.run_turn)
    return {**result, "rss_mb": _rss_mb()}


def measure_effects(
    workspace: Workspace, campaign_id: str, commands: Commands, run_turn: Callable[[str], Any]
) -> dict[str, Any]:
    """Turns that send: their drafts are approved first, outside the measurement."""
    drafts = workspace.database.query(messages.drafts, campaign_id, 100)
    for draft in drafts:
        commands.review.approve(campaign_id, draft.id, shown_digest=commands.review.digest(campaign_id, draft.id))
    spent, commits, cpu = [], 0, 0.0
    for _ in drafts:
        before, cpu_before, started = workspace.journal.commits, time.process_time(), time.perf_counter()
        report = run_turn(campaign_id)
        if isinstance(report, TurnReport) and report.effect:
            spent.append(time.perf_counter() - started)
            cpu += time.process_time() - cpu_before
            commits += workspace.journal.commits - before
        verify_waiting(workspace.journal, commands.clock, campaign_id)
    if not spent:
        return {}
    return {
        "turns": len(spent),
        "turn_ms": spread(spent),
        "cpu_ms": round(1_000 * cpu / len(spent), 3),
        "commits_per_turn": round(commits / len(spent), 3),
    }


class _Floor:
    """The cheapest durable step: one `synchronous=FULL` transaction with three inserts and one update."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE log(id INTEGER PRIMARY KEY, line TEXT); CREATE TABLE state(id INTEGER PRIMARY KEY, n INTEGER);"
            "INSERT INTO state VALUES (1, 0);"
        )

    def run(self, count: int) -> list[float]:
        """So many of them, each timed (s)."""
        execute, line, spent = self._connection.execute, "x" * 200, []
        for _ in range(count):
            started = time.perf_counter()
            execute("BEGIN IMMEDIATE")
            for _ in range(3):
                execute("INSERT INTO log(line) VALUES (?)", (line,))
            execute("UPDATE state SET n = n + 1 WHERE id = 1")
            execute("COMMIT")
            spent.append(time.perf_counter() - started)
        return spent


_RESUME = """
import json, sys, time
started = time.perf_counter()
from pathlib import Path
from tests.bench.sample_campaign import InstantSite
from backend.turn.presence import Presence
from backend.turn.recovery import recover
from backend.machine.settings import AppSettings
from backend.turn.loop import TurnCallbacks
from backend.app.wiring import build_turn_loop, instance_lock, open_workspace
imported = time.perf_counter()
settings = AppSettings(Path(sys.argv[1]), "", 10)
with instance_lock(settings), open_workspace(settings) as workspace:
    commands = workspace.commands()
    begun = []
    callbacks = TurnCallbacks(on_step=lambda *_: begun or begun.append(time.perf_counter()))
    loop = build_turn_loop(
        workspace, InstantSite(), commands.clock, Presence(attended=True), callbacks=callbacks
    )
    recover(workspace.journal, loop.gateway, commands.clock, sys.argv[2])
    loop.run_turn(sys.argv[2])
print(json.dumps({"imports_ms": 1000 * (imported - started), "resume_ms": 1000 * (begun[0] - imported)}))
"""


def _resume_once(data_dir: Path, campaign_id: str) -> dict[str, float]:
    command = [sys.executable, "-c", _RESUME, str(data_dir), campaign_id]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _size(workspace: Workspace) -> int:
    with workspace.database.read() as connection:
        (pages,), (free,), (page,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * page)


def _rss_mb() -> int:
    posix.needed()
    import resource  # noqa: PLC0415 - of POSIX

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)

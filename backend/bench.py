"""`outrider bench`: what a turn costs, against the cheapest durable transaction the same disk can do in the same run."""

import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.controller.commands import Commands
from backend.controller.loop import TurnReport
from backend.controller.presence import Presence
from backend.controller.verifier import verify_waiting
from backend.domain.campaign import CampaignStatus, Limits, Settings
from backend.domain.events import Event
from backend.domain.scoring import DEFAULT_BLUEPRINT, score
from backend.domain.sequence import Sequence, Step
from backend.domain.site import Attempt, Claim, Person, Profile, Relation, SelectorReport, Thread
from backend.domain.task import TaskStatus
from backend.settings import AppSettings
from backend.store import reading
from backend.wiring import Workspace, lead_file, open_workspace, runner

bench_app = typer.Typer(help="Measure what a turn, a resume and an import cost.", no_args_is_help=True)

LOOKS = 9
TURNS_A_LEAD = LOOKS + 2
"""Selected, looked at nine times, drafted for: eleven turns without an outside effect."""
_BATCH = 5_000
_BLOCK = 50


class StillSite:
    """A site that answers at once, so that only Outrider's own work is measured."""

    name = "practice"

    def __init__(self) -> None:
        self._invited: set[str] = set()

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        """Everything is there."""
        return SelectorReport()

    def open_profile(self, person: Person) -> None:
        """Nothing to show."""

    def read_profile(self, person: Person) -> Profile:
        """The same page for everybody."""
        relation = Relation.PENDING if person.profile_url in self._invited else Relation.NONE
        return Profile(person.name, "Head of Research", "Example", "Bern", "", (), relation)

    def read_thread(self, person: Person) -> Thread:
        """An empty thread."""
        return Thread((), Relation.NONE)

    def send_invitation(self, person: Person, note: str) -> Attempt:
        """Invited."""
        self._invited.add(person.profile_url)
        return Attempt(Claim.CONFIRMED, "Invitation sent.")

    def send_message(self, person: Person, text: str) -> Attempt:
        """Never reached by the benchmark's sequence."""
        return Attempt(Claim.REFUSED, "not connected")


@bench_app.command()
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
    with _workspace(folder) as workspace:
        campaign_id = _campaign(workspace, leads, events)
        _print(_measure_turns(workspace, campaign_id, turns), json_)


@bench_app.command()
def resume(
    leads: Annotated[int, typer.Option(min=1)] = 1_000,
    events: Annotated[int, typer.Option(min=0)] = 0,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """From process start to the first turn begun, beyond the imports."""
    with _workspace(folder) as workspace:
        campaign_id = _campaign(workspace, leads, events)
        results = [_resume_once(workspace.settings.data_dir, campaign_id) for _ in range(5)]
    _print({name: round(statistics.median(result[name] for result in results), 1) for name in results[0]}, json_)


@bench_app.command("leads")
def leads_(
    leads: Annotated[int, typer.Option(min=1_000)] = 100_000,
    events: Annotated[int, typer.Option(min=0, help="Prior events in the log, besides those of the leads.")] = 0,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The list of leads: first pages, jumps to any place, filters and searches, in every order."""
    with _workspace(folder) as workspace:
        campaign_id = _empty_campaign(workspace)
        _fill(workspace, campaign_id, leads, lambda n: _varied_lead(workspace, n))
        _fill(workspace, campaign_id, events, lambda n: Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}))
        _print(_measure_list(workspace, campaign_id, leads), json_)


@bench_app.command("import")
def import_(
    rows: Annotated[int, typer.Option(min=1)] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Importing a `Connections.csv`."""
    from backend.controller.importing import import_leads  # noqa: PLC0415 - only this benchmark

    with _workspace(folder) as workspace:
        path = workspace.settings.data_dir / "Connections.csv"
        with path.open("w", encoding="utf-8") as file:
            file.write("First Name,Last Name,URL,Email Address,Company,Position,Connected On\n")
            file.writelines(
                f"Ada,Person {n},https://www.linkedin.com/in/person-{n},,Company {n % 999},Head of Research,15 Mar 2024\n"
                for n in range(rows)
            )
        campaign_id = _empty_campaign(workspace)
        before = _rss_mb()
        started = time.perf_counter()
        source = lead_file(path)
        commands = workspace.commands()
        done = import_leads(
            workspace.journal, commands.clock, campaign_id, source, file=path.name, file_format=source.format.name
        )
        seconds = time.perf_counter() - started
    result = {
        "rows": rows,
        "accepted": done.accepted,
        "seconds": round(seconds, 2),
        "rss_mb": _rss_mb(),
        "rss_before_mb": before,
    }
    _print(result, json_)


# --- the list of leads ---


def _varied_lead(workspace: Workspace, n: int) -> Event:
    first, title = (
        _pick(("Ada", "Ben", "Cara", "Dan", "Zoë"), n * 7),
        _pick(("Head of Research", "CTO", "Recruiter", ""), n),
    )
    fields = {
        "full_name": f"{first} Person{n * 7919 % 50_000}",
        "profile_url": f"https://www.linkedin.com/in/p{n}",
        "member_key": f"p{n}",
        "job_title": title,
        "company": f"Company {n * 31 % 4_000} GmbH",
        "position": n,
        "weight_score": _pick((0, 15, 25, 40, 65, 90), n * 13),
        "status": "pending" if n % 10 < _PENDING else "contacted",
        "tags": ["vip"] if n % 50 == 0 else [],
    }
    return Event("LeadImported", workspace.journal.ids.new(), fields)


_PENDING = 8


def _pick(values: tuple[Any, ...], n: int) -> Any:
    return values[n % len(values)]


def _measure_list(workspace: Workspace, campaign_id: str, leads: int) -> dict[str, Any]:
    from backend.api.reads import lead_list  # noqa: PLC0415 - only this benchmark

    first: list[float] = []
    every: list[float] = []
    searches = ("a", "ad", "person1", "ada person12", "gmbh", "research", "zoe", "company 12")
    for sort in lead_list.SORTS:
        plain = lead_list.Wanted(sort=sort)
        asked: list[tuple[lead_list.Wanted, int]] = [(plain, 0), (plain, leads // 2), (plain, leads - 50)]
        asked += [(plain._replace(status="contacted"), 0), (plain._replace(status="pending"), leads // 2)]
        asked += [(plain._replace(manual=True), 0), (plain._replace(tag="vip"), 0)]
        asked += [(plain._replace(text=text), 0) for text in searches]
        for n, (want, skip) in enumerate(asked):
            started = time.perf_counter()
            with workspace.database.read() as connection:
                lead_list.window(connection, campaign_id, want, skip=skip)
            spent = time.perf_counter() - started
            every.append(spent)
            first += [spent] if n == 0 else []
    return {"leads": leads, "first_page_ms": _spread(first), "any_window_ms": _spread(every)}


# --- measuring --------------------------------------------------------------------------------------------------------


def _measure_turns(workspace: Workspace, campaign_id: str, count: int) -> dict[str, Any]:
    commands = workspace.commands()
    run = runner(workspace, StillSite(), commands.clock, Presence(attended=True), settle_seconds=0)
    floor = _Floor(workspace.settings.data_dir / "floor.db")
    for _ in range(min(20, count // 10)):  # caches and statement preparation are not what a long run costs
        run.loop.run_turn(campaign_id)
    spent: list[float] = []
    floors: list[float] = []
    cpu = 0.0
    commits, size = workspace.journal.commits, _size(workspace)
    while len(spent) < count:
        begun, cpu_begun = len(spent), time.process_time()
        finished = []
        while len(spent) < min(begun + _BLOCK, count):
            started = time.perf_counter()
            report = run.loop.run_turn(campaign_id)
            spent.append(time.perf_counter() - started)
            if not isinstance(report, TurnReport) or report.verdict != "accepted":
                raise RuntimeError(f"the benchmark's campaign came to a halt: {report}")
            finished.append(report)
        cpu += time.process_time() - cpu_begun
        floors += floor.run(_BLOCK)
    commits, size = workspace.journal.commits - commits, _size(workspace) - size
    result = {
        "turn_ms": _spread(spent),
        "cpu_ms": round(1_000 * cpu / count, 3),
        "turns_per_s": round(count / sum(spent), 1),
        "bytes_per_turn": round(size / count),
        "commits_per_turn": round(commits / count, 3),
        "floor_ms": {"p50": round(1_000 * statistics.median(floors), 3)},
        "ratio_to_floor": round(statistics.median(spent) / statistics.median(floors), 2),
    }
    result["effect"] = _measure_effects(workspace, campaign_id, commands, run.loop.run_turn)
    return {**result, "rss_mb": _rss_mb()}


def _measure_effects(
    workspace: Workspace, campaign_id: str, commands: Commands, run_turn: Callable[[str], Any]
) -> dict[str, Any]:
    """Turns that send: their drafts are approved first, outside the measurement."""
    with workspace.database.read() as connection:
        drafts = reading.drafts(connection, campaign_id, 100)
    for draft in drafts:
        commands.approve(campaign_id, draft.id, shown_digest=commands.digest(campaign_id, draft.id))
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
        "turn_ms": _spread(spent),
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
from backend.bench import StillSite
from backend.controller.presence import Presence
from backend.controller.recovery import recover
from backend.settings import AppSettings
from backend.wiring import open_workspace, runner, sole_instance
imported = time.perf_counter()
settings = AppSettings(Path(sys.argv[1]), "", 10)
with sole_instance(settings), open_workspace(settings) as workspace:
    commands = workspace.commands()
    run = runner(workspace, StillSite(), commands.clock, Presence(attended=True), settle_seconds=0)
    recover(workspace.journal, run.loop.gateway, commands.clock, sys.argv[2])
    begun = []
    run.loop.on_step = lambda *_: begun or begun.append(time.perf_counter())
    run.loop.run_turn(sys.argv[2])
print(json.dumps({"imports_ms": 1000 * (imported - started), "resume_ms": 1000 * (begun[0] - imported)}))
"""


def _resume_once(data_dir: Path, campaign_id: str) -> dict[str, float]:
    command = [sys.executable, "-c", _RESUME, str(data_dir), campaign_id]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own text
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    at = {"p50": len(ordered) // 2, "p95": len(ordered) * 95 // 100, "max": len(ordered) - 1}
    return {name: round(1_000 * ordered[index], 3) for name, index in at.items()}


def _size(workspace: Workspace) -> int:
    with workspace.database.read() as connection:
        (pages,), (free,), (page,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * page)


def _rss_mb() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)


# --- the database that is measured --------------------------------------------------------------------------------------


@contextmanager
def _workspace(folder: Path | None) -> Iterator[Workspace]:
    with (
        tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made,
        open_workspace(AppSettings(Path(made), "", 10)) as workspace,
    ):
        yield workspace


def _empty_campaign(workspace: Workspace) -> str:
    steps = tuple(Step(key=f"visit_{n}", kind="visit") for n in range(LOOKS))
    invite = Step(key="invite", kind="invitation", template="Hi {first_name}, I would like to stay in touch.")
    limits = Limits(
        invitations_a_day=100,
        invitations_a_week=400,
        ramp_days=0,
        spacing_seconds=0,
        day_starts=0,
        day_ends=24 * 60,
        work_days=tuple(range(7)),
        drafts_ahead=1_000,
    )
    settings = Settings(sequence=Sequence(steps=(*steps, invite)), limits=limits)
    return workspace.commands().create_campaign(
        "Bench", "Measure.", site="practice", account="bench", settings=settings
    )


def _campaign(workspace: Workspace, leads: int, events: int) -> str:
    """An active campaign with so many scored leads and so many more events in its log, all written as ever."""
    commands, new_id = workspace.commands(), workspace.journal.ids.new
    campaign_id = _empty_campaign(workspace)
    points, reasons = score(DEFAULT_BLUEPRINT, {"job_title": "Head of Research", "company": "Example"})

    def lead(n: int) -> Event:
        url = f"https://www.linkedin.com/in/person-{n}"
        fields = {
            "full_name": f"Ada Person {n}",
            "profile_url": url,
            "member_key": url,
            "job_title": "Head of Research",
        }
        scored = {"company": "Example", "position": n, "weight_score": points, "score_reasons": list(reasons)}
        return Event("LeadImported", new_id(), fields | scored)

    _fill(workspace, campaign_id, leads, lead)
    _fill(workspace, campaign_id, events, lambda n: Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}))
    run = runner(workspace, StillSite(), commands.clock, Presence(attended=True), settle_seconds=0)
    with workspace.journal.transaction() as transaction:
        now = commands.clock.now()
        active = [
            Event("CampaignActivated", campaign_id, {"status": CampaignStatus.ACTIVE}),
            Event("RuntimeChanged", campaign_id, {"state": "Idle"}),
        ]
        transaction.record(campaign_id, active, actor="user", cause="bench", at=now)
    # The one task before the leads' own: scoring, already done, is selected, claimed and verified.
    with workspace.database.read() as connection:
        scoring = reading.ready_tasks(connection, campaign_id, now)[0]
    claimed = [
        Event("TaskStarted", scoring.id, {"status": TaskStatus.IN_PROGRESS}),
        Event("TaskClaimed", scoring.id, {"status": TaskStatus.VERIFYING}),
    ]
    workspace.journal.record(campaign_id, events=claimed, actor="user", cause="bench", at=now)
    verify_waiting(workspace.journal, run.loop.clock, campaign_id)
    return campaign_id


def _fill(workspace: Workspace, campaign_id: str, count: int, event: Callable[[int], Event]) -> None:
    for start in range(0, count, _BATCH):
        made = [event(n) for n in range(start, min(start + _BATCH, count))]
        workspace.journal.record(
            campaign_id, events=made, actor="bench", cause="fill", at=workspace.commands().clock.now()
        )


def _print(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result))
        return
    for name, value in result.items():
        typer.echo(f"{name:18} {value}")


if __name__ == "__main__":
    bench_app()

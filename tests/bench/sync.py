"""What coming into step with a project costs: pushing, pulling, and an act that waits until its intent is acknowledged.

Both by the app's own client and engine; beside recording the same events here (pulling does that, too), beside COPY into the
same PostgreSQL, and beside one upsert a request by the same client.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from backend.app.wiring import Workspace, blob_store, build_turn_loop, open_workspace
from backend.domain.events.events import WORKSPACE, Event
from backend.machine.settings import AppSettings
from backend.ports.shared_store import Appended, Batch, SharedStore, SharedStoreTooSlowError, StreamHeads
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import LeaseKeeper, LeaseTimes, ThisDevice
from backend.runtime.sync.pages import PageLimits, pages
from backend.runtime.sync.stream_sync import StreamSync
from backend.runtime.worker import THREADS
from backend.store.replication import replica
from backend.turn.presence import Presence
from tests.bench.project_server import Member, ProjectServer, running_project, signed_in
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import (
    TURNS_A_LEAD,
    InstantSite,
    empty_campaign,
    fill,
    filled_campaign,
    workspace_in,
)
from tests.bench.turns import measure_effects

UPSERTS = 500
DISTANCE_SECONDS = 0.05
"""The way to a project that is far away, there and back."""
FETCHES = 3
"""Each way by turns, and the best of each counts: what else the machine does slows one of them down."""
EFFECTS = 50
_EVENT = "campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt, hash"


def sync_(
    events: Annotated[int, typer.Option(min=1_000, help="Events to push and to pull.")] = 50_000,
    log: Annotated[int, typer.Option(min=0, help="How long the log is, the second time.")] = 1_000_000,
    url: Annotated[str, typer.Option(help="A project that may be written to; else one is started here.")] = "",
    key: Annotated[str, typer.Option(help="Its public key.")] = "",
    postgres: Annotated[str, typer.Option(help="Its PostgreSQL, as a superuser, to compare with.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Where to put the local databases.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """Pushing and pulling events through a project's gateway, on an empty log and on a long one; a turn that sends."""
    with running_project(ProjectServer(url, key, postgres)) as stand:
        result = {"empty": _streams(stand, folder, 0, events)}
        if log and stand.postgres:
            result["long"] = _streams(stand, folder, log, events)
            result["long_to_empty"] = {
                name: round(result["long"][name] / result["empty"][name], 2) for name in ("push_a_s", "pull_a_s")
            }
        result["turn"] = {"alone": _turns(None, folder), "attached": _turns(stand, folder)}
    report({"events": events, "log": log, **result}, json_)


def erasing_(
    leads: Annotated[int, typer.Option(min=10, help="Leads of the campaign, each with two events.")] = 20_000,
    log: Annotated[int, typer.Option(min=0, help="How many events more its log has.")] = 160_000,
    folder: Annotated[Path | None, typer.Option(help="Where to put the local database.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """Erasing a person of a campaign in a project, and then deleting the campaign: how long each call takes."""
    with running_project(ProjectServer("", "", "")) as stand, workspace_in(folder) as here:
        member = signed_in(stand, here)
        _attach(here, stand, member)
        campaign_id, streams, events = empty_campaign(here), _engine_of(here), 2 * leads
        for stream in (WORKSPACE, campaign_id):
            streams.push(member.shared_store, stream)
        _lengthen(here, stand, member, campaign_id, log)
        fill(here, campaign_id, events, _recorded(here, events))
        streams.push(member.shared_store, campaign_id)
        erasing = _erasing(here, streams, member, campaign_id)
        member.project.close()
    report({"leads": leads, "events": events + log, **erasing}, json_)


# --- streams ---


def _streams(stand: ProjectServer, folder: Path | None, log: int, events: int) -> dict[str, Any]:
    with workspace_in(folder) as here:
        member = signed_in(stand, here)
        _attach(here, stand, member)
        campaign_id = empty_campaign(here)
        streams = _engine_of(here)
        for stream in (WORKSPACE, campaign_id):
            streams.push(member.shared_store, stream)
        if log:
            _lengthen(here, stand, member, campaign_id, log)
        with _second(here) as there, _second(here, "third") as far:
            recorded = _rate(events, lambda: fill(here, campaign_id, events, _recorded(here, events)))
            push = _rate(events, lambda: streams.push(member.shared_store, campaign_id))
            (head,) = (
                stream_heads
                for stream_heads in member.shared_store.streams()
                if stream_heads.campaign_id == campaign_id
            )
            pull = _rate(events, lambda: _engine_of(there).synchronise(member.shared_store, campaign_id, head))
            _refuse_difference(here, there, campaign_id, head)
            distant = _distant(far, member, campaign_id, head, events)
        beside = _beside(here, stand, member, campaign_id, events) if stand.postgres else {}
        erasing = _erasing(here, streams, member, campaign_id)
        member.project.close()
    rates = {"push_a_s": push, "pull_a_s": pull, "recorded_a_s": recorded}
    return {**rates, "distant": distant, **beside, "erasing": erasing}


def _erasing(here: Workspace, streams: StreamSync, member: Member, campaign_id: str) -> dict[str, dict[str, float]]:
    """How long the project takes for each call when one person's data is erased, and when the whole campaign is deleted."""
    commands = here.commands()
    with here.database.read() as connection:
        (lead,) = connection.execute("SELECT min(id) FROM leads WHERE campaign_id=?", (campaign_id,)).fetchone()
    figures = {}
    for name, decide in (
        ("person", partial(commands.people.erase, campaign_id, lead)),
        ("campaign", partial(commands.campaigns.delete, campaign_id)),
    ):
        decide()
        timed = _Timed(member.shared_store)
        for stream in (WORKSPACE, campaign_id):
            streams.push(cast(SharedStore, timed), stream)
        figures[name] = timed.figures()
    return figures


class _Timed:
    """A shared store whose every append is timed."""

    def __init__(self, shared_store: SharedStore) -> None:
        self._shared_store = shared_store
        self._seconds: list[float] = []
        self._too_slow = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared_store, name)

    def append(self, batch: Batch, fence: int | None) -> Appended:
        """The shared store's own."""
        begun = time.perf_counter()
        try:
            return self._shared_store.append(batch, fence)
        except SharedStoreTooSlowError:
            self._too_slow += 1
            raise
        finally:
            self._seconds.append(time.perf_counter() - begun)

    def figures(self) -> dict[str, float]:
        """In milliseconds, and how many calls were given up as too slow."""
        calls = {"calls": len(self._seconds), "too_slow": self._too_slow, "all": round(1_000 * sum(self._seconds))}
        return calls | spread(self._seconds)


def _distant(
    workspace: Workspace, member: Member, campaign_id: str, head: StreamHeads, events: int
) -> dict[str, float]:
    """Pages of events over a long way, one at a time and several at once; and all of it, adopting included."""
    far = cast(SharedStore, _Distant(member.shared_store))
    after = head.event_seq - events

    def fetch(limits: PageLimits) -> int:
        fetched = pages(partial(far.pull_events, campaign_id), after, head.event_seq, limits, THREADS)
        return _rate(events, lambda: [None for _ in fetched])

    rates = [(fetch(PageLimits(in_flight=1)), fetch(PageLimits())) for _ in range(FETCHES)]
    single, several = (max(rate) for rate in zip(*rates, strict=True))
    pulled = _rate(events, lambda: _engine_of(workspace).synchronise(far, campaign_id, head))
    return {
        "one_at_a_time_a_s": single,
        "in_flight_a_s": several,
        "gain": round(several / single, 2),
        "pull_a_s": pulled,
    }


class _Distant:
    """A shared store that is far away."""

    def __init__(self, shared_store: SharedStore) -> None:
        self._shared_store = shared_store

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._shared_store, name)

        def distant(*arguments: Any) -> Any:
            time.sleep(DISTANCE_SECONDS)
            return call(*arguments)

        return distant


def _recorded(workspace: Workspace, count: int) -> Callable[[int], Event]:
    """Half of them leads that are imported, and then each of these is scored, as in a campaign that begins."""
    new = [workspace.journal.ids.new() for _ in range(-(-count // 2))]

    def event(n: int) -> Event:
        if n >= len(new):
            return Event("LeadScored", new[n - len(new)], {"weight_score": n % 101})
        address = f"https://www.linkedin.com/in/person-{n}"
        who = {"full_name": f"Ada Person {n}", "profile_url": address, "member_key": address}
        return Event(
            "LeadImported", new[n], {**who, "job_title": "Head of Research", "company": "Example", "position": n}
        )

    return event


def _engine_of(workspace: Workspace) -> StreamSync:
    clock = workspace.commands().clock
    lease = LeaseKeeper(ThisDevice("bench", "Bench", "bench 1"), clock, LeaseTimes(), THREADS.lock())
    return StreamSync(workspace.journal, blob_store(workspace.settings), lease, clock, nullcontext, lambda *_: None)


def _attach(workspace: Workspace, stand: ProjectServer, member: Member) -> None:
    with workspace.journal.transaction() as transaction:
        project = replica.AttachedProject(stand.url, stand.key, member.user_id, "", "bench", "Bench", 1)
        replica.attach(transaction, project)


@contextmanager
def _second(workspace: Workspace, name: str = "second") -> Iterator[Workspace]:
    """Another device that knows what this one knows now."""
    folder = workspace.settings.data_dir / name
    folder.mkdir()
    with workspace.database.read() as connection, sqlite3.connect(folder / workspace.settings.database.name) as copy:
        connection.backup(copy)
    copy.close()
    with open_workspace(AppSettings(folder, "", 10)) as opened:
        yield opened


def _refuse_difference(here: Workspace, there: Workspace, campaign_id: str, head: StreamHeads) -> None:
    """Figures of something else than the same rows are worth nothing."""
    rows = []
    for workspace in (here, there):
        with workspace.database.read() as connection:
            heads = connection.execute("SELECT * FROM log_heads WHERE campaign_id=?", (campaign_id,)).fetchone()
            rows.append((heads, connection.execute("SELECT count(*), sum(weight_score) FROM leads").fetchone()))
    if rows[0] != rows[1] or head.event_seq not in rows[0][0]:
        raise RuntimeError(f"the devices differ: {rows}, and the project has {head}")


def _rate(count: int, act: Callable[[], object]) -> int:
    begun = time.perf_counter()
    act()
    return round(count / (time.perf_counter() - begun))


# --- beside PostgreSQL itself ---


def _lengthen(here: Workspace, stand: ProjectServer, member: Member, campaign_id: str, log: int) -> None:
    """So many events more in both logs, copied."""
    fill(here, campaign_id, log, lambda n: Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}))
    with here.database.read() as local:
        acknowledged = _acknowledged(local, campaign_id)
        (seq, hash_) = local.execute(
            "SELECT event_seq, event_hash FROM log_heads WHERE campaign_id=?", (campaign_id,)
        ).fetchone()
        _copy(stand, "public.event_log", member.user_id, _rows(local, campaign_id, acknowledged))
    with _postgres(stand) as connection:
        connection.execute(
            "update public.log_heads set event_seq=%s, event_hash=%s where user_id=%s and campaign_id=%s",
            (seq, hash_, member.user_id, campaign_id),
        )
        connection.execute("analyze public.event_log")
    with here.journal.transaction() as transaction:
        replica.acknowledge(transaction, campaign_id, seq, 0)


def _beside(here: Workspace, stand: ProjectServer, member: Member, campaign_id: str, events: int) -> dict[str, Any]:
    """The same rows by COPY, in and out, without checks and folds; and one upsert a request by the same client."""
    with _postgres(stand) as connection:
        connection.execute(_COMPARED)
        try:
            with here.database.read() as local:
                last = _acknowledged(local, campaign_id)
                rows = _rows(local, campaign_id, last - events)
                table = "public.bench_log"
                copied = _rate(events, lambda: _copy(stand, table, member.user_id, rows))
            read = _rate(events, lambda: _copied_out(connection))

            def upserts() -> None:
                for n in range(UPSERTS):
                    row = {"seq": n % 50, "entry": {"campaign": campaign_id, "text": "x" * 300}}
                    member.project.rpc("bench_upsert", row, member.sign_in.token())

            return {"copy_in_a_s": copied, "copy_out_a_s": read, "upsert_a_s": _rate(UPSERTS, upserts)}
        finally:
            connection.execute(_COMPARED_NO_MORE)


_COMPARED = """
create table public.bench_log (like public.event_log including all);
create table public.bench_rows (seq bigint primary key, entry json not null);
create function public.bench_upsert(seq bigint, entry json) returns void language sql security definer as $$
  insert into public.bench_rows values (seq, entry) on conflict (seq) do update set entry = excluded.entry
$$;
grant execute on function public.bench_upsert to authenticated;
"""
_COMPARED_NO_MORE = """
drop function public.bench_upsert; drop table public.bench_rows; drop table public.bench_log;
"""


def _acknowledged(local: sqlite3.Connection, campaign_id: str) -> int:
    """Up to where the project has the stream's events."""
    return int(local.execute("SELECT event_seq FROM acknowledged WHERE campaign_id=?", (campaign_id,)).fetchone()[0])


def _rows(local: sqlite3.Connection, campaign_id: str, after: int) -> Iterator[tuple[Any, ...]]:
    asked = f"SELECT {_EVENT} FROM event_log WHERE campaign_id=? AND seq>? ORDER BY seq"
    return local.execute(asked, (campaign_id, after))


def _copy(stand: ProjectServer, table: str, user_id: str, rows: Iterator[tuple[Any, ...]]) -> None:
    columns = f"copy {table} (user_id, {_EVENT}) from stdin"
    with _postgres(stand) as connection, connection.cursor() as cursor, cursor.copy(columns) as copy:
        for row in rows:
            copy.write_row((user_id, *row))


def _copied_out(connection: Any) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy("copy (select * from public.bench_log order by seq) to stdout") as copy,
    ):
        for _ in copy.rows():
            pass


def _postgres(stand: ProjectServer) -> Any:
    import psycopg  # noqa: PLC0415 - of the development packages; without --postgres nobody needs it

    return psycopg.connect(stand.postgres, autocommit=True)


# --- turns ---


class _Counted:
    """A shared store, and how often it was asked."""

    def __init__(self, shared_store: SharedStore | None) -> None:
        self._shared_store = shared_store
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        self.asked += 1
        return getattr(self._shared_store, name)


def _turns(stand: ProjectServer | None, folder: Path | None) -> dict[str, Any]:
    """How often turns wait for the project, those that only look and those that send; and how long the latter take."""
    with workspace_in(folder) as workspace:
        campaign_id = filled_campaign(workspace, EFFECTS, 0)
        commands, looks = workspace.commands(), EFFECTS * TURNS_A_LEAD
        with _engine(workspace, stand) as (engine, counted):
            loop = build_turn_loop(
                workspace, InstantSite(), commands.clock, Presence(attended=True), sync_status=engine
            )
            began = counted.asked
            for _ in range(looks):
                loop.run_turn(campaign_id)
            looked = counted.asked - began
            if engine is not None:
                engine.push_and_confirm(campaign_id)  # what the app pushes between turns
            began = counted.asked
            effects = measure_effects(workspace, campaign_id, commands, loop.run_turn)
            sent = counted.asked - began
    return {
        "round_trips_a_look": looked / looks,
        "round_trips_an_effect": sent / effects["turns"],
        "effect_ms": effects["turn_ms"],
    }


@contextmanager
def _engine(workspace: Workspace, stand: ProjectServer | None) -> Iterator[tuple[SyncEngine | None, Any]]:
    if stand is None:
        yield None, _Counted(None)
        return
    member = signed_in(stand, workspace)
    _attach(workspace, stand, member)
    counted = _Counted(member.shared_store)
    engine = SyncEngine(
        workspace.journal,
        blob_store(workspace.settings),
        ThisDevice("bench", "Bench", "bench 1"),
        workspace.commands().clock,
        shared_store=cast(SharedStore, counted),
        turn=lambda _: nullcontext(),
        chance=lambda: 0.5,
    )
    with engine.hold_lease():
        yield engine, counted
    member.project.close()

"""What the list of leads costs the database."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.adapters.clocks import SystemClock
from backend.app.wiring import Workspace
from backend.domain.events.events import Event
from backend.domain.model.lead import LeadStatus
from backend.situation.situations import TurnInputs
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in
from tests.bench.services import services_at


def leads_(
    leads: Annotated[int, typer.Option(min=1_000)] = 100_000,
    events: Annotated[int, typer.Option(min=0, help="Prior events in the log, besides those of the leads.")] = 0,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The list of leads: first pages, jumps to any place, filters and searches, in every order."""
    with workspace_in(folder) as workspace:
        campaign_id = empty_campaign(workspace)
        fill(workspace, campaign_id, leads, lambda n: varied_lead(workspace, n))
        fill(workspace, campaign_id, events, lambda n: Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}))
        report(_measure_list(workspace, campaign_id, leads), json_)


def varied_lead(workspace: Workspace, n: int) -> Event:
    """The n-th of many leads that differ in everything the list sorts and filters by."""
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
    from backend.api import leads as lead_api  # noqa: PLC0415 - only this benchmark
    from backend.store.queries.leads import lead_index  # noqa: PLC0415
    from backend.store.queries.leads import lead_list as queries  # noqa: PLC0415

    clock = SystemClock()
    services = services_at(TurnInputs.at(clock, clock.now(), True))
    first: list[float] = []
    every: list[float] = []
    first_cpu: list[float] = []
    every_cpu: list[float] = []
    searches = ("a", "ad", "person1", "ada person12", "gmbh", "research", "zoe", "company 12")
    anywhere: list[float] = []
    for text in searches:
        started = time.perf_counter()
        workspace.database.query(lead_index.find_anywhere, text, campaign_id)
        anywhere.append(time.perf_counter() - started)
    for sort in queries.SORTS:
        narrowed: list[dict[str, Any]] = [{}, {"skip": leads // 2}, {"skip": leads - 50}]
        narrowed += [{"status": LeadStatus.CONTACTED}, {"status": LeadStatus.PENDING, "skip": leads // 2}]
        narrowed += [{"manual": True}, {"tag": "vip"}, *({"text": text} for text in searches)]
        for n, asked in enumerate(narrowed):
            want = lead_api.WindowQuery(sort=sort, **asked)
            started, cpu = time.perf_counter(), time.process_time()
            with workspace.database.read() as connection:
                lead_api.list_(services, connection, campaign_id, want)
            spent, cpu = time.perf_counter() - started, time.process_time() - cpu
            every.append(spent)
            every_cpu.append(cpu)
            if n == 0:
                first.append(spent)
                first_cpu.append(cpu)
    return {
        "leads": leads,
        "first_page_ms": spread(first),
        "any_window_ms": spread(every),
        "first_page_cpu_ms": spread(first_cpu),
        "any_window_cpu_ms": spread(every_cpu),
        "found_anywhere_ms": spread(anywhere),
    }

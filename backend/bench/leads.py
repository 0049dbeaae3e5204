"""What the list of leads costs the database."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.bench.figures import report, spread
from backend.bench.prepared import empty_campaign, fill, workspace_in
from backend.domain.events import Event
from backend.wiring import Workspace


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
    return {"leads": leads, "first_page_ms": spread(first), "any_window_ms": spread(every)}

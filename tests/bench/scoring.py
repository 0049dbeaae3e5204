"""What scoring costs: all leads with their explanations, beside the same rules in polars; and the effect of a blueprint."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.api.scoring import preview_of
from backend.commands import lead_scoring
from backend.domain.events.events import Event
from backend.domain.model.criteria import Between, Complete, Criterion, Keywords, Recent
from backend.domain.model.scoring import Blueprint, NewBlueprint, explainer, scorer
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in

BLUEPRINT = Blueprint(
    reference_date="2026-06-01",
    criteria=(
        Criterion(
            name="Job title",
            weight=40,
            rule=Keywords(
                fields=("job_title",),
                words=("cto", "chief technology officer", "vp engineering", "head of engineering"),
                partly=("engineer", "architect", "developer"),
            ),
        ),
        Criterion(
            name="Industry",
            weight=25,
            rule=Keywords(
                fields=("company", "headline"), words=("fintech", "payments"), partly=("bank", "capital"), part=40
            ),
        ),
        Criterion(name="Size", weight=15, rule=Between(field="company_size", low=50, high=500)),
        Criterion(name="Recent", weight=10, rule=Recent(field="connected_on", half_life_days=365)),
        Criterion(name="Complete", weight=10, rule=Complete(fields=("job_title", "company", "headline", "email"))),
    ),
)
_TITLES = ("CTO", "Head of Engineering", "Software Engineer", "Recruiter", "Solution Architect, Payments", "")
_COMPANIES = ("Northwind Payments", "Harbour Bank", "Bakery", "Clinic", "Alpine Capital")


def scoring_(
    leads: Annotated[int, typer.Option(min=1_000)] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Scoring: all leads with explanations, the same rules in polars, scoring anew in the database, and a preview."""
    report({"leads": leads, **_in_memory(leads), **_in_database(leads, folder)}, json_)


def _lead(n: int) -> dict[str, str]:
    """A lead that nobody else is: most titles, companies and headlines come once."""
    title, company = _TITLES[n % len(_TITLES)], _COMPANIES[n * 7 % len(_COMPANIES)]
    return {
        "job_title": f"{title} {n // 3}" if title else "",
        "company": f"{company} {n * 31 % 20_000}",
        "headline": f"I look after {_COMPANIES[n * 3 % 5].lower()} number {n}",
        "company_size": str(n * 37 % 2_000) if n % 10 else "",
        "connected_on": f"{2019 + n % 8}-{1 + n % 12:02}-{1 + n % 28:02}" if n % 9 else "",
        "email": f"p{n}@example.org" if n % 2 else "",
    }


def _in_memory(count: int) -> dict[str, Any]:
    leads = [_lead(n) for n in range(count)]
    explain, score = explainer(BLUEPRINT), scorer(BLUEPRINT)
    started = time.perf_counter()
    ours = [sum(part.points for part in explain(lead)) for lead in leads]  # each is used and let go, as in a list
    explained = time.perf_counter() - started
    started = time.perf_counter()
    alone = [score(lead) for lead in leads]
    scored = time.perf_counter() - started
    theirs, vectorised = _in_polars(leads)
    return {
        "explained_ms": round(1_000 * explained, 1),
        "scored_ms": round(1_000 * scored, 1),
        "polars_ms": round(1_000 * vectorised, 1),
        "equal_to_polars": ours == alone == theirs,
    }


def _in_polars(leads: list[dict[str, str]]) -> tuple[list[int], float]:
    """The same five rules over columns, in whole numbers, without explanations; the time is without making the table."""
    import polars as pl  # noqa: PLC0415 - only here, and only for developers

    table = pl.DataFrame(leads)

    def plain(field: str) -> pl.Expr:
        return " " + pl.col(field).str.to_lowercase().str.replace_all(r"[^\w+#]+", " ").str.strip_chars(" ") + " "

    def any_of(fields: tuple[str, ...], words: tuple[str, ...]) -> pl.Expr:
        return pl.any_horizontal(*(plain(field).str.contains_any([f" {word} " for word in words]) for field in fields))

    def keywords(criterion: Criterion) -> pl.Expr:
        rule, weight = criterion.rule, criterion.weight
        assert isinstance(rule, Keywords)
        some = (2 * weight * rule.part + 100) // 200
        inner = pl.when(any_of(rule.fields, rule.partly)).then(some).otherwise(0)
        return pl.when(any_of(rule.fields, rule.words)).then(weight).otherwise(inner)

    size = pl.col("company_size").cast(pl.Int64, strict=False)
    reference = pl.lit(BLUEPRINT.reference_date).str.to_date()
    age = (reference - pl.col("connected_on").str.to_date(strict=False)).dt.total_days()
    numerator, denominator = 730 - age % 365, 365 * pl.lit(2, pl.Int64).pow(age // 365 + 1)
    decayed = (2 * 10 * numerator + denominator) // (2 * denominator)
    recent = pl.when(age.is_null()).then(0).when(age <= 0).then(10).otherwise(decayed)
    filled = pl.sum_horizontal(
        *((pl.col(name) != "").cast(pl.Int64) for name in ("job_title", "company", "headline", "email"))
    )
    points = (
        keywords(BLUEPRINT.criteria[0])
        + keywords(BLUEPRINT.criteria[1])
        + pl.when(size.is_between(50, 500)).then(15).otherwise(0)
        + recent
        + (2 * 10 * filled + 4) // 8
    )
    started = time.perf_counter()
    points_of_leads = table.select(points.alias("points"))["points"].to_list()
    return [int(value) for value in points_of_leads], time.perf_counter() - started


def _in_database(count: int, folder: Path | None) -> dict[str, Any]:
    """Scoring anew as it is done for a user, and the preview of a change."""
    with workspace_in(folder) as workspace:
        campaign_id = empty_campaign(workspace)

        def lead(n: int) -> Event:
            size = {"Company size": f"{n * 37 % 2_000}"}
            fields = {name: value for name, value in _lead(n).items() if name != "company_size"}
            who = {"full_name": f"Ada Person {n}", "profile_url": f"https://x/p{n}", "member_key": f"p{n}"}
            return Event("LeadImported", workspace.journal.ids.new(), {**who, **fields, "extra": size, "position": n})

        fill(workspace, campaign_id, count, lead)
        commands = workspace.commands()
        commands.scoring.adopt(campaign_id, NewBlueprint(criteria=BLUEPRINT.criteria), follows=1)
        batches: list[float] = []
        started = time.perf_counter()
        while True:
            before = time.perf_counter()
            if not lead_scoring.score_next_batch(workspace.journal, commands.clock, campaign_id):
                break
            batches.append(time.perf_counter() - before)
        anew = time.perf_counter() - started
        previews: list[float] = []
        changed = [
            c.model_copy(update={"weight": w}) for c, w in zip(BLUEPRINT.criteria, (20, 45, 15, 10, 10), strict=True)
        ]
        for _ in range(20):
            before = time.perf_counter()
            workspace.database.query(preview_of, campaign_id, changed, commands.clock.now())
            previews.append(time.perf_counter() - before)
    return {"anew_s": round(anew, 2), "batch_ms": spread(batches), "preview_ms": spread(previews)}

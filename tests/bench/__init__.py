"""Benchmarks (`python -m tests.bench`): what things cost, measured here and now; ratios within one run are what counts."""

import typer

from tests.bench import (
    agents,
    artifacts,
    backend_process,
    dry_run,
    figures,
    leads,
    logs,
    model,
    page,
    person,
    prompt,
    pull_and_rebase,
    scoring,
    scripts,
    send,
    sequence,
    servitors,
    sync,
    turns,
)

bench_app = typer.Typer(
    help="Measure what a turn, a resume, an import, a search and the page cost.", no_args_is_help=True
)
bench_app.command("all")(figures.all_)
bench_app.command("agents")(agents.agents)
bench_app.command()(turns.turns)
bench_app.command()(turns.resume)
bench_app.command("import")(turns.import_)
bench_app.command()(backend_process.backend)
bench_app.command("dry-run")(dry_run.dry_run_)
bench_app.command("leads")(leads.leads_)
bench_app.command("log")(logs.log_)
bench_app.command("person")(person.person_)
bench_app.command()(prompt.prompt)
bench_app.command("scoring")(scoring.scoring_)
bench_app.command("scripts")(scripts.scripts_)
bench_app.command("send")(send.send_)
bench_app.command("sequence")(sequence.sequence_)
bench_app.command()(servitors.servitors)
bench_app.command("sync")(sync.sync_)
bench_app.command("erasing")(sync.erasing_)
bench_app.command("artifacts")(artifacts.artifacts_)
bench_app.command("adopt")(pull_and_rebase.adopt_)
bench_app.command()(model.model)
bench_app.command()(page.api)
bench_app.command()(page.visible)
bench_app.command()(page.scroll)
bench_app.command()(page.start)

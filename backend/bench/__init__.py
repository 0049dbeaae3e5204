"""`outrider bench`: what things cost, measured here and now; ratios within one run are what counts."""

import typer

from backend.bench import leads, page, prompt, turns

bench_app = typer.Typer(help="Measure what a turn, a resume, an import and the page cost.", no_args_is_help=True)
bench_app.command()(turns.turns)
bench_app.command()(turns.resume)
bench_app.command("import")(turns.import_)
bench_app.command("leads")(leads.leads_)
bench_app.command()(prompt.prompt)
bench_app.command()(page.api)
bench_app.command()(page.visible)
bench_app.command()(page.scroll)
bench_app.command()(page.start)

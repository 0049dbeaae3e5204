"""The `outrider` command: its table. What a command does is in `terminal` and `doctor`, imported when it is called."""

# ruff: noqa: PLC0415 - every command imports what it needs itself, so that each starts quickly

import errno
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from backend import processes
from backend.domain.errors import OutriderError
from backend.settings import AppSettings, read_settings
from backend.terminal.speech import Speech, columns, end

UNEXPECTED = 70
INTERRUPTED = 130


class Told(TyperCommand):
    """A command whose errors reach a person as sentence, remedy and code."""

    def invoke(self, ctx: Any) -> Any:
        """Run it; status 1 for an error that was foreseen, 70 for a defect."""
        speech = Speech(as_json=bool(ctx.params.get("as_json")))
        try:
            return super().invoke(ctx)
        except OutriderError as error:
            speech.refuse(error)
            end(1)
        except KeyboardInterrupt:
            speech.note("Interrupted; whatever was begun is completed by the next run.")
            end(INTERRUPTED)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - the last place where it can be told in a civil way
            _defect(speech, error, ctx)


def _defect(speech: Speech, error: Exception, ctx: Any) -> None:
    if type(error).__module__.startswith("typer."):  # a wrong call, which typer explains itself
        raise error
    from backend.terminal.crash import write_crash

    try:
        folder = read_settings(data_dir=ctx.params.get("data_dir")).data_dir
    except OutriderError:
        folder = Path()
    file = write_crash(error, ctx.info_name or "", folder)
    speech.refuse(OutriderError("unexpected", kind=type(error).__name__, file=file))
    end(UNEXPECTED)


class Table(typer.Typer):
    """A table of commands, in the order in which they are written."""

    def __init__(self, help_text: str) -> None:
        super().__init__(
            help=help_text, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, cls=TyperGroup
        )

    def told(self, name: str | None = None, **more: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Register a command whose errors are told."""
        return self.command(name, cls=Told, **more)


app = Table("Outreach campaigns that cannot forget, cannot send twice, and can always say why.")
log_app = Table("Check the logs.")
practice_app = Table("Serve the practice network, a small fictional professional network.")
app.add_typer(log_app, name="log")
app.add_typer(practice_app, name="practice")

DataDir = Annotated[Path | None, typer.Option(help="Where everything is kept; else OUTRIDER_DATA_DIR says so.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line, and nothing else.")]
Campaign = Annotated[str, typer.Argument(help="The campaign's id, or how it begins.")]
MaxLeads = Annotated[int | None, typer.Option(min=1, help="Take at most so many leads from the file.")]
AutoApprove = Annotated[
    bool, typer.Option("--auto-approve", help="Approve every text unseen; only on the practice network.")
]
Headless = Annotated[bool, typer.Option("--headless", help="Hide the browser; only on the practice network.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait for decisions from elsewhere (`outrider approve`) instead of asking here.")
]


def _settings(data_dir: Path | None) -> AppSettings:
    return read_settings(data_dir=data_dir)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"outrider {version('outrider')}\n")
        end(0)


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    from backend.outgoing import guard

    guard()
    processes.withhold_keys()


@app.told()
def rehearse(
    leads: Annotated[Path | None, typer.Option(help="A lead file; a small bundled one if left out.")] = None,
    max_leads: MaxLeads = None,
    auto_approve: AutoApprove = False,
    headless: Headless = False,
    wait: Wait = False,
    data_dir: DataDir = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start a new rehearsal even if these leads have one.")] = False,
    as_json: Json = False,
) -> None:
    """Run a whole campaign against the practice network.

    It runs in a real browser, with the real loop and your approval of each text. The same leads are the same
    rehearsal: called again, it does the rest, and nothing again. Ctrl-C stops after the current action.

    Exit status: 0 completed, 3 a decision of yours is needed, 4 stopped, 1 an error.
    """
    from backend.terminal.session import Manner
    from backend.terminal.session import rehearse as run_rehearsal

    manner = Manner(auto_approve, headless, wait)
    end(
        run_rehearsal(
            Speech(as_json=as_json), _settings(data_dir), manner, leads=leads, max_leads=max_leads, fresh=fresh
        )
    )


@app.told()
def run(
    campaign: Campaign,
    auto_approve: AutoApprove = False,
    headless: Headless = False,
    wait: Wait = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Continue a campaign from where it stands.

    Exit status as for `rehearse`.
    """
    from backend.terminal.session import Manner, carry_on

    end(carry_on(Speech(as_json=as_json), _settings(data_dir), Manner(auto_approve, headless, wait), campaign))


@app.told()
def stop(campaign: Campaign, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Stop a campaign after its current action.

    Also one that runs in another window.
    """
    from backend.terminal import deciding

    deciding.stop(Speech(as_json=as_json), _settings(data_dir), campaign)


@app.told()
def status(
    campaign: Annotated[str | None, typer.Argument(help="One campaign; all of them if left out.")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show where campaigns stand, also while one runs.

    For one campaign: its position, what holds it back, and everything that waits for you.
    """
    from backend.terminal import standing

    if campaign is None:
        standing.tell_all(Speech(as_json=as_json), _settings(data_dir))
    else:
        standing.tell_one(Speech(as_json=as_json), _settings(data_dir), campaign)


@app.told("import")
def import_(
    campaign: Campaign,
    file: Annotated[Path, typer.Argument(help="LinkedIn's Connections.csv, or the export zip that holds it.")],
    max_leads: MaxLeads = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Import leads from a file into a campaign.

    Known people are merged; rows that cannot be used are listed and kept.
    """
    from backend.terminal.intake import import_file

    import_file(Speech(as_json=as_json), _settings(data_dir), campaign, file, max_leads)


@app.told()
def approve(
    campaign: Campaign,
    message: Annotated[str | None, typer.Argument(help="One draft; all that wait, if left out.")] = None,
    together: Annotated[bool, typer.Option("--all", help="Show every text, then ask once for all of them.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show the texts that wait for approval and ask about each.

    Also while the campaign runs elsewhere. What you approve is exactly what is shown.
    """
    from backend.terminal import deciding

    deciding.approve(Speech(as_json=as_json), _settings(data_dir), campaign, message, together=together)


@app.told()
def answer(
    campaign: Campaign,
    question: Annotated[str | None, typer.Argument(help="One question's id; all open ones if left out.")] = None,
    words: Annotated[str | None, typer.Argument(metavar="[ANSWER]", help="The answer; asked for if left out.")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Answer what a campaign asks you."""
    from backend.terminal import deciding

    deciding.answer(Speech(as_json=as_json), _settings(data_dir), campaign, question, words)


@app.told()
def clear(
    campaign: Campaign,
    reason: Annotated[str, typer.Option(help="Why it is safe to go on; it is kept in the log.")],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Go on after an incident or an error, with your reason.

    Look at the site first: everything has stopped because it showed something unexpected.
    """
    from backend.terminal import deciding

    deciding.clear(Speech(as_json=as_json), _settings(data_dir), campaign, reason)


@app.told()
def project(campaign: Campaign, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Write context.md, environment.md and tasks.md of a campaign.

    They are for reading: change or delete them as you like, nothing is ever read from them.
    """
    from backend.terminal import projecting

    projecting.project(Speech(as_json=as_json), _settings(data_dir), campaign)


@app.told()
def replay(
    check: Annotated[
        bool, typer.Option("--check", help="Rebuild in a scratch database and compare (the default).")
    ] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make every table again from the event log.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Prove that the tables are what the event log says.

    Or, with --rebuild, make them again from it.
    """
    if check and rebuild:
        raise typer.BadParameter("--check and --rebuild exclude each other.")
    from backend.terminal import proving

    proving.replay(Speech(as_json=as_json), _settings(data_dir), rebuild=rebuild)


@log_app.told("verify")
def log_verify(
    campaign: Annotated[str | None, typer.Option(help="Only this campaign's logs.")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Check both hash chains of every campaign and name the first broken entry."""
    from backend.terminal import proving

    proving.log_verify(Speech(as_json=as_json), _settings(data_dir), campaign)


@practice_app.told("serve")
def practice_serve(
    ledger: Annotated[Path, typer.Option(help="The file that records everything received.")],
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    seed: Annotated[str | None, typer.Option(help="Decides who the people are and how they behave.")] = None,
    people: Annotated[int | None, typer.Option(min=0, help="How many people there are.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the practice network by itself, until Ctrl-C."""
    from backend.practice.exchange import DEFAULT_PEOPLE, DEFAULT_SEED
    from backend.practice.server import CannotServe, serve

    try:
        serve(port, ledger, seed=seed or DEFAULT_SEED, people=DEFAULT_PEOPLE if people is None else people)
    except CannotServe as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EADDRINUSE:
            raise OutriderError("port_busy", port=port) from error
        raise OutriderError("practice_failed", detail=error) from error


@app.told()
def doctor(
    supabase: Annotated[
        str | None, typer.Option(metavar="URL", help="Check this Supabase project instead of the machine.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Check this machine, or a Supabase project, and say how to mend it.

    The project's public key is asked for, or taken from OUTRIDER_SUPABASE_KEY. Exit status 1 if anything fails; a
    warning does not.
    """
    from backend.doctor import examine, examine_project
    from backend.domain.check import FAIL

    if supabase is None:
        checks = examine(data_dir)
    else:
        from backend.terminal.public_key import public_key

        checks = examine_project(supabase, public_key(Speech(as_json=as_json)))
    rows = [(check.status, check.code, " ".join(filter(None, (check.said, check.remedy)))) for check in checks]
    well = all(check.status != FAIL for check in checks)
    Speech(as_json=as_json).result(columns(rows), {"ok": well, "checks": [check._asdict() for check in checks]})
    end(0 if well else 1)


@app.told()
def outgoing(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show what leaves this machine.

    Who may be called and why, and what was sent to whom in the last thirty days.
    """
    from backend.terminal import outgoing as outgoing_calls

    outgoing_calls.tell(Speech(as_json=as_json), _settings(data_dir))


_PASSED_ON = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


@app.told(context_settings=_PASSED_ON)
def bench(context: typer.Context) -> None:
    """Measure the cost of a turn (`bench --help` says how)."""
    from importlib import import_module

    try:
        bench_app = import_module("backend.bench").bench_app
    except ModuleNotFoundError as error:
        raise OutriderError("command_missing", command="bench") from error
    bench_app(args=context.args, prog_name="outrider bench")


@app.told("app", context_settings=_PASSED_ON)
def app_(context: typer.Context, data_dir: DataDir = None) -> None:
    """Open Outrider's window.

    Where there is no display, its address is printed instead.
    """
    from backend.terminal.passing_on import run_program

    surroundings = processes.with_keys() | ({"OUTRIDER_DATA_DIR": str(data_dir)} if data_dir else {})
    end(run_program(processes.command(processes.WINDOW, *context.args), surroundings))

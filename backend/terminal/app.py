"""The `outrider` command: its table. What a command does is in the modules beside it, imported when it is called."""

# ruff: noqa: PLC0415 - every command imports what it needs itself, so that each starts quickly

import errno
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from datetime import datetime
from getpass import getpass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from backend.adapters import processes
from backend.adapters.console_end import handle_console_end
from backend.domain.values.errors import OutriderError, as_told
from backend.machine.settings import AppSettings, read_settings
from backend.terminal.output import TerminalOutput, columns, exit_with

UNEXPECTED = 70
INTERRUPTED = 130
_LONGEST_SENTENCE = 1_000

Settings = Callable[[], AppSettings]
"""Read when a call is known to be right: that makes the data folder."""

Declared = TypeVar("Declared", bound=Callable[..., None])
DataDir = Annotated[Path | None, typer.Option(help="The data folder; by default OUTRIDER_DATA_DIR.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line, and nothing else.")]


class ListedGroup(TyperGroup):
    """A group of commands, which is listed with its whole help."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, over two lines if need be: by itself, click cuts it off."""
        return super().get_short_help_str(max(limit, _LONGEST_SENTENCE))


class ErrorReportingCommand(TyperCommand):
    """A command whose errors reach a person as sentence, remedy and code."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Its first sentence, as `ListedGroup` has it."""
        return super().get_short_help_str(max(limit, _LONGEST_SENTENCE))

    def invoke(self, ctx: Any) -> Any:
        """Run it; status 1 for an error that was foreseen, 70 for a defect."""
        output = TerminalOutput(as_json=bool(ctx.params.get("as_json")))
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            output.note("Interrupted; whatever was begun is completed by the next run.")
            exit_with(INTERRUPTED)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - the last place where it can be told in a civil way
            coded_error = as_told(error)
            if coded_error.code == "internal_error":
                _defect(output, error, ctx)
            output.error(coded_error)
            exit_with(1)


def _defect(output: TerminalOutput, error: Exception, ctx: Any) -> None:
    if type(error).__module__.startswith("typer."):  # a wrong call, which typer explains itself
        raise error
    from backend.terminal.crash import write_crash

    try:
        folder = read_settings(data_dir=ctx.params.get("data_dir")).data_dir
    except OutriderError:
        folder = Path()
    file = write_crash(error, ctx.info_name or "", folder)
    output.error(OutriderError("unexpected", kind=type(error).__name__, file=file))
    exit_with(UNEXPECTED)


class CommandGroup(typer.Typer):
    """A table of commands, in the order in which they are written."""

    def __init__(self, help_text: str) -> None:
        super().__init__(
            help=help_text, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, cls=ListedGroup
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name."""
        processes.keep_private()
        handle_console_end()
        return super().__call__(*args, **kwargs)

    def add_command(self, name: str | None = None, *, does: str = "") -> Callable[[Declared], Declared]:
        """Register a command whose errors are told.

        `does` names the function of `backend.terminal` that carries it out: it gets the output, the settings, and the options as
        they are declared, by name where it takes them so; a number that it returns is the exit status. A command that does
        not name one carries itself out, and gets the first two if it asks for them.
        """

        def add(declared: Declared) -> Declared:
            self.command(name, cls=ErrorReportingCommand)(_called(declared, does))
            return declared

        return add


def _everywhere(data_dir: DataDir = None, as_json: Json = False) -> None:
    """The options of nearly every command, behind its own."""


def _called(declared: Declared, does: str) -> Callable[..., None]:
    """What typer calls: the command's own options, and those that say where it prints and by which settings."""
    signature = inspect.signature(declared)
    own = [parameter for name, parameter in signature.parameters.items() if name not in ("output", "settings")]
    if not does and len(own) == len(signature.parameters):
        return declared

    @functools.wraps(declared)
    def run(*, data_dir: Path | None, as_json: bool, **options: Any) -> None:
        output, settings = TerminalOutput(as_json=as_json), functools.partial(read_settings, data_dir=data_dir)
        if not does:
            declared(output, settings, **options)
            return
        function = performing(does)
        by_name = inspect.getfullargspec(function).kwonlyargs
        in_order = (options[parameter.name] for parameter in own if parameter.name not in by_name)
        status = function(output, settings(), *in_order, **{name: options[name] for name in by_name})
        if status is not None:
            exit_with(status)

    parameters = [*own, *inspect.signature(_everywhere).parameters.values()]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.does = does  # type: ignore[attr-defined]
    return run


def performing(does: str) -> Callable[..., int | None]:
    """The function of `backend.terminal` that a command names, by module and name."""
    module, name = does.split(".")
    function: Callable[..., int | None] = getattr(importlib.import_module(f"backend.terminal.{module}"), name)
    return function


app = CommandGroup("Outreach campaigns that cannot forget, cannot send twice, and can always say why.")


def _group(name: str, help_text: str) -> CommandGroup:
    group = CommandGroup(help_text)
    app.add_typer(group, name=name)
    return group


agent_app = _group("agent", "Run an agent that looks something up and changes nothing.")
log_app = _group("log", "Check the logs.")
practice_app = _group("practice", "Serve the practice network, a small fictional network.")
campaign_app = _group("campaign", "Rename, duplicate, archive or delete a campaign.")
person_app = _group(
    "person", "Show, export or erase what is stored about a person; choose which campaign writes to them."
)
people_app = _group("people", "Say which leads are the same person, and see whose greeting is unsure.")
do_not_contact_app = _group("do-not-contact", "Show, change, import or export the do-not-contact list.")
sync_app = _group("sync", "Prepare a project of your own for several devices.")
script_app = _group("script", "Run analysis scripts on a campaign's data, in a sandbox.")
consent_app = _group("consent", "Consent in writing that Outrider reads and clicks on LinkedIn, or withdraw it.")

Campaign = Annotated[str, typer.Argument(help="The campaign: its name or its id, or how either begins.")]
BlockedTask = Annotated[str, typer.Argument(help="The task's id, as `outrider status` shows it.")]
SheetName = Annotated[
    str, typer.Option("--sheet", help="Which sheet of a workbook to read; by default the first with people.")
]
MaxLeads = Annotated[int | None, typer.Option(min=1, help="Take at most this many leads from the file.")]
Encoding = Annotated[
    str | None, typer.Option(help="The file's encoding, such as utf-8, cp1252 or cp932; detected by default.")
]
ColumnMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        help="Read a field from this column, such as email=Mail; repeat it for more. Fields: `full_name`, `first_name`,"
        " `last_name`, `profile_url`, `email`, `company`, `job_title`, `connected_on`, `tags`.",
    ),
]
ListEntry = Annotated[
    str, typer.Argument(help="A profile address or an e-mail address; with --kind a company's name or a domain.")
]
EntryKind = Annotated[
    Literal["person", "company", "domain"] | None,
    typer.Option(
        help="One person, everybody at a company, or at a domain; by default as it reads. A company needs it."
    ),
]
AutoApprove = Annotated[
    bool,
    typer.Option(
        "--auto-approve",
        help="Approve messages unseen, except those with hidden characters or what may be a placeholder; only on the"
        " practice network.",
    ),
]
Headless = Annotated[bool, typer.Option("--headless", help="Hide the browser; only on the practice network.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait for decisions from elsewhere (`outrider approve`) instead of asking here.")
]


def _version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        sys.stdout.write(f"outrider {version('outrider')}\n")
        exit_with(0)


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    from backend.adapters.egress_guard import install_audit_hook

    install_audit_hook()
    processes.remove_keys_from_environment()


@app.add_command()
def rehearse(
    output: TerminalOutput,
    settings: Settings,
    leads: Annotated[Path | None, typer.Option(help="A lead file; by default a small bundled one.")] = None,
    max_leads: MaxLeads = None,
    auto_approve: AutoApprove = False,
    headless: Headless = False,
    wait: Wait = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start a new rehearsal even if these leads have one.")] = False,
    encoding: Encoding = None,
    sheet: SheetName = "",
    columns: ColumnMap = None,
) -> None:
    """Run a complete campaign on the practice network.

    It uses a real browser, the real engine and your approval of each message. Run it again with the same leads, and it
    continues where it stopped and repeats nothing. Ctrl-C stops it after the current action.

    Exit status: 0 completed, 3 a decision of yours is needed, 4 stopped, 5 the ledger differs, 1 an error.
    """
    from backend.terminal.run_campaign import RunOptions
    from backend.terminal.run_campaign import rehearse_campaign as run_rehearsal

    manner = RunOptions(auto_approve, headless, wait)
    status = run_rehearsal(
        output,
        settings(),
        manner,
        leads=leads,
        max_leads=max_leads,
        fresh=fresh,
        encoding=encoding,
        sheet=sheet,
        mapped=columns or (),
    )
    exit_with(status)


@app.add_command()
def run(
    output: TerminalOutput,
    settings: Settings,
    campaign: Campaign,
    auto_approve: AutoApprove = False,
    headless: Headless = False,
    wait: Wait = False,
) -> None:
    """Continue a campaign on the practice network from where it stands.

    Others run in the window. Exit status as for `rehearse`.
    """
    from backend.terminal.run_campaign import RunOptions, run_campaign

    exit_with(run_campaign(output, settings(), RunOptions(auto_approve, headless, wait), campaign))


@app.add_command()
def pause(
    output: TerminalOutput,
    settings: Settings,
    campaign: Annotated[
        str | None, typer.Argument(help="One campaign: its name or its id, or how either begins.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every campaign, on every device.")] = False,
) -> None:
    """Pause a campaign, or all of them, after what is under way.

    It may run in another terminal, in the window, or on another device.
    """
    from backend.terminal import decisions

    if every == (campaign is not None):
        raise typer.BadParameter("Give one campaign, or --all.")
    if campaign is None:
        decisions.pause_every(output, settings())
    else:
        decisions.pause(output, settings(), campaign)


@app.add_command()
def status(
    output: TerminalOutput,
    settings: Settings,
    campaign: Annotated[str | None, typer.Argument(help="One campaign; by default all of them.")] = None,
) -> None:
    """Show where campaigns stand, also while one runs.

    For one campaign: its position, what holds it back, and everything that waits for you.
    """
    from backend.terminal import campaign_status

    if campaign is None:
        campaign_status.print_campaigns(output, settings())
    else:
        campaign_status.print_campaign(output, settings(), campaign)


@app.add_command(does="new_campaign.make_campaign")
def new(
    name: Annotated[str, typer.Option(help="What you call the campaign.")],
    goal: Annotated[str, typer.Option(help="What you want from these people, in a sentence. No message quotes it.")],
    leads: Annotated[Path, typer.Option(help="The lead file: LinkedIn's Connections.csv, its export zip, or a table.")],
    channel: Annotated[
        str,
        typer.Option(
            help="How people are reached: `linkedin_assist` (you send), `practice`, or `linkedin_drive` (Outrider clicks; needs"
            " your written consent)."
        ),
    ] = "linkedin_assist",
    sequence: Annotated[
        Path | None,
        typer.Option(
            help="A JSON file with its steps and conditions, as `outrider sequence CAMPAIGN --json` prints it."
        ),
    ] = None,
    topic: Annotated[
        str, typer.Option(help="What it is about, in words for the reader: {topic} in a message stands for them.")
    ] = "",
    max_leads: MaxLeads = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    columns: ColumnMap = None,
) -> None:
    """Create a campaign and import its leads; nothing is started.

    On linkedin_assist Outrider writes and keeps track, and you send the messages in your own browser.
    """


@app.add_command(does="by_hand.print_by_hand")
def send(campaign: Campaign) -> None:
    """Show who is waiting for you to send, and what is left of today's limits.

    For campaigns on linkedin_assist. It shows no message: for that, open Send in the window.
    """


@app.add_command("import", does="import_leads.import_file")
def import_(
    campaign: Campaign,
    file: Annotated[
        Path,
        typer.Argument(help="LinkedIn's Connections.csv, its export zip, another tool's file, or any table of people."),
    ],
    max_leads: MaxLeads = None,
    encoding: Encoding = None,
    sheet: SheetName = "",
    columns: ColumnMap = None,
    title: Annotated[str, typer.Option(help="Take only people whose title contains this.")] = "",
    company: Annotated[str, typer.Option(help="Take only people whose company contains this.")] = "",
    tag: Annotated[str, typer.Option(help="Take only people who have this tag.")] = "",
    not_in_touch: Annotated[
        bool, typer.Option("--not-in-touch", help="Leave out people another campaign is, or was, in touch with.")
    ] = False,
) -> None:
    """Import leads from a file into a campaign.

    Known people are merged; rows that cannot be used are listed and kept. A table like one that was imported before, here or
    in the window, is read in the same way. Whoever a filter leaves out is counted, and comes with the file when it is imported
    without it.
    """


@app.add_command(does="import_leads.print_reconciliation")
def reconcile(
    file: Annotated[
        Path, typer.Argument(help="LinkedIn's export zip, or messages.csv, Invitations.csv or Connections.csv from it.")
    ],
) -> None:
    """Compare a later LinkedIn export with the sends you reported.

    Confirms and settles what it shows, records replies and acceptances, and asks about what contradicts your word. No lead is
    added; the same file again changes nothing.
    """


@app.add_command(does="decisions.approve")
def approve(
    campaign: Campaign,
    message: Annotated[str | None, typer.Argument(help="One draft; by default all that wait.")] = None,
    together: Annotated[bool, typer.Option("--all", help="Show every message, then ask once for all of them.")] = False,
) -> None:
    """Show the messages that wait for approval and ask about each.

    The campaign may be running elsewhere meanwhile. You approve exactly what is shown.
    """


@app.add_command(does="why.print_why")
def why(
    lead: Annotated[str, typer.Argument(help="A person: their profile address, id, or part of their name.")],
    campaign: Annotated[str | None, typer.Option(help="Only this campaign; by default all that include them.")] = None,
) -> None:
    """Show what comes next for a person, what holds it back, and until when."""


@app.add_command("dry-run", does="dry_run.print_dry_run")
def dry_run(
    campaign: Campaign,
    days: Annotated[int, typer.Option(min=1, max=365, help="How many days ahead.")] = 14,
    accept: Annotated[float, typer.Option(min=0, max=1, help="The share of invited people who accept.")] = 0.0,
    reply: Annotated[float, typer.Option(min=0, max=1, help="The share of contacted people who reply.")] = 0.0,
    seed: Annotated[str, typer.Option(help="Determines who does; the same seed gives the same people.")] = "",
) -> None:
    """Show what would go out in the next days, and what would wait; nothing is sent or stored.

    The same engine runs on a copy in memory. Unless you set rates, nobody accepts or replies.
    """


@app.add_command()
def sequence(
    output: TerminalOutput,
    settings: Settings,
    campaign: Campaign,
    new: Annotated[
        Path | None,
        typer.Option("--set", help="A JSON file with the new sequence; shows what would change."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Go back to the sequence before the last change.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Apply the change, even while the campaign runs.")] = False,
) -> None:
    """Show a campaign's sequence, or what a new one would change and for whom.

    What was sent, or is being sent, stays as it is. With --json the sequence is printed as --set takes it.
    """
    from backend.terminal.sequence import change_sequence, show_sequence

    if (new is not None and undo) or (apply and new is None and not undo):
        raise typer.BadParameter("Give either --set FILE or --undo.")
    if new is None and not undo:
        show_sequence(output, settings(), campaign)
    else:
        change_sequence(output, settings(), campaign, new, apply=apply)


@app.add_command(does="decisions.answer")
def answer(
    campaign: Campaign,
    question: Annotated[str | None, typer.Argument(help="A question's id; by default all open questions.")] = None,
    words: Annotated[str | None, typer.Argument(metavar="[ANSWER]", help="The answer; asked for by default.")] = None,
) -> None:
    """Answer a campaign's questions."""


@app.add_command(does="decisions.choose_model")
def model(
    campaign: Campaign,
    proposer: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="A model's id, or `scripted`; by default, show the current one."),
    ] = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="Ask the model for every step, not only where judgement is needed.")
    ] = False,
) -> None:
    """Show or choose which model proposes in a campaign, from the next step on."""


@app.add_command()
def cancel(output: TerminalOutput, settings: Settings, campaign: Campaign, task: BlockedTask) -> None:
    """Cancel a blocked task, so that it no longer holds up the campaign."""
    from backend.terminal import decisions

    decisions.decide_task(output, settings(), campaign, task, cancel=True)


@app.add_command()
def retry(output: TerminalOutput, settings: Settings, campaign: Campaign, task: BlockedTask) -> None:
    """Try a blocked or cancelled task again."""
    from backend.terminal import decisions

    decisions.decide_task(output, settings(), campaign, task, cancel=False)


@app.add_command(does="decisions.clear")
def clear(
    campaign: Campaign, reason: Annotated[str, typer.Option(help="Why it is safe to continue; recorded in the log.")]
) -> None:
    """Continue after an incident or an error, with your reason.

    Look at the site first: everything has stopped because it showed something unexpected.
    """


@app.add_command()
def runtime(
    output: TerminalOutput,
    settings: Settings,
    campaign: Annotated[str | None, typer.Argument(help="One campaign; by default all of them.")] = None,
    wake: Annotated[
        bool, typer.Option("--wake", help="Wake it for one step, once you are in Outrider's window.")
    ] = False,
    at: Annotated[datetime | None, typer.Option(help="Start it at this local time, while you are there.")] = None,
    words: Annotated[str, typer.Option("--input", help="Send this message to the assistant instead.")] = "",
    reset: Annotated[str | None, typer.Option(metavar="REASON", help="Reset a fault, with the reason.")] = None,
) -> None:
    """Show the loop of campaigns, or wake or reset one.

    State, lock, last step and error, how far the projection of steps is, wake requests, protected keys.
    """
    from backend.terminal import runtime as shown

    changes = wake or at is not None or reset is not None
    if (changes and campaign is None) or (changes and reset is not None and (wake or at is not None)):
        raise typer.BadParameter("Name the campaign, and either wake it or reset it.")
    if words and not (wake or at is not None):
        raise typer.BadParameter("--input goes with --wake or --at.")
    if campaign is not None and reset is not None:
        shown.reset(output, settings(), campaign, reset)
    elif campaign is not None and changes:
        shown.wake(output, settings(), campaign, words, at)
    else:
        shown.print_runtime(output, settings(), campaign)


@app.add_command(does="campaigns.show_campaign_files")
def project(campaign: Campaign) -> None:
    """Write context.md, environment.md and tasks.md of a campaign.

    They are for reading: change or delete them as you like, nothing is ever read from them.
    """


@app.add_command()
def replay(
    output: TerminalOutput,
    settings: Settings,
    check: Annotated[
        bool, typer.Option("--check", help="Rebuild in a scratch database and compare (the default).")
    ] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild every table from the event log.")] = False,
) -> None:
    """Prove that the tables match the event log.

    Or, with --rebuild, make them again from it.
    """
    if check and rebuild:
        raise typer.BadParameter("--check and --rebuild exclude each other.")
    from backend.terminal import proofs

    proofs.replay(output, settings(), rebuild=rebuild)


@sync_app.add_command("schema")
def sync_schema(data_dir: DataDir = None) -> None:
    """Print the SQL that prepares a Supabase project, to be run in its SQL editor: once, and again after an update."""
    from backend.store.replication.project_schema import schema_sql

    typer.echo(schema_sql(), nl=False)


@log_app.add_command("accept-loss", does="backup.accept_loss")
def log_accept_loss() -> None:
    """Continue although committed log entries are missing.

    It is recorded. Put a newer backup back instead (`outrider restore`) if you have one.
    """


@app.add_command(does="backup.back_up")
def backup(file: Annotated[Path, typer.Argument(help="The copy to create; nothing is overwritten.")]) -> None:
    """Copy the database to a file, even while Outrider runs.

    The copy is read whole and every log entry in it is checked.
    """


@app.add_command(does="backup.restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A copy that `outrider backup` made.")],
    despite_loss: Annotated[
        bool, typer.Option("--despite-loss", help="Restore it even if it lacks entries that are known to have existed.")
    ] = False,
) -> None:
    """Restore a backup in place of the database.

    It is checked first; the database that was there is kept beside it under another name.
    """


def days_kept(files: str) -> Any:
    """The option that says how long such files are kept."""
    return typer.Option(min=0, max=3_650, help=f"Days that {files} are kept; 0: for good.")


@app.add_command()
def space(
    output: TerminalOutput,
    settings: Settings,
    evidence_days: Annotated[int | None, days_kept("pictures of pages")] = None,
    rehearsal_days: Annotated[int | None, days_kept("ledgers of rehearsals that are over")] = None,
    replaced_days: Annotated[int | None, days_kept("databases that a restore replaced")] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Write the database anew without its free pages.")] = False,
) -> None:
    """Show what each part of the data folder weighs; set how long files are kept; give space back."""
    from backend.terminal import machine

    options = {
        "evidence_days": evidence_days,
        "rehearsal_days": rehearsal_days,
        "replaced_database_days": replaced_days,
    }
    days = {name: number for name, number in options.items() if number is not None}
    if days and compact:
        raise typer.BadParameter("--compact is a command by itself.")
    if compact:
        machine.compact(output, settings())
    elif days:
        machine.keep_for(output, settings(), days)
    else:
        machine.show_space(output, settings())


@log_app.add_command("verify", does="proofs.log_verify")
def log_verify(campaign: Annotated[str | None, typer.Option(help="Only this campaign's logs.")] = None) -> None:
    """Check both hash chains of every campaign and name the first broken entry."""


@app.add_command(does="proofs.export_proof")
def proof(
    campaign: Campaign,
    file: Annotated[Path, typer.Argument(help="The HTML file to create; nothing is overwritten.")],
    accepted: Annotated[
        bool, typer.Option("--accept-personal-data", help="Do not ask: its recipient may have these data.")
    ] = False,
) -> None:
    """Export a campaign's proof: one HTML file that checks itself in any browser, offline."""


@app.add_command(does="agreement.print_agreement")
def agreement(campaign: Campaign) -> None:
    """Show how closely the scoring matches your own order of people, and which weights would match better."""


@app.add_command(does="campaigns.write_report")
def report(
    campaign: Campaign,
    file: Annotated[Path, typer.Argument(help="The file to create, HTML or .csv; nothing is overwritten.")],
) -> None:
    """Write a campaign's numbers to one file: its funnel, each step, and what is not known."""


@campaign_app.add_command("rename", does="campaigns.rename_campaign")
def campaign_rename(campaign: Campaign, name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Rename a campaign; nothing else changes."""


@campaign_app.add_command("duplicate", does="campaigns.duplicate_campaign")
def campaign_duplicate(
    campaign: Campaign,
    name: Annotated[
        str | None, typer.Option(help="The new campaign's name; by default the old one's with “(copy)”.")
    ] = None,
    people: Annotated[bool, typer.Option("--people", help="Include the people not contacted yet.")] = False,
) -> None:
    """Create another campaign with the same goal, channel, limits, sequence and scoring."""


@campaign_app.add_command("archive", does="campaigns.archive_campaign")
def campaign_archive(
    campaign: Campaign, undo: Annotated[bool, typer.Option("--undo", help="Bring it back from the archive.")] = False
) -> None:
    """Take a campaign out of the lists; it is paused, and nothing runs until it is brought back."""


@campaign_app.add_command("delete", does="campaigns.remove_campaign")
def campaign_delete(
    campaign: Campaign,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete it; without this you only see what would be deleted.")
    ] = False,
) -> None:
    """Delete a campaign for good, with all personal data in it; shows first what goes."""


Person = Annotated[str, typer.Argument(help="A person: their profile address, id, or part of their name.")]


@person_app.add_command("show", does="person.show")
def person_show(person: Person) -> None:
    """Show what is stored about a person in every campaign, and where it came from."""


@person_app.add_command("export", does="person.export")
def person_export(
    person: Person, file: Annotated[Path, typer.Argument(help="The JSON file to create; nothing is overwritten.")]
) -> None:
    """Write everything that is stored about a person to one file."""


@person_app.add_command("erase", does="person.erase")
def person_erase(person: Person, sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Erase everything about a person for good; the logs can still be checked, and they are never contacted again."""


InCampaign = Annotated[
    str, typer.Argument(help="The campaign that is to write to them: its name or its id, or how either begins.")
]


@person_app.add_command("contact-anyway", does="person.contact_anyway")
def person_contact_anyway(
    person: Person, campaign: InCampaign, reason: Annotated[str, typer.Option(help="Why; it is kept in the log.")]
) -> None:
    """Let a campaign write to somebody who is with another one."""


@person_app.add_command("greet", does="person.greet")
def person_greet(
    person: Person,
    campaign: InCampaign,
    name: Annotated[str, typer.Argument(help="What a greeting calls them; empty leaves it to their name again.")],
) -> None:
    """Say what a greeting calls somebody. Who was asked for it goes on."""


@person_app.add_command("leave", does="person.leave")
def person_leave(person: Person, campaign: InCampaign) -> None:
    """Leave somebody to the other campaign after all."""


@person_app.add_command("move-here", does="person.move_here")
def person_move_here(person: Person, campaign: InCampaign) -> None:
    """Take somebody over from the campaign they are with; move them back the same way from there."""


@people_app.add_command("unsure", does="people.show_unsure")
def people_unsure(
    campaign: Annotated[str, typer.Argument(help="The campaign: its name or its id, or how either begins.")],
) -> None:
    """Show of whom it is not sure what a greeting calls them. `outrider person greet` settles it."""


@people_app.add_command("questions", does="people.show_questions")
def people_questions(
    campaign: Annotated[str | None, typer.Argument(help="Only of this campaign; by default of all.")] = None,
) -> None:
    """Show which leads may be the same person. Nothing goes to them until that is answered."""


@people_app.add_command("answer", does="people.answer")
def people_answer(
    question: Annotated[str, typer.Argument(help="The question's name, as `outrider people questions` shows it.")],
    verdict: Annotated[
        Literal["same", "different", "together"],
        typer.Argument(
            help="All are the same person, all are different people, or some belong together.", metavar="ANSWER"
        ),
    ],
    letters: Annotated[str, typer.Argument(help="With “together”: who is one person, such as A,B.")] = "",
) -> None:
    """Say whether they are the same person. Approved messages of theirs wait in Review again."""


@people_app.add_command("answers", does="people.show_answers")
def people_answers() -> None:
    """Show the answers that hold, the latest first."""


@people_app.add_command("take-back", does="people.take_back")
def people_take_back(
    answers: Annotated[list[str], typer.Argument(help="The answers, as `outrider people answers` shows them.")],
) -> None:
    """Take answers back: the question is open again. What was sent stays sent."""


@do_not_contact_app.add_command("import", does="do_not_contact.import_file")
def do_not_contact_import(
    file: Annotated[
        Path,
        typer.Argument(
            help="A table of people, companies and domains, or a list with one entry a line; CSV, Excel or text."
        ),
    ],
    encoding: Encoding = None,
    sheet: SheetName = "",
    check: Annotated[bool, typer.Option("--check", help="Only show what it would stop; change nothing.")] = False,
    sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    rejected: Annotated[
        Path | None, typer.Option(help="Write the rows that put nobody on the list to this new file, with the reasons.")
    ] = None,
) -> None:
    """Put the people, companies and domains in a file on the list.

    Everybody they mean stops in every campaign. Repeat it after an interruption; `undo` takes it back.
    """


@do_not_contact_app.add_command("undo", does="do_not_contact.undo")
def do_not_contact_undo(
    import_id: Annotated[
        str | None, typer.Argument(metavar="[IMPORT]", help="The import's id; by default the latest.")
    ] = None,
) -> None:
    """Take the entries of an import off the list again; what was added otherwise stays."""


@do_not_contact_app.add_command("export", does="do_not_contact.export")
def do_not_contact_export(
    file: Annotated[Path, typer.Argument(help="The file to create; nothing is overwritten.")],
) -> None:
    """Write the whole list to a CSV file, which can be imported again."""


@do_not_contact_app.add_command("list", does="do_not_contact.show")
def do_not_contact_list() -> None:
    """Show whom no campaign may write to."""


@do_not_contact_app.add_command("add", does="do_not_contact.add")
def do_not_contact_add(
    who: ListEntry,
    kind: EntryKind = None,
    name: Annotated[str, typer.Option(help="What they are called.")] = "",
    reason: Annotated[str, typer.Option(help="Why nobody may write to them.")] = "",
) -> None:
    """Put one person, company or domain on the list."""


@do_not_contact_app.add_command("remove", does="do_not_contact.remove")
def do_not_contact_remove(who: ListEntry, kind: EntryKind = None) -> None:
    """Take one person, company or domain off the list."""


@script_app.add_command("run", does="scripts.run_script")
def script_run(
    file: Annotated[Path, typer.Argument(help="The script: Python that leaves its answer in the name `result`.")],
    campaign: Annotated[str, typer.Option(help="The campaign whose data it may read.")],
    approve: Annotated[
        bool, typer.Option("--approve", help="Approve exactly this file unseen; the log says so.")
    ] = False,
) -> None:
    """Run a script on a campaign's data.

    It is checked, shown and approved first, and runs twice in a sandbox that reaches nothing but the campaign's rows.
    Exit status 0 only if it left an answer.
    """


@script_app.add_command("verify", does="scripts.verify_result")
def script_verify(
    result: Annotated[str, typer.Argument(help="The id of a saved answer, as printed by `outrider script run`.")],
) -> None:
    """Run a saved answer's script again, on the data as it was, and compare.

    Exit status 0 if the answer is the same.
    """


@agent_app.add_command("list")
def agent_list(data_dir: DataDir = None, as_json: Json = False) -> None:
    """List the agents, and what each needs."""
    from backend.terminal import agents

    agents.list_agents(TerminalOutput(as_json=as_json))


@agent_app.add_command("run")
def agent_run(
    output: TerminalOutput,
    settings: Settings,
    agent: Annotated[str, typer.Argument(help="The agent's name, as `outrider agent list` shows it.")],
    directory: Annotated[str | None, typer.Option(help="The folder to search.")] = None,
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="How many days to look back.")] = None,
    save_to: Annotated[
        str | None, typer.Option(metavar="CAMPAIGN", help="Keep what it finds as an artifact of this campaign.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="CAMPAIGN", help="Run it as a task of this campaign: if it is cut off, Outrider runs it again."
        ),
    ] = None,
) -> None:
    """Run an agent to its end; Ctrl-C stops it.

    Exit status: 0 completed, 1 failed, with the reason.
    """
    from backend.terminal import agents

    if task is not None:
        if save_to is not None:
            raise typer.BadParameter("A task keeps what it finds by itself: leave --save-to out.")
        exit_with(agents.run_agent_as_task(output, settings(), agent, directory, days, task))
    exit_with(agents.run_agent(output, settings(), agent, directory, days, save_to))


@consent_app.add_command("show", does="consent.show_consent")
def consent_show() -> None:
    """Show what LinkedIn's terms say, and whether you have consented."""


@consent_app.add_command("give", does="consent.give_consent")
def consent_give() -> None:
    """Read the text and consent by typing its sentence; only at a terminal."""


@consent_app.add_command("withdraw", does="consent.withdraw_consent")
def consent_withdraw() -> None:
    """Withdraw it; a campaign that runs stops before its next look or click."""


@app.add_command("mcp")
def mcp_(
    program: Annotated[str, typer.Option(help="What you call the program that starts this.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Serve a program that is connected by MCP over standard input and output.

    It can look things up and propose; only you approve.
    """
    from backend.terminal import mcp

    mcp.serve(read_settings(data_dir=data_dir), program)


@practice_app.add_command("serve")
def practice_serve(
    ledger: Annotated[Path, typer.Option(help="The file that records everything received.")],
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    seed: Annotated[str | None, typer.Option(help="Determines who the people are and how they behave.")] = None,
    people: Annotated[int | None, typer.Option(min=0, help="How many people there are.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the practice network by itself, until Ctrl-C."""
    from backend.practice.network_store import DEFAULT_PEOPLE, DEFAULT_SEED
    from backend.practice.server import CannotServe, serve

    try:
        serve(port, ledger, seed=seed or DEFAULT_SEED, people=DEFAULT_PEOPLE if people is None else people)
    except CannotServe as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EADDRINUSE:
            raise OutriderError("port_busy", port=port) from error
        raise OutriderError("practice_failed", detail=error) from error


@app.add_command()
def doctor(
    supabase: Annotated[
        str | None, typer.Option(metavar="URL", help="Check this Supabase project instead of the machine.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Check this machine, or a Supabase project, and explain how to fix it.

    The project's public key is asked for, or taken from OUTRIDER_SUPABASE_KEY. Exit status 1 if anything fails; a
    warning does not.
    """
    from dataclasses import asdict

    from backend.domain.values.health_check import FAIL
    from backend.runtime.doctor import run_checks, run_project_checks

    if supabase is None:
        checks = run_checks(data_dir)
    else:
        checks = run_project_checks(supabase, _public_key(TerminalOutput(as_json=as_json)))
    rows = [(check.status, check.code, " ".join(filter(None, (check.said, check.remedy)))) for check in checks]
    well = all(check.status != FAIL for check in checks)
    TerminalOutput(as_json=as_json).result(columns(rows), {"ok": well, "checks": [asdict(check) for check in checks]})
    exit_with(0 if well else 1)


def _public_key(output: TerminalOutput) -> str:
    """A project's public key: from the environment, or typed unseen; never an argument, which every process here could read."""
    if key := os.environ.get("OUTRIDER_SUPABASE_KEY", "").strip():
        return key
    if not output.interactive:
        raise OutriderError("project_key_missing")
    return getpass("The project's public key: ").strip()


@app.add_command(does="machine.print_browsers")
def browser(
    program: Annotated[
        str | None, typer.Argument(metavar="[PROGRAM]", help="Use this browser from now on; auto: the first found.")
    ] = None,
) -> None:
    """Show which browser campaigns run in on this device, or choose another."""


@app.add_command(does="update.update")
def update(only_check: Annotated[bool, typer.Option("--check", help="Only ask; fetch nothing.")] = False) -> None:
    """Look for a newer version, fetch it and try it on a copy of your log; off until OUTRIDER_UPDATES names whom to ask.

    Nothing is installed: it says what to type. A version that comes to other tables than yours is removed again.
    """


@app.add_command(does="machine.print_outbound")
def outgoing() -> None:
    """Show what leaves this machine.

    Who may be called and why, and what was sent to whom in the last thirty days.
    """


@app.add_command("app")
def app_(
    no_window: Annotated[
        bool, typer.Option("--no-window", help="Print the page's address instead of opening a window.")
    ] = False,
    headless: Headless = False,
    data_dir: DataDir = None,
) -> None:
    """Open Outrider's window.

    Where there is no display, its address is printed instead.
    """
    from backend.terminal.run_program import run_program

    asked = [*(["--no-window"] if no_window else ()), *(["--headless-browser"] if headless else ())]
    environment = processes.environment_with_keys() | ({"OUTRIDER_DATA_DIR": str(data_dir)} if data_dir else {})
    exit_with(run_program(processes.command(processes.WINDOW, *asked), environment))

"""This machine: what its data folder holds and how long, which browser campaigns run in, and what leaves it."""

from backend.adapters.browser.chromium import BrowserChoice
from backend.adapters.clocks import SystemClock
from backend.api.egress import OutgoingView, outgoing
from backend.app.wiring import instance_lock, open_workspace, retention_of
from backend.domain.device.retention import RetentionPolicy
from backend.machine.settings import AppSettings
from backend.runtime.machine_info import BrowserChoices, browser_choices, data_parts
from backend.store.queries.device import retained_files
from backend.terminal.output import TerminalOutput, columns

KEPT = (
    ("evidence_days", "pictures of pages; longer while a campaign that goes on needs them"),
    ("rehearsal_days", "ledgers of rehearsals that are over"),
    ("replaced_database_days", "databases that restores replaced"),
)


def show_space(output: TerminalOutput, settings: AppSettings) -> None:
    """Only look."""
    with open_workspace(settings, despite_loss=True) as workspace, workspace.database.read() as connection:
        policy, free = retained_files.policy(connection), retained_files.free_bytes(connection)
    parts = data_parts(settings)
    lines = columns([(f"{part.bytes:,}", part.name) for part in parts])
    lines += [f"{free:,} bytes of the database are free: `outrider space --compact` gives them back."] if free else []
    lines += [f"Kept {_words(getattr(policy, name))}: {what}." for name, what in KEPT]
    json_result = {
        "parts": {part.name: part.bytes for part in parts},
        "free_in_database": free,
        "policy": policy.model_dump(),
    }
    output.result(lines, json_result)


def keep_for(output: TerminalOutput, settings: AppSettings, days: dict[str, int]) -> None:
    """Keep each of these kinds of file for so many days, 0 for good, and remove at once what is older."""
    with instance_lock(settings), open_workspace(settings) as workspace:
        stored_policy = workspace.database.query(retained_files.policy).model_dump()
        policy = RetentionPolicy(**stored_policy | {name: number or None for name, number in days.items()})
        workspace.commands().workspace.keep(retained_files.POLICY, policy.model_dump())
        removed = retention_of(workspace).apply()
    lines = [f"Kept {_words(getattr(policy, name))}: {what}." for name, what in KEPT]
    lines.append(f"Removed now: {removed.files:,} files, {removed.bytes:,} bytes.")
    output.result(lines, {"policy": policy.model_dump(), "removed": removed.model_dump()})


def compact(output: TerminalOutput, settings: AppSettings) -> None:
    """Write the database anew without what erasing has emptied."""
    with instance_lock(settings), open_workspace(settings) as workspace:
        before = settings.database.stat().st_size
        workspace.database.compact()
        after = settings.database.stat().st_size
    output.result([f"The database takes {after:,} bytes; it took {before:,}."], {"before": before, "after": after})


def _words(days: int | None) -> str:
    return "for good" if days is None else f"{days:,} days"


def print_browsers(output: TerminalOutput, settings: AppSettings, program: str | None) -> None:
    """Choose one first, if one is named (`auto`: whichever is found), then list them; raises `browser_unusable`."""
    if program is not None:
        BrowserChoice(settings.data_dir).choose("" if program == "auto" else program)
    view = browser_choices(settings)
    output.result(_browser_lines(view), view.model_dump(mode="json"))


def _browser_lines(view: BrowserChoices) -> list[str]:
    used = view.used.program if view.used else ""
    listed = list(view.installed)
    if view.used and used not in (browser.program for browser in listed):
        listed.append(view.used)
    rows = [("*" if browser.program == used else " ", browser.version, browser.program) for browser in listed]
    chosen_by = "OUTRIDER_BROWSER" if view.fixed else "your choice" if view.chosen else "chosen automatically"
    problem = [f"{view.problem.sentence} {view.problem.remedy}"] if view.problem else [f"* is used ({chosen_by})"]
    return [*columns(rows), *problem]


def print_outbound(output: TerminalOutput, settings: AppSettings) -> None:
    """The list of hosts, and what was sent to whom."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        view = outgoing(connection, workspace.outgoing, SystemClock().now())
    output.result(_outgoing_lines(view), view.model_dump(mode="json"))


def _outgoing_lines(view: OutgoingView) -> list[str]:
    rows = [
        (
            host.host,
            "may be called" if host.allowed else "not any more",
            f"{host.calls:,} calls, {host.failures:,} failed",
            f"{host.bytes_out:,} bytes out, {host.bytes_in:,} in",
        )
        for host in view.hosts
    ]
    lines = columns(rows) if rows else ["No host may be called: no model and no project is set up."]
    for host in view.hosts:
        lines += ["", f"{host.host}: {host.why}", f"  Sent: {host.sends}"]
    lines += [
        "",
        *filter(None, [view.proxy]),
        view.browser,
        "",
        "Never sent:",
        *(f"  {sentence}" for sentence in view.never),
    ]
    return lines

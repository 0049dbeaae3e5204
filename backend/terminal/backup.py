"""Backups, the way back from one, and what to do when log entries are missing."""

from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.app.wiring import erase_in_restored, instance_lock, open_workspace
from backend.domain.events.record_loss import describe
from backend.machine.settings import AppSettings
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import detached_sentence
from backend.store import backup as backups
from backend.terminal.output import TerminalOutput

FILES_BESIDE = (
    "Evidence and kept files are not in it: copy the folders `evidence` and `artifacts` beside the database, too."
)


def back_up(output: TerminalOutput, settings: AppSettings, target: Path) -> None:
    """Copy the database while it may be in use, and prove the copy."""
    with open_workspace(settings, despite_loss=True) as workspace:
        made = backups.back_up(workspace.database, target)
        missing = RecordLoss(workspace.journal).state()
    lines = [
        f"{made.path}: {made.bytes:,} bytes, {made.entries:,} log entries, every one of them checked.",
        FILES_BESIDE,
    ]
    for line in missing.missing:
        output.note(f"Missing in the database, and so in the copy: {line}")
    if missing.unreadable:
        output.note(f"It is unknown whether entries are missing in the copy: {missing.unreadable}")
    machine = {"file": str(made.path), "bytes": made.bytes, "entries": made.entries, "missing": missing.missing}
    output.result(lines, machine)


def restore(output: TerminalOutput, settings: AppSettings, source: Path, *, despite_loss: bool) -> None:
    """Put a backup back; the database that was there is kept beside it."""
    with instance_lock(settings) as finished:
        if finished is not None:
            output.note(
                f"An earlier restore was finished first; the database before it is now {finished.previous_database}."
            )
        done = backups.restore(
            settings.database,
            source,
            erase_again=erase_in_restored(),
            despite_loss=despite_loss,
        )
        backups.cancel(settings.database)  # what was scheduled in the page gives way to it
    lines = [f"{source} is in place."]
    if done.previous_database is not None:
        lines.append(f"The previous database is now {done.previous_database}.")
    missing = [describe(entries, done.names) for entries in done.lost]
    missing += filter(None, [detached_sentence(done.project_left)])
    lines += [f"Missing: {line}" for line in missing]
    if done.erased_again:
        lines.append(erased_again(done.erased_again))
    machine = {
        "restored": str(source),
        "kept": str(done.previous_database or ""),
        "missing": missing,
        "erased_again": done.erased_again,
    }
    output.result(lines, machine)


def erased_again(entries: int) -> str:
    """That the backup held what was erased since."""
    return f"Erased again: {entries:,} log entries that were erased after this backup was made."


def accept_loss(output: TerminalOutput, settings: AppSettings) -> None:
    """Go on from what is there, which is recorded."""
    with open_workspace(settings, despite_loss=True) as workspace:
        accepted = RecordLoss(workspace.journal).accept(SystemClock().now())
    missing = [*accepted.missing, *filter(None, [accepted.unreadable])]
    if not missing:
        output.result(["No entry is known to be missing; nothing was changed."], {"accepted": []})
        return
    lines = [
        "Going on without:",
        *missing,
        "Before anything is sent, each person's conversation is compared with the log.",
    ]
    output.result(lines, {"accepted": missing})

"""What the data folder holds, how long its files are kept, and giving space back."""

from backend.app.wiring import instance_lock, open_workspace, retention_of
from backend.domain.device.retention import RetentionPolicy
from backend.machine.settings import AppSettings
from backend.runtime.machine_info import data_parts
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

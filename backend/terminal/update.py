"""A newer version: asked for, fetched, tried on a copy, and how it is installed; it is installed by nobody but the user."""

import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from backend.adapters.updates import ReleaseFolder
from backend.app.wiring import open_workspace
from backend.domain.device.update import OLD, UpdateSource, made_at, newest, numbers
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import move_onto, sync_file
from backend.machine.settings import AppSettings
from backend.machine.unfinished_files import private_place
from backend.runtime.copies.update_trial import try_update
from backend.store.update_lists import FOLDER, newest_seen, remember_newest
from backend.terminal.output import TerminalOutput

LIST = "SHA256SUMS-{system}-{processor}"
_TIME = "%Y-%m-%d %H:%M:%S UTC"
_OLD_LIST = (
    "The list at {host} was made on {day}: somebody may be showing an old one. Look where you got Outrider, too."
)


def update(output: TerminalOutput, settings: AppSettings, *, only_check: bool) -> None:
    """Everything up to the installation; raises `updates_off` and the errors of `update_…`."""
    if settings.updates is None:
        raise OutriderError("updates_off")
    here, processor = version("outrider"), platform.machine().lower()
    with open_workspace(settings) as workspace:
        folder = ReleaseFolder(settings.updates, workspace.outgoing)
        output.note(
            f"Asking {folder.host} which versions there are. It learns the system and the processor, nothing else."
        )
        listed = folder.checksums(LIST.format(system=sys.platform, processor=processor))
        made = _time_of(listed, folder.host, settings.updates, settings.data_dir)
        answer: dict[str, object] = {"version": here, "newer": "", "list_made": made.isoformat()}
        is_old = datetime.fromtimestamp(workspace.clock.now() / 1_000, UTC) - made > OLD
        old = [_OLD_LIST.format(host=folder.host, day=made.date())] if is_old else []
        offered = newest(listed, sys.platform, processor)
        if offered is None or numbers(offered.version) <= numbers(here):
            output.result([f"Outrider {here} is the newest version there.", *old], answer)
            return
        answer["newer"] = offered.version
        if only_check:
            output.result([f"There is Outrider {offered.version}; here is {here}.", *old], answer)
            return
        file = settings.data_dir / FOLDER / offered.name
        with private_place(settings.data_dir) as place:
            fetched = folder.fetch(offered, place)
            output.note(f"{file.name} is what the signed list says. Replaying a copy of your log with it.")
            try_update(fetched, workspace.database)
            sync_file(fetched)
            move_onto(fetched, file)
    command = install_command(file)
    lines = [
        f"Outrider {offered.version} comes to the same tables from your log. Close Outrider, then:",
        f"  {command}",
        *old,
    ]
    output.result(lines, {**answer, "file": str(file), "install": command})


def _time_of(listed: str, host: str, source: UpdateSource, data_dir: Path) -> datetime:
    """When the list was made, remembered; raises `update_unreachable` if it does not say, `update_older` for an earlier one's."""
    made = made_at(listed)
    if made is None:
        raise OutriderError("update_unreachable", host=host, detail="the list does not say when it was made")
    seen = datetime.fromtimestamp(newest_seen(data_dir, source.public_key) / 1_000, UTC)
    if made < seen:
        raise OutriderError("update_older", host=host, made=f"{made:{_TIME}}", seen=f"{seen:{_TIME}}")
    if made > seen:
        remember_newest(data_dir, source.public_key, int(made.timestamp() * 1_000))
    return made


def install_command(file: Path) -> str:
    """What the user types to install it; both of Windows's shells know Explorer, and only one of them a path between quotes."""
    if file.suffix == ".exe":
        return f'explorer "{file}"'
    return f"sudo apt install {shlex.quote(str(file))}" if file.suffix == ".deb" else f"open {shlex.quote(str(file))}"

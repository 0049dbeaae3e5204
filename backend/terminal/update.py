"""A newer version: asked for, fetched, tried on a copy, and how it is installed; it is installed by nobody but the user."""

import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path

from backend.adapters.updates import ReleaseFolder
from backend.domain.device.update import Update, newest, numbers
from backend.domain.values.errors import OutriderError
from backend.machine.unfinished_files import private_place
from backend.runtime.copies.update_trial import try_update
from backend.settings import AppSettings
from backend.terminal.output import TerminalOutput
from backend.wiring import open_workspace

LIST = "SHA256SUMS-{system}-{processor}"


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
        offered = newest(
            folder.checksums(LIST.format(system=sys.platform, processor=processor)), sys.platform, processor
        )
        if offered is None or numbers(offered.version) <= numbers(here):
            output.result([f"Outrider {here} is the newest version there."], {"version": here, "newer": ""})
            return
        if only_check:
            output.result(
                [f"There is Outrider {offered.version}; here is {here}."], {"version": here, "newer": offered.version}
            )
            return
        file = settings.data_dir / "updates" / offered.name
        with private_place(settings.data_dir) as place:
            fetched = folder.fetch(offered, place)
            output.note(f"{file.name} is what the signed list says. Replaying a copy of your log with it.")
            try_update(fetched, workspace.database)
            file.parent.mkdir(mode=0o700, exist_ok=True)
            fetched.replace(file)
    command = install_command(file)
    lines = [
        f"Outrider {offered.version} comes to the same tables from your log. Close Outrider, then:",
        f"  {command}",
    ]
    output.result(lines, _told(here, offered, file, command))


def install_command(file: Path) -> str:
    """What the user types to install it."""
    return f"sudo apt install {shlex.quote(str(file))}" if file.suffix == ".deb" else f"open {shlex.quote(str(file))}"


def _told(here: str, offered: Update, file: Path, command: str) -> dict[str, object]:
    return {"version": here, "newer": offered.version, "file": str(file), "install": command}

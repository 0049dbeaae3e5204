"""What can be set from outside: one table of name, default, reader and help."""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_data_path, user_state_path

from backend.domain.device.update import UpdateSource, read_source
from backend.domain.values.errors import OutriderError
from backend.machine.private_folder import keep_private
from backend.machine.real_path import real_path


class Setting(NamedTuple):
    """An environment variable that Outrider reads: `read` gives the field's value from its text, "" where it is not set.

    `read` raises ValueError with what was expected; `default` is the default in words.
    """

    variable: str
    field: str
    default: str
    read: Callable[[str], Any]
    help: str


def _folder(text: str) -> Path:
    """Where no shell has read a variable or `--data-dir=~/…`, the home folder is not in its place yet."""
    return Path(os.path.expanduser(text) if text else user_data_path("Outrider", appauthor=False))  # noqa: PTH111 - Path's raises


def _accounts_folder(text: str) -> Path:
    """Never in the default data folder, whose name on macOS and Windows is that of the user's state, too."""
    return (_folder(text) if text else user_state_path("Outrider-accounts", appauthor=False)).absolute()


def _updates(text: str) -> UpdateSource | None:
    return read_source(text) if text else None


def _minutes(text: str) -> int:
    if not text:
        return 10
    if not text.isdecimal() or int(text) == 0:
        raise ValueError("whole minutes")
    return int(text)


MOST_FOLDER_BYTES = 450
"""Of a data folder's path: on Linux and macOS SQLite opens no file whose path, with what it puts beside it, has more than 512."""

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "OUTRIDER_DATA_DIR",
        "data_dir",
        "the platform's folder for application data",
        _folder,
        "where everything is kept",
    ),
    Setting("OUTRIDER_BROWSER", "browser", "detected automatically", str, "the Chrome, Chromium or Edge to use"),
    Setting(
        "OUTRIDER_PRESENCE_MINUTES",
        "presence_minutes",
        "10",
        _minutes,
        "minutes without input after which you count as away",
    ),
    Setting(
        "OUTRIDER_UPDATES",
        "updates",
        "off: nobody is asked",
        _updates,
        "the folder of releases that `outrider update` asks for newer versions, and the key of its signatures: https://…/#KEY",
    ),
    Setting(
        "OUTRIDER_ACCOUNTS_DIR",
        "accounts_dir",
        "a folder for your user's state, outside of the data folder",
        _accounts_folder,
        "where all your data folders see that one of them acts by an account",
    ),
)


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The settings as read, a field for each row; `browser` is empty when it is to be found."""

    data_dir: Path
    browser: str
    presence_minutes: int
    accounts_dir: Path = field(default_factory=lambda: _accounts_folder(os.environ.get("OUTRIDER_ACCOUNTS_DIR", "")))

    updates: UpdateSource | None = None
    """Who is asked for newer versions; None: nobody."""

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.data_dir / "outrider.db"

    def has_database(self) -> bool:
        """Whether anything stands in its place, also what cannot be opened, such as a link that leads nowhere."""
        try:
            self.database.lstat()
        except FileNotFoundError:
            return False
        return True


def data_folder(data_dir: Path | None, environ: Mapping[str, str] | None = None) -> Path:
    """Where the data folder is or is to be made."""
    return _folder(str(data_dir or "") or (os.environ if environ is None else environ).get("OUTRIDER_DATA_DIR", ""))


def read_settings(environ: Mapping[str, str] | None = None, data_dir: Path | None = None) -> AppSettings:
    """The settings in force; `data_dir` overrides. Makes the folder, for its owner only; raises `data_dir_unusable`."""
    environ = os.environ if environ is None else environ
    values = {row.field: _value(row, environ.get(row.variable, "")) for row in SETTINGS}
    folder = data_folder(data_dir, environ)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_private(folder)
        real = real_path(folder)
        if os.name == "posix" and len(os.fsencode(real)) > MOST_FOLDER_BYTES:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))  # noqa: TRY301 - as the system says it
    except OSError as error:
        raise OutriderError("data_dir_unusable", path=folder, detail=error.strerror or error) from error
    return AppSettings(**values | {"data_dir": real})


def _value(row: Setting, text: str) -> Any:
    try:
        return row.read(text)
    except ValueError as error:
        raise OutriderError("setting_invalid", setting=row.variable, value=text, expected=error) from error

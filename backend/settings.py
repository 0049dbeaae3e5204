"""What can be set from outside: one table of name, default, type and help; the README's table is kept in step by a test."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_data_path

from backend.adapters.files.private_folder import keep_private
from backend.domain.errors import OutriderError


class Setting(NamedTuple):
    """An environment variable that Outrider reads."""

    variable: str
    field: str
    default: str
    read: Callable[[str], Any]
    help: str


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "OUTRIDER_DATA_DIR", "data_dir", "the platform's folder for application data", Path, "where everything is kept"
    ),
    Setting("OUTRIDER_BROWSER", "browser", "found by itself", str, "the Chrome, Chromium or Edge to use"),
    Setting(
        "OUTRIDER_PRESENCE_MINUTES", "presence_minutes", "10", int, "how long after the last input you count as here"
    ),
)


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The settings as read; `browser` is empty when it is to be found."""

    data_dir: Path
    browser: str
    presence_minutes: int

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.data_dir / "outrider.db"


def read_settings(environ: Mapping[str, str] | None = None, data_dir: Path | None = None) -> AppSettings:
    """The settings in force; `data_dir` overrides. Makes the folder, for its owner only; raises `data_dir_unusable`."""
    environ = os.environ if environ is None else environ
    given = {row.field: environ[row.variable] for row in SETTINGS if environ.get(row.variable)}
    folder = data_dir or Path(given.get("data_dir") or user_data_path("Outrider", appauthor=False))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_private(folder)
    except OSError as error:
        raise OutriderError("data_dir_unusable", path=folder, detail=error.strerror or error) from error
    minutes = given.get("presence_minutes", "10")
    if not minutes.isdigit() or int(minutes) == 0:
        raise OutriderError(
            "setting_invalid", setting="OUTRIDER_PRESENCE_MINUTES", value=minutes, expected="whole minutes"
        )
    return AppSettings(folder.resolve(), given.get("browser", ""), int(minutes))

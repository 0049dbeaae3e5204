"""What Settings shows of this machine: the data folder, the browser and its profile, the versions, and the doctor's report."""

import os
import platform
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from backend import doctor
from backend.adapters.browser.chromium import find_browser
from backend.domain.errors import OutriderError
from backend.domain.health_check import HealthCheck
from backend.domain.shapes import Wire
from backend.runtime.worker import Workers
from backend.settings import AppSettings
from backend.store import migrations
from backend.store.database import SQLITE_VERSION

MOST_FILES = 200_000
"""Counted; a larger folder is said to hold at least that much."""


class DataFacts(Wire):
    """The data folder."""

    folder: str
    chosen: str
    database_bytes: int
    evidence_bytes: int
    total_bytes: int
    free_bytes: int


class BrowserFacts(Wire):
    """The browser that campaigns run in; `profile_bytes` is null while there is no profile yet."""

    executable: str
    problem: str
    profile: str
    profile_bytes: int | None


class Version(Wire):
    """Something installed."""

    name: str
    version: str


class Diagnosis(Wire):
    """Every finding, and the same as a text that can be passed on."""

    findings: list[HealthCheck]
    report: str


class MachineInfo:
    """Read anew at each question; nothing of it is remembered."""

    def __init__(self, settings: AppSettings, version: str, workers: Workers, profile: Path) -> None:
        """`profile` is the folder of the browser's profile."""
        self._profile = profile
        self._workers = workers
        self._settings = settings
        self._version = version
        self._examining = threading.Lock()

    def data(self) -> DataFacts:
        """The data folder and its room."""
        folder = self._settings.data_dir
        return DataFacts(
            folder=str(folder),
            database_bytes=sum(_size(Path(f"{self._settings.database}{end}")) for end in ("", "-wal", "-shm")),
            evidence_bytes=_weight(folder / "evidence"),
            total_bytes=_weight(folder),
            free_bytes=shutil.disk_usage(folder).free,
            chosen="the platform's folder for application data"
            if _usual(folder)
            else "OUTRIDER_DATA_DIR or --data-dir",
        )

    def browser(self) -> BrowserFacts:
        """The browser that campaigns run in, and its profile."""
        found, problem = "", ""
        try:
            found = str(find_browser())
        except OutriderError as error:
            problem = f"{error.sentence} {error.remedy}"
        profile = self._profile
        return BrowserFacts(
            executable=self._settings.browser or found,
            problem=problem,
            profile=str(profile),
            profile_bytes=_weight(profile) if profile.is_dir() else None,
        )

    def versions(self) -> list[Version]:
        """What is installed."""
        return [
            Version(name="Outrider", version=self._version),
            Version(name="Python", version=platform.python_version()),
            Version(name="SQLite", version=SQLITE_VERSION),
            Version(name="Database schema", version=str(migrations.known()[-1][0])),
            Version(name="System", version=f"{platform.system()} {platform.release()} {platform.machine()}"),
        ]

    def clear_profile(self) -> None:
        """Remove the browser's profile, with every sign-in in it. Raises `profile_kept`."""
        profile = self._profile
        try:
            if profile.is_dir():
                shutil.rmtree(profile)
        except OSError as error:
            raise OutriderError("profile_kept", detail=error.strerror or error) from error

    def examine(self) -> Diagnosis:
        """Every finding of the doctor, and the same as a text to pass on: without names of people's folders."""
        with self._examining:  # it starts a browser and the practice network: one at a time is enough
            checks = doctor.run_checks(self._settings.data_dir, self._workers.states())
        lines = [f"{version.name} {version.version}" for version in self.versions()]
        lines += [f"{one.status:4} {one.code}: {one.said} {one.remedy}".rstrip() for one in checks]
        return Diagnosis(findings=checks, report=self._impersonal("\n".join(lines) + "\n"))

    def _impersonal(self, text: str) -> str:
        for path, shown in ((self._settings.data_dir, "<data folder>"), (Path.home(), "~")):
            text = text.replace(str(path), shown)
        return text


def _usual(folder: Path) -> bool:
    return not os.environ.get("OUTRIDER_DATA_DIR") and folder.name == "Outrider"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _weight(folder: Path) -> int:
    return sum(size for size, _ in zip(_sizes(folder), range(MOST_FILES), strict=False))


def _sizes(folder: Path) -> Iterator[int]:
    """The sizes of all files below; what vanishes while one looks is nothing."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _sizes(Path(entry.path))
        else:
            yield _size(Path(entry.path))

"""What Settings shows of this machine: the data folder, the browser and its profile, the versions, and the doctor's report."""

import os
import platform
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from backend.adapters.browser.chromium import BrowserChoice, browser_version, installed_browsers
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import HealthCheck
from backend.domain.values.shapes import ErrorShape, Shape
from backend.machine.settings import AppSettings
from backend.runtime import doctor
from backend.runtime.worker import Workers
from backend.store import backup, migrations
from backend.store.database import SQLITE_VERSION

MOST_FILES = 200_000
"""Counted; a larger folder is said to hold at least that much."""


class DataPart(Shape):
    """What belongs together in the data folder, in words, and what it weighs."""

    name: str
    bytes: int


class DataFacts(Shape):
    """The data folder; its `parts`, heaviest first, make `total_bytes`; `replaced_bytes` of databases a restore replaced."""

    folder: str
    chosen: str
    parts: list[DataPart]
    replaced_bytes: int
    total_bytes: int
    free_bytes: int


_PARTS: dict[str, str] = {
    "evidence": "Pictures kept as evidence",
    "artifacts": "Files of campaigns",
    "campaigns": "Campaigns as readable files",
    "practice": "Rehearsals",
    "browser": "Browser profile",
    "uploads": "Files being read",
    "sealed": "Keys and sign-ins, encrypted",
}
"""What a folder in the data folder holds; any other is called by its name."""


class BrowserFacts(Shape):
    """The profile of the browser that campaigns run in; `profile_bytes` is null while there is none yet."""

    profile: str
    profile_bytes: int | None


class BrowserProgram(Shape):
    """A browser on this machine, by its program and what it calls itself."""

    program: str
    version: str


class BrowserChoices(Shape):
    """Which browser campaigns run in: `chosen` is "" where the first of `installed` is used.

    `used` is null while none can be, and `problem` says why; `fixed`: OUTRIDER_BROWSER decides.
    """

    installed: list[BrowserProgram]
    chosen: str
    fixed: bool
    used: BrowserProgram | None
    problem: ErrorShape | None


class Version(Shape):
    """Something installed."""

    name: str
    version: str


class Diagnosis(Shape):
    """Every finding, and the same as a text that can be passed on."""

    findings: list[HealthCheck]
    report: str


class MachineInfo:
    """Read anew at each question; nothing of it is remembered."""

    def __init__(
        self,
        settings: AppSettings,
        version: str,
        workers: Workers,
        profile: Path,
        start_browser: Callable[[AppSettings], str],
    ) -> None:
        """`profile` is the folder of the browser's profile; `start_browser` as `wiring.try_browser`."""
        self._start_browser = start_browser
        self._profile = profile
        self._workers = workers
        self._settings = settings
        self._version = version
        self._examining = threading.Lock()

    def data(self) -> DataFacts:
        """The data folder and its room."""
        folder = self._settings.data_dir
        parts = data_parts(self._settings)
        return DataFacts(
            folder=str(folder),
            parts=parts,
            replaced_bytes=sum(map(file_size, backup.set_aside(self._settings.database))),
            total_bytes=sum(part.bytes for part in parts),
            free_bytes=shutil.disk_usage(folder).free,
            chosen="the platform's folder for application data"
            if _usual(folder)
            else "OUTRIDER_DATA_DIR or --data-dir",
        )

    def browser(self) -> BrowserFacts:
        """The profile of the browser that campaigns run in."""
        profile = self._profile
        return BrowserFacts(profile=str(profile), profile_bytes=_weight(profile) if profile.is_dir() else None)

    def browsers(self) -> BrowserChoices:
        """Which browser campaigns run in, and which others there are; each is asked for its version."""
        return browser_choices(self._settings)

    def choose_browser(self, program: str) -> BrowserChoices:
        """Use this browser from its next start, or with "" the first that is found; raises `browser_unusable`."""
        BrowserChoice(self._settings.data_dir).choose(program)
        return self.browsers()

    def try_browser(self) -> str:
        """Start the browser in use out of sight, and say what started; raises `browser_*`."""
        with self._examining:
            return self._start_browser(self._settings)

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
        lines += [f"{check.status:4} {check.code}: {check.said} {check.remedy}".rstrip() for check in checks]
        return Diagnosis(findings=checks, report=self._impersonal("\n".join(lines) + "\n"))

    def _impersonal(self, text: str) -> str:
        for path, shown in ((self._settings.data_dir, "<data folder>"), (Path.home(), "~")):
            text = text.replace(str(path), shown)
        return text


def data_parts(settings: AppSettings) -> list[DataPart]:
    """Everything in the data folder, counted once, the heaviest first."""
    replaced = set(backup.set_aside(settings.database))
    weights: Counter[str] = Counter()
    with suppress(OSError):
        for entry in os.scandir(settings.data_dir):
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                weights[_PARTS.get(entry.name, entry.name)] += _weight(path)
            elif path in replaced:
                weights["Databases that restores replaced"] += file_size(path)
            elif entry.name.startswith(settings.database.name):
                weights["Database"] += file_size(path)
            else:
                weights["Everything else"] += file_size(path)
    return [DataPart(name=name, bytes=weight) for name, weight in weights.most_common()]


def browser_choices(settings: AppSettings) -> BrowserChoices:
    """Which browser campaigns run in, and which others there are."""
    choice = BrowserChoice(settings.data_dir)
    installed: dict[str, BrowserProgram] = {}  # one that is met under two names counts once
    for path in installed_browsers():
        with suppress(OutriderError):
            version = browser_version(path)
            installed.setdefault(version, BrowserProgram(program=str(path), version=version))
    used, problem = None, None
    try:
        program = choice.program()
        used = BrowserProgram(program=str(program), version=browser_version(program))
    except OutriderError as error:
        problem = ErrorShape.showing(error)
    return BrowserChoices(
        installed=list(installed.values()),
        chosen=choice.chosen,
        fixed=bool(settings.browser),
        used=used,
        problem=problem,
    )


def _usual(folder: Path) -> bool:
    return not os.environ.get("OUTRIDER_DATA_DIR") and folder.name == "Outrider"


def file_size(path: Path) -> int:
    """Its size in bytes; 0 if it cannot be read any more."""
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
            yield file_size(Path(entry.path))

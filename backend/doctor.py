"""Examines the machine and says how to mend what is wrong with it."""

import importlib.util
import json
import os
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from backend import processes
from backend.clocks import SystemClock
from backend.domain.check import FAIL, OK, WARN, Check
from backend.domain.errors import OutriderError
from backend.instance import InstanceLock
from backend.outgoing import OutgoingCalls
from backend.settings import AppSettings, read_settings
from backend.store import migrations
from backend.store.database import Database
from backend.supabase import project_check
from backend.supabase.project import Project
from backend.tools.chromium import find_browser

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
ROOM_NEEDED, ROOM_WISHED = 100, 1_000  # megabytes
_CHECKED_WHOLE = 256 * 1024 * 1024
_PATIENCE = 20.0


def examine(data_dir: Path | None = None) -> list[Check]:
    """Every finding, in the order in which they should be mended. Changes nothing that is not there to be changed."""
    checks = [python(), sqlite()]
    try:
        settings = read_settings(data_dir=data_dir)
    except OutriderError as error:
        checks.append(_failed("data_dir", error))
    else:
        rows: tuple[Callable[[AppSettings], Check], ...] = (folder, room, database, instance)
        checks += [row(settings) for row in rows]
    return [*checks, browser(), display(), window(), port(), practice()]


def examine_project(url: str, public_key: str) -> list[Check]:
    """What a look at a shared store finds; nothing is kept of it."""
    try:
        project = Project(url, public_key, OutgoingCalls(SystemClock(), list, lambda _: None))
    except OutriderError as error:
        return [_failed(error.code, error)]
    project.allow()
    try:
        return project_check.examine_project(project)
    finally:
        project.close()


def python() -> Check:
    """The interpreter."""
    found = platform.python_version()
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Check("python", OK, f"Python {found}")
    return Check("python", FAIL, f"Python {found} is too old.", "Install Python 3.11 or newer and set up again.")


def sqlite() -> Check:
    """SQLite, and whether it knows STRICT tables."""
    version = sqlite3.sqlite_version
    try:
        with sqlite3.connect(":memory:") as scratch:
            scratch.execute("CREATE TABLE proof (id INTEGER PRIMARY KEY) STRICT")
    except sqlite3.OperationalError:
        wanted = ".".join(map(str, OLDEST_SQLITE))
        return Check(
            "sqlite", FAIL, f"SQLite {version} has no STRICT tables.", f"Use a Python with SQLite {wanted} or newer."
        )
    return Check("sqlite", OK, f"SQLite {version} with STRICT tables")


def folder(settings: AppSettings) -> Check:
    """The data folder: writable, and nobody else's business."""
    path = settings.data_dir
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        remedy = "Give your user write permission on it, or choose another with OUTRIDER_DATA_DIR or --data-dir."
        return Check("data_dir", FAIL, f"{path} cannot be written: {error.strerror}.", remedy)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        return Check("data_dir", WARN, f"{path} can be entered by other users.", f"Run `chmod 700 '{path}'`.")
    return Check("data_dir", OK, f"{path} is writable")


def room(settings: AppSettings) -> Check:
    """Free space where the data is."""
    free = shutil.disk_usage(settings.data_dir).free // 1_000_000
    if free >= ROOM_WISHED:
        return Check("disk", OK, f"{free:,} MB free")
    status = WARN if free >= ROOM_NEEDED else FAIL
    return Check("disk", status, f"Only {free:,} MB are free.", "Free some space; evidence and logs only ever grow.")


def database(settings: AppSettings) -> Check:
    """The database opens, has a schema that is known, and is sound (a large one is not read whole)."""
    path = settings.database
    if not path.exists():
        return Check("database", OK, "none yet; the first campaign makes it")
    try:
        opened = Database(path)
        try:
            with opened.read() as connection:
                (schema,) = connection.execute("PRAGMA user_version").fetchone()
                small = path.stat().st_size <= _CHECKED_WHOLE
                (sound,) = connection.execute("PRAGMA quick_check(1)").fetchone() if small else ("ok",)
        finally:
            opened.close()
    except OutriderError as error:
        return _failed("database", error)
    if sound != "ok":
        return _failed("database", OutriderError("database_corrupt", path=path, detail=sound))
    return Check("database", OK, f"opens; schema {schema} of {migrations.known()[-1][0]}")


def instance(settings: AppSettings) -> Check:
    """Whether an Outrider runs on this folder."""
    try:
        with InstanceLock(settings.data_dir):
            return Check("instance", OK, "no other Outrider uses this folder")
    except OutriderError:
        return Check("instance", OK, "an Outrider is running on this folder")
    except OSError as error:
        return Check("instance", FAIL, f"The lock cannot be used: {error}.", "Put the data folder on a local disk.")


def browser() -> Check:
    """A browser, and that it starts far enough to tell its version."""
    try:
        found = find_browser()
    except OutriderError as error:
        return _failed("browser", error)
    if sys.platform == "win32":  # there, --version opens a window
        return Check("browser", OK, str(found))
    try:
        done = subprocess.run(  # noqa: S603 - the browser that is to be used
            [found, "--version"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return _failed("browser", OutriderError("browser_failed", detail=f"{found} does not start ({error})"))
    return Check("browser", OK, f"{done.stdout.strip() or 'a browser'} at {found}")


def display() -> Check:
    """Somewhere to show windows."""
    if sys.platform != "linux":
        return Check("display", OK, "the system's own")
    shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    if shown:
        return Check("display", OK, shown)
    remedy = "Rehearse with --headless, or run under `xvfb-run -a`" + (
        "." if shutil.which("Xvfb") else " (`sudo apt-get install xvfb`)."
    )
    return Check("display", WARN, "There is no display (DISPLAY is not set).", remedy)


def window() -> Check:
    """The libraries that Outrider's own window needs from the system; asked of the loader, without loading them."""
    if sys.platform != "linux":
        return Check("window", OK, "drawn by the system")
    qt = importlib.util.find_spec("PySide6")
    if qt is None or qt.origin is None:
        return Check("window", WARN, "Qt is not installed.", "Run `make setup`; the command line works without it.")
    libraries = Path(qt.origin).parent / "Qt"
    loader = shutil.which("ldd")
    wanted = [libraries / "lib" / "libQt6WebEngineCore.so.6", libraries / "plugins" / "platforms" / "libqxcb.so"]
    if loader is None or not all(path.exists() for path in wanted):
        return Check(
            "window", WARN, "It cannot be told whether the window's libraries are there.", "Try `outrider app`."
        )
    missing = sorted({name for path in wanted for name in _not_found(loader, path)})
    if not missing:
        return Check("window", OK, "Qt has every system library that it needs")
    remedy = "Run `make setup`, which installs them where it may and names their packages elsewhere."
    return Check("window", WARN, f"Qt misses {', '.join(missing)}.", remedy)


def port() -> Check:
    """A port on 127.0.0.1 can be opened and reached."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
            pass
    except OSError as error:
        return Check(
            "port", FAIL, f"No port of 127.0.0.1 can be used: {error}.", "Allow local connections in the firewall."
        )
    return Check("port", OK, "a port of 127.0.0.1 can be opened")


def practice() -> Check:
    """The practice network starts, in a folder of its own that is removed again."""
    with tempfile.TemporaryDirectory(prefix="outrider-doctor-") as scratch:
        command = processes.command(
            processes.PRACTICE, "--ledger", str(Path(scratch) / "ledger.jsonl"), "--exit-with-parent"
        )
        try:  # at the end of its standard input it ends by itself
            done = subprocess.run(  # noqa: S603 - our own module
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE, check=True
            )
            json.loads(done.stdout)["url"]
        except subprocess.CalledProcessError as error:
            return _failed("practice", OutriderError("practice_failed", detail=error.stderr.strip()), "Set up again.")
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            return _failed("practice", OutriderError("practice_failed", detail=error), "Set up again.")
    return Check("practice", OK, "the practice network starts")


def _failed(code: str, error: OutriderError, remedy: str = "") -> Check:
    return Check(code, FAIL, error.sentence, remedy or error.remedy)


def _not_found(loader: str, library: Path) -> list[str]:
    try:
        listing = subprocess.run([loader, library], capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.split()[0] for line in listing.stdout.splitlines() if "not found" in line]

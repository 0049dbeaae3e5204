"""Examines the machine and says how to mend what is wrong with it."""

import importlib.util
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from backend.adapters import processes
from backend.adapters.browser.chromium import BrowserChoice, browser_version, find_browser, why_no_start
from backend.adapters.browser.node import OLDEST_NODE, VARIABLE, find_node, is_new_enough, node_version
from backend.adapters.child_processes import own_group
from backend.adapters.clocks import SystemClock
from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.keychain import Keychain
from backend.adapters.display import why_no_display, why_not_as_root
from backend.adapters.egress_guard import EgressGuard
from backend.adapters.http_settings import examine_environment
from backend.adapters.instance_lock import InstanceLock
from backend.adapters.supabase import project_check
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.webview_runtime import webview_version
from backend.adapters.worker_status_file import WorkerStatusFile
from backend.domain.contact.plain_failure import plain_failure
from backend.domain.device.network_folder import is_too_long_for_windows, syncing_program
from backend.domain.device.worker_state import WorkerState, worker_checks
from backend.domain.events.record_loss import describe_all
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.health_check import FAIL, OK, WARN, HealthCheck
from backend.machine.network_drive import is_network_drive
from backend.machine.real_path import real_path
from backend.machine.settings import AppSettings, read_settings
from backend.practice.launch_secrets import LaunchSecrets
from backend.store import backup, migrations
from backend.store.database import (
    SQLITE_VERSION,
    Database,
    damage_error,
    first_damage,
    schema_version,
    supports_strict_tables,
)
from backend.store.log.heads_file import HeadsFile, HeadsKeeper, heads_path, lost_with_database
from backend.store.queries.campaign import campaigns

PYTHONS = range(11, 15)
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
ROOM_NEEDED, ROOM_WISHED = 100, 1_000  # megabytes
_FULL_CHECK_MAX_BYTES = 256 * 1024 * 1024
_TIMEOUT_SECONDS = 20.0
_ZONE_WITH_OFFSET = re.compile(r"(?:[A-Za-z]{3,}|<[^>]+>)[+-]?\d")
"""`CET-1CEST`, as POSIX has them."""


def run_checks(data_dir: Path | None = None, workers: Sequence[WorkerState] | None = None) -> list[HealthCheck]:
    """Every finding, in the order in which they should be mended. Changes nothing that is not there to be changed.

    What the machine refuses to one look is that look's finding, and the others follow.

    `workers` are those of this process; None: those of the Outrider that runs on the folder, if one does.
    """
    checks = [python(), sqlite()]
    chosen = ""
    try:
        settings = read_settings(data_dir=data_dir)
    except OutriderError as error:
        checks.append(_failed("data_dir", error))
    else:
        chosen = BrowserChoice(settings.data_dir).chosen
        checks += [_looked(code, partial(row, settings)) for code, row in OF_FOLDER.items()]
        checks += worker_checks(workers_of_running(settings.data_dir) if workers is None else workers)
    checks += [_looked("network", examine_environment), _looked("browser", partial(browser, chosen))]
    return [*checks, *(_looked(row.__name__, row) for row in OF_MACHINE)]


def run_project_checks(url: str, public_key: str) -> list[HealthCheck]:
    """What a look at a shared store finds; nothing is kept of it."""
    try:
        project = SupabaseProject(url, public_key, EgressGuard(SystemClock(), list, lambda _: None))
    except OutriderError as error:
        return [_failed(error.code, error)]
    project.allow()
    try:
        return project_check.examine_project(project)
    finally:
        project.close()


def python() -> HealthCheck:
    """The interpreter."""
    version = platform.python_version()
    if sys.version_info[1] in PYTHONS:
        return HealthCheck("python", OK, f"Python {version}")
    return HealthCheck(
        "python",
        FAIL,
        f"Python {version} is not supported.",
        f"Install Python 3.{PYTHONS[0]} to 3.{PYTHONS[-1]} and set up again.",
    )


def sqlite() -> HealthCheck:
    """SQLite, and whether it knows STRICT tables."""
    if not supports_strict_tables():
        oldest = ".".join(map(str, OLDEST_SQLITE))
        return HealthCheck(
            "sqlite",
            FAIL,
            f"SQLite {SQLITE_VERSION} has no STRICT tables.",
            f"Use a Python with SQLite {oldest} or newer.",
        )
    return HealthCheck("sqlite", OK, f"SQLite {SQLITE_VERSION}")


def folder(settings: AppSettings) -> HealthCheck:
    """The data folder: writable, and nobody else's business."""
    path = settings.data_dir
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        remedy = "Give your user write permission on it, or choose another with OUTRIDER_DATA_DIR or `--data-dir`."
        return HealthCheck("data_dir", FAIL, f"{path} cannot be written: {error.strerror}.", remedy)
    if is_network_drive(path):
        remedy = "Choose one on this computer with OUTRIDER_DATA_DIR or `--data-dir`."
        return HealthCheck("data_dir", WARN, f"{path} is on another computer; a database is not safe there.", remedy)
    if program := syncing_program(str(real_path(path))):
        remedy = "Choose one outside of it with OUTRIDER_DATA_DIR or `--data-dir`."
        return HealthCheck(
            "data_dir", WARN, f"{program} copies {path} while it is written; a database is not safe there.", remedy
        )
    if sys.platform == "win32" and is_too_long_for_windows(str(real_path(path))):
        remedy = "Choose a shorter one with OUTRIDER_DATA_DIR or `--data-dir`."
        return HealthCheck(
            "data_dir", WARN, f"{path} is so long that Windows does not open all that lies in it.", remedy
        )
    if sys.platform == "win32" and not real_path(path).is_relative_to(real_path(Path.home())):
        remedy = "Choose one in your profile, or take the others' rights to it away (its Properties, Security)."
        return HealthCheck("data_dir", WARN, f"{path} is outside of your profile; other users may read it.", remedy)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        return HealthCheck("data_dir", WARN, f"{path} can be entered by other users.", f"Run `chmod 700 '{path}'`.")
    return HealthCheck("data_dir", OK, f"{path} is writable")


def free_space(settings: AppSettings) -> HealthCheck:
    """Free space where the data is."""
    free = shutil.disk_usage(settings.data_dir).free // 1_000_000
    if free >= ROOM_WISHED:
        return HealthCheck("disk", OK, f"{free / 1_000:,.1f} GB free")
    status = WARN if free >= ROOM_NEEDED else FAIL
    return HealthCheck(
        "disk",
        status,
        f"Only {free:,} MB are free.",
        "Free some space; `outrider space` shows what the data folder holds.",
    )


def database(settings: AppSettings) -> HealthCheck:
    """The database opens, has a schema that is known, and is sound (a large one is not read whole)."""
    path = settings.database
    if backup.is_unfinished(path):
        unfinished = OutriderError("restore_unfinished", path=path, detail="it was cut off")
        return _failed(
            "database", unfinished, "The database that was there is kept. Start Outrider: it finishes this first."
        )
    if not path.exists():
        return _link_to_nothing(path) if path.is_symlink() else no_database(path)
    try:
        opened = Database(path)
        try:
            with opened.read() as connection:
                schema = schema_version(connection)
                small = path.stat().st_size <= _FULL_CHECK_MAX_BYTES
                sound = first_damage(connection) if small else "ok"
            lost = HeadsKeeper(opened).look() if sound == "ok" else ()
            names = opened.query(campaigns.names) if lost else {}
        finally:
            opened.close()
    except OutriderError as error:
        return _failed("database", error)
    if sound != "ok":
        return _failed("database", damage_error(path, sound))
    if lost:
        return _failed("database", OutriderError("records_lost", what=describe_all(lost, names)))
    return HealthCheck("database", OK, f"opens (schema {schema} of {migrations.known()[-1][0]})")


def _link_to_nothing(path: Path) -> HealthCheck:
    remedy = "Connect the disk on which the database lies, or put the database in the link's place."
    return HealthCheck("database", FAIL, f"{path} is a link that leads to no file.", remedy)


def no_database(path: Path) -> HealthCheck:
    """None yet, or none any more."""
    try:
        heads = HeadsFile(heads_path(path)).read()
    except OutriderError as error:
        return _failed("database", error)
    lost = lost_with_database(heads) if heads is not None else ()
    if lost:
        return _failed("database", OutriderError("records_lost", what=describe_all(lost)))
    return HealthCheck("database", OK, "none yet; the first campaign makes it")


def instance(settings: AppSettings) -> HealthCheck:
    """Whether an Outrider runs on this folder."""
    try:
        with InstanceLock(settings.data_dir):
            return HealthCheck("instance", OK, "no other Outrider uses this folder")
    except OutriderError as error:
        if error.code != "instance_running":
            return _failed("instance", error)
        return HealthCheck("instance", OK, "an Outrider is running on this folder")


def signing(settings: AppSettings) -> HealthCheck:
    """Whether there is a key that the logs can be signed by."""
    device = DeviceKey(settings.data_dir / "sealed", Keychain())
    if (locked := device.locked()) is not None:
        sentence = f"The logs are not signed yet: {locked.sentence[0].lower()}{locked.sentence[1:]}"
        return HealthCheck("signing", WARN, sentence, f"{locked.remedy} Campaigns run without it.")
    return HealthCheck("signing", OK, f"the logs are signed by a key in {device.where()}")


def workers_of_running(data_dir: Path) -> tuple[WorkerState, ...]:
    """What the background workers of a running Outrider do, by its own last word: one that hangs is not waited for."""
    try:
        with InstanceLock(data_dir):
            return ()  # what is there was left by one that was killed
    except (OutriderError, OSError):
        return WorkerStatusFile(data_dir).read()


def browser(chosen: str) -> HealthCheck:
    """The browser in use, its version, and that it starts; `chosen` as in `BrowserChoice`."""
    try:
        path = find_browser(chosen=chosen)
        version = browser_version(path)
    except OutriderError as error:
        return _failed("browser", error)
    if failure := why_no_start(path):
        remedy = "Choose another in Settings, Browser, or install Google Chrome or Microsoft Edge, whose packages are allowed one."
        return _failed("browser", OutriderError("browser_failed", detail=plain_failure(failure)), remedy)
    named = " (chosen in Settings)" if path == Path(chosen) else ""
    return HealthCheck("browser", OK, f"{version} at {path}{named}")


def node() -> HealthCheck:
    """The Node that drives the browser, and that it runs."""
    try:
        path = find_node(os.environ)
    except OutriderError as error:
        return _failed("node", error)
    version = node_version(path)
    if not is_new_enough(version):
        if os.environ.get(VARIABLE):
            why = f"{VARIABLE} names {path}, which is no Node.js {OLDEST_NODE} or newer."
            return HealthCheck("node", FAIL, why, f"Correct {VARIABLE}, or remove it.")
        return _failed("node", OutriderError("node_missing"))
    return HealthCheck("node", OK, f"Node.js {version} at {path}" if path else f"Node.js {version}, Playwright's own")


def temporary_files() -> HealthCheck:
    """Where temporary files are made: elsewhere than where a variable says, if none can be made there."""
    used = tempfile.gettempdir()
    variable = next((name for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "")
    if variable and real_path(Path(os.environ[variable])) != real_path(Path(used)):
        why = f"No file can be made in the folder that {variable} names; {used} is used in its place."
        return HealthCheck("temporary_files", WARN, why, f"Correct {variable}, or remove it.")
    return HealthCheck("temporary_files", OK, f"{used} is writable")


def time_zone() -> HealthCheck:
    """By what days and working hours are counted. To a system that does not know the zone in TZ it is UTC, and it says nothing."""
    name = os.environ.get("TZ", "").removeprefix(":")
    if name and sys.platform != "win32" and not _ZONE_WITH_OFFSET.match(name) and not _is_zone(name):
        why = "TZ names no time zone, so days and working hours are counted by UTC."
        return HealthCheck("time_zone", WARN, why, "Set it to a name such as Europe/Berlin, or remove it.")
    return HealthCheck("time_zone", OK, f"days and working hours are counted by UTC{time.strftime('%z')}")


def _is_zone(name: str) -> bool:
    try:
        return Path(name).is_file() if name.startswith("/") else bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def display() -> HealthCheck:
    """Somewhere to show windows: opened, because a variable may name what is no longer there."""
    if sys.platform != "linux":
        return HealthCheck("display", OK, "the system's own")
    missing = why_no_display(open_it=True)
    if not missing:
        return HealthCheck(
            "display", OK, os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or "none is needed"
        )
    remedy = "Rehearse with `--headless`, or run under `xvfb-run -a`" + (
        "." if shutil.which("Xvfb") else " (`sudo apt-get install xvfb`)."
    )
    return HealthCheck("display", WARN, f"{missing[0].upper()}{missing[1:]}.", remedy)


def window() -> HealthCheck:
    """What Outrider's own window needs from the system; libraries are asked of the loader, without loading them."""
    if sys.platform == "win32":
        version = webview_version()
        if not version:
            return _failed("window", OutriderError("webview_missing"))
        return HealthCheck("window", OK, f"drawn by WebView2 {version}")
    if sys.platform != "linux":
        return HealthCheck("window", OK, "drawn by the system")
    qt = importlib.util.find_spec("PySide6")
    if qt is None or qt.origin is None:
        return HealthCheck(
            "window", WARN, "Qt is not installed.", "Run `make setup`; the command line works without it."
        )
    libraries = Path(qt.origin).parent / "Qt"
    loader = shutil.which("ldd")
    required_libraries = [
        libraries / "lib" / "libQt6WebEngineCore.so.6",
        libraries / "plugins" / "platforms" / "libqxcb.so",
    ]
    if loader is None or not all(path.exists() for path in required_libraries):
        return HealthCheck(
            "window", WARN, "It cannot be told whether the window's libraries are there.", "Try `outrider app`."
        )
    missing = sorted({name for path in required_libraries for name in _not_found(loader, path)})
    if why := why_not_as_root():
        return HealthCheck("window", WARN, f"Outrider's window cannot be shown: {why}.", "Start Outrider as a user.")
    if not missing:
        return HealthCheck("window", OK, "Qt has every system library that it needs")
    remedy = "Run `make setup`, which installs them where it may and names their packages elsewhere."
    return HealthCheck("window", WARN, f"Qt misses {', '.join(missing)}.", remedy)


def port() -> HealthCheck:
    """A port on 127.0.0.1 can be opened and reached."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
            pass
    except OSError as error:
        return HealthCheck(
            "port", FAIL, f"No port of 127.0.0.1 can be used: {error}.", "Allow local connections in the firewall."
        )
    return HealthCheck("port", OK, "a port of 127.0.0.1 can be opened")


def practice() -> HealthCheck:
    """The practice network starts, in a folder of its own that is removed again."""
    with tempfile.TemporaryDirectory(prefix="outrider-doctor-") as scratch:
        command = processes.command(
            processes.PRACTICE, "--ledger", str(Path(scratch) / "ledger.jsonl"), "--exit-with-parent"
        )
        try:  # at the end of its standard input it ends by itself
            done = subprocess.run(  # noqa: S603 - our own module
                command,
                input=LaunchSecrets.new().to_line(),
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_TIMEOUT_SECONDS,
                check=True,
                **own_group(),
            )
            json.loads(done.stdout)["url"]
        except subprocess.CalledProcessError as error:
            return _failed("practice", OutriderError("practice_failed", detail=error.stderr.strip()), "Set up again.")
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            return _failed("practice", OutriderError("practice_failed", detail=error), "Set up again.")
    return HealthCheck("practice", OK, "the practice network starts")


def scripts() -> HealthCheck:
    """What scripts run in, and which of the system's layers hold there: a process that runs none is asked."""
    try:
        from backend.adapters.sandbox.runtime import is_kept, usual_folder  # noqa: PLC0415 - its library is large

        is_there = is_kept(usual_folder())
        command = processes.command(processes.SANDBOX, "layers")
        asked = subprocess.run(  # noqa: S603 - our own program
            command,
            cwd=Path(__file__).parents[2],
            env=processes.bare_environment(),
            capture_output=True,
            timeout=30,
            check=True,
            **own_group(),
        )
        layers = ", ".join(["process", "wasi", "restrictedpython", *json.loads(asked.stdout)])
    except OutriderError as error:
        return _failed("scripts", error)
    except (OSError, ImportError, ValueError, subprocess.SubprocessError) as error:
        return _failed("scripts", OutriderError("script_runtime_missing", detail=error))
    if not is_there and not _can_be_made(usual_folder()):
        missing = OutriderError("script_runtime_missing", detail=f"no folder can be made at {usual_folder()}")
        remedy = "Correct XDG_CACHE_HOME, if it is set, or give your user write permission there."
        return _failed("scripts", missing, remedy)
    if not is_there:
        remedy = "Run `make setup`, or wait half a minute at the first script."
        return HealthCheck("scripts", WARN, "The interpreter that scripts run in is not compiled yet.", remedy)
    return HealthCheck("scripts", OK, f"scripts run behind these layers: {layers}")


def _can_be_made(folder_path: Path) -> bool:
    """Whether a folder can be made there, or is there and can be written. Makes none."""
    there = next((parent for parent in (folder_path, *folder_path.parents) if parent.exists()), folder_path)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


OF_FOLDER: Mapping[str, Callable[[AppSettings], HealthCheck]] = {
    "data_dir": folder,
    "disk": free_space,
    "database": database,
    "instance": instance,
    "signing": signing,
}
OF_MACHINE: Sequence[Callable[[], HealthCheck]] = (
    node,
    temporary_files,
    time_zone,
    display,
    window,
    port,
    practice,
    scripts,
)


def _looked(code: str, look: Callable[[], HealthCheck]) -> HealthCheck:
    try:
        return look()
    except (OutriderError, OSError, MemoryError) as error:
        return _failed(code, as_told(error))


def _failed(code: str, error: OutriderError, remedy: str = "") -> HealthCheck:
    return HealthCheck(code, FAIL, error.sentence, remedy or error.remedy)


def _not_found(loader: str, library: Path) -> list[str]:
    try:
        listing = subprocess.run(  # noqa: S603
            [loader, library],
            capture_output=True,
            encoding="utf-8",
            timeout=_TIMEOUT_SECONDS,
            check=False,
            **own_group(),
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.split()[0] for line in listing.stdout.splitlines() if "not found" in line]

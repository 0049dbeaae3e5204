"""Chromium on this machine: which one is used, where others are installed, and who holds a profile of one."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from backend.adapters.child_processes import is_running
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import read_file, replace_file
from backend.machine.real_path import real_path

# A profile that is still held is waited for; then an orphan of ours is asked to end, then made to.
ORPHAN_ENDS_BY_ITSELF = 8.0
ORPHAN_ENDS_WHEN_ASKED = 3.0
_POLL = 0.05

VARIABLE = "OUTRIDER_BROWSER"
VERSION_SECONDS = 20.0
VERSION_LINE = re.compile(r"[^\d]*(?:chrom|edge|brave)[^\d]*[\d.]*", re.IGNORECASE)

# What a browser is called on the PATH, preferred first. Snap's is left to the end: it cannot read hidden folders.
NAMES = (
    "google-chrome", "google-chrome-stable", "chrome", "chromium", "chromium-browser",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)  # fmt: skip

# Where a browser is when it is not on the PATH; a variable that is not set makes its row vanish.
INSTALL_PATHS: dict[str, tuple[str, ...]] = {
    "linux": ("/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge", "/usr/lib/chromium/chromium"),
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "${HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        "${PROGRAMFILES}/Google/Chrome/Application/chrome.exe",
        "${PROGRAMFILES(X86)}/Google/Chrome/Application/chrome.exe",
        "${LOCALAPPDATA}/Google/Chrome/Application/chrome.exe",
        "${LOCALAPPDATA}/Chromium/Application/chrome.exe",
        "${PROGRAMFILES(X86)}/Microsoft/Edge/Application/msedge.exe",
        "${PROGRAMFILES}/Microsoft/Edge/Application/msedge.exe",
    ),
}

# Where `playwright install chromium` puts its own, and the executable inside.
PLAYWRIGHT_PATHS: dict[str, tuple[str, str]] = {
    "linux": ("${HOME}/.cache/ms-playwright", "chromium-*/chrome-linux*/chrome"),
    "darwin": ("${HOME}/Library/Caches/ms-playwright", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
    "win32": ("${LOCALAPPDATA}/ms-playwright", "chromium-*/chrome-win*/chrome.exe"),
}


def find_browser(environ: Mapping[str, str] | None = None, platform: str = sys.platform, *, chosen: str = "") -> Path:
    """The browser to use: OUTRIDER_BROWSER, the user's choice, then the first of `installed_browsers`.

    Raises `browser_unusable` when the one that is named cannot be executed, and `browser_missing` when there is none.
    """
    environ = os.environ if environ is None else environ
    if requested_program := environ.get(VARIABLE):
        if executable := shutil.which(requested_program, path=environ.get("PATH")):
            return Path(executable)
        raise OutriderError(
            "browser_unusable", program=requested_program, detail=f"{VARIABLE} names it, and it cannot be executed"
        )
    if chosen:
        if _executable(Path(chosen)):
            return Path(chosen)
        raise OutriderError("browser_unusable", program=chosen, detail="it is not there, or may not be executed")
    if (first := next(_installed(environ, platform), None)) is not None:
        return first
    raise OutriderError("browser_missing")


def installed_browsers() -> list[Path]:
    """Every browser that is found by itself, the preferred one first: the PATH, the usual places, Playwright's own."""
    browsers: dict[Path, Path] = {}
    for path in _installed(os.environ, sys.platform):
        browsers.setdefault(real_path(path), path)
    return list(browsers.values())


def browser_version(program: Path) -> str:
    """What the browser calls itself, such as "Chromium 141.0.7390.54"; raises `browser_unusable` if it is none.

    Windows' browsers open a window when they are asked, so there the version is read from the folder beside them.
    """
    if sys.platform == "win32":
        versions = sorted(path.name for path in program.parent.glob("[0-9]*.[0-9]*.[0-9]*"))
        version_text = " ".join([program.stem, *versions[-1:]])
    else:
        try:
            completed = _run(program, "--version")
            completed.check_returncode()
        except (OSError, subprocess.SubprocessError) as error:
            raise OutriderError("browser_unusable", program=program, detail="it does not start") from error
        version_text = " ".join(completed.stdout.split())[:120]
    match = VERSION_LINE.match(version_text)
    if match is None:
        raise OutriderError("browser_unusable", program=program, detail="it is no Chrome, Chromium, Edge or Brave")
    return match[0]


def why_no_start(program: Path) -> str:
    """What the browser says where it cannot even start hidden; empty if it can, or took too long to tell.

    Asked on Linux alone, whose newer releases deny a browser its sandbox that none of their packages brought. It calls nobody.
    """
    if sys.platform != "linux":
        return ""
    with tempfile.TemporaryDirectory(prefix="outrider-browser-", ignore_cleanup_errors=True) as profile:
        switches = [f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking", "--dump-dom"]
        switches += ["--proxy-server=127.0.0.1:9", "--host-resolver-rules=MAP * ~NOTFOUND"]
        switches += ["--no-sandbox"] if running_as_root() else []
        try:
            ended = _run(program, "--headless", *switches, "about:blank")
        except (OSError, subprocess.SubprocessError):
            return ""
    return (ended.stderr or f"it exited with status {ended.returncode}") if ended.returncode else ""


def _run(program: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """What it says until it ends, which it must soon; raises OSError and `subprocess.SubprocessError`."""
    return subprocess.run(  # noqa: S603 - the browser that is to be used
        [program, *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=VERSION_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": tempfile.gettempdir()},  # one in which it can make its socket
    )


def running_as_root() -> bool:
    """Then no browser has a sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _installed(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    return (path for path in _candidates(environ, platform) if _executable(path))


def _candidates(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    on_path = [Path(executable) for name in NAMES if (executable := shutil.which(name, path=environ.get("PATH")))]
    yield from (path for path in on_path if "snap" not in path.parts)
    yield from (Path(path) for row in INSTALL_PATHS.get(platform, ()) if (path := _filled(row, environ)))
    if platform in PLAYWRIGHT_PATHS:
        folder, pattern = PLAYWRIGHT_PATHS[platform]
        if root := environ.get("PLAYWRIGHT_BROWSERS_PATH") or _filled(folder, environ):
            yield from sorted(Path(root).glob(pattern), key=_revision, reverse=True)
    yield from (path for path in on_path if "snap" in path.parts)


def _filled(path: str, environ: Mapping[str, str]) -> str:
    """The path with its variable filled in, or nothing when the variable is not set."""
    variable = re.match(r"\$\{([^}]+)}", path)
    if variable is None:
        return path
    value = environ.get(variable[1], "")
    return value and value + path[variable.end() :]


def _revision(executable: Path) -> int:
    return max(
        (int(match[1]) for part in executable.parts if (match := re.fullmatch(r"chromium-(\d+)", part))), default=0
    )


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


class ProfileHolder(NamedTuple):
    """A browser process that runs on a profile; `ours` says that Playwright started it."""

    pid: int
    ours: bool


def free_profile(profile: Path, by_itself: float = ORPHAN_ENDS_BY_ITSELF) -> None:
    """Return when no browser is on the profile, else `browser_profile_in_use`.

    After an Outrider that was killed, Playwright's driver closes its browser a moment later. Two browsers on one
    profile would hand the page to the old one, so the new one waits; what does not end is ended, provided that
    its own command line says it is on this profile and driven through a pipe. A window that the user opened on the
    profile is never ended.
    """
    deadline = time.monotonic() + by_itself
    while (profile_holders := holders(profile)) or _answers(profile):
        if time.monotonic() > deadline:
            if not profile_holders or not all(holder.ours for holder in profile_holders):
                who = f"process {profile_holders[0].pid}" if profile_holders else "another program"
                raise OutriderError("browser_profile_in_use", who=who, profile=profile)
            for holder in profile_holders:
                end_process(holder.pid)
            deadline = time.monotonic() + by_itself
        time.sleep(_POLL)
    for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
        # What is left names a dead process; under a changed host name Chromium would refuse to start because of it.
        with contextlib.suppress(OSError):
            (profile / name).unlink()


def forbid_loading_ahead(profile: Path) -> None:
    """Let a page load no other before it is wanted: no route sees those requests. For a profile that no browser is on."""
    preferences, content = profile / "Default" / "Preferences", dict[str, Any]()
    # The browser begins anew, too, with what it cannot read.
    with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
        content = dict(json.loads(read_file(preferences)))
    net = content.get("net")
    content["net"] = {**(net if isinstance(net, dict) else {}), _LOADING_AHEAD: _NEVER}
    preferences.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(preferences, json.dumps(content).encode(), synced=False)


_LOADING_AHEAD, _NEVER = "network_prediction_options", 2
"""Chromium's own names for "Preload pages" of its settings, and for off."""


def holders(profile: Path) -> list[ProfileHolder]:
    """The browsers whose own command line names this profile; their helper processes are left out."""
    switch = f"--user-data-dir={profile}"
    return [
        ProfileHolder(pid, "--remote-debugging-pipe" in command)
        for pid, command in _processes()
        if re.search(re.escape(switch) + r"(?=\0| --|\s*$)", command) and "--type=" not in command
    ]


def end_process(pid: int) -> None:
    """Ask, then force; for a process that `holders` named."""
    for signal_to_send in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(OSError):  # ended already, by whichever error Windows says so, or not ours to end
            os.kill(pid, signal_to_send)
        deadline = time.monotonic() + ORPHAN_ENDS_WHEN_ASKED
        while time.monotonic() < deadline:
            if not is_running(pid):
                return
            time.sleep(_POLL)


def _processes() -> Iterator[tuple[int, str]]:
    """Each process's id and command line; words are apart by NUL on Linux, by blanks elsewhere."""
    proc = Path("/proc")
    if (proc / "self").exists():
        for folder in proc.iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    yield int(folder.name), (folder / "cmdline").read_text("utf-8", "replace")
    elif os.name == "posix":
        listing = subprocess.run(
            ["/bin/ps", "-axww", "-o", "pid=,command="],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=10,
            check=False,
        )
        for line in listing.stdout.splitlines():
            pid, _, command = line.strip().partition(" ")
            if pid.isdigit():
                yield int(pid), command


def _answers(profile: Path) -> bool:
    """Whether a browser of which the command line says nothing (another spelling, Windows) has the profile open."""
    if sys.platform == "win32":
        try:
            (profile / "lockfile").unlink(missing_ok=True)
        except PermissionError:
            return True
        return False
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(1.0)
        probe.connect(os.path.realpath(profile / "SingletonSocket"))
        return True
    return False


FILE = "browser.txt"

PROGRAM_NAME = re.compile(r"chrom|msedge|microsoft[ -]edge|brave", re.IGNORECASE)
"""What the file of every Chromium browser has in its name. Nothing else is executed to ask for its version.

The page may name any path, and a page that somebody else controls must not start just any program.
"""


class BrowserChoice:
    """The choice on a data folder; read anew at each question, so that it holds from the browser's next start."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE

    @property
    def chosen(self) -> str:
        """The chosen browser's program; "" where the choice is left to Outrider."""
        try:
            return self._path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def program(self) -> Path:
        """The browser to use; raises as `find_browser`."""
        return find_browser(chosen=self.chosen)

    def choose(self, program: str) -> None:
        """Use this one from now on, or with "" whichever is found; raises `browser_unusable`, `data_dir_unusable`."""
        if program:
            if not Path(program).is_absolute():
                raise OutriderError("browser_unusable", program=program, detail="its whole path is needed")
            if PROGRAM_NAME.search(Path(program).name) is None:
                detail = "its file is not named like Chrome, Chromium, Edge or Brave"
                raise OutriderError("browser_unusable", program=program, detail=detail)
            browser_version(find_browser({}, chosen=program))
        try:
            replace_file(self._path, f"{program}\n".encode())
        except OSError as error:
            raise OutriderError("data_dir_unusable", path=self._path.parent, detail=error.strerror or error) from error

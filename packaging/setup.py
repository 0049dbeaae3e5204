"""Makes a checkout ready to run: `python packaging/setup.py`; with `--tests` also ready to be tested and packaged.

Standard library only (nothing is installed yet); safe to repeat, and quick when nothing changed.
Every step knows whether it is up to date. Stamps live beside what they describe (`.venv`, `frontend/node_modules`), so
deleting the folder is always a way to start again.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
VENV_PYTHON = VENV_BIN / ("python.exe" if os.name == "nt" else "python")
COMMAND = VENV_BIN / ("outrider.exe" if os.name == "nt" else "outrider")
PAGE = ROOT / "frontend"
NODE_MODULES = PAGE / "node_modules"

ADMITTED = re.findall(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', (ROOT / "pyproject.toml").read_text("utf-8"))[0]
PYTHONS = range(*map(int, ADMITTED))
OLDEST_NODE = (20, 19)

# Where some of what Outrider needs is not published ready-made (cryptography, argon2): the sentence, and what to do.
WITHOUT_PACKAGES = {
    "macosx-x86_64": (
        "Outrider needs packages that are not published for Macs with an Intel processor.",
        "Use a Mac with an Apple processor, or Linux or Windows.",
    ),
    "win-arm64": (
        "Outrider needs packages that are not published for a Python made for ARM.",
        "Install Python for x64 (AMD64), which Windows on ARM runs, too: `py -V:3.11 packaging\\setup.py`.",
    ),
    "win32": (
        "Outrider needs packages that are not published for a Python of 32 bits.",
        "Install Python for x64 (AMD64).",
    ),
}

# What the Qt window needs from the system beside its wheel, and the Debian package of each.
WINDOW_LIBRARIES = {
    "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1", "libX11-xcb.so.1": "libx11-xcb1",
    "libXcomposite.so.1": "libxcomposite1", "libXdamage.so.1": "libxdamage1", "libXrandr.so.2": "libxrandr2",
    "libXtst.so.6": "libxtst6", "libasound.so.2": "libasound2", "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1", "libgbm.so.1": "libgbm1", "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2", "libnss3.so": "libnss3", "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1", "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0", "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libxkbfile.so.1": "libxkbfile1",
}  # fmt: skip

# A desktop for the tests of the window: a screen, a window manager, a user's hands, a clipboard, a message bus, a keyring.
DESKTOP_PROGRAMS = {
    "Xvfb": "xvfb", "openbox": "openbox", "xdotool": "xdotool", "wmctrl": "wmctrl", "xclip": "xclip",
    "xprop": "x11-utils", "dbus-daemon": "dbus-daemon", "gnome-keyring-daemon": "gnome-keyring",
}  # fmt: skip

# Debian's Chromium, and the same without its windows: the tests' pages are as right in it, and cost a third less. Playwright's
# own Chromium brings the like along.
DEBIAN_CHROMIUM = Path("/usr/lib/chromium/chromium")
HEADLESS_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")

# The older of the two PostgreSQLs that the shared store is tested on (the newer one is a wheel), and what checks its functions.
SERVER_FILES = {
    "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
    "/usr/share/postgresql/15/extension/plpgsql_check.control": "postgresql-15-plpgsql-check",
}


class SetupError(Exception):
    """A step that cannot be done here: a stable code, what happened, what to do."""

    def __init__(self, code: str, sentence: str, remedy: str) -> None:
        super().__init__(f"{code}: {sentence}\n  {remedy}")


class Step(NamedTuple):
    """`ready` answers with a few words when nothing is to be done; `make` does it and answers with a few words.

    `meanwhile` is said before a step that may take minutes without a word.
    """

    name: str
    ready: Callable[[], str | None]
    make: Callable[[], str]
    meanwhile: str = ""


# ── small helpers ──────────────────────────────────────────────────────────────────────────────────────────────────


def attempt(arguments: Sequence[str | Path], cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program quietly; its output is kept for the error message."""
    return subprocess.run(  # noqa: S603 - an argument list of our own, never a shell
        [str(argument) for argument in arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def demand(code: str, remedy: str, arguments: Sequence[str | Path], cwd: Path = ROOT) -> str:
    """Run a program that must succeed; the last lines of its output explain a failure."""
    done = attempt(arguments, cwd)
    if done.returncode != 0:
        tail = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-12:])
        program = Path(arguments[0]).name
        raise SetupError(code, f"{program} ended with status {done.returncode}.\n{tail}", remedy)
    return done.stdout


def digest(paths: Iterable[Path]) -> str:
    """One hash over names and contents, and over the place of the checkout (a venv cannot be moved)."""
    total = hashlib.sha256(str(ROOT).encode())
    for path in sorted(paths):
        total.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def stamps(folder: Path) -> dict[str, str]:
    try:
        content = json.loads((folder / ".outrider-setup.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def stamp(folder: Path, name: str, value: str) -> None:
    merged = json.dumps({**stamps(folder), name: value})
    (folder / ".outrider-setup.json").write_text(merged, encoding="utf-8", newline="\n")


def apt_prefix() -> list[str] | None:
    """How apt-get may be run here without asking anybody; None where it may not."""
    if shutil.which("apt-get") is None:
        return None
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo") and attempt(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n"]
    return None


def apt_install(packages: Sequence[str]) -> bool:
    prefix = apt_prefix()
    if prefix is None or not packages:
        return False
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-o", "DPkg::Lock::Timeout=120"]
    install = [*apt, "install", "--no-install-recommends"]
    if attempt([*install, *packages]).returncode == 0:
        return True
    attempt([*apt, "update"])
    if attempt([*install, *packages]).returncode == 0:
        return True
    # One name that this release does not know must not keep the others away.
    return not [package for package in packages if attempt([*install, package]).returncode != 0]


def refuse_links() -> None:
    """Raise for a folder of ours that is a link: set-up would empty what it leads to, and that may be another checkout's."""
    for folder in (VENV, NODE_MODULES):
        if folder.is_symlink():
            raise SetupError(
                "setup_folder_linked",
                f"{folder.name} is a link to {folder.resolve()}, and set-up would empty it there.",
                "Remove the link, then again; or run this checkout's tools as they are, without set-up.",
            )


# ── steps ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def python_ready() -> str | None:
    return sys.version.split()[0] if sys.version_info[1] in PYTHONS else None


def python_make() -> str:
    raise SetupError(
        "setup_python_unsupported",
        f"Outrider needs Python 3.{PYTHONS[0]} to 3.{PYTHONS[-1]}; this is {sys.version.split()[0]}.",
        "Install one and name it: `make setup PYTHON=python3.12`.",
    )


def system_ready() -> str | None:
    return None if kind_of_python() in WITHOUT_PACKAGES else kind_of_python()


def system_make() -> str:
    sentence, remedy = WITHOUT_PACKAGES[kind_of_python()]
    raise SetupError("setup_system_without_packages", sentence, remedy)


def kind_of_python() -> str:
    """The system and the processor for which this Python was made, as packages for it are named."""
    name = sysconfig.get_platform()
    # One that is made for both kinds of Mac runs as the one that it is on.
    return f"macosx-{platform.machine()}" if name.startswith("macosx") else name


def venv_ready() -> str | None:
    if not VENV_PYTHON.exists() or Path(stamps(VENV).get("root", ROOT)) != ROOT:
        return None
    question = f"import sys, pip; assert sys.version_info[1] in {PYTHONS}; print(sys.prefix)"
    answer = attempt([VENV_PYTHON, "-c", question])
    return "up to date" if answer.returncode == 0 and Path(answer.stdout.strip()) == VENV else None


def venv_make() -> str:
    if importlib.util.find_spec("ensurepip") is None:  # Debian keeps it in a package of its own
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        if not apt_install([package]):
            raise SetupError(
                "setup_venv_missing",
                "This Python cannot make virtual environments.",
                f"Run `sudo apt-get install {package}` (or your system's package for it), then again.",
            )
    demand(
        "setup_venv_failed",
        "Remove the folder .venv and try again; if it stays, reinstall Python.",
        [sys.executable, "-m", "venv", "--clear", VENV],
    )
    stamp(VENV, "root", str(ROOT))
    return "made"


APP_LOCK, TEST_LOCK = "requirements-app.lock", "requirements.lock"
"""What Outrider itself needs; that and what its tests need."""
SOURCE_ONLY = ("proxy-tools==",)
"""Not published ready-made."""


def packages_digest(lock: str) -> str:
    return digest([ROOT / lock, ROOT / "pyproject.toml"])


def packages_ready() -> str | None:
    done = stamps(VENV)
    # What was installed for the tests has all that Outrider needs.
    installed = any(done.get(lock) == packages_digest(lock) for lock in (APP_LOCK, TEST_LOCK))
    return "up to date" if COMMAND.exists() and installed else None


def test_packages_ready() -> str | None:
    return "up to date" if COMMAND.exists() and stamps(VENV).get(TEST_LOCK) == packages_digest(TEST_LOCK) else None


def packages_make() -> str:
    return install_packages(APP_LOCK)


def test_packages_make() -> str:
    return install_packages(TEST_LOCK)


def install_packages(lock: str) -> str:
    remedy = "Check the network (or pip's own configuration) and try again; what was fetched is kept."
    pip: list[str | Path] = [VENV_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    packages = re.split(r"(?m)^(?=\S)", (ROOT / lock).read_text(encoding="utf-8"))
    wheels = VENV / "wheels.lock"
    ready_made = "".join(package for package in packages if not package.startswith(SOURCE_ONLY))
    wheels.write_text(ready_made, encoding="utf-8", newline="\n")
    # Every file is checked against its hash, and what builds the one that comes as source is a locked one, too.
    demand("setup_packages_failed", remedy, [*pip, "--require-hashes", "--only-binary", ":all:", "-r", wheels])
    demand("setup_packages_failed", remedy, [*pip, "--require-hashes", "--no-build-isolation", "-r", ROOT / lock])
    demand("setup_command_failed", remedy, [*pip, "--no-build-isolation", "-e", ROOT])
    stamp(VENV, lock, packages_digest(lock))
    return "installed"


def npm() -> str:
    remedy = f"Install Node {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer with npm, then again."
    node, npm_path = shutil.which("node"), shutil.which("npm")
    if node is None or npm_path is None:
        raise SetupError("setup_node_missing", "Node or npm is not installed.", remedy)
    version = attempt([node, "--version"]).stdout.strip()
    numbers = tuple(int(part) for part in version.lstrip("v").split(".")[:2] if part.isdigit())
    if numbers < OLDEST_NODE:
        raise SetupError("setup_node_too_old", f"Node here is {version or 'not usable'}.", remedy)
    return npm_path


def page_packages_digest() -> str:
    return digest([PAGE / "package.json", PAGE / "package-lock.json"])


def page_packages_ready() -> str | None:
    return "up to date" if stamps(NODE_MODULES).get("packages") == page_packages_digest() else None


def page_packages_make() -> str:
    remedy = "Check the network (or npm's own configuration) and try again."
    # No package here needs its install script, and an unknown one shall not have one.
    demand("setup_page_packages_failed", remedy, [npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], PAGE)
    stamp(NODE_MODULES, "packages", page_packages_digest())
    return "installed"


def source_digest() -> str:
    return digest(path for path in (ROOT / "backend").rglob("*.py"))


def source_ready() -> str | None:
    written = (PAGE / "src/lib/api/generated.ts").exists()
    return "up to date" if written and stamps(NODE_MODULES).get("source") == source_digest() else None


def source_make() -> str:
    demand(
        "setup_source_failed", "Mend what is shown above in backend/, then again.",
        [VENV_PYTHON, "-m", "backend.reference", "--source"],
    )  # fmt: skip
    stamp(NODE_MODULES, "source", source_digest())
    return "written"


def page_digest() -> str:
    beside = [path for path in PAGE.iterdir() if path.is_file()]
    inside = [path for name in ("src", "public") for path in (PAGE / name).rglob("*") if path.is_file()]
    return digest([*beside, *inside])


def page_ready() -> str | None:
    built = (PAGE / "dist" / "index.html").exists()
    return "up to date" if built and stamps(NODE_MODULES).get("page") == page_digest() else None


def page_make() -> str:
    before = page_digest()
    demand("setup_page_failed", "Mend what is shown above in frontend/, then again.", [npm(), "run", "build"], PAGE)
    stamp(NODE_MODULES, "page", before)
    return "built"


def installed_browser() -> str | None:
    """The browser that Outrider itself would find."""
    answer = attempt(
        [VENV_PYTHON, "-c", "from backend.adapters.browser.chromium import find_browser; print(find_browser())"]
    )
    if answer.returncode == 0:
        return Path(answer.stdout.strip()).name
    if "browser_missing" in answer.stdout:
        return None
    raise SetupError("setup_browser_failed", answer.stdout.strip(), "Mend what is shown above, then again.")


def browser_ready() -> str | None:
    browser = installed_browser()
    return browser and f"{browser} is installed"


def sandbox_ready() -> str | None:
    question = "from backend.adapters.sandbox.runtime import is_kept, usual_folder; assert is_kept(usual_folder())"
    return "up to date" if attempt([VENV_PYTHON, "-c", question]).returncode == 0 else None


def sandbox_make() -> str:
    make = "from backend.adapters.sandbox.runtime import prepare, usual_folder; prepare(usual_folder())"
    demand("setup_sandbox_failed", "Run set-up again; its packages may be damaged.", [VENV_PYTHON, "-c", make])
    return "compiled"


def browser_make() -> str:
    if attempt([VENV_PYTHON, "-m", "playwright", "install", "chromium"]).returncode != 0:
        apt_install(["chromium"])
    if browser := installed_browser():
        return f"{browser} installed"
    raise SetupError(
        "setup_browser_missing",
        "There is no Chrome, Chromium or Edge here, and none could be installed.",
        "Install one of them (on Debian: `sudo apt-get install chromium`), then again.",
    )


def missing_window_packages() -> list[str]:
    missing = []
    for library, package in WINDOW_LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.append(package)
    return missing


def window_ready() -> str | None:
    if not sys.platform.startswith("linux"):
        return "drawn by the system"
    return None if missing_window_packages() else "up to date"


def window_make() -> str:
    apt_install(missing_window_packages())
    missing = missing_window_packages()
    if not missing:
        return "system libraries installed"
    return f"without it for now (optional); for it, run `sudo apt-get install {' '.join(missing)}`"


def missing_desktop_packages() -> list[str]:
    return [package for program, package in DESKTOP_PROGRAMS.items() if shutil.which(program) is None]


def desktop_ready() -> str | None:
    if not sys.platform.startswith("linux"):
        return "not needed"
    return None if missing_desktop_packages() else "up to date"


def desktop_make() -> str:
    apt_install(missing_desktop_packages())
    missing = missing_desktop_packages()
    if not missing:
        return "installed"
    return f"without it (only the window's own tests need it); for it, run `sudo apt-get install {' '.join(missing)}`"


def test_browser_ready() -> str | None:
    if not DEBIAN_CHROMIUM.exists():
        return "not needed"
    return "up to date" if HEADLESS_SHELL.exists() else None


def test_browser_make() -> str:
    apt_install([HEADLESS_SHELL.name])
    return "installed" if HEADLESS_SHELL.exists() else "without it (the tests use Chromium, and take longer)"


def missing_server_packages() -> list[str]:
    return [package for path, package in SERVER_FILES.items() if not Path(path).exists()]


def servers_ready() -> str | None:
    if shutil.which("apt-get") is None:
        return "the one from the wheel"
    return None if missing_server_packages() else "up to date"


def servers_make() -> str:
    apt_install(missing_server_packages())
    missing = missing_server_packages()
    if not missing:
        return "installed"
    return (
        f"without it (only tests of the shared store need it); for it, run `sudo apt-get install {' '.join(missing)}`"
    )


STEPS = (
    Step("python", python_ready, python_make),
    Step("system", system_ready, system_make),
    Step("environment", venv_ready, venv_make),
    Step("packages", packages_ready, packages_make, "downloading more than 1 GB, which takes minutes … "),
    Step("page packages", page_packages_ready, page_packages_make, "downloading … "),
    Step("page's types", source_ready, source_make),
    Step("page", page_ready, page_make, "building … "),
    Step("browser", browser_ready, browser_make),
    Step("sandbox", sandbox_ready, sandbox_make),
    Step("window", window_ready, window_make),
)

TEST_STEPS = (
    Step("test packages", test_packages_ready, test_packages_make, "downloading … "),
    Step("test desktop", desktop_ready, desktop_make),
    Step("test browser", test_browser_ready, test_browser_make),
    Step("test servers", servers_ready, servers_make),
)
"""What only tests and packaging need."""


def main(arguments: Sequence[str] = ()) -> int:
    say = sys.stdout.write
    try:
        refuse_links()
        for step in (*STEPS, *TEST_STEPS) if "--tests" in arguments else STEPS:
            words = step.ready()
            if words is None:
                say(f"{step.name:<14} {step.meanwhile}")
                sys.stdout.flush()
                began = time.monotonic()
                say(f"{step.make()} ({time.monotonic() - began:.1f} s)\n")
            else:
                say(f"{step.name:<14} {words}\n")
    except SetupError as error:
        say("failed\n")
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

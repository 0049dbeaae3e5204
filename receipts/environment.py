"""The other engines' own environment, in `.receipts/` beside the checkout's: pinned packages, and Restate's server."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".receipts"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
RESTATE_SERVER = "@restatedev/restate-server@1.7.12"


def python() -> Path:
    """The environment's Python, made and filled if that has not been done for these requirements."""
    program = FOLDER / "venv" / "bin" / "python"
    installed = FOLDER / "installed.txt"
    if not installed.exists() or installed.read_text("utf-8") != REQUIREMENTS.read_text("utf-8"):
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "venv"], check=True)
        quiet = ["--quiet", "--disable-pip-version-check"]
        subprocess.run([program, "-m", "pip", "install", *quiet, "-r", REQUIREMENTS], check=True)
        shutil.copyfile(REQUIREMENTS, installed)
    return program


def versions(program: Path, packages: Iterable[str]) -> dict[str, str]:
    """What is installed of them."""
    code = "import sys, importlib.metadata as m; print(*(m.version(p) for p in sys.argv[1:]), sep='\\n')"
    output = subprocess.run([program, "-c", code, *packages], check=True, capture_output=True, text=True).stdout
    return dict(zip(packages, output.split(), strict=True))


def restate_server() -> Path | None:
    """Restate's server, from its npm package without its install scripts; None if it cannot be had."""
    npm = shutil.which("npm")
    if not list(_servers()) and npm is not None:
        FOLDER.mkdir(exist_ok=True)
        arguments = ["install", "--prefix", str(FOLDER), "--no-save", "--ignore-scripts", "--silent", RESTATE_SERVER]
        subprocess.run([npm, *arguments], check=False)
    return next(_servers(), None)


def _servers() -> Iterator[Path]:
    yield from (FOLDER / "node_modules" / "@restatedev").glob("restate-server-*/bin/restate-server")

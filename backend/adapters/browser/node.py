"""Node.js, which Playwright drives the browser with: its own where that comes along, else one that is installed."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from backend.adapters.child_processes import own_group
from backend.domain.values.errors import OutriderError

OLDEST_NODE = 20
PACKAGED_NODE = Path("/usr/lib/outrider-node/node")
"""Where Debian's package `outrider-node` puts it."""
SYSTEM_NODE = Path("/usr/bin/node")
VARIABLE = "PLAYWRIGHT_NODEJS_PATH"
"""Playwright's own name for a Node other than the one it brings."""
_TIMEOUT_SECONDS = 20.0


def prepare_environment() -> None:
    """Tell Playwright which Node to start, unless it has its own, and leave it nothing that keeps it or the browser from starting.

    NODE_OPTIONS is meant for the user's own programs. Raises `node_missing`.
    """
    if (node := find_node(os.environ)) is not None:
        os.environ[VARIABLE] = str(node)
    os.environ.pop("NODE_OPTIONS", None)
    if "TMPDIR" in os.environ:
        os.environ["TMPDIR"] = tempfile.gettempdir()  # another, where no file can be made in that


def find_node(
    environ: Mapping[str, str], own: Path | None = None, installed: tuple[Path, ...] = (PACKAGED_NODE, SYSTEM_NODE)
) -> Path | None:
    """The Node to use in place of Playwright's own (`own`); None where that is there. Raises `node_missing`.

    First the one that PLAYWRIGHT_NODEJS_PATH names, as it is; then `outrider-node`'s, the first on the PATH that is new enough, the
    system's.
    """
    if chosen := environ.get(VARIABLE):
        return Path(chosen)
    if (own or _own_node()).exists():
        return None
    packaged, system = installed
    for candidate in (packaged, *_on_path(environ.get("PATH", "")), system):
        if is_new_enough(node_version(candidate)):
            return candidate
    raise OutriderError("node_missing")


def node_version(program: Path | None) -> str:
    """What a Node says its version is ("20.11.1"); nothing when there is none or it does not run. None: Playwright's own."""
    program = program or _own_node()
    if not program.is_file():
        return ""
    try:
        completed = subprocess.run(  # noqa: S603 - a Node of this machine
            [program, "--version"],
            capture_output=True,
            encoding="utf-8",
            timeout=_TIMEOUT_SECONDS,
            check=True,
            **own_group(),
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    output: str = completed.stdout
    return output.strip().removeprefix("v")


def is_new_enough(version: str) -> bool:
    """Whether Playwright's driver runs on this version."""
    major = version.partition(".")[0]
    return major.isdecimal() and int(major) >= OLDEST_NODE


def _own_node() -> Path:
    playwright = find_spec("playwright")  # where it is; nothing of it is imported
    if playwright is None or playwright.origin is None:
        raise OutriderError("node_missing")
    return Path(playwright.origin).parent / "driver" / ("node.exe" if os.name == "nt" else "node")


def _on_path(path: str) -> Iterator[Path]:
    for folder in path.split(os.pathsep):
        if folder and (node := shutil.which("node", path=folder)):
            yield Path(node)

"""A Debian package on this machine: installed, looked at, removed; and programs started with nothing of ours around them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIVILEGE = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
# Where a package may put something, less what the package manager itself and other programs write all the time.
PLACES = ("/etc", "/opt", "/usr", "/var")
BUSY = ("/var/cache", "/var/log", "/var/lib/apt", "/var/lib/dpkg", "/var/tmp", "__pycache__")


def dpkg(*arguments: str) -> str:
    done = subprocess.run([*PRIVILEGE, "dpkg", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed_packages() -> list[str]:
    """Those of ours that are there, in the order in which they can be removed."""
    return [
        name
        for name in ("outrider", "outrider-node")
        if subprocess.run(["dpkg-query", "--status", name], capture_output=True, check=False).returncode == 0
    ]


def everything() -> set[str]:
    """Every path in PLACES."""
    command = [*PRIVILEGE, "find", *PLACES, "-xdev", "-print0"]
    listing = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return {path for path in os.fsdecode(listing.stdout).split("\0") if not any(part in path for part in BUSY)}


def descendants(pid: int) -> dict[int, Path]:
    """Every living process below `pid`, and its program."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    programs: dict[int, Path] = {}
    waiting = [pid]
    while waiting:
        above = waiting.pop()
        for child in [process for process, parent in parents.items() if parent == above]:
            waiting.append(child)
            try:
                programs[child] = Path(f"/proc/{child}/exe").readlink()
            except OSError:
                continue  # it has just ended
    return programs


@contextmanager
def screen() -> Iterator[str]:
    """A display of its own (Xvfb); its name."""
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()

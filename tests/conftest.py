"""What all tests share."""

import atexit
import gc
import ipaddress
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import expect

from backend.machine import settings as app_settings
from backend.store.database import Database
from tests.chromium import CHROMIUM
from tests.fakes import made_once
from tests.patience import SOON

pytest_plugins = (
    "tests.posix_mark",
    "tests.postgres",
    "tests.fakes.stages",
    "tests.fakes.model_servers",
    "tests.cli.rehearsed",
)

# A busy machine must not make a slow example or a slow page look like a wrong one.
settings.register_profile("thorough", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("quick")
expect.set_options(timeout=SOON)

MEMORY = Path("/dev/shm")
"""A disk of memory, on Linux."""
ROOM = 8_000_000_000
"""Bytes: several times what the tests that run beside each other hold at once."""


def _keep_temporary_files_in_memory() -> None:
    """A disk is waited for at each commit, and no test pulls the plug: a killed process's writes outlive it anyway."""
    if sys.platform != "linux" or "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    disk = os.statvfs(MEMORY)
    if disk.f_bavail * disk.f_frsize >= ROOM and not disk.f_flag & os.ST_NOEXEC and os.access(MEMORY, os.W_OK):
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


_keep_temporary_files_in_memory()


def _keep_accounts_here() -> None:
    """No test holds an account that the user's own data folders, or another worker's tests, would act by."""
    folder = tempfile.mkdtemp(prefix="outrider-accounts-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["OUTRIDER_ACCOUNTS_DIR"] = folder
    # For settings that are read from another environment.
    setattr(app_settings, "user_state_path", lambda *_, **__: Path(folder))  # noqa: B010 - it is not its own name


_keep_accounts_here()

# Build servers forbid Python to keep what it compiled; then each of our thousand processes would compile everything again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    """No test reaches past this machine: a real model, or a real network, would be asked for real."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
    elif event == "socket.getaddrinfo":
        host = arguments[0].decode() if isinstance(arguments[0], bytes) else str(arguments[0] or "localhost")
    else:
        return
    if host != "localhost" and not _loopback(host):
        raise PermissionError(f"a test wanted to reach {host}")


def _loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


sys.addaudithook(_stay_here)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected lives as long as the process: no search for garbage looks through a million objects of it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)  # a test leaves little, and each search costs
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """A worker tells only what is printed: each message costs as much as a small test."""
    worker: Any = session.config.pluginmanager.get_plugins()
    worker = next((plugin for plugin in worker if hasattr(plugin, "sendevent")), None)
    if worker is None or session.config.option.durations is not None:
        return
    tell = worker.sendevent

    def tell_what_is_printed(name: str, **facts: Any) -> None:
        passed = name == "testreport" and facts["data"]["outcome"] == "passed" and facts["data"]["when"] != "call"
        if not passed and name not in {"logstart", "logfinish"}:
            tell(name, **facts)

    worker.sendevent = tell_what_is_printed


STARTING_PROGRAMS = ("tests/bridge/", "tests/cli/", "tests/crash/", "tests/e2e/", "tests/runtime/sync/")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin each worker's share with what takes long, and make the one rehearsal where its tests are.

    Workers are given equal runs of the list, and take over each other's last tests: none of these should be long, and
    nobody should wait for a rehearsal that another worker makes.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    long: dict[str, list[pytest.Item]] = {}
    quick: list[pytest.Item] = []
    for item in items:
        if "rehearsed" in getattr(item, "fixturenames", ()):
            long.setdefault("rehearsed", []).append(item)
        elif item.nodeid.startswith(STARTING_PROGRAMS):
            long.setdefault(item.nodeid.partition("::")[0], []).append(item)
        else:
            quick.append(item)
    files, left = list(long.values()), len(items)
    items.clear()
    for worker in range(workers):
        share = [item for file in files[worker::workers] for item in file]
        room = left // (workers - worker)
        more = max(0, room - len(share))
        items += share + quick[:more]
        del quick[:more]
        left -= room
    items += quick


Database.__init__ = made_once.copy_empty_one  # type: ignore[assignment, method-assign]


@pytest.fixture
def made_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """New databases are made by the schema's steps, as the product makes them."""
    monkeypatch.setattr(Database, "__init__", made_once.make_by_steps)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one."""
    return {**browser_type_launch_args, **CHROMIUM}

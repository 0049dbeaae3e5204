"""The mark `posix`: where there is no POSIX its tests are left out, and the last lines of a run say how many."""

import sys
from typing import Any

import pytest

from tests import posix

has_posix = sys.platform != "win32"
_LEFT_OUT = pytest.StashKey[int]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    posix.unmarked[:] = [] if item.get_closest_marker("posix") else [item.nodeid]
    try:
        return (yield)
    finally:
        posix.unmarked.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if has_posix:
        return
    left_out = [item for item in items if item.get_closest_marker("posix")]
    items[:] = [item for item in items if not item.get_closest_marker("posix")]
    config.hook.pytest_deselected(items=left_out)
    config.stash[_LEFT_OUT] = len(left_out)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells its number to the process that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left_out := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"left out, because they need POSIX: {left_out}")

"""A pytest plugin by which coverage knows which test runs a line, in whichever thread or fixture."""

from collections.abc import Generator

import pytest
from coverage import Coverage


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """From here on, the lines are this test's."""
    if (measuring := Coverage.current()) is not None:
        measuring.switch_context(item.nodeid.partition("[")[0])
    return (yield)

"""What all tests share."""

import ipaddress
import sys
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import expect

from tests.chromium import CHROMIUM
from tests.patience import SOON

pytest_plugins = ("tests.postgres", "tests.fakes.stages", "tests.cli.rehearsed")

# A busy machine must not make a slow example or a slow page look like a wrong one.
settings.register_profile("outrider", deadline=None)
settings.load_profile("outrider")
expect.set_options(timeout=SOON)


def _stay_here(event: str, given: tuple[Any, ...]) -> None:
    """No test reaches past this machine: a real model, or a real network, would be asked for real."""
    if event == "socket.connect" and isinstance(given[1], tuple):
        host = str(given[1][0])
    elif event == "socket.getaddrinfo":
        host = given[0].decode() if isinstance(given[0], bytes) else str(given[0] or "localhost")
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


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one."""
    return {**browser_type_launch_args, **CHROMIUM}

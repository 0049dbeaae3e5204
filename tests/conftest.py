"""What all tests share."""

from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import expect

from tests.chromium import CHROMIUM

# A busy machine must not make a slow example or a slow page look like a wrong one.
settings.register_profile("outrider", deadline=None)
settings.load_profile("outrider")
expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one."""
    return {**browser_type_launch_args, **CHROMIUM}

"""What all tests share."""

import shutil
from typing import Any

import pytest
from hypothesis import settings

# A busy machine must not make a slow example look like a wrong one.
settings.register_profile("outrider", deadline=None)
settings.load_profile("outrider")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium where there is one; its sandbox cannot be had as root."""
    system = shutil.which("chromium")
    args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    return {**browser_type_launch_args, "args": args, **({"executable_path": system} if system else {})}

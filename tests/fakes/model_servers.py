"""A model's server for each test that asks for one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fakes.model_server import ModelServer


@pytest.fixture
def server() -> "Iterator[ModelServer]":
    """A model's server on this machine."""
    from tests.fakes.model_server import ModelServer  # noqa: PLC0415 - most tests need none

    server = ModelServer()
    yield server
    server.close()

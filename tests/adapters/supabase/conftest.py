"""Our client before the stand-in for a hosted project."""

from collections.abc import Iterator

import pytest

from tests.postgres import Project
from tests.supabase.signed_in import Devices, hosted


@pytest.fixture
def devices(project: Project) -> Iterator[Devices]:
    """Devices of a project of this test's own."""
    with hosted(project.url("authenticator")) as made:
        yield made

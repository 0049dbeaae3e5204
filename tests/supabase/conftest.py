"""Every test here runs on both versions of PostgreSQL."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.postgres import Project
from tests.supabase.tenant import ALICE, Tenant, signed_in


@pytest.fixture(params=[17, 15])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    """A project of this test's own."""
    server = request.getfixturevalue(f"postgres_{request.param}")
    with server.database() as database:
        yield Project(server, database)


@pytest.fixture
def alice(project: Project) -> Iterator[Tenant]:
    """A signed-in user."""
    with signed_in(project, ALICE) as tenant:
        yield tenant


@pytest.fixture
def admin(project: Project) -> Iterator[psycopg.Connection]:
    """The superuser, who sees everything."""
    with psycopg.connect(project.url(), autocommit=True) as connection:
        yield connection

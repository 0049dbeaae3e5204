"""Every test here runs on both versions of PostgreSQL; each has a user of its own, in a project that all share."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from tests.postgres import Project
from tests.supabase.tenant import Tenant, signed_in


@pytest.fixture(scope="session", params=[17, 15])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    """A project with our schema."""
    server = request.getfixturevalue(f"postgres_{request.param}")
    with server.database() as database:
        yield Project(server, database)


@pytest.fixture
def alice(project: Project) -> Iterator[Tenant]:
    """A signed-in user who has nothing yet."""
    with signed_in(project, uuid4()) as tenant:
        yield tenant


@pytest.fixture
def admin(project: Project) -> Iterator[psycopg.Connection]:
    """The superuser, who sees everything."""
    with psycopg.connect(project.url(), autocommit=True) as connection:
        yield connection

"""Fixtures of several files."""

import pytest

from tests.fakes.campaign import Stage
from tests.fakes.proved import campaign_proof


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A portable proof of two invitations."""
    folder = tmp_path_factory.mktemp("proved")
    stage = Stage(folder)
    try:
        return campaign_proof(stage, folder)
    finally:
        stage.close()

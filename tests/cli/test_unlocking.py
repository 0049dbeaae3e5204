"""A command that needs a key of a locked vault asks for the passphrase in the terminal, unseen; elsewhere it says why it cannot."""

from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.machine.settings import AppSettings
from backend.ports.credentials import Secret
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.cli.outrider import Outrider, Terminal, WithoutBrowser
from tests.fakes.model_server import ModelServer
from tests.fakes.vault import Machine

KEY = "sk-canary-90aa"
PASSPHRASE = "four words that stay"
RUN = ("--wait", "--headless")


@pytest.fixture
def outrider(tmp_path: Path) -> Outrider:
    return WithoutBrowser(tmp_path / "data")


@pytest.fixture
def campaign(outrider: Outrider, server: ModelServer) -> str:
    """A rehearsal by a model whose key is sealed under a passphrase."""
    machine = Machine(outrider.data_dir, None)
    machine.keys.unlock(PASSPHRASE)
    machine.keys.put("tiny", Secret(KEY))
    machine.database.close()
    model = Connection(
        id="tiny", name="Tiny", provider=Provider.LLAMA_CPP, base_url=f"{server.url}/v1", model="tiny", key="tiny"
    )
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        campaign_id = find_or_create_rehearsal(workspace, None, 1)
        workspace.commands().models.save(model)
        workspace.commands().models.choose(campaign_id, "tiny")
    return campaign_id


def test_without_a_terminal_it_says_why(outrider: Outrider, campaign: str) -> None:
    assert outrider("run", campaign, *RUN, "--json").code == "vault_locked"


@pytest.mark.posix
def test_in_a_terminal_it_asks_unseen_until_the_vault_opens(
    outrider: Outrider, campaign: str, server: ModelServer
) -> None:
    terminal = Terminal(outrider, "run", campaign, *RUN)
    try:
        terminal.expect("Passphrase:")
        terminal.type("not this one at all\r")
        terminal.expect("The passphrase is wrong.")
        terminal.expect("Passphrase:")
        terminal.type(f"{PASSPHRASE}\r")
        terminal.until("the model is asked", lambda: server.requests)
        assert f"Bearer {KEY}" in server.requests[0][1].values()
        terminal.type("\x03")
        terminal.end()
        for secret in (PASSPHRASE, "not this one", KEY):
            assert secret not in terminal.seen
    finally:
        terminal.close()

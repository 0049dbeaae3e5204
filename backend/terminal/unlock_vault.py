"""A command that needs a key while the vault is locked: the passphrase is asked for in the terminal, unseen."""

import getpass
import sys

from backend.app.wiring import Workspace
from backend.domain.values.errors import OutriderError
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import models
from backend.terminal.output import TerminalOutput


def unlock_vault(output: TerminalOutput, workspace: Workspace, campaign_id: str) -> None:
    """Ask until the vault gives the key of the campaign's model. Raises `vault_locked` where there is nobody to ask."""
    with workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
        model = models.model_connection(connection, campaign.proposer) if campaign else None
    if model is None or not model.key:
        return
    while True:
        try:
            workspace.keys.get(model.key)
        except OutriderError as error:
            needs = workspace.keys.vault_status().needs
            if needs == "nothing" or not output.interactive:
                raise
            output.note(error.sentence)
        else:
            return
        passphrase = getpass.getpass("Passphrase: ", sys.stderr)
        code = getpass.getpass("Recovery code: ", sys.stderr) if needs == "passphrase_and_code" else None
        try:
            workspace.keys.unlock(passphrase, code)
        except OutriderError as error:
            output.note(f"{error.sentence} {error.remedy}")

"""Written consent in the terminal: read the text, type the sentence, withdraw it."""

from backend.adapters.clocks import SystemClock
from backend.app.wiring import Workspace, open_workspace
from backend.domain.gates.consent import CONSENT_SENTENCE, CONSENT_TEXT, Consent
from backend.domain.model.channel import DRIVE, find_channel
from backend.domain.model.days import local_date
from backend.machine.settings import AppSettings
from backend.store.queries.people import consents
from backend.terminal.output import TerminalOutput, require_terminal


def show_consent(output: TerminalOutput, settings: AppSettings) -> None:
    """The text, and whether there is consent to it."""
    with open_workspace(settings) as workspace:
        _tell(output, given_consent(workspace))


def give_consent(output: TerminalOutput, settings: AppSettings) -> None:
    """Show the text and ask for the sentence. Raises `not_interactive` and `consent_not_typed`."""
    with open_workspace(settings) as workspace:
        if given_consent(workspace) is None:
            ask_for_consent(output, workspace)
        _tell(output, given_consent(workspace))


def withdraw_consent(output: TerminalOutput, settings: AppSettings) -> None:
    """Withdraw it; nothing if there is none."""
    with open_workspace(settings) as workspace:
        workspace.commands().consents.withdraw()
        _tell(output, given_consent(workspace))


def ask_for_consent(output: TerminalOutput, workspace: Workspace) -> None:
    """Only somebody at a terminal can consent: a script would consent for nobody."""
    require_terminal(output, "consent in the window, under Settings, LinkedIn Drive")
    output.note(CONSENT_TEXT)
    output.note(f"\nTo consent, type: {CONSENT_SENTENCE}")
    workspace.commands().consents.give(input("> "))


def given_consent(workspace: Workspace) -> Consent | None:
    """The consent that holds for LinkedIn."""
    return workspace.database.query(consents.consent, find_channel(DRIVE).account)


def _tell(output: TerminalOutput, consent: Consent | None) -> None:
    if consent is None:
        lines = [
            "No consent: Outrider reads and clicks nothing on LinkedIn. Read the terms and consent with `outrider consent give`."
        ]
    else:
        day = local_date(consent.created_at, SystemClock().offset)
        lines = [f"Consent given on {day}: “{consent.typed}”", "Withdraw it with `outrider consent withdraw`."]
    output.result([CONSENT_TEXT, "", *lines], {"consent": consent.model_dump() if consent else None})

"""`log verify` and `proof` on a machine with a keychain: what was signed is told, and what was edited since is named."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.events.events import Event
from backend.domain.model.campaign import Settings
from backend.domain.model.message import SendOutcome
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.terminal import proofs
from backend.terminal.output import TerminalOutput
from tests.fakes.clock import START
from tests.fakes.keychain import MemoryKeyring, keychain_of, no_keychain
from tests.fakes.proved import SCRIPT

OUTCOME = {"status": SendOutcome.SENT, "said": "", "settled_at": START}
INTENT = {
    "turn": 1, "account": "me", "family": "withdraw", "tool": "x", "params": {}, "status": "intended", "intended_at": START,
    "message_id": None,
}  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppSettings:
    """A data folder on a machine with a keychain."""
    keyring = MemoryKeyring()
    monkeypatch.setattr("backend.app.wiring.Keychain", lambda: keychain_of(keyring))
    return AppSettings(tmp_path, "", 10)


@pytest.fixture
def campaign(settings: AppSettings) -> str:
    """A campaign that did something, closed and so signed."""
    with open_workspace(settings) as workspace:
        workspace.open_signer()
        made = workspace.commands().campaigns.create(
            "Talk", "To talk.", site="practice", account="me", settings=Settings()
        )
        for number in range(2):
            events = [Event("ActionIntended", f"a{number}", INTENT), Event("ActionSettled", f"a{number}", OUTCOME)]
            workspace.journal.record(made, events=events, actor="agent", cause="t1", at=START)
    return made


def test_logs_are_signed_to_their_end_and_say_so(
    settings: AppSettings, campaign: str, capsys: pytest.CaptureFixture[str]
) -> None:
    proofs.log_verify(TerminalOutput(), settings, campaign)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[-2:] for line in lines] == [["sound", "signed"]] * 2
    proofs.log_verify(TerminalOutput(as_json=True), settings, campaign)
    (signed,) = json.loads(capsys.readouterr().out.splitlines()[-1])["signatures"]
    assert (signed["campaign"], signed["held"], len(signed["key"])) == (campaign, 2, 24)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("UPDATE log_signatures SET signature=zeroblob(64)", "log_signature_broken"),
        ("DELETE FROM log_signatures", "log_signature_missing"),
    ],
)
def test_an_edited_and_a_removed_signature_are_told(
    settings: AppSettings, campaign: str, change: str, code: str
) -> None:
    with sqlite3.connect(settings.database) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(OutriderError) as refused:
        proofs.log_verify(TerminalOutput(as_json=True), settings, campaign)
    assert refused.value.code == code
    assert campaign in refused.value.sentence


def test_a_proof_is_written_once_its_personal_data_is_accepted_and_never_over_a_file(
    settings: AppSettings, campaign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "proof.html", TerminalOutput(as_json=True)
    with pytest.raises(OutriderError) as refused:
        proofs.export_proof(output, settings, campaign, file, accepted=False)
    assert refused.value.code == "proof_not_accepted"
    assert not file.exists()
    proofs.export_proof(output, settings, campaign, file, accepted=True)
    heard = capsys.readouterr()
    assert "personal" not in heard.out
    assert heard.err.count("names, profile addresses and messages") == 2
    done = subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:8]) == (0, "VERIFIED"), done.stdout
    with pytest.raises(OutriderError) as refused:
        proofs.export_proof(output, settings, campaign, file, accepted=True)
    assert refused.value.code == "export_failed"


def test_without_a_keychain_campaigns_go_on_unsigned_and_a_proof_is_refused_by_name(
    settings: AppSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("backend.app.wiring.Keychain", no_keychain)
    with open_workspace(settings) as workspace:
        made = workspace.commands().campaigns.create(
            "Talk", "To talk.", site="practice", account="me", settings=Settings()
        )
        events = [Event("ActionIntended", "a1", INTENT), Event("ActionSettled", "a1", OUTCOME)]
        workspace.journal.record(made, events=events, actor="agent", cause="t1", at=START)
    proofs.log_verify(TerminalOutput(), settings, made)
    text = capsys.readouterr().out
    assert text.count("not signed") == 2
    assert "Not signed: " in text
    assert "passphrase" in text, "what to do about it"
    monkeypatch.setattr("backend.app.wiring.Keychain", lambda: keychain_of(MemoryKeyring()))
    proofs.log_verify(TerminalOutput(), settings, made)
    assert "Not signed yet: what is there is signed when" in capsys.readouterr().out
    monkeypatch.setattr("backend.app.wiring.Keychain", no_keychain)
    with pytest.raises(OutriderError) as refused:
        proofs.export_proof(TerminalOutput(), settings, made, tmp_path / "p.html", accepted=True)
    assert refused.value.code == "signer_unavailable"
    assert "passphrase" in refused.value.sentence
    assert "In a terminal, `outrider proof` asks for it" in refused.value.remedy
    # and so it is: whoever is there is asked, and what is given makes the key
    monkeypatch.setattr(TerminalOutput, "interactive", property(lambda _: True))
    passphrases = iter(["short", "correct horse battery staple"])
    monkeypatch.setattr("getpass.getpass", lambda *_: next(passphrases))
    proofs.export_proof(TerminalOutput(), settings, made, tmp_path / "p.html", accepted=True)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "p.html")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:8]) == (0, "VERIFIED"), done.stdout

"""A proof that is exported holds without Outrider; what was changed in it, or breaks a rule, is named."""

import contextlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from backend.adapters.files.evidence import EvidenceStore
from backend.domain.erasure.remains import lesser
from backend.domain.events.events import AuditEntry
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.runtime.copies import portable_proof
from backend.runtime.copies.portable_proof import proof_page
from backend.store.log.journal import Journal
from tests.fakes.campaign import Stage
from tests.fakes.proved import (
    SCRIPT,
    TAMPERED,
    WRITTEN,
    campaign_proof,
    data_of,
    edited,
    events_of,
    verifier,
    written_proof,
)


def problems(page: bytes) -> list[tuple[str, str]]:
    script = verifier()
    text = page.decode()
    checked = script.Proof(script.block(text, "proof"), script.block(text, "seal"))
    checked.check()
    problems: list[tuple[str, str]] = checked.problems
    return problems


@pytest.mark.parametrize("python", [[sys.executable], [sys.executable, "-I", "-S"]], ids=["cryptography", "plain"])
def test_the_script_verifies_an_honest_file_and_no_other_without_our_code(
    tmp_path: Path, proof: bytes, python: list[str]
) -> None:
    def check(page: bytes) -> "subprocess.CompletedProcess[str]":
        file = tmp_path / "proof.html"
        file.write_bytes(page)
        return subprocess.run(
            [*python, str(SCRIPT), str(file)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    honest, changed = check(proof), check(edited(proof, TAMPERED["another text"][0]))
    assert honest.returncode == 0, honest.stdout + honest.stderr
    assert honest.stdout.startswith("VERIFIED")
    assert honest.stdout.count("sent; approved") == 2
    assert changed.returncode == 1
    assert "NOT VERIFIED" in changed.stdout
    assert check(b"<html></html>").returncode == 2


@pytest.mark.parametrize("name", TAMPERED)
def test_whatever_is_changed_in_the_file_is_named(proof: bytes, name: str) -> None:
    change, where, what = TAMPERED[name]
    named = problems(edited(proof, change))
    assert where in named[0][0]
    assert what in named[0][1]


def test_a_changed_byte_anywhere_in_the_data_is_noticed(proof: bytes) -> None:
    text = verifier().block(proof.decode(), "proof")
    for at in range(0, len(text), len(text) // 20):
        other = text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]
        with contextlib.suppress(ValueError):  # no JSON any more
            assert problems(proof.decode().replace(text, other).encode()), text[at - 20 : at + 20]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_log_that_tells_of_a_broken_rule_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    named = problems(written_proof(tmp_path, name))
    assert tuple(what for _, what in named) == WRITTEN[name][1]
    assert all(where.startswith("event ") for where, _ in named)


def test_what_an_export_confirmed_is_listed_beside_the_users_word_with_its_date(tmp_path: Path) -> None:
    file = tmp_path / "proof.html"
    file.write_bytes(written_proof(tmp_path, "confirmed by an export"))
    confirmed = events_of(data_of(file.read_bytes()), "ActionConfirmed")[0][1]
    run = subprocess.run([sys.executable, str(SCRIPT), str(file)], capture_output=True, encoding="utf-8", check=True)
    assert "sent, as the user reported; approved" in run.stdout
    assert f'confirmed by LinkedIn\'s export, read {verifier().when(confirmed)}: "Hello."' in run.stdout


def test_it_holds_no_words_but_those_of_the_messages(proof: bytes) -> None:
    data = data_of(proof)
    shown = {event[2] for stream in data["streams"].values() for event in stream["events"] if event[9] is not None}
    assert "LeadImported" not in shown
    assert "LeadScored" not in shown
    assert events_of(data, "LeadImported")
    assert all(audit[7] is None for stream in data["streams"].values() for audit in stream["audits"])
    assert len(data["evidence"]) == 1


def test_there_is_no_proof_without_a_key(tmp_path: Path, stage: Stage) -> None:
    journal: Journal = stage.journal
    with pytest.raises(OutriderError) as refused:
        b"".join(proof_page(journal, "any", lambda _: b"", 0))
    assert refused.value.code == "signer_unavailable"


@pytest.mark.parametrize("meanwhile", ["a turn", "an erasure"])
def test_what_is_recorded_while_it_is_made_spoils_no_proof(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    campaign_proof(stage, tmp_path)
    campaign, journal, signed = stage.one("SELECT id FROM campaigns"), stage.journal, list[int]()
    sign_heads, lead = journal.sign_heads, stage.one("SELECT lead_id FROM messages LIMIT 1")

    def overtaken(at: int) -> None:
        sign_heads(at)
        signed.append(at)
        if len(signed) < 3 and meanwhile == "a turn":
            stage.note_elsewhere(campaign, audits=[AuditEntry("turn", {"number": len(signed)})])
        elif len(signed) == 1:
            stage.elsewhere(lambda user: user.people.erase(campaign, lead))

    monkeypatch.setattr(journal, "sign_heads", overtaken)
    evidence = EvidenceStore(tmp_path / "evidence")
    page = b"".join(proof_page(journal, campaign, evidence.read, stage.clock.now()))
    assert problems(page) == []


REMAINS = [
    {"content": "Omar met (erased)", "n": 3, "in_file": 0}, {"content": "(erased) met Lena", "n": None}, {"content": ""},
    {"content": 'Zo\u00eb said \\"no\\"\\n\U0001f600 \ud800 \x7f \x00', "n": 20},
    {"content": ["Omar", {"b": "x", "10": 1, "9": None}]}, {"content": ["Lena", {"b": "x", "10": 2, "9": 1}]},
    {"content": 'Zo\u00eb said \\"(erased)\\"\\n\U0001f600 \ud800 \x7f \x00', "n": 4},
    {"content": {"Omar Haddad": None, "p0@x.y": 1}}, {"content": {"(erased)": 1, "(erased) (erased)": None}},
    {"content": {}, "member_key": "erased-1"}, {"content": "C:\\new", "member_key": "deleted-1"}, {"member_key": "zz"}, {},
]  # fmt: skip
PAIRS = [(canonical(remains), canonical(other)) for remains in REMAINS for other in REMAINS]


def test_the_script_combines_what_two_erasures_leave_as_the_log_does() -> None:
    script = verifier()
    assert [script.lesser(*pair) for pair in PAIRS] == [lesser(*pair) for pair in PAIRS]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_page_combines_what_two_erasures_leave_as_the_log_does() -> None:
    source = (Path(portable_proof.__file__).with_name("proof_page") / "verify.js").read_text(encoding="utf-8")
    functions = source[: source.index("class Proof")]
    program = f"{functions}\nconsole.log(JSON.stringify({json.dumps(PAIRS)}.map((pair) => lesser(...pair))))"
    run = subprocess.run(["node", "-e", program], capture_output=True, text=True, encoding="utf-8", check=True)
    assert json.loads(run.stdout) == [lesser(*pair) for pair in PAIRS]

"""The logs are signed where they end; what was edited, removed or forged since does not verify any more."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.domain.events.facts.message import ActionSettled
from backend.domain.events.signature import key_id, next_key_message
from backend.domain.model.message import SendOutcome
from backend.ports.signer import Signer
from backend.store.database import Database
from backend.store.log.heads_file import LogHeads
from backend.store.log.journal import Journal
from backend.store.log.log_signer import LogSigner
from backend.store.log.signatures import last_signature, signatures, signing_keys
from backend.store.log.verification import SignatureReport, verify_signatures
from backend.store.replication import replica
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds
from tests.fakes.sealed import OpenFiles
from tests.fakes.signers import StubSigner
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, write


def opened(path: Path, signer: Signer) -> Journal:
    return Journal(Database(path), SeededIds(str(path)), signing=LogSigner(signer))


def ready(files: OpenFiles | None = None) -> Ed25519Signer:
    made = Ed25519Signer(files or OpenFiles())
    made.open()
    return made


def effect(number: int) -> list[Event]:
    """An act outside and its outcome; what else a turn records does not matter here."""
    action = f"action-{number}"
    intended = {
        "turn": number, "account": "me", "family": "invite", "tool": "x", "params": {}, "status": "intended",
        "intended_at": START,
    }  # fmt: skip
    outcome = ActionSettled(action, status=SendOutcome.SENT, said="", settled_at=START)
    return [Event("ActionIntended", action, intended), outcome]


def acted(journal: Journal, number: int) -> None:
    write(journal, *effect(number), audits=[AuditEntry("looked", {"n": number})])


def reports(journal: Journal, signer: Signer) -> dict[str, SignatureReport]:
    with journal.database.read() as connection:
        return {report.campaign_id: report for report in verify_signatures(connection, signer)}


def signed(journal: Journal) -> list[tuple[int, int]]:
    with journal.database.read() as connection:
        return [(signature.event_seq, signature.audit_seq) for signature in signatures(connection, CAMPAIGN)]


@pytest.fixture
def signer() -> Ed25519Signer:
    return ready()


@pytest.fixture
def journal(tmp_path: Path, signer: Ed25519Signer) -> Iterable[Journal]:
    made = opened(tmp_path / "o.db", signer)
    write(made, CREATED)
    yield made
    made.database.close()


def test_a_turn_with_an_outcome_is_signed_in_its_own_transaction_and_no_other(journal: Journal, signer: Signer) -> None:
    write(journal, lead_imported(1))
    assert signed(journal) == []
    commits = journal.commits
    acted(journal, 1)
    acted(journal, 2)
    assert journal.commits == commits + 2
    assert signed(journal) == [(4, 1), (6, 2)]
    report = reports(journal, signer)[CAMPAIGN]
    assert (report.valid_count, report.event_seq, report.audit_seq, report.broken, report.missing) == (
        2,
        6,
        2,
        None,
        None,
    )


def test_closing_signs_what_no_signature_covers_and_nothing_twice(journal: Journal, signer: Signer) -> None:
    acted(journal, 1)
    write(journal, lead_imported(1))
    journal.sign_heads(START)
    journal.sign_heads(START)
    assert signed(journal) == [(3, 1), (4, 1)]
    assert {stream for stream, report in reports(journal, signer).items() if report.valid_count} == {
        CAMPAIGN,
        WORKSPACE,
    }
    journal.sign_heads(START)
    assert signed(journal) == [(3, 1), (4, 1)]


def test_without_a_key_everything_goes_on_and_is_signed_once_there_is_one(tmp_path: Path) -> None:
    signer = Ed25519Signer(OpenFiles())
    journal = opened(tmp_path / "o.db", signer)
    write(journal, CREATED)
    acted(journal, 1)
    journal.sign_heads(START)
    assert signed(journal) == []
    assert reports(journal, signer)[CAMPAIGN].missing is None  # nobody signs here
    signer.open()
    write(journal, lead_imported(1))
    journal.sign_heads(START)
    assert signed(journal) == [(4, 1)]
    stubbed = opened(tmp_path / "p.db", StubSigner())
    write(stubbed, CREATED)
    acted(stubbed, 1)
    assert signed(stubbed) == []


def test_a_key_is_introduced_once_and_the_next_one_by_the_one_before(tmp_path: Path) -> None:
    files = OpenFiles()
    first = ready(files)
    journal = opened(tmp_path / "o.db", first)
    write(journal, CREATED)
    acted(journal, 1)
    acted(journal, 2)
    first.renew()
    acted(journal, 3)
    with journal.database.read() as connection:
        keys = signing_keys(connection)
        last = last_signature(connection, CAMPAIGN)
    assert len(keys) == 2
    assert last is not None
    newest = keys[last.key_id]
    assert newest.previous in keys
    assert reports(journal, ready(files))[CAMPAIGN].valid_count == 3  # the old ones by the old key


def tampering(path: Path) -> sqlite3.Connection:
    """Somebody with the file in their hands."""
    connection = sqlite3.connect(path, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    return connection


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("UPDATE event_log SET hash=zeroblob(32) WHERE campaign_id='camp-1' AND seq=3", "event 3 is not the one"),
        ("UPDATE audit_log SET hash=zeroblob(32) WHERE campaign_id='camp-1' AND seq=1", "audit entry 1 is not the one"),
        ("DELETE FROM event_log WHERE campaign_id='camp-1' AND seq=3", "event 3 is missing"),
        ("UPDATE log_signatures SET signed_at=signed_at+1", "not what its key signed"),
        ("UPDATE log_signatures SET signature=zeroblob(64)", "not what its key signed"),
        ("DELETE FROM signing_keys", "no entry of the workspace introduces its key"),
    ],
)
def test_an_entry_a_signature_or_a_key_that_was_changed_is_named(
    tmp_path: Path, journal: Journal, signer: Signer, change: str, why: str
) -> None:
    acted(journal, 1)
    with tampering(tmp_path / "o.db") as connection:
        connection.execute(change)
    broken = reports(journal, signer)[CAMPAIGN].broken
    assert broken is not None
    assert (broken.event_seq, broken.audit_seq) == (3, 1)
    assert why in broken.detail


def test_signatures_that_were_removed_are_missed(tmp_path: Path, journal: Journal, signer: Signer) -> None:
    acted(journal, 1)
    acted(journal, 2)
    with tampering(tmp_path / "o.db") as connection:
        connection.execute("DELETE FROM log_signatures WHERE event_seq=5")
    assert reports(journal, signer)[CAMPAIGN].missing == 5


def test_what_stands_in_the_place_of_signed_entries_is_never_signed(tmp_path: Path, journal: Journal) -> None:
    acted(journal, 1)
    with tampering(tmp_path / "o.db") as connection:
        connection.execute("UPDATE event_log SET hash=zeroblob(32) WHERE campaign_id='camp-1' AND seq=3")
    signer = ready()
    later = opened(tmp_path / "o.db", signer)
    write(later, lead_imported(1))
    later.sign_heads(START)
    assert signed(later) == [(3, 1)]
    assert reports(later, signer)[CAMPAIGN].broken is not None


def test_entries_that_leave_the_log_take_their_signatures_with_them(journal: Journal) -> None:
    acted(journal, 1)
    acted(journal, 2)
    with journal.transaction() as transaction:
        transaction.rewind(CAMPAIGN, LogHeads(3, bytes(32), 1, bytes(32)))
    assert signed(journal) == [(3, 1)]


def test_a_folder_that_becomes_a_device_gets_a_key_of_its_own_that_the_earlier_one_vouches_for(
    journal: Journal, signer: Ed25519Signer
) -> None:
    acted(journal, 1)
    alone = signer.public_key()
    with journal.transaction() as transaction:
        replica.attach(transaction, replica.AttachedProject("https://x.test", "k", "u", "u@x.test", "dev-1", "Desk", 1))
    acted(journal, 2)
    acted(journal, 3)
    keys = journal.database.query(signing_keys)
    assert {key.device_id for key in keys.values()} == {"", "dev-1"}
    here = keys[key_id(signer.public_key())]
    assert (here.device_id, here.previous) == ("dev-1", key_id(alone))
    assert signer.verify(alone, next_key_message("dev-1", here.public_key), here.endorsement)
    assert reports(journal, signer)[CAMPAIGN].valid_count == 3

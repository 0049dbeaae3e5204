"""Devices believe each other's signatures and nobody else: what somebody added to the shared store is not taken over."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.domain.erasure.erasure import AUDIT_LEFT, forgotten, without_campaign
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.domain.events.facts.workspace import DoNotContactAdded, SigningKeyIntroduced
from backend.domain.events.signature import key_id
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import LoggedEvent
from backend.ports.sync_status import IN_SYNC
from backend.store.log.chain import link_entries, payload_digest
from backend.store.log.log_signer import LogSigner
from backend.store.log.signatures import signing_keys
from backend.store.log.transaction import Transaction
from backend.store.log.verification import verify_signatures
from backend.store.replication import replica
from tests.fakes.sealed import OpenFiles
from tests.fakes.shared_store import FakeProject
from tests.postgres import Project
from tests.runtime.sync.conftest import CAMPAIGN, ONE_BY_ONE, Machine, Machines
from tests.stored_rows import all_rows, first_row
from tests.supabase.signed_in import hosted


@pytest.fixture
def signing(machines: Machines) -> Machines:
    """Devices that have a keychain."""

    def make(name: str) -> Machine:
        machine = machines(name)
        machine.journal.signing = LogSigner(Ed25519Signer(OpenFiles()))
        return machine

    return make


@pytest.fixture
def desk(signing: Machines) -> Machine:
    return signing("Desk")


@pytest.fixture
def laptop(signing: Machines) -> Machine:
    return signing("Laptop")


def forged(project: FakeProject, stream: str, *events: Event) -> None:
    """What whoever administers the project can do: entries that chain, folded and counted like any other."""
    user = project.users["ada"]
    log = user.events[stream]
    made = [
        LoggedEvent(
            0, 1, event.kind, "approval", event.entity_id, canonical(event.changes), "user", "c", b"s" * 16, None, b""
        )
        for event in events
    ]
    user.events[stream] = log + list(link_entries(stream, log[-1].seq, log[-1].hash, made))


def approval(number: int = 1) -> Event:
    return Event("ApprovalGiven", f"approval-{number}", {})


def code(machine: Machine) -> str:
    machine.engine.run_round()
    problem = machine.engine.report.state().problem
    return problem.code if problem else ""


def attach_again(machine: Machine, name: str, signing: LogSigner) -> None:
    """The user detaches and attaches the project: the folder is another device from then on."""
    with machine.journal.transaction() as transaction:
        replica.detach(transaction, 1)
        again = replica.AttachedProject("http://x", "key", "ada", "a@b.c", f"dev-{name}", name, 1)
        replica.attach(transaction, again)
    machine.name = name
    machine.restart()
    machine.journal.signing = signing


def test_what_one_device_recorded_the_other_one_takes_over_by_its_signature(desk: Machine, laptop: Machine) -> None:
    desk.campaign()
    for number in range(3):
        desk.turn(number)
        desk.engine.run_round()
    assert code(laptop) == ""
    laptop.configure("a", "1")
    laptop.turn(3)
    assert (code(laptop), code(desk), code(laptop)) == ("", "", "")
    assert desk.logs() == laptop.logs()
    assert desk.engine.describe() == laptop.engine.describe() == IN_SYNC
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            assert {key.device_id for key in signing_keys(connection).values()} == {"dev-Desk", "dev-Laptop"}
            reports = verify_signatures(connection, Ed25519Signer(OpenFiles()))
        assert all(report.valid_count and report.broken is None for report in reports)


def test_an_approval_that_was_added_at_the_shared_store_is_told_and_not_taken_over(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    before = laptop.logs()
    forged(memory, CAMPAIGN, approval())
    for machine in (desk, laptop):
        assert code(machine) == "shared_store_unsigned"
        problem = machine.engine.report.state().problem
        assert problem is not None
        assert f"entries of {CAMPAIGN} that no device of yours signed, from event entry 2 on" in problem.sentence
        assert f"{CAMPAIGN} begins nothing here; other campaigns go on" in problem.remedy
    assert laptop.logs() == before
    assert code(laptop) == "shared_store_unsigned"  # and again, until it is settled


def test_unsigned_entries_of_one_campaign_hold_back_nothing_else(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    desk.campaign("camp-2")
    assert (code(desk), code(laptop)) == ("", "")
    forged(memory, CAMPAIGN, approval())
    desk.record("camp-2", Event("CampaignEdited", "camp-2", {"goal": "Meet"}))
    desk.configure("a", "1")
    desk.record(CAMPAIGN, Event("CampaignEdited", CAMPAIGN, {"goal": "Meet"}))
    for machine in (desk, laptop, desk):
        assert code(machine) == "shared_store_unsigned"
    assert desk.waiting() == 1  # what was decided about that campaign alone
    assert laptop.configured() == {"a": "1"}
    assert laptop.database.query(all_rows, "SELECT goal FROM campaigns ORDER BY id") == [("Learn",), ("Meet",)]
    with desk.engine.hold_lease(campaign_id="camp-2"):
        desk.turn(1, "camp-2")
        assert desk.engine.describe() == IN_SYNC
        assert desk.engine.push_and_confirm("camp-2")
        assert desk.engine.may_still_act()
        assert not desk.engine.push_and_confirm(CAMPAIGN)
        assert "not usable for this campaign" in desk.engine.describe()
    with pytest.raises(OutriderError) as refused, desk.engine.hold_lease(campaign_id=CAMPAIGN):
        pass
    assert refused.value.code == "shared_store_unsigned"
    del memory.users["ada"].events[CAMPAIGN][-1]  # whoever administers the project takes them out
    assert (code(laptop), code(desk), code(laptop)) == ("", "", "")
    assert (desk.waiting(), desk.logs() == laptop.logs()) == (0, True)


def test_unsigned_entries_of_the_workspace_stop_what_acts_and_let_campaigns_come_into_step(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    forged(memory, WORKSPACE, Event("ConfigSet", "forged", {"value": "1"}))
    desk.record(CAMPAIGN, Event("CampaignEdited", CAMPAIGN, {"goal": "Meet"}))
    assert (code(desk), code(laptop)) == ("shared_store_unsigned", "shared_store_unsigned")
    assert (desk.waiting(), laptop.configured()) == (0, {})
    assert laptop.database.query(all_rows, "SELECT goal FROM campaigns") == [("Meet",)]
    with pytest.raises(OutriderError) as refused, desk.engine.hold_lease(campaign_id=CAMPAIGN):
        pass
    assert refused.value.code == "shared_store_unsigned"


def test_rows_that_the_administrator_adds_in_postgresql_are_found_and_nothing_acts(
    desk: Machine, laptop: Machine, project: Project
) -> None:
    with hosted(project.url("authenticator")) as devices, psycopg.connect(project.url(), autocommit=True) as admin:
        for machine in (desk, laptop):
            machine.engine._shared_store = devices.of().shared_store
        desk.campaign()
        desk.turn(0)
        assert (code(desk), code(laptop), code(desk)) == ("", "", "")
        assert laptop.logs() == desk.logs()
        before = laptop.logs()
        user, seq, last = admin.execute(
            "select user_id, event_seq, event_hash from public.log_heads where campaign_id = %s", (CAMPAIGN,)
        ).fetchone() or ("", 0, b"")
        approval = '{"created_at":1,"digest":"d","expires_at":9,"given_by":"user","message_id":"m","status":"open"}'
        entry = LoggedEvent(0, 1, "ApprovalGiven", "approval", "forged", approval, "user", "c", b"s" * 16, None, b"")
        (made,) = link_entries(CAMPAIGN, seq, bytes(last), [entry])
        admin.execute(
            "insert into public.event_log (user_id, campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload,"
            " actor, cause, salt, hash) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (user, CAMPAIGN, *made[:9], made.hash),
        )
        admin.execute(
            "update public.log_heads set event_seq = %s, event_hash = %s where campaign_id = %s",
            (made.seq, made.hash, CAMPAIGN),
        )
        for machine in (desk, laptop):
            assert code(machine) == "shared_store_unsigned"
        with pytest.raises(OutriderError) as refused, desk.engine.hold_lease(campaign_id=CAMPAIGN):
            pass
        assert refused.value.code == "shared_store_unsigned"
        assert laptop.logs() == desk.logs() == before


def test_words_that_the_administrator_removes_in_postgresql_are_missed(
    desk: Machine, laptop: Machine, project: Project
) -> None:
    with hosted(project.url("authenticator")) as devices, psycopg.connect(project.url(), autocommit=True) as admin:
        for machine in (desk, laptop):
            machine.engine._shared_store = devices.of().shared_store
        desk.campaign()
        assert code(desk) == ""
        blanked = admin.execute(
            "update public.event_log set change_payload = replace(change_payload, 'Learn', ''), salt = null,"
            " payload_digest = sha256(salt || convert_to(change_payload, 'UTF8')) where campaign_id = %s and seq = 1",
            (CAMPAIGN,),
        )
        assert blanked.rowcount == 1  # as the database allows: it cannot tell who asks
        assert code(laptop) == "shared_store_words_missing"
        erase(desk, CAMPAIGN, 1)
        assert (code(desk), code(laptop)) == ("", "")


def test_a_signature_by_a_key_of_their_own_does_not_help(desk: Machine, laptop: Machine, memory: FakeProject) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    forged(memory, CAMPAIGN, approval())
    user, stranger = memory.users["ada"], Ed25519Signer(OpenFiles())
    stranger.open()
    last = next(signature for signature in user.signatures if signature.campaign_id == CAMPAIGN)
    head = user.events[CAMPAIGN][-1]
    claimed = last._replace(event_seq=head.seq, event_hash=head.hash, key_id=key_id(stranger.public_key()))
    user.signatures += [claimed, last._replace(event_seq=head.seq, event_hash=head.hash)]
    assert code(laptop) == "shared_store_unsigned"


def test_another_key_for_a_known_device_is_refused_unless_its_earlier_key_signed_for_it(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.configure("a", "1")
    assert (code(desk), code(laptop)) == ("", "")
    signing = desk.journal.signing
    assert signing is not None
    signing.signer.renew()
    desk.engine.close(0)
    desk.restart()
    desk.journal.signing = signing
    desk.configure("b", "2")
    assert (code(desk), code(laptop)) == ("", "")
    assert laptop.configured() == {"a": "1", "b": "2"}
    stranger = Ed25519Signer(OpenFiles())
    stranger.open()
    public = stranger.public_key()
    introduced = SigningKeyIntroduced(
        key_id(public), device_id="dev-Desk", public_key=public.hex(), previous="", endorsement="", created_at=1
    )
    forged(memory, WORKSPACE, introduced)
    assert code(laptop) == "signing_key_refused"


def test_a_device_that_lost_its_key_sends_no_other_and_what_waits_goes_with_the_new_device(
    desk: Machine, laptop: Machine
) -> None:
    desk.configure("a", "1")
    assert (code(desk), code(laptop)) == ("", "")
    desk.restart()
    lost = desk.journal.signing = LogSigner(Ed25519Signer(OpenFiles()))
    desk.configure("b", "2")
    assert (code(desk), code(laptop)) == ("signing_key_lost", "")
    assert desk.waiting() == 1
    attach_again(desk, "Desk 2", lost)
    assert (code(desk), code(laptop)) == ("", "")
    assert laptop.configured() == {"a": "1", "b": "2"}


def test_a_key_whose_introduction_was_not_committed_is_introduced_before_it_signs(
    desk: Machine, laptop: Machine
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    real = laptop.journal.transaction

    @contextmanager
    def full() -> Iterator[Transaction]:
        with real() as transaction:
            yield transaction
            raise OutriderError("database_full", path="x")

    laptop.turn(1)
    laptop.journal.transaction = full  # type: ignore[method-assign]
    assert code(laptop) == "database_full"
    laptop.journal.transaction = real  # type: ignore[method-assign]
    assert (code(laptop), code(desk)) == ("", "")
    assert desk.logs() == laptop.logs()


def test_an_older_database_put_back_after_the_project_was_attached_again_is_believed(
    desk: Machine, laptop: Machine, tmp_path: Path
) -> None:
    desk.configure("a", "1")
    assert (code(desk), code(laptop)) == ("", "")
    signing, older = desk.journal.signing, tmp_path / "older.db"
    assert signing is not None
    with closing(sqlite3.connect(desk.folder / "outrider.db")) as source, closing(sqlite3.connect(older)) as target:
        source.backup(target)
    attach_again(desk, "Desk 2", signing)
    desk.configure("b", "2")
    assert (code(desk), code(laptop)) == ("", "")
    desk.database.close()
    shutil.copyfile(older, desk.folder / "outrider.db")
    desk.name = "Desk"
    desk.restart()
    desk.journal.signing = signing
    assert code(desk) == ""
    desk.configure("c", "3")
    assert (code(desk), code(laptop)) == ("", "")
    assert laptop.configured() == desk.configured() == {"a": "1", "b": "2", "c": "3"}


def test_a_new_device_brings_its_key_and_everything_that_was_signed_before(signing: Machines, desk: Machine) -> None:
    desk.campaign()
    for number in range(5):
        desk.turn(number)
        desk.engine.run_round()
    tablet = signing("Tablet")
    assert code(tablet) == ""
    tablet.configure("from", "tablet")
    assert (code(tablet), code(desk)) == ("", "")
    assert desk.configured() == {"from": "tablet"}


def test_a_device_without_a_key_reads_and_does_not_send_what_nobody_would_believe(
    desk: Machine, machines: Machines
) -> None:
    desk.configure("a", "1")
    assert code(desk) == ""
    files = OpenFiles()
    locked = machines("Locked")
    locked.journal.signing = LogSigner(Ed25519Signer(files))
    files.locked = True
    assert code(locked) == ""
    assert locked.configured() == {"a": "1"}
    locked.configure("b", "2")
    assert code(locked) == "signer_unavailable"
    assert locked.waiting() == 1
    files.locked = False
    assert (code(locked), code(desk)) == ("", "")
    assert desk.configured() == {"a": "1", "b": "2"}


def test_where_no_device_ever_signed_nothing_changes(machines: Machines) -> None:
    first, other = machines("One"), machines("Other")
    first.configure("a", "1")
    assert (code(first), code(other)) == ("", "")
    assert other.configured() == {"a": "1"}


def test_what_is_recorded_again_behind_another_device_is_signed_again(desk: Machine, laptop: Machine) -> None:
    desk.configure("a", "1")
    assert (code(desk), code(laptop)) == ("", "")
    desk.configure("b", "2")
    laptop.configure("c", "3")
    laptop.journal.sign_heads(5)
    assert (code(desk), code(laptop), code(desk)) == ("", "", "")
    assert desk.logs() == laptop.logs()
    (report,) = laptop.database.query(verify_signatures, Ed25519Signer(OpenFiles()), WORKSPACE)
    assert report.broken is None


def blanked(project: FakeProject, stream: str, seq: int, left: str) -> None:
    """What whoever administers the project can do: words go, and the chain verifies as before."""
    log = project.users["ada"].events[stream]
    was = log[seq - 1]
    log[seq - 1] = was._replace(payload=left, salt=None, digest=payload_digest(was.salt or b"", was.payload))


def erase(machine: Machine, stream: str, seq: int, left: str = "") -> None:
    """This is left of an event by an erasure on record; of a campaign's, unless another is given, what its deletion leaves."""
    payload, salt = machine.database.query(
        first_row, "SELECT change_payload, salt FROM event_log WHERE campaign_id=? AND seq=?", stream, seq
    )
    entries = {payload_digest(salt, payload).hex(): left or without_campaign("campaign", stream, json.loads(payload))}
    name = f"erasure-{machine.name}-{stream}-{seq}"
    machine.record(stream, Event("EntriesErased", name, {"entries": entries, "created_at": 1}))


def test_words_that_nobody_erased_hold_back_their_campaign_also_after_a_restart(
    desk: Machine, signing: Machines, memory: FakeProject
) -> None:
    desk.campaign()
    desk.campaign("camp-2")
    assert code(desk) == ""
    was = memory.users["ada"].events[CAMPAIGN][0]
    left = without_campaign("campaign", CAMPAIGN, json.loads(was.payload))
    blanked(memory, CAMPAIGN, 1, left)
    tablet = signing("Tablet")
    for number in range(2):
        assert code(tablet) == code(tablet) == "shared_store_words_missing"  # and again, until it is settled
        problem = tablet.engine.report.state().problem
        assert problem is not None
        assert f"The words of event entry 1 of {CAMPAIGN} are missing" in problem.sentence
        with pytest.raises(OutriderError) as refused, tablet.engine.hold_lease(campaign_id=CAMPAIGN):
            pass
        assert refused.value.code == "shared_store_words_missing"
        with tablet.engine.hold_lease(campaign_id="camp-2"):
            tablet.turn(number, "camp-2")
            assert tablet.engine.push_and_confirm("camp-2")
            assert not tablet.engine.push_and_confirm(CAMPAIGN)
        assert code(tablet) == "shared_store_words_missing"  # and the lease is given back
        signer = tablet.journal.signing
        tablet.engine.close(0)
        tablet.restart()
        tablet.journal.signing = signer
    erase(desk, CAMPAIGN, 1, left)  # a device erases the same: then it is settled
    assert (code(desk), code(tablet)) == ("", "")


def test_words_of_the_audit_log_that_nobody_erased_hold_back_their_campaign_as_well(
    desk: Machine, signing: Machines, memory: FakeProject
) -> None:
    """Also where no event is without its words."""
    desk.campaign()
    read = AuditEntry("file.read", {"parameters": {"file": "people.csv"}, "outcome": "opened"})
    desk.journal.record(CAMPAIGN, events=(), audits=[read], actor="user", cause="test", at=desk.clock.now())
    assert code(desk) == ""
    audits = memory.users["ada"].audits[CAMPAIGN]
    was = audits[-1]
    audits[-1] = was._replace(payload=AUDIT_LEFT, salt=None, digest=payload_digest(was.salt or b"", was.payload))
    tablet = signing("Tablet")
    assert code(tablet) == "shared_store_words_missing"
    entries = {payload_digest(was.salt or b"", was.payload).hex(): AUDIT_LEFT}
    desk.record(CAMPAIGN, Event("EntriesErased", "erasure-of-audit", {"entries": entries, "created_at": 1}))
    assert (code(desk), code(tablet)) == ("", "")


def test_an_entry_of_the_do_not_contact_list_that_is_blanked_stops_everything(
    desk: Machine, signing: Machines, memory: FakeProject
) -> None:
    desk.campaign()
    added = DoNotContactAdded("dnc-1", member_key="ada", name="Ada", reason="asked", created_at=1)
    desk.record(WORKSPACE, added)
    assert code(desk) == ""
    listed = next(e for e in memory.users["ada"].events[WORKSPACE] if e.kind == "DoNotContactAdded")
    left = forgotten(added.changes, "forgotten:nobody")
    blanked(memory, WORKSPACE, listed.seq, left)
    tablet = signing("Tablet")
    assert code(tablet) == "shared_store_words_missing"
    with pytest.raises(OutriderError) as refused, tablet.engine.hold_lease(campaign_id=CAMPAIGN):
        pass
    assert refused.value.code == "shared_store_words_missing"
    erase(desk, WORKSPACE, listed.seq, left)
    assert (code(desk), code(tablet)) == ("", "")


def test_an_erasure_that_is_rewritten_at_the_shared_store_erases_nothing_and_is_told(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    first = memory.users["ada"].events[CAMPAIGN][0]
    desk.record(CAMPAIGN, Event("EntriesErased", "erasure-1", {"entries": {}, "created_at": 1}))
    assert code(desk) == ""
    digest = payload_digest(first.salt or b"", first.payload).hex()
    left = without_campaign("campaign", CAMPAIGN, json.loads(first.payload))
    blanked(memory, CAMPAIGN, 2, canonical({"entries": {digest: left}, "created_at": 1}))
    assert code(laptop) == "shared_store_words_missing"
    assert laptop.database.query(all_rows, "SELECT goal FROM campaigns") == [("Learn",)]
    (salt,) = desk.database.query(first_row, "SELECT salt FROM event_log WHERE campaign_id=? AND seq=2", CAMPAIGN)
    was = payload_digest(salt, canonical({"entries": {}, "created_at": 1})).hex()
    settled = {was: canonical({"entries": {}, "created_at": 1})}
    desk.record(CAMPAIGN, Event("EntriesErased", "erasure-2", {"entries": settled, "created_at": 1}))
    assert (code(desk), code(laptop)) == ("", "")


def test_erasures_of_two_devices_page_by_page_and_while_another_pulls_are_no_reason_to_stop(
    desk: Machine, laptop: Machine, signing: Machines
) -> None:
    desk.campaign()
    assert (code(desk), code(laptop)) == ("", "")
    erase(desk, CAMPAIGN, 1)
    erase(laptop, CAMPAIGN, 1)  # neither has heard of the other's
    desk.turn(1)
    assert (code(desk), code(laptop), code(desk)) == ("", "", "")
    tablet = signing("Tablet")
    tablet.restart(ONE_BY_ONE)
    tablet.journal.signing = LogSigner(Ed25519Signer(OpenFiles()))
    store = tablet.shared_store
    desk.campaign("camp-2")
    assert code(desk) == ""
    before = store.streams()
    erase(desk, "camp-2", 1)
    assert code(desk) == ""
    asked = iter([before])  # it was asked where the streams end before the erasure came, and for pages after it
    ask = store.streams
    store.streams = lambda: next(asked, None) or ask()  # type: ignore[method-assign]
    for machine in (tablet, desk, laptop):
        assert code(machine) == ""
    assert tablet.logs() == desk.logs() == laptop.logs()

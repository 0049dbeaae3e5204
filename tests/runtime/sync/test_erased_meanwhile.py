"""What a device records about a person before it hears that their data was erased loses its words as well."""

import json
from collections.abc import Callable

import pytest

from backend.commands.lead_import import import_leads
from backend.commands.leads import BLOCKED
from backend.commands.user_commands import Commands
from backend.domain.erasure.erasure import without_words
from backend.domain.erasure.mentions import PersonNames, mention_pattern, payload_without_mentions
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.workspace import DoNotContactAdded
from backend.domain.gates.person import REFUSALS
from backend.domain.model.artifact import BY_CONTROLLER, ArtifactType, text_content
from backend.domain.model.campaign import Settings
from backend.domain.people.lead_row import LeadRow
from backend.domain.turn.artifacts import artifact_persisted
from backend.store.log.chain import payload_digest
from backend.store.log.erasing_events import erasing_events
from backend.store.queries.campaign import campaign_contents
from backend.store.queries.people import do_not_contact
from backend.store.queries.people.remembered_contacts import RememberedContact, remembered_contact
from backend.store.replication import rebase_queue
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject
from tests.runtime.sync.conftest import CAMPAIGN, Machine, Machines, run_rounds
from tests.stored_rows import all_rows, first_row

OTHER = "camp-2"
PROFILE, GRACE = "https://www.linkedin.com/in/ada-l", "https://www.linkedin.com/in/grace-h"
LEAD = {"full_name": "Ada Lovelace", "profile_url": PROFILE, "member_key": PROFILE, "position": 1, "import_id": ""}
OF_GRACE = {"full_name": "Grace Hopper", "profile_url": GRACE, "member_key": GRACE, "position": 2}


def texts(machine: Machine) -> str:
    """All that its logs, its rows and what waits beside them tell."""
    tables = (
        "event_log", "audit_log", "rebase_queue_entries", "leads", "do_not_contact", "tasks", "conversations", "artifacts",
        "erasures",
    )  # fmt: skip
    with machine.database.read() as connection:
        return repr([connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables])


def names_told(desk: Machine, laptop: Machine, memory: FakeProject) -> list[str]:
    """Which of the two people either device or their shared store still names."""
    words = (texts(desk) + texts(laptop) + repr(memory.users["ada"].events)).lower()
    return [name for name in ("lovelace", "ada-l", "hopper", "grace-h") if name in words]


def agree(*rounds: Machine) -> None:
    """Both synchronise in this order, and then have the same logs."""
    run_rounds(*rounds)
    assert rounds[0].logs() == rounds[1].logs()


def begin(machine: Machine, campaign: str = CAMPAIGN, site: str = "practice") -> None:
    """A campaign with settings."""
    machine.campaign(campaign, site)
    machine.record(campaign, Event("CampaignEdited", campaign, {"settings": Settings().model_dump_json()}))


def both_know_the_lead(desk: Machine, laptop: Machine) -> None:
    """The desk's campaign with one lead, on both."""
    begin(desk)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    run_rounds(desk, laptop)


@pytest.mark.parametrize("first", ["who erases", "who does not know"])
def test_words_that_came_after_an_erasure_are_erased(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str
) -> None:
    begin(desk)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    run_rounds(desk, laptop, desk)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    described = {
        "kind": "reach_lead", "description": "Reach out to Ada Lovelace", "lead_id": "lead-1", "status": "pending",
        "needs": "look", "rank": 0, "created_at": 1,
    }  # fmt: skip
    laptop.record(CAMPAIGN, Event("TaskCreated", "task-1", described))
    laptop.record(CAMPAIGN, Event("LeadAdvanced", "lead-1", {"relation": "connected"}), actor="controller")
    laptop.record(CAMPAIGN, Event("LeadNoted", "lead-1", {"notes": "Ada Lovelace likes engines"}))
    listed = DoNotContactAdded("entry-1", member_key=PROFILE, name="Ada Lovelace", reason="", created_at=1)
    laptop.record(WORKSPACE, listed)
    order = (desk, laptop) if first == "who erases" else (laptop, desk)
    agree(*order, *order)
    assert names_told(desk, laptop, memory) == []
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            states = "SELECT l.blocked, t.status FROM leads l LEFT JOIN tasks t ON t.lead_id=l.id"
            assert connection.execute(states).fetchall() in ([(BLOCKED, "cancelled")], [(BLOCKED, None)])


@pytest.mark.parametrize("first", ["desk", "laptop"])
def test_two_devices_that_each_erase_somebody_first_forget_both_and_contact_neither(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str
) -> None:
    begin(desk)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD), Event("LeadImported", "lead-2", LEAD | OF_GRACE))
    run_rounds(desk, laptop, desk)
    laptop.record(WORKSPACE, DoNotContactAdded("e", member_key=PROFILE, name="Ada Lovelace", reason="", created_at=1))
    Commands(laptop.journal, laptop.clock).people.erase(CAMPAIGN, "lead-2")
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (desk, laptop) if first == "desk" else (laptop, desk)
    agree(*order, *order)
    assert names_told(desk, laptop, memory) == []
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            assert do_not_contact.listed(connection, [PROFILE, GRACE, "nobody"]) == {PROFILE, GRACE}
            assert [do_not_contact.whole_list(connection).names([key]) for key in (PROFILE, GRACE, "nobody")] == [
                True, True, False,
            ]  # fmt: skip
            assert rebase_queue.open_conflicts(connection) == []
    desk.record(CAMPAIGN, Event("LeadImported", "again", LEAD | OF_GRACE | {"position": 3}))
    assert desk.database.query(do_not_contact.is_do_not_contact, "again")


def said(by: str, line: int) -> Event:
    words = {
        "request_id": "", "role": "user", "line": line, "kind": "said", "content": "Why was Ada Lovelace not contacted?",
        "payload": {},
        "created_at": 1,
    }  # fmt: skip
    return Event("ConversationSaid", f"line-{by}-{line}", words)


def erase_intent(machine: Machine) -> None:
    """A copy of this device, made before the act was settled, has erased what both know of it."""
    beside = "SELECT payload, salt FROM rebase_queue_entries WHERE kind='ActionIntended'"
    ((payload, salt),) = machine.database.query(all_rows, beside)
    left = without_words("action", "act-2", json.loads(payload))
    erased = {"entries": {payload_digest(salt, payload).hex(): left}, "created_at": 1}
    machine.record(CAMPAIGN, Event("EntriesErased", "erasure-of-the-copy", erased))


@pytest.mark.parametrize("by_copy", [False, True], ids=["", "and erased in part"])
@pytest.mark.parametrize("first", ["who erases", "who does not know"])
def test_what_another_device_was_asked_about_them_loses_their_name_also_where_it_was_dropped(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str, by_copy: bool
) -> None:
    begin(desk)
    for machine in (desk, laptop):
        machine.engine.run_round()
        machine.record(CAMPAIGN, said(machine.name, 1))  # the same line, and the same person: the laptop's are dropped
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    laptop.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD), cause="file")
    intended = {
        "turn": 1, "lead_id": "lead-2", "tool": "t", "params": {}, "status": "intended", "intended_at": 1, "family": "invite",
        "account": "me", "approval_id": "", "message_id": "",
    }  # fmt: skip
    laptop.record(CAMPAIGN, Event("ActionIntended", "act-2", intended), actor="agent")
    settled = {"status": "sent", "said": "Invitation sent to Ada Lovelace.", "settled_at": 1}
    laptop.record(CAMPAIGN, Event("ActionSettled", "act-2", settled), actor="agent", cause="later")
    run_rounds(desk, laptop, desk)
    assert "Lovelace" in repr(laptop.database.query(all_rows, "SELECT payload FROM rebase_queue_entries"))
    laptop.record(CAMPAIGN, said("laptop", 5))
    if by_copy:
        erase_intent(laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (desk, laptop) if first == "who erases" else (laptop, desk)
    agree(*order, *order)
    assert names_told(desk, laptop, memory) == []


@pytest.mark.parametrize("first", ["who erases them", "who erases the conversation"])
def test_what_two_devices_erase_for_different_reasons_is_left_with_less_on_both(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str
) -> None:
    begin(desk)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    desk.record(CAMPAIGN, said("desk", 1))
    run_rounds(desk, laptop, desk)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    Commands(laptop.journal, laptop.clock).requests.erase(CAMPAIGN)
    order = (desk, laptop) if first == "who erases them" else (laptop, desk)
    agree(*order, *order)
    for machine in (desk, laptop):
        assert machine.database.query(all_rows, "SELECT content FROM conversations") == [("",)]
    assert "Lovelace" not in repr(memory.users["ada"].events)


@pytest.mark.parametrize("other_campaign", [False, True])
@pytest.mark.parametrize("listed_before", [False, True])
@pytest.mark.parametrize("first", ["who erases", "who does not know"])
def test_whom_another_device_imported_before_it_heard_of_the_erasure_is_erased_there_as_well(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str, listed_before: bool, other_campaign: bool
) -> None:
    begin(desk)
    if other_campaign:
        begin(desk, OTHER)
    if listed_before:
        Commands(desk.journal, desk.clock).workspace.add_do_not_contact(PROFILE, "Ada Lovelace", "asked")
    run_rounds(desk, laptop)
    theirs = OTHER if other_campaign else CAMPAIGN
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    laptop.record(theirs, Event("LeadImported", "lead-2", LEAD), cause="file")
    laptop.record(theirs, said("laptop", 1))
    desk.clock.advance(1_000)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (desk, laptop) if first == "who erases" else (laptop, desk)
    agree(*order, *order, *order)
    assert names_told(desk, laptop, memory) == []
    for machine in (desk, laptop):
        assert {row[0] for row in machine.database.query(all_rows, "SELECT blocked FROM leads")} == {BLOCKED}


DAY = 86_400_000


@pytest.mark.parametrize("days_until_heard", [0, 3])
@pytest.mark.parametrize("other_campaign", [False, True])
@pytest.mark.parametrize("first", ["who erases", "who does not know"])
def test_a_clock_that_is_ahead_brings_nobody_back_whom_another_device_erased(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str, other_campaign: bool, days_until_heard: int
) -> None:
    """Whose data is erased does not hang on whose clock says what: the laptop had not heard of it."""
    for campaign in (CAMPAIGN, OTHER):
        begin(desk, campaign)
    run_rounds(desk, laptop)
    theirs = OTHER if other_campaign else CAMPAIGN
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    now = desk.clock.time
    desk.clock.time = now + DAY  # both machines read this one clock
    laptop.record(theirs, Event("LeadImported", "lead-2", LEAD), cause="file")
    laptop.record(theirs, Event("LeadImported", "lead-3", LEAD | OF_GRACE), cause="file")
    desk.clock.time = now + 1_000
    if first == "who does not know":
        laptop.engine.run_round()
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    desk.clock.time += days_until_heard * DAY
    order = (desk, laptop) if first == "who erases" else (laptop, desk)
    agree(*order, *order, *order)
    assert names_told(desk, laptop, memory) == ["hopper", "grace-h"], "nobody else is touched"
    for machine in (desk, laptop):
        blocked = dict(machine.database.query(all_rows, "SELECT id, blocked FROM leads"))
        assert blocked == {"lead-1": BLOCKED, "lead-2": BLOCKED, "lead-3": ""}


def test_whoever_is_imported_again_here_after_their_erasure_stays_however_late_others_hear_of_both(
    desk: Machine, laptop: Machine
) -> None:
    """The device that erased them knows what it does, although nobody else has heard of it."""
    both_know_the_lead(desk, laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    desk.clock.advance(1_000)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD))
    laptop.configure("from-laptop", "x")
    laptop.record(CAMPAIGN, Event("LeadNoted", "lead-1", {"notes": "x"}))
    agree(laptop, desk, laptop, desk)
    assert laptop.database.query(first_row, "SELECT full_name FROM leads WHERE id='lead-2'") == ("Ada Lovelace",)


@pytest.mark.parametrize("reaches", ["before the erasure", "after the erasure"])
@pytest.mark.parametrize("ahead", [3_600_000, -3_600_000])
def test_no_clock_decides_where_an_import_is_sent_between_two_looks_at_the_shared_store(
    desk: Machine, laptop: Machine, memory: FakeProject, ahead: int, reaches: str
) -> None:
    """The laptop has just asked for news, and sends what it imported while the desk sends its erasure."""
    for campaign in (CAMPAIGN, OTHER):
        begin(desk, campaign)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    run_rounds(desk, laptop, desk)
    now = desk.clock.time
    desk.clock.time = now + ahead
    laptop.record(OTHER, Event("LeadImported", "lead-2", LEAD), cause="file")
    desk.clock.time = now + 1_000
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (laptop, desk) if reaches == "before the erasure" else (desk, laptop)
    for machine in order:
        machine.engine.run_round(poll=False)  # it only sends
    desk.clock.time = now + 2 * abs(ahead)
    agree(*(desk, laptop) * 3)
    assert names_told(desk, laptop, memory) == []


@pytest.mark.parametrize("days", [-1, 1])
def test_a_folder_that_is_attached_later_keeps_whom_it_imported_since_their_erasure_and_none_from_before(
    desk: Machine, machines: Machines, clock: FakeClock, days: int
) -> None:
    """What it imported while it shared nothing is judged by when: later than the erasure it is no copy of what was erased."""
    begin(desk)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    desk.engine.run_round()
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    desk.engine.run_round()
    now = clock.time
    clock.time = now + 5 * DAY
    folder = machines("Laptop")
    clock.time = now + days * DAY
    begin(folder, OTHER)
    folder.record(OTHER, Event("LeadImported", "lead-2", LEAD), cause="file")
    clock.time = now + 5 * DAY
    with folder.journal.transaction() as transaction:
        transaction.connection.execute("UPDATE project SET attached_at=?", (clock.time,))
    agree(folder, desk, folder, desk)
    for machine in (desk, folder):
        assert ("Lovelace" in texts(machine)) is (days > 0)
    if days > 0:  # and they are written to by nobody
        assert folder.database.query(do_not_contact.listed, {PROFILE})


def test_whoever_is_imported_again_stays_though_the_answer_to_their_erasure_was_lost(
    desk: Machine, laptop: Machine
) -> None:
    """The desk finds its own erasure at the shared store as if it were new there."""
    both_know_the_lead(desk, laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    desk.shared_store.faults.extend(["after"])
    desk.engine.run_round(poll=False)
    desk.clock.advance(1_000)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD))
    laptop.configure("from-laptop", "x")
    agree(laptop, desk, laptop, desk)
    assert "Lovelace" in texts(desk)
    assert "Lovelace" in texts(laptop)


def test_whom_another_device_imported_by_more_than_was_known_of_them_is_erased_there_as_well(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """Who was erased was known by their e-mail address alone; the other file, and an answer about them, have their profile, too."""
    mail = {"email": "lovelace@engines.example"}
    begin(desk)
    run_rounds(desk, laptop)
    by_mail = LEAD | mail | {"profile_url": "", "member_key": mail["email"]}
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", by_mail))
    laptop.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD | mail), cause="file")
    laptop.record(CAMPAIGN, Event("LeadImported", "lead-3", LEAD | OF_GRACE))
    Commands(laptop.journal, laptop.clock).people.answer_same([PROFILE, GRACE], same=False)
    desk.clock.advance(1_000)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    agree(*(desk, laptop) * 3)
    assert names_told(desk, laptop, memory) == ["hopper", "grace-h"]
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            assert dict(connection.execute("SELECT id, blocked FROM leads")) == {
                "lead-1": BLOCKED, "lead-2": BLOCKED, "lead-3": "",
            }  # fmt: skip


@pytest.mark.parametrize("listed_by", ["their file", "the user"])
@pytest.mark.parametrize("campaign", [CAMPAIGN, OTHER])
@pytest.mark.parametrize("first", ["who erases", "who does not know", "who sent it before"])
def test_whom_another_device_lists_by_an_address_that_the_erasing_one_never_had_is_listed_without_words(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str, campaign: str, listed_by: str
) -> None:
    """Who erased them knew their profile alone; the other device's file has their e-mail address, too."""
    desk.campaign(OTHER)
    desk.record(OTHER, Event("CampaignEdited", OTHER, {"settings": Settings().model_dump_json()}))
    both_know_the_lead(desk, laptop)
    mail = "countess@engines.example"
    row = LeadRow(2, "", "Ada Lovelace", "Ada", "Lovelace", PROFILE, PROFILE, mail, None, None, None, {})
    of_grace = LeadRow(3, "", "Grace Hopper", "Grace", "Hopper", GRACE, GRACE, "g@h.example", None, None, None, {})
    refused = "Do not contact: yes" if listed_by == "their file" else ""
    rows = [row._replace(refused=refused), of_grace._replace(refused=refused)]
    import_leads(laptop.journal, laptop.clock, campaign, rows, file="a.csv", file_format="mapped")
    if listed_by == "the user":
        for (lead,) in laptop.database.query(
            all_rows, "SELECT id FROM leads WHERE campaign_id=? AND email<>''", campaign
        ):
            Commands(laptop.journal, laptop.clock).leads.do_not_contact(campaign, lead, "asked")
    line = said("laptop", 1)
    laptop.record(campaign, line._replace(changes={**line.changes, "content": f"Is {mail} read by anybody?"}))
    if first == "who sent it before":
        laptop.engine.run_round()
    desk.clock.advance(1_000)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (laptop, desk) if first == "who does not know" else (desk, laptop)
    agree(*order, *order, *order)
    words = texts(desk) + texts(laptop) + repr(memory.users["ada"].events)
    assert [word for word in ("Lovelace", "ada-l", "countess") if word in words] == []
    assert "Hopper" in words, "nobody else is touched"
    for machine in (desk, laptop):
        assert machine.database.query(do_not_contact.listed, [PROFILE, mail]) == {PROFILE, mail}


def test_whom_an_import_brings_that_was_cut_off_before_their_erasure_is_erased(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """It goes on by itself, when the device is started again: nobody decides anew."""
    begin(desk)
    run_rounds(desk, laptop)
    begun = {"file": "people.csv", "format": "mapped", "created_at": laptop.clock.now()}
    laptop.record(CAMPAIGN, Event("ImportStarted", "import-2", begun), cause="file")
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    desk.clock.advance(1_000)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    laptop.clock.advance(2_000)
    laptop.record(CAMPAIGN, Event("LeadImported", "lead-2", {**LEAD, "import_id": "import-2"}), cause="file")
    run_rounds(desk, laptop, desk, laptop)
    assert names_told(desk, laptop, memory) == []


def test_whom_a_file_brings_that_was_chosen_before_their_erasure_is_erased(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """The machine slept before the file was read: when the user chose it, nobody had asked to be erased."""
    begin(desk)
    run_rounds(desk, laptop)
    chosen = laptop.clock.now()
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD))
    desk.clock.advance(1_000)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    laptop.clock.advance(2_000)
    row = LeadRow(2, "", "Ada Lovelace", "Ada", "Lovelace", PROFILE, PROFILE, None, None, None, None, {})
    import_leads(laptop.journal, laptop.clock, CAMPAIGN, [row], file="a.csv", file_format="mapped", asked_at=chosen)
    run_rounds(desk, laptop, desk, laptop)
    assert names_told(desk, laptop, memory) == []


def copied(machine: Machine) -> None:
    """As "Duplicate" with its people does."""
    rows = machine.database.query(campaign_contents.people_not_contacted, CAMPAIGN)
    assert [row.full_name for row in rows] == ["Ada Lovelace"]
    import_leads(machine.journal, machine.clock, OTHER, rows, file="Talk", file_format="duplicate")


def moved(machine: Machine) -> None:
    people = [id_ for (id_,) in machine.database.query(all_rows, "SELECT id FROM leads WHERE campaign_id=?", CAMPAIGN)]
    done = Commands(machine.journal, machine.clock).lead_groups.move(CAMPAIGN, people, OTHER)
    assert len(done.changed) == 1


@pytest.mark.parametrize("later", [0, 1_000])
@pytest.mark.parametrize("how", [copied, moved], ids=lambda how: how.__name__)
def test_a_copy_of_somebody_is_as_old_as_their_first_import(
    desk: Machine, laptop: Machine, memory: FakeProject, how: Callable[[Machine], None], later: int
) -> None:
    """Nobody comes back by being copied to another campaign after an erasure that this device had not heard of."""
    row = LeadRow(2, "", "Ada Lovelace", "Ada", "Lovelace", PROFILE, PROFILE, None, None, None, None, {})
    for campaign in (CAMPAIGN, OTHER):
        begin(desk, campaign)
    import_leads(desk.journal, desk.clock, CAMPAIGN, [row], file="a.csv", file_format="mapped")
    run_rounds(desk, laptop)
    (lead,) = (id_ for (id_,) in desk.database.query(all_rows, "SELECT id FROM leads"))
    desk.clock.advance(later)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, lead)
    laptop.clock.advance(2_000)
    how(laptop)
    run_rounds(desk, laptop, desk, laptop)
    assert names_told(desk, laptop, memory) == []


def test_whoever_is_imported_again_after_their_erasure_stays(desk: Machine, laptop: Machine) -> None:
    both_know_the_lead(desk, laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    run_rounds(desk, laptop)
    laptop.clock.advance(1_000)
    laptop.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD))
    run_rounds(laptop, desk)
    assert "Lovelace" in texts(desk)
    assert desk.logs() == laptop.logs()


@pytest.mark.parametrize("heard_between", [True, False])
def test_whoever_is_imported_again_before_another_device_heard_of_their_erasure_stays_there_too(
    desk: Machine, laptop: Machine, *, heard_between: bool
) -> None:
    """Both come in one batch, and for a moment there were two rows of one address: nothing was taken over any more."""
    both_know_the_lead(desk, laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    if heard_between:
        run_rounds(desk, laptop)
    desk.clock.advance(1)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-2", LEAD))
    agree(desk, laptop)
    assert "Lovelace" in texts(laptop)


def two_people(desk: Machine, laptop: Machine, site: str = "practice") -> None:
    """Ada and Grace are leads on both devices."""
    begin(desk, site=site)
    desk.record(CAMPAIGN, Event("LeadImported", "lead-1", LEAD), Event("LeadImported", "lead-2", LEAD | OF_GRACE))
    run_rounds(desk, laptop, desk)


def kept(content: str, artifact: str = "art-1") -> Event:
    """A script's answer."""
    text = text_content(ArtifactType.ANALYSIS_RESULT, artifact, content)
    return artifact_persisted(text, artifact, BY_CONTROLLER, 0, 1)


ANSWER = "Ada Lovelace wrote to Grace Hopper, who likes tea."


def test_a_name_does_not_stay_that_the_device_which_erases_another_one_does_not_know_any_more(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """The desk forgets Ada; then the laptop's answer arrives, and the desk erases Grace in it and leaves Ada."""
    two_people(desk, laptop)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    laptop.record(CAMPAIGN, kept(ANSWER))
    laptop.engine.run_round()
    desk.engine.run_round()
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-2")
    with desk.database.read() as connection:
        assert "Lovelace" in repr(connection.execute("SELECT content FROM artifacts").fetchall())
        assert "Lovelace" in repr(connection.execute("SELECT entries FROM erasures").fetchall())
    agree(desk, laptop, desk, laptop)
    assert names_told(desk, laptop, memory) == []
    for machine in (desk, laptop):
        (content,) = machine.database.query(first_row, "SELECT content FROM artifacts")
        assert content == "(erased) (erased) wrote to (erased) (erased), who likes tea."


def test_a_device_that_had_not_heard_of_either_erasure_keeps_no_name(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """Its own copy has all words when the erasure that named it first comes emptied."""
    two_people(desk, laptop)
    laptop.record(CAMPAIGN, kept(ANSWER))
    run_rounds(laptop, desk)
    left = reduced(desk, "Grace Hopper")
    desk.record(CAMPAIGN, Event("EntriesErased", "erasure-1", {"entries": left, "created_at": 1}))
    with desk.journal.transaction() as transaction:
        again = erasing_events(transaction, CAMPAIGN, reduced(desk, "Ada Lovelace"), 2)
    desk.record(CAMPAIGN, *again)
    agree(desk, laptop)
    for machine in (desk, laptop):
        rows = machine.database.query(all_rows, "SELECT content FROM artifacts UNION ALL SELECT entries FROM erasures")
        assert [name for name in ("Lovelace", "Hopper") if name in repr(rows)] == []


def reduced(machine: Machine, name: str) -> dict[str, str]:
    """What is left of the entries about artifacts without this name alone."""
    pattern = mention_pattern([PersonNames(name, "", "", "")])
    assert pattern is not None
    entries = "SELECT change_payload, salt, payload_digest FROM event_log WHERE kind='ArtifactPersisted'"
    return {
        (digest or payload_digest(salt, payload)).hex(): left
        for payload, salt, digest in machine.database.query(all_rows, entries)
        if (left := payload_without_mentions(pattern, "art-1", payload)) is not None
    }


@pytest.mark.parametrize("first", ["desk", "laptop"])
def test_what_two_devices_take_out_of_one_text_each_is_gone_from_it_on_both(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str
) -> None:
    """Neither erasure leaves less than the other: each left a name that the other took out."""
    two_people(desk, laptop)
    laptop.record(CAMPAIGN, kept(ANSWER))
    run_rounds(laptop, desk)
    for machine, name in ((desk, "Ada Lovelace"), (laptop, "Grace Hopper")):
        erasure = {"entries": reduced(machine, name), "created_at": 1}
        machine.record(CAMPAIGN, Event("EntriesErased", f"erasure-{machine.name}", erasure))
    order = (desk, laptop) if first == "desk" else (laptop, desk)
    agree(*order, *order)
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            (content,) = connection.execute("SELECT content FROM artifacts").fetchone()
        assert content == "(erased) (erased) wrote to (erased) (erased), who likes tea."


def test_a_name_goes_from_the_erasures_that_leave_it_where_the_text_has_lost_it_already(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    two_people(desk, laptop)
    laptop.record(CAMPAIGN, kept(ANSWER))
    run_rounds(laptop, desk)
    for machine, name in ((desk, "Ada Lovelace"), (laptop, "Grace Hopper")):
        erasure = {"entries": reduced(machine, name), "created_at": 1}
        machine.record(CAMPAIGN, Event("EntriesErased", f"erasure-{machine.name}", erasure))
    run_rounds(desk, laptop, desk)
    for lead in ("lead-1", "lead-2"):
        Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, lead)
    run_rounds(desk, laptop)
    assert names_told(desk, laptop, memory) == []


def test_an_erasure_that_still_names_somebody_is_emptied_and_loses_none_of_its_entries(desk: Machine) -> None:
    begin(desk)
    desk.record(CAMPAIGN, *(kept(f"Ada Lovelace {n} met Grace Hopper", f"art-{n}") for n in range(3)))
    desk.record(
        CAMPAIGN, Event("EntriesErased", "erasure-1", {"entries": reduced(desk, "Ada Lovelace"), "created_at": 1})
    )
    left = dict([min(reduced(desk, "Grace Hopper").items())])
    with desk.journal.transaction() as transaction:
        again = erasing_events(transaction, CAMPAIGN, left, 2)
    desk.record(CAMPAIGN, *again)
    with desk.database.read() as connection:
        rows = dict(connection.execute("SELECT id, entries FROM erasures").fetchall())
        words = connection.execute("SELECT content FROM artifacts WHERE content LIKE '%Lovelace%'").fetchall()
    assert rows.pop("erasure-1") == "{}"
    assert [len(json.loads(entries)) for entries in rows.values()] == [4]  # three texts, and the first erasure
    assert words == []


@pytest.mark.parametrize("first", ["who deletes", "who contacts"])
def test_whom_another_device_contacted_in_a_deleted_campaign_is_remembered_on_both(
    desk: Machine, laptop: Machine, first: str
) -> None:
    two_people(desk, laptop, site="linkedin")
    invited = {"relation": "pending", "invited_at": 5}
    laptop.record(CAMPAIGN, Event("LeadAdvanced", "lead-1", invited), actor="controller")
    desk.record(CAMPAIGN, Event("LeadAdvanced", "lead-2", invited), actor="controller")
    Commands(desk.journal, desk.clock).campaigns.delete(CAMPAIGN)
    order = (desk, laptop) if first == "who deletes" else (laptop, desk)
    agree(*order, *order, *order)
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            (account,) = connection.execute("SELECT account FROM campaigns").fetchone()
            contacts = [remembered_contact(connection, account, [key]) for key in (PROFILE, GRACE, "nobody")]
        assert contacts == [RememberedContact(5, refused=False), RememberedContact(5, refused=False), None]


def test_who_refused_in_a_campaign_that_was_deleted_stays_in_another_until_they_are_erased(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """The laptop is attached only then: it pulls the whole log, with the do-not-contact list before the other campaign."""
    for campaign, lead in ((CAMPAIGN, "lead-1"), (OTHER, "lead-2")):
        begin(desk, campaign, site="linkedin")
        desk.record(campaign, Event("LeadImported", lead, LEAD))
    desk.record(CAMPAIGN, Event("LeadLabelled", "lead-1", {"label": next(iter(REFUSALS))}))
    commands = Commands(desk.journal, desk.clock)
    commands.campaigns.delete(CAMPAIGN)
    agree(desk, laptop, desk)
    name = "SELECT full_name FROM leads WHERE id='lead-2'"
    for machine in (desk, laptop):
        assert machine.database.query(first_row, name) == ("Ada Lovelace",)
        assert machine.database.query(do_not_contact.listed, [PROFILE]) == {PROFILE}
        assert machine.database.query(do_not_contact.erased_at, [PROFILE]) == 0
    commands.people.erase(OTHER, "lead-2")
    agree(desk, laptop, desk)
    for machine in (desk, laptop):
        assert machine.database.query(do_not_contact.erased_at, [PROFILE]) > 0
    assert "lovelace" not in (texts(desk) + texts(laptop) + repr(memory.users["ada"].events)).lower()


def test_two_devices_remember_whom_each_of_them_erased_before_it_heard_of_the_other(
    desk: Machine, laptop: Machine
) -> None:
    two_people(desk, laptop, site="linkedin")
    for machine, lead in ((desk, "lead-1"), (laptop, "lead-2")):
        invited = {"relation": "pending", "invited_at": 5}
        machine.record(CAMPAIGN, Event("LeadAdvanced", lead, invited), actor="controller")
        Commands(machine.journal, machine.clock).people.erase(CAMPAIGN, lead)
    run_rounds(*(desk, laptop) * 3)
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            assert len(do_not_contact.forgotten_secrets(connection)) == 2
            (account,) = connection.execute("SELECT account FROM campaigns").fetchone()
            contacts = [remembered_contact(connection, account, [key]) for key in (PROFILE, GRACE, "nobody")]
        assert contacts == [RememberedContact(5, refused=False), RememberedContact(5, refused=False), None]


def test_who_deletes_remembers_whom_another_device_contacted_as_soon_as_it_hears_of_it(
    desk: Machine, laptop: Machine
) -> None:
    two_people(desk, laptop, site="linkedin")
    intended = {
        "turn": 1, "task_id": "", "lead_id": "lead-1", "message_id": "", "approval_id": "", "account": "me", "family": "invite",
        "tool": "invite", "params": {"profile_url": PROFILE}, "status": "intended", "seen_before": 0, "intended_at": 5,
    }  # fmt: skip
    laptop.record(CAMPAIGN, Event("ActionIntended", "act-1", intended), actor="controller")
    Commands(desk.journal, desk.clock).campaigns.delete(CAMPAIGN)
    laptop.engine.run_round()
    desk.engine.run_round()  # the laptop, which is away from now on, never hears of the deletion
    with desk.database.read() as connection:
        (account,) = connection.execute("SELECT account FROM campaigns").fetchone()
        assert remembered_contact(connection, account, [PROFILE]) == RememberedContact(5, refused=False)


@pytest.mark.parametrize("first", ["who deletes", "who answers"])
def test_an_answer_about_people_of_a_campaign_that_another_device_deletes_goes_with_it(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str
) -> None:
    two_people(desk, laptop)
    Commands(laptop.journal, laptop.clock).people.answer_same([PROFILE, GRACE], same=False)
    Commands(desk.journal, desk.clock).campaigns.delete(CAMPAIGN)
    order = (desk, laptop) if first == "who deletes" else (laptop, desk)
    agree(*order, *order, *order)
    assert names_told(desk, laptop, memory) == []


@pytest.mark.parametrize("first", ["who erases", "who answers"])
@pytest.mark.parametrize("named", ["same", "different", "taken back"])
def test_who_is_said_to_be_the_same_as_somebody_erased_meanwhile_is_left_alone_for_good(
    desk: Machine, laptop: Machine, memory: FakeProject, first: str, named: str
) -> None:
    """Once both know, it is as if the answer had come first, but that the words about the other lead stay."""
    two_people(desk, laptop)
    people = Commands(laptop.journal, laptop.clock).people
    answer_id = people.answer_same([PROFILE, GRACE], same=named != "different").answer_id
    if named == "taken back":
        people.take_answer_back(answer_id)
    Commands(desk.journal, desk.clock).people.erase(CAMPAIGN, "lead-1")
    order = (desk, laptop) if first == "who erases" else (laptop, desk)
    agree(*order, *order, *order)
    for machine in (desk, laptop):
        with machine.database.read() as connection:
            assert do_not_contact.is_do_not_contact(connection, "lead-2") is (named == "same")
    assert names_told(desk, laptop, memory) == ["hopper", "grace-h"]

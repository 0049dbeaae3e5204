"""What is remembered of people whose campaign is deleted, or whose data is erased."""

import json

import pytest

from backend.domain.events.events import Event
from backend.domain.gates.gates import contact_refusal
from backend.domain.gates.person import REFUSALS, REFUSED_ENDS
from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.model.campaign import DAY
from backend.domain.model.days import in_utc
from backend.domain.people.past_contact import PAST_CONTACT
from backend.store.log import replay
from backend.store.queries.people import do_not_contact, people
from backend.store.queries.people.remembered_contacts import RememberedContact, remembered_contact
from tests.fakes.campaign import MESSAGE_ONLY, Stage

ACCOUNT = "linkedin"
AT = 1_700_000_000_000


def person(name: str) -> dict[str, object]:
    url = f"https://www.linkedin.com/in/{name}"
    names = {"full_name": f"{name.title()} Person", "email": f"{name}@example.com"}
    return {**names, "profile_url": url, "member_key": url, "position": 1}


def act(lead: str, name: str, family: str) -> Event:
    intended = {
        "turn": 1, "lead_id": lead, "tool": "t", "params": {}, "status": "intended", "intended_at": AT, "family": family,
        "account": ACCOUNT, "approval_id": "", "message_id": "",
    }  # fmt: skip
    return Event("ActionIntended", f"act-{lead}-{name}", intended)


def settled(name: str, status: str) -> Event:
    return Event("ActionSettled", f"act-lead-1-{name}", {"status": status, "settled_at": AT})


CONTACTED = {
    "invited": [Event("LeadAdvanced", "lead-1", {"relation": "pending", "invited_at": AT})],
    "written to": [act("lead-1", "sent", "message"), settled("sent", "sent")],
    "replied": [Event("LeadAdvanced", "lead-1", {"replied_at": AT})],
}
NOT_CONTACTED = {
    "nothing was done": [],
    "an attempt that was not sent": [act("lead-1", "not", "message"), settled("not", "not_sent")],
    "a visit": [act("lead-1", "seen", "look"), settled("seen", "sent")],
}


def campaign_of(stage: Stage, *events: Event, site: str = "linkedin", past: str = "") -> str:
    """A campaign with Ada in it, of whom this is on record, and of whose past contact her file says that."""
    campaign = stage.commands().campaigns.create("Talk", "Invite", site=site, account=ACCOUNT, settings=MESSAGE_ONLY)
    stage.note_elsewhere(
        campaign, Event("LeadImported", "lead-1", person("ada") | {"extra": json.dumps({PAST_CONTACT: past})})
    )
    for event in events:
        stage.note_elsewhere(campaign, event)
    return campaign


def remembered(stage: Stage, *keys: str, account: str = ACCOUNT) -> RememberedContact | None:
    return stage.database.query(remembered_contact, account, keys)


ADA = "https://www.linkedin.com/in/ada"


@pytest.mark.parametrize("what", CONTACTED)
@pytest.mark.parametrize("by", [ADA, "ada@example.com"])
def test_whom_a_deleted_campaign_contacted_is_remembered_by_a_keyed_hash(stage: Stage, what: str, by: str) -> None:
    campaign = campaign_of(stage, *CONTACTED[what])
    stage.commands().campaigns.delete(campaign)
    assert remembered(stage, "nobody", by) == RememberedContact(AT, refused=False)
    assert remembered(stage, by, account="another") is None
    assert remembered(stage, "nobody") is None
    assert "ada" not in repr(stage.query("SELECT * FROM remembered_contacts"))


@pytest.mark.parametrize("what", NOT_CONTACTED)
def test_whom_a_deleted_campaign_did_not_contact_is_not_remembered(stage: Stage, what: str) -> None:
    stage.commands().campaigns.delete(campaign_of(stage, *NOT_CONTACTED[what]))
    assert remembered(stage, ADA) is None
    assert stage.query("SELECT * FROM remembered_contacts") == []


@pytest.mark.parametrize("words", ["they wrote 2024-03-01", "you wrote", "invited; they wrote"])
def test_whom_only_the_file_of_a_deleted_campaign_knew_is_remembered(stage: Stage, words: str) -> None:
    campaign = campaign_of(stage, past=words)
    stage.commands().campaigns.delete(campaign)
    memory = remembered(stage, ADA)
    assert memory is not None
    assert memory.contacted_at is not None
    assert not memory.refused


def test_what_a_file_said_that_was_taken_back_is_not_remembered(stage: Stage) -> None:
    taken_back = Event("LeadBlocked", "lead-1", {"blocked": TAKEN_BACK})
    stage.commands().campaigns.delete(campaign_of(stage, taken_back, past="you wrote"))
    assert remembered(stage, ADA) is None


REPLY = {
    "lead_id": "lead-1",
    "kind": "reply",
    "text": "No, thanks.",
    "sent_at": AT,
    "created_at": AT,
    "reply_kind": "no",
    "status": "received",
}
REFUSED = {
    "blocked": Event("LeadBlocked", "lead-1", {"blocked": "do_not_contact"}),
    **{label: Event("LeadLabelled", "lead-1", {"label": label, "labelled_at": AT}) for label in REFUSALS},
    **{end: Event("LeadFinished", "lead-1", {"finished": end}) for end in REFUSED_ENDS},
    "wrote a no": Event("ReplyReceived", "reply-1", REPLY),
}


@pytest.mark.parametrize("what", REFUSED)
def test_whoever_refused_stays_on_the_do_not_contact_list_when_their_campaign_is_deleted(
    stage: Stage, what: str
) -> None:
    stage.commands().campaigns.delete(campaign_of(stage, REFUSED[what]))
    memory = remembered(stage, ADA)
    assert memory is not None
    assert memory.refused
    again = stage.commands().campaigns.create("Again", "Invite", site="linkedin", account="me", settings=MESSAGE_ONLY)
    stage.note_elsewhere(again, Event("LeadImported", "lead-9", {**person("eve"), "email": "ADA@example.com"}))
    assert stage.database.query(do_not_contact.is_do_not_contact, "lead-9")
    assert stage.query("SELECT DISTINCT name, reason FROM do_not_contact") == [
        ("(erased)", "refused in a campaign that was deleted")
    ]


def test_what_a_rehearsal_did_to_made_up_people_is_not_remembered(stage: Stage) -> None:
    stage.commands().campaigns.delete(campaign_of(stage, *CONTACTED["invited"], REFUSED["blocked"], site="practice"))
    assert stage.query("SELECT id FROM remembered_contacts UNION ALL SELECT id FROM do_not_contact") == []


def test_of_several_campaigns_the_last_contact_is_remembered(stage: Stage) -> None:
    earlier, later = AT, AT + 5
    for at in (later, earlier):
        campaign = stage.commands().campaigns.create("T", "I", site="linkedin", account=ACCOUNT, settings=MESSAGE_ONLY)
        lead = f"lead-{at}"
        stage.note_elsewhere(campaign, Event("LeadImported", lead, person("ada")))
        stage.note_elsewhere(campaign, Event("LeadAdvanced", lead, {"relation": "pending", "invited_at": at}))
        stage.commands().campaigns.delete(campaign)
    assert remembered(stage, ADA) == RememberedContact(later, refused=False)
    assert replay.find_differences(stage.database) == []


def test_each_account_remembers_whom_it_contacted_whatever_another_one_remembers(stage: Stage) -> None:
    for at, account in ((AT + 5, ACCOUNT), (AT, "another")):
        made = stage.commands().campaigns.create("T", "I", site="linkedin", account=account, settings=MESSAGE_ONLY)
        stage.note_elsewhere(made, Event("LeadImported", f"lead-{account}", person("ada")))
        stage.note_elsewhere(made, Event("LeadAdvanced", f"lead-{account}", {"relation": "pending", "invited_at": at}))
        stage.commands().campaigns.delete(made)
    assert remembered(stage, ADA) == RememberedContact(AT + 5, refused=False)
    assert remembered(stage, ADA, account="another") == RememberedContact(AT, refused=False)


def test_when_an_erased_person_was_contacted_is_remembered_for_the_account(stage: Stage) -> None:
    campaign = campaign_of(stage, *CONTACTED["invited"])
    stage.commands().people.erase(campaign, "lead-1")
    assert remembered(stage, ADA) == RememberedContact(AT, refused=False)
    stage.commands().campaigns.delete(campaign)  # nothing more is known of them
    assert stage.one("SELECT count(*) FROM remembered_contacts") == 2


def test_whoever_refused_by_another_lead_is_remembered_as_one_who_did(stage: Stage) -> None:
    gone, other = (
        stage.commands().campaigns.create(name, "Invite", site="linkedin", account=ACCOUNT, settings=MESSAGE_ONLY)
        for name in ("Gone", "Other")
    )
    stage.note_elsewhere(gone, Event("LeadImported", "gone", person("ada")))
    stage.note_elsewhere(gone, Event("LeadAdvanced", "gone", {"relation": "pending", "invited_at": AT}))
    stage.note_elsewhere(other, Event("LeadImported", "other", person("ada")))
    stage.note_elsewhere(other, Event("LeadLabelled", "other", {"label": "no", "labelled_at": AT}))
    stage.commands().campaigns.delete(gone)
    assert remembered(stage, ADA) == RememberedContact(AT, refused=True)


def test_a_person_is_remembered_by_whichever_of_their_leads_tells_who_they_are(stage: Stage) -> None:
    commands = stage.commands()
    gone, other, joining = (
        commands.campaigns.create(name, "Invite", site="linkedin", account=ACCOUNT, settings=MESSAGE_ONLY)
        for name in ("Gone", "Other", "Joining")
    )
    by_mail, both = {"member_key": "ada@example.com", "profile_url": ""}, person("ada")
    stage.note_elsewhere(gone, Event("LeadImported", "gone", both | by_mail))
    stage.note_elsewhere(other, Event("LeadImported", "by-address", both | {"email": ""}))
    stage.note_elsewhere(joining, Event("LeadImported", "by-both", both))
    stage.note_elsewhere(gone, Event("LeadAdvanced", "gone", {"relation": "pending", "invited_at": AT}))
    commands.campaigns.delete(gone)
    with stage.database.read() as connection:
        for lead in ("by-address", "by-both"):
            matching_person = people.several(connection, lead)
            assert matching_person is not None
            assert matching_person.remembered_at == AT
            assert contact_refusal(matching_person, AT + 1_000 * DAY, in_utc) is not None


def test_asking_costs_one_look_into_an_index_and_nothing_before_anybody_was_forgotten(stage: Stage) -> None:
    statements: list[str] = []
    with stage.database.read() as connection:
        connection.set_trace_callback(statements.append)
        assert remembered_contact(connection, ACCOUNT, [ADA]) is None
        connection.set_trace_callback(None)
    assert len(statements) == 1
    assert "config_kv" in statements[0]
    with stage.database.read() as connection:
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT count(*), max(contacted_at), max(refused) FROM remembered_contacts"
            " WHERE account=? AND contact_key IN (?,?)", ("", "", ""),
        ).fetchall()  # fmt: skip
    assert "COVERING INDEX remembered_contacts_by_key" in repr(plan)

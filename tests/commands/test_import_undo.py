"""Undoing an import: who was not contacted goes, everybody else and everything else stays as it was before the file."""

import pytest

from backend.commands.import_undo import undo_forecast, undo_import
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.model.lead import LeadStatus
from backend.domain.people.past_contact import PAST_CONTACT
from backend.domain.values.errors import OutriderError
from backend.store.log.replay import find_differences
from backend.store.queries.leads.lead_list import LeadListQuery, LeadQuery
from backend.store.queries.people import do_not_contact, people
from tests.commands.test_lead_import import bring_in, person
from tests.fakes.campaign import Stage

FIELDS = (
    "SELECT member_key, company, job_title, email, tags, extra FROM leads WHERE blocked<>'import_undone' ORDER BY id"
)
TASKS = "SELECT status FROM tasks WHERE kind='reach_lead' ORDER BY id"


@pytest.fixture
def campaign(stage: Stage) -> str:
    return stage.campaign(0)


def listed(stage: Stage, campaign: str, text: str = "") -> tuple[int, int]:
    """How many the list says there are, and how many it shows."""
    query = LeadListQuery(campaign, LeadQuery(text=text))
    with stage.database.read() as connection:
        return query.count(connection)[0], len(query.numbers(connection, (), 0, 100))


def test_who_was_not_contacted_goes_and_what_the_file_changed_goes_back(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1), person(2, member_key=None, profile_url=None)])
    before = stage.query(FIELDS)
    second = bring_in(
        stage, campaign,
        [
            person(1, company="Bolts", tags=("new",), extra={"City": "Leeds"}),
            person(1, company="Nuts", email="ada@x.example"),
            person(3), person(4),
        ],
    )  # fmt: skip
    third = stage.one("SELECT id FROM leads WHERE member_key='ada-3'")
    stage.note_elsewhere(campaign, LeadAdvanced(third, status=LeadStatus.CONTACTED, invited_at=1))
    forecast = stage.database.query(undo_forecast, campaign, second.import_id)
    undone = undo_import(stage.journal, stage.clock, campaign, second.import_id)
    assert undone == forecast
    assert (undone.taken_back, undone.kept, undone.restored) == (1, 1, 1)
    assert [row for row in stage.query(FIELDS) if row[0] != "ada-3"] == before
    assert listed(stage, campaign) == (3, 3)
    assert listed(stage, campaign, "lovelace") == (3, 3)
    assert stage.query("SELECT status, n FROM lead_counts ORDER BY status") == [("contacted", 1), ("pending", 2)]
    assert find_differences(stage.database) == []
    with pytest.raises(OutriderError) as refused:
        undo_import(stage.journal, stage.clock, campaign, second.import_id)
    assert refused.value.code == "import_already_undone"


def test_the_same_file_brings_them_back_and_can_be_undone_again(stage: Stage, campaign: str) -> None:
    first = bring_in(stage, campaign, [person(1), person(2)])
    undo_import(stage.journal, stage.clock, campaign, first.import_id)
    assert listed(stage, campaign) == (0, 0)
    again = bring_in(
        stage, campaign, [person(1, job_title="Countess"), person(2, extra={PAST_CONTACT: "you wrote"}), person(3)]
    )
    assert (again.accepted, again.merged) == (3, 0)
    assert stage.query("SELECT job_title, blocked FROM leads ORDER BY member_key") == [
        ("Countess", ""), ("Analyst", "written_to_before"), ("Analyst", ""),
    ]  # fmt: skip
    assert undo_import(stage.journal, stage.clock, campaign, again.import_id).taken_back == 3
    assert stage.one("SELECT job_title FROM leads WHERE member_key='ada-1'") == "Analyst"


def test_the_task_and_the_text_of_somebody_who_is_taken_back_end(stage: Stage) -> None:
    campaign = stage.campaign(0)
    rows = [
        person(n, full_name=card.name, member_key=card.slug, profile_url=f"https://www.linkedin.com/in/{card.slug}")
        for n, card in enumerate(stage.cards(2))
    ]
    import_id = bring_in(stage, campaign, rows).import_id
    stage.run(campaign, approve=False, stop_after=25)
    assert stage.one("SELECT count(*) FROM messages WHERE status='draft'") > 0
    undone = undo_import(stage.journal, stage.clock, campaign, import_id)
    assert undone.taken_back == 2
    assert stage.one("SELECT count(*) FROM messages WHERE status='draft'") == 0
    assert {status for (status,) in stage.query(TASKS)} == {"cancelled"}


def test_whoever_is_being_written_to_just_now_stays_with_what_is_on_record_of_it(stage: Stage, campaign: str) -> None:
    brought = bring_in(stage, campaign, [person(1), person(2)])
    lead = stage.one("SELECT id FROM leads WHERE member_key='ada-1'")
    text = {"lead_id": lead, "task_id": "", "step": "hello", "kind": "message", "text": "Hi", "created_at": 1}
    intended = {
        "turn": 1, "lead_id": lead, "tool": "t", "params": {}, "status": "intended", "intended_at": 1, "family": "message",
        "account": "a", "approval_id": "", "message_id": "text-1",
    }  # fmt: skip
    stage.note_elsewhere(campaign, Event("MessageDrafted", "text-1", text | {"status": "draft"}))
    stage.note_elsewhere(campaign, Event("ActionIntended", "act-1", intended))
    undone = undo_import(stage.journal, stage.clock, campaign, brought.import_id)
    assert (undone.taken_back, undone.kept) == (1, 1)
    assert stage.query("SELECT member_key FROM leads WHERE blocked=''") == [("ada-1",)]


def test_whoever_has_an_identity_that_a_file_took_from_another_lead_keeps_it(stage: Stage, campaign: str) -> None:
    """A file told the profile of somebody known by an e-mail address, and a later one that somebody else has that address."""
    mail, url = "office.berg@acme.example", "https://www.linkedin.com/in/ada"
    by_mail = {"member_key": mail, "profile_url": None, "email": mail}
    bring_in(stage, campaign, [person(1, **by_mail)])
    second = bring_in(stage, campaign, [person(1, member_key=url, profile_url=url, email=mail)])
    bring_in(stage, campaign, [person(2, full_name="Bea Vik", **by_mail)])
    undo_import(stage.journal, stage.clock, campaign, second.import_id)
    assert stage.query("SELECT full_name, member_key, profile_url FROM leads ORDER BY id") == [
        ("Ada Lovelace 1", url, url), ("Bea Vik", mail, ""),
    ]  # fmt: skip
    assert find_differences(stage.database) == []


def test_a_merge_says_how_the_two_were_found_to_be_one_person(stage: Stage, campaign: str) -> None:
    nobody = {"member_key": None, "profile_url": None}
    bring_in(stage, campaign, [person(1), person(2, email="b@x.example"), person(3, **nobody)])
    bring_in(
        stage, campaign,
        [
            person(1, job_title="CTO"),
            person(2, **{**nobody, "member_key": "b@x.example"}, email="b@x.example", job_title="CTO"),
            person(3, **nobody, job_title="CTO"),
        ],
    )  # fmt: skip
    assert stage.query("SELECT line, matched, earlier, later FROM merged_rows ORDER BY line") == [
        (line, matched, '{"job_title":"Analyst"}', '{"job_title":"CTO"}')
        for line, matched in ((3, "profile address"), (4, "e-mail"), (5, "guess"))
    ]


def entries(stage: Stage) -> list[tuple[str, str]]:
    return stage.query("SELECT member_key, status FROM do_not_contact ORDER BY id")


def test_undoing_takes_back_what_the_file_put_on_the_do_not_contact_list(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1), person(2)])
    second = bring_in(stage, campaign, [person(1, refused="DNC: x"), person(3, refused="DNC: x")])
    assert [blocked for (blocked,) in stage.query("SELECT blocked FROM leads ORDER BY member_key")] == [
        "do_not_contact", "", "do_not_contact",
    ]  # fmt: skip
    assert stage.database.query(undo_forecast, campaign, second.import_id).unlisted == 2
    undone = undo_import(stage.journal, stage.clock, campaign, second.import_id)
    assert (undone.taken_back, undone.unlisted) == (1, 2)
    assert {status for _, status in entries(stage)} == {"removed"}
    assert [blocked for (blocked,) in stage.query("SELECT blocked FROM leads ORDER BY member_key")] == [
        "",
        "",
        "import_undone",
    ]
    assert find_differences(stage.database) == []


def test_who_was_listed_by_the_user_before_or_after_stays_on_the_list(stage: Stage, campaign: str) -> None:
    stage.commands().workspace.add_do_not_contact("ada-1", "Ada", "She asked.")
    brought = bring_in(
        stage, campaign, [person(1, refused="DNC: x"), person(2, refused="DNC: x"), person(3, refused="DNC: x")]
    )
    stage.commands().workspace.add_do_not_contact("ada-2", "Ada", "So did she.")
    assert undo_import(stage.journal, stage.clock, campaign, brought.import_id).unlisted == 2
    assert [key for key, status in entries(stage) if status == "active"] == ["ada-1", "ada-2"]


def test_who_was_listed_by_another_file_stays_on_the_list(stage: Stage, campaign: str) -> None:
    first = bring_in(stage, campaign, [person(1, refused="DNC: x")])
    other = stage.campaign(0, name="other")
    second = bring_in(stage, other, [person(1, refused="Opted out: yes")])
    undo_import(stage.journal, stage.clock, campaign, first.import_id)
    assert [status for _, status in entries(stage)] == ["removed", "active"]
    assert stage.one(f"SELECT blocked FROM leads WHERE campaign_id='{other}'") == "do_not_contact"
    undo_import(stage.journal, stage.clock, other, second.import_id)
    assert [status for _, status in entries(stage)] == ["removed", "removed"]


def test_the_same_file_lists_them_again_after_it_was_undone(stage: Stage, campaign: str) -> None:
    rows = [person(1, refused="DNC: x")]
    undo_import(stage.journal, stage.clock, campaign, bring_in(stage, campaign, rows).import_id)
    assert bring_in(stage, campaign, rows).listed == 1
    assert stage.one("SELECT blocked FROM leads") == "do_not_contact"


def test_a_no_stays_and_so_does_the_question_who_is_the_same_person(stage: Stage, campaign: str) -> None:
    first = bring_in(stage, campaign, [person(1), person(2)])
    other = stage.campaign(0, name="other")
    bring_in(stage, other, [person(3, full_name="Ada Lovelace 1", company="Engines 1")])
    stage.commands().workspace.add_do_not_contact("ada-1", "Ada", "She asked.")
    undone = undo_import(stage.journal, stage.clock, campaign, first.import_id)
    assert (undone.taken_back, undone.kept) == (1, 1)
    namesake = stage.one("SELECT id FROM leads WHERE member_key='ada-3'")
    assert stage.database.query(people.doubt_about, namesake) is not None


def test_who_was_erased_stays_on_the_list_when_the_import_that_put_them_there_is_undone(
    stage: Stage, campaign: str
) -> None:
    refused = person(1, refused="Do not contact: yes", email="ada@x.example")
    brought = bring_in(stage, campaign, [refused, person(2, refused="Do not contact: yes")])
    stage.commands().people.erase(campaign, stage.one("SELECT id FROM leads WHERE member_key='ada-1'"))
    listed_now = (
        "SELECT member_key FROM do_not_contact WHERE status='active' AND member_key LIKE 'forgotten:%' ORDER BY 1"
    )
    before = stage.query(listed_now)
    forecast = stage.database.query(undo_forecast, campaign, brought.import_id)
    assert (forecast.taken_back, forecast.kept) == (1, 0), "who is nobody any more is not counted"
    assert undo_import(stage.journal, stage.clock, campaign, brought.import_id) == forecast
    assert stage.query(listed_now) == before != []
    bring_in(stage, campaign, [person(1, email="ada@x.example")])
    assert stage.query("SELECT blocked FROM leads WHERE member_key='ada-1'") == [("do_not_contact",)]


def test_an_address_that_was_taken_back_is_erased_with_whom_it_was_told_of(stage: Stage, campaign: str) -> None:
    mail = "ada@x.example"
    bring_in(stage, campaign, [person(1)])
    rows = [person(1, refused="Do not contact: yes", email=mail), person(2, refused="Do not contact: yes")]
    brought = bring_in(stage, campaign, rows)
    undo_import(stage.journal, stage.clock, campaign, brought.import_id)
    stage.commands().people.erase(campaign, stage.one("SELECT id FROM leads WHERE member_key='ada-1'"))
    words = repr(stage.query("SELECT change_payload FROM event_log")) + repr(
        stage.query("SELECT * FROM do_not_contact")
    )
    assert [word for word in (mail, "ada-1", "Lovelace 1") if word in words] == []
    assert "Lovelace 2" in words
    with stage.database.read() as connection:
        assert do_not_contact.listed(connection, ["ada-1", mail]) == {"ada-1"}, "whose address it is nobody knows"


def cards_by_mail(stage: Stage, campaign: str) -> str:
    """Two people whom one file knows by e-mail alone, and a later one by their profiles; the later import."""
    rows = [
        person(
            n, full_name=card.name, member_key=card.slug, profile_url=f"https://www.linkedin.com/in/{card.slug}",
            email=f"{card.slug}@x.example", connected_on=None,
        )
        for n, card in enumerate(stage.cards(2))
    ]  # fmt: skip
    bring_in(stage, campaign, [row._replace(profile_url=None, member_key=row.email) for row in rows])
    return bring_in(stage, campaign, rows).import_id


@pytest.mark.parametrize("turns", [0, 6, 12, 25, 40, 70])
def test_nobody_is_left_in_mid_sequence_without_an_address(stage: Stage, turns: int) -> None:
    campaign = stage.campaign(0)
    import_id = cards_by_mail(stage, campaign)
    if turns:
        stage.run(campaign, stop_after=turns)
    reached = stage.query("SELECT id FROM leads WHERE invited_at IS NOT NULL OR last_sent_at IS NOT NULL ORDER BY id")
    forecast = stage.database.query(undo_forecast, campaign, import_id)
    undone = undo_import(stage.journal, stage.clock, campaign, import_id)
    assert undone == forecast
    assert undone.taken_back == 0, "the earlier file brought them"
    assert stage.query("SELECT id FROM leads WHERE profile_url<>'' ORDER BY id") == reached, "they stay who they are"
    open_tasks = "FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.status NOT IN ('done', 'cancelled')"
    assert stage.query(f"SELECT l.id {open_tasks} AND l.profile_url=''") == []
    assert stage.query(
        "SELECT 1 FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.status IN ('draft', 'approved') AND l.profile_url=''"
    ) == []  # fmt: skip
    assert find_differences(stage.database) == []


def test_whose_address_a_file_tells_again_goes_on(stage: Stage) -> None:
    campaign = stage.campaign(0)
    undo_import(stage.journal, stage.clock, campaign, bring_in_and_draft(stage, campaign))
    assert set(stage.query("SELECT blocked FROM leads")) == {("no_profile_url",)}
    assert set(stage.query(TASKS)) == {("cancelled",)}
    cards_by_mail(stage, campaign)
    assert set(stage.query("SELECT blocked FROM leads")) == {("",)}
    assert ("cancelled",) not in stage.query(TASKS)


def bring_in_and_draft(stage: Stage, campaign: str) -> str:
    import_id = cards_by_mail(stage, campaign)
    stage.run(campaign, approve=False, stop_after=25)
    return import_id

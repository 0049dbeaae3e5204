"""What is stored about a person is erased everywhere, the chains hold, and they are not imported again unnoticed."""

import hashlib
import json
from functools import partial
from pathlib import Path

import pytest

from backend.commands.import_undo import undo_import
from backend.commands.lead_import import import_leads
from backend.commands.runtime import RuntimeCommands
from backend.domain.erasure.erasure import erasures
from backend.domain.erasure.remains import mark_erased
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadContactAllowed, LeadMerged
from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.days import in_utc
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.site import Attempt, SiteAnswer, SitePerson
from backend.domain.people.contact_keys import ContactDetails, person_keys
from backend.domain.people.identity import named_key
from backend.domain.people.lead_row import LeadRow, RejectedRow
from backend.domain.people.past_contact import PAST_CONTACT, WRITTEN_TO
from backend.domain.turn import request
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.assistant_results import RateLine, RatesShown
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable
from backend.ports.sync_status import LocalOnly
from backend.runtime.copies.restoring import erase_again
from backend.store.backup import back_up, restore
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.journal import Journal
from backend.store.queries.campaign import sequence_people
from backend.store.queries.device import agent_runs
from backend.store.queries.leads import leads
from backend.store.queries.leads.lead_list import LeadListQuery, LeadQuery
from backend.store.queries.people import do_not_contact, people, person_entries
from backend.store.queries.people.remembered_contacts import RememberedContact, remembered_contact
from backend.store.queries.reports import attributions, campaign_overview, response_rates
from tests.fakes.by_hand import by_hand, run_by_hand
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk

pytestmark = pytest.mark.usefixtures("sound_log")


def everything(stage: Stage) -> str:
    """Every word of the database, its files read as bytes, too."""
    rows = "".join(str(rows) for rows in stage.dump(skip=()).values())
    files = [stage.path.with_name(stage.path.name + side) for side in ("", "-wal")]
    return rows + "".join(file.read_bytes().decode("latin-1") for file in files if file.exists())


def test_nothing_of_an_erased_person_is_left_in_any_campaign(stage: Stage) -> None:
    first = stage.campaign(4, settings=MESSAGE_ONLY, connected=True, skip=16)
    stage.run(first)
    lead, key, name = stage.query(
        "SELECT id, member_key, full_name FROM leads WHERE campaign_id=? AND replied_at IS NOT NULL ORDER BY id LIMIT 1",
        first,
    )[0]
    second = stage.campaign(1, settings=MESSAGE_ONLY, skip=30, name="Other")
    again = {
        "full_name": name,
        "profile_url": f"https://example.org/{key}",
        "member_key": key,
        "position": 9,
        "import_id": "i",
    }
    stage.note_elsewhere(second, Event("LeadImported", "again1", again))
    stage.commands().leads.do_not_contact(first, lead, f"{name} asked for it")
    with stage.database.read() as connection:
        shown = person_entries.stored(connection, first, [lead])
        assert person_entries.leads_of_person(connection, lead).keys() == {first, second}
    assert name in json.dumps(shown, ensure_ascii=False)
    assert {entry["kind"] for entry in shown["events"]} >= {
        "LeadImported",
        "ReplyReceived",
        "MessageSent",
        "ActionSettled",
    }
    reply = stage.one("SELECT text FROM messages WHERE lead_id=? AND kind='reply'", lead)
    erased = stage.commands().people.erase(first, lead)
    assert (erased.leads, erased.entries > 20) == (2, True)
    left = everything(stage)
    assert [word for word in (key, name, reply) if word in left] == []
    assert stage.query("SELECT DISTINCT name, reason FROM do_not_contact") == [("(erased)", "")]
    assert stage.one("SELECT count(*) FROM leads") == 6, "the numbers stay right"
    assert stage.one("SELECT count(*) FROM leads WHERE full_name='(erased)'") == 2


def test_why_a_draft_to_an_erased_person_was_rejected_goes_too(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, approve=False)
    lead, message = stage.query("SELECT lead_id, id FROM messages")[0]
    stage.commands().review.reject(campaign, message, reason="We met at the swimming gala")
    assert "swimming gala" in json.dumps(stage.database.query(person_entries.stored, campaign, [lead]))
    assert "swimming gala" in everything(stage)
    stage.commands().people.erase(campaign, lead)
    assert "swimming gala" not in everything(stage)


URL = "https://www.linkedin.com/in/zoe-quill"


def zoe(company: str, email: str) -> LeadRow:
    extra = {"Diet": f"none at {company}"}
    return LeadRow(
        1, "raw", "Zoe Quillfeather", "Zoe", "Quillfeather", URL, URL, email, company, "Title", None, extra=extra
    )


def brought(stage: Stage, campaign: str, *rows: LeadRow | RejectedRow) -> str:
    """The lead that these rows of a file are about."""
    import_leads(stage.journal, stage.clock, campaign, rows, file="people.csv", file_format="csv")
    return str(stage.one("SELECT id FROM leads WHERE campaign_id=? AND member_key=?", campaign, URL))


def test_what_files_said_of_them_goes_too_and_their_tags_timers_and_what_agents_found(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    rejected = RejectedRow(2, "Quillfeather;Zoe;http://LinkedIn.com/in/Zoe-Quill/?x=1;atlantis", "bad_quotes", "-")
    by_name = RejectedRow(3, '"Zoe","Quillfeather",abroad', "too_few_columns", "-")
    brought(stage, campaign, zoe("Oldwork", "zoe@old.example"), rejected, by_name)
    lead = brought(stage, campaign, zoe("Newwork", "zoe@new.example"))
    stage.commands().lead_groups.tag(campaign, [lead], "tagword")
    stage.commands().lead_groups.tag(campaign, [lead], "another")
    stage.commands().lead_groups.untag(campaign, [lead], "tagword")
    RuntimeCommands(stage.journal, stage.clock).ask_to_wake(
        campaign, stage.clock.now() + DAY, "Ask Zoe Quillfeather about tea", "timer"
    )
    with stage.database.write() as connection:
        run = agent_runs.begin(connection, "pending-invitations", "days: 1", "init", 1)
        connection.execute("UPDATE agent_runs SET found='Zoe Quillfeather, 3 days', ended_at=2 WHERE id=?", (run,))
    stage.commands().people.erase(campaign, lead)
    left = everything(stage).lower()
    words = ("quillfeather", "zoe-quill", "example", "oldwork", "newwork", "atlantis", "abroad", "tagword")
    assert [word for word in words if word in left] == []
    assert stage.one("SELECT input FROM wake_requests") == "Ask (erased) (erased) about tea"


def test_a_lead_that_went_back_with_its_import_goes_with_whoever_has_its_e_mail_in_whatever_case(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY)
    other = zoe("Oldwork", "Zoe@Old.example")._replace(profile_url=URL + "-2", member_key=URL + "-2")
    report = import_leads(stage.journal, stage.clock, campaign, [other], file="old.csv", file_format="csv")
    undo_import(stage.journal, stage.clock, campaign, report.import_id)
    lead = brought(stage, campaign, zoe("Newwork", "zoe@old.example"))
    assert stage.one("SELECT count(*) FROM leads WHERE blocked='import_undone'") == 1
    assert stage.commands().people.erase(campaign, lead).leads == 2
    left = everything(stage).lower()
    assert [word for word in ("zoe-quill", "old.example", "oldwork") if word in left] == []


def test_a_note_to_an_erased_person_still_counts_against_the_months_notes(stage: Stage) -> None:
    it = desk(stage, people=4, limits=EVERY_DAY.model_copy(update={"notes_a_month": 1}))
    lead = it.hand_over()
    it.say(lead, Word.SENT)
    it.leave()
    stage.commands().people.erase(it.campaign, lead)
    assert it.state().people == ()
    (asked,) = {ask.sentence for waits in it.state().later for ask in waits.verdict.asks}
    assert "1 of 1 invitations with a note" in asked


def test_artifacts_and_the_conversation_lose_what_names_an_erased_person_and_nothing_else(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY)
    elsewhere = stage.campaign(1, settings=MESSAGE_ONLY, skip=20, name="Other")
    lead, key, person = "zoe-1", "zoe-o-neill", {"full_name": "Zoë O'Neill", "email": "zoe@example.org"}
    imported = {"profile_url": "", "position": 8, "import_id": "i1"}
    named = [
        Event("LeadImported", lead, imported | person | {"member_key": key}),
        Event("LeadImported", "zoe-2", imported | {"full_name": "Zoë Brown", "member_key": "zoe-brown"}),
    ]
    stage.journal.record(campaign, events=named, actor="agent", cause="test", at=1)
    texts = (f"zoë  o'neill ({key}) likes tea; Zoë Brown does not", '{"who": "Zo\\u00eb O\'Neill <ZOE@example.org>"}')
    for number, text in enumerate(texts):
        event = artifact_persisted(text_content("note", f"note-{number}", text), f"art{number}", BY_USER, 0, 1)
        stage.note_elsewhere(elsewhere, event)
    line = {
        "role": "user",
        "line": 1,
        "kind": "said",
        "content": "Ask Zoë O'Neill again",
        "payload": {},
        "request_id": "request1",
        "created_at": 1,
    }
    stage.note_elsewhere(campaign, Event("ConversationSaid", "line1", line))
    merged = {"lead_id": lead, "matched": "email", "earlier": {"email": "z@example.com"}, "later": {"email": ""}}
    stage.note_elsewhere(campaign, Event("RowMerged", "merged1", {"import_id": "i1", "line": 1, **merged}))
    cut = {"code": "cut_off", "reason": "The file ends here.", "raw": "Zoë O'Neill,https://www.link"}
    stage.note_elsewhere(campaign, Event("RowRejected", "rejected1", {"import_id": "i1", "line": 2, **cut}))
    cut["raw"] = '"O\'Neill","Zoë",Quillstone Press'
    stage.note_elsewhere(elsewhere, Event("RowRejected", "rejected2", {"import_id": "i1", "line": 2, **cut}))
    stage.commands().people.erase(campaign, lead)
    left = everything(stage)
    remaining_words = [
        word for word in (person["full_name"], "O'Neill", person["email"], "ZOE@", "z@example", key) if word in left
    ]
    assert remaining_words == []
    contents = dict(stage.query("SELECT artifact_key, content FROM artifacts WHERE campaign_id=?", elsewhere))
    # The name of another lead goes with it: who erases that one later may not have this text.
    assert contents["note-0"] == "(erased)  (erased) ((erased)) likes tea; (erased) (erased) does not"
    assert json.loads(contents["note-1"]) == {"who": "(erased) (erased) <(erased)>"}
    for text, digest in stage.query("SELECT content, sha256 FROM artifacts WHERE campaign_id=?", elsewhere):
        assert digest in ("", hashlib.sha256(text.encode()).hexdigest())  # none is kept of what is left
    assert stage.one("SELECT content FROM conversations WHERE id='line1'") == "Ask (erased) (erased) again"
    assert stage.query("SELECT raw FROM rejected_rows") == [("",), ("",)]  # whose other cells are theirs, too


def test_an_incident_on_their_page_names_them_no_more(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY)
    ((lead, name),) = stage.query("SELECT id, full_name FROM leads")
    sentence = f"The page is about Max Mustermann, not about {name}."
    opened = {"account": "me", "kind": "wrong_person", "said": sentence, "status": "open", "opened_at": 1}
    stage.note_elsewhere(campaign, Event("IncidentOpened", "incident1", opened))
    stage.commands().people.erase(campaign, lead)
    assert name not in everything(stage)
    assert stage.one("SELECT said FROM incidents") == "The page is about Max Mustermann, not about (erased) (erased)."


FILE = f"aa/{'a' * 64}.png"


@pytest.mark.parametrize("page", ["theirs", "another's, which shows them"])
def test_the_picture_of_an_incident_goes_with_whom_it_shows(stage: Stage, page: str) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    (lead, name), (other, _) = stage.query("SELECT id, full_name FROM leads ORDER BY position")
    whose, sentence = (lead, "A page asks for a code.") if page == "theirs" else (other, f"The page is about {name}.")
    opened = {"account": "practice", "kind": "wrong_person", "said": sentence, "status": "open", "opened_at": 1}
    stage.note_elsewhere(campaign, Event("IncidentOpened", "incident1", opened | {"evidence": FILE, "lead_id": whose}))
    bystander = opened | {"said": "Another page.", "evidence": "bb/other.png", "lead_id": other}
    stage.note_elsewhere(campaign, Event("IncidentOpened", "incident2", bystander))
    assert stage.commands().campaigns.clear_incident(campaign, f"I talked to {name}") == 2
    assert stage.database.query(person_entries.evidence_files, campaign, [lead]) == {FILE}
    assert stage.commands().people.erase(campaign, lead).pictures == 1
    assert stage.query("SELECT id, evidence FROM incidents") == [("incident1", ""), ("incident2", "bb/other.png")]
    assert stage.query("SELECT file FROM erased_evidence WHERE file<>'copies'") == [(FILE,)]
    assert name not in everything(stage)
    if page == "theirs":
        assert stage.query("SELECT said, reason FROM incidents WHERE id='incident1'") == [("(erased)", "")]


def test_an_erased_person_is_in_no_count(stage: Stage) -> None:
    campaign = stage.campaign(4, settings=MESSAGE_ONLY, connected=True, skip=16)
    stage.run(campaign)

    def counts() -> dict[str, int]:
        with stage.database.read() as connection:
            listed = LeadListQuery(campaign, LeadQuery())
            sent = response_rates.sent_texts(response_rates.latest_exchanges(connection, campaign), in_utc)
            return {
                "by status": sum(leads.lead_counts(connection, campaign).values()),
                "in the list": listed.count(connection)[0],
                "lines of the list": len(listed.numbers(connection, (), 0, 9)),
                "of the campaign": campaign_overview.overviews(connection)[0].leads,
                "done with": campaign_overview.overviews(connection)[0].leads_done,
                "contacted": response_rates.reached(connection, campaign).contacted,
                "in the rates": response_rates.rates_by(connection, campaign, "company").counted,
                "contacted by day": sum(sent.first_contacts.values()),
                "replied by day": sum(sent.first_replies.values()),
                "replied": len(attributions.first_replies(connection, campaign)),
                "in the sequence": sum(sequence_people.positions(connection, campaign, stops=True).values()),
                "sent by step": sum(step.sent for step in sequence_people.texts_by_step(connection, campaign).values()),
                "sequences ended": sum(leads.finished_counts(connection, campaign).values()),
            }

    before = counts()
    lead = stage.one("SELECT id FROM leads WHERE replied_at IS NOT NULL LIMIT 1")
    sent = stage.one("SELECT count(*) FROM messages WHERE status='sent' AND step<>'' AND lead_id=?", lead)
    ended = stage.one("SELECT count(*) FROM leads WHERE finished<>'' AND id=?", lead)
    stage.commands().people.erase(campaign, lead)
    gone = dict.fromkeys(before, 1) | {"sent by step": sent, "sequences ended": ended}
    assert counts() == {name: n - gone[name] for name, n in before.items()}
    replay.rebuild(stage.database)
    assert counts() == {name: n - gone[name] for name, n in before.items()}


def test_two_people_whom_one_text_names_are_both_erased(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    people = stage.query("SELECT id, full_name FROM leads WHERE campaign_id=? ORDER BY id", campaign)
    text = f"We met {people[0][1]} and {people[1][1]}; Nobody Known was there."
    event = artifact_persisted(text_content("note", "both", text), "art", BY_USER, 0, 1)
    stage.note_elsewhere(campaign, event)
    for lead, name in people:
        stage.commands().people.erase(campaign, lead)
        assert name not in everything(stage)
    left = "We met (erased) (erased) and (erased) (erased); Nobody Known was there."
    assert stage.one("SELECT content FROM artifacts WHERE artifact_key='both'") == left


@pytest.mark.parametrize("column", ["company", "job_title"])
def test_a_group_that_is_called_by_what_is_erased_loses_its_name(stage: Stage, column: str) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    ((lead, their_value),) = stage.query(
        f"SELECT id, {column} FROM leads WHERE campaign_id=? ORDER BY id LIMIT 1", campaign
    )
    assert their_value
    groups = [
        RateLine(value=value, contacted=1, responded=0)
        for value in (their_value.upper(), f"{their_value}s", f"Not {their_value}")
    ]
    answer = RatesShown(field="Company", rows=tuple(groups))
    stage.note_elsewhere(campaign, request.result("line", "request", 1, None, answer, 1))
    stage.commands().people.erase(campaign, lead)
    shown = json.loads(stage.one("SELECT payload FROM conversations WHERE id='line'"))
    assert [row["value"] for row in shown["rows"]] == [
        mark_erased(their_value),
        f"{their_value}s",
        f"Not {their_value}",
    ]
    assert [row["contacted"] for row in shown["rows"]] == [1, 1, 1]
    assert replay.find_differences(stage.database) == []


def test_what_an_agent_found_does_not_outlive_an_erasure(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY)
    ((lead, name),) = stage.query("SELECT id, full_name FROM leads WHERE campaign_id=?", campaign)
    with stage.database.write() as connection:
        run = agent_runs.begin(connection, "pending-invitations", "days: 1", "Init", 1)
        connection.execute("UPDATE agent_runs SET found=? WHERE id=?", (f"1 people\n  {name}", run))
    stage.commands().people.erase(campaign, lead)
    assert name not in everything(stage)


def test_a_backup_of_before_an_erasure_gives_nothing_back(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY)
    lead, key, name = stage.query("SELECT id, member_key, full_name FROM leads ORDER BY id LIMIT 1")[0]
    copy = tmp_path / "copy.db"
    back_up(stage.database, copy)
    stage.commands().people.erase(campaign, lead)
    present = tmp_path / "restored" / "o.db"
    present.parent.mkdir()
    back_up(stage.database, present)
    done = restore(present, copy, erase_again=partial(erase_again, stage.ids, stage.clock), despite_loss=True)
    assert done.erased_again > 0
    assert name.encode() not in present.read_bytes()
    restored = Database(present)
    try:
        assert replay.find_differences(restored) == []
        with restored.read() as connection:
            assert [report.broken for report in verification.verify(connection) if report.broken] == []
            assert do_not_contact.listed(connection, [key]) == {key}, "nobody writes to them"
            row = connection.execute("SELECT full_name, blocked FROM leads WHERE id=?", (lead,)).fetchone()
    finally:
        restored.close()
    assert row == ("(erased)", "do_not_contact")


def test_a_campaign_that_was_deleted_since_a_backup_is_deleted_in_it_although_it_was_active_then(
    stage: Stage, tmp_path: Path
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    ((name,), _) = stage.query("SELECT full_name FROM leads ORDER BY id")
    stage.activate(campaign)
    copy = tmp_path / "copy.db"
    back_up(stage.database, copy)
    stage.commands().campaigns.change_status(campaign, CampaignStatus.PAUSED)
    stage.commands().campaigns.delete(campaign)
    present = tmp_path / "restored" / "o.db"
    present.parent.mkdir()
    back_up(stage.database, present)
    restore(present, copy, erase_again=partial(erase_again, stage.ids, stage.clock), despite_loss=True)
    assert name.encode() not in present.read_bytes()
    restored = Database(present)
    with restored.read() as connection:
        assert not campaign_overview.exists(connection, campaign)
    assert replay.find_differences(restored) == []
    restored.close()


@pytest.mark.parametrize("gone", ["the campaign", "the person"])
def test_a_backup_in_which_somebody_was_contacted_remembers_that_when_they_are_gone_from_it(
    stage: Stage, tmp_path: Path, gone: str
) -> None:
    campaign = by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders")
    known_as(stage, campaign, "anna1", ANNA)
    present = tmp_path / "o.db"
    back_up(stage.database, present)
    if gone == "the campaign":
        stage.commands().campaigns.delete(campaign)
    else:
        stage.commands().people.erase(campaign, "anna1")
    elsewhere = Database(present)  # another copy of the folder, in which she was written to
    sent = [LeadAdvanced("anna1", last_sent_at=5)]
    Journal(elsewhere, stage.ids).record(campaign, events=sent, actor="user", cause="send", at=5)
    with stage.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM remembered_contacts").fetchone() == (0,)
    erase_again(stage.ids, stage.clock, stage.database, elsewhere)
    with elsewhere.read() as connection:
        (account,) = connection.execute("SELECT account FROM campaigns WHERE id=?", (campaign,)).fetchone()
        assert remembered_contact(connection, account, [ANNA]) == RememberedContact(5, refused=False)
    elsewhere.close()


def test_who_was_erased_is_known_when_imported_again_and_may_be_allowed_again(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    lead, key, url = stage.query("SELECT id, member_key, profile_url FROM leads ORDER BY id LIMIT 1")[0]
    stage.commands().people.erase(campaign, lead)
    again = stage.campaign(2, settings=MESSAGE_ONLY, name="Again")
    with stage.database.read() as connection:
        assert do_not_contact.listed(connection, [key, "nobody"]) == {key}
        (member_key,) = connection.execute(
            "SELECT id FROM leads WHERE campaign_id=? AND member_key=?", (again, key)
        ).fetchone()
        assert do_not_contact.is_do_not_contact(connection, member_key)
    stage.commands().leads.contact_again(again, member_key)
    assert stage.database.query(do_not_contact.listed, person_keys(ContactDetails(key, url))) == set()


def test_what_is_under_way_is_not_erased(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY)
    lead = stage.one("SELECT id FROM leads")
    intent = {"turn": 1, "task_id": "t", "lead_id": lead, "message_id": "m", "approval_id": "a", "account": "practice"}
    intent |= {
        "family": "message",
        "tool": "browser.send_message",
        "params": {},
        "status": "intended",
        "intended_at": 1,
    }
    stage.note_elsewhere(campaign, Event("ActionIntended", "x1", intent))
    with pytest.raises(OutriderError) as refused:
        stage.commands().people.erase(campaign, lead)
    assert refused.value.code == "person_under_way"


@pytest.mark.parametrize("answer", ["it was sent", "it was not sent"])
def test_what_became_of_a_text_to_somebody_erased_elsewhere_can_be_said_and_ends_them(
    stage: Stage, answer: str
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    real = stage.site.send_message

    def blind(_tool: str, _when: str) -> None:
        raise SiteUnavailable("nothing loads")

    def send(person: SitePerson, text: str, *_: object) -> Attempt:
        real(person, text)
        stage.site.during = blind
        return Attempt(SiteAnswer.NO_ANSWER, "")

    stage.site.send_message = send  # type: ignore[method-assign, assignment]
    stage.run(campaign)
    stage.site.during = lambda _tool, _when: None
    lead, sent = stage.one("SELECT id FROM leads"), len(stage.delivered())
    left = stage.database.query(person_entries.what_is_left, campaign, [lead])
    erasing = erasures(left, stage.ids.new, stage.clock.now())
    stage.journal.record(campaign, events=erasing, actor="controller", cause="erased", at=stage.clock.now())
    asked = stage.one("SELECT id FROM input_requests WHERE kind='outcome_unknown' AND status='open'")
    stage.commands().questions.answer(campaign, asked, answer)
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
    stage.run(campaign)
    assert (stage.status(campaign), len(stage.delivered())) == ("completed", sent)
    assert replay.find_differences(stage.database) == []


# --- who is who, and with which campaign they are ---


def state_of(stage: Stage, lead_id: str) -> tuple[str, str]:
    """What a lead is blocked by, and its message's status."""
    blocked = stage.one("SELECT blocked FROM leads WHERE id=?", lead_id)
    status = stage.query("SELECT status FROM messages WHERE lead_id=? ORDER BY id DESC LIMIT 1", lead_id)
    return str(blocked), str(status[0][0]) if status else ""


def lead_in(stage: Stage, campaign: str) -> str:
    return str(stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign))


def two_campaigns(stage: Stage) -> tuple[Desk, Desk]:
    """The same person in both: the first has an approved message to them, the second is left aside."""
    first = desk(stage, MESSAGES, people=1, connected_on="2024-01-01", limits=EVERY_DAY, name="Water founders")
    second = desk(stage, MESSAGES, people=1, connected_on="2024-01-01", limits=EVERY_DAY, name="Data roles")
    assert state_of(stage, lead_in(stage, first.campaign)) == ("", "approved")
    assert state_of(stage, lead_in(stage, second.campaign)) == ("in_touch_elsewhere", "")
    return first, second


def test_contact_anyway_needs_a_reason_and_somebody_who_is_with_another_campaign(stage: Stage) -> None:
    first, second = two_campaigns(stage)
    commands = stage.commands().people
    with pytest.raises(OutriderError, match="reason"):
        commands.contact_anyway(second.campaign, lead_in(stage, second.campaign), "  ")
    with pytest.raises(OutriderError, match="No other campaign"):
        commands.contact_anyway(first.campaign, lead_in(stage, first.campaign), "she asked")
    assert stage.one("SELECT count(*) FROM leads WHERE contact_anyway<>''") == 0


def test_nobody_gets_one_campaigns_sequence_twice_whatever_the_user_allows(stage: Stage) -> None:
    alone = desk(stage, MESSAGES, people=1, connected_on="2024-01-01", limits=EVERY_DAY)
    first = lead_in(stage, alone.campaign)
    other = "https://www.linkedin.com/in/vera-t-phd"
    imported = {
        "full_name": alone.lead(first, "full_name"),
        "profile_url": other,
        "member_key": other,
        "position": 2,
        "import_id": "i",
    }
    stage.journal.record(
        alone.campaign,
        events=[Event("LeadImported", "again", imported)],
        actor="user",
        cause="import",
        at=stage.clock.now(),
    )
    commands = stage.commands().people
    commands.answer_same([alone.lead(first, "member_key"), other], same=True)
    alone.run()
    alone.say(alone.hand_over(no_reply=True), Word.SENT)
    alone.leave()
    alone.run()
    for allow in (
        partial(commands.contact_anyway, alone.campaign, "again", "they asked for it"),
        partial(commands.move_here, alone.campaign, "again"),
    ):
        with pytest.raises(OutriderError) as refused:
            allow()
        assert refused.value.code == "person_here_twice"
    # As a device may have recorded it that had not heard of what was sent.
    allowed = [LeadContactAllowed("again", contact_anyway="they asked for it")]
    stage.journal.record(alone.campaign, events=allowed, actor="user", cause="merged", at=stage.clock.now())
    stage.clock.jump(DAY)
    alone.run()
    assert "again" not in [person.lead.id for person in alone.state().people if person.ask is SessionAsk.WRITE]


def test_contact_anyway_lifts_only_that_person_and_leaving_them_takes_it_back(stage: Stage) -> None:
    first = by_hand(stage, MESSAGES, people=2, connected_on="2024-01-01", limits=EVERY_DAY, name="Water founders")
    run_by_hand(stage, first)
    second = desk(stage, MESSAGES, people=2, connected_on="2024-01-01", limits=EVERY_DAY, name="Data roles")
    chosen, other = (
        row[0] for row in stage.query("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", second.campaign)
    )
    commands = stage.commands().people
    commands.contact_anyway(second.campaign, chosen, "she  asked\nfor both")
    second.run()
    assert [state_of(stage, lead) for lead in (chosen, other)] == [("", "approved"), ("in_touch_elsewhere", "")]
    assert second.lead(chosen, "contact_anyway") == "she asked for both"
    commands.leave(second.campaign, chosen)
    assert state_of(stage, chosen) == ("in_touch_elsewhere", "cancelled")
    assert second.lead(chosen, "contact_anyway") == ""
    commands.leave(second.campaign, chosen)  # once more changes nothing
    assert second.state().people == ()


def approved_anyway_and_left(stage: Stage) -> None:
    """A second campaign is held back from her, may write anyway, and leaves her again: she stays held."""
    second = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Data roles"), LocalOnly())
    known_as(stage, second.campaign, "anna2", ANNA)
    second.run()
    assert state_of(stage, "anna2") == ("in_touch_elsewhere", "")
    stage.commands().people.contact_anyway(second.campaign, "anna2", "a new matter")
    second.run()
    assert state_of(stage, "anna2") == ("", "approved")
    stage.commands().people.leave(second.campaign, "anna2")
    second.run()
    assert state_of(stage, "anna2") == ("in_touch_elsewhere", "cancelled")


def test_whoever_was_left_after_an_approval_because_a_file_knows_them_is_not_let_go_again(stage: Stage) -> None:
    first = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders"), LocalOnly())
    known_as(stage, first.campaign, "anna1", ANNA)
    before = [LeadBlocked("anna1", blocked=WRITTEN_TO)]
    stage.journal.record(first.campaign, events=before, actor="user", cause="import", at=stage.clock.now())
    approved_anyway_and_left(stage)


def test_whoever_was_left_after_an_approval_because_a_deleted_campaign_contacted_them_is_held_again(
    stage: Stage,
) -> None:
    gone = by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders")
    known_as(stage, gone, "anna1", ANNA)
    stage.note_elsewhere(gone, LeadAdvanced("anna1", last_sent_at=5))
    stage.commands().campaigns.delete(gone)
    approved_anyway_and_left(stage)


def test_leaving_somebody_whom_only_their_own_file_held_back_withdraws_what_waits(stage: Stage) -> None:
    only = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY), LocalOnly())
    known_as(stage, only.campaign, "anna1", ANNA)
    events = [LeadMerged("anna1", profile_updated_at=1, extra={PAST_CONTACT: "you wrote"})]
    stage.journal.record(only.campaign, events=events, actor="user", cause="import", at=stage.clock.now())
    only.run()
    assert state_of(stage, "anna1") == (WRITTEN_TO, "")
    stage.commands().people.contact_anyway(only.campaign, "anna1", "a new matter")
    only.run()
    assert state_of(stage, "anna1") == ("", "approved")
    stage.commands().people.leave(only.campaign, "anna1")
    assert state_of(stage, "anna1") == (WRITTEN_TO, "cancelled")


@pytest.mark.parametrize("together", [False, True])
def test_whom_the_user_contacts_again_is_written_to_whatever_their_file_says(stage: Stage, together: bool) -> None:
    only = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY), LocalOnly())
    known_as(stage, only.campaign, "anna1", ANNA)
    merged = LeadMerged("anna1", profile_updated_at=1, extra={PAST_CONTACT: "you wrote"})
    blocked = LeadBlocked("anna1", blocked=WRITTEN_TO)
    stage.journal.record(only.campaign, events=[merged, blocked], actor="user", cause="import", at=stage.clock.now())
    if together:
        stage.commands().lead_groups.contact_again(only.campaign, ["anna1"])
    else:
        stage.commands().leads.contact_again(only.campaign, "anna1")
    only.run()
    assert state_of(stage, "anna1") == ("", "approved")


def test_erasing_reaches_whom_another_account_knows_by_the_same_name_and_address(stage: Stage) -> None:
    leads = {"one": "ada-1", "two": "ada-2", "three": "bo-3"}
    for account, lead in leads.items():
        made = stage.commands().campaigns.create(account, "-", site="linkedin", account=account, settings=MESSAGE_ONLY)
        ada = {
            "full_name": "Ada Quill" if lead.startswith("ada") else "Bo Else",
            "email": "ADA@x.example",
            "position": 1,
            "import_id": "i",
        }
        url = f"https://www.linkedin.com/in/{lead}"
        stage.note_elsewhere(made, Event("LeadImported", lead, {**ada, "profile_url": url, "member_key": url}))
    campaign = stage.one("SELECT campaign_id FROM leads WHERE id='ada-1'")
    assert stage.commands().people.erase(campaign, "ada-1").leads == 2
    assert [word for word in ("Ada Quill", "in/ada-") if word in everything(stage)] == []
    assert stage.one("SELECT full_name FROM leads WHERE id='bo-3'") == "Bo Else", (
        "another person reads that mailbox, too"
    )


def test_whose_message_is_in_the_users_hands_is_neither_left_nor_moved_nor_answered_about(stage: Stage) -> None:
    first, second = two_campaigns(stage)
    their_lead, own_lead = first.hand_over(no_reply=True), lead_in(stage, second.campaign)
    commands = stage.commands().people
    with pytest.raises(OutriderError, match="being sent"):
        commands.move_here(second.campaign, own_lead)
    with pytest.raises(OutriderError, match="being sent"):
        commands.answer_same(
            [str(first.lead(their_lead, "member_key")), "https://www.linkedin.com/in/else"], same=False
        )
    commands.contact_anyway(second.campaign, own_lead, "she asked")
    second.run()
    second.hand_over(no_reply=True)
    with pytest.raises(OutriderError, match="being sent"):
        commands.leave(second.campaign, own_lead)


def test_moving_here_ends_the_other_sequence_and_moving_back_undoes_it(stage: Stage) -> None:
    first, second = two_campaigns(stage)
    their_lead, own_lead = lead_in(stage, first.campaign), lead_in(stage, second.campaign)
    commands = stage.commands().people
    commands.move_here(second.campaign, own_lead)
    second.run()
    assert state_of(stage, their_lead) == ("taken_over", "cancelled")
    assert state_of(stage, own_lead) == ("", "approved")
    assert first.state().people == ()
    commands.move_here(first.campaign, their_lead)
    first.run()
    assert state_of(stage, own_lead) == ("taken_over", "cancelled")
    assert (state_of(stage, their_lead), second.lead(own_lead, "contact_anyway")) == (("", "approved"), "")
    assert second.state().people == ()


def test_what_was_sent_before_a_move_stays_sent(stage: Stage) -> None:
    first, second = two_campaigns(stage)
    their_lead, own_lead = first.hand_over(no_reply=True), lead_in(stage, second.campaign)
    first.say(their_lead, Word.SENT)
    first.leave()
    commands = stage.commands().people
    commands.move_here(second.campaign, own_lead)
    commands.move_here(first.campaign, their_lead)
    assert state_of(stage, their_lead) == ("", "sent")
    assert state_of(stage, own_lead)[0] == "taken_over"


ANNA = "https://www.linkedin.com/in/anna-berg"
OTHER_ANNA = "https://www.linkedin.com/in/anna-berg-2"


def known_as(
    stage: Stage, campaign: str, lead_id: str, url: str, name: str = "Anna Berg", email: str = "anna@acme.example"
) -> None:
    stage.note_elsewhere(
        campaign,
        Event(
            "LeadImported",
            lead_id,
            {
                "full_name": name,
                "profile_url": url,
                "member_key": url,
                "email": email,
                "connected_on": "2024-01-01",
                "position": 1,
                "import_id": "i",
            },
        ),
    )


def two_annas(stage: Stage) -> tuple[Desk, Desk]:
    """Approved in the first campaign; with the second import it is asked whether she is the same person."""
    first = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders"), LocalOnly())
    known_as(stage, first.campaign, "anna1", ANNA)
    first.run()
    second = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Data roles"), LocalOnly())
    known_as(stage, second.campaign, "anna2", OTHER_ANNA)
    second.run()
    assert (state_of(stage, "anna1"), state_of(stage, "anna2")) == (("", "approved"), ("in_doubt", ""))
    return first, second


def test_saying_that_they_are_one_person_revokes_approvals_and_leaves_them_to_one_campaign(stage: Stage) -> None:
    first, _ = two_annas(stage)
    settled = stage.commands().people.answer_same([ANNA, OTHER_ANNA], same=True)
    assert settled.messages_waiting == 1
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    assert state_of(stage, "anna1") == ("", "draft")
    first.run()  # approved again, for the one that both are
    assert state_of(stage, "anna1") == ("", "approved")
    assert stage.database.query(people.lead_ids, "anna2") == ["anna1", "anna2"]


def test_who_is_left_to_another_campaign_by_an_answer_has_nothing_waiting_in_this_one(stage: Stage) -> None:
    """Both sequences had begun when the files told that they may be one person."""
    desks = {}
    for lead, url in (("anna1", ANNA), ("anna2", OTHER_ANNA)):
        desks[lead] = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name=lead), LocalOnly())
        known_as(stage, desks[lead].campaign, lead, url, email=f"{lead}@acme.example")
        desks[lead].run()
    assert [state_of(stage, lead) for lead in desks] == [("", "approved")] * 2
    stage.note_elsewhere(desks["anna1"].campaign, Event("LeadMerged", "anna1", {"email": "anna2@acme.example"}))
    for it in desks.values():
        it.leave()
    assert [state_of(stage, lead) for lead in desks] == [("in_doubt", "draft")] * 2
    assert set(stage.query("SELECT status FROM tasks WHERE kind='reach_lead'")) == {("blocked",)}
    stage.commands().people.answer_same([ANNA, OTHER_ANNA], same=True)
    blocked_lead, going = sorted(desks, key=lambda lead: state_of(stage, lead)[0], reverse=True)
    assert (state_of(stage, blocked_lead), state_of(stage, going)) == (
        ("in_touch_elsewhere", "cancelled"),
        ("", "draft"),
    )
    statuses = dict(stage.query("SELECT lead_id, status FROM tasks WHERE kind='reach_lead'"))
    assert statuses == {blocked_lead: "cancelled", going: "in_progress"}
    desks[blocked_lead].run()
    assert stage.status(desks[blocked_lead].campaign) == "completed"


def test_an_answer_that_names_one_address_under_two_names_revokes_approvals_and_waits_for_acts(stage: Stage) -> None:
    first = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders"), LocalOnly())
    known_as(stage, first.campaign, "anna1", ANNA)
    first.run()
    assert state_of(stage, "anna1") == ("", "approved")
    keys = [named_key(ANNA, stage.one("SELECT full_name FROM leads WHERE id='anna1'")), named_key(ANNA, "Bo Else")]
    with stage.database.read() as connection:
        assert people.leads_of_members(connection, keys) == ["anna1"]
        assert people.leads_of_members(connection, keys[1:]) == []
    commands = stage.commands().people
    first.hand_over(no_reply=True)
    with pytest.raises(OutriderError) as refused:
        commands.answer_same(keys, same=False)
    assert refused.value.code == "person_under_way"
    first.say("anna1", Word.NOT_SENT)
    first.leave()
    assert commands.answer_same(keys, same=False).messages_waiting == 1
    assert state_of(stage, "anna1") == ("", "draft")


def test_taking_the_answer_back_parts_them_revokes_again_and_says_what_was_sent_stays(stage: Stage) -> None:
    first, second = two_annas(stage)
    commands = stage.commands().people
    answer = commands.answer_same([ANNA, OTHER_ANNA], same=False).answer_id
    first.run()
    second.run()
    assert [state_of(stage, lead)[1] for lead in ("anna1", "anna2")] == ["approved", "approved"]
    handed = first.hand_over(no_reply=True)
    first.say(handed, Word.SENT)
    first.leave()
    assert commands.take_answer_back(answer).messages_waiting == 1
    assert (state_of(stage, "anna1")[1], state_of(stage, "anna2")[1]) == ("sent", "draft")
    assert stage.database.query(people.count_in_doubt, second.campaign) == 1
    with pytest.raises(OutriderError, match="no such answer"):
        commands.take_answer_back(answer)
    assert second.state().people == (), "nothing goes to somebody of whom it is asked who they are"


def test_an_answer_is_given_once_and_not_the_other_way(stage: Stage) -> None:
    two_annas(stage)
    commands = stage.commands().people
    with pytest.raises(OutriderError, match="Nobody asks"):
        commands.answer_same([ANNA, ANNA], same=True)
    assert commands.answer_same([ANNA, OTHER_ANNA], same=False).answer_id
    assert commands.answer_same([OTHER_ANNA, ANNA], same=False).answer_id == ""
    with pytest.raises(OutriderError, match="the other way"):
        commands.answer_same([ANNA, OTHER_ANNA], same=True)


def test_nobody_is_said_to_be_the_same_as_somebody_erased(stage: Stage) -> None:
    """The question may be open in a page when another one erases them; the answer would bring back who they were."""
    first, _ = two_annas(stage)
    stage.commands().people.erase(first.campaign, "anna1")
    for same in (True, False):
        with pytest.raises(OutriderError, match="Nobody asks"):
            stage.commands().people.answer_same([ANNA, OTHER_ANNA], same=same)
    assert stage.query("SELECT 1 FROM identity_answers") == []


def test_letting_a_campaign_write_anyway_does_not_settle_who_they_are(stage: Stage) -> None:
    first = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Water founders"), LocalOnly())
    known_as(stage, first.campaign, "anna1", ANNA)
    first.run()
    second = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name="Data roles"), LocalOnly())
    known_as(stage, second.campaign, "anna2", ANNA)
    second.run()
    known_as(stage, second.campaign, "anna3", OTHER_ANNA)
    stage.commands().people.contact_anyway(second.campaign, "anna2", "she asked")
    second.run()
    assert state_of(stage, "anna2")[1] == ""

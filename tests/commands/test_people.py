"""What is stored about a person is erased everywhere, the chains hold, and they are not imported again unnoticed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.contact_keys import ContactDetails, person_keys
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.store.log import replay, verification
from backend.store.queries import do_not_contact, person_entries
from tests.fakes.campaign import MESSAGE_ONLY, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    assert replay.find_differences(made.database) == []
    with made.database.read() as connection:
        assert [one.broken for one in verification.verify(connection) if one.broken] == []
    made.close()


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
    again = {"full_name": name, "profile_url": f"https://example.org/{key}", "member_key": key, "position": 9}
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


def test_who_was_erased_is_known_when_imported_again_and_may_be_allowed_again(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY)
    lead, key, url = stage.query("SELECT id, member_key, profile_url FROM leads ORDER BY id LIMIT 1")[0]
    stage.commands().people.erase(campaign, lead)
    again = stage.campaign(2, settings=MESSAGE_ONLY, name="Again")
    with stage.database.read() as connection:
        assert do_not_contact.listed(connection, [key, "nobody"]) == {key}
        (found,) = connection.execute(
            "SELECT id FROM leads WHERE campaign_id=? AND member_key=?", (again, key)
        ).fetchone()
        assert do_not_contact.is_do_not_contact(connection, found)
    stage.commands().leads.contact_again(again, found)
    with stage.database.read() as connection:
        assert do_not_contact.listed(connection, person_keys(ContactDetails(key, url))) == set()


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

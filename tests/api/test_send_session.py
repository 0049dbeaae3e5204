"""The send session over the API: the people of the day, hand-over, words, taking back, and what is refused."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.events.facts.message import ApprovalGiven, ApprovalRevoked
from backend.domain.events.facts.task import TaskDeferred
from backend.domain.events.facts.workspace import ConfigSet
from backend.domain.events.record_loss import RECORDS_LOST
from backend.domain.model.campaign import DAY, Settings
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.model.sequence import Sequence, Step
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from tests.api import by_hand
from tests.api.app import App
from tests.api.runs import ask, follow
from tests.store.test_log import tampering

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture
def made(app: App, tmp_path: Path) -> str:
    """Three people, three approved notes."""
    campaign = by_hand.make(app.workspace, tmp_path)
    by_hand.start_and_approve(app, campaign)
    return campaign


def session(app: App, campaign: str) -> Any:
    return ask(app, f"/api/send?campaign={campaign}")


def do(app: App, campaign: str, what: str, **body: object) -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}/send-session/{what}", body)
    assert answer.ok, answer.text
    return answer.json if answer.text else None


def campaign_settings(connection: DatabaseConnection, campaign_id: str) -> Settings:
    row = campaigns.campaign(connection, campaign_id)
    assert row is not None
    return row.settings


def say(app: App, campaign: str, **more: object) -> Any:
    """A word about the first person, as they are shown now."""
    first = session(app, campaign)["people"][0]
    return do(app, campaign, "answer", lead_id=first["lead_id"], ask=first["ask"], action_id=first["action_id"], **more)


def take(app: App, campaign: str, **more: object) -> Any:
    """Hand the first person's text over; the person."""
    first = session(app, campaign)["people"][0]
    do(app, campaign, "hand-over", lead_id=first["lead_id"], digest=first["digest"], **more)
    return first


def test_the_people_of_the_day_are_gone_through_and_the_funnel_tells_it(app: App, made: str) -> None:
    names = []
    while people := session(app, made)["people"]:
        first = people[0]
        assert (first["ask"], first["kind"]) == ("invite", "invitation")
        handed = do(app, made, "hand-over", lead_id=first["lead_id"], digest=first["digest"])
        assert handed == {"text": first["text"], "profile_url": first["profile_url"], "kind": "invitation"}
        assert first["name"].split()[0] in handed["text"]
        say(app, made, word="sent")
        names.append(first["name"])
    assert sorted(names) == ["Clara Yilmaz", "Elena Okonkwo", "Thandi Holm"]
    do(app, made, "leave")
    assert ask(app, f"/api/campaigns/{made}")["leads"] == {"contacted": 3}
    (invitations, _) = session(app, made)["used"]
    assert (invitations["family"], invitations["used"]) == ("invite", 3)


def test_who_is_skipped_comes_back_when_it_was_said_on_the_next_working_day(app: App, made: str) -> None:
    shown = session(app, made)
    offset = shown["utc_offsets"][-1]["ms"]
    today = (shown["now"] + offset) // DAY
    day_after = (today + 2) * DAY - offset
    days = tuple(sorted({(today + 3) % 7, (today + 5) % 7}))  # day 0 of the epoch was a Thursday
    settings = app.workspace.database.query(campaign_settings, made)
    settings = settings.model_copy(update={"limits": settings.limits.model_copy(update={"work_days": days})})
    app.record(made, Event("CampaignEdited", made, {"settings": settings.model_dump_json()}))
    first, second, _ = session(app, made)["people"]
    assert first["skipped_until"] == day_after
    say(app, made, word="skip")
    do(app, made, "leave")
    with app.workspace.database.read() as connection:
        query = "SELECT lead_id, id, ready_at FROM tasks WHERE lead_id IS NOT NULL"
        tasks = {lead: (task, ready) for lead, task, ready in connection.execute(query)}
    assert tasks[first["lead_id"]][1] == day_after

    tomorrow_noon = (today + 1) * DAY + DAY // 2 - offset
    app.record(made, TaskDeferred(tasks[second["lead_id"]][0], ready_at=tomorrow_noon))
    (summary,) = ask(app, f"/api/today?campaign={made}")["campaigns"]
    coming = {row["lead_id"]: row["ready_at"] for row in summary["next"]}
    assert coming[first["lead_id"]] == coming[second["lead_id"]] == day_after, "nothing is due on a free day"
    for screen in ("leads", "tasks"):
        rows = ask(app, f"/api/campaigns/{made}/{screen}")["rows"]
        at = {row.get("lead_id", row["id"]): row["ready_at"] for row in rows}
        assert at[first["lead_id"]] == at[second["lead_id"]] == day_after, "every screen names the same time"


def test_what_could_be_done_now_is_not_said_to_be_due_now_while_its_hours_are_over(app: App, made: str) -> None:
    shown = session(app, made)
    offset = shown["utc_offsets"][-1]["ms"]
    today = (shown["now"] + offset) // DAY
    with app.workspace.database.read() as connection:
        settings = campaign_settings(connection, made)
    tomorrow = (today + 4) % 7  # day 0 of the epoch was a Thursday
    limits = settings.limits.model_copy(update={"work_days": (tomorrow,), "day_starts": 0})
    settings = settings.model_copy(update={"limits": limits})
    app.record(made, Event("CampaignEdited", made, {"settings": settings.model_dump_json()}))
    rows = ask(app, f"/api/campaigns/{made}/leads")["rows"]
    acting = [row["ready_at"] for row in rows if row["needs"] in ("look", "invite", "message")]
    assert acting
    assert set(acting) == {(today + 1) * DAY - offset}


def test_what_was_handed_over_is_asked_about_until_it_is_answered(app: App, made: str) -> None:
    first = take(app, made)
    again = session(app, made)["people"][0]
    assert (again["lead_id"], again["ask"], again["text"]) == (first["lead_id"], "outcome", first["text"])
    assert again["words"] == ["sent", "not_sent", "replied", "connected", "wrong_person", "skip"]
    taken = {"lead_id": first["lead_id"], "digest": first["digest"]}
    assert app.ask(f"/api/campaigns/{made}/send-session/hand-over", taken).code == "already_handed_over"
    assert do(app, made, "hand-over", **taken, action_id=again["action_id"])["text"] == first["text"]


def test_a_limit_that_leaves_no_room_for_what_was_handed_over_stands_on_its_card(app: App, made: str) -> None:
    take(app, made)
    assert session(app, made)["people"][0]["advice"] == []
    settings = app.workspace.database.query(campaign_settings, made)
    limits = settings.limits.model_copy(update={"invitations_a_day": 0})
    settings = settings.model_copy(update={"limits": limits})
    app.record(made, Event("CampaignEdited", made, {"settings": settings.model_dump_json()}))
    (advice,) = session(app, made)["people"][0]["advice"]
    assert advice["code"] == "daily_limit"


def test_after_entries_were_lost_the_user_is_told_to_look_first_and_can_say_that_it_was_sent(
    app: App, made: str
) -> None:
    assert not any(person["look_first"] for person in session(app, made)["people"])
    lost = ConfigSet(RECORDS_LOST, value=canonical({"accepted_at": app.services.clock(made).now(), "missing": ["it"]}))
    journal = app.workspace.journal
    journal.record(made, events=[lost], actor="user", cause="records lost, accepted", at=0)
    first, *others = session(app, made)["people"]
    assert first["look_first"], "nobody has looked since"
    say(app, made, word="already_sent")
    do(app, made, "leave")
    assert ask(app, f"/api/campaigns/{made}")["leads"] == {"contacted": 1, "pending": 2}
    assert [person["lead_id"] for person in session(app, made)["people"]] == [person["lead_id"] for person in others]
    (invitations, _) = session(app, made)["used"]
    assert invitations["used"] == 0
    again = take(app, made)
    assert not session(app, made)["people"][0]["look_first"], f"{again['name']} was looked at"


def damage(app: App, made: str) -> None:
    app.launch.log_check.close()  # its round comes when the test says so
    with contextlib.closing(tampering(app.workspace.settings.database)) as somebody:
        somebody.execute("UPDATE event_log SET actor='somebody' WHERE campaign_id=? AND seq=3", (made,))
    with pytest.raises(OutriderError, match="broken at entry 3"):
        app.launch.log_check.verify_again()


def test_damage_that_the_background_check_finds_ends_the_session_with_its_reason(app: App, made: str) -> None:
    first = session(app, made)["people"][0]
    damage(app, made)
    now = session(app, made)
    assert now["people"] == []
    assert "broken at entry 3" in now["held"][0]
    answer = app.ask(
        f"/api/campaigns/{made}/send-session/hand-over",
        {"lead_id": first["lead_id"], "digest": first["digest"], "no_reply": False},
    )
    assert answer.code == "log_broken"


def test_a_word_from_a_window_that_shows_what_was_asked_before_settles_nothing(app: App, made: str) -> None:
    first = take(app, made)
    stale = {"lead_id": first["lead_id"], "ask": first["ask"], "action_id": first["action_id"]}
    answer = f"/api/campaigns/{made}/send-session/answer"
    assert app.ask(answer, {**stale, "word": "wrong_person"}).code == "person_not_waiting"
    # The text is on the clipboard: to put them off until tomorrow would say that it was not sent.
    do(app, made, "answer", **stale, word="skip")
    do(app, made, "leave")
    assert session(app, made)["people"][0]["ask"] == "outcome"


def test_a_slip_is_taken_back_until_the_next_word(app: App, made: str) -> None:
    first = take(app, made)
    say(app, made, word="sent")
    assert session(app, made)["last"] == {
        "campaign_id": made,
        "lead_id": first["lead_id"],
        "name": first["name"],
        "word": "sent",
    }
    do(app, made, "take-back")
    assert session(app, made)["people"][0]["ask"] == "outcome"
    say(app, made, word="not_sent")
    do(app, made, "leave")
    assert app.ask(f"/api/campaigns/{made}/send-session/take-back", {}).code == "nothing_to_take_back"
    assert ask(app, f"/api/campaigns/{made}")["leads"] == {"pending": 3}


def test_a_pasted_reply_is_in_the_inbox_and_stops_the_sequence(app: App, made: str) -> None:
    take(app, made)
    say(app, made, word="replied", reply="No, thank you.")
    (thread,) = ask(app, f"/api/campaigns/{made}/threads?state=replied")["rows"]
    assert thread["last"]["text"] == "No, thank you."


def test_what_is_refused_has_its_code(app: App, made: str, campaign: str) -> None:
    path = f"/api/campaigns/{made}/send-session"
    first = session(app, made)["people"][0]
    for what, body, code in (
        ("hand-over", {"lead_id": first["lead_id"], "digest": "0" * 64}, "approval_text_changed"),
        ("hand-over", {"lead_id": "nobody", "digest": first["digest"]}, "person_not_waiting"),
        ("answer", {"lead_id": first["lead_id"], "ask": "invite", "word": "sent"}, "answer_not_offered"),
        ("answer", {"lead_id": first["lead_id"], "ask": "invite", "word": "perhaps"}, "bad_request"),
        (
            "answer",
            {"lead_id": first["lead_id"], "ask": "invite", "word": "replied", "reply": "x" * 8_001},
            "bad_request",
        ),
    ):
        assert app.ask(f"{path}/{what}", body).code == code
    assert app.ask(f"/api/send?campaign={campaign}").code == "not_sent_by_hand"
    assert app.ask("/api/send?campaign=nobody").code == "campaign_unknown"


def test_a_message_needs_a_look_for_a_reply_first(app: App, tmp_path: Path) -> None:
    only = Sequence(steps=(Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),))
    campaign = by_hand.make(app.workspace, tmp_path, only)
    by_hand.start_and_approve(app, campaign)
    first = session(app, campaign)["people"][0]
    assert first["ask"] == "write"
    path = f"/api/campaigns/{campaign}/send-session/hand-over"
    assert app.ask(path, {"lead_id": first["lead_id"], "digest": first["digest"]}).code == "send_held"
    take(app, campaign, no_reply=True)


def incident(app: App, campaign: str) -> None:
    seen = {"account": LINKEDIN_ACCOUNT, "kind": "logged_out", "said": "Log in", "status": "open", "opened_at": 1}
    app.record(campaign, Event("IncidentOpened", "i1", seen))


@pytest.mark.parametrize("meanwhile", [incident, damage])
def test_whether_a_text_may_be_copied_once_more_is_shown_before_it_is_asked_for(
    app: App, made: str, meanwhile: Callable[[App, str], None]
) -> None:
    first = take(app, made)
    assert session(app, made)["people"][0]["held"] == ""
    meanwhile(app, made)
    (shown,) = session(app, made)["people"]
    taken = {"lead_id": first["lead_id"], "digest": first["digest"], "action_id": shown["action_id"]}
    refused = app.ask(f"/api/campaigns/{made}/send-session/hand-over", taken).json
    assert refused["code"] == ("log_broken" if meanwhile is damage else "send_held")
    assert shown["held"] != ""
    assert shown["held"].rstrip(".") in refused["sentence"]


def test_a_stopped_campaign_hands_over_nothing_and_says_why(app: App, made: str) -> None:
    assert app.ask(f"/api/campaigns/{made}/stop", {}).status == 204
    follow(app, lambda: app.run_service.is_idle)
    assert session(app, made)["people"] == []
    (paused,) = session(app, made)["paused"]
    assert (paused["id"], paused["approved"]) == (made, 3)
    assert session(app, made)["held"] == []


def test_an_approval_that_expired_while_the_campaign_was_stopped_is_neither_counted_nor_called_ready(
    app: App, made: str
) -> None:
    assert app.ask(f"/api/campaigns/{made}/stop", {}).status == 204
    follow(app, lambda: app.run_service.is_idle)
    sql = "SELECT id, message_id, digest FROM approvals ORDER BY id LIMIT 1"
    with app.workspace.database.read() as connection:
        approval, message, digest = connection.execute(sql).fetchone()
        (lead,) = connection.execute("SELECT lead_id FROM messages WHERE id=?", (message,)).fetchone()
    app.record(made, ApprovalRevoked(approval))
    expired = ApprovalGiven("a9", message_id=message, digest=digest, given_by="user", expires_at=9, created_at=1)
    app.record(made, expired)
    assert [paused["approved"] for paused in session(app, made)["paused"]] == [2]
    (today,) = ask(app, f"/api/today?campaign={made}")["campaigns"]
    coming = {row["lead_id"]: (row["ready_at"] is None, row["reason"]) for row in today["next"]}
    assert coming.pop(lead) == (True, "Your approval of this message has expired.")
    assert list(coming.values()) == [(False, "")] * 2
    gates = {text["lead_id"]: text["gates"] for text in ask(app, f"/api/campaigns/{made}/outgoing")["rows"]}
    (shut,) = [gate["sentence"] for gate in gates[lead] if gate["code"] == "approved" and not gate["passes"]]
    assert shut == "Your approval of this message has expired.", "as Review says"


def test_a_later_export_is_compared_and_names_whom_it_is_about(app: App, made: str, tmp_path: Path) -> None:
    person = take(app, made)
    say(app, made, word="sent")
    do(app, made, "leave")
    me, day = "https://www.linkedin.com/in/robin-example", time.strftime("%m/%d/%y, 1:45 AM", time.gmtime())
    export = tmp_path / "Invitations.csv"
    header = "From,To,Sent At,Message,Direction,inviterProfileUrl,inviteeProfileUrl"
    export.write_text(f'{header}\nRobin,{person["name"]},"{day}",,OUTGOING,{me},{person["profile_url"]}\n', "utf-8")
    comparison = app.ask("/api/reconciliation", {"ticket": app.upload(export.name, export.read_bytes())}).json
    assert (comparison["counts"]["people"], comparison["counts"]["confirmed"]) == (1, 1)
    named = {"campaign_id": made, "lead_id": person["lead_id"], "name": person["name"], "change": "confirmed"}
    assert comparison["people"] == [named]
    again = app.ask("/api/reconciliation", {"ticket": app.upload(export.name, export.read_bytes())}).json
    assert (again["counts"]["confirmed"], again["people"]) == (0, [])

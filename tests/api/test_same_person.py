"""One person in several campaigns: every screen says with which one they are, and what is asked of who they are is answered."""

from pathlib import Path
from typing import Any

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles import read_leads
from backend.commands.lead_import import import_leads
from backend.domain.events.events import Event
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.sequence import Sequence, Step
from backend.domain.people.past_contact import ANSWERED
from tests.api.app import App
from tests.api.by_hand import ANY_HOUR, start_and_approve
from tests.api.runs import follow, idle

HELLO = Sequence(steps=(Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),))
HEADER = "First Name,Last Name,Email Address,Company,Position,URL,Connected On\n"
ANNA = "Anna,Berg,anna@acme.example,Acme,CTO,https://www.linkedin.com/in/anna-berg,15 Mar 2024\n"
RENAMED = "Anna,Berg,anna@acme.example,Acme,CTO,https://www.linkedin.com/in/anna-b-77,15 Mar 2024\n"
NAMESAKE = "Tom,Vik,,Fern,CEO,https://www.linkedin.com/in/anna-berg,15 Mar 2024\n"
JON = "Jon,Vik,,Fern,CEO,https://www.linkedin.com/in/jon-vik,15 Mar 2024\n"


def campaign_with(app: App, folder: Path, name: str, rows: str) -> str:
    channel, workspace = CHANNELS[ASSIST], app.workspace
    made = workspace.commands().campaigns.create_on(channel, name, "Talk", channel.settings(HELLO, limits=ANY_HOUR))
    file = folder / f"{name}.csv"
    file.write_text(HEADER + rows, "utf-8")
    source = read_leads(file)
    import_leads(workspace.journal, SystemClock(), made, source, file=file.name, file_format=source.format.name)
    return made


def wrote_before(app: App, campaign: str) -> None:
    """The file of the campaign's one lead shows that they wrote to the user, long ago."""
    lead = rows_of(app, campaign)[0]["id"]
    event = Event("LeadBlocked", lead, {"blocked": ANSWERED})
    app.workspace.journal.record(campaign, events=[event], actor="controller", cause="import", at=1)


def rows_of(app: App, campaign: str, **filters: str) -> list[dict[str, Any]]:
    asked = "&".join(f"{name}={value}" for name, value in filters.items())
    rows: list[dict[str, Any]] = app.ask(f"/api/campaigns/{campaign}/leads?{asked}").json["rows"]
    return rows


def named(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["full_name"] == name)


def questions_of(app: App, campaign: str) -> dict[str, Any]:
    asked: dict[str, Any] = app.ask(f"/api/campaigns/{campaign}/same-person").json
    return asked


def answer_to(question: dict[str, Any], same: bool | None, together: list[list[str]] | None = None) -> dict[str, Any]:
    return {name: question[name] for name in ("account", "key", "shown")} | {"same": same, "together": together or []}


@pytest.fixture
def both(app: App, tmp_path: Path) -> tuple[str, str]:
    """The first has approved messages to Anna and Jon; the second has Anna, too."""
    first = campaign_with(app, tmp_path, "Water founders", ANNA + JON)
    start_and_approve(app, first, texts=2)
    app.ask(f"/api/campaigns/{first}/stop", {})
    follow(app, lambda: idle(app))
    return first, campaign_with(app, tmp_path, "Pumps", ANNA)


def test_every_screen_says_with_which_campaign_a_person_is(app: App, both: tuple[str, str]) -> None:
    first, second = both
    (anna,) = rows_of(app, second)
    assert anna["note"]["held"]
    assert anna["note"]["elsewhere"].startswith("With “Water founders” since ")
    assert anna["note"]["elsewhere"].endswith(": planned.")
    assert not anna["note"]["before"]
    assert [row["full_name"] for row in rows_of(app, second, person="elsewhere")] == ["Anna Berg"]
    assert rows_of(app, first, person="elsewhere") == []
    assert app.ask(f"/api/campaigns/{second}/leads/facets").json["elsewhere"] == 1
    detail = app.ask(f"/api/campaigns/{second}/leads/{anna['id']}").json
    assert (detail["with_lead"]["campaign_name"], detail["with_lead"]["contact"]) == ("Water founders", "planned")
    assert detail["waiting"]["sentence"] == anna["note"]["elsewhere"]
    assert named(rows_of(app, first), "Anna Berg")["note"] == {
        "elsewhere": "",
        "anyway": "",
        "doubt": "",
        "here": False,
        "before": False,
        "held": False,
    }


def test_somebody_is_contacted_anyway_with_a_reason_that_the_draft_and_the_send_card_show(
    app: App, both: tuple[str, str]
) -> None:
    _, second = both
    (anna,) = rows_of(app, second)
    at = f"/api/campaigns/{second}/people/{anna['id']}"
    assert app.ask(f"{at}/contact-anyway", {"reason": " "}).code == "contact_reason_missing"
    assert app.ask(f"{at}/contact-anyway", {"reason": "they asked at the fair"}).ok
    start_and_approve(app, second, texts=1)
    (card,) = app.ask(f"/api/send?campaign={second}").json["people"]
    note = card["note"]
    assert (note["anyway"], note["held"]) == ("they asked at the fair", False)
    assert note["elsewhere"].startswith("With “Water founders”")
    (waiting,) = app.ask(f"/api/campaigns/{second}/outgoing").json["rows"]
    assert waiting["note"] == note
    assert app.ask(f"{at}/leave", {}).ok
    assert app.ask(f"/api/send?campaign={second}").json["people"] == []


def test_a_person_is_moved_here_and_back(app: App, both: tuple[str, str]) -> None:
    first, second = both
    (mine,), theirs = rows_of(app, second), named(rows_of(app, first), "Anna Berg")
    assert app.ask(f"/api/campaigns/{second}/people/{mine['id']}/move-here", {}).ok
    detail = app.ask(f"/api/campaigns/{second}/leads/{mine['id']}").json
    assert detail["moved_from"]["lead_id"] == theirs["id"]
    left = app.ask(f"/api/campaigns/{first}/leads/{theirs['id']}").json
    assert (left["line"]["blocked"], left["moved_to"]["campaign_name"]) == ("taken_over", "Pumps")
    waiting = app.ask(f"/api/campaigns/{first}/outgoing").json["rows"]
    assert [message["recipient"] for message in waiting] == ["Jon Vik"]
    assert app.ask(f"/api/campaigns/{first}/people/{theirs['id']}/move-here", {}).ok
    assert named(rows_of(app, first), "Anna Berg")["blocked"] == ""


def test_a_question_shows_both_side_by_side_and_its_answer_can_be_taken_back(app: App, tmp_path: Path) -> None:
    first = campaign_with(app, tmp_path, "Water founders", ANNA)
    start_and_approve(app, first, texts=1)
    second = campaign_with(app, tmp_path, "Pumps", RENAMED + JON)
    asked = questions_of(app, second)
    (question,) = asked["questions"]
    assert (asked["held"], question["kind"], question["more"]) == (1, "two_addresses", 0)
    shown = [person["leads"][0] for person in question["people"]]
    assert sorted(lead["campaign_name"] for lead in shown) == ["Pumps", "Water founders"]
    assert [row["full_name"] for row in rows_of(app, second, person="in_doubt")] == ["Anna Berg"]
    today = app.ask("/api/today").json
    assert [row["needs"]["tell_apart"] for row in today["campaigns"]] == [1, 1]
    assert today["same_person"] == 1, "one question, about people of both"
    assert [card["name"] for card in app.ask(f"/api/send?campaign={first}").json["people"]] == []
    answered = app.ask("/api/same-person/answer", {"answers": [answer_to(question, True)]}).json
    assert (len(answered["answers"]), answered["messages_waiting"], answered["error"]) == (1, 1, None)
    assert questions_of(app, second)["questions"] == []
    (line,) = app.ask("/api/same-person/answers").json["rows"]
    assert (line["same"], [len(person["leads"]) for person in line["people"]]) == (True, [2])
    assert app.ask("/api/same-person/take-back", {"answers": answered["answers"]}).ok
    assert len(questions_of(app, second)["questions"]) == 1
    assert app.ask("/api/same-person/answers").json["rows"] == []


def test_who_is_in_one_campaign_twice_is_not_said_to_be_with_another(app: App, tmp_path: Path) -> None:
    campaign = campaign_with(app, tmp_path, "Water founders", ANNA + RENAMED)
    (question,) = questions_of(app, campaign)["questions"]
    app.ask("/api/same-person/answer", {"answers": [answer_to(question, True)]})
    at = f"/api/campaigns/{campaign}"
    app.ask(f"{at}/start", {})
    reasons = {"", "in_touch_elsewhere"}
    follow(
        app,
        lambda: app.ask(at).json["needs"]["approve"] == 1 and {r["blocked"] for r in rows_of(app, campaign)} == reasons,
    )
    (row,) = [row for row in rows_of(app, campaign) if row["note"]["here"]]
    assert row["note"] == {**row["note"], "held": True, "elsewhere": "In this campaign already, as Anna Berg."}
    (draft,) = app.ask(f"{at}/drafts").json["rows"]
    approved = app.ask(f"{at}/drafts/{draft['id']}/approve", {"shown_digest": draft["digest"], "hidden_shown": []})
    assert approved.ok, approved.json
    (row,) = [row for row in rows_of(app, campaign) if row["note"]["here"]]
    assert row["note"]["elsewhere"].startswith("In this campaign already, as Anna Berg, since ")
    assert app.ask(f"/api/campaigns/{campaign}/leads/{row['id']}").json["with_lead"]["campaign_id"] == campaign


def test_an_answer_counts_only_for_those_who_were_shown(app: App, tmp_path: Path) -> None:
    campaign_with(app, tmp_path, "Water founders", ANNA)
    second = campaign_with(app, tmp_path, "Pumps", RENAMED)
    (question,) = questions_of(app, second)["questions"]
    campaign_with(app, tmp_path, "Third", RENAMED.replace("anna-b-77", "anna-b-78"))
    assert app.ask("/api/same-person/answer", {"answers": [answer_to(question, True)]}).code == "identity_not_asked"


def test_two_who_came_with_one_address_in_two_campaigns_are_told_apart(app: App, tmp_path: Path) -> None:
    campaign_with(app, tmp_path, "Water founders", ANNA)
    second = campaign_with(app, tmp_path, "Pumps", NAMESAKE)
    (question,) = questions_of(app, second)["questions"]
    assert question["kind"] == "two_names"
    assert app.ask("/api/same-person/answer", {"answers": [answer_to(question, False)]}).ok
    assert questions_of(app, second)["questions"] == []
    assert not rows_of(app, second)[0]["note"]["held"]


def test_of_three_it_is_chosen_who_belong_together(app: App, tmp_path: Path) -> None:
    campaign_with(app, tmp_path, "Water founders", ANNA)
    campaign_with(app, tmp_path, "Pumps", RENAMED)
    third = campaign_with(app, tmp_path, "Third", RENAMED.replace("anna-b-77", "anna-b-78"))
    (question,) = questions_of(app, third)["questions"]
    leads = [person["leads"][0]["lead_id"] for person in question["people"]]
    answered = app.ask("/api/same-person/answer", {"answers": [answer_to(question, None, [leads[:2]])]}).json
    assert len(answered["answers"]) == 2
    assert questions_of(app, third)["questions"] == []
    sizes = sorted(len(app.ask("/api/same-person/answers").json["rows"][n]["people"]) for n in range(2))
    assert sizes == [1, 2]


def test_an_import_says_who_is_with_another_campaign_and_who_is_asked_about(
    app: App, both: tuple[str, str], tmp_path: Path
) -> None:
    _, second = both
    file = tmp_path / "more.csv"
    file.write_text(HEADER + JON + RENAMED + NAMESAKE.replace("anna-berg", "tom-vik"), "utf-8")
    ticket = app.upload(file.name, file.read_bytes())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket, "campaign_id": second}).json["people"]
    assert seen == {"with_campaigns": {"Water founders": 1}, "in_touch": 0, "asked": 1}
    source = read_leads(file)
    workspace = app.workspace
    brought = import_leads(workspace.journal, SystemClock(), second, source, file=file.name, file_format="mapped")
    assert app.ask(f"/api/campaigns/{second}/imports/{brought.import_id}/people").json == seen


def test_somebody_who_was_left_again_can_still_be_moved_here(app: App, both: tuple[str, str]) -> None:
    _, second = both
    (mine,) = rows_of(app, second)
    at = f"/api/campaigns/{second}/people/{mine['id']}"
    assert app.ask(f"{at}/contact-anyway", {"reason": "she asked"}).ok
    assert app.ask(f"{at}/leave", {}).ok
    assert app.ask(f"{at}/move-here", {}).ok
    assert app.ask(f"/api/campaigns/{second}/leads/{mine['id']}").json["moved_from"] is not None


def test_who_was_in_touch_before_by_file_is_with_no_campaign_in_any_of_theirs(app: App, tmp_path: Path) -> None:
    first, second = (campaign_with(app, tmp_path, name, ANNA) for name in ("Water founders", "Pumps"))
    wrote_before(app, first)
    for campaign in (first, second):
        (anna,) = rows_of(app, campaign)
        assert (anna["note"]["before"], anna["note"]["held"]) == (True, True)
        assert anna["note"]["elsewhere"].startswith("The file they came with shows that they have messaged you before.")


def test_an_import_says_who_was_contacted_by_a_campaign_that_is_gone(app: App, tmp_path: Path) -> None:
    workspace = app.workspace
    gone = campaign_with(app, tmp_path, "Gone", ANNA)
    lead = rows_of(app, gone)[0]["id"]
    invited = Event("LeadAdvanced", lead, {"invited_at": 1, "relation": "pending"})
    workspace.journal.record(gone, events=[invited], actor="controller", cause="turn", at=1)
    workspace.commands().campaigns.delete(gone)
    file = tmp_path / "again.csv"
    file.write_text(HEADER + ANNA + JON, "utf-8")
    second = campaign_with(app, tmp_path, "Pumps", NAMESAKE.replace("anna-berg", "tom-vik"))
    ticket = app.upload(file.name, file.read_bytes())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket, "campaign_id": second}).json["people"]
    assert seen == {"with_campaigns": {}, "in_touch": 1, "asked": 0}
    source = read_leads(file)
    brought = import_leads(workspace.journal, SystemClock(), second, source, file=file.name, file_format="mapped")
    assert app.ask(f"/api/campaigns/{second}/imports/{brought.import_id}/people").json == seen


BEFORE = "https://www.linkedin.com/in/anna-before"
LISTED_ANNA = {"person": BEFORE, "name": "Anna Berg"}


def test_who_has_the_name_of_somebody_on_the_list_is_held_until_the_user_says_who_it_is(
    app: App, tmp_path: Path
) -> None:
    """Her vanity address changed since she asked not to be contacted."""
    app.ask("/api/do-not-contact", LISTED_ANNA)
    campaign = campaign_with(app, tmp_path, "Pumps", ANNA + JON)
    (question,) = questions_of(app, campaign)["questions"]
    assert (question["kind"], question["on_list"]) == ("on_list", [BEFORE])
    anna = named(rows_of(app, campaign), "Anna Berg")
    assert anna["note"]["doubt"] == question["reason"]

    answered = app.ask("/api/same-person/answer", {"answers": [answer_to(question, same=False)]}).json
    assert (len(answered["answers"]), answered["forbidden"]) == (1, {})
    assert questions_of(app, campaign)["questions"] == []
    app.ask("/api/same-person/take-back", {"answers": answered["answers"]})

    (question,) = questions_of(app, campaign)["questions"]
    answered = app.ask("/api/same-person/answer", {"answers": [answer_to(question, same=True)]}).json
    assert answered["forbidden"] == {anna["id"]: campaign}
    assert questions_of(app, campaign)["questions"] == []
    assert app.ask(f"/api/campaigns/{campaign}/leads/{anna['id']}").json["do_not_contact"]
    app.ask(f"/api/campaigns/{campaign}/leads/{anna['id']}/contact", {})
    assert len(questions_of(app, campaign)["questions"]) == 1


def test_whoever_is_the_person_on_the_list_is_forbidden_in_all_campaigns_or_different_from_all(
    app: App, tmp_path: Path
) -> None:
    for entry in (LISTED_ANNA, LISTED_ANNA | {"person": f"{BEFORE}-2"}):
        app.ask("/api/do-not-contact", entry)
    first = campaign_with(app, tmp_path, "Pumps", ANNA)
    second = campaign_with(app, tmp_path, "Valves", ANNA)
    (question,) = questions_of(app, first)["questions"]
    answered = app.ask("/api/same-person/answer", {"answers": [answer_to(question, same=False)]}).json
    assert (len(answered["answers"]), questions_of(app, first)["questions"]) == (2, [])
    app.ask("/api/same-person/take-back", {"answers": answered["answers"]})
    (question,) = questions_of(app, second)["questions"]
    twice = {"answers": [answer_to(question, same=True), answer_to(question, same=True)]}
    answered = app.ask("/api/same-person/answer", twice).json
    assert set(answered["forbidden"].values()) == {first, second}
    assert answered["error"]["code"] == "identity_not_asked"


def test_a_file_with_the_name_of_somebody_on_the_list_says_so_before_it_is_imported(app: App, tmp_path: Path) -> None:
    app.ask("/api/do-not-contact", LISTED_ANNA)
    campaign = campaign_with(app, tmp_path, "Pumps", JON)
    ticket = app.upload("more.csv", (HEADER + ANNA).encode())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket, "campaign_id": campaign}).json["people"]
    assert seen["asked"] == 1


def test_a_question_says_of_whom_that_they_are_on_the_list_or_wrote_before(app: App, tmp_path: Path) -> None:
    first, second = campaign_with(app, tmp_path, "Water founders", ANNA), campaign_with(app, tmp_path, "Pumps", RENAMED)
    wrote_before(app, first)
    app.ask("/api/do-not-contact", {"person": "https://www.linkedin.com/in/anna-berg"})
    (question,) = questions_of(app, second)["questions"]
    deciding = {person["leads"][0]["campaign_name"]: person["decides"] for person in question["people"]}
    assert deciding["Pumps"] == []
    assert deciding["Water founders"][0] == "On the do-not-contact list."
    assert len(deciding["Water founders"]) == 2


def test_a_name_that_leaves_the_list_holds_nobody(app: App, tmp_path: Path) -> None:
    campaign = campaign_with(app, tmp_path, "Pumps", ANNA)
    app.ask("/api/do-not-contact", LISTED_ANNA)
    assert questions_of(app, campaign)["held"] == 1
    (entry,) = app.ask("/api/do-not-contact").json["rows"]
    app.ask("/api/do-not-contact/remove", {"entry_id": entry["id"]})
    assert questions_of(app, campaign)["held"] == 0

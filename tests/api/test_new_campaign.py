"""A campaign of one's own: looked at before it is made, made once, its file brought in, and then it runs to drafts."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from backend.app import launch
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.campaign import DAY
from backend.domain.model.scoring import Blueprint, scorer, summary
from backend.practice.people import PersonCard
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact.actions import AccountUsage
from backend.store.queries.leads import scored_leads
from tests.api.app import App
from tests.api.runs import follow
from tests.fakes.site import DirectPracticeSite, direct_site, practice_exchange

CONNECTIONS = Path(__file__).parents[1] / "data" / "Connections.csv"
INVITE = {"kind": "invitation", "after_days": 0, "template": "Hi {first_name}, {topic}"}
WHOLE = {
    "key": "k1",
    "name": " Talks ",
    "goal": "Find editors.",
    "topic": "I would like your view.",
    "site": "practice",
    "steps": [INVITE],
}


def connections(app: App) -> dict[str, object]:
    """The lead file as it is named when a campaign is made."""
    return {"ticket": app.upload("Connections.csv", CONNECTIONS.read_bytes())}


def create(app: App, **changed: object) -> str:
    answer = app.ask("/api/campaigns", {**WHOLE, "file": None, **changed})
    assert answer.status == 201, answer.text
    made: str = answer.json["campaign_id"]
    return made


def brought_in(app: App, **changed: object) -> tuple[str, Any]:
    """A campaign with its file: its id, and what became of the rows."""
    with app.hearing() as socket:
        made = create(app, **{"file": connections(app), **changed})
        assert socket.import_ended()["error"] is None
    return made, app.ask(f"/api/campaigns/{made}/imports").json["rows"][0]


def test_a_channel_that_needs_consent_is_refused_without_it(app: App) -> None:
    choices = app.ask("/api/campaigns/new").json
    assert [site["id"] for site in choices["sites"] if site["needs_consent"]] == ["linkedin_drive"]
    for site, code in (("linkedin_drive", "channel_needs_consent"), ("linkedin", "channel_unknown")):
        answer = app.ask("/api/campaigns", {**WHOLE, "file": None, "site": site})
        assert (answer.status, answer.code) == (422, code)
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_a_goal_in_plain_words_is_what_leads_are_scored_by_from_the_start_and_is_shown_first(app: App) -> None:
    goals = ("Reach recruiters in health tech", "Talk with beekeepers about pollination", "I would like your view.")
    reader = {"full_name": "Ada Lane", "company": "Fern"}
    seen = []
    for number, goal in enumerate(goals):
        shown = app.ask("/api/campaigns/new/preview", {"goal": goal, "steps": [INVITE], "readers": [reader]}).json[
            "scoring"
        ]
        made = create(app, key=f"goal-{number}", name="Goal", goal=goal)
        view = app.ask(f"/api/campaigns/{made}/scoring").json["blueprint"]
        criteria = json.dumps({"criteria": [line["criterion"] for line in view["criteria"]]})
        assert shown == list(summary(Blueprint.model_validate_json(criteria)))
        seen.append(criteria)
    assert "recruiter" in seen[0]
    assert "health" in seen[0]
    assert "beekeepers" in seen[1]
    assert not any("founder" in criteria for criteria in seen), "not the same people for everyone"
    assert len(set(seen)) == len(goals)


def test_the_scores_that_are_shown_before_are_those_that_the_people_have_then(app: App) -> None:
    goal = "Reach engineers and founders in water"
    file = connections(app) | {"filter": {"company": "a"}}
    shown = app.ask("/api/campaigns/new/scores", {"goal": goal, "file": file}).json
    made, _ = brought_in(app, goal=goal, file=file)
    with app.workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, made)
        assert campaign is not None
        points = scorer(campaign.settings.blueprint)
        leads = scored_leads.leads_after(connection, made, "", 100)
    counts = Counter(points(lead.fields) for lead in leads)
    assert shown == {"counts": [counts[score] for score in range(101)], "whole": True}
    assert 1 < len(leads) < 38
    assert len(counts) > 1


def test_nobody_gets_points_for_what_the_file_has_no_column_for(app: App) -> None:
    goal = "Reach recruiters in health tech"
    asked = {"goal": goal, "steps": [INVITE], "readers": [{"full_name": "Ada Lane", "company": "Fern"}]}
    for header, row, has_titles in (
        ("Full name,Profile,Company", "Ada Lane,https://www.linkedin.com/in/ada,Fern", False),
        ("Full name,Profile,Title,Connected on", "Ada Lane,https://www.linkedin.com/in/ada,CTO,2024-03-01", True),
    ):
        ticket = app.upload("people.csv", f"{header}\n{row}\n".encode())
        columns = app.ask("/api/lead-files/preview", {"ticket": ticket}).json["columns"]
        mapping = {column["field"]: column["name"] for column in columns if column["field"]}
        shown = app.ask("/api/campaigns/new/preview", {**asked, "fields": [*mapping]}).json["scoring"]
        with app.hearing() as socket:
            file = {"ticket": ticket, "mapping": mapping}
            made = create(app, key=f"file-{has_titles}", name="Goal", goal=goal, file=file)
            assert socket.import_ended()["error"] is None
        view = app.ask(f"/api/campaigns/{made}/scoring").json["blueprint"]
        criteria = json.dumps({"criteria": [line["criterion"] for line in view["criteria"]]})
        assert shown == list(summary(Blueprint.model_validate_json(criteria)))
        assert ("job_title" in criteria, "connected_on" in criteria) == (has_titles, has_titles)


def test_only_people_whom_the_filter_takes_come_into_the_new_campaign(app: App) -> None:
    people = "First Name,Last Name,URL,Company,Job title,Connection degree\nAnn,A,linkedin.com/in/ann,Fern,Editor,2nd\n"
    people += "Ben,B,linkedin.com/in/ben,Oak,Cook,1st\n"
    mapping = {**NAMED, "profile_url": "URL", "job_title": "Job title"}
    file = {"ticket": app.upload("people.csv", people.encode()), "mapping": mapping, "filter": {"title": "editor"}}
    assert app.ask("/api/lead-files/preview", file).json["preset"] == "invite_and_write"
    made, done = brought_in(app, file=file)
    assert (done["accepted"], done["filtered_out"]) == (1, 1)
    assert [lead["full_name"] for lead in app.ask(f"/api/campaigns/{made}/leads").json["rows"]] == ["Ann A"]


def test_for_linkedin_s_connections_the_sequence_to_begin_with_invites_nobody(app: App) -> None:
    ticket = app.upload("Connections.csv", CONNECTIONS.read_bytes())
    shown = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    assert shown["contacts"] == shown["good"] - shown["forecast"]["duplicates"] > 0
    (suited,) = (preset for preset in app.ask("/api/campaigns/new").json["presets"] if preset["id"] == shown["preset"])
    assert [step["kind"] for step in suited["steps"]] == ["message", "message"]


def test_every_preset_is_previewed_without_a_problem(app: App) -> None:
    for preset in app.ask("/api/campaigns/new").json["presets"]:
        asked = {
            "goal": WHOLE["goal"],
            "steps": preset["steps"],
            "readers": [{"full_name": "Ada Lane", "company": "Fern"}],
        }
        preview = app.ask("/api/campaigns/new/preview", asked).json
        assert preview["problem"] == ""
        assert [step["problem"] for step in preview["people"][0]["steps"]] == ["" for _ in preset["steps"]]
        assert all("Ada" in step["text"] and step["length"] <= step["limit"] for step in preview["people"][0]["steps"])


def test_no_message_quotes_the_goal_and_what_it_is_about_is_said_apart(app: App) -> None:
    steps = [INVITE, {"kind": "message", "template": "Hi {first_name}, {goal}"}]
    asked = {"goal": "Find editors.", "topic": "A talk in May.", "steps": steps, "readers": [{"full_name": "Ada"}]}
    topical, pasted = app.ask("/api/campaigns/new/preview", asked).json["people"][0]["steps"]
    assert topical["text"] == "Hi Ada, A talk in May."
    assert "no variable {goal}" in pasted["problem"]
    for refused in ({"steps": steps}, {"topic": " "}):
        assert app.ask("/api/campaigns", {**WHOLE, "file": None, **refused}).code == "sequence_invalid"
    made = create(app, key="said")
    shown = app.ask(f"/api/campaigns/{made}/settings").json
    assert (shown["goal"], shown["topic"]) == ("Find editors.", "I would like your view.")
    body = {name: shown[name] for name in ("version", "name", "goal", "limits")}
    assert app.ask(f"/api/campaigns/{made}/settings", {**body, "topic": " A walk. "}).ok
    assert app.ask(f"/api/campaigns/{made}/settings").json["topic"] == "A walk."


def test_a_step_s_conditions_are_looked_at_kept_and_shown_in_the_campaign_s_sequence(app: App) -> None:
    tagged = {"what": "tag", "value": "VIP"}
    message = {"kind": "message", "template": "Hi {first_name}"}
    steps = [INVITE, {**message, "only_if": [tagged]}, {"kind": "end", "only_if": [{**tagged, "negated": True}]}]
    asked = {"goal": "x", "steps": steps, "readers": [{"full_name": "Ada"}]}
    preview = app.ask("/api/campaigns/new/preview", asked).json
    assert (preview["problem"], [step["text"] for step in preview["people"][0]["steps"][1:]]) == ("", ["Hi Ada", ""])
    made = create(app, steps=steps)
    stored = app.ask(f"/api/campaigns/{made}/sequence").json["requested"]["steps"]
    assert [(step["kind"], len(step["only_if"])) for step in stored] == [
        ("visit", 0), ("invitation", 0), ("message", 1), ("end", 1)
    ]  # fmt: skip
    early = [{**message, "only_if": [{"what": "accepted", "days": 7}]}]
    assert app.ask("/api/campaigns", {**WHOLE, "key": "k2", "file": None, "steps": early}).code == "sequence_invalid"


def test_the_ramp_is_told_for_the_acts_of_the_steps_and_the_limits_hold_in_the_campaign(app: App) -> None:
    sites = {site["id"]: site for site in app.ask("/api/campaigns/new").json["sites"]}
    assert [sites[name]["by_hand"] for name in ("linkedin_assist", "practice", "linkedin_drive")] == [
        True,
        False,
        False,
    ]
    limits = {**sites["practice"]["limits"], "invitations_a_day": 5, "ramp_days": 7}
    asked = {"goal": "x", "steps": [INVITE], "readers": [{"full_name": "Ada"}], "site": "practice", "limits": limits}
    (sentence,) = app.ask("/api/campaigns/new/preview", asked).json["ramp"]
    assert sentence.startswith("If you begin on ")
    assert re.search(r"\bup to 5( invitations a day| from )", sentence), sentence
    assert app.ask(f"/api/campaigns/{create(app, limits=limits)}/settings").json["limits"] == limits
    usual = app.ask(f"/api/campaigns/{create(app, key='k2', site='linkedin_assist')}/settings").json["limits"]
    assert usual == sites["linkedin_assist"]["limits"]
    wrong = {**limits, "invitations_a_day": 101}
    assert app.ask("/api/campaigns", {**WHOLE, "key": "k3", "file": None, "limits": wrong}).status == 400
    for hours, field in (({"day_starts": 1_000, "day_ends": 900}, "“To”"), ({"work_days": []}, "“Days”")):
        answer = app.ask("/api/campaigns", {**WHOLE, "key": "k4", "file": None, "limits": {**limits, **hours}})
        assert (answer.status, answer.code) == (422, "hours_empty")
        assert field in answer.json["sentence"]
    assert len(app.ask("/api/campaigns").json["campaigns"]) == 2, "nothing was made of what was refused"


def test_the_ramp_of_an_account_that_has_sent_is_told_from_today_on(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = AccountUsage(0, 0, None, app.services.turn_inputs(WORKSPACE).now - 4 * DAY, None)
    monkeypatch.setattr("backend.store.queries.contact.actions.usage", lambda *_: sent)
    asked = {"goal": "x", "steps": [INVITE], "readers": [{"full_name": "Ada"}]}
    for site, begins in (("linkedin_assist", "Up to "), ("practice", "If you begin on ")):
        (sentence,) = app.ask("/api/campaigns/new/preview", {**asked, "site": site}).json["ramp"]
        assert sentence.startswith(begins)


def test_a_preview_names_what_is_wrong(app: App) -> None:
    steps = [{**INVITE, "template": "Hi {firstname}"}, INVITE, {**INVITE, "kind": "message", "template": ""}]
    asked = {"goal": "x", "steps": steps, "readers": [{"full_name": "Ada"}]}
    preview = app.ask("/api/campaigns/new/preview", asked).json
    assert "{firstname}" in preview["people"][0]["steps"][0]["problem"]
    assert preview["people"][0]["steps"][2]["problem"]
    assert "only one invitation" in preview["problem"]


def test_a_table_of_no_known_kind_is_read_as_the_user_says(app: App) -> None:
    ticket = app.upload("people.csv", b"Who;Works for\nAda Lovelace;Engines\n")
    mapping = {"full_name": "Who", "company": "Works for"}
    campaign, counts = brought_in(app, file={"ticket": ticket, "mapping": mapping})
    assert (counts["accepted"], counts["format"]) == (1, "mapped")
    (lead,) = app.ask(f"/api/campaigns/{campaign}/leads").json["rows"]
    assert (lead["full_name"], lead["company"]) == ("Ada Lovelace", "Engines")


def test_a_file_that_cannot_be_brought_in_makes_no_campaign(app: App) -> None:
    unknown, nobody = app.upload("other.csv", b"a,b\n1,2\n"), {"email": "b"}
    for file, code in (
        ({"ticket": unknown}, "lead_file_unknown_format"),
        ({"ticket": unknown, "mapping": nobody}, "lead_file_no_name_column"),
        ({"ticket": app.upload("none.csv", b"")}, "lead_file_empty"),
        ({"ticket": "made-up"}, "file_ticket_unknown"),
    ):
        assert app.ask("/api/campaigns", {**WHOLE, "file": file}).code == code
    assert app.ask("/api/campaigns").json["campaigns"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "  "},
        {"goal": ""},
        {"goal": "x" * 1_001},
        {"steps": []},
        {"site": "nowhere"},
        {"key": ""},
        {"more": 1},
        {"steps": [{**INVITE, "after_days": 91}]},
        {"steps": [{**INVITE, "template": "{nobody}"}]},
        {"steps": [{**INVITE, "template": "x" * 201}]},
    ],
)
def test_a_campaign_that_could_not_work_is_refused_whole(app: App, wrong: dict[str, object]) -> None:
    answer = app.ask("/api/campaigns", {**WHOLE, "file": None, **wrong})
    assert answer.status in (400, 422), answer.text
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_a_request_repeated_after_a_lost_answer_makes_one_campaign(app: App) -> None:
    first, counts = brought_in(app)
    again, repeated = brought_in(app)
    assert (again, repeated["accepted"]) == (first, 0)
    assert repeated["unchanged"] + repeated["merged"] == counts["accepted"] + counts["unchanged"]
    assert create(app, key="k2") != first


def test_what_a_campaign_still_needs_is_said(app: App) -> None:
    empty = create(app)
    (row,) = app.ask("/api/campaigns").json["campaigns"]
    assert (row["id"], row["name"], row["missing"]) == (empty, "Talks", "leads")
    full, _ = brought_in(app, key="k2")
    assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == ""
    with app.workspace.journal.transaction() as transaction:  # a crash in mid-import leaves this behind
        started = Event("ImportStarted", "zzzz", {"file": "a.csv", "format": "x", "created_at": 1})
        transaction.record(full, [started], actor="user", cause="import", at=1)
    assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == "import"


def test_an_own_campaign_runs_to_drafts_on_the_practice_network(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign, counts = brought_in(app)

    def site(*_: object, **__: object) -> DirectPracticeSite:
        exchange = practice_exchange()
        with app.workspace.database.read() as connection:
            leads = connection.execute("SELECT profile_url, full_name, job_title, company FROM leads").fetchall()
        cards = [PersonCard(url.rpartition("/")[2], *row) for url, *row in leads if url]
        exchange.record(lambda network: network.enrol(cards, network.now))
        return direct_site(exchange)

    monkeypatch.setattr(launch, "practice_site", site)
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: bool(app.ask(f"/api/campaigns/{campaign}").json["needs"]["approve"]))
    view = app.ask(f"/api/campaigns/{campaign}").json
    (draft, *_) = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    people = app.ask("/api/lead-files/preview", connections(app)).json["rows"]
    readers = [{"full_name": person["full_name"], "company": person["company"]} for person in people[:3]]
    asked = {name: WHOLE[name] for name in ("goal", "topic", "steps")}
    shown = app.ask("/api/campaigns/new/preview", {**asked, "readers": readers}).json["people"]
    assert [person["steps"][0]["text"] for person in shown] == [
        f"Hi {person['full_name'].split()[0]}, I would like your view." for person in people[:3]
    ]
    assert draft["text"] in {person["steps"][0]["text"] for person in shown}, "previewed as it is written"
    assert sum(view["leads"].values()) == counts["accepted"]


# --- whom the texts are for ---


def test_of_earlier_contact_the_degree_and_since_when_are_offered_for_texts_under_the_names_kept(app: App) -> None:
    header = "First Name,Last Name,Profile,Do Not Contact,Last contacted,Replied,Connection degree,City,Kontakt seit"
    row = "Ada,Lane,https://www.linkedin.com/in/ada-lane,,2026-11-02,,2nd,Leeds,2019"
    ticket = app.upload("export.csv", f"{header}\n{row}\n".encode())
    assert app.ask("/api/lead-files/preview", {"ticket": ticket}).json["variables"] == [
        "degree",
        "city",
        "kontakt_seit",
    ]
    columns = {"first_name": "First Name", "last_name": "Last Name", "profile_url": "Profile"}
    made, _ = brought_in(app, file={"ticket": ticket, "mapping": columns})
    offered = app.ask(f"/api/campaigns/{made}/sequence").json["variables"]
    assert {"degree", "city", "kontakt_seit"} <= set(offered)
    assert not {"past_contact", "last_contacted", "replied", "do_not_contact"} & set(offered)


HILLS = "".join(f"Ben,Hill{letter},,York\n" for letter in "abcdefghi")
CITIES = f"First Name,Last Name,Company,City\nAda,Lane,Fern,Leeds\n{HILLS}Cara,Moss,Oak,\n,,x,y\n"
NAMED = {"first_name": "First Name", "last_name": "Last Name", "company": "Company"}
CITY = {**INVITE, "template": "Hi {first_name} in {city}"}


def test_a_file_says_what_else_its_texts_can_say_and_how_many_lack_what(app: App) -> None:
    seen = app.ask("/api/lead-files/preview", {"ticket": app.upload("people.csv", CITIES.encode())}).json
    assert seen["variables"] == ["city"]
    assert {name: seen["lacking"].get(name, 0) for name in ("first_name", "company", "city")} == {
        "first_name": 0, "company": 9, "city": 1
    }  # fmt: skip
    assert seen["rows"][0]["more"] == {"city": "Leeds"}


def test_a_degree_is_shown_as_it_is_kept(app: App) -> None:
    people = "First Name,Last Name,Company,Connection degree\nAda,Lane,Fern,2nd\n"
    seen = app.ask("/api/lead-files/preview", {"ticket": app.upload("people.csv", people.encode())}).json
    assert {column["name"]: column["samples"] for column in seen["columns"]}["Connection degree"] == ["2"]


def test_anybody_in_the_file_is_found_by_the_beginnings_of_their_name(app: App) -> None:
    ticket = app.upload("people.csv", CITIES.encode())

    def found(words: str) -> list[str]:
        rows = app.ask("/api/lead-files/find", {"ticket": ticket, "mapping": NAMED, "words": words}).json["rows"]
        return [row["full_name"] for row in rows]

    assert found("mo ca") == ["Cara Moss"]
    assert found("HILL") == [f"Ben Hill{letter}" for letter in "abcdefgh"]
    assert found("oss") == []
    assert app.ask("/api/lead-files/find", {"ticket": "none", "words": ""}).code == "file_ticket_unknown"


def test_a_preview_names_what_is_not_known_of_that_person(app: App) -> None:
    asked = {"goal": "x", "steps": [CITY], "readers": [{"full_name": "Cara Moss"}], "columns": ["city"]}
    (step,) = app.ask("/api/campaigns/new/preview", asked).json["people"][0]["steps"]
    assert (step["missing"], step["uses"], step["problem"]) == (["city"], ["first_name", "city"], "")
    (step,) = app.ask("/api/campaigns/new/preview", {**asked, "columns": []}).json["people"][0]["steps"]
    assert "{city}" in step["problem"]


def test_a_column_of_the_file_may_stand_in_a_text_and_without_the_file_may_not(app: App) -> None:
    assert app.ask("/api/campaigns", {**WHOLE, "steps": [CITY], "file": None}).code == "sequence_invalid"
    campaign, _ = brought_in(
        app, steps=[CITY], file={"ticket": app.upload("people.csv", CITIES.encode()), "mapping": NAMED}
    )
    texts = {}
    for lead in app.ask(f"/api/campaigns/{campaign}/leads").json["rows"]:
        (step,) = app.ask(f"/api/campaigns/{campaign}/leads/{lead['id']}/texts").json["steps"]
        texts[lead["full_name"]] = (step["text"], step["missing"])
    assert texts["Ada Lane"] == ("Hi Ada in Leeds", [])
    assert texts["Cara Moss"] == ("Hi Cara in {city}", ["city"])
    assert app.ask(f"/api/campaigns/{campaign}/leads/nobody/texts").code == "lead_unknown"


OTHER_TOOL = """First Name,Last Name,Company,LinkedIn URL,Do Not Contact,Last Replied At,Degree,Lead status
Ilse,Tarnow,Example Pumps,https://www.linkedin.com/in/ilse-tarnow-example,true,,,
Ravi,Molnar,Example Data,https://www.linkedin.com/in/ravi-molnar-example,false,2026-10-05,,
Kim,Voss,Voss,https://www.linkedin.com/in/kim-voss-9,false,,1st,Nurture
"""


def test_what_a_file_says_of_past_contact_is_shown_before_the_import(app: App) -> None:
    chosen = {"ticket": app.upload("people.csv", OTHER_TOOL.encode())}
    seen = app.ask("/api/lead-files/preview", chosen).json
    assert seen["past_sentences"] == [
        "1 said no in your old tool: they go on the do-not-contact list.",
        "1 has already replied: left out.",
        "1 is already your connection.",
        "“Lead status” says “Nurture” for 1 person: not understood, so it changes nothing.",
    ]
    assert {name: seen["past"][name] for name in ("refused", "answered", "connected")} == {
        "refused": 1, "answered": 1, "connected": 1
    }  # fmt: skip
    assert {name: seen["forecast"][name] for name in ("forbidden", "in_touch", "ready")} == {
        "forbidden": 1, "in_touch": 1, "ready": 1
    }  # fmt: skip
    assert {column["name"]: column["understood_as"] for column in seen["columns"] if column["field"] is None} == {
        "Do Not Contact": "Do not contact",
        "Last Replied At": "Replied",
        "Degree": "Connection degree",
        "Lead status": "Lead status",
    }
    again = app.ask("/api/lead-files/preview", {**chosen, "write_again": True}).json
    assert (again["past"]["refused"], again["past"]["answered"]) == (1, 0), "who said no is never written to"


def test_what_is_typed_of_a_campaign_is_kept_until_it_is_empty(app: App) -> None:
    for typed in ({"name": "Talk", "form": "{}"}, {"name": "Talks", "form": '{"version":1}'}, {"name": "", "form": ""}):
        assert app.ask("/api/campaigns/new/draft", typed).json == typed
        assert app.ask("/api/campaigns/new/draft").json == typed


def test_a_person_who_is_erased_is_erased_from_what_is_typed_of_a_campaign(app: App) -> None:
    made, _ = brought_in(app)
    with app.launch.services.database.read() as connection:
        lead, name = connection.execute("SELECT id, full_name FROM leads WHERE campaign_id=?", (made,)).fetchone()
    form = json.dumps({"steps": [{"kind": "message", "template": f"Like {name}, you"}]})
    app.ask("/api/campaigns/new/draft", {"name": f"Friends of {name}", "form": form})
    app.ask(f"/api/campaigns/{made}/people/{lead}/erase", {})
    left = app.ask("/api/campaigns/new/draft").json
    assert name not in json.dumps(left)
    assert json.loads(left["form"])["steps"] == [{"kind": "message", "template": "Like (erased) (erased), you"}]

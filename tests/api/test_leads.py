"""Leads over the API: windows, search, what is set by hand, imports and exports."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from backend.api import leads as lead_api
from backend.domain.events.events import Event
from backend.domain.model.campaign import Settings
from backend.domain.model.lead import LeadStatus
from backend.store.queries.leads import lead_list as queries
from tests.adapters.leadfiles.workbooks import Sheets, write_workbook
from tests.api.app import App
from tests.stored_rows import first_row

CSV = Path(__file__).parents[1] / "data" / "Connections.csv"


def people(app: App, campaign: str, *rows: dict[str, Any]) -> list[str]:
    """More leads, as an import would make them."""
    ids = [f"lead-{n}" for n in range(len(rows))]
    events = [
        Event(
            "LeadImported",
            id_,
            {"full_name": f"Zz {n}", "profile_url": f"u/{n}", "member_key": f"m{n}", "position": n, **row},
        )
        for n, (id_, row) in enumerate(zip(ids, rows, strict=True))
    ]
    app.record(campaign, *events)
    return ids


@pytest.fixture
def empty(app: App) -> str:
    """A campaign without leads."""
    return app.workspace.commands().campaigns.create("C", "g", site="practice", account="a", settings=Settings())


def test_a_person_is_found_in_every_campaign_the_open_one_first_and_by_name_before_other_words(
    app: App, empty: str
) -> None:
    commands = app.workspace.commands()
    others = [
        commands.campaigns.create(name, "g", site="practice", account="a", settings=Settings())
        for name in ("Spring", "Gone")
    ]
    for n, campaign in enumerate([empty, *others]):
        for who, row in {"here": {"full_name": "Zoë Ada"}, "firm": {"full_name": "Bo", "company": "Zoe & Co"}}.items():
            fields = {"profile_url": f"u/{who}", "member_key": who, "position": n, **row}
            app.record(campaign, Event("LeadImported", f"{who}{n}", fields))
    commands.campaigns.delete(others[1])

    def found(words: str, near: str = "") -> list[tuple[str, str]]:
        answer = app.ask(f"/api/find/people?{urlencode({'words': words, 'near': near})}").json
        return [(person["id"], person["campaign"]) for person in answer["people"]]

    assert found("zoe", others[0]) == [("here1", "Spring"), ("here0", "C"), ("firm1", "Spring"), ("firm0", "C")]
    assert found("zoe ad", empty)[0] == ("here0", "C")
    assert {id_ for id_, _ in found("ada")} == {"here0", "here1"}
    assert found("nobody") == found(" . ") == found("zoe' OR 1") == []


def listed(app: App, campaign: str, **query: object) -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}/leads?{urlencode(query)}")
    assert answer.ok, answer.text
    return answer.json


def names(page: Any) -> list[str]:
    return [row["id"] for row in page["rows"]]


@pytest.mark.parametrize("sort", queries.SORTS)
@pytest.mark.parametrize("backwards", ["0", "1"])
def test_windows_by_cursor_and_by_skipping_are_the_same_list_without_gap_or_repetition(
    app: App, empty: str, sort: str, backwards: str
) -> None:
    people(app, empty, *[
        {"weight_score": n % 4 * 10, "company": ["", "acme", "Acme"][n % 3], "job_title": ["CTO", ""][n % 2],
         "status": ["pending", "contacted"][n % 2], "full_name": f"Ada {n % 5}", "last_sent_at": n % 3 or None}
        for n in range(23)
    ])  # fmt: skip
    whole = names(listed(app, empty, sort=sort, backwards=backwards))
    assert len(whole) == len(set(whole)) == 23
    walked, after = [], ""
    while page := listed(app, empty, sort=sort, backwards=backwards, limit=4, after=after):
        walked += names(page)
        after = page["next"] or ""
        if not after:
            break
    assert walked == whole
    for skip in (0, 7, 22, 23):
        assert names(listed(app, empty, sort=sort, backwards=backwards, skip=skip, limit=5)) == whole[skip : skip + 5]
    second = listed(app, empty, sort=sort, backwards=backwards, limit=4)["next"]
    assert names(listed(app, empty, sort=sort, backwards=backwards, after=second, skip=3, limit=2)) == whole[7:9]


def test_the_default_order_is_the_planners(app: App, empty: str) -> None:
    people(app, empty,
        {"weight_score": 90}, {"weight_score": 10, "priority_override": 95}, {"weight_score": 90, "profile_updated_at": 5},
        {"weight_score": None}, {"weight_score": 99, "priority_override": 0},
    )  # fmt: skip
    assert names(listed(app, empty)) == ["lead-1", "lead-2", "lead-0", "lead-4", "lead-3"]


def test_filters_narrow_and_count(app: App, empty: str) -> None:
    ids = people(app, empty,
        {"status": "responded", "company": "Acme"}, {"blocked": "no_profile_url", "company": "acme"},
        {"priority_override": 5, "tags": ["vip", "Zürich"]},
        {"extra": {"Seniority": "Director", "Team Size": "5"}},
    )  # fmt: skip
    for query, expected in (
        ({"status": "responded"}, [0]), ({"blocked": 1}, [1]), ({"manual": 1}, [2]), ({"tag": "vip"}, [2]),
        ({"company": "Acme"}, [0]), ({"tag": "vip", "status": "responded"}, []), ({"text": "acme", "blocked": 1}, [1]),
        ({"field": "Seniority", "value": "Director"}, [3]), ({"field": "team_size", "value": "5", "status": "pending"}, [3]),
        ({"field": "Seniority", "value": "5"}, []), ({"field": "seniority", "value": "Director", "manual": 1}, []),
        ({}, [0, 1, 2, 3]),
    ):  # fmt: skip
        page = listed(app, empty, sort="position", **query)
        assert (names(page), page["total"]) == ([ids[n] for n in expected], len(expected)), query
    facets = app.ask(f"/api/campaigns/{empty}/leads/facets").json
    counts = {"elsewhere": 0, "in_doubt": 0}
    assert facets == {"statuses": {"responded": 1, "pending": 3}, "tags": ["Zürich", "vip"]} | counts


@pytest.mark.parametrize(
    ("typed", "positions"),
    [
        ("ad", [0]), ("ADA LOV", [0]), ("zurich", [1]), ("zürich anal", [1]), ("mathem", [0]), ("nobody", []), ('"', [0, 1, 2]),
        ("' OR 1=1 --", []), ("ada AND NOT", []), ("a*b^c:d", []), ("\u200b", [0, 1, 2]), ("ᦰ", [0, 1, 2]), ("李", [2]),
    ],
)  # fmt: skip
def test_search_finds_words_by_their_beginning_and_takes_nothing_typed_for_syntax(
    app: App, empty: str, typed: str, positions: list[int]
) -> None:
    ids = people(app, empty, {"full_name": "Ada Lovelace", "notes": "Mathematics"},
                 {"full_name": "Bob", "job_title": "Analyst", "tags": ["Zürich"]}, {"full_name": "李 小龙"})  # fmt: skip
    assert names(listed(app, empty, sort="position", text=typed)) == [ids[n] for n in positions]


def test_search_follows_what_is_changed_and_stays_in_its_campaign(app: App, empty: str, campaign: str) -> None:
    (lead,) = people(app, empty, {"full_name": "Ada"})
    path = f"/api/campaigns/{empty}/leads/{lead}"
    assert app.ask(f"{path}/note", {"text": "prefers tea"}).ok
    assert names(listed(app, empty, text="tea")) == [lead]
    assert app.ask(f"{path}/note", {"text": "prefers coffee"}).ok
    assert names(listed(app, empty, text="tea")) == []
    assert app.ask(f"{path}/tags", {"tags": [" vip ", "VIP", "x"]}).json["tags"] == ["vip", "x"]
    assert names(listed(app, empty, text="vip")) == [lead]
    assert app.ask(f"{path}/tags", {"tags": []}).ok
    assert names(listed(app, empty, text="vip")) == []
    assert names(listed(app, campaign, text="coffee")) == []


def test_limits_have_codes(app: App, empty: str) -> None:
    (lead,) = people(app, empty, {})
    path = f"/api/campaigns/{empty}/leads/{lead}"
    for where, body, code in (
        ("priority", {"priority": 101}, "priority_out_of_range"), ("priority", {"priority": "9"}, "bad_request"),
        ("tags", {"tags": ["x" * 41]}, "tags_not_usable"), ("note", {"text": "x" * 10_001}, "note_too_long"),
    ):  # fmt: skip
        assert app.ask(f"{path}/{where}", body).code == code
    nobody = app.ask(f"/api/campaigns/{empty}/leads/nobody")
    assert nobody.code == "lead_unknown"
    assert "nobody" not in nobody.text, "an id says nothing to a person"
    assert app.ask(f"/api/campaigns/{empty}/leads?after=[1]").code == "lead_list_changed"
    assert app.ask(f"/api/campaigns/{empty}/leads?sort=none").code == "bad_request"


def test_a_lead_of_another_campaign_is_not_to_be_had(app: App, empty: str, campaign: str) -> None:
    (lead,) = people(app, empty, {})
    for path, body in (("", None), ("/priority", {"priority": 1}), ("/note", {"text": ""}), ("/do-not-contact", {})):
        assert app.ask(f"/api/campaigns/{campaign}/leads/{lead}{path}", body).code == "lead_unknown"


def test_a_connection_was_not_invited(app: App, empty: str) -> None:
    lead, invited = people(
        app, empty, *({**never, "relation": "connected", "sequence_step": 1} for never in ({}, {"invited_at": 1}))
    )
    steps = [app.ask(f"/api/campaigns/{empty}/leads/{one_id}").json["sequence"] for one_id in (lead, invited)]
    states = [next(step for step in of_lead if step["kind"] == "invitation") for of_lead in steps]
    assert [(step["state"], step["because"]) for step in states] == [
        ("skipped", "Skipped: they were a connection already"),
        ("done", ""),
    ]


def test_do_not_contact_withdraws_the_draft_says_so_and_can_be_undone(app: App, campaign: str, draft: str) -> None:
    (lead,) = app.workspace.database.query(first_row, "SELECT lead_id FROM messages WHERE id=?", draft)
    app.record(campaign, Event("LeadPlanned", lead, {"sequence_step": 1}))
    path = f"/api/campaigns/{campaign}/leads/{lead}"
    assert app.ask(f"{path}/do-not-contact", {"reason": "asked"}).json == {
        "lead_id": lead, "task_stopped": False, "texts_withdrawn": 1,
    }  # fmt: skip
    detail = app.ask(path).json
    assert detail["do_not_contact"] is True
    assert detail["waiting"]["code"] == "do_not_contact"
    assert app.ask(f"{path}/contact", {}).ok
    assert app.ask(path).json["waiting"]["code"] != "do_not_contact"


def test_whoever_is_on_the_list_has_no_next_step_before_any_act_found_that_out(
    app: App, campaign: str, draft: str
) -> None:
    lead = app.workspace.database.query(first_row, "SELECT lead_id FROM messages WHERE id=?", draft)[0]
    key = app.workspace.database.query(first_row, "SELECT member_key FROM leads WHERE id=?", lead)[0]
    assert app.ask("/api/do-not-contact", {"kind": "person", "person": key, "name": "", "reason": ""}).ok
    assert app.workspace.database.query(first_row, "SELECT blocked FROM leads WHERE id=?", lead)[0] == ""
    assert {row["id"]: row["blocked"] for row in listed(app, campaign)["rows"]}[lead] == "do_not_contact"


def bring_in(app: App, campaign: str, ticket: str, mapping: dict[str, str] | None = None, sheet: str = "") -> Any:
    with app.hearing() as socket:
        answer = app.ask(f"/api/campaigns/{campaign}/imports", {"ticket": ticket, "mapping": mapping, "sheet": sheet})
        assert answer.status == 204, answer.text
        return socket.import_ended()


def test_a_preview_writes_nothing_and_the_import_does_what_it_showed(app: App, empty: str) -> None:
    ticket = app.upload("Connections.csv", CSV.read_bytes())
    before = app.ask(f"/api/campaigns/{empty}").json["seq"]
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    assert seen["format"] == "linkedin_connections"
    assert seen["usable"]
    assert seen["rows"][0]["full_name"]
    assert app.ask(f"/api/campaigns/{empty}").json["seq"] == before
    report = bring_in(app, empty, ticket)
    assert report["error"] is None
    (done,) = app.ask(f"/api/campaigns/{empty}/imports").json["rows"]
    assert (done["accepted"] + done["merged"] + done["unchanged"], done["rejected"]) == (seen["good"], seen["bad"])
    assert listed(app, empty)["total"] == done["accepted"]
    bring_in(app, empty, ticket)
    again, _ = app.ask(f"/api/campaigns/{empty}/imports").json["rows"]
    assert (again["accepted"], again["rejected"]) == (0, seen["bad"])


def test_another_sheet_of_a_workbook_is_looked_at_and_imported(app: App, empty: str, tmp_path: Path) -> None:
    head = ("Name", "Mail")
    sheets: Sheets = {"May": [head, ("Ada Byron", "a@x.example")], "Old": [head, ("Bo Ek", "b@x.example")]}
    ticket = app.upload("people.xlsx", write_workbook(tmp_path / "people.xlsx", sheets, ("Old",)).read_bytes())
    path = "/api/lead-files/preview"
    both = [{"name": "May", "hidden": False}, {"name": "Old", "hidden": True}]
    first = app.ask(path, {"ticket": ticket}).json
    assert (first["sheets"], [row["full_name"] for row in first["rows"]]) == (both, ["Ada Byron"])
    mapping = {"full_name": "Name", "email": "Mail"}
    other = app.ask(path, {"ticket": ticket, "mapping": mapping, "sheet": "Old"}).json
    assert (other["sheets"], [row["full_name"] for row in other["rows"]]) == (both[::-1], ["Bo Ek"])
    assert bring_in(app, empty, ticket, mapping, "Old")["error"] is None
    assert [row["full_name"] for row in listed(app, empty)["rows"]] == ["Bo Ek"]


def test_a_table_without_rows_is_refused_before_its_columns_are_asked_for(app: App) -> None:
    ticket = app.upload("people.csv", b"Who;Works for;Mail\n")
    answer = app.ask("/api/lead-files/preview", {"ticket": ticket})
    assert (answer.status, answer.code) == (422, "lead_file_no_rows")
    assert answer.json["sentence"].startswith("people.csv has a header")


def test_an_unknown_table_is_read_as_the_user_says(app: App, empty: str) -> None:
    ticket = app.upload("people.csv", b"Who;Works for;Mail\nAda Lovelace;Engines;ada@example.org\n;Nobody;\n")
    path = "/api/lead-files/preview"
    seen = app.ask(path, {"ticket": ticket}).json
    assert (seen["usable"], [column["name"] for column in seen["columns"]]) == (False, ["Who", "Works for", "Mail"])
    assert seen["encoding"] == "utf-8"
    assert [column["samples"] for column in seen["columns"]] == [
        ["Ada Lovelace"],
        ["Engines", "Nobody"],
        ["ada@example.org"],
    ]
    assert app.ask(f"/api/campaigns/{empty}/imports", {"ticket": ticket}).code == "lead_file_unknown_format"
    mapping = {"full_name": "Who", "company": "Works for", "email": "Mail"}
    seen = app.ask(path, {"ticket": ticket, "mapping": mapping}).json
    assert [(row["full_name"], row["company"], row["email"]) for row in seen["rows"]] == [
        ("Ada Lovelace", "Engines", "ada@example.org")
    ]
    assert [row["code"] for row in seen["rejected"]] == ["no_name"]
    bring_in(app, empty, ticket, mapping)
    assert [row["company"] for row in listed(app, empty)["rows"]] == ["Engines"]
    (done,) = app.ask(f"/api/campaigns/{empty}/imports").json["rows"]
    rejected = f"/api/campaigns/{empty}/imports/{done['id']}/rejected"
    assert [(row["line"], row["raw"]) for row in app.ask(rejected).json["rows"]] == [(3, ";Nobody;\n")]
    assert "no_name" in app.ask(f"{rejected}/export").text


def test_names_that_leave_their_greeting_open_are_listed_before_anything_is_imported(app: App, empty: str) -> None:
    names = ("Ada Lovelace", "LEE Ann", "J. Smith", "Grace Hopper", "£ukasz Nowak")
    ticket = app.upload("people.csv", ("Name\n" + "".join(f"{name}\n" for name in names)).encode())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    unsure = [(row["line"], row["full_name"]) for row in seen["unsure"]]
    assert unsure == [(3, "LEE Ann"), (4, "J. Smith"), (6, "£ukasz Nowak")]
    assert seen["lacking"]["first_name"] == len(unsure)


def test_a_workbook_is_shown_and_imported_with_the_sheet_that_is_read(app: App, empty: str, tmp_path: Path) -> None:
    sheets: Sheets = {"Notes": [("Read me",)], "People": [("Name", "Mail"), ("Ada Lovelace", "ada@example.org")]}
    ticket = app.upload("people.xlsx", write_workbook(tmp_path / "people.xlsx", sheets).read_bytes())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    assert (seen["usable"], seen["sheet"], [row["full_name"] for row in seen["rows"]]) == (
        True, "People", ["Ada Lovelace"]
    )  # fmt: skip
    assert "“Notes”" in seen["sheet_sentences"][0]
    mapping = {"full_name": "Name", "email": "Mail"}
    bring_in(app, empty, ticket, mapping)
    assert listed(app, empty)["total"] == 1
    unnamed: Sheets = {"People": [("Who", "Mail"), ("Ada Lovelace", "ada@example.org")], "More": [("x",)]}
    ticket = app.upload("more.xlsx", write_workbook(tmp_path / "more.xlsx", unnamed).read_bytes())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    assert (seen["usable"], seen["sheet"], "“More”" in seen["sheet_sentences"][0]) == (False, "People", True)


def test_cells_between_unusual_quotation_marks_are_read_and_that_is_shown(app: App, empty: str) -> None:
    ticket = app.upload("people.csv", "“Name”;“Mail”\n“Byron; Ada”;“ada@example.org”\n".encode())
    seen = app.ask("/api/lead-files/preview", {"ticket": ticket}).json
    assert [(row["full_name"], row["email"]) for row in seen["rows"]] == [("Byron; Ada", "ada@example.org")]
    assert ["“…”" in sentence for sentence in seen["sheet_sentences"]] == [True]
    assert seen["sheet"] == ""


def test_a_file_without_headings_says_so_and_loses_nobody(app: App, empty: str) -> None:
    text = "".join(f"{name},https://www.linkedin.com/in/{name}-lee\n" for name in ("ann", "ben"))
    ticket = app.upload("people.csv", text.encode())
    path = "/api/lead-files/preview"
    seen = app.ask(path, {"ticket": ticket}).json
    assert (seen["usable"], seen["has_headings"]) == (False, False)
    assert [(column["name"], column["field"], column["samples"][0]) for column in seen["columns"]] == [
        ("Column 1", None, "ann"),
        ("Column 2", "profile_url", "https://www.linkedin.com/in/ann-lee"),
    ]
    mapping = {"full_name": "Column 1", "profile_url": "Column 2"}
    seen = app.ask(path, {"ticket": ticket, "mapping": mapping}).json
    assert (seen["has_headings"], [row["full_name"] for row in seen["rows"]]) == (False, ["ann", "ben"])
    bring_in(app, empty, ticket, mapping)
    assert listed(app, empty)["total"] == len(mapping)
    other = app.upload("other.csv", b"https://www.linkedin.com/in/cy-roe,Cy Roe\n")
    seen = app.ask(path, {"ticket": other}).json
    assert (seen["remembered"], seen["usable"]) == ("", False), "its numbers say nothing of the other file"


def test_an_export_is_the_filtered_list_and_no_cell_of_it_is_a_formula(app: App, empty: str) -> None:
    people(
        app,
        empty,
        {"full_name": "=1+1", "company": "Acme", "job_title": "-x", "tags": ["@t"], "notes": "a\nb"},
        {"full_name": "No"},
    )
    rows = list(
        csv.DictReader(io.StringIO(app.ask(f"/api/campaigns/{empty}/leads/export?company=Acme").text.lstrip("\ufeff")))
    )
    assert [(row["full_name"], row["job_title"], row["tags"], row["notes"]) for row in rows] == [
        ("'=1+1", "'-x", "'@t", "a\nb")
    ]


def test_an_export_with_messages_says_what_passed_between_the_two(app: App, empty: str) -> None:
    people(app, empty, {"full_name": "🚀 Ada Lovelace", "email": "ada@example.org", "status": "responded"})
    (lead,) = app.workspace.database.query(first_row, "SELECT id FROM leads WHERE campaign_id=?", empty)
    day = 86_400_000
    text = {"lead_id": lead, "step": "hello", "kind": "message", "text": "=Hi", "status": "sent", "created_at": 1}
    reply = {"lead_id": lead, "kind": "reply", "text": "Hello, you", "sent_at": 2 * day, "created_at": 2 * day}
    app.workspace.journal.record(
        empty,
        events=[
            Event("MessageDrafted", "01MESSAGE", {**text, "sent_at": day}),
            Event("ReplyReceived", "01REPLY", {**reply, "status": "received"}),
        ],
        actor="test",
        cause="test",
        at=1,
    )
    answer = app.ask(f"/api/campaigns/{empty}/leads/export/exchange").text.lstrip("\ufeff")
    (row,) = csv.DictReader(io.StringIO(answer))
    assert (row["first_name"], row["last_name"], row["email"]) == ("Ada", "Lovelace", "ada@example.org")
    assert (row["lead_id"], row["status"], row["messages"], row["replies"]) == (lead, "responded", "1", "1")
    assert row["exchange"] == "1970-01-02 you: =Hi\n\n1970-01-03 they: Hello, you"


def test_leads_exported_with_their_messages_come_back_and_who_was_written_to_is_left_aside(
    app: App, empty: str
) -> None:
    names = (
        "profile_url",
        "full_name",
        "company",
        "job_title",
        "email",
        "connected_on",
        "extra",
        "tags",
        "last_sent_at",
    )
    rows: tuple[tuple[Any, ...], ...] = (
        (
            "a",
            "🚀 Dr. =Ada, PhD",
            "'=Acme",
            "CTO",
            "ada@x.example",
            "2020-05-01",
            {"Colour": "=1"},
            ["vip"],
            86_400_000,
        ),
        ("b", "Grace", "Navy", "Admiral", "", "2021-05-01", {}, [], None),
    )
    people(
        app,
        empty,
        *(dict(zip(names, (f"https://www.linkedin.com/in/{row[0]}", *row[1:]), strict=True)) for row in rows),
    )
    ticket = app.upload("any.csv", app.ask(f"/api/campaigns/{empty}/leads/export/exchange").text.encode())
    assert app.ask("/api/lead-files/preview", {"ticket": ticket}).json["forecast"]["in_touch"] == 1
    other = app.workspace.commands().campaigns.create("D", "g", site="practice", account="a", settings=Settings())
    assert bring_in(app, other, ticket)["error"] is None
    with app.workspace.database.read() as connection:
        was, now = (
            connection.execute(
                "SELECT full_name, company, job_title, email, connected_on, tags, extra, blocked FROM leads"
                " WHERE campaign_id=? ORDER BY profile_url",
                (campaign,),
            ).fetchall()
            for campaign in (empty, other)
        )
    assert [row[:6] for row in now] == [row[:6] for row in was]
    assert [json.loads(row[6]) for row in now] == [{"Colour": "=1", "Past contact": "you wrote 1970-01-02"}, {}]
    assert [row[7] for row in now] == ["written_to_before", ""]


def test_unsure_names_are_listed_settled_there_and_stay_settled_through_an_export(app: App, empty: str) -> None:
    who = ("\u00a3ukasz Lis", "Ada King", "Lee, Ann")
    people(
        app,
        empty,
        *({"full_name": name, "profile_url": f"https://www.linkedin.com/in/u{n}"} for n, name in enumerate(who)),
    )

    def unsure(campaign: str, **query: object) -> list[str]:
        page = listed(app, campaign, unsure="1", **query)
        assert page["total"] == len(page["rows"])
        return [row["full_name"] for row in page["rows"]]

    assert sorted(unsure(empty)) == ["Lee, Ann", "\u00a3ukasz Lis"]
    assert unsure(empty, text="ann") == ["Lee, Ann"]
    rows = {row["full_name"]: row for row in listed(app, empty)["rows"]}
    assert {name: row["greeted"] for name, row in rows.items()} == {who[0]: "", who[1]: "Ada", who[2]: ""}
    path = f"/api/campaigns/{empty}/leads/{rows[who[0]]['id']}/greeting"
    assert app.ask(path, {"name": " \u0141ukasz"}).json["name"] == "\u0141ukasz"
    assert unsure(empty) == ["Lee, Ann"]
    other = app.workspace.commands().campaigns.create("D", "g", site="practice", account="a", settings=Settings())
    for export in ("export", "export/exchange"):
        file = app.ask(f"/api/campaigns/{empty}/leads/{export}").text.encode()
        assert bring_in(app, other, app.upload(f"{export[-5:]}.csv", file))["error"] is None
        assert {row["full_name"]: row["greeted"] for row in listed(app, other)["rows"]}[who[0]] == "\u0141ukasz"
    assert app.ask(path, {"name": ""}).json == {"lead_id": rows[who[0]]["id"], "name": "", "before": "\u0141ukasz"}
    assert len(unsure(empty)) == 2


def test_an_export_comes_back_by_import_as_it_was(app: App, empty: str) -> None:
    odd: tuple[dict[str, Any], ...] = (
        {"full_name": "=cmd|' /C calc'!A0", "company": "'=already; =twice", "job_title": "\u200b\ufeff@x y"},
        {"full_name": "Ada \u202eecalevoL", "email": "ada@example.org", "connected_on": "2020-05-01"},
        {"full_name": "Q", "extra": {"Colour;=1": "+1, \uff1d2", "Said": '"; -3', "Many": "a,=b\tc"}, "notes": "=1"},
    )
    people(app, empty, *({"profile_url": f"https://www.linkedin.com/in/q{n}", **row} for n, row in enumerate(odd)))
    exported = app.ask(f"/api/campaigns/{empty}/leads/export").text.encode()
    assert not [line for line in exported.decode().splitlines() if line.lstrip('\ufeff"').startswith("=")]
    ticket = app.upload("leads.csv", exported)
    assert app.ask("/api/lead-files/preview", {"ticket": ticket}).json["format"] == "outrider_export"
    other = app.workspace.commands().campaigns.create("D", "g", site="practice", account="a", settings=Settings())
    assert bring_in(app, other, ticket)["error"] is None
    columns = "full_name, company, job_title, email, profile_url, connected_on, extra"
    with app.workspace.database.read() as connection:
        was, now = (
            connection.execute(
                f"SELECT {columns} FROM leads WHERE campaign_id=? ORDER BY profile_url", (campaign,)
            ).fetchall()
            for campaign in (empty, other)
        )
    assert [(*row[:-1], json.loads(row[-1])) for row in now] == [(*row[:-1], json.loads(row[-1])) for row in was]


def test_a_list_that_was_cut_says_so_and_its_export_is_whole(app: App, empty: str) -> None:
    count = queries.MOST_FOUND + 2
    people(app, empty, *({"full_name": f"Ada {n}", "tags": ["vip"]} for n in range(count)))
    page = listed(app, empty, tag="vip")
    assert (page["total"], page["more"]) == (queries.MOST_FOUND, True)
    assert app.ask(f"/api/campaigns/{empty}/leads/export?tag=vip").text.count("Ada") == count


FEW: tuple[str, ...] = (
    "SCAN g",
    "SCAN (subquery-1)",
    "SCAN (subquery-2)",
    "SCAN (subquery-3)",
    "SCAN d USING COVERING INDEX identity_doubts_by_key",
    "SCAN o USING INDEX leads_claimed",
    "SCAN remembered_contacts USING COVERING INDEX remembered_contacts_by_key",
    "SCAN do_not_contact USING INDEX do_not_contact_by_member",
)
"""What was gathered; who is asked about; who was ever contacted; whether anybody is remembered or listed: the first row tells."""


def test_no_statement_of_the_list_scans_or_sorts_the_leads(app: App, campaign: str) -> None:
    """What a search gathered, a bounded number, may be sorted; nothing else is."""
    want = lead_api.WindowQuery
    filters: list[dict[str, Any]] = [
        {},
        {"status": LeadStatus.PENDING},
        {"manual": True},
        {"blocked": True},
        {"text": "a"},
        {"tag": "x"},
        {"company": "y"},
        {"field": "seniority", "value": "x"},
        {"person": "elsewhere"},
        {"person": "in_doubt"},
    ]
    services = app.launch.services
    statements: list[tuple[str, bool]] = []
    with app.workspace.database.read() as connection:
        for sort in queries.SORTS:
            for backwards in (False, True):
                for filter_ in filters:
                    seen: list[str] = []
                    connection.set_trace_callback(seen.append)
                    asked = want(sort=sort, backwards=backwards, limit=3, **filter_)
                    first = lead_api.list_(services, connection, campaign, asked)
                    asked = asked.model_copy(update={"after": first.next or "", "skip": 5})
                    lead_api.list_(services, connection, campaign, asked)
                    connection.set_trace_callback(None)
                    statements += [
                        (sql, bool({"text", "tag", "company", "field", "person"} & filter_.keys())) for sql in seen
                    ]
        lead_api.facets(services, connection, campaign)
        assert len(statements) > 100
        for sql, gathered in statements:
            if sql.startswith("--") or "'leads_text_" in sql:  # what the search index asks of its own tables
                continue
            for line in (row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")):
                assert gathered or "TEMP B-TREE" not in line, (line, sql)
                scanned = line.startswith("SCAN ") and "VIRTUAL TABLE INDEX" not in line
                assert not scanned or line in FEW, (line, sql)
                if "lead_keys_by" in line:
                    assert "COVERING INDEX" in line, (line, sql)


def test_people_are_found_by_their_addresses_and_by_a_pasted_profile(app: App, empty: str) -> None:
    people(app, empty,
        {"full_name": "Clara Weiss", "email": "c.weiss@acme.example", "profile_url": "https://www.linkedin.com/in/clara-weiss-81"},
        {"full_name": "Ben Clarke", "email": "ben@other.example", "profile_url": "https://www.linkedin.com/in/benc"},
    )  # fmt: skip
    pasted = "https://www.linkedin.com/in/clara-weiss-81/?trk=x"
    for text in ("weiss@acme", "c.weiss@acme.example", "clara-weiss-81", pasted, "linkedin.com/in/clara-weiss-81"):
        assert names(listed(app, empty, text=text)) == ["lead-0"], text
    app.record(empty, Event("LeadMerged", "lead-1", {"email": "new@acme.example", "profile_updated_at": 1}))
    assert names(listed(app, empty, text="new@acme")) == ["lead-1"]
    assert names(listed(app, empty, text="ben@other")) == []


def test_several_are_decided_about_at_once_and_what_changed_is_told(app: App, empty: str) -> None:
    ids = people(app, empty, {"weight_score": 9}, {"weight_score": 8, "tags": ["vip"]}, {"weight_score": 7})
    matching = app.ask(f"/api/campaigns/{empty}/leads/matching?text=zz").json
    assert matching == {"ids": ids}

    def decide(what: str, **body: object) -> Any:
        answer = app.ask(f"/api/campaigns/{empty}/leads/several/{what}", {"lead_ids": ids, **body})
        assert answer.ok, answer.text
        return answer.json

    tagged = decide("tag", tag="vip")
    assert ([change["lead_id"] for change in tagged["changed"]], tagged["unchanged"]) == ([ids[0], ids[2]], 1)
    assert len(decide("untag", tag="vip")["changed"]) == 3
    assert [change["before"] for change in decide("priority", priority=50)["changed"]] == [None] * 3
    assert len(decide("skip")["changed"]) == 3
    assert {row["blocked"] for row in listed(app, empty)["rows"]} == {"skipped"}
    assert len(decide("take-up")["changed"]) == 3
    assert len(decide("do-not-contact", reason="asked")["changed"]) == 3
    assert {row["blocked"] for row in listed(app, empty)["rows"]} == {"do_not_contact"}
    decide("contact")
    assert {row["blocked"] for row in listed(app, empty)["rows"]} == {""}
    other = app.workspace.commands().campaigns.create("D", "g", site="practice", account="a", settings=Settings())
    moved = decide("move", target=other)["changed"]
    assert names(listed(app, empty)) == []
    assert {lead["moved_to"] for lead in moved} == set(names(listed(app, other)))
    too_many = app.ask(f"/api/campaigns/{empty}/leads/several/skip", {"lead_ids": ["x"] * 501})
    assert too_many.code == "leads_too_many"


def test_columns_order_and_views_are_kept_with_the_campaign(app: App, empty: str) -> None:
    people(app, empty, {"email": "a@b.example", "extra": {"Shoe size": "43"}}, {"sequence_step": 0})
    app.record(empty, Event("TaskCreated", "t1", {
        "kind": "reach_lead", "description": "d", "status": "in_progress", "needs": "think", "ready_at": 7, "lead_id": "lead-1",
        "created_at": 1,
    }))  # fmt: skip
    shown = app.ask(f"/api/campaigns/{empty}/leads/table").json
    assert "Shoe size".casefold().split()[0] in shown["fields"][0]
    assert shown["table"]["columns"][:2] == ["title", "company"]
    field = f"field:{shown['fields'][0]}"
    view = {"name": "Warm", "tag": "vip", "sort": "next"}
    table = {"columns": ["next", "email", field], "sort": "name", "backwards": True, "views": [view]}
    assert app.ask(f"/api/campaigns/{empty}/leads/table", table).ok
    stored = app.ask(f"/api/campaigns/{empty}/leads/table").json["table"]
    assert (stored["columns"], stored["sort"], stored["views"][0]["name"]) == (table["columns"], "name", "Warm")
    first, second = listed(app, empty, sort="position")["rows"]
    assert first["cells"] == {"email": "a@b.example", field: "43"}
    assert (second["needs"], second["ready_at"], second["step_number"]) == ("think", 7, 1)
    assert names(listed(app, empty, sort="next")) == ["lead-1", "lead-0"]
    assert app.ask(f"/api/campaigns/{empty}/leads/table", {"columns": ["shoe"]}).status in (400, 422)

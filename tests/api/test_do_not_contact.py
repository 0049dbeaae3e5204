"""The do-not-contact list over the API: a file is shown before it is in force, imported, taken back, and exported."""

import csv
import io
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles import read_leads
from backend.commands.lead_import import import_leads
from tests.adapters.leadfiles.workbooks import Sheets, write_workbook
from tests.api.app import App, running

ROWS = [
    "kind,value,name,reason",
    "person,ada@acme.com,Ada,asked",
    "company,Nono GmbH,,",
    "domain,acme.com,,",
    "domain,acme.com,,",
    "person,Somebody,,",
]
TABLE = "\n".join(ROWS) + "\n"
COUNTED = ("people", "companies", "domains", "already", "rejected")


def preview(app: App, content: str, name: str = "list.csv") -> Any:
    return app.ask("/api/do-not-contact/preview", {"ticket": app.upload(name, content.encode())}).json


def bring_in(app: App, content: str, name: str = "list.csv") -> Any:
    """Import it to its end; the row of the import."""
    return import_to_its_end(app, {"ticket": app.upload(name, content.encode())})


def import_to_its_end(app: App, chosen: dict[str, str]) -> Any:
    with app.hearing() as socket:
        answer = app.ask("/api/do-not-contact/imports", chosen)
        assert answer.status == 204, answer.text
        while (report := socket.until("do_not_contact_import"))["phase"] == "running":
            pass
    assert report["error"] is None
    row = app.ask("/api/do-not-contact/imports").json["rows"][0]
    assert row["id"] == report["import_id"]
    return row


def leads_of(app: App, campaign: str) -> list[dict[str, str]]:
    with app.workspace.database.read() as connection:
        rows = connection.execute(
            "SELECT id, full_name, profile_url FROM leads WHERE campaign_id=? ORDER BY id", (campaign,)
        )
        return [dict(zip(("id", "full_name", "profile_url"), row, strict=True)) for row in rows]


def export(app: App) -> str:
    return app.ask("/api/do-not-contact/export").text


def test_what_a_file_would_do_is_shown_and_then_done_and_undone(app: App, campaign: str) -> None:
    url = leads_of(app, campaign)[0]["profile_url"]
    table = TABLE + f"person,{url},,\n"
    shown = preview(app, table)
    assert [shown[name] for name in COUNTED] == [2, 1, 1, 1, 1]
    assert (shown["leads_stopped"], len(shown["campaigns"]), shown["campaigns"][0]["leads"]) == (1, 1, 1)
    assert [(row["line"], row["code"]) for row in shown["rejected_rows"]] == [(6, "person_unclear")]
    assert shown["columns"][1] == {"name": "value", "role": "value"}
    assert app.ask("/api/do-not-contact").json["rows"] == [], "nothing is in force yet"
    row = bring_in(app, table)
    assert [row[name] for name in COUNTED] == [shown[name] for name in COUNTED]
    assert row["leads_stopped"] == 1
    assert len(app.ask("/api/do-not-contact").json["rows"]) == 4
    would = app.ask(f"/api/do-not-contact/imports/{row['id']}/undo").json
    assert app.ask(f"/api/do-not-contact/imports/{row['id']}/undo", {}).json == would
    assert (would["entries"], would["released"]) == (4, 1)
    assert app.ask("/api/do-not-contact").json["rows"] == []
    assert app.ask(f"/api/do-not-contact/imports/{row['id']}/undo", {}).code == "do_not_contact_import_already_undone"
    assert app.ask("/api/do-not-contact/imports/none/undo").code == "do_not_contact_import_unknown"


def test_rejected_rows_can_be_saved(app: App) -> None:
    ticket = app.upload("list.csv", (TABLE + "person,=1+1,,\n").encode())
    answer = app.ask(f"/api/do-not-contact/rejected?{urlencode({'ticket': ticket})}")
    assert [row[:2] for row in csv.reader(io.StringIO(answer.text))][1:] == [
        ["6", "person_unclear"],
        ["7", "person_unclear"],
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [("", "lead_file_empty"), ("email\n", "lead_file_no_rows"), ("a,b\n1,2\n", "do_not_contact_file_unknown")],
)
def test_a_file_that_means_nothing_is_refused_before_anything_is_done(app: App, content: str, code: str) -> None:
    body = {"ticket": app.upload("list.csv", content.encode())}
    for path in ("preview", "imports"):
        assert app.ask(f"/api/do-not-contact/{path}", body).code == code


def test_whoever_is_listed_as_a_lead_is_so_again_in_a_workspace_that_imports_the_list(
    app: App, campaign: str, tmp_path: Path
) -> None:
    """By whichever of their details they are known, also by a name alone."""
    rows = [
        "Anna,Berg,,Acme,CTO,https://www.linkedin.com/in/anna-berg,15 Mar 2024",
        "Bea,Vik,bea@acme.example,Acme,CTO,,",
        "Cleo,Quill,,Fern & Co,CEO,,15 Mar 2024",
        "Dora,Quill,,Fern | Co,CEO,,",
        "Eve,Quill,,,,,",
    ]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["First Name,Last Name,Email Address,Company,Position,URL,Connected On", *rows]), "utf-8")
    workspace, source = app.workspace, read_leads(file)
    import_leads(workspace.journal, SystemClock(), campaign, source, file=file.name, file_format=source.format.name)
    names = {row.rsplit(",", 5)[0].replace(",", " ") for row in rows}
    for lead in leads_of(app, campaign):
        if lead["full_name"] in names:
            app.ask(f"/api/campaigns/{campaign}/leads/{lead['id']}/do-not-contact", {})
    before = export(app)
    assert {row[2] for row in csv.reader(io.StringIO(before))} >= names
    with running(tmp_path / "other") as other:
        assert preview(other, before)["rejected"] == 0
        bring_in(other, before)
        assert export(other) == before


def test_an_exported_list_imported_into_an_empty_workspace_is_the_same_list(
    app: App, campaign: str, tmp_path: Path
) -> None:
    people = leads_of(app, campaign)
    app.ask(f"/api/campaigns/{campaign}/people/{people[0]['id']}/erase", {})
    app.ask(f"/api/campaigns/{campaign}/leads/{people[1]['id']}/do-not-contact", {})
    added: list[dict[str, str]] = [
        {"person": "ada@acme.com", "name": "=cmd|' /C calc'!A0", "reason": "-1 of 5; \"no\", thanks"},
        {"person": "o'brien@acme.ie", "name": "None", "reason": "+ twice"},
        {"person": "linkedin.com/in/Grüße", "name": "Ünal"},
        {"person": "Foo S and A", "kind": "company"},
        {"person": "Société «Générale» SA", "kind": "company"},
        {"person": "gmail.com", "kind": "domain"},
        {"person": "bücher.de", "kind": "domain"},
    ]  # fmt: skip
    for body in added:
        assert app.ask("/api/do-not-contact", body).status == 204, body
    before = export(app)
    cells = [cell for row in csv.reader(io.StringIO(before.removeprefix("\ufeff"))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "an erased person" in cells
    assert people[0]["full_name"] not in before
    with running(tmp_path / "other") as other:
        shown = preview(other, before)
        assert (shown["rejected"], shown["already"], shown["erased"]) == (0, 0, cells.count("an erased person"))
        bring_in(other, before)
        assert export(other) == before
        assert preview(other, before)["already"] == len(list(csv.reader(io.StringIO(before)))) - 1


def test_a_workbook_says_which_of_its_sheets_is_read(app: App, tmp_path: Path) -> None:
    sheets: Sheets = {"No": [("Email",), ("oda@nordlys.example",)], "More": [("Email",), ("jon@vik.example",)]}
    ticket = app.upload("no.xlsx", write_workbook(tmp_path / "no.xlsx", sheets).read_bytes())
    seen = app.ask("/api/do-not-contact/preview", {"ticket": ticket}).json
    assert (seen["people"], seen["sheet"], "“More”" in seen["sheet_sentences"][0]) == (1, "No", True)
    assert [sheet["name"] for sheet in seen["sheets"]] == ["No", "More"]
    import_to_its_end(app, {"ticket": ticket, "sheet": "More"})
    assert [line["member_key"] for line in app.ask("/api/do-not-contact").json["rows"]] == ["jon@vik.example"]

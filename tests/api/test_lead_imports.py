"""Imports beside a rehearsal that runs: who comes is on its network before being a lead, and nobody slips in between."""

import io
import itertools
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.clocks import SystemClock
from backend.commands.lead_import import BATCH
from backend.domain.events.events import Event
from backend.domain.people.lead_row import LeadRow
from backend.domain.values.errors import OutriderError
from backend.runtime.run.rehearsal import ledger_of
from tests.adapters.leadfiles.test_contact_history import EXPORT
from tests.api.app import App, running
from tests.api.runs import follow
from tests.api.test_campaigns import _no_browser  # noqa: F401 - the fixture
from tests.api.test_new_campaign import CONNECTIONS, WHOLE
from tests.commands.test_lead_import import person
from tests.patience import PATIENCE


@pytest.mark.usefixtures("_no_browser")
def test_people_who_join_a_running_rehearsal_are_on_its_network(app: App, campaign: str) -> None:
    assert app.ask("/api/rehearsals", {}).json["campaign_id"] == campaign
    follow(app, lambda: app.run_service.run_state(campaign).phase == "running")
    with app.hearing() as socket:
        app.services.importer.start(campaign, [person(1)], app.services.clock(campaign), file="x.csv", file_format="x")
        socket.import_ended()
    entries = [json.loads(line) for line in ledger_of(app.workspace, campaign).read_text("utf-8").splitlines()]
    slugs = {guest["slug"] for entry in entries if entry["kind"] == "roster" for guest in entry["detail"]["people"]}
    assert "ada-1" in slugs
    assert app.ask(f"/api/campaigns/{campaign}/leads?text=lovelace").json["total"] == 1


def test_one_import_at_a_time(app: App, campaign: str) -> None:
    go_on = threading.Event()

    def slowly() -> Iterator[LeadRow]:
        yield person(1)
        go_on.wait(PATIENCE)

    with app.hearing() as socket:
        app.services.importer.start(campaign, slowly(), app.services.clock(campaign), file="x.csv", file_format="x")
        assert socket.until("import")["phase"] == "running"
        with pytest.raises(OutriderError) as refused:
            app.services.importer.start(campaign, [], app.services.clock(campaign), file="y.csv", file_format="x")
        assert refused.value.code == "import_running"
        assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == "importing"
        answer = app.ask("/api/campaigns", {**WHOLE, "file": {"ticket": app.upload("c.csv", CONNECTIONS.read_bytes())}})
        assert (answer.status, answer.code) == (409, "import_running")  # and no campaign without its leads
        assert len(app.ask("/api/campaigns").json["campaigns"]) == 1
        go_on.set()
        socket.import_ended()
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["accepted"] == 1


def test_an_import_that_breaks_says_so_and_keeps_what_it_has(app: App, campaign: str) -> None:
    def breaks() -> Iterator[LeadRow]:
        yield person(1)
        raise OutriderError("lead_file_changed", file="x.csv")

    importer = app.launch.services.importer
    with app.hearing() as socket:
        importer.start(campaign, breaks(), SystemClock(), file="x.csv", file_format="x")
        report = socket.import_ended()
    assert report["error"]["code"] == "lead_file_changed"
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None


def test_a_closing_app_breaks_an_import_off_and_the_next_launch_says_so(tmp_path: Path) -> None:
    def endless() -> Iterator[LeadRow]:
        return (person(n) for n in itertools.count(1))

    with running(tmp_path / "data") as app, app.hearing() as socket:
        campaign = app.ask("/api/campaigns", {**WHOLE, "file": None}).json["campaign_id"]
        app.services.importer.start(campaign, endless(), app.services.clock(campaign), file="x.csv", file_format="x")
        while socket.until("import")["done"] == 0:
            pass
    with running(tmp_path / "data") as app:
        (row,) = app.ask("/api/campaigns").json["campaigns"]
        assert (row["missing"], sum(row["leads"].values()) > 0) == ("import", True)
        assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None


def test_an_import_can_be_stopped_and_gone_on_with(app: App, campaign: str) -> None:
    stopped = threading.Event()

    def people() -> Iterator[LeadRow]:
        yield from (person(n) for n in range(BATCH))
        stopped.wait(PATIENCE)
        yield from (person(n) for n in range(BATCH, 3 * BATCH))

    before = app.ask(f"/api/campaigns/{campaign}/leads").json["total"]
    with app.hearing() as socket:
        app.services.importer.start(
            campaign, people(), app.services.clock(campaign), file="x.csv", file_format="x", total=3 * BATCH
        )
        while (report := socket.until("import"))["done"] == 0:
            assert report["total"] == 3 * BATCH
        assert report["rows_a_second"] > 0
        assert report["seconds_left"] is not None
        app.ask(f"/api/campaigns/{campaign}/imports/cancel", {})
        stopped.set()
        ended = socket.import_ended()
        assert (ended["cancelled"], ended["done"]) == (True, 2 * BATCH)
        assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None
        app.services.importer.start(campaign, people(), app.services.clock(campaign), file="x.csv", file_format="x")
        assert socket.import_ended()["cancelled"] is False
    latest = app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]
    assert (latest["accepted"], latest["unchanged"]) == (3 * BATCH, 0), "as if it had not been stopped"
    assert app.ask(f"/api/campaigns/{campaign}/leads").json["total"] == before + 3 * BATCH


def test_before_anything_is_kept_it_is_shown_what_would_become_of_whom(app: App, campaign: str) -> None:
    table = (
        "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
        "Ann,A,linkedin.com/in/ann,,Acme,CEO,\nAnn,A,linkedin.com/in/ann,,Acme,CEO,\nBen,B,,ben@x.example,,,\n"
        "🚀 Cara,C,linkedin.com/in/cara,,Nono GmbH,,\nDan,D,linkedin.com/in/dan,,,,\n,,,,,,\n"
    )
    dan = person(1, profile_url="https://www.linkedin.com/in/dan", member_key="https://www.linkedin.com/in/dan")
    with app.hearing() as socket:
        app.services.importer.start(campaign, [dan], app.services.clock(campaign), file="x.csv", file_format="x")
        socket.import_ended()
    app.ask("/api/do-not-contact", {"person": "Nono", "kind": "company"})
    chosen = {"ticket": app.upload("c.csv", table.encode())}
    shown = app.ask("/api/lead-files/preview", chosen).json
    assert {name: n for name, n in shown["forecast"].items() if n} == {
        "ready": 1, "duplicates": 1, "without_profile": 1, "forbidden": 1, "elsewhere": 1,
    }  # fmt: skip
    assert [row["greeted"] for row in shown["rows"]] == ["Ann", "Ben", "Cara", "Dan"]
    assert shown["duplicates"] == [{"line": 3, "full_name": "Ann A", "of_line": 2, "of_name": "Ann A"}]
    assert app.ask("/api/lead-files/preview", {**chosen, "campaign_id": campaign}).json["forecast"]["known"] == 1


def test_messages_are_shown_for_three_who_would_get_them_and_who_differ(app: App, campaign: str) -> None:
    head = "First Name,Last Name,URL,Company,Position,City,Connection degree,Do Not Contact\n"
    rows = [
        "No,One,linkedin.com/in/no,Fern,CEO,York,2nd,true",
        "El,Sewhere,linkedin.com/in/el,Fern,CEO,York,2nd,",
        "Li,Sted,linkedin.com/in/li,Nono GmbH,CEO,York,2nd,",
        "Un,Reachable,,Fern,CEO,York,2nd,",
        "Con,Tact,linkedin.com/in/con,Fern,CEO,York,1st,",
        "Par,Tly,linkedin.com/in/par,,CEO,York,2nd,",
        "Long,Words,linkedin.com/in/long,A company whose name is rather long,,York,2nd,",
        "Who,Le,linkedin.com/in/who,Fern,CEO,York,2nd,",
        "Ba,Re,linkedin.com/in/ba,,,,2nd,",
        "Ba,Re,linkedin.com/in/ba,,,,2nd,",
    ]
    address = "https://www.linkedin.com/in/el"
    with app.hearing() as socket:
        people = [person(1, profile_url=address, member_key=address)]
        app.services.importer.start(campaign, people, app.services.clock(campaign), file="x.csv", file_format="x")
        socket.import_ended()
    app.ask("/api/do-not-contact", {"person": "Nono", "kind": "company"})

    def shown(table: list[str], group: str) -> list[str]:
        chosen = {"ticket": app.upload("c.csv", (head + "\n".join(table)).encode())}
        return [row["full_name"] for row in app.ask("/api/lead-files/preview", chosen).json[group]]

    assert shown(rows, "readers") == ["Con Tact", "Ba Re", "Long Words"]
    assert shown(rows, "readers_to_invite") == ["Who Le", "Ba Re", "Long Words"]
    assert shown(rows[4:5], "readers_to_invite") == [], "the only one who would get a message is a contact"
    assert shown(rows[:2], "readers") == ["No One", "El Sewhere"], "nobody would get one: it is shown all the same"


def test_a_filter_shows_finds_and_imports_only_whom_it_takes(app: App, campaign: str) -> None:
    table = (
        "Name,URL,Company,Title,Tags\n"
        'Ann A,linkedin.com/in/ann,Fern,Éditor,"VIP, spring"\nAnn A,linkedin.com/in/ann,Fern,Éditor,VIP\n'
        "Ben B,linkedin.com/in/ben,Oak,Cook,VIP\nAmy C,,Fern Books,Editor in chief,\n,x,,,\n"
    )
    ticket = app.upload("c.csv", table.encode())
    columns = {"full_name": "Name", "profile_url": "URL", "company": "Company", "job_title": "Title", "tags": "Tags"}
    file = {"ticket": ticket, "mapping": columns}
    chosen = {**file, "filter": {"title": "editor", "company": "fern"}}
    shown = app.ask("/api/lead-files/preview", chosen).json
    assert [row["full_name"] for row in shown["rows"]] == ["Ann A", "Amy C"]
    assert [shown[name] for name in ("good", "bad", "filtered_out", "contacts")] == [3, 1, 1, 0]
    assert (shown["forecast"]["duplicates"], shown["tags"]) == (1, ["VIP", "spring"])
    assert {row["full_name"] for row in shown["readers"]} == {"Ann A"}
    rows = app.ask("/api/lead-files/find", {**chosen, "words": ""}).json["rows"]
    assert {row["full_name"] for row in rows} == {"Ann A", "Amy C"}
    with app.hearing() as socket:
        assert app.ask(f"/api/campaigns/{campaign}/imports", chosen).status == 204
        socket.import_ended()
    done = app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]
    assert [done[name] for name in ("accepted", "merged", "unchanged", "rejected", "filtered_out")] == [2, 0, 1, 1, 1]
    assert [app.ask(f"/api/campaigns/{campaign}/leads?text={name}").json["total"] for name in ("Amy", "Ben")] == [1, 0]
    nobody = app.ask("/api/lead-files/preview", {**file, "filter": {"tag": "none"}}).json
    assert (nobody["usable"], nobody["good"], nobody["filtered_out"], nobody["rows"]) == (True, 0, 3, [])
    assert nobody["columns"][0]["samples"] == ["Ann A", "Ben B", "Amy C"], "columns are still told apart"


TABLE = "Wer;Firma;Profil\nAnn A;Acme;linkedin.com/in/ann\n;Nobody;\nBen B;Bolts;linkedin.com/in/ben\n"


def test_columns_that_were_named_once_are_read_alike_and_rejected_rows_come_in_mended(app: App, campaign: str) -> None:
    first = {"ticket": app.upload("people.csv", TABLE.encode())}
    assert not app.ask("/api/lead-files/preview", first).json["usable"]
    named = {**first, "mapping": {"full_name": "Wer", "company": "Firma", "profile_url": "Profil"}}
    with app.hearing() as socket:
        app.ask(f"/api/campaigns/{campaign}/imports", named)
        socket.import_ended()
    done, *_ = app.ask(f"/api/campaigns/{campaign}/imports").json["rows"]
    rejected = app.ask(f"/api/campaigns/{campaign}/imports/{done['id']}/rejected/rows")
    assert rejected.text == "\ufeffWer;Firma;Profil\n;Nobody;\n"
    mended = {"ticket": app.upload("rejected rows.csv", rejected.text.replace(";Nobody", "Cara C;Nobody").encode())}
    shown = app.ask("/api/lead-files/preview", mended).json
    assert (shown["usable"], shown["remembered"], shown["rows"][0]["company"]) == (True, "people.csv", "Nobody")


def test_an_import_that_was_cut_off_is_gone_on_with_by_the_same_file(app: App, campaign: str) -> None:
    table = "First Name,Last Name,URL,Connected On\nAnn,Ahn,https://www.linkedin.com/in/ann,\n"
    ticket = app.upload("people.csv", table.encode())
    file_format = app.ask("/api/lead-files/preview", {"ticket": ticket}).json["format"]
    started = {"file": "people.csv", "format": file_format, "created_at": 1}
    before = len(app.ask(f"/api/campaigns/{campaign}/imports").json["rows"])
    app.record(campaign, Event("ImportStarted", "zcut", started))
    counts: list[int] = []
    rows: list[dict[str, Any]] = []
    for _ in range(2):  # the second time it was whole, so that it is another import
        with app.hearing() as socket:
            assert app.ask(f"/api/campaigns/{campaign}/imports", {"ticket": ticket}).status == 204
            socket.import_ended()
        rows = app.ask(f"/api/campaigns/{campaign}/imports").json["rows"]
        counts.append(len(rows))
    (same,) = [row for row in rows if row["id"] == "zcut"]
    assert (same["accepted"], same["finished_at"] is not None) == (1, True)
    assert counts == [before + 1, before + 2]


def test_a_merge_is_told_with_its_fields_and_undone(app: App, campaign: str) -> None:
    with app.hearing() as socket:
        for company in ("Acme", "Bolts"):
            row = person(1, company=company, member_key="https://x/1")
            app.services.importer.start(
                campaign, [row], app.services.clock(campaign), file=f"{company}.csv", file_format="x"
            )
            socket.import_ended()
    second, first, *_ = app.ask(f"/api/campaigns/{campaign}/imports").json["rows"]
    (merged,) = app.ask(f"/api/campaigns/{campaign}/imports/{second['id']}/merged").json["rows"]
    assert (merged["matched"], merged["changes"]) == (
        "profile address",
        [{"field": "company", "earlier": "Acme", "later": "Bolts"}],
    )
    lead = f"/api/campaigns/{campaign}/leads/{merged['lead_id']}"
    sentences = [entry["said"] for entry in app.ask(lead).json["history"] if "Bolts.csv" in entry["what"]]
    assert sentences == ["Company: Acme → Bolts"]
    would = app.ask(f"/api/campaigns/{campaign}/imports/{first['id']}/undo").json
    assert would == {"taken_back": 1, "kept": 0, "restored": 0, "unlisted": 0}
    assert app.ask(f"/api/campaigns/{campaign}/imports/{second['id']}/undo", {}).json["restored"] == 1
    assert app.ask(lead).json["line"]["company"] == "Acme"
    assert app.ask(f"/api/campaigns/{campaign}/imports/{first['id']}/undo", {}).json["taken_back"] == 1
    assert app.ask(f"/api/campaigns/{campaign}/leads?text=lovelace").json["total"] == 0
    again = app.ask(f"/api/campaigns/{campaign}/imports/{first['id']}/undo", {})
    assert (again.status, again.code) == (409, "import_already_undone")


def test_whom_the_export_knows_is_left_aside_unless_asked_for(app: App, campaign: str) -> None:
    chosen = {"ticket": app.upload("export.zip", EXPORT.read_bytes())}
    assert app.ask("/api/lead-files/preview", chosen).json["forecast"]["in_touch"] == 1
    assert app.ask("/api/lead-files/preview", {**chosen, "write_again": True}).json["forecast"]["in_touch"] == 0
    with app.hearing() as socket:
        app.ask(f"/api/campaigns/{campaign}/imports", chosen)
        socket.import_ended()
    rows = app.ask(f"/api/campaigns/{campaign}/leads?text=okonkwo").json["rows"]
    (amara,) = (row for row in rows if row["blocked"] == "answered_before")
    path = f"/api/campaigns/{campaign}/leads/{amara['id']}"
    assert app.ask(path).json["in_touch_before"]
    app.ask(f"{path}/contact", {})
    assert not app.ask(path).json["in_touch_before"]


def test_history_of_an_export_that_cannot_be_read_is_told_before_the_import(app: App) -> None:
    export = io.BytesIO()
    with zipfile.ZipFile(export, "w") as archive:
        archive.write(CONNECTIONS, "Connections.csv")
        archive.writestr("messages.csv", 'CONVERSATION ID,FROM,SENDER PROFILE URL,DATE\n1,"torn\n')
        archive.writestr("Invitations.csv", "Wer,Wem\nIch,Du\n")
    chosen = {"ticket": app.upload("export.zip", export.getvalue())}
    sentences = app.ask("/api/lead-files/preview", chosen).json["past_sentences"]
    assert [sentence.split(":")[0] for sentence in sentences[-2:]] == [
        "1 row of its messages and invitations is damaged", "export.zip/Invitations.csv cannot be read"
    ]  # fmt: skip

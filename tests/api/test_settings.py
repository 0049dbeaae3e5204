"""Settings over the API: limits within their bounds, how Outrider looks, the machine, the list of people not to contact."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from backend.api.server.page_files import build_of
from backend.domain.model.campaign import Settings
from backend.domain.model.channel import CHANNELS, PRACTICE, Channel
from backend.domain.model.days import utc_offsets
from backend.domain.values.errors import OutriderError
from backend.runtime import doctor
from backend.runtime.run.run_service import _Run
from backend.store.queries.reports import campaign_overview
from tests.api.app import App
from tests.patience import PATIENCE

PAGE = '<!doctype html>\n<html lang="en"><head><title>Outrider</title></head></html>'


def settings_of(app: App, campaign: str) -> Any:
    return app.ask(f"/api/campaigns/{campaign}/settings").json


def save(app: App, campaign: str, **changed: object) -> Any:
    shown = settings_of(app, campaign)
    body = {name: shown[name] for name in ("version", "name", "goal", "topic")}
    return app.ask(f"/api/campaigns/{campaign}/settings", {**body, "limits": {**shown["limits"], **changed}})


@pytest.mark.parametrize("channel", CHANNELS.values(), ids=lambda channel: channel.id)
def test_the_conservative_limits_are_those_that_a_campaign_on_the_channel_begins_with(
    app: App, channel: Channel
) -> None:
    settings = channel.settings(Settings().sequence)
    commands = app.workspace.commands()
    made = commands.campaigns.create("Limits", "Talk", site=channel.id, account=channel.account, settings=settings)
    assert settings_of(app, made)["defaults"] == settings_of(app, made)["limits"]


def test_limits_are_shown_with_their_bounds_and_saved_under_a_new_version(app: App, campaign: str) -> None:
    shown = settings_of(app, campaign)
    assert shown["limits"] == shown["defaults"]
    assert shown["bounds"]["invitations_a_day"] == {"least": 0, "most": 100}
    clock = app.workspace.clock
    offsets = [offset.model_dump() for offset in utc_offsets(clock.now(), clock.offset)]
    assert shown["utc_offsets"] == app.ask("/api/campaigns/new").json["utc_offsets"] == offsets
    assert save(app, campaign, invitations_a_day=3).ok
    after = settings_of(app, campaign)
    assert (after["version"], after["limits"]["invitations_a_day"]) == (2, 3)
    gates = {gate["code"]: gate for gate in app.ask(f"/api/campaigns/{campaign}/run").json["families"][1]["gates"]}
    assert "daily_limit" in gates


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"invitations_a_day": 101}, "bad_request"),
        ({"invitations_a_day": -1}, "bad_request"),
        ({"invitations_a_day": "3"}, "bad_request"),
        ({"work_days": [7]}, "bad_request"),
        ({"work_days": [0] * 8}, "bad_request"),
        ({"unknown": 1}, "bad_request"),
        ({"work_days": []}, "hours_empty"),
        ({"day_starts": 1_000, "day_ends": 900}, "hours_empty"),
    ],
)
def test_what_is_out_of_bounds_is_refused(app: App, campaign: str, changed: dict[str, object], code: str) -> None:
    assert save(app, campaign, **changed).code == code
    assert settings_of(app, campaign)["version"] == 1


def test_of_two_who_save_the_second_is_told(app: App, campaign: str) -> None:
    shown = settings_of(app, campaign)
    body = {name: shown[name] for name in ("version", "name", "goal", "topic", "limits")}
    assert app.ask(f"/api/campaigns/{campaign}/settings", {**body, "goal": "One"}).ok
    answer = app.ask(f"/api/campaigns/{campaign}/settings", {**body, "goal": "Two"})
    assert (answer.status, answer.code) == (409, "settings_changed")


def test_what_is_not_changed_stays_as_another_window_made_it(app: App, campaign: str) -> None:
    version = settings_of(app, campaign)["version"]
    path = f"/api/campaigns/{campaign}/settings"
    assert app.ask(path, {"version": version, "name": "Renamed"}).ok
    assert app.ask(path, {"version": version, "topic": " A walk. "}).ok
    now = settings_of(app, campaign)
    assert (now["name"], now["topic"]) == ("Renamed", "A walk.")


def test_how_it_looks_is_kept_and_in_the_page_before_any_script(app: App, built_page: Path) -> None:
    (built_page / "index.html").write_text(PAGE)
    assert app.ask("/api/preferences").json == {
        "theme": "system",
        "zoom": 100,
        "motion": "system",
        "assistant": "closed",
        "keys": "letters",
        "notices": "badge",
        "notice_names": "shown",
    }
    assert 'data-theme="system"' in app.ask("/").text
    preferences = {"theme": "dark", "zoom": 120, "motion": "reduced", "assistant": "open", "keys": "combinations"}
    preferences |= {"notices": "desktop", "notice_names": "hidden"}
    assert app.ask("/api/preferences", preferences).json == preferences
    html = app.ask("/").text
    look = 'data-theme="dark" data-zoom="120" data-motion="reduced" data-assistant="open" data-keys="combinations"'
    assert f'{look} data-notices="desktop" data-notice_names="hidden" lang="en"' in html
    assert html.replace("\n", "").endswith("</html>")
    app.ask("/api/preferences", {"theme": "light"})
    assert 'data-theme="light"' in app.ask("/").text


def test_a_choice_outside_the_list_is_refused(app: App) -> None:
    for wrong in ({"theme": "<script>"}, {"zoom": 105}, {"zoom": 1_000}, {"notices": "loud"}, {"more": 1}):
        assert app.ask("/api/preferences", wrong).code == "bad_request"


def test_a_page_can_tell_that_it_is_stale(app: App, built_page: Path) -> None:
    before = app.ask("/api/session").json["build"]
    assert before == build_of(built_page)
    (built_page / "index.html").write_text(PAGE.replace("Outrider", "Outrider 2"))
    assert app.ask("/api/session").json["build"] != before


def test_the_machine_is_shown_as_it_is(app: App, campaign: str, tmp_path: Path) -> None:
    view = app.ask("/api/settings").json
    assert view["data"]["folder"] == str((tmp_path / "data").resolve())
    parts = {part["name"]: part["bytes"] for part in view["data"]["parts"]}
    assert sum(parts.values()) == view["data"]["total_bytes"]
    assert parts["Database"] > 0
    assert view["address"] == app.authority
    assert {version["name"] for version in view["versions"]} >= {"Outrider", "Python", "SQLite"}
    assert app.token not in json.dumps(view)


def test_how_long_files_are_kept_is_shown_and_set(app: App, tmp_path: Path) -> None:
    replaced = tmp_path / "data" / "outrider-before-restore-1.db"
    replaced.write_bytes(b"replaced")
    view = app.ask("/api/settings").json
    assert view["data"]["replaced_bytes"] == len(b"replaced")
    for wrong in (0, 3_651, "30"):
        assert app.ask("/api/settings/retention", view["retention"] | {"evidence_days": wrong}).code == "bad_request"
    retention = {"evidence_days": None, "rehearsal_days": 7, "replaced_database_days": 7}
    assert app.ask("/api/settings/retention", retention).json == {"files": 0, "bytes": 0}
    assert app.ask("/api/settings").json["retention"] == retention
    assert app.ask("/api/settings/replaced/remove", {}).json == {"files": 1, "bytes": len(b"replaced")}
    assert not replaced.exists()
    assert app.ask("/api/settings/compact", {}).status < 300
    assert app.ask("/api/settings").json["free_in_database"] == 0


def test_the_profile_is_removed_and_not_while_it_is_used(app: App, tmp_path: Path) -> None:
    profile = tmp_path / "data" / "browser" / "practice"
    profile.mkdir(parents=True)
    (profile / "Cookies").write_text("signed in")
    assert app.ask("/api/settings").json["browser"]["profile_bytes"] == len("signed in")
    app.run_service._runs["practising"] = _Run("practising", PRACTICE)
    try:
        assert app.ask("/api/settings/profile/clear", {}).code == "profile_in_use"
        assert profile.exists()
    finally:
        del app.run_service._runs["practising"]
    assert app.ask("/api/settings/profile/clear", {}).status == 204
    assert not profile.exists()
    assert app.ask("/api/settings/profile/clear", {}).status == 204


@pytest.mark.posix  # a program of a few lines
def test_a_browser_is_chosen_for_this_device_and_tried(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTRIDER_BROWSER", raising=False)
    mine = tmp_path / "my-chrome"
    mine.write_text("#!/bin/sh\necho Chromium 141.0.1\n")
    mine.chmod(0o755)
    head = app.workspace.journal.subscribe(lambda _: pytest.fail("a device's own choice is no event"))
    shown = app.ask("/api/settings/browser", {"program": str(mine)}).json
    head()
    assert (shown["chosen"], shown["used"]) == (str(mine), {"program": str(mine), "version": "Chromium 141.0.1"})
    assert app.ask("/api/settings/browser", {"program": "/nowhere/chrome"}).code == "browser_unusable"
    assert app.ask("/api/settings/browsers").json == shown
    assert "(chosen in Settings)" in doctor.browser(str(mine)).said
    monkeypatch.setattr(app.launch.services.machine, "_start_browser", lambda settings: settings.data_dir.name)
    assert app.ask("/api/settings/browser/try", {}).json == {"version": "data"}
    mine.unlink()
    assert app.ask("/api/settings/browsers").json["problem"]["code"] == "browser_unusable"
    assert app.ask("/api/settings/browser", {"program": ""}).json["chosen"] == ""


def test_somebody_is_put_on_the_list_and_taken_off(app: App) -> None:
    for person in ("linkedin.com/in/Ada-Lane/", "Ada@Example.org"):
        assert app.ask("/api/do-not-contact", {"person": person, "name": "Ada", "reason": "asked"}).status == 204
    rows = app.ask("/api/do-not-contact").json["rows"]
    assert [row["member_key"] for row in rows] == ["ada@example.org", "https://www.linkedin.com/in/ada-lane"]
    assert app.ask("/api/do-not-contact", {"person": "Ada@example.org"}).status == 204
    assert len(app.ask("/api/do-not-contact").json["rows"]) == 2
    assert app.ask("/api/do-not-contact/remove", {"entry_id": rows[0]["id"]}).ok
    assert app.ask("/api/do-not-contact/remove", {"entry_id": rows[0]["id"]}).code == "person_not_listed"
    assert len(app.ask("/api/do-not-contact").json["rows"]) == 1
    assert app.ask("/api/do-not-contact", {"person": "nobody at all"}).code == "person_unclear"


def test_the_list_is_read_page_by_page(app: App) -> None:
    for number in range(60):
        app.ask("/api/do-not-contact", {"person": f"p{number}@example.org"})
    first = app.ask("/api/do-not-contact").json
    second = app.ask(f"/api/do-not-contact?after={first['next']}").json
    keys = [row["member_key"] for row in first["rows"] + second["rows"]]
    assert keys == [f"p{number}@example.org" for number in reversed(range(60))]
    assert second["next"] is None


def test_the_doctor_s_report_names_no_folder_of_a_person(app: App, tmp_path: Path) -> None:
    diagnosis = app.ask("/api/diagnostics", {}).json
    assert {finding["code"] for finding in diagnosis["findings"]} >= {"python", "database", "browser", "disk"}
    assert all(finding["remedy"] for finding in diagnosis["findings"] if finding["status"] != "ok")
    assert str(tmp_path) not in diagnosis["report"]
    assert str(Path.home()) not in diagnosis["report"]
    assert app.token not in diagnosis["report"]


def test_three_hundred_campaigns_are_listed_page_by_page_and_found_by_name(app: App) -> None:
    commands = app.workspace.commands()
    for number in range(300):
        commands.campaigns.create(f"Campaign {number:03}", "", site="practice", account="a", settings=Settings())
    names: list[str] = []
    after = ""
    while after is not None:
        page = app.ask(f"/api/campaigns?after={after}").json
        names += [row["name"] for row in page["campaigns"]]
        after = page["next"]
    assert sorted(names) == [f"Campaign {number:03}" for number in range(300)]
    assert names[-1] == "Campaign 000"
    rows = app.ask("/api/campaigns?search=campaign%20012").json["campaigns"]
    assert [row["name"] for row in rows] == ["Campaign 012"]
    assert app.ask("/api/campaigns?search=%25").json["campaigns"] == []
    assert app.ask("/api/campaigns?after=nonsense").ok
    with app.workspace.database.read() as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {campaign_overview.LISTED}",
            {"at": 1, "id": "", "typed": "", "limit": 1, "archived": False},
        ).fetchall()
    assert not any("TEMP B-TREE" in row[3] for row in plan), plan


def test_the_diagnosis_shows_what_failed_in_the_background(app: App) -> None:
    failed = threading.Event()

    def fail() -> float | None:
        if failed.is_set():
            return None
        failed.set()
        raise OutriderError("database_locked", path="the-database")

    worker = app.workspace.workers.add("test worker", fail)
    worker.start()
    assert failed.wait(PATIENCE)
    worker.stop()
    worker.join(PATIENCE)
    diagnosis = app.ask("/api/diagnostics", {}).json
    waiting = next(line["said"] for line in diagnosis["findings"] if line["code"] == "workers")
    assert all(name in waiting for name in ("runner", "assistant", "scorer", "importer", "proofs", "time travel"))
    finding = next(line for line in diagnosis["findings"] if line["code"] == "worker_test_worker")
    assert finding["status"] == "warn"
    assert finding["said"] in diagnosis["report"]

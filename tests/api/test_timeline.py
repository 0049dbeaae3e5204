"""The timeline over the API: filters that look through a bounded part, moments, proofs, the export."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from backend.api import timeline as reads
from backend.domain.events.events import EVENT_KINDS, AuditEntry, Event
from backend.domain.events.facts.sentences import HIGHLIGHTS
from tests.api.app import App
from tests.patience import PATIENCE
from tests.stored_rows import first_row


def page(app: App, campaign: str, query: str = "") -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}/timeline{query}")
    assert answer.ok, answer.text
    return answer.json


def everything(app: App, campaign: str, query: str) -> tuple[list[Any], int]:
    """All rows that a filter finds, and how many answers that took."""
    rows, before, asked = [], "", 0
    while True:
        view = page(app, campaign, f"?{query}{before}")
        rows += view["rows"]
        asked += 1
        if view["next"] is None:
            return rows, asked
        before = f"&before={view['next']}"


def lead_of(app: App, campaign: str) -> tuple[str, str]:
    row: tuple[str, str] = app.workspace.database.query(
        first_row, "SELECT id, full_name FROM leads WHERE campaign_id=? LIMIT 1", campaign
    )
    return row


def soon(look: Callable[[], Any]) -> Any:
    """Ask, as the page does, until there is an answer."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := look()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return answer


def tamper(app: App, sql: str, *values: object) -> None:
    """What somebody with the file in their hands can do."""
    with closing(sqlite3.connect(app.workspace.database.path, isolation_level=None)) as connection:
        for log in ("event_log", "audit_log"):
            connection.execute(f"DROP TRIGGER IF EXISTS {log}_keeps")
            connection.execute(f"DROP TRIGGER IF EXISTS {log}_stays")
        connection.execute(sql, values)


# --- the log ---


def test_entries_come_newest_first_without_gap_or_repetition(app: App, campaign: str) -> None:
    app.record(campaign, *(Event("RuntimeChanged", campaign, {"loop_enabled": n % 2}) for n in range(250)))
    rows, asked = everything(app, campaign, "log=events")
    head = page(app, campaign)["head"]
    assert [row["seq"] for row in rows] == list(range(head, 0, -1))
    assert asked == -(-head // reads.PAGE)
    assert rows[-1]["kind"] == "CampaignCreated"


def test_a_row_names_what_it_is_about(app: App, campaign: str, draft: str) -> None:
    lead_id, name = lead_of(app, campaign)
    row = page(app, campaign)["rows"][0]
    assert (row["kind"], row["actor"], row["cause"]) == ("MessageDrafted", "controller", "test")
    assert row["payload"]["text"] == "Hi, shall we talk? 🙂"
    assert (row["subject"]["lead_id"], row["subject"]["lead"], row["subject"]["what"]) == (lead_id, name, "invitation")


def test_what_came_after_an_entry_is_asked_for_by_itself(app: App, campaign: str) -> None:
    head = page(app, campaign)["head"]
    assert page(app, campaign, f"?after={head}")["rows"] == []
    app.record(campaign, Event("RuntimeChanged", campaign, {"loop_enabled": 1}))
    newer = page(app, campaign, f"?after={head}")
    assert [row["seq"] for row in newer["rows"]] == [head + 1]
    assert newer["next"] is None


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("group=message", {"MessageDrafted"}),
        ("group=task", {"TaskCreated", "CommitmentMade"}),
        ("actor=controller", {"MessageDrafted"}),
        ("turn=7", {"TurnCompleted"}),
        ("text=SHALL%20we%20talk", {"MessageDrafted"}),
        ("text=%F0%9F%99%82", {"MessageDrafted"}),
        ("text=100%25", set()),
        ("text=MessageDraft_d", set()),
    ],
)
def test_filters(app: App, campaign: str, draft: str, query: str, kinds: set[str]) -> None:
    turn = {"history": "WLPAC", "steps": [1] * 8}
    journal = app.workspace.journal
    journal.record(campaign, events=[Event("TurnCompleted", "7", turn)], actor="loop", cause="t7", at=9)
    rows, _ = everything(app, campaign, query)
    assert {row["kind"] for row in rows} == kinds


def test_the_highlights_are_what_somebody_would_notice(app: App, campaign: str, draft: str) -> None:
    lead, name = lead_of(app, campaign)
    app.record(
        campaign,
        Event("LeadAdvanced", lead, {"thread_read_at": 9}),
        Event("LeadAdvanced", lead, {"accepted_at": 9}),
        Event("RuntimeChanged", campaign, {"loop_enabled": 1}),
    )
    rows, _ = everything(app, campaign, "group=highlights")
    assert [row["sentence"] for row in rows[:2]] == [
        f"{name} accepted the invitation",
        f"Draft written for {name} (invitation)",
    ]
    assert {row["kind"] for row in rows[2:]} <= HIGHLIGHTS
    assert EVENT_KINDS.keys() >= HIGHLIGHTS


def test_the_history_of_a_lead_has_everything_that_is_about_it_and_nothing_else(
    app: App, campaign: str, draft: str
) -> None:
    lead_id, name = lead_of(app, campaign)
    app.record(
        campaign,
        Event("MessageEdited", draft, {"text": "Other words"}),
        Event("LeadScored", lead_id, {"weight_score": 3}),
        Event("RuntimeChanged", campaign, {"loop_enabled": 1}),
        Event("TurnCompleted", "1", {"history": "W", "steps": [], "lead_id": lead_id}),
    )
    rows, _ = everything(app, campaign, f"about={lead_id}")
    assert [row["kind"] for row in rows] == [
        "TurnCompleted", "LeadScored", "MessageEdited", "MessageDrafted", "LeadImported",
    ]  # fmt: skip
    assert {row["subject"]["lead"] for row in rows} == {name}
    journal = app.workspace.journal
    looked = [AuditEntry("browser.read_profile", {"parameters": {"lead_id": lead_id}, "us": 5, "outcome": "ok"})]
    journal.record(
        campaign, events=[], audits=[*looked, AuditEntry("proposal", {"raw": "{}"})], actor="agent", cause="t1", at=1
    )
    (row,) = page(app, campaign, f"?log=audit&about={lead_id}")["rows"]
    assert (row["kind"], row["subject"]["lead"]) == ("browser.read_profile", name)
    assert page(app, campaign, "?log=audit&group=proposal")["rows"][0]["payload"] == {"raw": "{}"}


def test_a_filter_that_finds_nothing_looks_through_a_bounded_part_at_a_time(app: App, campaign: str) -> None:
    events = [Event("RuntimeChanged", campaign, {"loop_enabled": n % 2}) for n in range(reads.EXAMINED + 500)]
    app.record(campaign, *events)
    first = page(app, campaign, "?group=question")
    assert first["rows"] == []
    assert first["next"] == first["searched"] == first["head"] + 1 - reads.EXAMINED
    assert first["searched_at"] == 1
    rows, asked = everything(app, campaign, "group=question")
    assert (rows, asked) == ([], 2)


def test_the_workspace_s_own_stream_is_a_log_of_its_own(app: App, campaign: str) -> None:
    app.record(
        "workspace",
        Event("DoNotContactAdded", "d1", {"member_key": "k", "name": "Ada", "status": "active", "created_at": 1}),
    )
    row, skill, *_ = page(app, campaign, "?log=workspace")["rows"]
    assert (row["kind"], row["subject"]["what"]) == ("DoNotContactAdded", "Ada")
    assert (skill["kind"], skill["subject"]["what"]) == ("SkillInstalled", "writing-an-invitation")


def test_an_erased_payload_is_told_as_erased(app: App, campaign: str, draft: str) -> None:
    head = page(app, campaign)["head"]
    with app.workspace.database.write() as connection:
        connection.execute(
            "UPDATE event_log SET change_payload='{}', salt=NULL, payload_digest=zeroblob(32) WHERE campaign_id=? AND seq=?",
            (campaign, head),
        )
    row = page(app, campaign)["rows"][0]
    assert (row["payload"], row["erased"]) == ({}, True)
    entry = app.ask(f"/api/campaigns/{campaign}/timeline/events/{head}").json
    assert (entry["text"], entry["payload_digest"]) == ("{}", "00" * 32)


def test_an_entry_is_tied_to_the_one_before_it(app: App, campaign: str) -> None:
    head = page(app, campaign)["head"]
    last, earlier = (app.ask(f"/api/campaigns/{campaign}/timeline/events/{seq}").json for seq in (head, head - 1))
    assert last["previous_hash"] == earlier["hash"]
    assert app.ask(f"/api/campaigns/{campaign}/timeline/events/1").json["previous_hash"] == "00" * 32
    assert app.ask(f"/api/campaigns/{campaign}/timeline/events/{head + 1}").code == "entry_unknown"
    assert app.ask(f"/api/campaigns/{campaign}/timeline/other/1").status == 404


def test_an_entry_that_is_no_json_any_more_is_still_shown(app: App, campaign: str) -> None:
    app.workspace.journal.record(
        campaign, events=[], audits=[AuditEntry("browser.read_profile", {})], actor="agent", cause="t1", at=1
    )
    tamper(app, "UPDATE audit_log SET payload='{oops' WHERE campaign_id=?", campaign)
    row = page(app, campaign, "?log=audit")["rows"][0]
    assert (row["payload"], row["erased"]) == (None, False)
    assert app.ask(f"/api/campaigns/{campaign}/timeline/audit/{row['seq']}").json["text"] == "{oops"


@pytest.mark.parametrize(
    "query", ["group=nothing", "log=other", "before=0", "before=x", "unknown=1", "turn=-1", "text=" + "x" * 201]
)
def test_what_is_not_understood_is_refused(app: App, campaign: str, query: str) -> None:
    assert app.ask(f"/api/campaigns/{campaign}/timeline?{query}").code == "bad_request"


def test_a_campaign_that_does_not_exist_has_no_timeline(app: App) -> None:
    for path in ("timeline", "timeline/events/1", "timeline/export", "past/1", "past/1/leads", "proof"):
        assert app.ask(f"/api/campaigns/nobody/{path}").code == "campaign_unknown", path


# --- time travel ---


def test_a_moment_before_the_draft_was_rejected_shows_it_waiting(app: App, campaign: str, draft: str) -> None:
    then = page(app, campaign)["head"]
    assert app.ask(f"/api/campaigns/{campaign}/drafts/{draft}/reject", {}).ok
    moment = app.ask(f"/api/campaigns/{campaign}/past/{then}").json
    assert [row["id"] for row in moment["drafts"]] == [draft]
    assert (moment["view"]["seq"], moment["event"]["seq"]) == (then, then)
    assert moment["view"]["now"] == moment["event"]["at"]
    head = page(app, campaign)["head"]
    assert app.ask(f"/api/campaigns/{campaign}/past/{head}").json["drafts"] == []
    assert app.ask(f"/api/campaigns/{campaign}/past/{then - 1}").json["drafts"] == []
    assert app.ask(f"/api/campaigns/{campaign}/past/{head + 1}").code == "entry_unknown"
    assert app.ask(f"/api/campaigns/{campaign}/past/0").code == "entry_unknown"


def test_at_the_last_event_the_past_is_the_present(app: App, campaign: str, draft: str) -> None:
    head = page(app, campaign)["head"]
    then, now = (
        app.ask(f"/api/campaigns/{campaign}/past/{head}").json["view"],
        app.ask(f"/api/campaigns/{campaign}").json,
    )
    same = ("status", "leads", "task_counts", "needs", "questions", "position", "seq")
    assert {name: then[name] for name in same} == {name: now[name] for name in same}


def test_leads_and_tasks_as_they_were_are_paged(app: App, campaign: str) -> None:
    def lead(n: int) -> Event:
        return Event(
            "LeadImported",
            f"l{n}",
            {"full_name": f"P{n}", "profile_url": f"u{n}", "member_key": f"m{n}", "position": 99 + n},
        )

    before = page(app, campaign)["head"]
    app.record(campaign, *(lead(n) for n in range(150)), Event("LeadAdvanced", "l3", {"status": "rejected"}))
    head = page(app, campaign)["head"]
    base = f"/api/campaigns/{campaign}/past"
    first = app.ask(f"{base}/{head}/leads").json
    second = app.ask(f"{base}/{head}/leads?after={first['next']}").json
    names = [row["full_name"] for row in first["rows"] + second["rows"]]
    assert len(names) == len(set(names)) == 162
    assert second["next"] is None
    assert names[12:] == [f"P{n}" for n in range(150)]
    assert [row["id"] for row in app.ask(f"{base}/{head}/leads?status=rejected").json["rows"]] == ["l3"]
    assert app.ask(f"{base}/{head - 1}/leads?status=rejected").json["rows"] == []
    assert len(app.ask(f"{base}/{before}/leads").json["rows"]) == 12
    assert [row["description"] for row in app.ask(f"{base}/{head}/tasks?status=pending").json["rows"]] == [
        "Score the leads"
    ]
    assert app.ask(f"{base}/{head}/leads?after=x").code == "bad_request"


def test_a_long_way_back_tells_how_far_it_is_and_holds_nobody_up(app: App, campaign: str) -> None:
    app.record(campaign, *(Event("RuntimeChanged", campaign, {"loop_enabled": n % 2}) for n in range(6_000)))
    head = page(app, campaign)["head"]
    first = app.ask(f"/api/campaigns/{campaign}/past/{head}").json
    assert first["view"] is None
    assert first["progress"]["of"] == head
    assert app.ask(f"/api/campaigns/{campaign}").ok
    moment = soon(lambda: (past := app.ask(f"/api/campaigns/{campaign}/past/{head}").json)["view"] and past)
    assert moment["progress"] is None
    assert moment["view"]["seq"] == head


def test_the_neighbouring_turns_are_named(app: App, campaign: str) -> None:
    head = page(app, campaign)["head"]
    for number in (1, 2):
        app.record(
            campaign,
            Event("RuntimeChanged", campaign, {"loop_enabled": 1}),
            Event("TurnCompleted", str(number), {"history": "W", "steps": []}),
        )
    moment = app.ask(f"/api/campaigns/{campaign}/past/{head + 3}").json
    assert (moment["turn_before"], moment["turn_after"]) == (head + 2, head + 4)


# --- proofs ---


def proof(app: App, campaign: str) -> Any:
    assert app.ask(f"/api/campaigns/{campaign}/proof", {}).status == 202
    return soon(lambda: not (view := app.ask(f"/api/campaigns/{campaign}/proof").json)["running"] and view)


def test_an_untouched_log_is_proved(app: App, campaign: str, draft: str) -> None:
    assert app.ask(f"/api/campaigns/{campaign}/proof").json == {
        "running": False, "stage": "", "done": 0, "of": 0, "chains": [], "signatures": [], "replay": None, "error": "",
    }  # fmt: skip
    shown = proof(app, campaign)
    assert [line["broken"] for line in shown["chains"]] == [None] * 4
    assert shown["chains"][0]["length"] == page(app, campaign)["head"]
    assert shown["replay"] == {"equal": True, "differences": 0, "first": ""}


def test_a_tampered_log_is_shown_with_the_first_entry_that_does_not_fit(app: App, campaign: str, draft: str) -> None:
    tamper(app, "UPDATE event_log SET actor='somebody' WHERE campaign_id=? AND seq=5", campaign)
    shown = proof(app, campaign)
    assert shown["chains"][0]["broken"]["seq"] == 5
    assert shown["replay"]["equal"] is True, "who did it is in no table"


def test_a_row_that_no_event_made_is_shown(app: App, campaign: str) -> None:
    tamper(app, "UPDATE leads SET company='Evil' WHERE campaign_id=?", campaign)
    shown = proof(app, campaign)
    assert shown["replay"]["equal"] is False
    assert shown["replay"]["differences"] == 2 * 12, "each lead, and the key by which its company is found"
    assert shown["replay"]["first"].startswith("leads ")


def test_a_log_that_cannot_be_folded_is_a_finding_not_a_failure(app: App, campaign: str) -> None:
    tamper(app, "UPDATE event_log SET change_payload='{oops' WHERE campaign_id=? AND seq=5", campaign)
    shown = proof(app, campaign)
    assert shown["chains"][0]["broken"]["seq"] == 5
    assert shown["replay"]["equal"] is False
    assert shown["error"] == ""


# --- the export ---


def test_a_stranger_can_verify_the_export_with_what_its_format_says(app: App, campaign: str, draft: str) -> None:
    app.workspace.journal.record(
        campaign, events=[], audits=[AuditEntry("proposal", {"raw": "Grüße"})], actor="agent", cause="t1", at=1
    )
    heads = app.workspace.database.query(
        first_row, "SELECT event_seq, audit_seq FROM log_heads WHERE campaign_id=?", campaign
    )
    answer = app.ask(f"/api/campaigns/{campaign}/timeline/export")  # what records it comes behind it
    assert answer.ok
    assert campaign in answer.headers["Content-Disposition"]
    lines = [json.loads(line) for line in answer.text.splitlines()]
    for log, names in (("event", ("kind", "entity_type", "entity_id")), ("audit", ("action_type",))):
        before = bytes(32)
        own = [line for line in lines if line["log"] == log]
        for number, line in enumerate(own, 1):
            assert line["seq"] == number
            digest = hashlib.sha256(bytes.fromhex(line["salt"]) + line["payload"].encode()).digest()
            assert digest.hex() == line["payload_digest"]
            metadata = [line[name] for name in ("campaign_id", "seq", "timestamp", *names, "actor", "cause")]
            before = hashlib.sha256(before + digest + json.dumps(metadata, separators=(",", ":")).encode()).digest()
            assert before.hex() == line["hash"]
    assert [sum(line["log"] == log for line in lines) for log in ("event", "audit")] == list(heads)

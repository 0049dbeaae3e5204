"""Insights over the API: the same numbers as a plain count over the tables."""

from typing import Any

import pytest

from backend.api import insights as reads
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, HOUR, MINUTE
from backend.store.queries.campaign import campaigns
from backend.store.queries.reports import response_rates
from tests.api.app import App

Lead = dict[str, Any]


def ask(app: App, campaign: str, path: str = "") -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}/insights{path}")
    assert answer.ok, answer.text
    return answer.json


def leads(app: App, campaign: str) -> list[str]:
    with app.workspace.database.read() as connection:
        return [
            id_ for (id_,) in connection.execute("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", (campaign,))
        ]


def change(app: App, campaign: str, lead: str, **changes: Any) -> None:
    app.record(campaign, Event("LeadAdvanced", lead, changes))


def test_reached_counts_whoever_came_that_far_and_current_who_stands_there(app: App, campaign: str) -> None:
    ids = leads(app, campaign)
    change(app, campaign, ids[0], status="contacted", invited_at=1)
    change(app, campaign, ids[1], status="responded", invited_at=1, replied_at=2)
    change(app, campaign, ids[2], status="rejected", invited_at=1, replied_at=2)
    change(app, campaign, ids[3], status="rejected", invited_at=1)
    change(app, campaign, ids[4], status="rejected")  # never contacted
    change(app, campaign, ids[5], status="responded", invited_at=1, replied_at=2)
    app.record(campaign, Event("LeadLabelled", ids[5], {"label": "interested", "labelled_at": 3}))
    funnel = {stage["stage"]: (stage["reached"], stage["current"]) for stage in ask(app, campaign)["funnel"]}
    assert funnel == {
        "pending": (12, 6), "contacted": (5, 1), "responded": (3, 1), "interested": (1, 1), "rejected": (3, 3),
    }  # fmt: skip
    groups = ask(app, campaign, "/rates?field=job_title")["groups"]
    assert (sum(group["contacted"] for group in groups), sum(group["responded"] for group in groups)) == (5, 3)


def test_rates_name_the_largest_groups_and_sum_up_the_others(app: App, campaign: str) -> None:
    titles = ["CTO", "cto", " CTO ", "Nurse", "Nurse", "", "A", "B", "C", "D", "E", "F"]
    for n, (lead, title) in enumerate(zip(leads(app, campaign), titles, strict=True)):
        replied = {"replied_at": 5} if title.strip().lower() == "cto" and n else {}
        change(app, campaign, lead, status="contacted", invited_at=1, job_title=title, **replied)
    rates = ask(app, campaign, "/rates?field=job_title")
    shown = [
        (group["kind"], group["value"].lower(), group["contacted"], group["responded"]) for group in rates["groups"]
    ]
    assert shown[:2] == [("value", "cto", 3, 2), ("value", "nurse", 2, 0)]
    assert shown[-1] == ("others", "", 1, 0)
    assert rates["groups_more"] == 1
    assert (rates["counted"], rates["complete"]) == (12, True)
    assert sum(group["contacted"] for group in rates["groups"]) == 12
    assert all(
        group["few"] and group["low"] <= group["responded"] / group["contacted"] <= group["high"]
        for group in rates["groups"]
    )


def test_scores_are_grouped_in_bands_in_their_order(app: App, campaign: str) -> None:
    for lead, score in zip(leads(app, campaign), [0, 19, 20, 79, 80, 100, None], strict=False):
        change(app, campaign, lead, status="contacted", invited_at=1, weight_score=score)
    groups = ask(app, campaign, "/rates?field=score")["groups"]
    assert [(group["value"], group["contacted"]) for group in groups] == [
        ("0 to 19", 2),
        ("20 to 39", 1),
        ("60 to 79", 1),
        ("80 to 100", 2),
        ("", 1),
    ]
    assert groups[-1]["kind"] == "empty"


def test_a_column_of_the_lead_file_is_a_field_whatever_it_is_called(app: App, campaign: str) -> None:
    name = 'Größe "m/w" $.[0]&'
    for n, lead in enumerate(leads(app, campaign)[:3]):
        change(app, campaign, lead, status="contacted", invited_at=1, extra={name: f"v{n % 2}", "Other": "x"})
    fields = {field["id"] for field in ask(app, campaign)["fields"]}
    assert {"job_title", "company", "score", f"extra:{name}", "extra:Other"} <= fields
    asked = app.ask(
        "/api/campaigns/" + campaign + "/insights/rates?field=extra%3AGr%C3%B6%C3%9Fe%20%22m%2Fw%22%20%24.%5B0%5D%26"
    )
    assert [(group["value"], group["contacted"]) for group in asked.json["groups"]] == [("v0", 2), ("v1", 1)]


def test_a_column_is_a_field_before_the_first_contact_and_when_later_files_lack_it(
    app: App, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“Show response rates by industry” is no unknown field because nobody was contacted yet."""
    monkeypatch.setattr(response_rates, "SAMPLE", 2)

    def extra_fields() -> list[str]:
        return [field["title"] for field in ask(app, campaign)["fields"] if field["id"].startswith("extra:")]

    ids = leads(app, campaign)
    change(app, campaign, ids[-1], extra={"Industry": "Tea"})
    assert extra_fields() == ["Industry"]
    assert ask(app, campaign, "/rates?field=extra%3AIndustry")["groups"] == []
    change(app, campaign, ids[-1], extra={})
    change(app, campaign, ids[0], extra={"Industry": "Tea"})
    assert extra_fields() == []
    change(app, campaign, ids[0], status="contacted", invited_at=1)
    assert extra_fields() == ["Industry"]


def test_tags_are_a_field_once_leads_have_them(app: App, campaign: str) -> None:
    ids = leads(app, campaign)
    for lead in ids[:2]:
        change(app, campaign, lead, status="contacted", invited_at=1)
    with app.workspace.database.write() as connection:
        if "tags" not in {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('leads')")}:
            assert "tag" not in {field["id"] for field in ask(app, campaign)["fields"]}
            connection.execute("ALTER TABLE leads ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'")
        connection.execute('UPDATE leads SET tags=\'["vip", "bern"]\' WHERE id=?', (ids[0],))
    assert "tag" in {field["id"] for field in ask(app, campaign)["fields"]}
    assert [group["value"] for group in ask(app, campaign, "/rates?field=tag")["groups"]] == ["bern", "vip"]


def test_only_the_latest_leads_are_counted_and_that_is_said(app: App, campaign: str) -> None:
    for n, lead in enumerate(leads(app, campaign)[:5]):
        change(app, campaign, lead, status="contacted", invited_at=1, company=f"c{n}")
    rates = app.workspace.database.query(response_rates.rates_by, campaign, "company", most=3)
    assert (rates.counted, rates.complete) == (3, False)
    assert [group.value for group in rates.groups] == ["c2", "c3", "c4"]


def act(app: App, campaign: str, account: str, family: str, at: int, status: str = "sent") -> None:
    action = {"turn": 1, "account": account, "family": family, "tool": "t", "params": {}, "status": status}
    event = Event("ActionIntended", app.workspace.journal.ids.new(), {**action, "intended_at": at})
    app.record(campaign, event)


def test_activity_is_counted_by_the_campaigns_own_days_and_what_was_not_sent_is_not(app: App, campaign: str) -> None:
    inputs = app.services.turn_inputs(campaign)
    midnight = (inputs.now + inputs.offset_at(inputs.now)) // DAY * DAY - inputs.offset_at(inputs.now)
    with app.workspace.database.read() as connection:
        (account,) = connection.execute("SELECT account FROM campaigns").fetchone()
    for at in (midnight, midnight + 1, midnight - 1, midnight - 30 * DAY):
        act(app, campaign, account, "invite", at)
    act(app, campaign, account, "invite", midnight + 2, "not_sent")
    act(app, campaign, account, "message", midnight - DAY)
    act(app, campaign, "somebody else", "message", midnight)
    activity = ask(app, campaign)["activity"]
    days = activity["days"]
    assert len(days) == reads.DAYS
    assert days[-1]["day"] == (inputs.now + inputs.offset_at(inputs.now)) // DAY
    assert [day["invitations"] for day in days[-2:]] == [1, 2]
    assert [day["messages"] for day in days[-2:]] == [1, 0]
    assert sum(day["invitations"] for day in days) == 3
    assert (activity["invitations_in_week"], activity["invitations_a_week"]) == (3, 80)
    assert {day["invitations_allowed"] for day in days if day["day"] % 7 in (2, 3)} == {0}  # Saturday and Sunday


def test_each_day_is_held_against_the_limits_of_that_day(app: App, campaign: str) -> None:
    inputs = app.services.turn_inputs(campaign)
    today = (inputs.now + inputs.offset_at(inputs.now)) // DAY
    row = app.workspace.database.query(campaigns.campaign, campaign)
    assert row is not None
    everyday = row.settings.limits.model_copy(update={"ramp_days": 0, "work_days": tuple(range(7))})
    for days_ago, invitations in ((40, 9), (3, 4), (0, 20)):
        settings = row.settings.model_copy(
            update={"limits": everyday.model_copy(update={"invitations_a_day": invitations})}
        )
        at = (today - days_ago) * DAY - inputs.offset_at(inputs.now) + 12 * HOUR
        event = Event("CampaignEdited", campaign, {"settings": settings.model_dump_json()})
        app.workspace.journal.record(campaign, events=[event], actor="user", cause="test", at=at)
    act(app, campaign, row.account, "invite", inputs.now - 20 * DAY)
    days = ask(app, campaign)["activity"]["days"]
    # On the day of a change the higher limit counts: what it allowed may have been used before.
    assert [day["invitations_allowed"] for day in days[-6:]] == [9, 9, 9, 4, 4, 20]


def test_the_trend_begins_with_the_first_text_and_counts_each_once(app: App, campaign: str) -> None:
    assert not ask(app, campaign)["trend"]["begun"]
    inputs = app.services.turn_inputs(campaign)
    now, ids = inputs.now, leads(app, campaign)
    for n, days_ago in enumerate((3, 3, 1)):
        for position, step in enumerate(("invitation", "hello")[: 1 + (n == 0)]):
            at = now - days_ago * DAY + position * DAY
            text = {"lead_id": ids[n], "step": step, "kind": "message", "text": "Hi", "status": "sent", "sent_at": at}
            app.record(campaign, Event("OwnMessageFound", f"{n}-{step}", {**text, "created_at": at}))
        change(app, campaign, ids[n], status="contacted", invited_at=now - days_ago * DAY)
    change(app, campaign, ids[0], status="responded", replied_at=now - 1)
    app.record(campaign, Event("LeadLabelled", ids[0], {"label": "interested", "labelled_at": now}))
    trend = ask(app, campaign)["trend"]
    assert (trend["days"], len(trend["starts"]), trend["starts"][-1]) == (
        1,
        4,
        (now + inputs.offset_at(inputs.now)) // DAY,
    )
    assert {line["stage"]: line["counts"] for line in trend["stages"]} == {
        "contacted": [2, 0, 1, 0], "responded": [0, 0, 0, 1], "interested": [0, 0, 0, 1],
    }  # fmt: skip
    assert {line["step"]: (line["sent"], line["replied"]) for line in trend["steps"]} == {
        "invitation": ([2, 0, 1, 0], [0, 0, 0, 0]), "hello": ([0, 1, 0, 0], [0, 1, 0, 0]),
    }  # fmt: skip


def test_somebody_who_only_wrote_counts_as_contacted_in_the_trend_as_in_the_funnel(app: App, campaign: str) -> None:
    now, (sent_to, wrote) = app.services.turn_inputs(campaign).now, leads(app, campaign)[:2]
    text = {
        "lead_id": sent_to,
        "step": "hello",
        "kind": "message",
        "text": "Hi",
        "status": "sent",
        "sent_at": now - DAY,
    }
    app.record(campaign, Event("OwnMessageFound", "m", {**text, "created_at": now - DAY}))
    change(app, campaign, sent_to, status="contacted", last_sent_at=now - DAY)
    change(app, campaign, wrote, status="responded", replied_at=now)
    view = ask(app, campaign)
    assert next(stage["reached"] for stage in view["funnel"] if stage["stage"] == "contacted") == 2
    assert next(stage["counts"] for stage in view["trend"]["stages"] if stage["stage"] == "contacted") == [1, 1]
    (today,) = app.ask(f"/api/today?campaign={campaign}").json["campaigns"]
    assert today["funnel"] == view["funnel"]


def test_a_campaign_that_did_nothing_shows_a_week_and_no_rate(app: App, campaign: str) -> None:
    view = ask(app, campaign)
    assert len(view["activity"]["days"]) == reads.FEWEST_DAYS
    assert view["replies"]["median_ms"] is None
    assert ask(app, campaign, "/rates?field=company")["groups"] == []


def test_the_time_to_reply_runs_from_the_last_text_before_it(app: App, campaign: str) -> None:
    ids, at = leads(app, campaign), 1_000 * DAY

    def said(lead: str, kind: str, when: int) -> None:
        ours = {"step": kind, "status": "sent"} if kind != "reply" else {"step": "", "status": "received"}
        message = {"lead_id": lead, "kind": kind, "text": "x", "sent_at": when, "created_at": when, **ours}
        app.record(campaign, Event("MessageDrafted", app.workspace.journal.ids.new(), message))

    said(ids[0], "reply", at - DAY)  # an old conversation
    said(ids[0], "invitation", at)
    said(ids[0], "message", at + DAY)
    said(ids[0], "reply", at + DAY + 3 * HOUR)
    said(ids[0], "reply", at + 9 * DAY)
    said(ids[1], "invitation", at)
    said(ids[1], "reply", at - MINUTE // 2)  # the site tells whole minutes
    said(ids[2], "invitation", at)
    said(ids[2], "reply", at + 20 * DAY)
    for lead in ids[:3]:
        change(app, campaign, lead, status="responded", replied_at=at + 30 * DAY)
    replies = ask(app, campaign)["replies"]
    assert [span["replies"] for span in replies["spans"]] == [1, 1, 0, 0, 0, 0, 0, 1]
    assert (replies["replies"], replies["median_ms"]) == (3, 3 * HOUR)


def test_what_cannot_be_grouped_by_is_refused(app: App, campaign: str) -> None:
    refused = app.ask(f"/api/campaigns/{campaign}/insights/rates?field=full_name")
    assert (refused.status, refused.code) == (404, "field_unknown")
    assert app.ask("/api/campaigns/nobody/insights").code == "campaign_unknown"
    assert app.ask("/api/campaigns/nobody/insights/rates").code == "campaign_unknown"


def test_a_step_says_what_came_of_it_and_one_that_was_sent_to_nobody_is_not_there(app: App, campaign: str) -> None:
    assert ask(app, campaign)["steps"] == []
    for n, lead in enumerate(leads(app, campaign)[:3]):
        for at, (step, kind) in enumerate((("invitation", "invitation"), ("hello", "message"))[: 1 + (n < 2)], 1):
            text = {"lead_id": lead, "step": step, "kind": kind, "text": "Hi", "status": "sent", "sent_at": 10 * at}
            app.record(campaign, Event("OwnMessageFound", f"{lead}-{step}", {**text, "created_at": 10 * at}))
        change(app, campaign, lead, status="contacted", invited_at=10, **({"accepted_at": 15} if n < 2 else {}))
    change(app, campaign, leads(app, campaign)[0], status="responded", replied_at=30)
    invitation, hello = ask(app, campaign)["steps"]
    assert (invitation["sent"], invitation["accepted"]["count"], invitation["replied"]["count"]) == (3, 2, 0)
    assert (hello["sent"], hello["accepted"], hello["replied"]["count"], hello["few"]) == (2, None, 1, True)
    assert invitation["accepted"]["low"] < 2 / 3 < invitation["accepted"]["high"]


def test_the_report_is_saved_as_a_page_and_as_a_spreadsheet(app: App, campaign: str) -> None:
    address = f"/api/campaigns/{campaign}/report/export"
    page, table = app.ask(address), app.ask(f"{address}?format=csv")
    assert "<h2>Funnel</h2>" in page.text
    assert "Practice clock" in page.text
    assert "Funnel,All leads,Got this far,12,12," in table.text
    assert [answer.headers["Content-Type"].partition(";")[0] for answer in (page, table)] == ["text/html", "text/csv"]
    assert app.ask("/api/campaigns/nobody/report/export").code == "campaign_unknown"

"""Today: what waits, what comes next, what is left and what is wrong, each read by an index."""

from pathlib import Path
from typing import Any

import pytest

from backend.api import today
from backend.api.campaigns import MOST_QUESTIONS, last_known
from backend.api.today import MOST_CAMPAIGNS
from backend.domain.device.visit import ABSENCE, Visit
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, Limits, Settings
from backend.runtime.run.presence import FILE
from backend.store.last_known import LastKnown
from backend.store.small_file import load_small
from tests.api import by_hand
from tests.api.app import App, running
from tests.api.runs import ask


def told(app: App, campaign: str) -> Any:
    (row,) = ask(app, f"/api/today?campaign={campaign}")["campaigns"]
    return row


def test_what_happened_is_told_since_the_user_was_last_here(app: App, tmp_path: Path) -> None:
    campaign = by_hand.make(app.workspace, tmp_path)
    clock, visits = app.workspace.clock, app.services.visits
    assert (ask(app, "/api/today")["last_here"], told(app, campaign)["since"]) == (None, None), "the first visit"
    visits.note(idle_ms=2 * ABSENCE)  # a page that is seen, and was used last an hour ago
    here = ask(app, "/api/today")["last_here"]
    assert here == pytest.approx(clock.now() - 2 * ABSENCE, abs=60_000)
    assert told(app, campaign)["since"] == {"sent": 0, "accepted": 0, "replied": 0, "problems": 0}

    app.record(campaign, Event("LeadAdvanced", _lead(app, campaign), {"accepted_at": 5}))
    for reply in (6, 7):  # two replies of one person
        app.record(campaign, Event("LeadAdvanced", _lead(app, campaign), {"replied_at": reply}))
    visits.note(idle_ms=0)
    happened = {"sent": 0, "accepted": 1, "replied": 1, "problems": 0}
    assert (ask(app, "/api/today")["last_here"], told(app, campaign)["since"]) == (here, happened), (
        "all through the visit"
    )


def test_of_a_rehearsal_nothing_is_told_since_the_user_was_last_here(app: App, campaign: str) -> None:
    """Weeks of practice time pass while the user watches for minutes."""
    app.services.visits.note(idle_ms=2 * ABSENCE)
    app.record(campaign, Event("LeadAdvanced", _lead(app, campaign), {"accepted_at": 5}))
    assert ask(app, "/api/today")["last_here"] is not None
    assert told(app, campaign)["since"] is None


def test_of_many_campaigns_those_that_are_done_are_left_out_first_and_others_are_told_of(
    app: App, campaign: str
) -> None:
    user = app.workspace.commands()
    newer = [
        user.campaigns.create(f"Campaign {n}", "", site="practice", account="a", settings=Settings())
        for n in range(MOST_CAMPAIGNS)
    ]
    view = ask(app, "/api/today")
    assert ({row["id"] for row in view["campaigns"]}, view["more"]) == (set(newer), True)
    for fact, status in (("CampaignActivated", "active"), ("CampaignCompleted", "completed")):
        app.record(newer[0], Event(fact, newer[0], {"status": status}))
    view = ask(app, "/api/today")
    assert ({row["id"] for row in view["campaigns"]}, view["more"]) == ({*newer[1:], campaign}, False)


def test_when_the_user_was_last_here_survives_a_restart(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "data", built_page) as app:
        app.services.visits.note(idle_ms=2 * ABSENCE)
        here = ask(app, "/api/today")["last_here"]
    with running(tmp_path / "data", built_page) as app:
        assert ask(app, "/api/today")["last_here"] == here, "nobody was here when it was closed"
        app.services.visits.note(idle_ms=0)
        assert ask(app, "/api/today")["last_here"] == here
    with running(tmp_path / "data", built_page) as app:
        assert ask(app, "/api/today")["last_here"] == here, "the same visit goes on"
    visit = load_small(tmp_path / "data" / FILE, Visit, 10_000)
    assert visit is not None
    assert visit.last.at > here + ABSENCE, "closing is a use"


def _lead(app: App, campaign: str) -> str:
    return _leads(app, campaign)[0]


def _leads(app: App, campaign: str) -> list[str]:
    with app.workspace.database.read() as connection:
        rows = connection.execute("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", (campaign,))
        return [str(lead_id) for (lead_id,) in rows]


def answer(app: App, campaign: str, at: int, position: int) -> str:
    lead = _leads(app, campaign)[position]
    reply = {
        "lead_id": lead,
        "kind": "reply",
        "text": "Happy to talk.",
        "status": "received",
        "sent_at": at,
        "created_at": at,
    }
    app.record(
        campaign,
        Event("ReplyReceived", f"reply{position}", reply),
        Event("LeadAdvanced", lead, {"status": "responded", "invited_at": 1, "replied_at": at}),
    )
    return lead


def test_what_waits_is_counted(app: App, campaign: str, draft: str) -> None:
    row = told(app, campaign)
    assert {need for need, count in row["needs"].items() if count} == {"approve"}
    assert row["problems"] == []
    assert [stage["reached"] for stage in row["funnel"]] == [12, 0, 0, 0, 0]
    assert {line["family"]: line["used"] for line in row["limits"]} == {"invite": 0, "message": 0}
    assert [row["id"] for row in ask(app, "/api/today")["campaigns"]] == [campaign]


def test_every_screen_counts_what_waits_by_the_same_question(app: App, campaign: str, draft: str) -> None:
    """More questions than the page loads, an answer, a draft, and a campaign without leads."""
    answer(app, campaign, told(app, campaign)["now"], 0)
    for number in range(MOST_QUESTIONS + 3):
        asked = {"task_id": "t1", "kind": "text", "question": "Who is it?", "status": "open", "created_at": 1}
        app.record(campaign, Event("InputRequested", f"q{number}", asked))
    empty = app.workspace.commands().campaigns.create_on_practice("Empty", "Goal", Settings())
    listed = {row["id"]: row for row in ask(app, "/api/campaigns")["campaigns"]}
    last = {row.id: row for row in known(app).campaigns}
    for each in (campaign, empty):
        view, today_ = ask(app, f"/api/campaigns/{each}"), told(app, each)
        assert view["needs"] == today_["needs"] == listed[each]["needs"] == last[each].needs
        assert view["state"] == today_["state"] == listed[each]["state"]
    counted = {need: count for need, count in told(app, campaign)["needs"].items() if count}
    assert counted == {"approve": 1, "read": 1, "answer": MOST_QUESTIONS + 3}
    assert {need for need, count in told(app, empty)["needs"].items() if count} == {"add_leads"}


def known(app: App) -> LastKnown:
    with app.workspace.database.read() as connection:
        return last_known(app.launch.services, connection)


def test_withdrawals_have_a_meter_where_outrider_makes_them(app: App, campaign: str) -> None:
    settings = Settings(limits=Limits(withdrawals_a_day=4, ramp_days=0))
    app.record(campaign, Event("CampaignEdited", campaign, {"settings": settings.model_dump_json()}))
    assert [line["limit"] for line in told(app, campaign)["limits"] if line["family"] == "withdraw"] == [4]


def test_an_answer_waits_until_it_was_seen(app: App, campaign: str) -> None:
    now = told(app, campaign)["now"]
    first, second = answer(app, campaign, now - 2, 0), answer(app, campaign, now - 1, 1)
    row = told(app, campaign)
    assert (row["needs"]["read"], [line["lead_id"] for line in row["latest"]]) == (2, [second, first])
    assert ask(app, f"/api/campaigns/{campaign}")["needs"]["read"] == 2, "the navigation counts them, too"
    assert row["latest"][0]["text"] == "Happy to talk."
    assert row["replies_by_day"][-1] == 2
    app.ask(f"/api/campaigns/{campaign}/threads")
    assert told(app, campaign)["needs"]["read"] == 2, "what only stands in the list was not read"
    assert app.ask(f"/api/campaigns/{campaign}/threads/{first}/read", {}).ok
    assert [line["lead_id"] for line in told(app, campaign)["latest"]] == [second]
    assert app.ask(f"/api/campaigns/{campaign}/threads/{second}/read", {}).ok
    assert told(app, campaign)["needs"]["read"] == 0
    assert ask(app, f"/api/campaigns/{campaign}")["needs"]["read"] == 0


def test_a_conversation_that_is_put_off_is_counted_until_it_comes_back_or_they_write(app: App, campaign: str) -> None:
    now = told(app, campaign)["now"]
    lead = answer(app, campaign, now - 2, 0)
    assert (told(app, campaign)["put_off"], told(app, campaign)["put_off_until"]) == (0, None)
    app.record(campaign, Event("LeadSnoozed", lead, {"snoozed_until": now + DAY, "snoozed_at": now - 1}))
    assert (told(app, campaign)["put_off"], told(app, campaign)["put_off_until"]) == (1, now + DAY)
    app.record(campaign, Event("LeadAdvanced", lead, {"replied_at": now}))
    assert told(app, campaign)["put_off"] == 0


def test_what_was_sent_is_the_campaigns_own_and_the_limits_are_the_accounts(app: App, campaign: str) -> None:
    row = told(app, campaign)
    other = app.workspace.commands().campaigns.create_on_practice("Other", "Goal", Settings())
    intended = {
        "turn": 1, "account": row["account"], "family": "invite", "tool": "t", "params": {}, "status": "sent",
    }  # fmt: skip
    for number, where in enumerate((campaign, other, other)):
        app.record(where, Event("ActionIntended", f"a{number}", {**intended, "intended_at": row["now"] - 1}))
    # Nothing counts as sent that nobody has seen or said to be; a limit counts it all the same.
    app.record(
        campaign, Event("ActionIntended", "open", {**intended, "status": "intended", "intended_at": row["now"] - 1})
    )
    row = told(app, campaign)
    assert row["sent_by_day"][-1] == 1
    assert {line["family"]: line["used"] for line in row["limits"]}["invite"] == 4


def test_notes_have_a_meter_where_they_end_before_the_invitations_do(app: App, tmp_path: Path) -> None:
    made = by_hand.make(app.workspace, tmp_path)
    by_hand.start_and_approve(app, made)
    commands = app.workspace.commands()

    def notes() -> tuple[int, int | None]:
        invitations, messages = told(app, made)["limits"]
        assert messages["notes_limit"] is None
        return invitations["notes_used"], invitations["notes_limit"]

    assert notes() == (0, None)
    limits = by_hand.ANY_HOUR.model_copy(update={"notes_a_month": 5})
    commands.campaigns.edit(made, version=None, limits=limits)
    person = app.ask(f"/api/send?campaign={made}").json["people"][0]
    shown = {"lead_id": person["lead_id"], "digest": person["digest"]}
    assert app.ask(f"/api/campaigns/{made}/send-session/hand-over", shown).ok
    assert notes() == (1, 5)


def test_conversations_are_counted_towards_the_target_of_the_month(app: App, campaign: str) -> None:
    def shown() -> list[Any]:
        return [told(app, campaign)["target"], ask(app, f"/api/campaigns/{campaign}/insights")["target"]]

    now = told(app, campaign)["now"]
    answer(app, campaign, now, 0)
    answer(app, campaign, now - 32 * DAY, 1)
    assert shown() == [None, None], "no target, nothing to show"
    settings = ask(app, f"/api/campaigns/{campaign}/settings")
    limits = {**settings["limits"], "target_a_month": 30}
    edit = {key: settings[key] for key in ("version", "name", "goal", "topic")} | {"limits": limits}
    assert app.ask(f"/api/campaigns/{campaign}/settings", edit).ok
    assert shown() == 2 * [{"wanted": 30, "so_far": 1}], "who replied before this month is none of it"
    again = told(app, campaign)["now"]
    app.record(campaign, Event("LeadAdvanced", _lead(app, campaign), {"replied_at": again}))
    assert shown() == 2 * [{"wanted": 30, "so_far": 1}], "somebody who writes again is one conversation"


def test_what_is_wrong_comes_first_to_last(app: App, campaign: str) -> None:
    with app.workspace.database.read() as connection:
        (account,) = connection.execute("SELECT account FROM campaigns WHERE id=?", (campaign,)).fetchone()
    incident = {
        "account": account,
        "kind": "unusual_activity",
        "said": "Are you human?",
        "status": "open",
        "opened_at": 1,
    }
    blocked = {"kind": "custom", "description": "Look", "needs": "think", "created_at": 1, "status": "blocked"}
    app.record(campaign, Event("IncidentOpened", "i1", incident), Event("TaskCreated", "t1", blocked))
    problems = [(problem["kind"], problem["count"], problem["said"]) for problem in told(app, campaign)["problems"]]
    assert problems == [
        ("incident", 1, "the site has a warning or a check for you (“Are you human?”)"),
        ("blocked", 1, ""),
    ]


def test_a_campaign_in_which_nobody_can_be_written_to_says_why(app: App, tmp_path: Path) -> None:
    campaign = by_hand.make(app.workspace, tmp_path)
    assert told(app, campaign)["problems"] == []
    first, *others = _leads(app, campaign)
    for lead in others:
        app.record(campaign, Event("LeadBlocked", lead, {"blocked": "no_profile_url"}))
    assert told(app, campaign)["problems"] == [], "one can still be"
    app.record(campaign, Event("LeadBlocked", first, {"blocked": "skipped"}))
    assert told(app, campaign)["problems"] == [{"kind": "unreachable", "count": 2, "said": "no_profile_url"}]


def test_nobody_knows_another_campaign(app: App) -> None:
    assert app.ask("/api/today?campaign=nobody").code == "campaign_unknown"
    assert app.ask("/api/campaigns/nobody/threads/l1/read", {}).code == "campaign_unknown"
    assert ask(app, "/api/today")["campaigns"] == []


def test_no_statement_looks_at_all_leads_tasks_or_messages(app: App, campaign: str, draft: str) -> None:
    asked: list[str] = []
    with app.workspace.database.read() as connection:
        connection.set_trace_callback(asked.append)
        today.view(app.launch.services, connection, today.TodayQuery())
        connection.set_trace_callback(None)
        statements = [sql for sql in asked if sql.lstrip().startswith("SELECT")]
        plans = [row[3] for sql in statements for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(statements) > 10
    large = ("leads", "tasks", "messages", "actions", "event_log", "l", "m", "t", "q")
    scans = [
        line for line in plans for name in large if line.startswith(f"SCAN {name}") and f"SCAN {name} " in f"{line} "
    ]
    assert scans == [], plans

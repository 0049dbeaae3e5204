"""What is decided from a terminal, without a run: reject, leave, answer, clear."""

import re
from collections.abc import Iterator

import pytest

from backend.app.wiring import open_workspace
from backend.domain.events.events import Event
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.site import IncidentKind
from backend.domain.model.task import STATUS_WORDS as TASK_WORDS
from backend.domain.model.task import TaskStatus
from backend.domain.model.turn import TurnState
from backend.machine.settings import AppSettings
from backend.store.queries.contact import messages
from backend.terminal.campaign_status import details_lines
from tests.cli.outrider import Outrider, Terminal

NOW = 1_790_000_000_000
LINKEDIN = "https://www.linkedin.com/in"
ADA = {"profile_url": f"{LINKEDIN}/ada", "position": 1, "full_name": "Ada Byron", "member_key": "ada"}
GRACE = {"profile_url": f"{LINKEDIN}/grace", "position": 1, "full_name": "Grace Murray", "member_key": "grace"}
DRAFT = {"task_id": "T", "step": "invite", "kind": "invitation", "status": "draft", "created_at": NOW}
QUESTION: dict[str, object] = {"task_id": None, "kind": "choice", "payload": {}, "status": "open", "created_at": NOW}


@pytest.fixture
def campaign(outrider: Outrider) -> str:
    """A campaign with two drafts, a question and an incident."""
    outrider.data_dir.mkdir()
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        id_ = workspace.commands().campaigns.create("Test", "goal", site="practice", account="acc", settings=Settings())
        incident = {
            "account": "acc",
            "kind": "unusual_activity",
            "said": "Unusual activity",
            "status": "open",
            "opened_at": NOW,
        }
        events = [
            Event(
                "LeadImported",
                "L1",
                ADA,
            ),
            Event(
                "LeadImported",
                "L2",
                GRACE,
            ),
            Event("MessageDrafted", "M1", {**DRAFT, "lead_id": "L1", "text": "Hello Ada, one"}),
            Event("MessageDrafted", "M2", {**DRAFT, "lead_id": "L2", "text": "Hello Grace, two"}),
            Event("InputRequested", "Q1", {**QUESTION, "question": "Which office?", "choices": ["North", "South"]}),
            Event("IncidentOpened", "I1", incident),
        ]
        workspace.journal.record(id_, events=events, actor="test", cause="test", at=NOW)
    return id_


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_status_counts_the_drafts_that_can_be_approved(outrider: Outrider, campaign: str) -> None:
    """Ada is with another campaign: approving hers is refused, and no screen counts it."""
    assert [row["drafts"] for row in outrider.campaigns()] == [2]
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        made = workspace.commands()
        other = made.campaigns.create("Other", "goal", site="practice", account="acc", settings=Settings())
        invited = Event("LeadImported", "L3", {**ADA, "claimed_at": NOW - 1, "invited_at": NOW - 1})
        workspace.journal.record(other, events=[invited], actor="test", cause="test", at=NOW - 1)
    (listed,) = [row for row in outrider.campaigns() if row["campaign"] == campaign]
    assert listed["drafts"] == outrider("status", campaign, "--json").told["drafts"] == 1


def test_status_lists_everything_that_waits_for_a_person(outrider: Outrider, campaign: str) -> None:
    status = outrider("status", campaign, "--json").told
    assert [(row["message"], row["recipient"]) for row in status["open_drafts"]] == [
        ("M1", "Ada Byron"),
        ("M2", "Grace Murray"),
    ]
    assert [row["text"] for row in status["questions"]] == ["Which office?"]
    assert [row["kind"] for row in status["open_incidents"]] == ["unusual_activity"]
    plain = outrider("status", campaign).out
    for words in ("Ada Byron", "Which office?", "Unusual activity"):
        assert words in plain


def test_status_says_how_far_the_target_of_the_month_is_reached(outrider: Outrider, campaign: str) -> None:
    assert outrider("status", campaign, "--json").told["target"] is None
    assert "this month" not in outrider("status", campaign).out
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        workspace.commands().campaigns.edit(campaign, version=None, limits=Limits(target_a_month=30))
    assert "30 conversations this month: 0 so far" in outrider("status", campaign).out


@pytest.mark.posix
def test_rejecting_one_and_leaving_one_decides_one(
    outrider: Outrider, campaign: str, terminals: list[Terminal]
) -> None:
    terminal = Terminal(outrider, "approve", campaign)
    terminals.append(terminal)
    assert "Hello Ada, one" in terminal.expect("[s]top > ")
    terminal.type("r\r")
    assert "Hello Grace, two" in terminal.expect("[s]top > ")
    terminal.type("l\r")
    assert terminal.end() == 0
    assert "1 decided, 1 left" in terminal.seen
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace, workspace.database.read() as connection:
        assert [message.id for message in messages.drafts(connection, campaign)] == ["M2"]


@pytest.mark.posix
def test_a_text_that_is_too_long_is_refused_and_kept(
    outrider: Outrider, campaign: str, terminals: list[Terminal]
) -> None:
    terminal = Terminal(outrider, "approve", campaign, "M1", EDITOR="", VISUAL="")
    terminals.append(terminal)
    terminal.expect("[s]top > ")
    terminal.type("e\r")
    terminal.expect("full stop")
    terminal.type("long " * 60 + "\r.\r")
    assert "[text_too_long]" in terminal.expect("[s]top > ")
    terminal.type("s\r")
    assert terminal.end() == 0
    assert terminal.seen.count("Hello Ada, one") == 2


@pytest.mark.posix
def test_a_question_is_answered_by_number(outrider: Outrider, campaign: str, terminals: list[Terminal]) -> None:
    terminal = Terminal(outrider, "answer", campaign)
    terminals.append(terminal)
    assert "Which office?" in terminal.expect("> ")
    terminal.type("2\r")
    assert terminal.end() == 0
    assert outrider("status", campaign, "--json").told["questions"] == []


def test_a_question_is_answered_in_one_line(outrider: Outrider, campaign: str) -> None:
    assert outrider("answer", campaign, "--json").code == "not_interactive"
    assert outrider("answer", campaign, "Q0", "South", "--json").code == "question_unknown"
    assert outrider("answer", campaign, "Q1", "South", "--json").told["answered"] == 1
    assert outrider("answer", campaign, "--json").told == {"campaign": campaign, "answered": 0, "left": 0}


def test_an_incident_holds_the_run_until_it_is_cleared_with_a_reason(outrider: Outrider, campaign: str) -> None:
    run = outrider("run", campaign, "--auto-approve", "--headless", "--json")
    assert run.status == 3, run.err
    assert run.told["ended"] in ("held", "needs_you")
    assert outrider("clear", campaign).status == 2
    assert outrider("clear", campaign, "--reason", "it was me", "--json").told["cleared"] == 1
    assert outrider("status", campaign, "--json").told["open_incidents"] == []


def record(outrider: Outrider, campaign: str, event: Event) -> None:
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        workspace.journal.record(campaign, events=[event], actor="test", cause="test", at=NOW)


def test_a_campaign_in_error_runs_again_only_after_its_recovery(outrider: Outrider, campaign: str) -> None:
    record(outrider, campaign, Event("CampaignFailed", campaign, {"status": "error", "status_reason": "a row is gone"}))
    refused = outrider("run", campaign, "--auto-approve", "--json")
    assert refused.code == "campaign_in_error"
    assert "a row is gone" in refused.err
    assert outrider("clear", campaign, "--reason", "restored", "--json").told["recovered"] is True
    assert outrider.campaigns()[0]["status"] == "paused"


def test_an_import_that_was_cut_off_is_not_run_with_half_its_leads(outrider: Outrider, campaign: str) -> None:
    started = {"file": "Connections.csv", "format": "linkedin_connections", "created_at": NOW}
    record(outrider, campaign, Event("ImportStarted", "I1", started))
    assert outrider("run", campaign, "--auto-approve", "--json").code == "import_unfinished"


def test_a_blocked_task_is_shown_dropped_and_tried_again(outrider: Outrider, campaign: str) -> None:
    task = {"kind": "custom", "description": "Look around", "needs": "think", "created_at": NOW}
    record(outrider, campaign, Event("TaskCreated", "T1", {**task, "status": "blocked", "reason": "led nowhere"}))
    (shown,) = outrider("status", campaign, "--json").told["blocked"]
    assert (shown["task"], shown["description"], shown["reason"]) == ("T1", "Look around", "led nowhere")
    assert outrider("cancel", campaign, "T2", "--json").code == "task_unknown"
    assert outrider("cancel", campaign, "T1", "--json").told == {
        "campaign": campaign,
        "task": "T1",
        "status": "cancelled",
    }
    assert outrider("status", campaign, "--json").told["blocked"] == []
    assert outrider("cancel", campaign, "T1", "--json").code == "task_not_blocked"
    mended = outrider("retry", campaign, "T1")
    assert mended.status == 0
    assert f"outrider run {campaign}" in mended.out
    assert outrider("retry", campaign, "T1", "--json").code == "task_not_blocked"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (("rehearse",), "--wait"),
        (("run", "{campaign}"), "--wait"),
        (("approve", "{campaign}"), "Review"),
        (("answer", "{campaign}"), "question's id"),
        (("consent", "give"), "LinkedIn Drive"),
    ],
)
def test_who_cannot_be_asked_is_told_how_this_very_decision_is_made(
    outrider: Outrider, campaign: str, command: tuple[str, ...], names: str
) -> None:
    arguments = [argument.format(campaign=campaign) for argument in command]
    error = outrider(*arguments, "--json").told["error"]
    assert error["code"] == "not_interactive"
    assert names in error["remedy"]
    options = outrider(*arguments, "--help").out
    assert [option for option in re.findall(r"--[a-z-]+", error["remedy"]) if option not in options] == []


def test_where_a_campaign_stands_is_said_without_codes(outrider: Outrider, campaign: str) -> None:
    status = outrider("status", campaign, "--json").told
    codes = {*TurnState, *TaskStatus, *IncidentKind} - set(TASK_WORDS.values())
    status["task_counts"] = dict.fromkeys(TaskStatus, 1)
    status["open_incidents"] = [
        {"incident": "I1", "kind": kind, "said": "It asks to sign in."} for kind in IncidentKind
    ]
    for state in TurnState:
        text = "\n".join(details_lines({**status, "turn_state": state}))
        assert [code for code in codes if re.search(rf"\b{code}\b", text)] == []

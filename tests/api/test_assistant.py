"""The assistant over the API: what is said becomes turns, their results lines, and the page hears of each."""

import hashlib
import io
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.events.events import Event
from backend.domain.model.campaign import Settings
from backend.domain.model.tools import TOOLS
from backend.domain.turn.request import COMMANDS, UNDERSTOOD_AS, plain_command
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.store.log import replay
from tests.api.app import App, running
from tests.api.runs import ask, follow, idle, without_a_browser
from tests.patience import PATIENCE
from tests.stored_rows import first_row

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_browser(monkeypatch)


def say(app: App, campaign: str, text: str, attached: list[Any] | None = None, key: str | None = None) -> str:
    """Say it; the request's id."""
    answer = app.ask(
        f"/api/campaigns/{campaign}/assistant/messages",
        {"text": text, "attached": attached or [], "key": key or uuid4().hex, "command": plain_command(text)},
    )
    assert answer.status == 201, answer.text
    return str(answer.json["request_id"])


def conversation(app: App, campaign: str) -> Any:
    return ask(app, f"/api/campaigns/{campaign}/assistant")


def rest(app: App, campaign: str) -> list[Any]:
    """Wait until nothing is worked on; the lines then."""
    follow(app, lambda: conversation(app, campaign)["working"] is None)
    lines: list[Any] = conversation(app, campaign)["lines"]
    return lines


def answer(app: App, campaign: str, question: str, text: str, *, hidden: Sequence[str] = ()) -> None:
    path = f"/api/campaigns/{campaign}/questions/{question}/answer"
    assert app.ask(path, {"answer": text, "hidden_shown": list(hidden)}).ok


def keep(app: App, campaign: str, artifact_type: str, key: str, content: str) -> None:
    source, blobs = io.BytesIO(content.encode()), app.launch.services.blobs
    app.services.commands(campaign).artifacts.save(campaign, artifact_type, key, source, blobs, follows=0)


def test_saved_artifacts_are_listed_in_the_conversation(app: App, campaign: str) -> None:
    keep(app, campaign, "job_posting", "acme", "We look for a CTO.")
    request = say(app, campaign, "list my saved artifacts")
    lines = rest(app, campaign)
    assert [(line["author"], line["request_id"]) for line in lines] == [("user", request), ("outrider", request)]
    assert lines[0]["text"] == "list my saved artifacts"
    result = lines[1]["result"]
    # A campaign keeps its context, its blueprint and its weights.
    assert (result["kind"], result["total"]) == ("artifacts", 4)
    assert result["found"][0] | {"created_at": 0} == {
        "artifact_type": "job_posting", "key": "acme", "version": 1, "made_by": {"kind": "user", "name": ""},
        "bytes": 18, "created_at": 0,
    }  # fmt: skip


# --- plain commands ---


@pytest.mark.parametrize("text", ["continue", "Continue!", " go on ", "RESUME."])
def test_continue_is_the_users_own_act_and_asks_no_model(app: App, campaign: str, text: str) -> None:
    app.run_service.proposer = Refusing()
    request = say(app, campaign, text)
    lines = conversation(app, campaign)["lines"]
    assert [line["request_id"] for line in lines] == [request] * 2
    assert lines[1]["result"]["sentence"] == "The campaign goes on from where it stood."
    assert not app.run_service.is_idle
    app.ask(f"/api/campaigns/{campaign}/stop", {})
    follow(app, lambda: idle(app))
    with app.workspace.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM tasks WHERE kind='assist'").fetchone() == (0,)
        actors = connection.execute("SELECT actor FROM event_log WHERE kind='ConversationSaid' ORDER BY seq").fetchall()
    assert actors == [("user",), ("controller",)]


def test_a_message_is_carried_out_as_a_command_only_if_it_was_shown_as_that_command(app: App, campaign: str) -> None:
    path = f"/api/campaigns/{campaign}/assistant/messages"
    app.run_service.proposer = Refusing()
    for text, shown in (("continue", None), ("continue", "stop"), ("pause", "go"), ("continue, please", "go")):
        refused = app.ask(path, {"text": text, "attached": [], "key": uuid4().hex, "command": shown})
        assert (refused.status, refused.code) == (409, "command_not_shown"), (text, shown)
    assert app.run_service.is_idle
    assert conversation(app, campaign)["lines"] == []
    assert set(COMMANDS.values()) == set(UNDERSTOOD_AS), "each has the words that it is shown by"
    assert {tool for tool in TOOLS if tool.startswith("campaign.")} == {"campaign.pause", "campaign.continue"}


def test_pause_stops_what_runs(app: App, campaign: str) -> None:
    say(app, campaign, "continue")
    say(app, campaign, "pause")
    follow(app, lambda: idle(app))
    lines = conversation(app, campaign)["lines"]
    assert lines[-1]["result"]["sentence"] == "The campaign stops after the current action."


def test_a_plain_command_that_cannot_be_carried_out_says_why(app: App, campaign: str) -> None:
    other = app.services.commands(campaign).campaigns.create(
        "b", "g", site="linkedin", account="a", settings=Settings()
    )
    say(app, other, "continue")
    assert conversation(app, other)["lines"][1]["result"]["code"] == "channel_unknown"


def test_the_same_key_is_the_same_request(app: App, campaign: str) -> None:
    keys = [say(app, campaign, "pause", key="k"), say(app, campaign, "pause", key="k")]
    assert keys[0] == keys[1]
    assert len(conversation(app, campaign)["lines"]) == 2


# --- what is given with a message ---


def test_a_chosen_file_is_saved_to_the_byte_after_a_click(app: App, campaign: str) -> None:
    content = "We look for a CTO.\r\n\ufeffÄ\x00".encode()
    ticket = app.upload("Acme CTO.txt", content)
    say(app, campaign, "save this job posting as an artifact", [{"name": "Acme CTO.txt", "ticket": ticket}])
    lines = rest(app, campaign)
    assert lines[0]["attached"] == ["Acme CTO.txt"]
    asked = lines[1]["question"]
    assert (asked["kind"], asked["choices"], asked["answer"]) == ("save_artifact", ["yes", "no"], None)
    path = f"/api/campaigns/{campaign}/questions/{asked['id']}/answer"
    assert app.ask(path, {"answer": "yes"}).code == "text_hides", "nobody was shown what is hidden in it"
    answer(app, campaign, asked["id"], "yes", hidden=("U+000D", "U+FEFF", "U+0000"))
    lines = rest(app, campaign)
    assert lines[1]["question"]["answer"] == "yes"
    shown = lines[2]["result"]
    assert (shown["kind"], shown["artifact"]["key"], shown["artifact"]["made_by"]["kind"]) == (
        "artifact",
        "acme-cto",
        "user",
    )
    assert shown["sha256"] == hashlib.sha256(content).hexdigest()
    stored = app.workspace.database.query(first_row, "SELECT content FROM artifacts WHERE artifact_key='acme-cto'")[0]
    assert stored.encode() == content


@pytest.mark.parametrize(
    ("attached", "code"),
    [
        ([{"name": "a"}], "bad_request"),
        ([{"name": "a", "text": "x", "ticket": "t"}], "bad_request"),
        ([{"name": "a", "text": ""}], "artifact_empty"),
        ([{"name": "a", "ticket": "unknown"}], "file_ticket_unknown"),
        ([{"name": "a", "text": "ä" * 600_000}], "artifact_too_large"),
        ([{"name": "a", "text": "x" * 1_000_001}], "bad_request"),
        ([{"name": "a", "text": "x"}] * 6, "bad_request"),
    ],
    ids=range(7),
)
def test_what_cannot_be_taken_is_refused_with_its_code(app: App, campaign: str, attached: Any, code: str) -> None:
    path = f"/api/campaigns/{campaign}/assistant/messages"
    assert app.ask(path, {"text": "save it", "attached": attached, "key": "k"}).code == code
    assert conversation(app, campaign)["lines"] == []


def test_what_is_no_text_is_refused(app: App, campaign: str) -> None:
    path = f"/api/campaigns/{campaign}/assistant/messages"
    for content, code in ((b"\xff\xfe\x00", "artifact_not_text"), (b"x" * 1_000_001, "artifact_too_large")):
        ticket = app.upload("a.bin", content)
        message = {"text": "save it", "attached": [{"name": "a.bin", "ticket": ticket}], "key": "k"}
        assert app.ask(path, message).code == code


@pytest.mark.parametrize("text", ["", "x" * 20_001])
def test_a_message_has_bounds(app: App, campaign: str, text: str) -> None:
    path = f"/api/campaigns/{campaign}/assistant/messages"
    assert app.ask(path, {"text": text, "attached": [], "key": "k"}).code == "bad_request"


def test_there_is_no_conversation_without_a_campaign(app: App) -> None:
    base = "/api/campaigns/nobody/assistant"
    assert app.ask(base).code == "campaign_unknown"
    assert app.ask(f"{base}/hide", {}).code == "campaign_unknown"
    assert app.ask(f"{base}/messages", {"text": "x", "attached": [], "key": "k"}).code == "campaign_unknown"


# --- the conversation ---


def test_it_is_read_a_page_at_a_time(app: App, campaign: str) -> None:
    for _ in range(30):
        say(app, campaign, "pause")
    first = conversation(app, campaign)
    assert len(first["lines"]) == 50
    second = ask(app, f"/api/campaigns/{campaign}/assistant?before={first['before']}")
    assert (len(second["lines"]), second["before"]) == (10, None)
    ids = [line["id"] for line in second["lines"] + first["lines"]]
    assert len(set(ids)) == 60
    refused = app.ask(f"/api/campaigns/{campaign}/assistant?before=nothing")
    assert refused.code == "bad_request"


def test_lines_that_two_devices_numbered_alike_are_all_read(app: App, campaign: str) -> None:
    row: dict[str, Any] = {"role": "user", "content": "Hello", "request_id": "", "payload": "{}", "created_at": 1}
    for number in (51, 51, 100, *range(52, 100), 51):
        app.record(campaign, Event("ConversationSaid", f"line{uuid4()}", {**row, "line": number}))
    first = conversation(app, campaign)
    second = ask(app, f"/api/campaigns/{campaign}/assistant?before={first['before']}")
    assert len({line["id"] for line in second["lines"] + first["lines"]}) == 52


def test_it_can_be_deleted_and_brought_back(app: App, campaign: str) -> None:
    base = f"/api/campaigns/{campaign}/assistant"
    say(app, campaign, "list my saved artifacts")
    before = rest(app, campaign)
    assert app.ask(f"{base}/hide", {}).ok
    assert conversation(app, campaign)["lines"] == []
    say(app, campaign, "pause")
    assert len(conversation(app, campaign)["lines"]) == 2
    app.ask(f"{base}/hide", {})
    assert app.ask(f"{base}/restore", {}).ok
    assert [line["text"] for line in conversation(app, campaign)["lines"]] == [
        "pause",
        "The campaign does not run.",
    ]
    app.ask(f"{base}/restore", {})  # a deletion is taken back once
    assert len(conversation(app, campaign)["lines"]) == 2
    assert app.workspace.database.query(first_row, "SELECT count(*) FROM conversations") == (len(before) + 2,)


def past_lines(app: App, campaign: str, seq: int) -> str:
    """What an earlier moment shows of the conversation's rows."""
    return repr(
        app.launch.services.time_travel.at(
            campaign, seq, lambda past: past.execute("SELECT * FROM conversations").fetchall()
        )
    )


def test_it_can_be_erased_for_good(app: App, campaign: str) -> None:
    base = f"/api/campaigns/{campaign}/assistant"
    say(app, campaign, "ZEBRA, list my saved artifacts")
    rest(app, campaign)
    head = app.ask(f"/api/campaigns/{campaign}/timeline").json["head"]
    assert "ZEBRA" in past_lines(app, campaign, head)
    assert app.ask(f"{base}/erase", {}).status == 204
    assert conversation(app, campaign)["lines"] == []
    app.ask(f"{base}/restore", {})
    assert conversation(app, campaign)["lines"] == []
    timeline = app.ask(f"/api/campaigns/{campaign}/timeline")
    assert "ZEBRA" not in timeline.text
    assert any(row["erased"] for row in timeline.json["rows"])
    assert any(row["sentence"].endswith(" log entries were erased") for row in timeline.json["rows"])
    assert "ZEBRA" not in past_lines(app, campaign, head), "a past that was open already is folded anew"


def test_a_question_survives_a_restart_and_is_answered_by_a_click(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "again", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        for key in ("acme", "initech"):
            keep(app, campaign, "note", key, key)
        say(app, campaign, "show me the note from today")
        rest(app, campaign)
    with running(tmp_path / "again", built_page) as app:
        asked = conversation(app, campaign)["lines"][-1]["question"]
        assert asked["kind"] == "choose_artifact"
        answer(app, campaign, asked["id"], asked["choices"][0])
        lines = rest(app, campaign)
        assert lines[-1]["result"]["kind"] == "artifact"


def test_a_request_in_the_middle_of_which_it_ended_asks_whether_it_goes_on(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "again", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        app.launch.assistant.close()  # so that nobody works on it
        say(app, campaign, "list my saved artifacts")
    with running(tmp_path / "again", built_page) as app:
        view = conversation(app, campaign)
        asked = view["lines"][-1]["question"]
        assert (view["working"], asked["kind"], asked["choices"]) == (
            None,
            "resume_request",
            ["go on with it", "leave it"],
        )
        answer(app, campaign, asked["id"], "go on with it")
        assert rest(app, campaign)[-1]["result"]["kind"] == "artifacts"


def test_going_on_is_clicked_and_then_the_campaign_runs(app: App, campaign: str) -> None:
    request = say(app, campaign, "could you continue the campaign?")
    asked = rest(app, campaign)[-1]["question"]
    assert asked["kind"] == "continue_campaign"
    answer(app, campaign, asked["id"], "continue")
    lines = rest(app, campaign)
    assert lines[-1]["result"]["sentence"] == "The campaign goes on from where it stood."
    assert not app.run_service.is_idle
    assert app.workspace.database.query(first_row, "SELECT status FROM tasks WHERE id=?", request) == ("done",)


# --- while it works ---


class Refusing:
    """A model that must not be asked."""

    name = "refusing"

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        assert snapshot.request is None, "a plain command asked the model"
        return ScriptedProposer().propose(snapshot, on_text, on_usage)


class Slow:
    """A model that says half of its reply and then waits until it is let go on."""

    name = "slow"

    def __init__(self) -> None:
        self.begun, self.on = threading.Event(), threading.Event()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        reply = json.dumps(
            {"type": "execute_tool", "task_id": snapshot.focus.task.id, "params": {"tool": "artifacts.search"}}
        )
        on_text(reply[:10])
        self.begun.set()
        assert self.on.wait(PATIENCE)
        on_text(reply[10:])
        return reply


def test_the_reply_appears_while_it_is_generated_and_the_page_hears_of_every_line(app: App, campaign: str) -> None:
    app.run_service.proposer = model = Slow()
    with app.hearing() as socket:
        request = say(app, campaign, "what is there?")
        growing = socket.until("reply")
        assert (growing["request_id"], growing["text"], growing["whole"]) == (request, '{"type": "', False)
        assert conversation(app, campaign)["working"] == request
        app.ask(f"/api/campaigns/{campaign}/assistant/stop", {})  # the model is not waited for
        events: list[Any] = []
        while not any(event["kind"] == "RequestEnded" for event in events):
            events += socket.until("events")["events"]
    lines = [event["changes"] for event in events if event["kind"] == "ConversationSaid"]
    assert [(line["role"], line["kind"]) for line in lines][-1:] == [("outrider", "result")]
    view = conversation(app, campaign)
    assert [line["result"]["code"] for line in view["lines"][1:]] == ["proposer_stopped"]
    assert view["working"] is None
    model.on.set()  # what it says now is nobody's


def test_who_hears_of_its_last_event_reads_that_nothing_is_worked_on(app: App, campaign: str) -> None:
    heard: list[str | None] = []
    journal = app.workspace.journal
    unsubscribe = journal.subscribe(lambda _: heard.append(app.launch.assistant.current_request(campaign)))
    request = say(app, campaign, "list my saved artifacts")
    rest(app, campaign)
    unsubscribe()
    assert request in heard
    assert heard[-1] is None, "nothing else would tell the page"


def test_stopping_ends_what_has_not_begun_too(app: App, campaign: str) -> None:
    app.run_service.proposer = model = Slow()
    say(app, campaign, "one")
    assert model.begun.wait(PATIENCE)
    say(app, campaign, "two")
    app.ask(f"/api/campaigns/{campaign}/assistant/stop", {})
    model.on.set()
    lines = rest(app, campaign)
    assert sorted(line["result"].get("code") for line in lines if line["result"]) == ["proposer_stopped", "stopped"]


def turns_of_its_own(app: App) -> int:
    own = app.workspace.database.query(first_row, "SELECT count(*) FROM turn_projection WHERE request_id IS NULL")[0]
    return int(own)


def test_fifty_questions_while_a_rehearsal_runs(app: App, campaign: str) -> None:
    """One turn at a time, in order; nobody waits for ever; and no two turns have the same number."""
    say(app, campaign, "continue")
    follow(app, lambda: turns_of_its_own(app) > 0)
    before = turns_of_its_own(app)
    requests = [say(app, campaign, "list my saved artifacts") for _ in range(50)]
    follow(app, lambda: conversation(app, campaign)["working"] is None)
    with app.workspace.database.read() as connection:
        status = connection.execute("SELECT status, count(*) FROM tasks WHERE kind='assist' GROUP BY 1").fetchall()
        numbers = [row[0] for row in connection.execute("SELECT number FROM turn_projection ORDER BY number")]
    own = turns_of_its_own(app)
    assert status == [("done", 50)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert own > before  # the campaign was not kept waiting by so many questions
    assert len(numbers) - own == 100
    say(app, campaign, "pause")
    follow(app, lambda: idle(app))
    assert len(set(requests)) == 50
    assert replay.find_differences(app.workspace.database) == []


def test_closing_waits_for_the_turn_in_flight_and_leaves_the_rest_for_the_next_start(
    tmp_path: Path, built_page: Path
) -> None:
    model = Slow()
    with running(tmp_path / "again", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        app.run_service.proposer = model
        say(app, campaign, "what is there?")
        assert model.begun.wait(PATIENCE)
        closing = threading.Thread(target=app.launch.assistant.close)
        closing.start()
        model.on.set()
        closing.join(PATIENCE)
        assert not closing.is_alive()
    with running(tmp_path / "again", built_page) as app:
        lines = conversation(app, campaign)["lines"]
        assert [line["result"] and line["result"]["kind"] for line in lines] == [None, "artifacts", None]
        assert lines[-1]["question"]["kind"] == "resume_request"


def test_the_steps_of_a_request_are_told_as_its_own(app: App, campaign: str) -> None:
    with app.hearing() as socket:
        request = say(app, campaign, "list my saved artifacts")
        first = socket.until("step")
    assert (first["campaign_id"], first["request_id"]) == (campaign, request)

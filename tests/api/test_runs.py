"""The Run screen's API: one step, the reply while it is generated, what is shown of the turn and of the gates."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.api import runs
from backend.app.launch import open_backend
from backend.domain.gates.gates import GATES
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import ActionFamily
from backend.domain.people.lead_row import LeadRow
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.machine.settings import read_settings
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.feed.feed_messages import MAX_TAIL_CHARS, ReplyTail
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.store.queries.reports import campaign_overview
from tests.api.app import App
from tests.api.runs import ask, follow, idle, step, without_a_browser
from tests.patience import PATIENCE
from tests.store.test_log import tampering

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_browser(monkeypatch)


class Halting:
    """A model that says half of its reply and then waits until it is let go on."""

    name = "halting"

    def __init__(self) -> None:
        self.on = threading.Event()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        reply = ScriptedProposer().propose(snapshot)
        for piece in (reply[:10], reply[10:20]):
            on_text(piece)
        assert self.on.wait(PATIENCE)
        on_text(reply[20:])
        return reply


class Heard:
    """Another model, and a sign that it was asked."""

    name = "heard"

    def __init__(self, model: Halting, asked: threading.Event) -> None:
        self._model, self._asked = model, asked

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self._asked.set()
        return self._model.propose(snapshot, on_text, on_usage)


@pytest.fixture
def halting(app: App) -> Iterator[Halting]:
    app.run_service.proposer = model = Halting()
    yield model
    model.on.set()


# --- the end ---


def test_there_are_words_for_whatever_is_owed_next() -> None:
    assert runs._WORDS.keys() == set(DueAction)


def test_at_the_end_a_campaign_is_told_to_stop_before_anything_else_is_waited_for(tmp_path: Path) -> None:
    model, stops = Halting(), list[bool]()
    with open_backend(read_settings({}, tmp_path), show_code=lambda _: None, hidden_browser=True) as launch:
        run_service = launch.run_service
        campaign = find_or_create_rehearsal(launch.workspace, None, None)
        begun = threading.Event()
        run_service.proposer = Heard(model, begun)
        launch.services.presence.resume()
        run_service.start(campaign)
        assert begun.wait(PATIENCE)
        run = run_service._runs[campaign]

        def rows() -> Iterator[LeadRow]:
            stops.append(run.stop.wait(PATIENCE))
            model.on.set()
            yield from ()

        launch.services.importer.start(
            campaign, rows(), launch.services.clock(campaign), file="more.csv", file_format="x"
        )
    assert stops == [True]


def test_damage_that_is_found_while_a_campaign_runs_stops_it_and_says_why(app: App, halting: Halting) -> None:
    asked = threading.Event()
    app.run_service.proposer = Heard(halting, asked)
    app.services.presence.resume()
    campaign = app.run_service.start_rehearsal()
    assert asked.wait(PATIENCE)
    run = app.run_service._runs[campaign]
    app.launch.log_check.close()  # its round comes when the test says so
    workspace = app.workspace
    with contextlib.closing(tampering(workspace.settings.database)) as somebody:
        somebody.execute("UPDATE event_log SET actor='somebody' WHERE campaign_id=? AND seq=3", (campaign,))
    with pytest.raises(OutriderError, match="broken at entry 3"):
        app.launch.log_check.verify_again()
    assert run.stop.is_set()
    halting.on.set()
    follow(app, lambda: idle(app))
    ended = ask(app, f"/api/campaigns/{campaign}")["run"]
    assert (ended["campaign_id"], ended["error"]["code"]) == (campaign, "log_broken")
    assert "broken at entry 3" in ended["error"]["sentence"]
    state = workspace.database.query(campaign_overview.state, campaign)
    assert state is not None
    assert (state.status, state.reason) == ("active", ended["error"]["sentence"])
    with pytest.raises(OutriderError, match="broken at entry 3"):
        app.run_service.start(campaign)


# --- the reply ---


def test_the_text_is_there_before_the_reply_is_complete(app: App, campaign: str, halting: Halting) -> None:
    at_last = ""
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.ask(f"/api/campaigns/{campaign}/step", {})
        reply = socket.until("reply")
        while len(reply["text"]) < 20:
            reply = socket.until("reply")
        assert (reply["text"], reply["offset"]) == ('{"type":"select_next', 0)
        assert (reply["turn"], reply["whole"], halting.on.is_set()) == (1, False, False)
        assert ask(app, f"/api/campaigns/{campaign}/run")["last"] is None, "nothing of it is on record yet"
        halting.on.set()
        while not reply["whole"]:
            reply = socket.until("reply")
        at_last = reply["text"]
    follow(app, lambda: idle(app))
    last = ask(app, f"/api/campaigns/{campaign}/run")["last"]
    assert at_last == last["reply"]["text"]
    assert (last["parsed"]["type"], last["line"]["verdict"]) == ("select_next_task", "accepted")


def test_a_page_that_comes_later_gets_what_was_said_so_far(app: App, campaign: str, halting: Halting) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.ask(f"/api/campaigns/{campaign}/step", {})
        socket.until("reply")
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        assert socket.until("reply")["text"].startswith('{"type"')


def test_five_megabytes_in_small_pieces_stay_bounded_and_their_end_is_what_is_sent() -> None:
    growing = ReplyTail()
    text = "".join(f"{n:07d} " for n in range(650_000))
    reply = growing.append("c", 7, "", whole=False)
    for start in range(0, len(text), 1_000):
        reply = growing.append("c", 7, text[start : start + 1_000], whole=False)
        assert len(reply.text) <= MAX_TAIL_CHARS
    assert (reply.offset + len(reply.text), reply.text) == (len(text), text[-MAX_TAIL_CHARS:])
    again = growing.append("c", 7, "something else", whole=True)
    assert (again.offset, again.text, again.whole) == (0, "something else", True)
    assert growing.append("c", 8, "x", whole=False).text == "x"


def test_half_a_surrogate_pair_can_be_sent() -> None:
    assert ReplyTail().append("c", 1, "a\ud83d", whole=False).model_dump_json()


# --- one step ---


def test_a_step_runs_one_turn_and_holds_the_campaign(app: App, campaign: str) -> None:
    for turn in (1, 2, 3):
        run = step(app, campaign)
        assert (run["halt"], run["phase"], run["error"]) == ("stepped", "idle", None)
        view = ask(app, f"/api/campaigns/{campaign}")
        assert (view["status"], view["position"]["turn"]) == ("active", turn)


def test_a_step_of_what_runs_already_is_refused(app: App, campaign: str, halting: Halting) -> None:
    app.ask(f"/api/campaigns/{campaign}/step", {})
    follow(app, lambda: app.run_service.run_state(campaign).phase == "running")
    assert app.run_service.run_state(campaign).once
    answer = app.ask(f"/api/campaigns/{campaign}/step", {})
    assert (answer.status, answer.code) == (409, "turn_in_flight")


def test_a_step_of_a_campaign_that_is_not_there_is_a_coded_404(app: App) -> None:
    assert app.ask("/api/campaigns/nobody/step", {}).code == "campaign_unknown"
    assert app.ask("/api/campaigns/nobody/run").code == "campaign_unknown"


# --- what may happen, and what comes next ---


def test_nobody_present_holds_every_family(app: App, campaign: str) -> None:
    for family in ask(app, f"/api/campaigns/{campaign}/run")["families"]:
        shut = {gate["code"]: gate["sentence"] for gate in family["gates"] if not gate["passes"]}
        assert "user_present" in shut
        assert all(shut.values())


def test_the_act_in_question_is_shown_with_every_gate_that_guards_it(app: App, campaign: str) -> None:
    app.ask(f"/api/campaigns/{campaign}/start", {})
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["needs"]["approve"] == 12)
    run = ask(app, f"/api/campaigns/{campaign}/run")
    assert run["act"]["what"] == "Send “invite”"
    assert run["act"]["at"] is None
    gates = {gate["code"]: gate for gate in run["act"]["gates"]}
    assert list(gates) == [gate.code for gate in GATES if ActionFamily.INVITE in gate.families]
    assert gates["approved"]["sentence"] == "You have not approved this message yet."
    assert gates["no_incident"]["passes"]
    assert [turn["number"] for turn in run["turns"]["rows"]] == list(range(run["turns"]["rows"][0]["number"], 0, -1))[
        :25
    ]


def test_what_comes_next_begins_with_what_is_ready(app: App, campaign: str) -> None:
    (score,) = ask(app, f"/api/campaigns/{campaign}/run")["next"]
    assert score["description"] == "Score the leads"
    for _ in range(2):
        step(app, campaign)
    upcoming = ask(app, f"/api/campaigns/{campaign}/run")["next"]
    assert len(upcoming) == 6
    assert {task["needs"] for task in upcoming} == {"look"}
    assert [task["rank"] for task in upcoming] == sorted(task["rank"] for task in upcoming)

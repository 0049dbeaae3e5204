"""Scripts over the API: nothing runs but exactly the text that was approved, and its answer is shown, saved and checked."""

from typing import Any

import pytest

from backend.api.scripts import _answer
from backend.domain.device.script import MAX_SOURCE_BYTES, AnalysisResult, script_sha256
from backend.domain.model.artifact import ArtifactType, Maker, MakerKind, text_content
from backend.domain.turn.artifacts import artifact_persisted
from backend.store.queries.turn import scripts as script_queries
from tests.api.app import App, Socket

COUNT = "print('counted')\nresult = {'all': len(leads()), 'invited': query('SELECT count(invited_at) AS n FROM leads')[0]['n']}\n"


class Scripts:
    """A campaign's scripts, as the page asks for them."""

    def __init__(self, app: App, campaign: str) -> None:
        self.app = app
        self.path = f"/api/campaigns/{campaign}/scripts"

    def get(self, more: str = "") -> Any:
        answer = self.app.ask(self.path + more)
        assert answer.ok, answer.text
        return answer.json

    def post(self, more: str, body: object, status: int = 200) -> Any:
        answer = self.app.ask(self.path + more, body)
        assert answer.status == status, answer.text
        return answer.json

    def approve(self, source: str, key: str = "count", sha256: str = "", status: int = 202) -> Any:
        return self.post("/approve", {"key": key, "source": source, "sha256": sha256 or script_sha256(source)}, status)

    def ended(self, feed: Socket, run: Any) -> Any:
        while (report := feed.until("script"))["run_id"] != run["run"]["id"] or report["phase"] != "ended":
            pass
        return self.get("/run")["run"]


@pytest.fixture
def scripts(app: App, campaign: str) -> Scripts:
    return Scripts(app, campaign)


def test_a_script_is_approved_runs_is_saved_and_is_verified(app: App, scripts: Scripts) -> None:
    reviewed = scripts.post("/review", {"source": COUNT})
    assert reviewed == {
        "sha256": script_sha256(COUNT), "refused": "", "message": "", "line": None, "approved": False,
    }  # fmt: skip
    with app.hearing() as feed:
        ran = scripts.ended(feed, scripts.approve(COUNT))
        assert (ran["status"], ran["answer"]["shape"], ran["output"]) == ("ok", "chart", "counted\n"), ran
        assert ran["answer"]["result"] == {"all": 12, "invited": 0}
        assert ran["reproducible"]
        assert ran["saved"] == ""
        before = scripts.get()
        assert before["results"] == []
        saved = scripts.post("/save", {"run_id": ran["id"]})["run"]["saved"]
        assert scripts.post("/save", {"run_id": ran["id"]})["run"]["saved"] == saved, "saved once"
        shown = scripts.get(f"/results/{saved}")
        assert (shown["answer"]["result"], shown["result_sha256"]) == (ran["answer"]["result"], ran["result_sha256"])
        verified = scripts.ended(feed, scripts.post(f"/results/{saved}/verify", {}, 202))
        assert (verified["same"], verified["verifies"]) == (True, saved)
        again = scripts.ended(feed, scripts.post("/run", {"sha256": ran["sha256"]}, 202))
        assert again["log_position"] > ran["log_position"]
    view = scripts.get()
    assert [(script["key"], script["version"], bool(script["approved_at"])) for script in view["scripts"]] == [
        ("count", 1, True)
    ]
    assert [run["result_sha256"] for run in view["runs"]] == [ran["result_sha256"]] * 2
    assert [result["id"] for result in view["results"]] == [saved]
    assert scripts.get(f"/source/{ran['sha256']}")["source"] == COUNT


def test_a_number_that_the_page_would_round_reaches_it_as_text() -> None:
    exact = _answer(f'[{{"n":{2**53},"m":{2**53 + 1}}}]', "")
    assert (exact.shape, exact.result) == ("table", [{"n": 2**53, "m": str(2**53 + 1)}])
    alone = _answer(str(-(2**900)), "")
    assert (alone.shape, alone.result) == ("text", str(-(2**900)))


def test_no_answer_of_before_an_erasure_is_shown_or_saved_after_it(app: App, campaign: str, scripts: Scripts) -> None:
    names = "result = [one['full_name'] for one in leads()]\n"
    with app.hearing() as feed:
        ran = scripts.ended(feed, scripts.approve(names, key="names"))
    with app.workspace.database.read() as connection:
        lead, name = connection.execute("SELECT id, full_name FROM leads ORDER BY id").fetchone()
    assert name in ran["answer"]["result"]
    app.workspace.commands().people.erase(campaign, lead)
    assert scripts.get("/run")["run"] is None
    assert scripts.post("/save", {"run_id": ran["id"]}, 409)["code"] == "script_no_result"


@pytest.mark.parametrize("kind", [kind for kind in MakerKind if kind is not MakerKind.SCRIPT])
def test_a_claim_to_be_an_approved_scripts_answer_is_no_answer(
    app: App, campaign: str, scripts: Scripts, kind: MakerKind
) -> None:
    with app.hearing() as feed:
        ran = scripts.ended(feed, scripts.approve(COUNT))
    claimed = AnalysisResult(script_sha256(COUNT), ran["log_position"], 1, '{"all":900}', "", reproducible=True)
    content = text_content(ArtifactType.ANALYSIS_RESULT, "count", claimed.text())
    app.record(campaign, artifact_persisted(content, "claim", Maker(kind), 0, 1))
    assert scripts.get()["results"] == []
    for path, body in (("/results/claim", None), ("/results/claim/verify", {})):
        assert app.ask(scripts.path + path, body).code == "script_result_unreadable"


def test_only_the_approved_text_runs(app: App, campaign: str, scripts: Scripts) -> None:
    assert scripts.approve(COUNT, sha256=script_sha256(COUNT + " "), status=409)["code"] == "script_changed"
    content = {
        "artifact_type": "python_script",
        "artifact_key": "count",
        "follows": 0,
        "content_base64": "cmVzdWx0ID0gMQ==",
    }
    assert app.ask(f"/api/campaigns/{campaign}/artifacts", content).status == 201
    stored = scripts.get()["scripts"][0]
    with app.workspace.database.write() as connection:
        script_queries.approve(connection, "another campaign", stored["sha256"], 1)
    assert stored["approved_at"] is None, "kept is not approved"
    assert scripts.post("/run", {"sha256": stored["sha256"]}, 409)["code"] == "script_not_approved"
    assert scripts.post("/run", {"sha256": script_sha256("x")}, 404)["code"] == "script_unknown"
    assert scripts.get()["runs"] == []
    assert scripts.get("/run") == {"run": None}


@pytest.mark.parametrize(
    ("source", "refused", "line"),
    [
        ("", "script_empty", None),
        (" \n\t\n", "script_empty", None),
        ("x = '" + "y\n" * (MAX_SOURCE_BYTES * 5) + "'", "script_too_large", None),
        ("result = 1\nx = '\ud800'", "bad_request", None),
        ("result = 1\nx = 1 # \u202e", "script_hides", 2),
        ("x = 1\nresult = = 1", "script_not_python", 2),
        ("result = 1\nimport socket", "script_denied", 2),
        ("result = 1\nopen('/etc/passwd')", "script_denied", 2),
    ],
)
def test_what_may_not_run_is_refused_with_its_line_and_never_kept(
    scripts: Scripts, source: str, refused: str, line: int | None
) -> None:
    answer = scripts.app.ask(f"{scripts.path}/review", {"source": source})
    if answer.ok:
        refusal = answer.json
        assert (refusal["refused"], refusal["line"], bool(refusal["message"])) == (refused, line, True), refusal
    else:
        assert (answer.status, answer.code) == (400, refused)
    approval = scripts.app.ask(f"{scripts.path}/approve", {"key": "x", "source": source, "sha256": "0" * 64})
    assert approval.status in (400, 409, 422), approval.text
    assert scripts.get()["scripts"] == []


def test_a_failure_says_its_line_and_a_run_without_end_is_cancelled(app: App, scripts: Scripts) -> None:
    with app.hearing() as feed:
        failed = scripts.ended(feed, scripts.approve("x = [1]\nresult = x[5]"))
        assert (failed["status"], failed["line"], failed["answer"]) == ("failed", 2, None)
        assert "IndexError" in failed["message"]
        assert scripts.post("/save", {"run_id": failed["id"]}, 409)["code"] == "script_no_result"
        endless = scripts.approve("while True: pass")
        assert scripts.approve(COUNT, status=409)["code"] == "script_running"
        assert app.ask(f"{scripts.path}/cancel", {}).ok
        ended = scripts.ended(feed, endless)
    assert (ended["status"], ended["code"]) == ("killed", "script_cancelled")
    assert [run["code"] for run in scripts.get()["runs"]] == ["script_cancelled", "script_failed"]
    assert scripts.get()["results"] == []

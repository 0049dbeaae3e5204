"""Artifacts over the API: kept in versions, found, and given back byte for byte."""

import base64
import hashlib
import http.client
from contextlib import closing
from pathlib import Path

import pytest

from backend.api.reads import artifacts as reads
from backend.domain.artifact import MAX_BYTES
from backend.domain.events import Event
from backend.store.replay import check
from tests.api.app import Answer, App

NASTY = {
    "crlf": b"one\r\ntwo\rthree\n",
    "bom": b"\xef\xbb\xbf{}\n",
    "nul": b"before\x00after",
    "astral": "🙂 \U0001d518 \U0010ffff".encode(),
    "zero width": "a\u200bb\u202ec\u2028d\ufeff".encode(),
    "combining": "e\u0301 é".encode(),
    "markup": b"<script>alert(1)</script><img src=x onerror=alert(1)>",
    "blanks": b"  \t \n\n ",
}


def save(app: App, campaign: str, raw: bytes, *, key: str = "k", follows: int = 0, type_: str = "note") -> Answer:
    content = base64.b64encode(raw).decode()
    body = {"artifact_type": type_, "artifact_key": key, "follows": follows, "content_base64": content}
    return app.ask(f"/api/campaigns/{campaign}/artifacts", body)


def fetch(app: App, path: str) -> tuple[bytes, str]:
    """(bytes, digest header) as they go over the wire."""
    with closing(http.client.HTTPConnection(app.authority, timeout=20)) as connection:
        connection.request("GET", path, headers=app.headers())
        answer = connection.getresponse()
        assert answer.getheader("Content-Type") == "application/octet-stream"
        return answer.read(), answer.getheader("Repr-Digest") or ""


@pytest.mark.parametrize("raw", NASTY.values(), ids=NASTY)
def test_content_comes_back_byte_for_byte_with_its_digest(app: App, campaign: str, raw: bytes) -> None:
    assert save(app, campaign, raw).json == {"campaign_id": campaign, "version": 1}
    content, digest = fetch(app, f"/api/campaigns/{campaign}/artifacts/note/k/1/content")
    assert content == raw
    assert digest == f"sha-256=:{base64.b64encode(hashlib.sha256(raw).digest()).decode()}:"
    assert check(app.session.workspace.database) == []


def test_content_is_written_byte_for_byte_where_the_user_said(app: App, campaign: str, tmp_path: Path) -> None:
    raw = b"".join(NASTY.values())
    save(app, campaign, raw)
    path, ticket = tmp_path / "k-v1.txt", app.launch.services.files.expect(tmp_path / "k-v1.txt")
    written = app.ask(f"/api/campaigns/{campaign}/artifacts/note/k/1/content", {"ticket": ticket})
    assert (written.json, path.read_bytes()) == ({"name": "k-v1.txt", "size": len(raw)}, raw)
    again = app.ask(f"/api/campaigns/{campaign}/artifacts/note/k/1/content", {"ticket": ticket})
    assert again.code == "file_ticket_unknown"


def test_each_save_is_a_version_that_never_changes(app: App, campaign: str) -> None:
    assert save(app, campaign, b'{"a": 1}').status == 201
    assert save(app, campaign, b"two", follows=1).json["version"] == 2
    path = f"/api/campaigns/{campaign}/artifacts/note/k"
    first = app.ask(f"{path}/1").json
    assert fetch(app, f"{path}/1/content")[0] == b'{"a": 1}'
    assert (first["latest"], [line["version"] for line in first["versions"]]) == (2, [2, 1])
    assert first["inferred"]["properties"] == {"a": {"type": "integer"}}
    assert app.ask(f"{path}/2").json["inferred"] == {"type": "string", "contentMediaType": "text/plain"}


def test_a_version_names_the_event_that_kept_it(app: App, campaign: str) -> None:
    save(app, campaign, b"x")
    view = app.ask(f"/api/campaigns/{campaign}/artifacts/note/k/1").json
    with app.session.workspace.database.read() as connection:
        (seq,) = connection.execute("SELECT max(seq) FROM event_log WHERE campaign_id=?", (campaign,)).fetchone()
    assert view["origin"] == {"seq": seq, "actor": "user", "cause": "save note/k"}
    assert view["source"] == "user"


def test_what_the_agent_proposed_is_the_agents_and_comes_by_the_users_yes(app: App, campaign: str) -> None:
    proposed = {"artifact_type": "research", "artifact_key": "company", "content": '{"name": "Example"}'}
    asked = {
        "kind": "save_artifact",
        "question": "Save?",
        "choices": ["yes", "no"],
        "payload": proposed,
        "status": "open",
        "created_at": 1,
    }
    app.record(campaign, Event("InputRequested", "q1", asked))
    assert app.ask(f"/api/campaigns/{campaign}/questions/q1/answer", {"answer": "yes"}).status == 200
    view = app.ask(f"/api/campaigns/{campaign}/artifacts/research/company/1").json
    assert (view["source"], view["origin"]["actor"]) == ("agent", "user")
    assert view["inferred"]["properties"] == {"name": {"type": "string"}}


def test_two_saves_after_the_same_version_do_not_both_pass_for_the_next(app: App, campaign: str) -> None:
    save(app, campaign, b"x")
    again = save(app, campaign, b"y")
    assert (again.status, again.code) == (409, "artifact_version_taken")
    assert save(app, campaign, b"y", follows=2).code == "artifact_version_taken"


@pytest.mark.parametrize(
    ("raw", "changes", "code"),
    [
        (b"caf\xe9", {}, "artifact_not_text"),
        (b"\xed\xa0\xbd", {}, "artifact_not_text"),
        (b"", {}, "artifact_empty"),
        (b"x" * (MAX_BYTES + 1), {}, "artifact_too_large"),
        (b"x", {"key": "No"}, "artifact_key_invalid"),
        (b"x", {"type_": "secret"}, "artifact_type_unknown"),
    ],
)
def test_what_may_not_be_kept_is_refused_with_a_code(
    app: App, campaign: str, raw: bytes, changes: dict[str, str], code: str
) -> None:
    refused = save(app, campaign, raw, **changes)  # type: ignore[arg-type]
    assert (refused.status, refused.code) == (422, code)
    assert app.ask(f"/api/campaigns/{campaign}/artifacts?type=note").json["rows"] == []


def test_a_whole_megabyte_is_kept_and_a_body_far_beyond_is_not_read(app: App, campaign: str) -> None:
    raw = b"x" * MAX_BYTES
    assert save(app, campaign, raw).status == 201
    assert fetch(app, f"/api/campaigns/{campaign}/artifacts/note/k/1/content")[0] == raw
    assert save(app, campaign, b"x" * (2 * MAX_BYTES), follows=1).code == "request_too_large"


def test_what_is_not_base64_is_refused(app: App, campaign: str) -> None:
    body = {"artifact_type": "note", "artifact_key": "k", "follows": 0, "content_base64": "§"}
    assert app.ask(f"/api/campaigns/{campaign}/artifacts", body).code == "bad_request"


def test_the_list_shows_each_artifact_once_the_latest_kept_first(app: App, campaign: str) -> None:
    for key in ("one", "two"):
        save(app, campaign, b"x", key=key)
    save(app, campaign, b"y", key="one", follows=1)
    rows = app.ask(f"/api/campaigns/{campaign}/artifacts").json["rows"]
    assert [(row["artifact_key"], row["version"]) for row in rows] == [
        ("one", 2), ("two", 1), ("weights", 1), ("blueprint", 1),
    ]  # fmt: skip
    found = app.ask(f"/api/campaigns/{campaign}/artifacts?type=note&key=tw").json
    assert ([row["artifact_key"] for row in found["rows"]], found["next"]) == (["two"], None)


def test_the_list_is_paged_without_gap_or_repetition(app: App, campaign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"k{n}" for n in range(7)]
    for key in keys:
        save(app, campaign, b"x", key=key)
    for version in range(1, 6):
        save(app, campaign, b"y", key="k3", follows=version)
    monkeypatch.setattr(reads, "PAGE", 3)
    monkeypatch.setattr(reads, "SCANNED", 4)  # a page may pass over superseded versions only
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = app.ask(f"/api/campaigns/{campaign}/artifacts?type=note&after={after}").json
        seen += [row["artifact_key"] for row in page["rows"]]
        after = page["next"]
    assert seen == ["k3", "k6", "k5", "k4", "k2", "k1", "k0"]


def test_what_does_not_exist_is_a_coded_404(app: App, campaign: str) -> None:
    for path, code in (
        (f"{campaign}/artifacts/note/k/1", "artifact_unknown"),
        (f"{campaign}/artifacts/note/k/1/content", "artifact_unknown"),
        ("nobody/artifacts", "campaign_unknown"),
        ("nobody/artifacts/note/k/1", "artifact_unknown"),
    ):
        answer = app.ask(f"/api/campaigns/{path}")
        assert (answer.status, answer.code) == (404, code)
    assert save(app, "nobody", b"x").code == "campaign_unknown"

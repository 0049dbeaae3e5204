"""Artifacts over the API: kept in versions, found, and given back byte for byte."""

import base64
import hashlib
import http.client
import io
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from backend.api import artifacts as reads
from backend.domain.events.events import Event
from backend.domain.model.artifact import BEGINNING, MAX_BYTES, MAX_INLINE
from backend.domain.values.errors import OutriderError
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.runtime.sync.sync_service import SyncService
from backend.store.log.replay import find_differences, rebuild
from tests.api.app import Answer, App, running
from tests.patience import PATIENCE

NASTY = {
    "crlf": b"one\r\ntwo\rthree\n",
    "bom": b"\xef\xbb\xbf{}\n",
    "nul": b"before\x00after",
    "astral": "🙂 \U0001d518 \U0010ffff".encode(),
    "zero width": "a\u200bb\u202ec\u2028d\ufeff".encode(),
    "combining": "e\u0301 é".encode(),
    "markup": b"<script>alert(1)</script><img src=x onerror=alert(1)>",
    "blanks": b"  \t \n\n ",
    "every byte": bytes(range(256)) * 3,
    "invalid utf-8": b"caf\xe9 \xc0\x80 \xed\xa0\xbd",
    "utf-16": "a\r\nb".encode("utf-16"),
    "a long text": "ä\r\n".encode() * 400_000,
    "cut in a character": "🙂".encode() * 300_000 + b"\xf0\x9f",
    "fifty megabytes": bytes(range(256)) * (MAX_BYTES // 256) + bytes(MAX_BYTES % 256),
}
LOGGED = b"".join(raw for name, raw in NASTY.items() if list(NASTY).index(name) < list(NASTY).index("every byte"))


def save(app: App, campaign: str, raw: bytes, *, key: str = "k", follows: int = 0, type_: str = "note") -> Answer:
    content = base64.b64encode(raw).decode()
    body = {"artifact_type": type_, "artifact_key": key, "follows": follows, "content_base64": content}
    return app.ask(f"/api/campaigns/{campaign}/artifacts", body)


def save_file(app: App, campaign: str, raw: bytes, *, key: str = "k", follows: int = 0, type_: str = "note") -> Answer:
    """Hand it over as a file, as the page does for all that is no small text."""
    body = {"artifact_type": type_, "artifact_key": key, "follows": follows, "ticket": app.upload("a file", raw)}
    return app.ask(f"/api/campaigns/{campaign}/artifacts/from-file", body)


def files(app: App) -> list[Path]:
    """What lies beside the log."""
    return sorted(file for file in (app.workspace.settings.data_dir / "artifacts").glob("**/*") if file.is_file())


def fetch(app: App, path: str) -> tuple[bytes, str]:
    """(bytes, digest header) as they go over the wire."""
    with closing(http.client.HTTPConnection(app.authority, timeout=PATIENCE)) as connection:
        connection.request("GET", path, headers=app.headers())
        answer = connection.getresponse()
        assert answer.getheader("Content-Type") == "application/octet-stream"
        return answer.read(), answer.getheader("Repr-Digest") or ""


@pytest.mark.parametrize("raw", NASTY.values(), ids=NASTY)
def test_content_comes_back_byte_for_byte_with_its_digest(app: App, campaign: str, raw: bytes) -> None:
    assert save_file(app, campaign, raw).json == {"campaign_id": campaign, "version": 1}
    view = app.ask(f"/api/campaigns/{campaign}/artifacts/note/k/1").json
    assert (view["sha256"], view["size"]) == (hashlib.sha256(raw).hexdigest(), len(raw))
    content, digest = fetch(app, f"/api/campaigns/{campaign}/artifacts/note/k/1/content")
    assert content == raw
    assert digest == f"sha-256=:{base64.b64encode(hashlib.sha256(raw).digest()).decode()}:"
    assert find_differences(app.workspace.database) == []


def test_content_is_written_byte_for_byte_where_the_user_said(app: App, campaign: str, tmp_path: Path) -> None:
    raw = NASTY["every byte"] + LOGGED
    save(app, campaign, raw)
    path, ticket = tmp_path / "k-v1.txt", app.launch.services.files.ticket_for_writing(tmp_path / "k-v1.txt")
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
    assert save(app, campaign, b'{"a": 1}', key="same").status == 201
    assert app.ask(f"/api/campaigns/{campaign}/artifacts/note/same/1").json["id"] != first["id"]


def test_the_same_key_of_another_type_or_campaign_is_another_artifact(app: App, campaign: str) -> None:
    other = find_or_create_rehearsal(app.workspace, None, None)
    saved = {(campaign, "note"): b"1", (campaign, "research"): b"2", (other, "note"): b"3"}
    for (where, type_), raw in saved.items():
        assert save(app, where, raw, type_=type_).json == {"campaign_id": where, "version": 1}
    for (where, type_), raw in saved.items():
        assert fetch(app, f"/api/campaigns/{where}/artifacts/{type_}/k/1/content")[0] == raw


def test_a_version_names_the_event_that_kept_it(app: App, campaign: str) -> None:
    save(app, campaign, b"x")
    view = app.ask(f"/api/campaigns/{campaign}/artifacts/note/k/1").json
    with app.workspace.database.read() as connection:
        (seq,) = connection.execute("SELECT max(seq) FROM event_log WHERE campaign_id=?", (campaign,)).fetchone()
    assert view["origin"] == {"seq": seq, "actor": "user", "cause": 'artifacts.keep {"artifact_type":"note","key":"k"}'}
    assert view["made_by"]["kind"] == "user"


def test_what_the_agent_proposed_is_the_agents_and_comes_by_the_users_yes(app: App, campaign: str) -> None:
    proposed = {
        "artifact_type": "research",
        "artifact_key": "company",
        "content": '{"name": "Example"}',
        "made_by": "model",
    }
    asked = {
        "kind": "save_artifact",
        "question": "Save?",
        "choices": ["yes", "no"],
        "payload": proposed,
        "status": "open",
        "created_at": 1,
    }
    app.record(campaign, Event("InputRequested", "q1", asked))
    shown = app.ask(f"/api/campaigns/{campaign}/artifacts/proposed/q1").json
    assert (shown["content"], shown["latest"]) == (proposed["content"], 0)
    assert shown["sha256"] == hashlib.sha256(proposed["content"].encode()).hexdigest()
    assert app.ask(f"/api/campaigns/{campaign}/questions/q1/answer", {"answer": "yes"}).ok
    assert app.ask(f"/api/campaigns/{campaign}/artifacts/proposed/q1").code == "question_unknown"
    view = app.ask(f"/api/campaigns/{campaign}/artifacts/research/company/1").json
    assert (view["made_by"]["kind"], view["origin"]["actor"]) == ("model", "user")
    assert view["inferred"]["properties"] == {"name": {"type": "string"}}


@pytest.mark.parametrize("artifact_type", ["scoring_algorithm", "lead_scoring_config", "analysis_result"])
def test_what_is_in_force_is_not_overwritten_by_a_save_and_no_broken_one_poses_as_the_newest(
    app: App, campaign: str, artifact_type: str
) -> None:
    before = app.ask(f"/api/campaigns/{campaign}/scoring").json["blueprint"]
    for text in ('{"criteria": "broken"}', json.dumps(before)):
        with pytest.raises(OutriderError) as refused:
            app.services.commands(campaign).artifacts.save(
                campaign, artifact_type, "blueprint", io.BytesIO(text.encode()), app.launch.services.blobs, follows=1
            )
        assert refused.value.code == "artifact_protected"
    assert app.ask(f"/api/campaigns/{campaign}/scoring").json["blueprint"] == before


def test_two_saves_after_the_same_version_do_not_both_pass_for_the_next(app: App, campaign: str) -> None:
    save(app, campaign, b"x")
    again = save(app, campaign, b"y")
    assert (again.status, again.code) == (409, "artifact_version_taken")
    assert save(app, campaign, b"y", follows=2).code == "artifact_version_taken"


@pytest.mark.parametrize(
    ("raw", "changes", "code"),
    [
        (b"", {}, "artifact_empty"),
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
    raw = b"x" * MAX_INLINE
    assert save(app, campaign, raw).status == 201
    assert fetch(app, f"/api/campaigns/{campaign}/artifacts/note/k/1/content")[0] == raw
    assert save(app, campaign, b"x" * (2 * MAX_INLINE), follows=1).code == "request_too_large"


def test_small_text_stands_in_the_log_and_all_else_in_a_file_of_its_digest(app: App, campaign: str) -> None:
    for n, raw in enumerate((b"small text", b"\xff" * 10, b"x" * (MAX_INLINE + 1), b"\xff" * 10)):
        assert save_file(app, campaign, raw, key=f"k{n}").status == 201
    names = [file.name for file in files(app)]
    assert names == sorted(hashlib.sha256(raw).hexdigest() for raw in (b"\xff" * 10, b"x" * (MAX_INLINE + 1)))
    with app.workspace.database.read() as connection:
        rows = connection.execute(
            "SELECT artifact_key, length(content), in_file, media_type FROM artifacts WHERE artifact_key LIKE 'k%' ORDER BY 1"
        ).fetchall()
    assert rows == [
        ("k0", 10, 0, "text/plain"),
        ("k1", 0, 1, "application/octet-stream"),
        ("k2", BEGINNING, 1, "text/plain"),
        ("k3", 0, 1, "application/octet-stream"),
    ]


def test_one_byte_too_many_is_refused_and_leaves_nothing(app: App, campaign: str) -> None:
    refused = save_file(app, campaign, b"x" * (MAX_BYTES + 1))
    assert (refused.status, refused.code) == (422, "artifact_too_large")
    assert save_file(app, campaign, b"\xff", key="No").code == "artifact_key_invalid"
    assert files(app) == []


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("harm", [damage, Path.unlink])
def test_a_file_that_is_gone_or_another_is_told_and_never_handed_out(
    app: App, campaign: str, harm: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, missed = bytes(range(256)) * 10_000, list[str]()
    monkeypatch.setattr(SyncService, "fetch_again", lambda _, sha256: missed.append(sha256))
    save_file(app, campaign, raw)
    harm(files(app)[0])
    path = f"/api/campaigns/{campaign}/artifacts/note/k/1"
    answer = app.ask(f"{path}/content")
    assert (answer.status, answer.code) == (410, "artifact_damaged")
    assert missed == [hashlib.sha256(raw).hexdigest()], "the shared store may have it"
    out = tmp_path / "out.bin"
    written = app.ask(f"{path}/content", {"ticket": app.launch.services.files.ticket_for_writing(out)})
    assert (written.code, out.exists()) == ("artifact_damaged", False)
    assert app.ask(path).json["size"] == len(raw), "what is known of it is still told"
    assert save_file(app, campaign, raw, follows=1).status == 201, "keeping it again mends it"
    assert fetch(app, f"{path}/content")[0] == raw


def test_a_file_that_no_version_names_is_swept_when_the_app_starts(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        save_file(app, campaign, b"\xff named")
        blob = app.launch.services.blobs.keep([b"\xff left by a crash"])
        (tmp_path / "data" / "artifacts" / ".new-half").write_bytes(b"half")
        assert len(files(app)) == 3
    with running(tmp_path / "data", built_page) as app:
        assert [file.name for file in files(app)] == [hashlib.sha256(b"\xff named").hexdigest()]
        assert blob.sha256 not in {file.name for file in files(app)}
        assert fetch(app, f"/api/campaigns/{campaign}/artifacts/note/k/1/content")[0] == b"\xff named"


def test_what_is_not_base64_is_refused(app: App, campaign: str) -> None:
    body = {"artifact_type": "note", "artifact_key": "k", "follows": 0, "content_base64": "§"}
    assert app.ask(f"/api/campaigns/{campaign}/artifacts", body).code == "bad_request"


def test_the_list_shows_each_artifact_once_the_latest_kept_first(app: App, campaign: str) -> None:
    for key in ("one", "two"):
        save(app, campaign, b"x", key=key)
    save(app, campaign, b"y", key="one", follows=1)
    rows = app.ask(f"/api/campaigns/{campaign}/artifacts").json["rows"]
    assert [(row["artifact_key"], row["version"]) for row in rows] == [
        ("one", 2), ("two", 1), ("weights", 1), ("blueprint", 1), ("campaign_context", 1),
    ]  # fmt: skip
    saved = [
        app.ask(f"/api/campaigns/{campaign}/artifacts/note/{key}/{version}").json
        for key, version in (("one", 2), ("two", 1))
    ]
    shown = ("artifact_key", "artifact_type", "created_at")
    assert [[row[name] for name in shown] for row in rows[:2]] == [[view[name] for name in shown] for view in saved]
    page = app.ask(f"/api/campaigns/{campaign}/artifacts?type=note&words=tw").json
    assert ([row["artifact_key"] for row in page["rows"]], page["next"]) == (["two"], None)


def test_the_list_is_paged_without_gap_or_repetition(app: App, campaign: str) -> None:
    keys = [f"k{n}" for n in range(2 * reads.PAGE + 1)]
    for key in keys:
        save(app, campaign, b"x", key=key)
    for version in range(1, 6):
        save(app, campaign, b"y", key="k3", follows=version)
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = app.ask(f"/api/campaigns/{campaign}/artifacts?type=note&after={after}").json
        seen += [row["artifact_key"] for row in page["rows"]]
        after = page["next"]
    assert seen == ["k3", *(key for key in reversed(keys) if key != "k3")]


def test_what_does_not_exist_is_a_coded_404(app: App, campaign: str) -> None:
    for path, code in (
        (f"{campaign}/artifacts/note/k/1", "artifact_unknown"),
        (f"{campaign}/artifacts/note/k/1/content", "artifact_unknown"),
        ("nobody/artifacts", "campaign_unknown"),
        ("nobody/artifacts/note/k/1", "campaign_unknown"),
    ):
        answer = app.ask(f"/api/campaigns/{path}")
        assert (answer.status, answer.code) == (404, code)
    assert save(app, "nobody", b"x").code == "campaign_unknown"


def test_a_search_goes_over_keys_types_texts_and_times_within_the_campaign(app: App, campaign: str) -> None:
    save(app, campaign, "Größe zählt: Köln".encode(), key="city", type_="research")
    save(app, campaign, b"About Leeds", key="other-city")
    save_file(app, campaign, b"long " * 250_000 + b"unreached", key="big")
    save_file(app, campaign, b"%PDF-1.7 \xff", key="scan.pdf")
    save(app, campaign, b"About York", key="other-city", follows=1)

    def keys(query: str) -> list[str]:
        return [row["artifact_key"] for row in app.ask(f"/api/campaigns/{campaign}/artifacts?{query}").json["rows"]]

    assert keys("words=groesse") == []
    assert keys(f"words={quote('grosse köln')}") == []
    assert keys(f"words={quote('größe KÖL')}") == ["city"]
    assert keys("words=about") == ["other-city"]
    assert keys("words=york+other") == ["other-city"]
    assert keys("words=leeds") == [], "only the newest version is found"
    assert keys("words=city") == ["other-city", "city"]
    assert keys("words=city&type=research") == ["city"]
    assert keys("words=long") == ["big"]
    assert keys("words=unreached") == [], "of a long text, the beginning"
    assert keys(f"words={quote('pdf OR * NEAR(')}") == []
    at = app.ask(f"/api/campaigns/{campaign}/artifacts/research/city/1").json["created_at"]
    assert "city" in keys(f"since={at}")
    assert "city" not in keys(f"until={at}")
    assert keys(f"words=city&since={at}&until={at + 1}") in (["city"], ["other-city", "city"])
    assert app.ask(f"/api/campaigns/{campaign}/artifacts?since=x").code == "bad_request"
    assert find_differences(app.workspace.database) == []


def test_the_index_follows_a_rebuild(app: App, campaign: str) -> None:
    save(app, campaign, b"first words")
    save(app, campaign, b"second words", follows=1)
    rebuild(app.workspace.database)
    for words, keys in (("first", []), ("second", ["k"])):
        rows = app.ask(f"/api/campaigns/{campaign}/artifacts?words={words}").json["rows"]
        assert [row["artifact_key"] for row in rows] == keys


def test_the_files_for_people_are_written_again_on_request(app: App, campaign: str) -> None:
    written = app.ask(f"/api/campaigns/{campaign}/artifacts/campaign-files", {}).json
    folder = Path(written["folder"])
    assert sorted(path.name for path in folder.iterdir()) == sorted(written["files"])
    assert app.ask("/api/campaigns/nobody/artifacts/campaign-files", {}).code == "campaign_unknown"


@pytest.mark.parametrize("big", [b"\xff binary" * 10, b"text" * MAX_INLINE], ids=["no text", "a long text"])
def test_a_file_that_is_read_or_kept_as_a_file_has_its_audit_entry(app: App, campaign: str, big: bytes) -> None:
    assert save_file(app, campaign, b"small").status == 201
    assert save_file(app, campaign, big, follows=1).status == 201
    ticket = app.upload("posting.txt", b"CTO wanted")
    message = {"text": "what is in this?", "attached": [{"name": "posting.txt", "ticket": ticket}], "key": "k1"}
    asked = app.ask(f"/api/campaigns/{campaign}/assistant/messages", message).json["request_id"]
    with app.workspace.database.read() as connection:
        rows = connection.execute(
            "SELECT action_type, payload, actor, cause FROM audit_log"
            " WHERE campaign_id=? AND action_type GLOB 'file.*' AND cause NOT GLOB 'import *' ORDER BY seq",
            (campaign,),
        ).fetchall()
    entries = [(kind, json.loads(payload)["parameters"], actor, cause) for kind, payload, actor, cause in rows]
    assert entries == [
        ("file.read", {"file": "a file", "bytes": 5}, "user", "artifact"),
        ("file.write", {"files": [hashlib.sha256(big).hexdigest()], "bytes": len(big)}, "user", "artifact"),
        ("file.read", {"file": "a file", "bytes": len(big)}, "user", "artifact"),
        ("file.read", {"file": "posting.txt", "bytes": 10}, "user", f"request {asked}"),
    ]

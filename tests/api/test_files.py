"""Files in and out: tickets of this launch, whole files or none, and no path or header that a name could smuggle in."""

import errno
import io
import json
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from flask import Flask

from backend.api import exports
from backend.api.exports import Export, content_disposition, write_export
from backend.api.server import auth
from backend.api.server.endpoint import Routes
from backend.api.server.file_tickets import FileTickets, safe_name
from backend.api.server.uploads import MAX_UPLOAD_BYTES
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from tests.api.app import App, running

BYTES = {"Content_Type": "application/octet-stream"}


def stored(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "data" / "uploads").rglob("*") if path.is_file()]


def test_an_upload_becomes_a_ticket_for_exactly_these_bytes(app: App, tmp_path: Path) -> None:
    sent = bytes(range(256)) * 4_000
    answer = app.ask("/api/server/uploads?name=Connections.csv", sent, **BYTES)
    assert answer.status == 201
    assert answer.json == {"ticket": answer.json["ticket"], "name": "Connections.csv", "size": len(sent)}
    source = app.launch.services.files.source(answer.json["ticket"])
    assert (source.name, source.path.read_bytes()) == ("Connections.csv", sent)
    assert stat.S_IMODE(source.path.parent.stat().st_mode) == 0o700
    assert stored(tmp_path) == [source.path]


def test_what_was_uploaded_is_gone_with_the_launch_and_after_a_crash(tmp_path: Path, built_page: Path) -> None:
    with running(tmp_path / "data", built_page) as first:
        ticket = first.ask("/api/server/uploads?name=a.csv", b"1", **BYTES).json["ticket"]
    assert stored(tmp_path) == []
    left_behind = tmp_path / "data" / "uploads" / "x" / "a.csv"
    left_behind.parent.mkdir(parents=True)
    left_behind.write_bytes(b"1")
    with running(tmp_path / "data", built_page) as second:
        assert stored(tmp_path) == []
        with pytest.raises(OutriderError, match="file_ticket_unknown"):
            second.launch.services.files.source(ticket)


@pytest.mark.parametrize(
    ("path", "changes", "status", "code"),
    [
        ("/api/server/uploads", {"Content_Type": "application/json"}, 415, "bytes_required"),
        ("/api/server/uploads", {"Content_Type": "multipart/form-data; boundary=x"}, 415, "bytes_required"),
        ("/api/server/uploads", {"Content_Type": None}, 415, "bytes_required"),
        ("/api/server/uploads", {**BYTES, "X_Outrider_Token": None}, 401, "token_refused"),
        ("/api/server/uploads", {**BYTES, "Origin": "http://evil.example"}, 403, "origin_refused"),
        ("/api/server/uploads/", BYTES, 415, "json_required"),
        ("/api/rehearsals", BYTES, 415, "json_required"),
        ("/api/pair", BYTES, 415, "json_required"),
    ],
)
def test_bytes_are_taken_at_one_address_only_and_from_our_page_only(
    app: App, tmp_path: Path, path: str, changes: dict[str, str | None], status: int, code: str
) -> None:
    answer = app.ask(path, b"1", **changes)
    assert (answer.status, answer.code) == (status, code)
    assert stored(tmp_path) == []


def test_only_an_upload_may_be_large(app: App, tmp_path: Path) -> None:
    large = b"x" * (auth.MAX_REQUEST_BYTES + 1)
    assert app.ask("/api/server/uploads?name=a", large, **BYTES).status == 201
    assert app.ask("/api/pair", large).code == "request_too_large"
    too_large = app.ask(
        "/api/server/uploads?name=b", None, method="POST", Content_Length=str(MAX_UPLOAD_BYTES + 1), **BYTES
    )
    assert (too_large.status, too_large.code) == (413, "request_too_large")
    assert len(stored(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\leads.csv", "leads.csv"),
        ("..", "file"),
        ("", "file"),
        ("a\r\nSet-Cookie: b.csv", "a__Set-Cookie_ b.csv"),
        ("\u202efdp.csv", "_fdp.csv"),
        ("nul.csv", "_nul.csv"),
        ("Ünïcode 🙂.csv", "Ünïcode 🙂.csv"),
        ("\ud800.csv", "_.csv"),
        ("x" * 300 + ".csv", "x" * 56 + ".csv"),
        ("🙂" * 300, "🙂" * 60),
        ("trailing. . ", "trailing"),
        ("lea\u061cds\u2060.c\u115fsv", "leads.csv"),
        ("a\u2028b\x9b31m.csv", "ab31m.csv"),
        ("plan\U000e0065\U000e0078.csv", "plan.csv"),
        ("3.45\u202fPM.csv", "3.45 PM.csv"),
    ],
)
def test_a_name_is_a_name_and_nothing_else(tmp_path: Path, name: str, safe: str) -> None:
    assert safe_name(name) == safe
    desk = FileTickets(tmp_path / "uploads")
    offered = desk.store_upload([b"1", b"23"], name)
    assert (offered.name, offered.size) == (safe, 3)
    path = desk.source(offered.ticket).path
    assert path.read_bytes() == b"123"
    assert path.parent.parent == tmp_path / "uploads"
    content_disposition(name).encode("ascii")
    assert "\n" not in content_disposition(name)


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def cut() -> Iterator[bytes]:
        yield b"1"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        FileTickets(tmp_path / "uploads").store_upload(cut(), "a.csv")
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_destination_is_written_once_and_a_source_is_none(tmp_path: Path) -> None:
    desk = FileTickets(tmp_path / "uploads")
    ticket = desk.ticket_for_writing(tmp_path / "out.csv")
    with pytest.raises(OutriderError, match="file_ticket_unknown"):
        desk.source(ticket)
    assert desk.destination(ticket) == tmp_path / "out.csv"
    with pytest.raises(OutriderError, match="file_ticket_unknown"):
        desk.destination(ticket)
    (tmp_path / "in.csv").write_bytes(b"1")
    with pytest.raises(OutriderError, match="file_ticket_unknown"):
        desk.destination(desk.ticket_for_reading(tmp_path / "in.csv", "in.csv").ticket)


def rows() -> Iterator[bytes]:
    for number in range(3):
        yield f"row {number}\n".encode()


def broken_off() -> Iterator[bytes]:
    yield b"row 0\n"
    raise OutriderError("campaign_unknown", campaign="c")


@pytest.fixture
def exporting(app: App) -> App:
    """The app with two exports, one of which breaks in its middle."""
    flask = app.server.app
    assert isinstance(flask, Flask)
    exports = Routes("exports")

    @exports.export("/whole/export")
    def whole() -> Export:
        return Export(rows(), 'Läds "1".csv', "text/csv")

    @exports.export("/broken/export")
    def broken() -> Export:
        return Export(broken_off(), "x.csv", "text/csv")

    for endpoint in exports.endpoints:
        endpoint.register(flask, app.launch.services)
    return app


def test_a_download_is_whole_or_a_coded_answer(exporting: App, tmp_path: Path) -> None:
    answer = exporting.ask("/api/whole/export")
    assert (answer.status, answer.text) == (200, "row 0\nrow 1\nrow 2\n")
    assert answer.headers["Content-Length"] == "18"
    assert answer.headers["Content-Type"].startswith("text/csv")
    disposition = answer.headers["Content-Disposition"]
    assert disposition == "attachment; filename=\"Lads _1_.csv\"; filename*=UTF-8''L%C3%A4ds%20_1_.csv"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"

    answer = exporting.ask("/api/broken/export")
    assert (answer.status, answer.code) == (404, "campaign_unknown")
    assert stored(tmp_path) == []


def test_an_export_takes_its_place_only_when_it_is_complete(exporting: App, tmp_path: Path) -> None:
    files, out = exporting.launch.services.files, tmp_path / "out.csv"
    out.write_text("before")
    answer = exporting.ask("/api/broken/export", {"ticket": files.ticket_for_writing(out)})
    assert (answer.status, answer.code) == (404, "campaign_unknown")
    assert out.read_text() == "before"

    ticket = files.ticket_for_writing(out)
    answer = exporting.ask("/api/whole/export", {"ticket": ticket})
    assert (answer.status, answer.json) == (200, {"name": "out.csv", "size": 18})
    assert out.read_text() == "row 0\nrow 1\nrow 2\n"
    assert exporting.ask("/api/whole/export", {"ticket": ticket}).code == "file_ticket_unknown"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["out.csv"]


def test_a_place_that_cannot_be_written_is_said(exporting: App, tmp_path: Path) -> None:
    files = exporting.launch.services.files
    for path in (tmp_path / "nowhere" / "out.csv", tmp_path / "data"):
        answer = exporting.ask("/api/whole/export", {"ticket": files.ticket_for_writing(path)})
        assert (answer.status, answer.code) == (422, "export_failed")
        assert str(tmp_path) not in answer.text
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.posix
def test_an_export_goes_to_where_a_link_leads_and_the_link_stays(exporting: App, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name, before in (("old", b"before"), ("new", None)):
        named, real = tmp_path / f"{name}.csv", tmp_path / f"elsewhere/{name}.csv"
        named.symlink_to(real)
        if before is not None:
            real.write_bytes(before)
        ticket = exporting.launch.services.files.ticket_for_writing(named)
        assert exporting.ask("/api/whole/export", {"ticket": ticket}).status == 200
        assert named.is_symlink()
        assert real.read_bytes() not in (before, b"")


def test_a_full_disk_is_said_and_leaves_no_half_file(exporting: App, tmp_path: Path) -> None:
    def full() -> Iterator[bytes]:
        yield b"1"
        raise OSError(errno.ENOSPC, "No space left on device")

    ticket = exporting.launch.services.files.ticket_for_writing(tmp_path / "out.csv")
    with pytest.raises(OutriderError, match="No space left on device"):
        write_export(exporting.launch.services, WORKSPACE, ticket, Export(full(), "full.txt", "text/plain"))
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


@pytest.mark.parametrize("refused", ["the entry", "the file"])
def test_no_file_is_there_of_which_failure_was_told_and_none_that_is_in_no_log(
    exporting: App, tmp_path: Path, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        if refused == "the entry":
            raise OutriderError("database_full", path="it")
        raise OSError(errno.ENOSPC, "full")

    if refused == "the entry":
        monkeypatch.setattr(exports, "record_export", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    ticket = exporting.launch.services.files.ticket_for_writing(tmp_path / "out.csv")
    with pytest.raises(OutriderError):
        write_export(exporting.launch.services, WORKSPACE, ticket, Export([b"1"], "full.txt", "text/plain"))
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


class FullAtLast(io.BytesIO):
    """A file whose last bytes find no room."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


class TakesLess(io.BytesIO):
    """A file that takes less than it is given."""

    def write(self, content: Any) -> int:
        return super().write(bytes(content)[:1])


def no_file(**_: object) -> IO[bytes]:
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("spool", [lambda **_: FullAtLast(), lambda **_: TakesLess(), no_file])
def test_whatever_a_disk_refuses_of_a_download_is_told_before_its_first_byte(
    exporting: App, spool: Callable[..., IO[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", spool)
    answer = exporting.ask("/api/whole/export")
    assert (answer.status, answer.code) == (422, "export_failed")


def test_every_export_has_its_audit_entry_in_its_campaign_or_in_the_workspace(
    exporting: App, campaign: str, tmp_path: Path
) -> None:
    def written(stream: str) -> list[dict[str, object]]:
        with exporting.launch.services.database.read() as connection:
            rows = connection.execute(
                "SELECT payload FROM audit_log WHERE campaign_id=? AND action_type='file.write' AND cause='export'"
                " ORDER BY seq",
                (stream,),
            ).fetchall()
        return [json.loads(payload)["parameters"] for (payload,) in rows]

    ticket = exporting.launch.services.files.ticket_for_writing(tmp_path / "kept.csv")
    assert exporting.ask("/api/whole/export").ok
    assert exporting.ask("/api/whole/export", {"ticket": ticket}).ok
    assert exporting.ask("/api/broken/export").status == 404
    assert written(WORKSPACE) == [{"files": ['Läds "1".csv'], "bytes": 18}, {"files": ["kept.csv"], "bytes": 18}]

    leads = exporting.ask(f"/api/campaigns/{campaign}/leads/export")
    assert written(campaign) == [{"files": ["leads.csv"], "bytes": int(leads.headers["Content-Length"])}]

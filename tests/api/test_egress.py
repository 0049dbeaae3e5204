"""What leaves this machine: every host that may be called, called or not; what it was sent; who was refused; what never goes."""

import json
from pathlib import Path

import pytest

from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from tests.api.app import App
from tests.cli.outrider import Outrider

HOST = "api.provider.example"


def save(app: App, host: str = HOST) -> None:
    connection = Connection(id="mine", name="Mine", provider=Provider.OTHER, base_url=f"https://{host}/v1", model="m")
    assert app.ask("/api/models", {"connection": json.loads(connection.model_dump_json())}).ok


def test_at_first_nobody_may_be_called(app: App) -> None:
    view = app.ask("/api/outgoing").json
    assert view["hosts"] == []
    assert view["never"]
    assert "practice network" in view["browser"]


def test_who_may_be_called_is_shown_before_any_call_and_with_its_figures_after_one(app: App) -> None:
    save(app)
    (row,) = app.ask("/api/outgoing").json["hosts"]
    assert (row["host"], row["allowed"], row["calls"], row["last_at"]) == (HOST, True, 0, None)
    assert "prompt" in row["sends"]
    calls = app.workspace.outgoing
    with calls.call(HOST, "model") as call:
        call.bytes_out, call.bytes_in = 1_000, 50
    (row,) = app.ask("/api/outgoing").json["hosts"]
    assert (row["calls"], row["failures"], row["bytes_out"], row["bytes_in"]) == (1, 0, 1_000, 50)
    assert row["last_at"]


def test_who_may_be_called_no_more_is_still_shown_with_what_it_was_sent(app: App) -> None:
    save(app)
    calls = app.workspace.outgoing
    with calls.call(HOST, "model"):
        pass
    calls.write()
    app.ask("/api/models/mine/delete", {})
    (row,) = app.ask("/api/outgoing").json["hosts"]
    assert (row["host"], row["allowed"], row["calls"]) == (HOST, False, 1)


def test_who_was_refused_is_shown_with_when_and_how_often(app: App) -> None:
    for _ in range(2):
        with (
            pytest.raises(OutriderError, match="host_not_allowed"),
            app.workspace.outgoing.call("x.example", "model"),
        ):
            pass
    first = app.ask("/api/outgoing").json["refused"][0]
    assert first["host"] == "x.example"
    assert first["times"] >= 2
    assert first["at"] > 0


def test_the_users_own_proxy_is_named_without_its_password(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://me:canary@proxy.example:3128")
    answer = app.ask("/api/outgoing")
    assert "proxy.example:3128" in answer.json["proxy"]
    assert "canary" not in answer.text
    monkeypatch.setenv("https_proxy", "http://[no-address:3128")
    assert app.ask("/api/outgoing").json["proxy"] == ""


def test_the_terminal_shows_the_same(app: App, tmp_path: Path) -> None:
    save(app)
    printed = Outrider(tmp_path / "data")("outgoing", "--json").told
    assert [row["host"] for row in printed["hosts"]] == [HOST]
    assert printed["never"] == app.ask("/api/outgoing").json["never"]
    assert HOST in Outrider(tmp_path / "data")("outgoing").out

"""Connections over the API: a key comes in and never goes out, a trial tells in words, a campaign's choice and costs."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.api.app import create_app
from backend.app.wiring import offered_models, probe_model
from backend.domain.model.connection import Connection
from backend.ports.credentials import Secret
from tests.api.app import App, running
from tests.fakes.credentials import Pocket
from tests.fakes.model_server import ModelServer

KEY = "sk-canary-22d1"


@pytest.fixture
def keys(app: App) -> Pocket:
    """Keys in memory instead of this machine's keychain."""
    pocket = Pocket()
    services = replace(
        app.launch.services,
        credentials=pocket,
        try_model=lambda connection: probe_model(connection, pocket, app.workspace.outgoing),
        list_models=lambda server, typed: offered_models(server, typed, pocket, app.workspace.outgoing),
    )
    app.server.app = create_app(services)
    return pocket


def connection(server: ModelServer, **changes: Any) -> Any:
    fields = {
        "id": "mine",
        "name": "Mine",
        "provider": "llama_cpp",
        "base_url": f"{server.url}/v1",
        "model": "tiny",
        "key": "canary",
        "price_in": 1_000_000,
        "price_out": 1_000_000,
    }
    return json.loads(Connection.model_validate_json(json.dumps(fields | changes)).model_dump_json())


def save(app: App, server: ModelServer, **changes: Any) -> Any:
    return app.ask("/api/models", {"connection": connection(server, **changes)})


def test_connections_are_listed_with_presets_and_an_id_for_a_new_one(app: App, server: ModelServer) -> None:
    empty = app.ask("/api/models").json
    assert empty["connections"] == []
    assert [preset["provider"] for preset in empty["presets"]][:2] == ["openai", "anthropic"]
    free = [preset["provider"] for preset in empty["presets"] if not preset["hosted"]]
    assert {"ollama", "vllm"} <= set(free)
    assert not {"openai", "other"} & set(free), "what another server costs is not known"
    assert save(app, server, id=empty["fresh"]).ok
    [listed] = app.ask("/api/models").json["connections"]
    assert (listed["connection"]["id"], listed["host"], listed["campaigns"]) == (empty["fresh"], "127.0.0.1", 0)
    assert app.ask("/api/models").json["fresh"] != empty["fresh"]


def test_an_address_that_could_be_overheard_is_refused(app: App, server: ModelServer) -> None:
    refused = save(app, server, base_url="http://models.example.com/v1")
    assert (refused.status, refused.code) == (422, "model_address_refused")
    assert app.ask("/api/models").json["connections"] == []


def test_a_key_comes_in_and_never_goes_out(app: App, keys: Pocket, server: ModelServer) -> None:
    save(app, server)
    assert app.ask("/api/models/mine/key").json["state"] == "missing"
    answer = app.ask("/api/models/mine/key", {"secret": KEY})
    assert (answer.json["state"], answer.json["where"]) == ("kept", "the tester's pocket")
    assert keys.get("canary") == Secret(KEY)
    app.ask("/api/models/mine/test", {})
    seen = [answer.text, *(app.ask(path).text for path in ("/api/models", "/api/models/mine/key"))]
    folder = app.workspace.settings.data_dir
    stored = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock")
    assert KEY not in "".join(seen)
    assert KEY.encode() not in stored
    assert app.ask("/api/models/mine/key/forget", {}).json["state"] == "missing"
    assert keys.get("canary") is None


@pytest.mark.parametrize("secret", ["", "two words", "line\nbreak", "ключ", "x" * 2_001])
def test_what_cannot_be_a_key_is_refused_and_not_repeated(
    app: App, keys: Pocket, server: ModelServer, secret: str
) -> None:
    save(app, server)
    refused = app.ask("/api/models/mine/key", {"secret": secret})
    assert refused.status == 400
    assert not secret or secret not in refused.text
    assert keys.get("canary") is None


def test_a_trial_tells_how_long_it_took_and_whether_the_form_was_kept(
    app: App, keys: Pocket, server: ModelServer
) -> None:
    save(app, server, key="")
    tried = app.ask("/api/models/mine/test", {}).json
    assert (tried["code"], tried["structured"], tried["said"]) == ("", True, '{"word": "ready"}')
    assert tried["micros"] == tried["tokens_in"] + tried["tokens_out"] > 0
    server.reply = lambda _: "I am ready!"
    tried = app.ask("/api/models/mine/test", {}).json
    assert (tried["code"], tried["structured"], tried["said"]) == ("", False, "I am ready!")
    server.acts.append(401)
    tried = app.ask("/api/models/mine/test", {}).json
    assert tried["code"] == "proposer_unauthorised"
    assert tried["sentence"]
    assert tried["remedy"]


def names(app: App, server: ModelServer, **changes: Any) -> Any:
    asked = {"provider": "other", "base_url": f"{server.url}/v1", "plain_http": False, "key": "canary", "secret": ""}
    return app.ask("/api/models/names", asked | changes)


def test_a_server_is_asked_for_its_models_before_anything_is_saved(app: App, keys: Pocket, server: ModelServer) -> None:
    assert server.listed == []
    assert names(app, server, key="").json == {"names": ["tiny-1", "tiny-2"], "more": 0, "problem": None}
    assert app.ask("/api/models").json["connections"] == []
    [row] = app.ask("/api/outgoing").json["hosts"]
    assert (row["host"], row["allowed"], row["calls"]) == ("127.0.0.1", True, 1), "it may be asked again"
    assert "which models" in row["why"]


def test_it_is_asked_with_the_key_in_the_form_or_the_one_that_is_kept(
    app: App, keys: Pocket, server: ModelServer
) -> None:
    missing = names(app, server)
    assert missing.json["problem"]["code"] == "proposer_key_missing"
    assert server.listed == []
    names(app, server, secret=KEY)
    keys.put("canary", Secret("kept"))
    names(app, server)
    assert [headers["authorization"] for _, headers in server.listed] == [f"Bearer {KEY}", "Bearer kept"]
    server.listing = (401, {}, [KEY.encode()])
    refused = names(app, server, secret=KEY)
    assert refused.json["problem"]["code"] == "proposer_unauthorised"
    assert KEY not in refused.text


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example.com/v1",
        "https://{resource}.example/v1",
        "http://10.1.2.3/v1",
        "nothing",
        f"https://{'a' * 64}.example/v1",
        "https://a.example:65536/v1",
        "https://a.example:0",
    ],
)
def test_nobody_is_asked_for_models_where_a_key_could_be_overheard(
    app: App, keys: Pocket, server: ModelServer, address: str
) -> None:
    refused = names(app, server, base_url=address, secret=KEY)
    assert (refused.status, refused.code) == (422, "model_address_refused")
    assert app.ask("/api/outgoing").json["hosts"] == []


def test_a_kept_key_goes_to_no_host_for_which_it_was_not_saved(app: App, server: ModelServer) -> None:
    save(app, server)
    assert app.ask("/api/vault/unlock", {"passphrase": "lantern gravel otter nine"}).ok
    assert app.ask("/api/models/mine/key", {"secret": KEY}).json["state"] == "kept"
    assert names(app, server).json["names"] == ["tiny-1", "tiny-2"]
    before = app.ask("/api/outgoing").json["refused"]  # by this process, whatever else it tested
    refused = names(app, server, base_url="https://elsewhere.example/v1")
    assert refused.json["problem"]["code"] == "key_not_for_host"
    assert app.ask("/api/outgoing").json["refused"] == before


def test_a_model_counts_as_not_tested_until_it_worked_as_it_is_now(app: App, keys: Pocket, server: ModelServer) -> None:
    def untested() -> tuple[str, bool, bool]:
        [listed] = app.ask("/api/models").json["connections"]
        [_, choice] = app.ask("/api/campaigns/new").json["models"]
        return listed["untested"], listed["untested"] in choice["about"], choice["about"].endswith("Costs money.")

    save(app, server, key="")
    assert untested() == ("Not tested on this machine.", True, False)
    server.acts.append(401)
    app.ask("/api/models/mine/test", {})
    assert untested() == ("The last test failed: 127.0.0.1 refused the key.", True, False)
    server.reply = lambda _: "I am ready!"
    app.ask("/api/models/mine/test", {})
    assert untested() == ("The last test failed: It does not answer in the requested format.", True, False)
    server.reply = lambda _: '{"word": "ready"}'
    app.ask("/api/models/mine/test", {})
    assert untested() == ("", True, True)
    save(app, server, key="", model="other")
    assert untested()[0] == "Not tested on this machine."


def test_prices_left_open_cost_no_money_and_count_as_tokens(app: App, keys: Pocket, server: ModelServer) -> None:
    assert save(app, server, key="", price_in=None, price_out=None).ok
    [listed] = app.ask("/api/models").json["connections"]
    assert (listed["connection"]["price_in"], listed["connection"]["price_out"]) == (None, None)
    tried = app.ask("/api/models/mine/test", {}).json
    assert (tried["code"], tried["micros"]) == ("", 0)
    assert tried["tokens_in"] + tried["tokens_out"] > 0
    [_, choice] = app.ask("/api/campaigns/new").json["models"]
    assert "Its price is not known; tokens are limited." in choice["about"]


def test_a_connection_that_is_not_there(app: App) -> None:
    for path in ("/api/models/none/test", "/api/models/none/delete", "/api/models/none/key/forget"):
        missing = app.ask(path, {})
        assert (missing.status, missing.code) == (404, "model_unknown")


def test_a_campaign_chooses_and_the_connection_stays_while_it_does(
    app: App, campaign: str, server: ModelServer
) -> None:
    save(app, server)
    path = f"/api/campaigns/{campaign}/model"
    before = app.ask(path).json
    assert (before["proposer"], before["micros"], before["spent"]) == ("scripted", 0, [])
    assert [choice["title"] for choice in before["choices"]] == ["Built-in script", "Mine (not tested)"]
    assert app.ask(path, {"proposer": "mine"}).json["title"] == "Mine"
    assert app.ask(path).json["alone"] is False, "the script takes the mechanical steps unless the user wants otherwise"
    assert app.ask(path, {"proposer": "mine", "alone": True}).json["alone"] is True
    assert app.ask(path, {"proposer": "nobody"}).status == 404
    refused = app.ask("/api/models/mine/delete", {})
    assert (refused.status, refused.code) == (409, "model_in_use")
    app.ask(path, {"proposer": "scripted"})
    assert app.ask("/api/models/mine/delete", {}).ok
    assert app.ask("/api/models").json["connections"] == []


def test_a_new_campaign_is_made_with_a_model(app: App, server: ModelServer) -> None:
    save(app, server)
    choices = app.ask("/api/campaigns/new").json
    assert [model["id"] for model in choices["models"]] == ["scripted", "mine"]
    request = {
        "key": "k1",
        "name": "Talk",
        "goal": "Learn",
        "site": "practice",
        "model": "mine",
        "steps": choices["presets"][0]["steps"],
        "file": None,
    }
    made = app.ask("/api/campaigns", request)
    assert made.status == 201
    assert app.ask(f"/api/campaigns/{made.json['campaign_id']}/model").json["proposer"] == "mine"
    assert app.ask("/api/campaigns", request | {"key": "k2", "model": "nobody"}).status == 404


def configuration(app: App, campaign: str) -> list[Any]:
    """What the page shows of it."""
    return [
        app.ask("/api/models").json["connections"],
        app.ask("/api/soul").json,
        app.ask(f"/api/campaigns/{campaign}/settings").json,
    ]


def test_configuration_is_loaded_from_the_database_alone_at_the_start(
    tmp_path: Path, built_page: Path, server: ModelServer
) -> None:
    with running(tmp_path / "first", built_page) as app:
        assert save(app, server).ok
        for follows, text in enumerate(("Be kind.", "Be brief.")):
            assert app.ask("/api/soul", {"text": text, "follows": follows}).ok
        made = app.ask("/api/rehearsals", {}).json["campaign_id"]
        assert app.ask(f"/api/campaigns/{made}/model", {"proposer": "mine"}).status in (200, 204)
        before = configuration(app, made)
        assert before[1]["text"] == "Be brief."
    (tmp_path / "second").mkdir(mode=0o700)
    with closing(sqlite3.connect(tmp_path / "first" / "outrider.db")) as source:
        source.execute("VACUUM INTO ?", (str(tmp_path / "second" / "outrider.db"),))
    with running(tmp_path / "second", built_page) as again:
        assert configuration(again, made) == before


def test_no_library_of_a_provider_is_loaded_at_the_start() -> None:
    names = ("openai", "anthropic", "keyring", "httpx2")
    script = f"import backend.app.launch, sys; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

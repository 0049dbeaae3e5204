"""Keys over the API: they come in and never go out; the page learns where each is, who uses it, and what the vault takes."""

import json
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.environment import Environment
from backend.adapters.credentials.sealed_files import SealedFolder
from backend.adapters.credentials.vault import SealedVault
from backend.api.app import create_app
from backend.commands.keys import KeyCommands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError
from backend.store.queries.device import models
from tests.api.app import App
from tests.api.test_models import connection
from tests.fakes.clock import START, FakeClock
from tests.fakes.keychain import CHEAP, MemoryKeyring, keychain_of, no_keychain
from tests.fakes.model_server import ModelServer

KEY = "sk-canary-61c2"
PASSPHRASE = "four words that stay"


def started(app: App, keyring: MemoryKeyring | None, **variables: str) -> KeyCommands:
    """The app with this keychain, or none, as after a start."""
    workspace = app.workspace
    earlier = keychain_of(keyring) if keyring else no_keychain()
    device = DeviceKey(workspace.settings.data_dir / "sealed", earlier, CHEAP)
    vault = SealedVault(device, SealedFolder(device), CHEAP)
    keys = KeyCommands(
        journal=workspace.journal,
        clock=FakeClock(),
        vault=vault,
        startup_credentials=Environment(variables),
        earlier=earlier,
        end_other_sessions=app.launch.services.keys.end_other_sessions,
    )
    app.server.app = create_app(replace(app.launch.services, credentials=keys, keys=keys))
    return keys


@pytest.fixture
def keyring() -> MemoryKeyring:
    return MemoryKeyring()


@pytest.fixture
def keys(app: App, keyring: MemoryKeyring) -> KeyCommands:
    return started(app, keyring)


def test_a_key_comes_in_and_the_list_says_where_it_is_and_who_uses_it(app: App, keys: KeyCommands) -> None:
    assert app.ask("/api/keys").json == {
        "vault": {
            "state": "none",
            "needs": "nothing",
            "where": "the keychain",
            "problem": "",
        },
        "kit": False,
        "version": 0,
        "keys": [],
    }
    server = ModelServer()
    app.ask("/api/models", {"connection": connection(server, key="tiny")})
    server.close()
    [missing] = app.ask("/api/keys").json["keys"]
    assert (missing["name"], missing["state"], missing["used_by"]) == ("tiny", "missing", ["Mine (127.0.0.1)"])
    answer = app.ask("/api/keys/tiny", {"secret": KEY, "kind": "llm_provider"})
    assert answer.ok
    assert app.ask("/api/keys/another_1", {"secret": KEY + " with blanks\nand lines"}).ok
    view = app.ask("/api/keys")
    assert view.json["vault"]["state"] == "open"
    assert [(line["name"], line["kind"], line["state"], line["updated_at"]) for line in view.json["keys"]] == [
        ("another_1", "api_key", "sealed", START),
        ("tiny", "llm_provider", "sealed", START),
    ]
    assert app.ask("/api/models/mine/key").json["state"] == "kept"
    forgotten = app.ask("/api/keys/tiny/forget", {})
    assert [line["state"] for line in forgotten.json["keys"]] == ["sealed", "missing"]
    assert KEY not in answer.text + view.text + forgotten.text


def test_what_is_given_at_start_and_what_an_earlier_version_kept_is_said(app: App, keyring: MemoryKeyring) -> None:
    keyring.kept["old"] = KEY
    started(app, keyring, OUTRIDER_KEY_GIVEN=KEY)
    server = ModelServer()
    for name in ("old", "given"):
        app.ask("/api/models", {"connection": connection(server, id=name, key=name)})
    server.close()
    view = app.ask("/api/keys")
    assert [(line["name"], line["state"], line["where"]) for line in view.json["keys"]] == [
        ("given", "given", "the environment variable OUTRIDER_KEY_GIVEN"),
        ("old", "keychain", "the keychain"),
    ]
    refused = app.ask("/api/keys/given", {"secret": "x"})
    assert (refused.status, refused.code) == (409, "key_read_only")
    assert KEY not in view.text


@pytest.mark.parametrize("name", ["Tiny", "1st", "a-b", "a" * 33, "..", "device-key-0"])
def test_a_name_that_is_none_is_refused(app: App, keys: KeyCommands, name: str) -> None:
    assert app.ask(f"/api/keys/{name}", {"secret": KEY}).status in (400, 404)
    assert app.ask("/api/keys").json["keys"] == []


def test_without_a_keychain_the_vault_is_opened_by_a_passphrase(app: App) -> None:
    started(app, None)
    vault = app.ask("/api/keys").json["vault"]
    assert (vault["state"], vault["needs"]) == ("none", "passphrase")
    refused = app.ask("/api/keys/tiny", {"secret": KEY})
    assert (refused.status, refused.code) == (409, "vault_locked")
    assert KEY not in refused.text
    assert app.ask("/api/vault/unlock", {"passphrase": "short"}).code == "passphrase_short"
    assert app.ask("/api/vault/unlock", {"passphrase": PASSPHRASE}).json["vault"]["needs"] == "nothing"
    assert app.ask("/api/keys/tiny", {"secret": KEY}).json["vault"]["state"] == "open"
    started(app, None)
    view = app.ask("/api/keys").json
    assert (view["vault"]["needs"], view["keys"][0]["state"]) == ("passphrase", "locked")
    wrong = app.ask("/api/vault/unlock", {"passphrase": PASSPHRASE + "!"})
    assert (wrong.status, wrong.code) == (422, "passphrase_wrong")
    assert PASSPHRASE not in wrong.text
    assert app.ask("/api/vault/unlock", {"passphrase": PASSPHRASE}).json["keys"][0]["state"] == "sealed"


def test_a_kit_is_shown_once_and_a_device_is_revoked_with_a_new_one(app: App, keys: KeyCommands) -> None:
    app.ask("/api/keys/tiny", {"secret": KEY})
    assert app.ask("/api/vault/kit", {"passphrase": "too short"}).status == 400
    kit = app.ask("/api/vault/kit", {"passphrase": PASSPHRASE}).json
    assert len(kit["code"].split("-")) == 7
    assert (kit["email"], kit["url"]) == ("", "")
    view = app.ask("/api/keys")
    assert (view.json["kit"], view.json["version"]) == (True, 1)
    assert kit["code"] not in view.text
    with app.workspace.database.write() as connection:
        connection.execute(
            "INSERT INTO project(one, url, public_key, user_id, email, device_id, device_name, attached_at)"
            " VALUES (1, 'https://p.example', 'k', 'u', 'a@b.example', 'me', 'Me', 1)"
        )
    app.record(WORKSPACE, Event("DeviceJoined", "lost", {"name": "Lost", "created_at": 1}))
    assert app.ask("/api/vault/revoke", {"device_id": "none", "passphrase": PASSPHRASE}).status == 404
    new = app.ask("/api/vault/revoke", {"device_id": "lost", "passphrase": PASSPHRASE}).json
    assert (new["email"], new["url"]) == ("a@b.example", "https://p.example")
    assert new["code"] != kit["code"]
    assert app.ask("/api/keys").json["version"] == 2
    assert keys.get("tiny") is not None


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (SharedStoreUnreachableError("no answer"), "project_unreachable"),
        (SharedStoreRefusedError("signed_out"), "signed_out"),
    ],
)
def test_a_device_whose_sign_in_cannot_be_ended_now_is_not_half_revoked(
    app: App, keys: KeyCommands, monkeypatch: pytest.MonkeyPatch, failure: Exception, code: str
) -> None:
    def out_others() -> None:
        raise failure

    account = SimpleNamespace(sign_in=SimpleNamespace(sign_out_others=out_others))
    app.ask("/api/keys/tiny", {"secret": KEY})
    app.record(WORKSPACE, Event("DeviceJoined", "lost", {"name": "Lost", "created_at": 1}))
    with monkeypatch.context() as patch:
        patch.setattr(app.launch.services.sync, "_account", account)
        assert app.ask("/api/vault/revoke", {"device_id": "lost", "passphrase": PASSPHRASE}).code == code
    view = app.ask("/api/keys").json
    assert (view["version"], view["keys"][0]["state"]) == (1, "sealed")
    assert app.ask("/api/vault/revoke", {"device_id": "lost", "passphrase": PASSPHRASE}).ok


def test_saving_a_connection_or_keeping_its_key_names_the_host_and_a_synced_connection_does_not(
    app: App, keys: KeyCommands
) -> None:
    server = ModelServer()
    far = [connection(server, id=f"m{n}", key="tiny", base_url=f"https://m{n}.example/v1") for n in range(4)]
    server.close()

    def shown(n: int) -> bool:
        with suppress(OutriderError):
            return keys.get_for("tiny", f"https://m{n}.example/v1") == Secret(KEY)
        return False

    app.ask("/api/models", {"connection": far[0]})
    app.ask("/api/models/m0/key", {"secret": KEY})
    app.ask("/api/models", {"connection": far[1]})  # at once, though the key was there before
    app.record(WORKSPACE, Event("ConfigSet", models.MODEL + "m2", {"value": json.dumps(far[2])}))
    assert [shown(n) for n in range(4)] == [True, True, False, False]
    app.ask("/api/models/m0/key", {"secret": KEY})  # that page shows one connection
    assert [shown(n) for n in range(4)] == [True, True, False, False]
    app.ask("/api/models", {"connection": far[2]})
    assert [shown(n) for n in range(4)] == [True, True, True, False]
    app.ask("/api/keys/tiny/forget", {})
    used_by = app.ask("/api/keys").json["keys"][0]["used_by"]
    assert used_by == [f"Mine (m{n}.example)" for n in range(3)]
    app.ask("/api/keys/tiny", {"secret": KEY, "kind": "llm_provider"})  # that page shows all three
    assert [shown(n) for n in range(4)] == [True, True, True, False]

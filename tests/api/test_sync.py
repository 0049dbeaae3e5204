"""The shared store through the API: our client, a stand-in for a hosted project, PostgreSQL; two apps are two devices."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.supabase.account import SupabaseAccount
from backend.app.wiring import Workspace
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import App, Socket, running
from tests.api.conftest import write_draft
from tests.api.runs import follow
from tests.patience import PATIENCE
from tests.postgres import Project
from tests.runtime.sync.racer import FolderFiles
from tests.stored_rows import all_rows, first_row
from tests.supabase.signed_in import opened
from tests.supabase_gateway import Gateway

WHO = {"email": "ada@example.test", "password": "correct horse battery"}


@pytest.fixture
def gateway(project: Project) -> Iterator[Gateway]:
    made = Gateway(project.url("authenticator"))
    yield made
    made.close()


class Desk:
    """An app with a page that hears everything."""

    def __init__(self, app: App, socket: Socket, gateway: Gateway) -> None:
        self.app, self.socket = app, socket
        self.address = {"url": gateway.url, "public_key": gateway.key}

    def sign_in(self, *, fresh: bool = False) -> Any:
        answer = self.app.ask("/api/sync/sign-in", {**self.address, **WHO, "fresh": fresh})
        assert answer.ok, answer.text
        return answer.json

    def until(self, **expected: object) -> Any:
        """The state of the shared store, once it is so."""
        view = self.app.ask("/api/sync").json["sync"]
        while any(view[name] != value for name, value in expected.items()):
            view = self.socket.until("sync")["sync"]
        return view

    def post(self, what: str) -> Any:
        answer = self.app.ask(f"/api/sync/{what}", {})
        assert answer.ok, answer.text
        return answer.json

    def ask_until(self, is_so: Callable[[], bool]) -> None:
        """Ask the shared store anew until it is so: what another device did is told to nobody."""
        while not is_so():
            self.post("now")

    def answered(self, campaign_id: str, count: int = 1) -> Any:
        """What came of the last of so many requests."""

        def results() -> list[Any]:
            answer = self.app.ask(f"/api/campaigns/{campaign_id}/assistant")
            return [line["result"] for line in answer.json["lines"] if line["result"]] if answer.ok else []

        self.ask_until(lambda: len(results()) >= count)
        return results()[-1]

    def skills(self) -> list[str]:
        return [row[0] for row in self.app.workspace.database.query(all_rows, "SELECT name FROM skills")]

    def configured(self) -> set[str]:
        with self.app.workspace.database.read() as connection:
            return {row[0] for row in connection.execute("SELECT id FROM config_kv WHERE campaign_id='workspace'")}


@pytest.fixture
def desks(tmp_path: Path, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Desk]]:
    def account(workspace: Workspace, url: str, public_key: str) -> SupabaseAccount:
        return SupabaseAccount(url, public_key, workspace.outgoing, FolderFiles(workspace.settings.data_dir))

    monkeypatch.setattr("backend.app.launch.open_account", account)
    with ExitStack() as open_:
        made = []
        for name in ("desk", "laptop"):
            app = open_.enter_context(running(tmp_path / name))
            made.append(Desk(app, open_.enter_context(app.hearing()), gateway))
        yield made


def test_without_a_project_this_store_decides(desks: list[Desk]) -> None:
    view = desks[0].app.ask("/api/sync").json
    assert (view["attached"], view["sync"]["phase"], view["devices"]) == (False, "local", [])
    assert desks[0].app.ask("/api/sync/take-over", {}).code == "not_attached"


def test_what_was_here_is_on_the_next_device_after_signing_in_there(desks: list[Desk]) -> None:
    desk, laptop = desks
    desk.app.record(WORKSPACE, Event("ConfigSet", "from-desk", {"value": "1"}))
    campaign_id = desk.app.workspace.commands().campaigns.create_on_practice("Talk", "Learn", _settings())
    assert desk.sign_in(fresh=True)["outcome"] == "attached"
    desk.until(phase="in_sync", waiting=0)
    laptop.app.record(WORKSPACE, Event("ConfigSet", "from-laptop", {"value": "1"}))
    assert laptop.sign_in()["outcome"] == "attached"
    laptop.until(phase="in_sync", waiting=0)
    desk.post("now")
    while not {"from-desk", "from-laptop"} <= desk.configured():
        desk.socket.until("events")
    assert {"from-desk", "from-laptop"} <= laptop.configured()
    listed = laptop.app.ask("/api/campaigns").text
    assert campaign_id in listed
    view = desk.app.ask("/api/sync").json
    assert [device["here"] for device in view["devices"]] == [True, False]
    assert "correct horse" not in view.__repr__()


def test_the_skills_that_are_shipped_are_there_once(desks: list[Desk]) -> None:
    for number, desk in enumerate(desks):
        desk.sign_in(fresh=number == 0)
        desk.until(phase="in_sync", waiting=0)
    names = [desk.skills() for desk in desks]
    assert sorted(names[0]) == sorted(names[1])
    assert len(set(names[1])) == len(names[1]) > 0


def test_who_acts_is_told_and_takes_over_when_asked(desks: list[Desk]) -> None:
    desk, laptop = desks
    for number, each in enumerate(desks):
        each.sign_in(fresh=number == 0)
        each.until(phase="in_sync", waiting=0)
    campaign_id = desk.app.workspace.commands().campaigns.create_on_practice("Talk", "Learn", _settings())
    desk.until(phase="in_sync", waiting=0)
    laptop.post("now")
    while campaign_id not in laptop.app.ask("/api/campaigns").text:
        laptop.socket.until("events")
    with desk.app.services.sync.hold_lease():
        desk.until(acting="here")
        assert laptop.app.ask(f"/api/campaigns/{campaign_id}/start", {}).code == "lease_held_elsewhere"
        laptop.until(acting="elsewhere")
        laptop.post("take-over")
        laptop.until(asked=True)
    # The holder is done, so the waiting run begins (and finds that nobody was imported).
    while (run := laptop.socket.until("run")["run"])["error"] is None:
        pass
    assert run["error"]["code"] == "campaign_empty"


def test_devices_of_one_host_name_are_told_apart_and_can_be_renamed(desks: list[Desk]) -> None:
    def names(of: Desk) -> list[str]:
        return [device["name"] for device in of.app.ask("/api/sync").json["devices"]]

    def heard(by: Desk, expected: list[str]) -> None:
        """Asked for again each time: the other device may not have sent its name yet."""
        by.ask_until(lambda: names(by) == expected)

    desk, laptop = desks
    for number, each in enumerate(desks):
        each.sign_in(fresh=number == 0)
        each.until(phase="in_sync", waiting=0)
    host = names(desk)[0]
    heard(desk, [host, f"{host} (2)"])
    assert laptop.app.ask("/api/sync").json["device_name"] == f"{host} (2)"
    (second,) = [device["id"] for device in desk.app.ask("/api/sync").json["devices"] if not device["here"]]
    renamed = desk.app.ask(f"/api/sync/devices/{second}/name", {"name": "  Travel   laptop "})
    assert [device["name"] for device in renamed.json["devices"]] == [host, "Travel laptop"]
    assert desk.app.ask("/api/sync/devices/nobody/name", {"name": "x"}).code == "device_unknown"
    assert desk.app.ask(f"/api/sync/devices/{second}/name", {"name": "  "}).status == 400
    desk.until(phase="in_sync", waiting=0)
    heard(laptop, [host, "Travel laptop"])
    with laptop.app.services.sync.hold_lease():
        desk.post("now")
        assert desk.until(acting="elsewhere")["acting_name"] == "Travel laptop"


def test_signed_out_it_waits_and_goes_on_after_signing_in_again(desks: list[Desk]) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    desk.post("sign-out")
    desk.app.record(WORKSPACE, Event("ConfigSet", "later", {"value": "1"}))
    desk.until(phase="signed_out", waiting=1)
    desk.sign_in()
    desk.until(phase="in_sync", waiting=0)


def test_an_account_that_was_made_and_cannot_be_used_is_told_to_be_there(desks: list[Desk], gateway: Gateway) -> None:
    desk, other = desks[0], {**WHO, "email": "eve@example.test"}
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    desk.post("sign-out")
    refused = desk.app.ask("/api/sync/sign-in", {**desk.address, **other, "fresh": True})
    assert refused.code == "sign_up_unfinished"
    assert "was created" in refused.json["sentence"]
    assert refused.json["remedy"].endswith("sign in with that account.")
    assert other["email"] in gateway.auth.users
    assert desk.app.ask("/api/sync/sign-in", {**desk.address, **other, "fresh": True}).code == "sign_in_known"


@pytest.mark.parametrize("signs_in_again", [False, True], ids=["by a renewal", "by signing in again"])
def test_after_a_changed_e_mail_the_new_one_is_shown_and_kept(
    desks: list[Desk], gateway: Gateway, signs_in_again: bool
) -> None:
    desk, changed = desks[0], "ada.lovelace@example.test"
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    user = gateway.auth.users.pop(WHO["email"])
    user.email, gateway.auth.users[changed] = changed, user
    if signs_in_again:
        desk.post("sign-out")
        asked = {**desk.address, **WHO, "email": changed}
        assert desk.app.ask("/api/sync/sign-in", asked).ok
    else:
        gateway.tokens.expire()
        desk.post("now")
    follow(desk.app, lambda: desk.app.ask("/api/sync").json["email"] == changed)
    assert desk.app.workspace.database.query(first_row, "SELECT email FROM project") == (changed,)


def test_starting_offline_is_told_as_that(desks: list[Desk], gateway: Gateway) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    campaign_id = desk.app.workspace.commands().campaigns.create_on_practice("Talk", "Learn", _settings())
    desk.until(phase="in_sync", waiting=0)
    gateway.close()
    for what in (f"campaigns/{campaign_id}/start", f"campaigns/{campaign_id}/step", "rehearsals"):
        answer = desk.app.ask(f"/api/{what}", {})
        assert (answer.status, answer.code) == (424, "shared_store_unreachable"), what
    for what in ("now", "sign-out", "detach"):
        desk.post(what)


@pytest.mark.parametrize("how", ["switched off", "rotated"])
def test_a_key_that_is_not_valid_any_more_is_told_and_replaced_by_signing_in_with_the_new_one(
    desks: list[Desk], gateway: Gateway, how: str
) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    if how == "rotated":
        gateway.tokens.rotate()
    else:
        gateway.legacy_keys_disabled = True
    desk.app.record(WORKSPACE, Event("ConfigSet", "later", {"value": "1"}))
    codes = {"switched off": "project_key_disabled", "rotated": "project_key_refused"}
    assert desk.until(phase="refused", waiting=1)["problem"]["code"] == codes[how]
    tokens = gateway.tokens
    new_key = desk.address["public_key"] = tokens.anon_key if how == "rotated" else tokens.publishable_key
    assert desk.sign_in()["project"]["public_key"] == new_key
    desk.until(phase="in_sync", waiting=0)


def test_a_mailed_link_that_is_opened_in_any_browser_of_this_machine_signs_in_here(
    desks: list[Desk], gateway: Gateway
) -> None:
    desk, laptop = desks
    laptop.sign_in(fresh=True)
    asked = {**desk.address, "email": WHO["email"]}
    assert desk.app.ask("/api/sync/ask-mail", asked).json["outcome"] == "confirm_mail"
    address = opened(gateway.auth.mails[-1].link)
    assert address.startswith(f"{desk.app.origin}/sign-in/")
    # What a browser sends that comes from a mail, by way of the project; a stranger's try never gets there.
    browser: dict[str, str | None] = {"Origin": None, "X_Outrider_Token": None, "Sec_Fetch_Site": "cross-site"}
    followed, before = address.removeprefix(desk.app.origin), gateway.auth.exchanges
    guessed = desk.app.ask("/sign-in/guessed?code=x", **browser)
    assert (guessed.status, gateway.auth.exchanges) == (422, before)
    assert "not requested here" in guessed.text
    answer = desk.app.ask(followed, **browser)
    assert (answer.status, "You are signed in." in answer.text, gateway.auth.exchanges) == (200, True, before + 1)
    desk.until(phase="in_sync", waiting=0)
    assert desk.app.ask("/api/sync").json["email"] == WHO["email"]
    assert desk.app.ask(followed, **browser).status == 422, "it serves once"
    assert desk.app.ask("/", **browser).code == "origin_refused", "no other page is shown to another site"


def test_a_mailed_link_attaches_nothing_again_that_was_detached_meanwhile(desks: list[Desk], gateway: Gateway) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    desk.post("sign-out")
    assert desk.app.ask("/api/sync/ask-mail", {**desk.address, "email": WHO["email"]}).ok
    desk.post("detach")
    followed = opened(gateway.auth.mails[-1].link).removeprefix(desk.app.origin)
    assert desk.app.ask(followed, Origin=None, X_Outrider_Token=None).status == 422
    assert desk.app.ask("/api/sync").json["attached"] is False


def test_detached_it_is_a_whole_local_copy_and_can_be_attached_again(desks: list[Desk]) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    assert desk.post("detach")["attached"] is False
    desk.until(phase="local")
    desk.app.record(WORKSPACE, Event("ConfigSet", "alone", {"value": "1"}))
    assert desk.configured() >= {"alone"}
    desk.sign_in()
    desk.until(phase="in_sync", waiting=0)


def test_what_a_revoked_device_approved_alone_is_asked_about_again_if_it_comes_back(desks: list[Desk]) -> None:
    here, there = desks
    here.sign_in(fresh=True)
    here.until(phase="in_sync", waiting=0)
    there.sign_in()
    there.until(phase="in_sync", waiting=0)
    campaign = find_or_create_rehearsal(there.app.workspace, None, None)
    there.until(phase="in_sync", waiting=0)
    devices = {device["here"]: device["id"] for device in there.app.ask("/api/sync").json["devices"]}
    here.post("now")
    follow(here.app, lambda: len(here.app.ask("/api/sync").json["devices"]) == len(desks))
    here.app.record(WORKSPACE, Event("DeviceRevoked", devices[True], {"revoked_at": 2}))
    here.until(phase="in_sync", waiting=0)
    message = write_draft(there.app, campaign)
    (shown,) = there.app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    approved = there.app.ask(f"/api/campaigns/{campaign}/drafts/{message}/approve", {"shown_digest": shown["digest"]})
    assert approved.ok
    assert there.app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"] == []
    there.until(phase="refused")
    assert there.app.ask("/api/sync").json["sync"]["problem"]["code"] == "device_revoked"
    there.post("detach")
    there.sign_in()
    there.until(phase="in_sync", waiting=0)
    assert [draft["id"] for draft in there.app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]] == [message]


class Slow:
    """A model that thinks until it is let go on."""

    name = "slow"

    def __init__(self) -> None:
        self.begun, self.on = threading.Event(), threading.Event()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self.begun.set()
        self.on.wait(PATIENCE)
        return ScriptedProposer().propose(snapshot, on_text, on_usage)


def test_a_request_is_worked_on_where_it_was_said(desks: list[Desk], monkeypatch: pytest.MonkeyPatch) -> None:
    desk, laptop = desks
    for number, each in enumerate(desks):
        each.sign_in(fresh=number == 0)
        each.until(phase="in_sync", waiting=0)
    campaign_id = desk.app.workspace.commands().campaigns.create_on_practice("Talk", "Learn", _settings())
    message = {"text": "list my saved artifacts", "attached": [], "key": "k-1"}
    with laptop.app.services.sync.hold_lease():
        assert desk.app.ask(f"/api/campaigns/{campaign_id}/assistant/messages", message).status == 201
        assert desk.answered(campaign_id)["code"] == "lease_held_elsewhere"
    desk.ask_until(lambda: bool(desk.app.ask("/api/sync").json["sync"]["acting"] == "nobody"))
    tried: list[str] = []

    def acting(_: object) -> AbstractContextManager[None]:
        tried.append("acting")
        return nullcontext()

    monkeypatch.setattr(laptop.app.services.sync, "hold_lease", acting)
    slow = desk.app.run_service.proposer = Slow()
    assert desk.app.ask(f"/api/campaigns/{campaign_id}/assistant/messages", {**message, "key": "k-2"}).status == 201
    assert slow.begun.wait(PATIENCE)
    address = f"/api/campaigns/{campaign_id}/assistant"
    laptop.ask_until(lambda: laptop.app.ask(address).json.get("working") is not None)
    slow.on.set()
    assert desk.answered(campaign_id, 2)["kind"] == "artifacts"
    desk.until(phase="in_sync", waiting=0, acting="nobody")
    laptop.post("now")
    assert laptop.answered(campaign_id, 2)["kind"] == "artifacts"
    assert tried == []
    for each in desks:
        assert each.until(phase="in_sync", waiting=0)["conflicts"] == 0
        lines = each.app.ask(f"/api/campaigns/{campaign_id}/assistant").json["lines"]
        assert [line["result"]["kind"] for line in lines if line["result"]] == ["status", "artifacts"]


def test_no_project_comes_or_goes_under_what_acts(desks: list[Desk]) -> None:
    """What began under one shared store must not go on under another: nobody would know that it acts."""
    desk = desks[0]
    with desk.app.services.sync.hold_lease():
        refused = desk.app.ask("/api/sync/sign-in", {**desk.address, **WHO, "fresh": True})
        assert refused.code == "project_in_use"
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    with desk.app.services.sync.hold_lease():
        assert desk.app.ask("/api/sync/detach", {}).code == "project_in_use"
    desk.post("detach")


def test_somebody_else_cannot_sign_in_to_this_workspace(desks: list[Desk]) -> None:
    desk = desks[0]
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    other = {**desk.address, "email": "eve@example.test", "password": "another long one", "fresh": True}
    refused = desk.app.ask("/api/sync/sign-in", other)
    assert refused.code == "sign_up_unfinished"
    assert f"This workspace belongs to {WHO['email']}" in str(refused.json)
    desk.app.record(WORKSPACE, Event("ConfigSet", "later", {"value": "1"}))
    desk.until(phase="in_sync", waiting=0)  # whoever was signed in still is


def test_after_its_account_was_deleted_a_device_is_signed_out_keeps_all_and_goes_on_with_a_new_account(
    desks: list[Desk], gateway: Gateway, project: Project
) -> None:
    desk, laptop = desks
    desk.sign_in(fresh=True)
    desk.app.record(WORKSPACE, Event("ConfigSet", "before", {"value": "1"}))
    desk.until(phase="in_sync", waiting=0)
    with psycopg.connect(project.url()) as admin:
        (rows,) = admin.execute("select count(*) from public.event_log").fetchone() or (0,)
    gateway.auth.delete(WHO["email"])
    gateway.tokens.expire()
    desk.app.record(WORKSPACE, Event("ConfigSet", "later", {"value": "1"}))
    assert desk.until(phase="signed_out", waiting=1)["problem"]["code"] == "signed_out"
    assert desk.app.ask("/api/sync/sign-in", {**desk.address, **WHO, "fresh": False}).code == "sign_in_wrong"
    made_anew = desk.app.ask("/api/sync/sign-in", {**desk.address, **WHO, "fresh": True})
    assert made_anew.code == "sign_up_unfinished"
    assert "detach" in made_anew.json["remedy"]
    with psycopg.connect(project.url()) as admin:
        assert admin.execute("select count(*) from public.event_log").fetchone() == (rows,), (
            "the log of the account stays"
        )
    desk.post("detach")
    desk.sign_in()
    desk.until(phase="in_sync", waiting=0)
    laptop.sign_in()
    laptop.until(phase="in_sync", waiting=0)
    assert {"before", "later"} <= desk.configured() == laptop.configured()


def test_a_look_at_a_project_says_what_it_found(desks: list[Desk]) -> None:
    checked = desks[0].app.ask("/api/sync/check", desks[0].address).json
    assert checked["ok"] is True
    assert checked["lines"]


def _settings() -> Any:
    from backend.domain.model.campaign import Settings  # noqa: PLC0415

    return Settings()

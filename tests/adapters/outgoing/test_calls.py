"""The list follows from what is saved and attached; the register counts every call, and holds nobody up."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.egress_guard import is_this_machine, normalise_host
from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.app.wiring import Workspace, open_workspace
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.ports.egress import MODEL, SUPABASE_AUTH, SUPABASE_SYNC
from backend.ports.shared_store import Batch, LoggedEvent, SharedStoreRefusedError
from backend.store.queries.device import egress_log
from tests.adapters.outgoing.far import available, far
from tests.fakes.sealed import OpenFiles
from tests.patience import PATIENCE
from tests.postgres import Project as Postgres
from tests.postgres import Server
from tests.supabase_gateway import Gateway

HOST = "api.provider.example"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(AppSettings(tmp_path, "", 10)) as opened:
        yield opened


def save_model(workspace: Workspace, base_url: str = f"https://{HOST}/v1") -> None:
    connection = Connection(id="mine", name="Mine", provider=Provider.OTHER, base_url=base_url, model="m")
    workspace.commands().models.save(connection)


def attach(workspace: Workspace, url: str) -> None:
    with workspace.database.write() as connection:
        connection.execute(
            "INSERT INTO project(one, url, public_key, device_id, device_name, attached_at) VALUES (1, ?, 'k', 'd', 'n', 1)",
            (url,),
        )


def refused(workspace: Workspace, host: str, code: str = "model") -> bool:
    try:
        with workspace.outgoing.call(host, code):
            return False
    except OutriderError as error:
        return (error.code, error.facts["host"]) == ("host_not_allowed", normalise_host(host))


def registered(workspace: Workspace) -> list[dict[str, Any]]:
    workspace.outgoing.write()
    with workspace.database.read() as connection:
        return [row._asdict() for row in egress_log.totals(connection, 0)]


def test_a_saved_model_may_be_called_until_it_is_removed(workspace: Workspace) -> None:
    assert refused(workspace, HOST)
    save_model(workspace)
    assert not refused(workspace, HOST)
    workspace.commands().models.remove("mine")
    assert refused(workspace, HOST)


def test_an_attached_project_may_be_called_for_its_own_purposes_until_it_is_detached(workspace: Workspace) -> None:
    attach(workspace, "https://abcd.supabase.example/")
    for purpose in (SUPABASE_SYNC, SUPABASE_AUTH):
        assert not refused(workspace, "abcd.supabase.example", purpose.code)
    assert refused(workspace, "abcd.supabase.example", MODEL.code)
    with workspace.database.write() as connection:
        connection.execute("DELETE FROM project")
    assert refused(workspace, "abcd.supabase.example", SUPABASE_SYNC.code)


def test_a_host_that_the_user_named_may_be_called_until_that_is_taken_back(workspace: Workspace) -> None:
    workspace.outgoing.allow("New.Example.", SUPABASE_AUTH)
    assert not refused(workspace, "new.example", SUPABASE_AUTH.code)
    assert refused(workspace, "new.example", SUPABASE_SYNC.code)
    workspace.outgoing.forbid("NEW.example", SUPABASE_AUTH.code)
    assert refused(workspace, "new.example", SUPABASE_AUTH.code)


@pytest.mark.parametrize(
    "alike",
    [
        "provider.example",
        "example",
        f"x{HOST}",
        f"{HOST}x",
        f"{HOST}.evil.example",
        f"evil.example/{HOST}",
        f"user@{HOST}",
        f"{HOST}:443",
        "api.pr\u043evider.example",  # a Cyrillic o
        "api.provider.examp1e",
        "*.provider.example",
        "192.0.2.1",
    ],
)
def test_a_look_alike_is_somebody_else(workspace: Workspace, alike: str) -> None:
    save_model(workspace)
    assert refused(workspace, alike)


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("API.Provider.EXAMPLE", HOST),
        (f"{HOST}.", HOST),
        (b"api.provider.example", HOST),
        ("b\u00fccher.example", "xn--bcher-kva.example"),
        ("B\u00dcCHER.example", "xn--bcher-kva.example"),
        ("[2001:DB8:0:0::1]", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_one_host_has_one_spelling(spelled: str | bytes, meant: str) -> None:
    assert normalise_host(spelled) == meant


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),
        ("LOCALHOST", True),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("2130706433", False),  # a resolver would take these for 127.0.0.1; whoever writes them hides something
        ("0x7f.1", False),
    ],
)
def test_only_this_machine_is_this_machine(host: str, here: bool) -> None:
    assert is_this_machine(normalise_host(host)) is here


def test_every_call_is_registered_however_it_ends(workspace: Workspace) -> None:
    save_model(workspace)
    for failed in ("", "http 500"):
        with workspace.outgoing.call(HOST, "model") as call:
            call.bytes_out, call.bytes_in, call.failed = 100, 7, failed
    with pytest.raises(ZeroDivisionError), workspace.outgoing.call(HOST, "model") as call:
        call.bytes_out = 3 // (call.bytes_in * 0)
    with pytest.raises(GeneratorExit), workspace.outgoing.call(HOST, "model"):
        raise GeneratorExit  # who listens had enough
    (row,) = registered(workspace)
    assert row.pop("last_at") >= row.pop("day")
    assert row == {"host": HOST, "purpose": "model", "calls": 4, "failures": 2, "bytes_out": 200, "bytes_in": 14}


def test_counts_add_up_over_writes_and_launches(tmp_path: Path) -> None:
    for launch in range(3):
        with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
            if launch == 0:
                save_model(workspace)
            for _ in range(2):
                with workspace.outgoing.call(HOST, "model") as call:
                    call.bytes_out = 10
                workspace.outgoing.write()
            with workspace.outgoing.call(HOST, "model"):
                pass  # closing writes this one
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
        (row,) = registered(workspace)
    assert (row["calls"], row["bytes_out"]) == (9, 60)


def test_it_is_written_by_itself_and_a_turns_transaction_holds_no_call_up(workspace: Workspace) -> None:
    save_model(workspace)
    written = threading.Event()
    keep = workspace.outgoing._keep

    def kept(rows: Any) -> None:
        keep(rows)
        written.set()

    workspace.outgoing._keep = kept
    with workspace.database.write():
        called = threading.Thread(target=lambda: [refused(workspace, HOST) for _ in range(50)])
        called.start()
        called.join(PATIENCE)
        assert not called.is_alive()
    assert written.wait(PATIENCE)
    assert workspace.database.query(egress_log.totals, 0)[0].calls == 50


def test_who_called_nobody_waits_for_no_writer(workspace: Workspace) -> None:
    written: list[Any] = []
    workspace.outgoing._keep = written.append
    refused(workspace, HOST)
    workspace.outgoing.write()
    assert written == []


def test_what_cannot_be_written_now_is_written_later(workspace: Workspace) -> None:
    save_model(workspace)
    keep, broken = workspace.outgoing._keep, [True]

    def kept(rows: Any) -> None:
        if broken:
            raise OutriderError("database_full", path="", detail="")
        keep(rows)

    workspace.outgoing._keep = kept
    refused(workspace, HOST)
    workspace.outgoing.write()
    refused(workspace, HOST)
    broken.clear()
    assert registered(workspace)[0]["calls"] == 2


@pytest.fixture(scope="module")
def models() -> Any:
    if not available():
        pytest.skip("this system lets nobody have a network of their own")
    return far("models")


def test_a_model_is_called_by_being_saved_and_its_bytes_are_counted(models: Any) -> None:
    assert models["before"]["code"] == "host_not_allowed"
    assert models["tried"]["code"] == ""
    (row,) = models["register"]
    assert (row["host"], row["purpose"], row["calls"], row["failures"]) == ("models.lan", "model", 2, 1)
    assert 2 * models["sent"][0] < row["bytes_out"] < 2 * (models["sent"][0] + 1_000)
    assert row["bytes_in"] > 100
    assert models["removed"]["code"] == "host_not_allowed"


def test_a_provider_cannot_send_us_to_another_host(models: Any) -> None:
    assert models["redirected"]["code"] == "proposer_request_refused"
    assert models["requests"] == 2


def test_an_unencrypted_name_of_ones_own_network_is_not_followed_to_a_public_address(models: Any) -> None:
    assert models["rebound"]["code"] == "host_not_allowed"
    assert models["refused"]["192.88.99.1"] == 1


def test_a_project_is_registered_by_what_it_is_called_for(workspace: Workspace, postgres_17: Server) -> None:
    with postgres_17.database() as database:
        gateway = Gateway(Postgres(postgres_17, database).url("authenticator"))
        project = SupabaseProject(gateway.url, gateway.key, workspace.outgoing)
        sign_in = AuthSession(project, OpenFiles())
        sign_in.sign_up("ada@example.test", "correct horse")
        shared_store = SupabaseSharedStore(project, sign_in)
        nonsense = LoggedEvent(1, 1, "Nonsense", "", "", "{}", "", "", b"", None, b"")
        assert shared_store.streams() == []
        with pytest.raises(SharedStoreRefusedError):
            shared_store.append(Batch("laptop", "workspace", 0, (nonsense,), 0, ()), None)
        project.close()
        gateway.close()
    by_purpose = {row["purpose"]: row for row in registered(workspace)}
    auth, sync = by_purpose[SUPABASE_AUTH.code], by_purpose[SUPABASE_SYNC.code]
    assert (auth["host"], auth["calls"], auth["failures"]) == ("127.0.0.1", 1, 0)
    assert (sync["host"], sync["calls"], sync["failures"]) == ("127.0.0.1", 3, 1)
    assert min(auth["bytes_out"], auth["bytes_in"], sync["bytes_out"], sync["bytes_in"]) > 0

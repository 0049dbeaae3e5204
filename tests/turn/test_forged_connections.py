"""What a shared store says of a model is followed, but no key is shown to a host that the user did not name."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.app.wiring import probe_model
from backend.commands.models import ModelCommands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.ports.credentials import Secret
from backend.store.queries.device import models
from tests.fakes.keychain import MemoryKeyring
from tests.fakes.model_server import ModelServer
from tests.fakes.outgoing import OpenDoor
from tests.fakes.vault import Machine
from tests.store.devices import Device, MemorySharedStore

KEY = "sk-canary-5b0e"
PASSPHRASE = "four words that stay"
HOSTS = ("mine.lan", "moved.lan", "evil.lan")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Answers under each of the names, none of which is this machine's own."""
    server, resolve = ModelServer(), socket.getaddrinfo

    def resolved(host: Any, *arguments: Any, **more: Any) -> Any:
        return resolve("127.0.0.1" if host in HOSTS else host, *arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setenv("NO_PROXY", "*")
    yield server
    server.close()


def at(host: str, server: ModelServer) -> Connection:
    url = server.url.replace("127.0.0.1", host)
    assert host in url
    return Connection(
        id="c1",
        name="Mine",
        provider=Provider.LLAMA_CPP,
        base_url=f"{url}/v1",
        plain_http=True,
        model="tiny",
        key="tiny",
    )


def save(machine: Machine, connection: Connection) -> None:
    """As the page does."""
    ModelCommands(machine.journal, machine.clock).save(connection)
    machine.keys.allow(connection.key, connection.base_url)


def tried(machine: Machine) -> str:
    """The code of what asking the model came to."""
    connection = machine.database.query(models.model_connection, "c1")
    assert connection is not None
    return probe_model(connection, machine.keys, OpenDoor(*HOSTS)).code


def test_a_key_goes_where_the_user_saved_it_for_on_any_device_and_never_to_a_forged_host(
    tmp_path: Path, server: ModelServer
) -> None:
    shared_store = MemorySharedStore()
    here, there = (Machine(tmp_path / name, MemoryKeyring()) for name in ("here", "there"))
    devices = [Device(machine.folder, machine.folder.name, machine.journal) for machine in (here, there)]
    store = Device(tmp_path / "store.db", "store")  # whoever administers the project writes entries that verify

    def in_sync() -> None:
        for device in (*devices, store, *devices):
            device.synchronise(shared_store)

    save(here, at("mine.lan", server))
    here.keys.put("tiny", Secret(KEY))
    save(here, at("mine.lan", server))
    assert tried(here) == ""
    code = here.keys.make_recovery_kit(PASSPHRASE)
    in_sync()
    there.keys.unlock(PASSPHRASE, code)
    assert tried(there) == ""

    save(there, at("moved.lan", server))
    in_sync()
    assert [tried(machine) for machine in (here, there)] == ["", ""]
    asked = len(server.requests)
    assert asked == 4
    assert all(f"Bearer {KEY}" in headers.values() for _, headers, _ in server.requests)

    forged = Event("ConfigChanged", models.MODEL + "c1", {"value": at("evil.lan", server).model_dump_json()})
    store.journal.record(WORKSPACE, events=[forged], actor="user", cause="forged", at=1)
    in_sync()
    assert [tried(machine) for machine in (here, there)] == ["key_not_for_host"] * 2
    assert len(server.requests) == asked

    save(here, at("evil.lan", server))  # the user says that it is theirs
    assert tried(here) == ""
    for device in (*devices, store):
        device.close()

"""Practice networks for tests, ended with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.practice.launch_secrets import LaunchSecrets
from backend.practice.network import Network
from backend.practice.network_store import NetworkStore
from backend.practice.people import People
from backend.practice.server import PracticeServer

from .running import START, Running

Start = Callable[..., Running]


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def start(ledger_path: Path) -> Iterator[Start]:
    """Start a network on the test's ledger; again after a crash."""
    started: list[Running] = []

    def begin(*more: str, secrets: LaunchSecrets | None = None) -> Running:
        started.append(Running(ledger_path, *more, secrets=secrets))
        return started[-1]

    yield begin
    for running in started:
        if running.process.poll() is None:
            running.kill()


@pytest.fixture
def served(ledger_path: Path) -> Iterator[Running]:
    """A network, served by this process."""
    secrets = LaunchSecrets.new()
    server = PracticeServer(0, ledger_path, secrets, now=START)
    yield Running.attached({"url": server.url, **secrets._asdict()})
    server.close()


@pytest.fixture
def running(served: Running) -> Running:
    """The same with a signed-in visitor; Ada is a contact, Ben is not."""
    return visited(served)


@pytest.fixture
def apart(start: Start) -> Running:
    """As `running`, in a process of its own, which can be killed."""
    return visited(start())


def visited(network: Running) -> Running:
    network.ask("/people", [ADA, BEN])
    network.sign_in()
    return network


@pytest.fixture
def network() -> Network:
    return Network(People("test", 500))


@pytest.fixture
def exchange(ledger_path: Path) -> Iterator[NetworkStore]:
    opened = NetworkStore.open(ledger_path, seed="test", people=50, now=START)
    yield opened
    opened.close()


ADA = {"slug": "ada", "name": "Ada Ånström", "headline": "Engineer", "company": "Mill & Co", "connected": True}
BEN = {"slug": "ben", "name": "Ben <b>Bold</b>", "headline": "Planner", "company": "Mill & Co"}

"""Practice networks for tests, ended with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.practice.launch_secrets import LaunchSecrets
from backend.practice.network import Network
from backend.practice.network_store import NetworkStore
from backend.practice.people import People

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
def running(start: Start) -> Running:
    """A network with a signed-in visitor; Ada is a contact, Ben is not."""
    network = start()
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

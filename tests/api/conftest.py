"""A running app, and a campaign with drafts in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.events.events import Event
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import App, running

PAGE = "<!doctype html><title>Outrider</title>"


@pytest.fixture
def built_page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE)
    return folder


@pytest.fixture
def app(tmp_path: Path, built_page: Path) -> Iterator[App]:
    with running(tmp_path / "data", built_page) as started:
        yield started


@pytest.fixture
def campaign(app: App) -> str:
    """The bundled rehearsal, imported and not started."""
    return find_or_create_rehearsal(app.workspace, None, None)


@pytest.fixture
def watched(app: App) -> Iterator[None]:
    """A page is open all the while, so that closing another one does not end the user's presence."""
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        yield


@pytest.fixture
def draft(app: App, campaign: str) -> str:
    """A draft for its first lead."""
    return write_draft(app, campaign)


def write_draft(app: App, campaign: str) -> str:
    """The message's id."""
    with app.workspace.database.read() as connection:
        (lead_id,) = connection.execute("SELECT id FROM leads WHERE campaign_id=? LIMIT 1", (campaign,)).fetchone()
    message = {
        "lead_id": lead_id,
        "task_id": "t",
        "step": "invite",
        "kind": "invitation",
        "text": "Hi, shall we talk? 🙂",
        "status": "draft",
        "created_at": 1,
    }
    app.record(campaign, Event("MessageDrafted", "draft1", message))
    return "draft1"

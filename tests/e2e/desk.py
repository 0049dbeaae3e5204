"""A desk with a campaign's texts on it: the app in this process, so that a test puts there what it likes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from backend.domain.events.events import Event
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import App, running
from tests.stored_rows import all_rows, first_row


def pair(page: Page, app: App) -> None:
    """Type the code, as whoever sees the terminal can."""
    page.get_by_label("Code").fill(app.codes[-1])
    page.keyboard.press("Enter")


@dataclass
class Desk:
    """A running app, its one campaign (not started), and the leads of it."""

    app: App
    campaign: str

    @property
    def leads(self) -> list[tuple[str, str]]:
        """(id, name), in order."""
        return self.app.workspace.database.query(all_rows, "SELECT id, full_name FROM leads ORDER BY id")

    def draft(self, position: int, text: str, **more: object) -> str:
        """A text to the lead in that place waits in Review; its id."""
        message, lead = f"draft{position:03}", self.leads[position][0]
        task = {"kind": "reach_lead", "description": f"Reach {position}", "status": "in_progress", "needs": "approval"}
        written = {"lead_id": lead, "task_id": f"task{position}", "step": "invite", "kind": "invitation", "text": text}
        self.app.record(
            self.campaign,
            Event("TaskCreated", f"task{position}", {**task, "lead_id": lead, "created_at": 1}),
            Event("LeadAdvanced", lead, {"sequence_step": 1}),
            Event("MessageDrafted", message, {**written, "status": "draft", "created_at": 1, **more}),
        )
        return message

    def status(self, message: str) -> str:
        """Where a message stands."""
        return str(self.app.workspace.database.query(first_row, "SELECT status FROM messages WHERE id=?", message)[0])

    def rejection_reason(self, message: str) -> str:
        """Why the user rejected it, if they said so."""
        row = self.app.workspace.database.query(first_row, "SELECT rejection_reason FROM messages WHERE id=?", message)
        return str(row[0])

    def enter(self, page: Page, screen: str) -> None:
        """Open the campaign's screen and pair the page."""
        page.goto(f"{self.app.origin}/#/campaigns/{self.campaign}/{screen}")
        self.pair(page)

    def show(self, page: Page, screen: str) -> None:
        """Go to another of the campaign's screens, as a link to it does."""
        page.evaluate("hash => { location.hash = hash }", f"#/campaigns/{self.campaign}/{screen}")

    def pair(self, page: Page) -> None:
        """Type the code, as whoever sees the terminal can."""
        pair(page, self.app)


@contextmanager
def desk(data_dir: Path, port: int = 0) -> Iterator[Desk]:
    """The app on this data folder, with the bundled rehearsal in it."""
    with running(data_dir, port=port) as app:
        yield Desk(app, find_or_create_rehearsal(app.workspace, None, None))

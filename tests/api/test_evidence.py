"""Evidence over the API: only under a recorded name, only as it was kept, never as anything but a picture or plain text."""

import hashlib

import pytest

from backend.app.wiring import evidence_store
from backend.domain.events.events import Event
from backend.domain.events.facts.message import MessageApproved, MessageSent
from backend.domain.model.campaign import Settings
from tests.api.app import App

PICTURE = b"\x89PNG plain bytes are enough here"
NAME = hashlib.sha256(PICTURE).hexdigest()
FILE = f"{NAME[:2]}/{NAME}.png"


@pytest.fixture
def recorded(app: App, campaign: str) -> str:
    """An incident that names a kept picture; its id."""
    evidence_store(app.workspace.settings).keep("incident", PICTURE)
    seen = {"account": "a", "kind": "logged_out", "said": "Sign in", "status": "open", "opened_at": 1, "evidence": FILE}
    app.record(campaign, Event("IncidentOpened", "i1", seen))
    return "i1"


def test_a_recorded_picture_is_served_as_a_picture(app: App, campaign: str, recorded: str) -> None:
    url = f"/api/campaigns/{campaign}/evidence/{FILE}?of={recorded}"
    answer = app.ask(url)
    assert answer.ok
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert app.ask(url, X_Outrider_Token=None).code == "token_refused"


def test_an_action_and_a_message_name_their_evidence_too(app: App, campaign: str, recorded: str, draft: str) -> None:
    piece = {"kind": "message", "sha256": NAME, "file": FILE, "quote": "sent"}
    app.record(campaign, MessageApproved(draft), MessageSent(draft, sent_at=1, evidence=[piece]))
    assert app.ask(f"/api/campaigns/{campaign}/evidence/{FILE}?of={draft}").ok


@pytest.mark.parametrize(
    "file",
    [
        "",
        "..%2F..%2Foutrider.db",
        "../../../outrider.db",
        "%2Fetc%2Fpasswd",
        f"{NAME[:2]}/{NAME}.svg",
        f"{NAME}.png",
        "a\\b",
    ],
)
def test_no_other_name_is_served(app: App, campaign: str, recorded: str, file: str) -> None:
    answer = app.ask(f"/api/campaigns/{campaign}/evidence/{file}?of={recorded}")
    assert answer.status == 404
    assert answer.code in ("evidence_unknown", "page_unknown")


def test_a_name_counts_only_in_the_record_and_campaign_that_bear_it(
    app: App, campaign: str, recorded: str, draft: str
) -> None:
    assert app.ask(f"/api/campaigns/{campaign}/evidence/{FILE}?of={draft}").code == "evidence_unknown"
    commands = app.workspace.commands()
    other = commands.campaigns.create("Other", "g", site="practice", account="a", settings=Settings())
    assert app.ask(f"/api/campaigns/{other}/evidence/{FILE}?of={recorded}").code == "evidence_unknown"
    assert app.ask(f"/api/campaigns/{campaign}/evidence/{FILE}").code == "bad_request"


def test_a_recorded_name_that_is_no_evidence_s_name_reads_nothing(app: App, campaign: str) -> None:
    seen = {
        "account": "a",
        "kind": "logged_out",
        "said": "x",
        "status": "open",
        "opened_at": 1,
        "evidence": "../outrider.db",
    }
    app.record(campaign, Event("IncidentOpened", "i2", seen))
    answer = app.ask(f"/api/campaigns/{campaign}/evidence/..%2Foutrider.db?of=i2")
    assert answer.code in ("evidence_damaged", "page_unknown")


def test_a_picture_that_was_exchanged_is_not_shown(app: App, campaign: str, recorded: str) -> None:
    (app.workspace.settings.data_dir / "evidence" / FILE).write_bytes(b"forged")
    answer = app.ask(f"/api/campaigns/{campaign}/evidence/{FILE}?of={recorded}")
    assert (answer.status, answer.code) == (410, "evidence_damaged")

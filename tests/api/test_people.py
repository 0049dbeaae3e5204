"""A person's data by the API: shown, exported as one file, erased with the pictures."""

import hashlib

from backend.domain.events import Event
from tests.api.app import App


def test_a_persons_data_is_shown_exported_and_erased(app: App, campaign: str) -> None:
    with app.session.workspace.database.read() as connection:
        lead, name = connection.execute("SELECT id, full_name FROM leads LIMIT 1").fetchone()
    digest = hashlib.sha256(b"picture").hexdigest()
    file = f"{digest[:2]}/{digest}.png"
    picture = app.session.workspace.database.path.parent / "evidence" / file
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"picture")
    sent = {
        "lead_id": lead,
        "task_id": "",
        "step": "hello",
        "kind": "message",
        "text": f"Hello {name}",
        "status": "sent",
    }
    seen = {"evidence": [{"kind": "seen", "sha256": digest, "file": file, "quote": ""}], "sent_at": 2, "created_at": 1}
    app.record(campaign, Event("MessageDrafted", "m1", sent | seen))
    assert not app.ask(f"/api/campaigns/{campaign}/leads/{lead}").json["erased"]
    at = f"/api/campaigns/{campaign}/people/{lead}"
    told = app.ask(at).json
    assert (told["messages"], told["pictures"], told["do_not_contact"]) == (1, 1, False)
    assert name in app.ask(f"{at}/export").text
    assert app.ask(f"{at}/erase", {}).json["pictures"] == 1
    assert not picture.exists()
    assert name not in app.ask(f"{at}/export").text
    left = app.ask(f"/api/campaigns/{campaign}/leads/{lead}").json
    assert (left["line"]["blocked"], left["erased"]) == ("do_not_contact", True)
    assert app.ask(f"/api/campaigns/{campaign}/people/nobody/erase", {}).code == "lead_unknown"

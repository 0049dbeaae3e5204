"""A person's data by the API: shown, exported as one file, erased with the pictures."""

import hashlib

from backend.domain.events.events import Event
from backend.store.queries.reports import today
from tests.api.app import App


def test_a_persons_data_is_shown_exported_and_erased(app: App, campaign: str) -> None:
    with app.workspace.database.read() as connection:
        lead, name = connection.execute("SELECT id, full_name FROM leads LIMIT 1").fetchone()
    digest = hashlib.sha256(b"picture").hexdigest()
    file = f"{digest[:2]}/{digest}.png"
    picture = app.workspace.database.path.parent / "evidence" / file
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
    view = app.ask(at).json
    assert (view["messages"], view["pictures"]) == (1, 1)
    exported = app.ask(f"{at}/export")
    assert name in exported.text
    (section,) = exported.json["campaigns"]
    assert (section["campaign"], section["campaign_id"]) == (
        app.ask(f"/api/campaigns/{campaign}").json["name"],
        campaign,
    )
    assert exported.json["do_not_contact"] is False
    assert app.ask(f"{at}/erase", {}).json["pictures"] == 1
    assert not picture.exists()
    assert name not in app.ask(f"{at}/export").text
    left = app.ask(f"/api/campaigns/{campaign}/leads/{lead}").json
    assert (left["line"]["blocked"], left["erased"]) == ("do_not_contact", True)
    assert app.ask(f"/api/campaigns/{campaign}/people/nobody/erase", {}).code == "lead_unknown"


def test_an_erased_person_is_in_no_count_list_or_export(app: App, campaign: str) -> None:
    with app.workspace.database.read() as connection:
        lead, name = connection.execute("SELECT id, full_name FROM leads LIMIT 1").fetchone()
    replied = {"replied_at": 5, "relation": "connected"}
    put_off = {"snoozed_until": 2**45, "snoozed_at": 6}
    app.record(campaign, Event("LeadAdvanced", lead, replied), Event("LeadSnoozed", lead, put_off))
    inbox, exports = f"/api/campaigns/{campaign}/threads", f"/api/campaigns/{campaign}/leads/export"
    asked = ["/api/today", "/api/today?campaign=" + campaign, inbox, exports, f"{exports}/exchange"]

    def told() -> str:
        return "".join(app.ask(path).text for path in asked)

    assert name in told()
    app.ask(f"/api/campaigns/{campaign}/people/{lead}/erase", {})
    assert name not in told()
    assert "(erased)" not in told()
    with app.workspace.database.read() as connection:
        assert today.unread_replies(connection, campaign, 9) == []
        assert today.count_unread_replies(connection, campaign, 9) == 0
        assert today.put_off(connection, campaign, 1, 9).people == 0

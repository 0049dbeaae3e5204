"""Written consent over the API: typed, kept with its day, needed for a campaign, withdrawn."""

from tests.api.app import App
from tests.api.test_new_campaign import WHOLE

PATH = "/api/consents/linkedin"
ON_DRIVE = {**WHOLE, "file": None, "site": "linkedin_drive"}


def test_consent_is_typed_holds_until_it_is_withdrawn_and_is_needed_for_a_campaign(app: App) -> None:
    shown = app.ask(PATH).json
    assert shown["given"] is None
    assert "section 8.2" in shown["text"]
    assert app.ask(PATH, {"typed": "yes"}).code == "consent_not_typed"
    assert app.ask("/api/campaigns", ON_DRIVE).code == "channel_needs_consent"

    typed = f"  {shown['sentence'].upper()} "
    consent = app.ask(PATH, {"typed": typed}).json["given"]
    assert consent["typed"] == typed.strip()
    assert consent["created_at"] > 0
    assert not any(site["needs_consent"] for site in app.ask("/api/campaigns/new").json["sites"])
    made = app.ask("/api/campaigns", ON_DRIVE)
    assert made.status == 201

    assert app.ask(f"{PATH}/withdraw", {}).json["given"] is None
    assert app.ask("/api/campaigns", {**ON_DRIVE, "key": "another"}).code == "channel_needs_consent"

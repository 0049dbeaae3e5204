"""Every place that shows a conversation shows all of it, marked by campaign and by how each message is known."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from backend.domain.model.days import in_utc
from backend.situation import situations
from backend.terminal.known_people import conversation
from tests.api import by_hand
from tests.api.app import App
from tests.api.runs import ask, follow
from tests.api.test_send_session import do, say, session, take
from tests.fakes.send_desk import MESSAGES

pytestmark = pytest.mark.usefixtures("watched")


class Shown(NamedTuple):
    """A second campaign with somebody to whom the first has written."""

    campaign: str
    lead: str
    text: str


@pytest.fixture
def shown(app: App, tmp_path: Path) -> Shown:
    workspace = app.workspace
    first = by_hand.make(workspace, tmp_path, MESSAGES)
    by_hand.start_and_approve(app, first)
    person = take(app, first, no_reply=True)
    name, text = person["name"], person["text"]
    say(app, first, word="sent")
    do(app, first, "leave")
    assert app.ask(f"/api/campaigns/{first}/rename", {"name": "Water founders"}).ok
    assert app.ask(f"/api/campaigns/{first}/stop", {}).status == 204
    follow(app, lambda: ask(app, f"/api/campaigns/{first}")["status"] == "paused")
    second = by_hand.make(workspace, tmp_path, MESSAGES)
    with workspace.database.read() as connection:
        query = "SELECT id FROM leads WHERE campaign_id=? AND full_name=?"
        (lead,) = connection.execute(query, (second, name)).fetchone()
    workspace.commands().people.contact_anyway(second, lead, "we met at a fair")
    assert app.ask(f"/api/campaigns/{second}/start", {}).status == 204
    follow(app, lambda: ask(app, f"/api/campaigns/{second}")["needs"]["approve"] >= 1)
    return Shown(second, lead, text)


def marks(message: Any) -> tuple[str, str, str, str]:
    return message["author"], message["campaign"], message["source"], message["text"]


def test_review_send_session_inbox_and_leads_page_show_what_another_campaign_sent(app: App, shown: Shown) -> None:
    written = ("us", "Water founders", "reported", shown.text)
    address = f"/api/campaigns/{shown.campaign}"
    (draft,) = ask(app, f"{address}/drafts")["rows"]
    assert [marks(message) for message in draft["thread"]] == [written]
    approved = app.ask(f"{address}/drafts/{draft['id']}/approve", {"shown_digest": draft["digest"], "hidden_shown": []})
    assert approved.ok, approved.text
    (card,) = session(app, shown.campaign)["people"]
    assert [marks(message) for message in card["thread"]] == [written]
    view = ask(app, f"{address}/threads/{shown.lead}")
    assert marks(view["messages"][0]) == written
    assert [(other["campaign"], other["contact"]) for other in view["elsewhere"]] == [("Water founders", "written to")]
    history = ask(app, f"{address}/leads/{shown.lead}")["history"]
    assert ("In “Water founders”: You wrote (reported by you)", shown.text) in [
        (line["what"], line["said"]) for line in history
    ]


def test_the_terminal_tells_it_too(app: App, shown: Shown) -> None:
    with app.workspace.database.read() as connection:
        lead = situations.known_lead(connection, shown.campaign, shown.lead, app.workspace.clock.now())
        assert lead is not None
        (line,) = conversation(connection, lead, in_utc)
    assert line.endswith(f"You (“Water founders”, reported by you): {shown.text}")

"""`outrider why`: every gate's answer for a person, found by address, id or name, within its time."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.app.wiring import Workspace, open_workspace
from backend.domain.events.events import Event
from backend.domain.model.days import in_utc
from backend.machine.settings import AppSettings
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.queries.campaign import campaigns
from tests.api import by_hand
from tests.cli.outrider import Outrider

ADDRESS = "https://www.linkedin.com/in/clara-yilmaz"


@pytest.fixture
def made(outrider: Outrider, tmp_path: Path) -> str:
    outrider.data_dir.mkdir()
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        return by_hand.make(workspace, tmp_path)


def why(outrider: Outrider, *arguments: str) -> Any:
    (lead,) = outrider("why", *arguments, "--json").told["leads"]
    return lead


def test_every_gate_is_answered_and_the_person_is_found_however_they_are_named(outrider: Outrider, made: str) -> None:
    lead = why(outrider, ADDRESS)
    assert (lead["campaign"], lead["name"]) == (made, "Clara Yilmaz")
    gates = {gate["code"]: gate for gate in lead["gates"]}
    assert not gates["campaign_active"]["passes"]
    assert gates["campaign_active"]["sentence"] == "The campaign has not been started."
    assert gates["not_on_do_not_contact"]["passes"]
    assert {"daily_limit", "weekly_limit", "ramp", "minimum_spacing", "within_working_hours"} <= gates.keys()
    assert lead["sentences"]
    for named in (lead["lead_id"], lead["lead_id"].lower(), "yilmaz", "linkedin.com/in/Clara-Yilmaz/"):
        assert why(outrider, named, "--campaign", made)["lead_id"] == lead["lead_id"]
    assert "the campaign is on" in outrider("why", ADDRESS).out


def test_a_message_that_is_cut_short_says_so(outrider: Outrider, made: str) -> None:
    lead = why(outrider, ADDRESS)["lead_id"]
    sent = {"lead_id": lead, "kind": "message", "step": "hello", "sent_at": 1, "created_at": 1, "status": "sent"}
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        for name, text in (("whole", "Short."), ("cut", "word " * 100)):
            event = Event("MessageDrafted", name, {**sent, "text": text})
            workspace.journal.record(made, events=[event], actor="controller", cause="test", at=1)
    lines = [line for line in outrider("why", ADDRESS).out.splitlines() if "You" in line and ": " in line]
    assert any(line.endswith("Short.") for line in lines)
    assert any(line.endswith("word…") for line in lines)


@pytest.mark.parametrize(("who", "code"), [("Nobody Atall", "lead_not_found"), ("", "lead_not_found")])
def test_who_is_in_no_campaign_is_told(outrider: Outrider, made: str, who: str, code: str) -> None:
    assert made
    assert outrider("why", who, "--json").code == code


def test_a_name_of_several_people_asks_for_the_address(outrider: Outrider, tmp_path: Path, made: str) -> None:
    more = tmp_path / "more.csv"
    more.write_text(by_hand.PEOPLE.replace("clara-yilmaz", "another-clara").replace("thandi-holm", "t2"), "utf-8")
    outrider("import", made, str(more))
    ended = outrider("why", "clara", "--json")
    assert ended.code == "lead_ambiguous"


def test_an_empty_folder_stays_as_it_is(outrider: Outrider) -> None:
    assert outrider("why", ADDRESS, "--json").code == "lead_not_found"
    assert not (outrider.data_dir / "outrider.db").exists()


@pytest.fixture
def workspace(outrider: Outrider, made: str) -> Iterator[Workspace]:
    assert made
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as opened:
        yield opened


def test_the_answer_takes_at_most_fifty_milliseconds(workspace: Workspace, made: str) -> None:
    with workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, made)
        assert campaign is not None
        (lead_id,) = connection.execute("SELECT id FROM leads LIMIT 1").fetchone()
        took = []
        for _ in range(20):
            began = time.process_time()
            explain_lead(connection, campaign, TurnInputs(1_780_315_200_000, in_utc, True), lead_id)
            took.append(time.process_time() - began)
    assert min(took) <= 0.05

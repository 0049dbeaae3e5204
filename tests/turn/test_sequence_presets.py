"""The sequences to begin with, on the user's own hand, by whom a file has."""

from pathlib import Path

import pytest

from backend.domain.model.campaign import DAY
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.sequence.template import SequencePreset, preset_for, sequence_of
from backend.ports.sync_status import LocalOnly
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import EVERY_DAY, Desk

THANKS = "thank you for connecting"


@pytest.mark.parametrize(
    ("contacts", "people", "preset"),
    [(0, 0, "invite_and_write"), (0, 9, "invite_and_write"), (9, 9, "write"), (1, 9, "mixed"), (8, 9, "mixed")],
)
def test_contacts_are_written_to_and_strangers_invited_first(contacts: int, people: int, preset: str) -> None:
    assert preset_for(contacts, people).id == preset


def first_of(desk: Desk, ask: SessionAsk) -> str:
    (person,) = (person for person in desk.state().people if person.ask is ask)
    assert person.message is not None
    return person.message.text


@pytest.mark.parametrize("preset", [preset_for(1, 1), preset_for(1, 2)], ids=["contacts", "both"])
def test_a_contact_of_years_is_never_invited_nor_thanked_for_connecting(tmp_path: Path, preset: SequencePreset) -> None:
    stage = Stage(tmp_path)
    sequence = sequence_of(preset.steps)
    desk = Desk(stage, by_hand(stage, sequence, people=1, limits=EVERY_DAY, connected_on="2019-05-01"), LocalOnly())
    desk.run()
    text = first_of(desk, SessionAsk.WRITE)
    assert THANKS not in text
    assert "I hope you are well" in text


def test_of_contacts_and_others_a_stranger_is_invited_and_written_to_once_they_accept(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    sequence = sequence_of(preset_for(1, 2).steps)
    desk = Desk(stage, by_hand(stage, sequence, people=1, limits=EVERY_DAY), LocalOnly())
    desk.run()
    assert desk.asks() == [SessionAsk.INVITE]
    lead_id = desk.hand_over()
    desk.say(lead_id, Word.SENT)
    desk.leave()
    stage.clock.jump(3 * DAY)
    assert desk.asks() == [SessionAsk.ACCEPTED]
    desk.say(lead_id, Word.CONNECTED)
    desk.leave()
    desk.run()
    assert "I hope you are well" in first_of(desk, SessionAsk.WRITE)
    assert stage.query("SELECT kind FROM messages WHERE status='sent'") == [("invitation",)]

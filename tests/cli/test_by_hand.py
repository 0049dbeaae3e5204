"""Who waits for the user's hand, as the terminal tells it."""

from pathlib import Path

from backend.terminal.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import desk


def test_who_waits_is_listed_without_a_text_that_could_be_sent_past_the_record(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    it = desk(stage)
    lines, result = by_hand(it.state())
    texts = [text for (text,) in stage.query("SELECT text FROM messages")]
    stage.close()
    assert result["people"]
    for person in result["people"]:
        assert person["name"] in "\n".join(lines)
        assert any(text.startswith(person["begins"].removesuffix("…")) for text in texts)
    assert not any(text in "\n".join(lines) for text in texts)
    assert result["used"]["invite"]["used"] == 0

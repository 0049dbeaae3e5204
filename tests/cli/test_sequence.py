"""`outrider sequence`: shown, another one compared with it, applied, undone."""

import json
from pathlib import Path

from tests.api import by_hand
from tests.cli.outrider import Outrider


def test_another_sequence_is_compared_applied_and_undone(outrider: Outrider, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text(by_hand.PEOPLE, "utf-8")
    made = outrider("new", "--name", "Tea", "--goal", "Learn.", "--leads", str(people), "--json").told["campaign"]
    shown = outrider("sequence", made, "--json").told
    assert shown["version"] == 1
    sequence = shown["sequence"]
    sequence["steps"][-1]["template"] = "Hi {first_name}, once more."
    file = tmp_path / "sequence.json"
    file.write_text(json.dumps(sequence), "utf-8")
    ended = outrider("sequence", made, "--set", str(file))
    assert "This affects" in ended.out
    assert "Nothing was changed" in ended.out
    applied = outrider("sequence", made, "--set", str(file), "--apply", "--json").told
    assert applied["applied"]["version"] == 2
    assert outrider("sequence", made, "--undo", "--apply", "--json").told["applied"]["version"] == 3
    sequence["steps"].reverse()
    file.write_text(json.dumps(sequence), "utf-8")
    assert outrider("sequence", made, "--set", str(file), "--json").code == "sequence_invalid"


def test_what_is_printed_is_taken_as_it_is(outrider: Outrider, tmp_path: Path) -> None:
    people, file = tmp_path / "people.csv", tmp_path / "sequence.json"
    people.write_text(by_hand.PEOPLE, "utf-8")
    new = ("new", "--goal", "Learn.", "--leads", str(people), "--json", "--name")
    first = outrider(*new, "Tea").told["campaign"]
    printed = outrider("sequence", first, "--json")
    file.write_text(printed.out, "utf-8")
    assert outrider("sequence", first, "--set", str(file)).out.strip() == "That is the current sequence."
    second = outrider(*new, "Coffee", "--sequence", str(file)).told["campaign"]
    assert outrider("sequence", second, "--json").told["sequence"] == printed.told["sequence"]

from pathlib import Path

import pytest

from backend.practice.ledger import Entry, Ledger, LedgerDamaged, LedgerInUse
from backend.practice.network_store import NetworkStore

from .running import START

TEXT = "\ufeff  a\u2028b\r\nc\td 🙂 <html>\x85 \n"


def filled(path: Path) -> bytes:
    ledger = Ledger(path)
    ledger.append([Entry(1, 5, "message", "ada", TEXT, "delivered"), Entry(2, 6, "clock", detail={"x": [1]})])
    ledger.close()
    return path.read_bytes()


def test_what_was_appended_is_read_back(ledger_path: Path) -> None:
    filled(ledger_path)
    ledger = Ledger(ledger_path)
    assert ledger.entries == [
        Entry(1, 5, "message", "ada", TEXT, "delivered"),
        Entry(2, 6, "clock", detail={"x": [1]}),
    ]
    ledger.close()


def test_a_line_is_text_as_it_was_and_nothing_else_is_one() -> None:
    entry = Entry(1, 5, "message", "ada", TEXT, "delivered")
    assert "\U0001f642" in entry.to_line()
    assert Entry.from_line(entry.to_line().encode()) == entry
    for line in (b"{}", b"[]", b"7", b'{"n": 1, "at": 2, "kind": "clock", "more": 3}', b"{"):
        with pytest.raises(ValueError, match=r"entry|Expecting"):
            Entry.from_line(line)


def test_a_torn_last_line_is_cut_off_wherever_it_was_torn(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = filled(ledger_path)
    first = whole.index(b"\n") + 1
    for length in range(first + 1, len(whole)):
        ledger_path.write_bytes(whole[:length])
        ledger = Ledger(ledger_path)
        assert [entry.n for entry in ledger.entries] == [1]
        ledger.append([Entry(2, 7, "clock")])
        ledger.close()
        again = Ledger(ledger_path)
        assert [entry.at for entry in again.entries] == [5, 7]
        again.close()
        assert "cut off a torn last line" in capsys.readouterr().err


def test_a_last_line_of_rubbish_is_cut_off(ledger_path: Path) -> None:
    whole = filled(ledger_path)
    ledger_path.write_bytes(whole + b"\x00\xff\x00\n")
    ledger = Ledger(ledger_path)
    assert len(ledger.entries) == 2
    ledger.close()
    assert ledger_path.read_bytes() == whole


def test_damage_in_the_middle_is_an_error_and_changes_nothing(ledger_path: Path) -> None:
    whole = filled(ledger_path)
    damaged = b"x" + whole
    ledger_path.write_bytes(damaged)
    with pytest.raises(LedgerDamaged, match="line 1"):
        Ledger(ledger_path)
    assert ledger_path.read_bytes() == damaged


def test_a_ledger_has_one_writer(ledger_path: Path) -> None:
    ledger = Ledger(ledger_path)
    with pytest.raises(LedgerInUse):
        Ledger(ledger_path)
    ledger.close()
    Ledger(ledger_path).close()


def test_the_ledger_remembers_whose_network_it_is(ledger_path: Path) -> None:
    first = NetworkStore.open(ledger_path, seed="one", people=7, now=START)
    first.close()
    again = NetworkStore.open(ledger_path, seed="two", people=9, now=START + 1)
    assert (again.network.people.seed, len(again.network.people), again.network.now) == ("one", 7, START)
    again.close()


def test_a_write_that_fails_leaves_no_half_line(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = filled(ledger_path)
    ledger = Ledger(ledger_path)

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("backend.practice.ledger.os.fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            ledger.append([Entry(3, 7, "clock")])
    assert ledger_path.read_bytes() == whole
    ledger.append([Entry(3, 8, "clock")])
    ledger.close()


def test_what_could_not_be_cut_off_is_before_anything_is_appended_behind_it(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a line in front of a whole one is damage, and an entry nobody acknowledged must not come back."""
    whole = filled(ledger_path)
    ledger = Ledger(ledger_path)

    def failing(*_: object) -> None:
        raise OSError(5, "Input/output error")

    def not_cut_off(_: Ledger) -> None:
        if ledger_path.read_bytes() != whole:
            failing()

    with monkeypatch.context() as patch:
        patch.setattr("backend.practice.ledger.os.fsync", failing)
        patch.setattr(Ledger, "_cut_off_unkept", not_cut_off)
        with pytest.raises(OSError, match="Input"):
            ledger.append([Entry(3, 7, "message", "ada", TEXT, "delivered"), Entry(4, 7, "clock")])
        assert ledger_path.read_bytes() != whole
        with pytest.raises(OSError, match="Input"):
            ledger.append([Entry(3, 8, "clock")])
    ledger.append([Entry(3, 9, "clock")])
    ledger.close()
    again = Ledger(ledger_path)
    assert [(entry.n, entry.at) for entry in again.entries] == [(1, 5), (2, 6), (3, 9)]
    again.close()

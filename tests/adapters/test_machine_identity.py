"""Which machine a data folder is on, without telling anything else about it."""

import re
from pathlib import Path

import pytest

from backend.adapters.machine_identity import hashed, linux_id, machine_identity

ID = "0123456789abcdef0123456789abcdef"


def test_it_stays_the_same_and_is_a_hash() -> None:
    assert machine_identity() == machine_identity()
    assert re.fullmatch(r"[0-9a-f]{64}|", machine_identity())


def test_another_machine_has_another_one_and_the_systems_own_id_is_not_in_it() -> None:
    assert hashed(ID) != hashed(ID.replace("0", "1"))
    assert ID not in hashed(ID)
    assert hashed(f" {ID.upper()}\n") == hashed(ID)


@pytest.mark.parametrize("content", ["", "uninitialized\n", "not an id"])
def test_where_nothing_tells_there_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "machine-id").write_text(content)
    assert linux_id((tmp_path / "none", tmp_path / "machine-id")) == ""
    assert hashed("") == ""


def test_the_second_place_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "dbus").write_text(f"{ID}\n")
    assert linux_id((tmp_path / "none", tmp_path / "dbus")) == ID

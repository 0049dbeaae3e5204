"""A data folder may have any name that the system allows: also one with a line end, or with bytes that are no letters."""

import json
import os
from pathlib import Path

import pytest

from backend.api.server.error_responses import error_response
from backend.domain.values.errors import OutriderError
from tests.api.app import AppOfKnownAddresses, running

NAMES = {"no letters": b"bad\xff\xfe", "a line end": b"new\nline", "signs": b"q?x#y%41'\"", "long": b"a" * 255}


@pytest.mark.posix  # elsewhere names are letters
@pytest.mark.parametrize("name", NAMES)
def test_every_screen_can_be_asked_for_whatever_the_data_folder_is_called(
    tmp_path: Path, built_page: Path, name: str
) -> None:
    folder = tmp_path / os.fsdecode(NAMES[name])
    with running(folder, built_page) as app:
        rules = {rule.rule for rule in AppOfKnownAddresses.addresses.iter_rules() if not rule.arguments}
        asked = sorted(rule for rule in rules if rule.startswith("/api/") and "feed" not in rule)
        answers = {rule: app.ask(rule) for rule in asked}
        failed = {rule: answer.text for rule, answer in answers.items() if answer.status >= 500}
        assert failed == {}
        assert len([answer for answer in answers.values() if answer.ok]) > 20
        with app.hearing():
            pass
    assert (folder / "outrider.db").exists()


@pytest.mark.posix
def test_an_error_about_any_path_is_told() -> None:
    error = OutriderError("database_full", path=Path(os.fsdecode(b"/data\xff")), detail="full")
    assert error.sentence == r"The disk that holds /data\udcff is full."
    assert json.loads(error_response(error).data)["code"] == "database_full"

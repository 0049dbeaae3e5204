"""What is left of the entries of a campaign that is deleted."""

import json
from typing import Any

import pytest

from backend.domain.device.rebase import UNIQUE_COLUMNS
from backend.domain.erasure.erasure import ERASED, brings_words, without_campaign
from backend.domain.events.events import Event

OF_THE_WORKSPACE = {"souls", "skills"}
NUMBERS = {"version", "place"}
COLUMNS = [(table, key) for table, keys in UNIQUE_COLUMNS.items() if table not in OF_THE_WORKSPACE for key in keys]


@pytest.mark.parametrize(("table", "columns"), COLUMNS)
def test_rows_that_may_not_share_a_value_do_not_share_what_is_left_of_it(table: str, columns: tuple[str, ...]) -> None:
    def left(number: int) -> dict[str, Any]:
        row = {name: number if name in NUMBERS else f"{name} {number}" for name in columns}
        cleaned: dict[str, Any] = json.loads(without_campaign(table, f"row{number}", row))
        return cleaned

    assert left(1) != left(2)


@pytest.mark.parametrize(
    ("event", "brings"),
    [
        (Event("MessageDrafted", "m", {"text": "Hello."}), True),
        (Event("MessageDrafted", "m", {"text": ERASED}), False),
        (Event("MessageDrafted", "m", {"text": ""}), False),
        (Event("MessageCancelled", "m", {"reason": "erased"}), False),
        (Event("LeadNoted", "l", {"notes": "Met in Bern"}), True),
        (Event("LeadNoted", "l", {"notes": ""}), False),
        (Event("LeadBlocked", "l", {"blocked": "do_not_contact"}), False),
        (Event("CampaignEdited", "c", {"goal": "Hello."}), False),
    ],
)
def test_words_about_a_person_are_brought_only_where_some_are_left(event: Event, *, brings: bool) -> None:
    assert brings_words(event) == brings

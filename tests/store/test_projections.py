"""A statement is made of a table's own columns: their names come from the log, which may be the shared store's."""

from pathlib import Path

import pytest

from backend.domain.events import RowChange, Verb
from backend.store.log import projections
from tests.store.opening import CAMPAIGN, dump, lead_imported, started

HOSTILE = "notes=full_name WHERE 1 --"


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("names", [("notes", HOSTILE), (HOSTILE, "notes"), (HOSTILE,)])
def test_one_name_that_is_no_columns_is_enough_to_refuse_a_change(
    tmp_path: Path, verb: Verb, names: tuple[str, ...]
) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    before = dump(tmp_path / "o.db")
    key = {"campaign_id": CAMPAIGN, "id": "lead-1"}
    change = RowChange(verb, "leads", key, dict.fromkeys(names, "x"))
    with pytest.raises(ValueError, match="no column"), journal.database.write() as connection:
        projections.apply(connection, [change])
    assert dump(tmp_path / "o.db") == before

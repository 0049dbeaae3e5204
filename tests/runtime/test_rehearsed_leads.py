"""Which rehearsal is that of which leads, and that they are read as the user wants."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from backend.adapters.leadfiles import read_leads
from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.runtime.workspace import Workspace
from backend.store.queries.leads import imports
from tests.stored_rows import all_rows

MAPPING = {"full_name": "Wer", "company": "Wo"}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    with open_workspace(AppSettings(data_dir, "", 10)) as opened:
        yield opened


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("Wer;Wo\nAnn Ek;Acme\nBo Ek;Beta\n", "utf-8")
    return path


def test_other_leads_or_more_of_them_or_another_reading_are_another_rehearsal(
    workspace: Workspace, table: Path
) -> None:
    rehearsal = partial(find_or_create_rehearsal, workspace, read=partial(read_leads, mapping=MAPPING))
    ways = [(None, ()), (1, ()), (2, ()), (None, ("a",)), (None, ("b",)), (None, ("a", "b")), (1, ("a",))]
    campaigns = [rehearsal(table, most, read_as=way) for most, way in ways]
    assert len(set(campaigns)) == len(ways)
    assert [rehearsal(table, most, read_as=way) for most, way in ways] == campaigns
    imported = dict(workspace.database.query(all_rows, "SELECT campaign_id, count(*) FROM leads GROUP BY 1"))
    assert [imported[campaign] for campaign in campaigns] == [1 if most == 1 else 2 for most, _ in ways]

    content = table.read_bytes()
    table.write_bytes(content + b"Cy Ek;Gamma\n")
    assert rehearsal(table, None) not in campaigns
    renamed = table.with_name("renamed.csv")
    renamed.write_bytes(content)
    assert rehearsal(renamed, None) == campaigns[0]
    assert rehearsal(renamed, None, fresh=True) not in campaigns


def test_how_a_table_was_read_is_remembered_for_the_next_one(workspace: Workspace, table: Path) -> None:
    find_or_create_rehearsal(workspace, table, None, read=partial(read_leads, mapping=MAPPING))
    assert workspace.database.query(imports.mapping_of_header, ("Wer", "Wo")) == (MAPPING, table.name)

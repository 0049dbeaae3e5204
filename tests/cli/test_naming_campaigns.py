"""A campaign is named in the terminal by its name or its id, or by how either begins; what may be several is asked back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.app.wiring import open_workspace
from backend.domain.model.campaign import Settings
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.store.database import DatabaseConnection
from backend.terminal.app import app
from backend.terminal.campaign_status import find_campaign

NAMES = ("Water founders", "Wind", "Wind turbines", "Zoë", "Twins", "twins")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[DatabaseConnection]:
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
        for name in NAMES:
            workspace.commands().campaigns.create(name, "goal", site="practice", account="me", settings=Settings())
        with workspace.database.read() as connection:
            yield connection


@pytest.mark.parametrize(
    ("typed", "name"),
    [("water founders", "Water founders"), ("wat", "Water founders"), ("Wind", "Wind"), ("wind t", "Wind turbines"),
     ("zoe", "Zoë")],
)  # fmt: skip
def test_a_campaign_is_found_by_its_name(connection: DatabaseConnection, typed: str, name: str) -> None:
    campaign = find_campaign(connection, f" {typed} ")
    assert campaign.name == name
    assert find_campaign(connection, campaign.id.lower()) == campaign


@pytest.mark.parametrize(("typed", "code"), [("founders", "campaign_unknown"), (" ", "campaign_unknown")])
def test_what_begins_no_name_is_no_campaign(connection: DatabaseConnection, typed: str, code: str) -> None:
    with pytest.raises(OutriderError) as refused:
        find_campaign(connection, typed)
    assert refused.value.code == code


@pytest.mark.parametrize(("typed", "names"), [("twins", ("Twins", "twins")), ("wi", ("Wind", "Wind turbines"))])
def test_of_several_campaigns_the_ids_are_listed(
    connection: DatabaseConnection, typed: str, names: tuple[str, ...]
) -> None:
    with pytest.raises(OutriderError) as refused:
        find_campaign(connection, typed)
    assert refused.value.code == "campaign_ambiguous"
    rows = connection.execute("SELECT id, name FROM campaigns").fetchall()
    listed = {name for id_, name in rows if f"{id_} (“{name}”)" in refused.value.sentence}
    assert listed == set(names)


def test_every_command_is_listed_with_its_whole_sentence() -> None:
    text = CliRunner().invoke(app, ["--help"], terminal_width=80).output
    assert "..." not in text.partition("Commands:")[2]
    assert "  app             Open Outrider's window.\n" in text
    text = CliRunner().invoke(app, ["app", "--help"]).output
    assert all(
        option in text for option in ("Usage:", "--no-window", "--headless", "--data-dir", "Open Outrider's window.")
    )

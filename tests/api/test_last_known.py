"""What is left for the next start's first paint: campaigns by name and counts, of nobody anything else, and never stale."""

from pathlib import Path

from backend.app.wiring import delete_campaign, open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import read_settings
from backend.store.last_known import FILE, LastKnown, load_last_known
from tests.api.app import running
from tests.bench.sample_campaign import filled_campaign


def test_names_and_counts_are_kept_and_nothing_about_a_person(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data) as app:
        campaign = filled_campaign(app.workspace, 3, 0)
        with app.workspace.database.read() as connection:
            people = [name for (name,) in connection.execute("SELECT full_name FROM leads")]
        assert not (data / FILE).exists(), "nothing that may become wrong is there while the database is open"
    last = load_last_known(data)
    assert last is not None
    (row,) = last.campaigns
    assert (row.id, sum(row.leads.values())) == (campaign, 3)
    text = (data / FILE).read_text("utf-8")
    assert len(people) == len({*people}) == 3
    assert [name for name in people if name in text] == []


def test_what_is_deleted_elsewhere_is_in_no_stale_copy(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = read_settings({}, data)
    with running(data) as app:
        commands = app.workspace.commands()
        gone, stays = (
            commands.campaigns.create_on_practice(name, "Talk", Settings(), key=name) for name in ("Gone", "Stays")
        )
    assert {row.id for row in (load_last_known(data) or LastKnown(campaigns=[])).campaigns} == {gone, stays}
    with open_workspace(settings) as workspace:  # such as by a command in a terminal
        delete_campaign(workspace, workspace.commands(), gone)
    assert not (data / FILE).exists()
    with running(data):
        pass
    assert [row.id for row in (load_last_known(data) or LastKnown(campaigns=[])).campaigns] == [stays]

"""A damaged search index finds less than is there and says nothing: it is noticed, and made anew from the rows."""

import json

import pytest

from backend.commands.lead_import import import_leads
from backend.domain.events.events import WORKSPACE
from backend.domain.model.artifact import text_content
from backend.runtime.jobs.log_check import mend_search
from backend.store.log.replay import find_differences
from backend.store.queries.device import search_indexes
from backend.store.queries.leads import lead_index
from backend.store.queries.turn import artifacts
from backend.store.queries.turn.artifacts import ArtifactQuery
from tests.commands.test_lead_import import person
from tests.fakes.campaign import Stage

NAMES = ("Ada Lovelace", "Łukasz Król", "Grace Hopper")


@pytest.fixture
def campaign(stage: Stage) -> str:
    made = stage.campaign(0)
    rows = [person(k, full_name=name) for k, name in enumerate(NAMES)]
    import_leads(stage.journal, stage.clock, made, rows, file="c.csv", file_format="linkedin")
    lead = stage.one("SELECT id FROM leads WHERE full_name=?", NAMES[0])
    stage.commands().leads.tag(made, lead, ["mathematician"])
    content = text_content("note", "plan", "Write to mathematicians.")
    stage.commands().artifacts.keep(made, "note", "plan", content, follows=0)
    return made


def found(stage: Stage, campaign: str) -> list[object]:
    """What searches find: by a plain name, as it is typed, by a tag, in artifacts."""
    with stage.database.read() as connection:
        leads = [
            [lead.name for lead in lead_index.find_anywhere(connection, words, campaign)]
            for words in ("grace", "lukasz", "mathematician")
        ]
        _, newest = artifacts.newest(connection, campaign, ArtifactQuery(("mathematicians",)))
    return [*leads, [artifact.key for artifact in newest]]


@pytest.mark.parametrize("index", search_indexes._INDEXES)
def test_a_damaged_index_is_made_anew_and_finds_everything_again(stage: Stage, campaign: str, index: str) -> None:
    before = found(stage, campaign)
    assert before == [["Grace Hopper"], ["Łukasz Król"], ["Ada Lovelace"], ["plan"]]
    with stage.database.write() as connection:
        connection.execute(f"UPDATE {index}_data SET block=zeroblob(length(block)) WHERE id > 10")
    mend_search(stage.journal, stage.clock)
    assert found(stage, campaign) == before
    ((_, payload),) = stage.audits(WORKSPACE, "search_index_rebuilt")
    assert json.loads(payload) == {"indexes": [index]}
    stage.commands().leads.tag(campaign, stage.one("SELECT id FROM leads WHERE full_name=?", NAMES[2]), ["admiral"])
    with stage.database.read() as connection:
        assert [lead.name for lead in lead_index.find_anywhere(connection, "admiral", campaign)] == [NAMES[2]]


def test_what_is_written_between_two_looks_is_no_damage(stage: Stage, campaign: str) -> None:
    lead = stage.one("SELECT id FROM leads WHERE full_name=?", NAMES[1])
    for number in range(3):
        assert stage.database.damage() == "ok"
        assert find_differences(stage.database) == []
        stage.commands().leads.tag(campaign, lead, [f"mathematician {number}"])


def test_nothing_is_told_of_indexes_that_are_whole(stage: Stage, campaign: str) -> None:
    mend_search(stage.journal, stage.clock)
    assert stage.audits(WORKSPACE, "search_index_rebuilt") == []
    assert found(stage, campaign)[0] == ["Grace Hopper"]

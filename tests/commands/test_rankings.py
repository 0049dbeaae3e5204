"""Rounds that the user puts in order: kept in the log, numbered, taken back and put back; nothing else moves."""

import pytest

from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from backend.store.queries.leads import rankings
from tests.fakes.campaign import Stage


def leads(stage: Stage) -> list[str]:
    return [id_ for (id_,) in stage.query("SELECT id FROM leads ORDER BY position")]


def kept(stage: Stage, campaign: str) -> list[tuple[int, tuple[str, ...], bool]]:
    with stage.database.read() as connection:
        return [
            (ranking.number, ranking.lead_ids, ranking.counts) for ranking in rankings.rounds(connection, campaign, 10)
        ]


def test_a_round_is_a_decision_in_the_log_that_can_be_taken_back_and_put_back(stage: Stage) -> None:
    campaign = stage.campaign(6)
    order = leads(stage)[::-1][:4]
    commands = stage.commands().rankings
    scores = stage.query("SELECT id, weight_score FROM leads")
    first = commands.save(campaign, order, number=1)
    commands.save(campaign, order[::-1])
    assert kept(stage, campaign) == [(2, tuple(order[::-1]), True), (1, tuple(order), True)]
    commands.take_back(campaign, first)
    commands.take_back(campaign, first)
    assert kept(stage, campaign)[1] == (1, tuple(order), False)
    commands.put_back(campaign, first)
    assert kept(stage, campaign)[1] == (1, tuple(order), True)
    assert len(stage.query("SELECT 1 FROM event_log WHERE entity_type='ranking'")) == 4
    assert stage.query("SELECT id, weight_score FROM leads") == scores
    assert replay.find_differences(stage.database) == []


def test_a_round_that_is_not_the_next_one_and_other_peoples_leads_are_refused(stage: Stage) -> None:
    campaign = stage.campaign(6)
    order = leads(stage)
    commands = stage.commands().rankings
    commands.save(campaign, order, number=1)
    for wrong, number, code in (
        (order, 1, "ranking_outdated"),
        (order[:2], 2, "ranking_invalid"),
        ([*order[:3], order[0]], 2, "ranking_invalid"),
        ([*order[:3], "nobody"], 2, "ranking_invalid"),
    ):
        with pytest.raises(OutriderError) as refused:
            commands.save(campaign, wrong, number=number)
        assert refused.value.code == code
    with pytest.raises(OutriderError, match="ranking_unknown"):
        commands.take_back(campaign, "nothing")


def test_who_was_erased_is_in_no_round_any_more(stage: Stage) -> None:
    campaign = stage.campaign(6)
    order = leads(stage)
    stage.commands().rankings.save(campaign, order)
    stage.commands().people.erase(campaign, order[0])
    with stage.database.read() as connection:
        assert set(rankings.people(connection, campaign, order)) == set(order[1:])

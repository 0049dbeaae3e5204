"""Which lead is planned next: the highest priority, a manual override before the score, ties by the freshest profile."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.commands.user_commands import Commands
from backend.domain.events.events import Event
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.lead import BELOW_LEAST_SCORE
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.queries.leads import leads as lead_queries
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SeededIds


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    database = Database(tmp_path / "outrider.db")
    yield Journal(database, SeededIds())
    database.close()


Ranked = tuple[int | None, int | None, int]
"""Score, override, when the profile was updated."""


def planned(journal: Journal, leads: list[Ranked], least: int = 0) -> list[Ranked]:
    """Who is planned, in that order; each lead for itself is the same, and so is the rule."""
    limits = Limits(least_score=least)
    campaign = Commands(journal, FakeClock()).campaigns.create(
        "C", "", site="practice", account="a", settings=Settings(limits=limits)
    )
    events, leads_by_id = [], {}
    for position, (score, override, updated) in enumerate(leads):
        lead_id = journal.ids.new()
        leads_by_id[lead_id] = leads[position]
        fields = {"full_name": "Ada", "profile_url": f"u{position}", "member_key": f"u{position}", "position": position}
        ranked = {"weight_score": score, "priority_override": override, "profile_updated_at": updated}
        events.append(Event("LeadImported", lead_id, fields | ranked))
    journal.record(campaign, events=events, actor="user", cause="test", at=0)
    with journal.database.read() as connection:
        unplanned = [lead.id for lead in lead_queries.unplanned_leads(connection, campaign, len(leads))]
        for lead_id in leads_by_id:
            lead = lead_queries.lead(connection, campaign, lead_id)
            assert lead is not None
            alone = lead_queries.unplanned_lead(connection, campaign, lead_id)
            assert (lead_id in unplanned) == (alone is not None) == limits.begin_with(lead.priority)
        assert lead_queries.count_unplanned(connection, campaign) == len(unplanned)
        left_out = lead_queries.left_out_counts(connection, campaign)
        assert left_out.get(BELOW_LEAST_SCORE, 0) == len(leads) - len(unplanned)
        assert lead_queries.count_unplannable(connection, campaign) == len(leads) - len(unplanned)
    return [leads_by_id[lead_id] for lead_id in unplanned]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)
)
def test_leads_come_by_priority_and_ties_by_the_most_recently_updated_profile(
    journal: Journal, leads: list[Ranked]
) -> None:
    order = sorted(leads, key=lambda lead: (-((lead[0] or 0) if lead[1] is None else lead[1]), -lead[2]))
    assert planned(journal, leads) == order


def test_a_manual_override_goes_before_the_score(journal: Journal) -> None:
    assert planned(journal, [(90, None, 0), (10, 95, 0), (99, 5, 0)]) == [(10, 95, 0), (90, None, 0), (99, 5, 0)]


def test_the_keys_by_which_leads_are_listed_follow_every_change(journal: Journal) -> None:
    planned(journal, [(90, None, 0), (10, 95, 3)])
    with journal.database.read() as connection:
        campaign, lead = connection.execute("SELECT campaign_id, id FROM leads ORDER BY position").fetchone()
    changes: list[tuple[str, dict[str, object]]] = [
        ("LeadScored", {"weight_score": 3}), ("LeadPrioritised", {"priority_override": 7}),
        ("LeadPrioritised", {"priority_override": None}), ("LeadAdvanced", {"status": "contacted", "invited_at": 9}),
        ("LeadMerged", {"company": "Acme", "job_title": "CTO", "profile_updated_at": 5}), ("LeadBlocked", {"blocked": "x"}),
        ("LeadAdvanced", {"replied_at": 12, "thread_read_at": 12}), ("LeadUnblocked", {"blocked": ""}),
        ("LeadTagged", {"tags": ["vip", "old"]}), ("LeadAdvanced", {"sequence_step": 4}), ("LeadBlocked", {"blocked": "moved"}),
    ]  # fmt: skip
    for kind, values in changes:
        journal.record(campaign, events=[Event(kind, lead, values)], actor="user", cause="test", at=0)
        with journal.database.read() as connection:
            stored_keys = connection.execute("SELECT * FROM lead_keys ORDER BY number").fetchall()
            due = connection.execute("SELECT * FROM lead_keys_now ORDER BY lead_id").fetchall()
        assert sorted(row[1:] for row in stored_keys) == sorted(due), kind


def test_nobody_below_the_least_score_is_planned_and_who_has_no_score_comes_last(journal: Journal) -> None:
    low, high, raised, lowered, unscored = (49, None, 0), (50, None, 0), (10, 50, 1), (90, 49, 0), (None, None, 9)
    assert planned(journal, [low, unscored, high, raised, lowered], least=50) == [raised, high, unscored]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(0, 3), st.just(0)), min_size=1, max_size=8
    ),
    st.integers(0, 4),
)
def test_the_statements_and_the_rule_agree_on_the_least_score(
    journal: Journal, leads: list[Ranked], least: int
) -> None:
    planned(journal, leads, least)

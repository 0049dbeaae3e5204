"""The counts of leads: new leads are counted once a commit, and all later changes of theirs with the row."""

from pathlib import Path
from random import Random

import pytest

from backend.domain.erasure.erasure import ERASED
from backend.domain.model.lead import LeadStatus
from backend.store.log.journal import Journal
from backend.store.queries.leads.leads import lead_counts
from tests.store.opening import CAMPAIGN, lead_imported, started

IN_NO_COUNT = ("import_undone", "moved")


def counted(journal: Journal) -> dict[str, int]:
    """What is stored, and that it is what the leads say."""
    with journal.database.read() as connection:
        stored = lead_counts(connection, CAMPAIGN)
        leads = connection.execute(
            "SELECT status, count(*) FROM leads WHERE blocked NOT IN (?, ?) AND full_name<>? GROUP BY status",
            (*IN_NO_COUNT, ERASED),
        )
        assert stored == dict(leads)
    return stored


def test_a_lead_that_is_taken_back_in_the_commit_that_brought_it_is_in_no_count(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1), lead_imported(2))
    with journal.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(3), lead_imported(4)], actor="test", cause="test", at=1)
        transaction.connection.execute("UPDATE leads SET blocked='import_undone' WHERE id='lead-3'")
        transaction.connection.execute("UPDATE leads SET status='contacted' WHERE id='lead-4'")
    assert counted(journal) == {"pending": 2, "contacted": 1}


def test_a_lead_that_goes_in_the_commit_that_brought_it_was_never_counted(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1), lead_imported(2))
    with journal.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(3)], actor="test", cause="test", at=1)
        transaction.connection.execute("DELETE FROM leads WHERE id IN ('lead-1', 'lead-3')")
    assert counted(journal) == {"pending": 1}


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_leads_whatever_a_commit_holds(tmp_path: Path, seed: int) -> None:
    random, number = Random(seed), 1
    journal = started(tmp_path / "o.db", lead_imported(number))
    for _ in range(20):
        with journal.transaction() as transaction:
            for _ in range(random.randrange(6)):
                number += 1
                transaction.record(CAMPAIGN, [lead_imported(number)], actor="test", cause="test", at=1)
                lead_id = f"lead-{random.randint(1, number)}"
                change, *values = random.choice(
                    [
                        ("UPDATE leads SET status=? WHERE id=?", random.choice(list(LeadStatus))),
                        ("UPDATE leads SET blocked=? WHERE id=?", random.choice(["", "manual", *IN_NO_COUNT])),
                        ("UPDATE leads SET full_name=? WHERE id=?", ERASED),
                        ("DELETE FROM leads WHERE id=?",),
                    ]
                )
                transaction.connection.execute(change, (*values, lead_id))
        counted(journal)

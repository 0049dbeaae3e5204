"""What decides whether two are the same person: whoever is the same is treated as the other one is."""

from typing import Any

from backend.domain.gates.gates import CONTACTED_BEFORE
from backend.domain.gates.person import LeadOfPerson, Person
from backend.domain.leads.same_person import what_decides
from backend.domain.model.lead import Label
from backend.domain.people.past_contact import ANSWERED, BEFORE


def decides(*, is_listed: bool = False, remembered_at: int | None = None, **fields: Any) -> list[str]:
    lead = LeadOfPerson("L", "C", "Talks", "Ada Berg", False, 60)._replace(**fields)
    return what_decides(Person(lead, (), remembered_at), is_listed=is_listed)


def test_nothing_decides_about_somebody_who_was_only_planned_or_written_to() -> None:
    assert decides() == decides(claimed_at=1, invited_at=1, last_sent_at=1) == []


def test_what_forbids_to_write_to_somebody_is_said_the_strongest_first() -> None:
    assert decides(is_listed=True, replied_at=1, blocked=ANSWERED) == [
        "On the do-not-contact list.",
        "They replied in “Talks”.",
        BEFORE[ANSWERED],
    ]
    assert decides(replied_at=1, label=Label.NO) == ["They said no in “Talks”."]
    assert decides(remembered_at=1) == [CONTACTED_BEFORE]

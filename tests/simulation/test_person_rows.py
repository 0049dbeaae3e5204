"""Whatever a lead file calls somebody, the world knows who it is."""

from pathlib import Path

import pytest

from backend.adapters.leadfiles import read_leads
from backend.domain.people.lead_row import LeadRow
from backend.practice.people import PersonCard
from tests.simulation.person_rows import MAPPING, ROWS, SHARED_MAILBOX, WhoIsWho, as_table, usual

ANN = PersonCard("ann-nunez-4", "Ann Núñez", "Engineer at Vik", "Vik")
BO = PersonCard("bo-lind-5", "Bo Lind", "Buyer at Vik", "Vik")


@pytest.mark.parametrize("kind", ROWS)
def test_every_spelling_of_somebody_means_them(kind: str, tmp_path: Path) -> None:
    who, file = WhoIsWho(), tmp_path / "people.csv"
    who.learn([ANN, BO])
    file.write_text(as_table([ROWS[kind][0](ANN)]), "utf-8")
    (row,) = [row for row in read_leads(file, MAPPING) if isinstance(row, LeadRow)]
    assert row.member_key is not None
    assert who.slug(row.member_key) == ANN.slug
    assert row.email == SHARED_MAILBOX or who.slug(row.email or "") == ANN.slug


def test_no_two_people_share_a_spelling() -> None:
    rows = [spell(card) for spell, _ in ROWS.values() for card in (ANN, BO)]
    assert {row.slug for row in rows if row.email.lower() == usual(BO).email} == {BO.slug}
    assert {row.slug for row in rows if row.address and row.address == usual(BO).address} == {BO.slug}

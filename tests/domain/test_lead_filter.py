"""A lead filter: all that it says must hold, and what is empty is not asked."""

import pytest

from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from tests.commands.test_lead_import import person

ADA = person(1, job_title="Senior Éditor", company="Fernhill Books", tags=("Spring fair", "VIP"))
BARE = person(2, job_title=None, company=None)


@pytest.mark.parametrize(
    ("lead_filter", "matches"),
    [
        (LeadFilter(), True),
        (LeadFilter(title=" editor "), True),
        (LeadFilter(title="EDITOR", company="fern"), True),
        (LeadFilter(title="editor", company="Oak"), False),
        (LeadFilter(company="books"), True),
        (LeadFilter(title="books"), False),
        (LeadFilter(tag="vip"), True),
        (LeadFilter(tag="VI"), False),
        (LeadFilter(title=" ", tag="  "), True),
    ],
)
def test_all_that_is_said_must_hold_without_regard_to_case_and_accents(
    lead_filter: LeadFilter, *, matches: bool
) -> None:
    assert lead_filter.matches(ADA, in_touch=False) is matches


def test_of_whom_nothing_is_known_nothing_holds() -> None:
    assert EVERYBODY.matches(BARE, in_touch=True)
    for lead_filter in (LeadFilter(title="e"), LeadFilter(company="e"), LeadFilter(tag="e")):
        assert not lead_filter.matches(BARE, in_touch=False)


def test_whoever_refused_comes_along_to_stand_on_the_list() -> None:
    nobody = LeadFilter(title="no such title", not_in_touch=True)
    assert not nobody.matches(BARE, in_touch=True)
    assert nobody.matches(BARE._replace(refused="Do Not Contact: true"), in_touch=True)


def test_whoever_another_campaign_is_in_touch_with_is_left_out_if_that_is_asked() -> None:
    lead_filter = LeadFilter(title="editor", not_in_touch=True)
    assert lead_filter.matches(ADA, in_touch=False)
    assert not lead_filter.matches(ADA, in_touch=True)
    assert LeadFilter(title="editor").matches(ADA, in_touch=True)

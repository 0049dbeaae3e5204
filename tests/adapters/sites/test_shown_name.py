"""A heading names a person whatever sites put around names, and never a namesake, a group or somebody else."""

import pytest

from backend.adapters.sites.shown_name import is_shown_name, names_without_additions

PERSON = "Ann Becker"
THEIRS = (
    "Ann Becker", "Ann\u00a0 Becker\u200b", "Ann Becker (She/Her)", "Ann Becker (she/her/hers)", "Ann Becker [They/Them]",
    "Ann Becker (Sie/Ihr)", "Ann Becker (Elle)", "Ann Becker She/Her", "Ann Becker \U0001f680",
    "\U0001f331 Ann Becker \U0001f1e9\U0001f1ea", "Ann Becker \U0001f469\U0001f3fd\u200d\U0001f4bb", "Ann Becker ✔️",
    "Ann Becker \u00b7 2nd", "Ann Becker \u2022 3rd+", "Ann Becker \u00b7 1er", "Ann Becker 2nd degree connection",
    "Ann Becker, PhD", "Ann Becker, Ph.D., MBA", "Ann Becker MSc", "Dr. Ann Becker", "Prof. Dr. Ann Becker",
    "Dr. rer. nat. Ann Becker, PMP", "Ann Becker (She/Her) \u00b7 2nd", "Ann Becker, MBA \U0001f393 (She/Her) \u00b7 1st",
    "Ann Becker, PhD \u00b7 1st",
)  # fmt: skip
OTHERS = (
    "", "(She/Her)", "Dr.", "\U0001f680", "Anna Becker", "Ann Beckers", "Ann", "Becker", "Ann Becker Jr.", "Ann Becker, Sr.",
    "Ann Becker III", "Ann Becker 2", "Ann M. Becker", "Ann Becker-Smith", "Ann Becker (Smith)", "Ann (Bo) Becker",
    "Ann Becker (Bo Lee)", "Ann Becker, Bo Lee", "Ann Becker, Ma", "Ann Becker & Bo Lee", "Ann Becker \u2795 Bo",
    "Ann Becker and 2 others", "Ann Becker (3)", "Ann Becker \u24b7\u24de", "Ann Becker \u283d\u2815", "Mr. Ann Becker",
    "Ann Becker \u00b7 Fernhill Books", "She Becker", "Ann Her", "ANN BECKER", "Ann Becker \u00b7 Bo Lee \u00b7 2nd",
    "Dr. Bo Becker (She/Her)",
)  # fmt: skip


@pytest.mark.parametrize("shown", THEIRS)
def test_what_sites_and_people_put_around_a_name_hides_nobody(shown: str) -> None:
    assert is_shown_name(shown, PERSON)
    assert is_shown_name(PERSON, shown), "nor where a file has it"


@pytest.mark.parametrize("shown", OTHERS)
def test_whatever_is_on_no_list_may_be_somebody_else(shown: str) -> None:
    assert not is_shown_name(shown, PERSON)
    assert not is_shown_name(PERSON, shown)


@pytest.mark.parametrize(
    ("shown", "expected", "same"),
    [
        ("Sam Lee (He/Him)", "Sam Lee (She/Her)", False),
        ("Sam Lee (They/She)", "Sam Lee (He/They)", False),
        ("Sam Lee (She/Her)", "Sam Lee (she/her/hers)", True),
        ("Sam Lee, MD", "Sam Lee, CPA", False),
        ("Sam Lee, PhD, MBA", "Sam Lee, Ph.D.", True),
        ("Sam Lee \u00b7 2nd", "Sam Lee \u00b7 1st", True),
        ("Sam Lee \U0001f680", "Sam Lee \U0001f331", True),
        ("Lee (She/Her)", "Sam Lee (She/Her)", False),
    ],
)
def test_additions_that_tell_namesakes_apart_do(shown: str, expected: str, *, same: bool) -> None:
    assert is_shown_name(shown, expected) is same
    assert is_shown_name(expected, shown) is same


def test_a_control_may_call_a_person_with_or_without_what_the_heading_adds() -> None:
    for shown in ("Ann Becker (She/Her)", "Ann Becker \U0001f680", "Ann Becker, PhD \u00b7 1st"):
        assert names_without_additions(shown) == (shown, "Ann Becker")
    assert names_without_additions("Ann Becker") == ("Ann Becker",)
    assert names_without_additions("(She/Her)") == ("(She/Her)",)

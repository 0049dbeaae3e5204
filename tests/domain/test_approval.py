"""What an approval rests on, whether it serves, and when it ends."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from backend.domain.gates.approval import Approval, ApprovalStatus, approval_digest, approval_ends, approval_state
from backend.domain.model.campaign import DAY, HOUR, Limits
from tests.domain.samples import NOON
from tests.fakes.clock import always

PARTS = {
    "campaign_id": "camp-1",
    "channel": "linkedin_assist",
    "step": "hello",
    "kind": "invitation",
    "profile_url": "https://x.test/in/ada",
    "text": "Hello Ada",
}


def digest(**parts: str) -> str:
    return digest_of(PARTS | parts)


def digest_of(chosen: dict[str, str]) -> str:
    return approval_digest(**chosen)


# --- the digest -------------------------------------------------------------------------------------------------------

_PLAIN = st.text(st.characters(exclude_characters="\0", codec=None), max_size=30)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("change", ["{}.", "{} ", " {}", "{}\n", "{}\u200b", "{}\u0301"])
def test_any_change_of_any_part_needs_another_approval(part: str, change: str) -> None:
    assert digest_of(PARTS | {part: change.format(PARTS[part])}) != digest()


@pytest.mark.parametrize("part", PARTS)
def test_every_single_character_counts(part: str) -> None:
    whole = PARTS[part]
    for at in range(len(whole)):
        dropped = whole[:at] + whole[at + 1 :]
        flipped = whole[:at] + chr(ord(whole[at]) ^ 1) + whole[at + 1 :]
        swapped = whole[:at] + whole[at].swapcase() + whole[at + 1 :]
        for changed in (dropped, flipped, swapped):
            if changed != whole:
                assert digest_of(PARTS | {part: changed}) != digest()


@given(_PLAIN, _PLAIN, st.integers(1, 30))
def test_what_is_cut_from_one_part_and_added_to_the_next_is_not_the_same(url: str, text: str, cut: int) -> None:
    assume(text)
    moved = text[:cut]
    assert digest(profile_url=url, text=text) != digest(profile_url=url + moved, text=text[cut:])


@given(_PLAIN, _PLAIN)
def test_equal_texts_and_only_equal_texts_have_equal_digests(first: str, other: str) -> None:
    assert (digest(text=first) == digest(text=other)) == (first == other)


def test_composed_and_decomposed_letters_are_different_texts() -> None:
    assert digest(text="é") != digest(text="e\u0301")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_with_a_nul_has_no_digest_and_is_open_to_nothing(part: str) -> None:
    assert digest_of(PARTS | {part: "a\0b"}) == ""
    forged = Approval("a", "m", "", ApprovalStatus.OPEN, NOON + 1)
    assert approval_state(forged, "", NOON) == "for another text"


def test_the_digest_is_the_same_on_every_machine_and_in_every_version() -> None:
    assert digest() == "0ee5aeafa933903e731d1c4f87c21ec1fac25c6b21de3ccd53e6ba31e1bad225"


# --- the approval -----------------------------------------------------------------------------------------------------

OPEN = Approval("a", "m", digest(), ApprovalStatus.OPEN, NOON)


def test_without_an_approval_it_is_missing() -> None:
    assert approval_state(None, digest(), NOON) == "missing"


@pytest.mark.parametrize(
    ("now", "state"), [(0, "open"), (NOON - 1, "open"), (NOON, "expired"), (NOON + 1, "expired"), (2**60, "expired")]
)
def test_an_approval_is_open_until_the_moment_it_expires(now: int, state: str) -> None:
    assert approval_state(OPEN, digest(), now) == state


@pytest.mark.parametrize("status", ["used", "expired", "revoked"])
def test_an_approval_that_was_used_or_withdrawn_is_never_open(status: str) -> None:
    spent = replace(OPEN, status=ApprovalStatus(status))
    assert approval_state(spent, digest(), 0) == status


def test_an_approval_serves_only_the_text_it_was_given_for() -> None:
    assert approval_state(OPEN, digest(text="Hello Ada!"), 0) == "for another text"
    assert approval_state(OPEN, "", 0) == "for another text"


@given(st.sampled_from(ApprovalStatus), _PLAIN, st.integers(0, 2 * NOON), st.integers(0, 2 * NOON))
def test_an_approval_is_open_only_if_everything_about_it_is_right(
    status: ApprovalStatus, text: str, now: int, expires: int
) -> None:
    approval = Approval("a", "m", digest(), status, expires)
    right = status is ApprovalStatus.OPEN and text == PARTS["text"] and now < expires
    assert (approval_state(approval, digest(text=text), now) == "open") == right
    assert (approval_state(approval, digest(), now) == "open") == (status is ApprovalStatus.OPEN and now < expires)


# --- when it ends -----------------------------------------------------------------------------------------------------

MONDAY = 4 * DAY
"""The first Monday of the epoch, UTC."""


@pytest.mark.parametrize(
    ("planned", "days", "work_days", "last"),
    [
        (MONDAY + 9 * HOUR, 1, (0, 1, 2, 3, 4), MONDAY + DAY),
        (MONDAY + 9 * HOUR, 5, (0, 1, 2, 3, 4), MONDAY + 7 * DAY),
        (MONDAY + 4 * DAY, 1, (0, 1, 2, 3, 4), MONDAY + 7 * DAY),
        (MONDAY + 5 * DAY, 1, (0, 1, 2, 3, 4), MONDAY + 7 * DAY),
        (MONDAY, 2, (6,), MONDAY + 13 * DAY),
        (MONDAY, 3, (), MONDAY + 3 * DAY),
    ],
)
def test_an_approval_lasts_so_many_working_days_after_the_planned_one(
    planned: int, days: int, work_days: tuple[int, ...], last: int
) -> None:
    limits = Limits.model_construct(approval_working_days=days, work_days=work_days, day_ends=18 * 60)
    for offset in (-5 * HOUR, 0, 2 * HOUR):
        assert approval_ends(limits, planned - offset, always(offset)) == last + 18 * HOUR - offset

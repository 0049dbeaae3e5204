"""What settles a send, and what an approval is bound to."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from backend.domain.facts.fact import Fact
from backend.domain.facts.message import MessageNotSent, MessageOutcomeUnknown, MessageSent
from backend.domain.message import (
    Approval,
    ApprovalStatus,
    MessageStatus,
    Observation,
    SendOutcome,
    approval_digest,
    approval_state,
    send_outcome,
)
from backend.domain.site import SiteAnswer
from tests.domain.samples import NOON

PARTS = {
    "profile_url": "https://x.test/in/ada",
    "kind": "invitation",
    "text": "Hello Ada",
    "campaign_id": "camp-1",
}


def digest(version: int = 1, **parts: str) -> str:
    return digest_of(PARTS | parts, version)


def digest_of(chosen: dict[str, str], version: int = 1) -> str:
    return approval_digest(
        profile_url=chosen["profile_url"],
        kind=chosen["kind"],
        text=chosen["text"],
        campaign_id=chosen["campaign_id"],
        version=version,
    )


# --- settling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "seen"), list(product(SiteAnswer, Observation)), ids=str)
def test_only_what_was_seen_settles_a_send(claim: SiteAnswer, seen: Observation) -> None:
    if seen.value == "present":
        expected = "sent"
    elif seen.value == "absent" and claim.value != "confirmed":
        expected = "not_sent"
    else:
        expected = "outcome_unknown"
    assert send_outcome(claim, seen, settled=True).value == expected


@pytest.mark.parametrize("claim", SiteAnswer)
@pytest.mark.parametrize("settled", [True, False])
def test_a_send_whose_result_was_not_seen_is_never_assumed_failed(claim: SiteAnswer, settled: bool) -> None:
    assert send_outcome(claim, Observation.UNREADABLE, settled=settled) is SendOutcome.OUTCOME_UNKNOWN


@pytest.mark.parametrize("claim", SiteAnswer)
def test_what_is_absent_while_its_request_may_be_under_way_is_not_known_to_be_lost(claim: SiteAnswer) -> None:
    assert send_outcome(claim, Observation.ABSENT, settled=False) is SendOutcome.OUTCOME_UNKNOWN
    assert send_outcome(claim, Observation.PRESENT, settled=False) is SendOutcome.SENT


def test_every_outcome_is_a_legal_move_of_a_message_that_is_sending_and_of_one_that_is_unknown() -> None:
    after: dict[SendOutcome, type[Fact]] = {
        SendOutcome.SENT: MessageSent,
        SendOutcome.NOT_SENT: MessageNotSent,
        SendOutcome.OUTCOME_UNKNOWN: MessageOutcomeUnknown,
    }
    for claim, seen, settled in product(SiteAnswer, Observation, (True, False)):
        outcome = send_outcome(claim, seen, settled=settled)
        (states,) = after[outcome].moves.values()
        assert MessageStatus.SENDING in states
        assert outcome is SendOutcome.OUTCOME_UNKNOWN or MessageStatus.OUTCOME_UNKNOWN in states


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


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_another_version_of_the_campaign_needs_another_approval(one: int, other: int) -> None:
    assert (digest(version=one) == digest(version=other)) == (one == other)


@given(_PLAIN, _PLAIN, st.integers(1, 30))
def test_what_is_cut_from_one_part_and_added_to_the_next_is_not_the_same(url: str, text: str, cut: int) -> None:
    assume(text)
    moved = text[:cut]
    assert digest(profile_url=url, text=text) != digest(profile_url=url + moved, text=text[cut:])


@given(_PLAIN, _PLAIN)
def test_equal_texts_and_only_equal_texts_have_equal_digests(one: str, other: str) -> None:
    assert (digest(text=one) == digest(text=other)) == (one == other)


def test_composed_and_decomposed_letters_are_different_texts() -> None:
    assert digest(text="é") != digest(text="e\u0301")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_with_a_nul_has_no_digest_and_is_open_to_nothing(part: str) -> None:
    assert digest_of(PARTS | {part: "a\0b"}) == ""
    forged = Approval("a", "m", "", ApprovalStatus.OPEN, NOON + 1)
    assert approval_state(forged, "", NOON) == "for another text"


def test_the_digest_is_the_same_on_every_machine_and_in_every_version() -> None:
    assert digest() == "6ceaccf88632e5c642815ff24f77355f449ef100e83ffa0d76d88a9e910fb23c"


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

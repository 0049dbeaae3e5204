"""What is told of past contact before an import: each person once, by the weightiest, and nothing is left out silently."""

from typing import Any

import pytest

from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import PAST_CONTACT, PastContact, kept_with, kind_kept
from backend.domain.people.past_contact_counts import (
    MOST_UNCLEAR,
    PastContactCounts,
    UnclearValue,
    count_past_contact,
    past_contact_sentences,
)


def row(n: int, past: str = "", **more: Any) -> LeadRow:
    extra, day = {PAST_CONTACT: past} if past else {}, more.pop("connected_on", None)
    return LeadRow(n, "", f"Ada {n}", "", "", None, f"ada-{n}", None, None, None, day, extra, **more)


@pytest.mark.parametrize(
    "past", [PastContact("", "", ""), PastContact(None, "2024-03-01", ""), PastContact(invited="2024-03-01")]
)
def test_what_a_lead_keeps_tells_how_close_they_came(past: PastContact) -> None:
    assert kind_kept(past.words) == past.kind != ""
    assert kind_kept("yes, at a fair") == kind_kept("") == ""


def test_each_person_is_counted_once_and_by_the_weightiest() -> None:
    rows = [
        row(1, refused="DNC: x", past="they wrote", connected=True), row(1, past="you wrote"),
        row(2, past="they wrote"), row(3, past="you wrote", connected=True), row(4, past="invited"),
        row(5, connected=True), row(6, connected_on="2024-01-01"), row(7),
    ]  # fmt: skip
    counts = count_past_contact(rows)
    assert counts == PastContactCounts(refused=1, answered=1, written_to=1, invited=1, connected=2)
    assert counts.left_out == 3


def test_it_is_told_in_sentences_with_what_becomes_of_them() -> None:
    assert past_contact_sentences(PastContactCounts(refused=13, written_to=41, connected=7)) == [
        "13 said no in your old tool: they go on the do-not-contact list.",
        "41 were already written to: left out.",
        "7 are already your connections.",
    ]
    assert past_contact_sentences(PastContactCounts(answered=1, connected=1)) == [
        "1 has already replied: left out.",
        "1 is already your connection.",
    ]
    assert past_contact_sentences(PastContactCounts()) == []


def test_values_that_nobody_understands_are_told_and_those_beyond_a_bound_counted() -> None:
    rows = [row(n, unclear=(("Stage", f"Phase {n}"),)) for n in range(MOST_UNCLEAR + 3)]
    counts = count_past_contact([*rows, row(99, unclear=(("Stage", "Phase 0"),))])
    assert counts.unclear[0] == UnclearValue("Stage", "Phase 0", 2)
    sentences = past_contact_sentences(counts)
    assert sentences[0] == "“Stage” says “Phase 0” for 2 people: not understood, so it changes nothing."
    assert sentences[-1] == "3 more such values are not understood."


@pytest.mark.parametrize(
    ("words", "file_words", "is_contacted", "words_after"),
    [
        ("", "invited", False, "invited"),
        ("they wrote", "invited", False, "they wrote; invited"),
        ("invited", "invited", False, "invited"),
        ("they wrote", "", False, "they wrote"),
        ("", "they wrote 2024-01-03; you wrote 2024-01-02", True, "they wrote 2024-01-03"),
        ("", "you wrote; invited", True, ""),
    ],
)
def test_a_reply_is_never_lost_and_what_we_did_stands_in_the_history_of_whom_we_contacted(
    words: str, file_words: str, is_contacted: bool, words_after: str
) -> None:
    assert kept_with(words, file_words, is_contacted=is_contacted) == words_after

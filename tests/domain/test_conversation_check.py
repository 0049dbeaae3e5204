"""What a conversation shows is compared with what is on record, both ways."""

import unicodedata
from dataclasses import replace

import pytest

from backend.domain.contact.conversation_check import (
    SHORTENED_MIN,
    RecordedText,
    compare,
    is_as_seen,
    is_ours,
    is_shortened,
    is_unrecorded_relation,
    new_replies,
)
from backend.domain.contact.replies import Reply
from backend.domain.model.campaign import DAY
from backend.domain.model.lead import Lead, LeadStatus
from backend.domain.model.message import text_mark
from backend.domain.model.site import Relation, Thread, ThreadMessage
from tests.domain.samples import NOON

LONG = "Hi Ann, I came across your work at Rivertown and would like to stay in touch with you and your team."


def thread(*texts: str, their_texts: tuple[str, ...] = ()) -> Thread:
    written = [ThreadMessage("you", text, at) for at, text in enumerate(texts)]
    answers = [ThreadMessage("them", text, 100 + at) for at, text in enumerate(their_texts)]
    return Thread((*written, *answers), Relation.CONNECTED)


def recorded(*texts: str, must_show: bool = True) -> list[RecordedText]:
    return [RecordedText(str(number), text_mark(text), text, must_show) for number, text in enumerate(texts)]


def unrecorded(shown: Thread, recorded_texts: list[RecordedText]) -> list[str]:
    return [text.text for text in compare(shown, recorded_texts).unrecorded]


def test_what_is_on_record_is_no_difference_however_the_site_spells_it() -> None:
    text = "Grüße  an\r\nRenée "
    assert not compare(thread(unicodedata.normalize("NFD", text)), recorded(unicodedata.normalize("NFC", text)))
    assert not compare(thread("Grüße an Renée"), recorded(text))


def test_a_message_of_ours_that_is_not_on_record_is_found_whatever_its_wording() -> None:
    assert unrecorded(thread("Hi Ann", "Hello Ann"), recorded("Hi Ann")) == ["Hello Ann"]
    assert unrecorded(thread("Hi Ann!"), recorded("Hi Ann")) == ["Hi Ann!"]


def test_what_they_wrote_is_never_taken_for_ours() -> None:
    assert not compare(thread("Hi", their_texts=("Hello", "Hi")), recorded("Hi"))


def test_each_record_stands_for_one_copy() -> None:
    assert unrecorded(thread("Hi", "Hi", "Hi"), recorded("Hi", "Hi")) == ["Hi"]
    assert not compare(thread("Hi", "Hi"), recorded("Hi", "Hi"))


def test_a_page_of_an_act_that_shows_a_text_once_more_is_not_as_seen() -> None:
    """The user's own second "Hi", or their second "?", is news as much as another text."""
    before = thread("Hi", "Bye", their_texts=("?",))
    assert is_as_seen(before, before)
    assert is_as_seen(before, thread("Bye", their_texts=("?",))), "a site may show fewer"
    assert not is_as_seen(before, thread("Hi", "Bye")), "what was its end is gone: it is not read to its end"
    assert not is_as_seen(before, thread("Hi", "Hi", "Bye", their_texts=("?",)))
    assert not is_as_seen(before, thread("Hi", "Bye", their_texts=("?", "?")))
    assert not is_as_seen(before, thread("Hi", "Bye", "?"))
    assert not is_as_seen(before, replace(before, relation=Relation.NONE))


@pytest.mark.parametrize("dots", ["…", "...", " …"])
def test_a_text_that_the_site_shortened_is_the_one_on_record(dots: str) -> None:
    assert not compare(thread(LONG[:60] + dots), recorded(LONG))
    assert is_shortened(LONG[:60] + dots, LONG)


def test_a_short_beginning_or_another_ending_is_not_taken_for_a_shortened_text() -> None:
    for shown in ("Hi Ann…", LONG[:60], LONG[:60] + " and …", "…"):
        assert unrecorded(thread(shown), recorded(LONG)) == [shown]


def test_a_shortened_text_shows_at_least_so_many_characters() -> None:
    text = "x" * 2 * SHORTENED_MIN
    assert is_shortened(text[:SHORTENED_MIN] + "…", text)
    assert not is_shortened(text[: SHORTENED_MIN - 1] + "…", text)


def test_a_shortened_text_does_not_take_the_place_of_the_whole_one() -> None:
    assert unrecorded(thread(LONG[:60] + "…", LONG), recorded(LONG)) == [LONG[:60] + "…"]


def test_what_was_seen_there_and_is_not_there_any_more_is_missing() -> None:
    first, second = recorded("one", "two")
    assert compare(thread(), [first, second]).missing == (first, second)
    assert compare(thread("one"), [first, second]).missing == (second,)
    assert compare(thread(), recorded("one", must_show=False)).missing == ()


def test_what_is_older_than_all_that_a_site_shows_is_not_missing() -> None:
    assert not compare(thread("two"), recorded("one", "two"))


def new(replies: list[Reply], *shown: tuple[str, int]) -> list[str]:
    messages = tuple(ThreadMessage("them", text, at) for text, at in shown)
    return [reply.text for reply in new_replies(Thread(messages, Relation.CONNECTED), replies)]


def test_what_they_wrote_is_new_once_and_by_its_words_not_by_its_number() -> None:
    replies = [Reply("Hello", 1), Reply("Caf\u00e9  at two?", 2)]
    assert new(replies, ("Hello", 1), ("Cafe\u0301 at two?", 2)) == []
    assert new(replies, ("Caf\u00e9 at two?", 2), ("No, thanks", 3)) == ["No, thanks"], "the site shows the latest two"
    assert new(replies, ("Hello", 1), ("Hello", 5)) == ["Hello"], "each on record stands for one"


def test_a_reply_whose_words_are_shortened_or_whole_by_now_is_not_new() -> None:
    assert new([Reply(LONG, 1)], (f"{LONG[:60]}\u2026", 1)) == []
    assert new([Reply(f"{LONG[:60]}\u2026", 1)], (LONG, 1)) == []


def test_the_same_words_are_new_a_day_later_if_the_earlier_ones_are_not_shown_any_more() -> None:
    replies = [Reply("Thanks!", NOON)]
    assert new(replies, ("Thanks!", NOON + DAY)) == [], "a site shows times to the minute, or of another zone"
    assert new(replies, ("Thanks!", NOON + DAY + 1)) == ["Thanks!"]


def lead(**fields: object) -> Lead:
    return Lead("l", "c", "Ann", "https://x", "ann", "", "", LeadStatus.PENDING, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "relation", "invited_before", "records_lost", "asks"),
    [
        ({}, Relation.PENDING, False, False, True),
        ({}, Relation.PENDING, True, False, False),
        ({"invited_at": 1}, Relation.PENDING, False, True, False),
        ({}, Relation.CONNECTED, False, False, False),
        ({}, Relation.CONNECTED, False, True, True),
        ({"visited_at": 1}, Relation.CONNECTED, False, False, True),
        ({"visited_at": 1, "relation": Relation.CONNECTED}, Relation.CONNECTED, False, False, False),
        ({"visited_at": 1}, Relation.NONE, False, True, False),
    ],
)
def test_an_invitation_that_is_not_on_record_is_asked_about_and_an_old_contact_is_not(
    fields: dict[str, object], relation: Relation, invited_before: bool, records_lost: bool, asks: bool
) -> None:
    is_unrecorded = is_unrecorded_relation(
        lead(**fields), relation, invited_before=invited_before, records_lost=records_lost
    )
    assert is_unrecorded is asks


QUESTION = "Hi Ann, would you like to give a talk at our meeting in May?"


@pytest.mark.parametrize(
    ("reply", "is_it"),
    [
        (QUESTION, True),
        (QUESTION.replace(" would", "\n\n would"), True),
        (QUESTION[:45] + "…", True),
        (f"> {QUESTION}\nYes!", False),
        (f"{QUESTION} Yes!", False),
        ("Happy New Year!", False),
        ("", False),
    ],
)
def test_a_text_of_ours_is_nobodys_reply_but_a_greeting_may_be(reply: str, is_it: bool) -> None:
    assert is_ours(reply, ["Happy New Year!", QUESTION]) is is_it

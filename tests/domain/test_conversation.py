"""One conversation: how each message is known, what two campaigns have on record of one message, and how it is told."""

import json
from typing import Any

import pytest

from backend.domain.contact.conversation import SOURCE_WORDS, ConversationMessage, lines_of, source_of, without_copies
from backend.domain.model.campaign import DAY
from backend.domain.model.days import in_utc
from backend.domain.model.message import MessageSource, MessageStatus
from tests.domain.samples import NOON

SEEN, WORD, EXPORT = {"kind": "seen"}, {"kind": "user_word"}, {"kind": "linkedin_export"}


def message(id_: str, lead: str = "a", **changes: Any) -> ConversationMessage:
    made = ConversationMessage(
        id=id_, lead_id=lead, campaign_id=f"C-{lead}", campaign=lead.upper(), kind="reply", text="Thank you", length=9, at=NOON,
        step="", status=MessageStatus.RECEIVED, reason="", reply_kind="", reply_rule="", source=MessageSource.SEEN,
    )  # fmt: skip
    return made._replace(**changes)


@pytest.mark.parametrize(
    ("status", "recorded", "evidence", "source"),
    [
        ("sent", "", [SEEN], MessageSource.SEEN),
        ("sent", "", [WORD], MessageSource.REPORTED),
        ("sent", "", [WORD, EXPORT], MessageSource.CONFIRMED),
        ("sent", "", [EXPORT], MessageSource.EXPORT),
        ("sent", "", [], MessageSource.UNKNOWN),
        ("received", "seen", [], MessageSource.SEEN),
        ("received", "reported", [], MessageSource.REPORTED),
        ("received", "export", [], MessageSource.EXPORT),
        ("received", "", [], MessageSource.UNKNOWN),  # from before it was recorded: nothing is guessed
        ("found", "export", [], MessageSource.EXPORT),
        ("sending", "", [], MessageSource.UNSETTLED),
        ("outcome_unknown", "", [WORD], MessageSource.UNSETTLED),
    ],
)
def test_how_a_message_is_known_comes_from_what_is_recorded(
    status: str, recorded: str, evidence: list[dict[str, str]], source: MessageSource
) -> None:
    assert source_of(MessageStatus(status), recorded, json.dumps(evidence)) is source


def test_every_source_has_its_words() -> None:
    assert set(SOURCE_WORDS) == set(MessageSource)


def test_a_message_that_two_campaigns_read_is_shown_once() -> None:
    first, copy = message("1"), message("2", "b", at=NOON + 5)
    assert without_copies([copy, first]) == [first]
    twice = [message("1"), message("2", at=NOON + 1), message("3", "b", at=NOON + 2)]
    assert [message.id for message in without_copies(twice)] == ["1", "2"], "each copy stands for one"
    assert len(without_copies([first, message("2", "b", at=NOON + 2 * DAY)])) == 2
    assert len(without_copies([first, message("2", "b", text="Thanks")])) == 2


def test_two_texts_that_were_both_sent_are_two() -> None:
    our_message = message("1", kind="message", status=MessageStatus.SENT)
    assert len(without_copies([our_message, message("2", "b", kind="message", status=MessageStatus.SENT)])) == 2
    assert len(without_copies([our_message, message("2", "b", kind="message", status=MessageStatus.FOUND)])) == 1


def test_a_conversation_is_told_with_who_wrote_and_with_campaigns_where_there_are_several() -> None:
    our_message = message("1", kind="message", text="Hi", status=MessageStatus.SENT, source=MessageSource.REPORTED)
    note = message(
        "0", kind="invitation", text="", at=NOON - DAY, status=MessageStatus.SENT, source=MessageSource.UNKNOWN
    )
    day, day_before = (
        lines_of([our_message], "Wanda", in_utc, "C-a")[0].split(",")[0],
        lines_of([note], "Wanda", in_utc, "C-a")[0].split(",")[0],
    )
    assert lines_of([note, our_message], "Wanda", in_utc, "C-a") == [
        f"{day_before}, You: an invitation without a note",
        f"{day}, You (reported by you): Hi",
    ]
    assert lines_of([our_message, message("2", "b")], "Wanda", in_utc, "C-a") == [
        f"{day}, You (“A”, reported by you): Hi",
        f"{day}, Wanda replied (“B”, seen by Outrider): Thank you",
    ]

"""What happened, in plain words: every kind of event has its sentence, and whatever a log holds can be said."""

import json
import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.events.facts import FACTS
from backend.domain.events.facts.sentences import (
    AUDIT_SENTENCES,
    MOST,
    PROPOSAL_WORDS,
    SENTENCES,
    LogEntry,
    audit_sentence,
    event_sentence,
    tone,
)
from backend.domain.model.tools import TOOLS
from backend.domain.turn.proposals import Proposal

CLARA = "Clara Yilmaz"


def entry(
    kind: str,
    payload: dict[str, Any] | None = None,
    entity_id: str = "x",
    lead: str = "",
    task: str = "",
    what: str = "",
) -> LogEntry:
    return LogEntry(kind, entity_id, payload or {}, lead, task, what)


def test_every_kind_of_event_has_a_sentence_and_no_other() -> None:
    assert SENTENCES.keys() == FACTS.keys()


def test_every_tool_of_the_site_has_a_sentence() -> None:
    assert all(spec.done for name, spec in TOOLS.items() if name.startswith("browser."))


def test_every_type_of_proposal_has_words_and_no_other() -> None:
    assert PROPOSAL_WORDS.keys() == {get_args(each.model_fields["type"].annotation)[0] for each in get_args(Proposal)}


@pytest.mark.parametrize("kind", FACTS)
def test_a_sentence_has_places_for_names_and_for_columns_of_its_event_only(kind: str) -> None:
    """A place that no value fills would be a hole in every sentence of the kind."""
    sentence = SENTENCES[kind]
    places = set(re.findall(r"\{:?(\w+)\}", sentence)) if isinstance(sentence, str) else set()
    assert places <= {"lead", "task", "message", "skill", "id", *FACTS[kind].columns}


@pytest.mark.parametrize(
    ("log_entry", "sentence"),
    [
        (entry("MessageSent", lead=CLARA, what="invitation"), "Invitation to Clara Yilmaz sent"),
        (
            entry("MessageDrafted", {"text": "Hi"}, lead=CLARA, what="invitation"),
            "Draft written for Clara Yilmaz (invitation)",
        ),
        (
            entry("MessageCancelled", {"reason": "rejected by the user"}, lead=CLARA, what="message"),
            "Message to Clara Yilmaz cancelled: rejected by the user",
        ),
        (
            entry("MessageCancelled", {"reason": "rejected by the user", "rejection_reason": "Too long"}, lead=CLARA),
            "Message to Clara Yilmaz cancelled: rejected by the user: “Too long”",
        ),
        (entry("TurnCompleted", {"proposal": "generate_message"}, "38"), "Turn 38: generate_message accepted"),
        (
            entry(
                "TurnCompleted", {"proposal": "no_op", "verdict": "not_now", "error": "Nothing to do."}, "9", lead=CLARA
            ),
            "Turn 9: no_op not now for Clara Yilmaz: Nothing to do.",
        ),
        (entry("TurnFaulted", {"error": "No answer."}, "3"), "Turn 3 failed: No answer."),
        (entry("ReplyReceived", {"text": "Yes,\n  gladly"}, lead=CLARA), "Clara Yilmaz replied: “Yes, gladly”"),
        (entry("LeadAdvanced", {"visited_at": 5, "sequence_step": 1}, lead=CLARA), "Profile of Clara Yilmaz visited"),
        (
            entry("LeadAdvanced", {"accepted_at": 5, "visited_at": 5}, lead=CLARA),
            "Clara Yilmaz accepted the invitation",
        ),
        (
            entry("LeadPrioritised", {"priority_override": None}, lead=CLARA),
            "Priority of Clara Yilmaz is by score again",
        ),
        (entry("CampaignEdited", {"goal": "x", "name": "y", "version": 2}), "Campaign changed: goal, name"),
        (entry("LeadBlocked", {"blocked": "do_not_contact"}, lead=CLARA), "Clara Yilmaz is left out: do not contact"),
        (
            entry("LeadBlocked", {"blocked": "in_doubt"}, lead=CLARA),
            "Clara Yilmaz is left out: may be the same person as somebody else",
        ),
        (
            entry("TaskAdvanced", {"needs": "approval"}, task="Reach out to Clara"),
            "“Reach out to Clara” now needs your approval",
        ),
        (
            entry("CommitmentChecked", {"status": "failed", "detail": "2 leads have none"}, task="Score"),
            "Not verified for “Score”: 2 leads have none",
        ),
        (
            entry("ImportFinished", {"accepted": 12, "merged": 0, "rejected": 1}, what="a.csv"),
            "Import of a.csv finished: 12 accepted, 1 rejected",
        ),
        (entry("SkillRemoved", {}, what="Short notes"), "Skill “Short notes” was removed"),
        (entry("RuntimeChanged", {"loop_enabled": 0}), "Automatic steps switched off"),
        (entry("RuntimeChanged", {"state": "Sleeping"}), "Waiting for the next step"),
        (entry("ConfigChanged", {"value": "1"}, "rehearsal_ahead"), "Practice clock moved forward"),
        (entry("ConfigSet", {"value": "{}"}, "replies_read:c1"), "Replies read"),
        (
            entry("EntriesErased", {"entries": {"0a1b": '{"text":"(erased)"}', "2c3d": "{}"}}),
            "2 log entries were erased",
        ),
        (entry("EntriesErased", {"entries": {"0a1b": "{}"}}), "1 log entry was erased"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_event_in_plain_words(log_entry: LogEntry, sentence: str) -> None:
    assert event_sentence(log_entry) == sentence


@pytest.mark.parametrize(
    ("kind", "payload", "sentence"),
    [
        ("proposal", {"raw": '{"type":"no_op","task_id":"t"}'}, "The agent proposed to do nothing now"),
        ("proposal", {"raw": "I would rather not."}, "Reply of the model as received: no JSON"),
        ("proposal", {"raw": "[1]"}, "Reply of the model as received: no proposal"),
        ("proposal", {"raw": "[" * 100_000}, "Reply of the model as received: no JSON"),
        ("browser.read_profile", {"outcome": "ok", "us": 5}, "Read the profile of Clara Yilmaz"),
        ("action.started", {"tool": "browser.send_message"}, "Began to send a message to Clara Yilmaz"),
        (
            "browser.send_invitation",
            {"outcome": "confirmed: Sent."},
            "Sent an invitation to Clara Yilmaz: confirmed: Sent.",
        ),
        (
            "verification",
            {"done": False, "checks": [{"passed": True}, {"passed": False}]},
            "Not verified: “a task” (1 of 2 passed)",
        ),
        ("browser.close", {"outcome": "ok"}, "Closed the browser"),
        ("browser.open", {"outcome": "TimeoutError: slow"}, "Opened the site in the browser: TimeoutError: slow"),
        ("file.read", {"parameters": {"file": "a.csv"}, "outcome": "ok"}, "Read “a.csv”"),
        ("file.write", {"parameters": {"files": ["a.md", "b.md"], "bytes": 9}, "outcome": "ok"}, "Wrote 2 files"),
        ("file.write", {"parameters": {"files": ["0a" * 32]}, "outcome": "ok"}, "Wrote a file"),
        ("file.write", {"parameters": {"files": ["r.html"]}, "outcome": "begun"}, "Wrote “r.html”"),
        ("setting.changed", {"parameters": {"change": "SecretForgotten", "id": "tiny"}}, "Key tiny was forgotten"),
        ("cli.run", {}, "Cli.run: Clara Yilmaz"),
    ],
)
def test_an_audit_entry_in_plain_words(kind: str, payload: dict[str, Any], sentence: str) -> None:
    assert audit_sentence(entry(kind, payload, lead=CLARA)) == sentence


def test_what_was_erased_is_said_with_less_and_nothing_wrong() -> None:
    assert event_sentence(LogEntry("ReplyReceived", "x", None, lead=CLARA)) == "Clara Yilmaz replied"
    assert event_sentence(LogEntry("LeadImported", "x", None)) == "A lead imported"


def test_a_kind_that_is_not_known_is_said_as_well_as_it_can_be() -> None:
    assert event_sentence(entry("LeadSnoozedAgain", lead=CLARA)) == "Lead snoozed again: Clara Yilmaz"


def test_what_is_worth_a_second_look_is_marked() -> None:
    kinds = ("MessageFailed", "IncidentOpened", "IncidentCleared", "MessageSent", "TurnCompleted", "turn_failed")
    assert [tone(kind) for kind in kinds] == ["bad", "bad", "plain", "good", "plain", "bad"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_COLUMNS = st.sampled_from(sorted({column for fact in FACTS.values() for column in fact.columns} | {"raw", "checks"}))


@given(st.sampled_from([*SENTENCES, *AUDIT_SENTENCES, *TOOLS, "Unknown"]), st.dictionaries(_COLUMNS, _JSON, max_size=6))
def test_whatever_a_log_holds_can_be_said(kind: str, payload: dict[str, Any]) -> None:
    """An entry may have been edited by hand: its values need not be what an event of the kind has."""
    for say in (event_sentence, audit_sentence):
        sentence = say(entry(kind, json.loads(json.dumps(payload))))
        assert 0 < len(sentence) <= MOST + 1
        assert "\n" not in sentence

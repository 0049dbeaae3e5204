"""Drafting: a text with a hole is never proposed, the user is asked for the word, and the agent sees what it should have read."""

import json
from collections.abc import Sequence as Some

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.api.questions import question as question_view
from backend.api.timeline import timeline_item
from backend.domain.events.events import Event
from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.sequence import Sequence, Step
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.snapshot import Snapshot
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.campaign import questions
from backend.store.queries.device import logs
from tests.fakes.campaign import MESSAGE_ONLY, Noted, Stage
from tests.fakes.proposers import MockProposer


def settings(template: str) -> Settings:
    return Settings(
        sequence=Sequence(steps=(Step(key="invite", kind="invitation", template=template),)),
        limits=Limits(ramp_days=0, spacing_seconds=0),
    )


def lacking(stage: Stage, template: str, columns: Some[str]) -> str:
    """A campaign with one lead for which these columns are empty."""
    campaign = stage.campaign(1, settings=settings(template))
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadMerged", lead, dict.fromkeys(columns, "")))
    return campaign


def asked(stage: Stage) -> list[str]:
    return [row[0] for row in stage.query("SELECT question FROM input_requests ORDER BY id")]


def answer(stage: Stage, campaign: str, words: str) -> None:
    stage.commands().questions.answer(campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), words)


def test_what_is_not_known_is_asked_once_by_name_and_the_answer_stands_in_the_text(stage: Stage) -> None:
    campaign = lacking(stage, "Hi {first_name} of {company}, a word?", ["company"])
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    (question,) = asked(stage)
    assert "{company}" in question
    assert "“Invitation” to" in question, "as the sequence calls the step, not by its key"
    assert stage.query("SELECT verdict FROM turn_projection WHERE verdict<>'accepted'") == []
    assert stage.query("SELECT 1 FROM messages") == []
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    answer(stage, campaign, "the Fern shop")
    stage.run(campaign, approve=False)
    (text,) = (row[0] for row in stage.query("SELECT text FROM messages"))
    assert text.endswith("of the Fern shop, a word?")
    assert len(asked(stage)) == 1
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("variable", ["first_name", "company", "job_title", "neue Stelle"])
def test_whoever_is_asked_sees_no_name_in_braces_on_any_screen(stage: Stage, variable: str) -> None:
    campaign = lacking(stage, f"About {{{variable}}}", ["company", "job_title"])
    stage.note_elsewhere(
        campaign, Event("LeadMerged", stage.one("SELECT id FROM leads"), {"full_name": "\u00a3ukasz Lis"})
    )
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    with stage.database.read() as connection:
        (row,) = questions.list_open(connection, campaign, 9)
        (line,) = [
            entry
            for seq in range(1, logs.lengths(connection, campaign).events + 1)
            if (entry := timeline_item(connection, campaign, "events", seq)).kind == "InputRequested"
        ]
    assert f"{{{variable}}}" in row.text, "by which the answer is found"
    for shown in (question_view(row).question, line.sentence, line.subject.what):
        assert "{" not in shown


def test_what_was_written_waits_for_review_character_for_character(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    written = "  Grüß Gott,\n\n„Zeilen“ und 🙂 bleiben.\n"

    def write(snapshot: Snapshot) -> str:
        proposal = json.loads(ScriptedProposer().propose(snapshot))
        if proposal["type"] == "generate_message":
            proposal["params"]["text"] = written
        return json.dumps(proposal)

    assert stage.run(campaign, proposer=MockProposer([write] * 20), approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.query("SELECT text, status FROM messages") == [(written, "draft")]


def test_how_somebody_is_greeted_is_asked_in_plain_words_where_it_is_not_sure(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=settings("Hi {first_name}, a word?"))
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadMerged", lead, {"full_name": "Schmidt, Dr. Jörg"}))
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    (question,) = asked(stage)
    assert question.startswith("How should Schmidt, Dr. Jörg be greeted?")
    answer(stage, campaign, "Jörg")
    stage.run(campaign, approve=False)
    assert stage.query("SELECT text FROM messages") == [("Hi Jörg, a word?",)]


def test_each_hole_is_asked_for_and_no_answer_is_forgotten(stage: Stage) -> None:
    campaign = lacking(stage, "{company}, {job_title}, {company}", ["company", "job_title"])
    for reply in ("Fern", " ", "CTO"):  # a blank is no answer
        assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
        answer(stage, campaign, reply)
    stage.run(campaign, approve=False)
    assert stage.one("SELECT text FROM messages") == "Fern, CTO, Fern"
    assert ["{company}" in question for question in asked(stage)] == [True, False, False]


def test_a_greeting_name_stands_in_the_text_and_answers_who_asked_for_it(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=settings("Hi {first_name}, a word?"))
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadMerged", lead, {"full_name": "\u00a3ukasz Lis"}))
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.commands().leads.choose_greeting(campaign, lead, " \u0141ukasz ").name == "\u0141ukasz"
    assert stage.query("SELECT status, answer FROM input_requests") == [("answered", "\u0141ukasz")]
    stage.run(campaign, approve=False)
    assert stage.one("SELECT text FROM messages") == "Hi \u0141ukasz, a word?"
    assert replay.find_differences(stage.database) == []


def test_an_answer_that_makes_the_text_unsendable_is_asked_for_again_with_the_reason(stage: Stage) -> None:
    campaign = lacking(stage, "Hi {first_name} of {company}", ["company"])
    for reply in ("x" * 300, "{first_name}", "Fern"):
        assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
        answer(stage, campaign, reply)
    stage.run(campaign, approve=False)
    assert str(stage.one("SELECT text FROM messages")).endswith("of Fern")
    _, second, third = asked(stage)
    assert "the limit is 200" in second
    assert "placeholder" in third
    assert stage.query("SELECT verdict FROM turn_projection WHERE verdict<>'accepted'") == []


def test_other_words_are_used_without_asking(stage: Stage) -> None:
    campaign = lacking(stage, "Hi {first_name}, about {company|your company}", ["company"])
    stage.run(campaign, approve=False)
    assert asked(stage) == []
    assert str(stage.one("SELECT text FROM messages")).endswith("about your company")


def test_further_columns_of_the_lead_file_are_variables(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=settings("Hi from {location}"))
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadMerged", lead, {"extra": {"Location": "Leeds"}}))
    stage.run(campaign, approve=False)
    assert stage.one("SELECT text FROM messages") == "Hi from Leeds"


def test_the_agent_sees_what_drafting_needs_and_nothing_else(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=settings("Hi {first_name}, a word?"))
    for n, (type_, text) in enumerate(
        (("context", "we make tea"), ("note", "zebra crossing"), ("research", "they drink tea"))
    ):
        content = text_content(type_, "k", text)
        stage.note_elsewhere(campaign, artifact_persisted(content, f"a{n}", BY_USER, 0, 1))
    later = artifact_persisted(text_content("context", "k", "we make better tea"), "a9", BY_USER, 1, 1)
    named = Event("LeadMerged", stage.one("SELECT id FROM leads"), {"full_name": "Ada note/k"})
    stage.note_elsewhere(campaign, later, named)
    proposer = Noted(ScriptedProposer())
    stage.run(campaign, proposer=proposer, approve=False)
    shown = [json.loads(text) for text in proposer.shown]
    drafting = [each for each in shown if (each["focus"]["owed"] or {}).get("due") == "draft"]
    campaign_context = ("context", 1, "# Talk\n\nI would like to invite you to a talk.\n")
    assert [
        [(artifact["type"], artifact["version"], artifact["data"]) for artifact in each["artifacts"]]
        for each in drafting
    ] == [[("context", 2, "we make better tea"), campaign_context, ("research", 1, "they drink tea")]] * len(drafting)
    assert drafting
    assert all(each["artifacts"] == [] for each in shown if each not in drafting)
    assert not any("zebra crossing" in text for text in proposer.shown)


def test_a_template_whose_text_was_rejected_asks_at_once_and_writes_nothing_again(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, approve=False)
    stage.commands().review.reject(campaign, stage.one("SELECT id FROM messages"))
    before = len(stage.turns)
    stage.run(campaign, approve=False)
    (question,) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "Write this message yourself" in question[0]
    assert "text_refused_before" in [turn.verdict for turn in stage.turns[before:]]
    assert [turn.verdict for turn in stage.turns[before:]].count("text_refused_before") == 1
    assert stage.one("SELECT count(*) FROM messages") == 1

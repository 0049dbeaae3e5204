"""What a request may find out: typed calls, typed findings, one audit entry each, and a question instead of a guess."""

import hashlib
import io
import json
from typing import Any

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.events.facts.message import (
    MessageApproved,
    MessageDrafted,
    MessageSending,
    MessageSent,
    OwnMessageFound,
    ReplyReceived,
)
from backend.domain.events.facts.task import TaskCreated
from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.days import local_midnight
from backend.domain.model.lead import LeadStatus
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.assistant_results import ASSISTANT_RESULT
from backend.domain.turn.request import Attachment
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from tests.runtime.assistant.conftest import Saying, Talk, saying

DONE = saying("no_op")


def keep(talk: Talk, artifact_type: str, key: str, text: str, follows: int = 0) -> None:
    source, blobs = io.BytesIO(text.encode()), BlobStore(talk.stage.path.parent / "blobs")
    talk.stage.commands().artifacts.save(talk.campaign, artifact_type, key, source, blobs, follows=follows)


def call(talk: Talk, tool: str, **params: Any) -> str:
    """A request for which a model makes that one call; its id."""
    return talk.tell("go", proposer=Saying([saying("execute_tool", tool=tool, **params), DONE]))


def found(talk: Talk, request: str) -> dict[str, Any]:
    (result,) = talk.results(request)
    ASSISTANT_RESULT.validate_json(json.dumps(result))
    return result


def question(talk: Talk) -> tuple[str, str, list[str]]:
    ((kind, asked, choices),) = talk.stage.query(
        "SELECT kind, question, choices FROM input_requests WHERE status='open'"
    )
    return kind, asked, json.loads(choices)


# --- artifacts ---


def test_artifacts_are_found_by_type_words_and_day(talk: Talk) -> None:
    keep(talk, "job_posting", "acme-cto", "old")
    talk.stage.clock.advance(DAY)
    keep(talk, "job_posting", "acme-cto", "new", follows=1)
    keep(talk, "note", "acme", "x")
    cases: list[tuple[dict[str, Any], list[tuple[str, int]]]] = [
        ({}, [("acme", 1), ("acme-cto", 2)]),
        ({"artifact_type": "job_posting"}, [("acme-cto", 2)]),
        ({"words": "CTO acme"}, [("acme-cto", 2)]),
        ({"words": "acme"}, [("acme", 1), ("acme-cto", 2)]),
        ({"words": "acme cto"}, [("acme-cto", 2)]),
        ({"day": "today"}, [("acme", 1), ("acme-cto", 2)]),
        ({"day": "yesterday"}, [("acme-cto", 1)]),  # the version that there was
        ({"day": "yesterday", "words": "cto"}, [("acme-cto", 1)]),
        ({"day": "this_week"}, [("acme", 1), ("acme-cto", 2)]),
        ({"since": "2026-06-02", "until": "2026-06-02"}, [("acme", 1), ("acme-cto", 2)]),
        ({"since": "2026-06-03"}, []),
        ({"until": "2026-06-01"}, [("acme-cto", 1)]),
        ({"since": "2026-06-01", "until": "2026-06-02"}, [("acme", 1), ("acme-cto", 2)]),
        ({"until": "2026-05-31"}, []),
        ({"words": "nothing"}, []),
    ]
    for params, expected in cases:
        listed = found(talk, call(talk, "artifacts.search", **params))["found"]
        versions = [(row["key"], row["version"]) for row in listed if row["key"].startswith("acme")]
        assert versions == expected, params
    ((_, payload), *_) = talk.stage.audits(talk.campaign, "artifacts.search")
    assert json.loads(payload)["outcome"] == "artifacts"


def test_what_is_shown_from_yesterday_is_what_there_was_yesterday(talk: Talk) -> None:
    keep(talk, "job_posting", "acme-cto", "We look for a CTO.")
    talk.stage.clock.advance(DAY)
    keep(talk, "job_posting", "acme-cto", "It is taken.", follows=1)
    shown = found(talk, talk.tell("show me the job posting from yesterday"))
    assert (shown["kind"], shown["artifact"]["version"]) == ("artifact", 1)
    assert shown["sha256"] == hashlib.sha256(b"We look for a CTO.").hexdigest()


def test_the_days_are_those_of_the_users_calendar(talk: Talk) -> None:
    talk.stage.clock.local = 14 * 3_600_000  # Monday noon is Tuesday there
    keep(talk, "note", "late", "x")
    talk.stage.clock.local = 0
    assert found(talk, call(talk, "artifacts.search", day="today", words="late"))["total"] == 1
    talk.stage.clock.local = 11 * 3_600_000
    talk.stage.clock.advance(2 * 3_600_000)  # past their midnight
    assert found(talk, call(talk, "artifacts.search", day="today", words="late"))["total"] == 0
    assert found(talk, call(talk, "artifacts.search", day="yesterday", words="late"))["total"] == 1


def test_one_match_is_shown_direct_from_the_store_with_its_hash(talk: Talk) -> None:
    text = "We look for a CTO.\r\n\ufeffÄ"
    keep(talk, "job_posting", "acme", text)
    talk.stage.clock.advance(DAY)
    result = found(talk, talk.tell("show me the job posting from yesterday"))
    assert result["kind"] == "artifact"
    assert (result["artifact"]["key"], result["artifact"]["bytes"]) == ("acme", len(text.encode()))
    assert result["sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_several_matches_are_a_choice_to_click_and_never_a_guess(talk: Talk) -> None:
    for key in ("acme", "initech", "globex"):
        keep(talk, "job_posting", key, key)
    request = talk.tell("show me the job posting from today")
    assert (talk.results(request), talk.runs()) == ([], [])
    kind, asked, choices = question(talk)
    assert (kind, asked, len(choices)) == ("choose_artifact", "3 artifacts fit. Which one?", 3)
    with pytest.raises(OutriderError, match="answer_not_offered"):
        talk.answer("the best one")
    talk.answer(next(choice for choice in choices if "initech" in choice))
    talk.work(request)
    assert found(talk, request)["artifact"]["key"] == "initech"
    assert talk.status(request)[0] == "done"
    assert replay.find_differences(talk.stage.database) == []


def test_none_is_said_to_be_none(talk: Talk) -> None:
    assert found(talk, talk.tell("show me the note called acme"))["code"] == "nothing_found"


def test_an_older_version_is_shown_when_it_is_named(talk: Talk) -> None:
    keep(talk, "note", "a", "one")
    keep(talk, "note", "a", "two", follows=1)
    result = found(talk, call(talk, "artifacts.show", artifact_type="note", artifact_key="a", version=1))
    assert result["sha256"] == hashlib.sha256(b"one").hexdigest()


def test_an_older_version_of_the_one_that_fits_is_shown(talk: Talk) -> None:
    keep(talk, "note", "acme", "one")
    keep(talk, "note", "acme", "two", follows=1)
    result = found(talk, call(talk, "artifacts.show", words="acme", version=1))
    assert result["sha256"] == hashlib.sha256(b"one").hexdigest()


def test_words_of_every_script_are_searched_for(talk: Talk) -> None:
    keep(talk, "note", "a", "Моё резюме")
    keep(talk, "note", "b", "Größe und Café")
    for words, key in (("резюме", "a"), ("größe café", "b")):
        assert [row["key"] for row in found(talk, call(talk, "artifacts.search", words=words))["found"]] == [key]


# --- saving ---


EVERY_BYTE = "".join(map(chr, range(256))) + "\r\n\ufeff\u2028\U0001d4b3"


@pytest.mark.parametrize(
    "text", ["We look for a CTO.\r\n", EVERY_BYTE, "x" * 1_000_000], ids=["short", "every byte", "1 MB"]
)
def test_what_was_attached_is_saved_to_the_byte_after_a_yes_and_is_the_users(talk: Talk, text: str) -> None:
    request = talk.tell("save this job posting as an artifact", Attachment("Acme CTO.txt", text))
    assert question(talk)[0] == "save_artifact"
    assert talk.stage.query("SELECT 1 FROM artifacts WHERE artifact_key='acme-cto'") == []
    talk.answer("yes")
    talk.work(request)
    rows = talk.stage.query(
        "SELECT artifact_type, source, version, content FROM artifacts WHERE artifact_key='acme-cto'"
    )
    assert rows == [("job_posting", "user", 1, text)]
    assert found(talk, request)["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert talk.status(request)[0] == "done"
    assert replay.find_differences(talk.stage.database) == []


def test_what_a_model_writes_is_its_own_and_a_no_keeps_nothing(talk: Talk) -> None:
    persist = saying("persist_artifact", artifact_type="note", artifact_key="k", content="text")
    for answer, stored in (("no", []), ("yes", [("agent", "text")])):
        request = talk.ask("note it")
        model = Saying([persist, DONE])
        talk.work(request, model)
        talk.answer(answer)
        talk.work(request, model)
        assert talk.stage.query("SELECT source, content FROM artifacts WHERE artifact_key='k'") == stored
    assert talk.stage.query("SELECT 1 FROM artifacts WHERE artifact_key='other'") == []


@pytest.mark.parametrize("attached", [(), (Attachment("a.txt", "x"),)])
def test_only_what_is_there_can_be_named(talk: Talk, attached: tuple[Attachment, ...]) -> None:
    persist = saying("persist_artifact", artifact_type="note", artifact_key="k", attachment=len(attached) + 1)
    request = talk.tell("save it", *attached, proposer=Saying([persist]))
    assert talk.codes(request)[0] == "attachment_unknown"


def test_pasted_text_is_saved_from_the_message(talk: Talk) -> None:
    request = talk.tell("save this note:\nCall Anna.\r\nOn Monday.\n")
    talk.answer("yes")
    talk.work(request)
    assert talk.stage.query("SELECT artifact_key, content FROM artifacts WHERE artifact_type='note'") == [
        ("call-anna-on-monday", "Call Anna.\r\nOn Monday.\n")
    ]


# --- leads ---


def named(talk: Talk, *names: str) -> list[str]:
    """Give the campaign's leads these names; their ids."""
    ids = [row[0] for row in talk.stage.query("SELECT id FROM leads ORDER BY position")]
    for lead, name in zip(ids, names, strict=False):
        event = Event("LeadMerged", lead, {"full_name": name})
        talk.stage.journal.record(talk.campaign, events=[event], actor="test", cause="test", at=1)
    return ids


def test_why_somebody_was_not_contacted_is_told_with_every_gate(talk: Talk) -> None:
    anna, *_ = named(talk, "Anna Berg", "Bob Stone", "Carol Hill")
    result = found(talk, talk.tell("why was Anna not contacted?"))
    assert (result["kind"], result["lead_id"], result["name"], result["status"]) == (
        "lead",
        anna,
        "Anna Berg",
        "pending",
    )
    assert "Waits to be scored; nobody is contacted before everyone is." in result["sentences"]
    refused = {gate["code"]: gate["sentence"] for gate in result["gates"] if not gate["passes"]}
    assert refused == {"campaign_active": "The campaign has not been started."}
    talk.stage.run(talk.campaign)
    result = found(talk, talk.tell("why was Anna not contacted?"))
    assert any(sentence.startswith("Next step: ") for sentence in result["sentences"])


def test_several_of_that_name_are_a_choice(talk: Talk) -> None:
    _, second, _ = named(talk, "Anna Berg", "Anna Berg", "Anna Meyer")
    moved = Event("LeadMerged", second, {"company": "Initech", "job_title": ""})
    talk.stage.journal.record(talk.campaign, events=[moved], actor="test", cause="test", at=1)
    request = talk.tell("why was Anna Berg not contacted?")
    kind, _, choices = question(talk)
    assert (kind, len(choices), len(set(choices))) == ("choose_lead", 2, 2)
    talk.answer("Anna Berg, Initech")
    talk.work(request)
    assert found(talk, request)["lead_id"] == second


def test_nobody_of_that_name_is_said(talk: Talk) -> None:
    assert found(talk, talk.tell("why was Zaphod not contacted?"))["code"] == "nothing_found"
    assert found(talk, call(talk, "leads.explain", words='"* OR 1'))["code"] == "nothing_found"


def test_response_rates_are_those_of_the_built_in_report(talk: Talk) -> None:
    talk.stage.run(talk.campaign)
    result = found(talk, talk.tell("show response rates by Company"))
    assert (result["kind"], result["field"]) == ("rates", "Company")
    assert sum(row["contacted"] for row in result["rows"]) == 3
    unknown = found(talk, talk.tell("show response rates by industry"))
    assert unknown["code"] == "field_unknown"
    assert "Job title, Company, Score" in unknown["sentence"]


# --- questions about the campaign ---


def test_counts_and_people_are_answered_from_the_data_and_by_nobodys_model(talk: Talk) -> None:
    anna, bob, _ = named(talk, "Anna Berg", "Bob Stone", "Carol Hill")
    answer = found(talk, talk.tell("how many leads are there?"))
    assert answer["sentence"] == "3 leads: 0 contacted, 0 accepted, 0 replied."
    assert found(talk, talk.tell("who replied?"))["sentence"] == "Nobody replied so far."
    for lead, columns in {
        anna: {"status": "contacted", "invited_at": 5, "accepted_at": 7},
        bob: {"status": "responded", "invited_at": 6, "accepted_at": 8, "replied_at": 9},
    }.items():
        advanced = Event("LeadAdvanced", lead, columns)
        talk.stage.journal.record(talk.campaign, events=[advanced], actor="test", cause="test", at=1)

    def people(question: str) -> tuple[str, list[str]]:
        answer = found(talk, talk.tell(question))
        return answer["sentence"], [row["label"] for row in answer["rows"]]

    assert people("who accepted?") == ("2 people accepted your invitation.", ["Bob Stone", "Anna Berg"])
    assert people("who replied?") == ("1 person replied.", ["Bob Stone"])
    assert people("who has not replied?") == ("1 person was contacted and has not replied.", ["Anna Berg"])
    assert people("who was contacted?") == ("2 people were contacted.", ["Bob Stone", "Anna Berg"])
    answer = found(talk, talk.tell("how many leads are there?"))
    assert answer["sentence"] == "3 leads: 2 contacted, 2 accepted, 1 replied."
    authors = {author for (author,) in talk.stage.query("SELECT DISTINCT role FROM conversations")}
    assert authors == {"user", "outrider"}


def test_a_question_about_a_week_or_a_day_counts_what_happened_then(talk: Talk) -> None:
    anna, bob, _ = named(talk, "Anna Berg", "Bob Stone", "Carol Hill")
    now = talk.stage.clock.now()
    for lead, columns in {
        anna: {"status": "contacted", "invited_at": now - 40 * DAY},
        bob: {"status": "responded", "invited_at": now - 40 * DAY, "last_sent_at": now, "replied_at": now},
    }.items():
        advanced = Event("LeadAdvanced", lead, columns)
        talk.stage.journal.record(talk.campaign, events=[advanced], actor="test", cause="test", at=1)

    def told(question: str) -> str:
        sentence: str = found(talk, talk.tell(question))["sentence"]
        return sentence

    assert told("How many were invited?") == "2 people were invited."
    assert told("How many were invited this week?") == "Nobody was invited this week."
    assert told("who was contacted today?") == "1 person was contacted today."
    assert told("who replied this month?") == "1 person replied this month."
    assert told("who has not replied this month?") == "Nobody was contacted this month and has not replied."
    assert told("show me the numbers of this week") == "This week: 0 invited, 0 accepted, 1 replied."


def test_who_was_contacted_in_a_week_is_counted_whatever_came_later(talk: Talk) -> None:
    anna, bob, carol = named(talk, "Anna Berg", "Bob Stone", "Carol Hill")
    now = talk.stage.clock.now()
    long_ago, lately = now - 40 * DAY, now - 7 * DAY  # the day of a week ago is in the last one

    def record(*events: Event) -> None:
        talk.stage.journal.record(talk.campaign, events=events, actor="test", cause="test", at=1)

    def sent(id_: str, lead: str, kind: str, at: int) -> None:
        record(MessageDrafted(id_, lead_id=lead, task_id="", step=kind, kind=kind, text="x", created_at=at))
        record(MessageApproved(id_), MessageSending(id_), MessageSent(id_, sent_at=at, evidence=[]))

    sent("m1", anna, "invitation", lately)
    sent("m2", anna, "message", now)
    sent("m3", carol, "invitation", long_ago)
    record(
        OwnMessageFound("m4", lead_id=bob, kind="message", text="x", sent_at=lately, created_at=now),
        ReplyReceived("m5", lead_id=bob, kind="reply", text="x", sent_at=lately, created_at=now),
        LeadAdvanced(anna, status=LeadStatus.CONTACTED, invited_at=lately, last_sent_at=now),
        LeadAdvanced(bob, status=LeadStatus.RESPONDED, last_sent_at=now, replied_at=now),
        LeadAdvanced(carol, status=LeadStatus.CONTACTED, invited_at=long_ago),
    )

    def told_of(question: str) -> tuple[str, list[str]]:
        answer = found(talk, talk.tell(question))
        return answer["sentence"], sorted(row["label"] for row in answer["rows"])

    both = ["Anna Berg", "Bob Stone"]
    assert told_of("who was contacted last week?") == ("2 people were contacted last week.", both)
    assert told_of("who was contacted this week?") == ("2 people were contacted this week.", both)
    assert told_of("who was invited last week?") == ("1 person was invited last week.", ["Anna Berg"])
    assert told_of("who replied last week?") == ("1 person replied last week.", ["Bob Stone"])
    assert told_of("who has not replied last week?") == (
        "1 person was contacted last week and has not replied.",
        ["Anna Berg"],
    )
    assert told_of("who was contacted?")[0] == "3 people were contacted."


def test_what_is_next_and_what_waits(talk: Talk) -> None:
    assert found(talk, talk.tell("what waits for me?"))["sentence"] == "Nothing waits for you now."
    talk.stage.activate(talk.campaign)
    answer = found(talk, talk.tell("what is next?"))
    assert answer["sentence"].startswith("Next: ")
    assert answer["rows"]
    talk.stage.run(talk.campaign)
    assert found(talk, talk.tell("what is next?"))["sentence"] == "Nothing: the campaign is done."


def test_what_is_next_is_not_before_the_task_is_due_nor_before_the_account_may_act(talk: Talk) -> None:
    clock = talk.stage.clock
    soon = clock.now() + HOUR
    planned = TaskCreated(
        "task",
        kind=TaskKind.REACH_LEAD,
        description="Invite Anna",
        status=TaskStatus.PENDING,
        needs=ActionFamily.INVITE,
        created_at=clock.now(),
        ready_at=soon,
    )
    talk.stage.journal.record(talk.campaign, events=[planned], actor="test", cause="test", at=1)

    def first() -> tuple[int | None, int | None]:
        rows = found(talk, talk.tell("what is next?"))["rows"]
        row = next(row for row in rows if row["label"] == "Invite Anna")
        return row["at"], row["earliest"]

    assert first() == (None, soon)
    midnight = local_midnight(clock.now(), clock.offset)
    clock.advance(midnight + 20 * HOUR - clock.now())
    assert first() == (None, midnight + DAY + 9 * HOUR), "working hours begin"
    clock.advance(13 * HOUR)
    assert first() == (None, None), "now"


def test_what_is_not_understood_is_not_said_to_be_a_models_answer(talk: Talk) -> None:
    request = talk.tell("sing me a song")
    assert [(author, kind) for author, kind, *_ in talk.lines(request)] == [("user", "said"), ("outrider", "said")]


# --- the campaign ---


def test_a_model_that_would_pause_a_campaign_only_asks(talk: Talk) -> None:
    talk.stage.activate(talk.campaign)
    proposer = Saying([saying("execute_tool", tool="campaign.pause")])
    request = talk.tell("how many leads are there?", proposer=proposer)
    assert question(talk)[::2] == ("pause_campaign", ["pause", "not now"])
    assert talk.stage.status(talk.campaign) == "active"
    talk.answer("not now")
    talk.work(request)
    assert talk.stage.status(talk.campaign) == "active"
    assert talk.status(request)[0] == "done"


def test_a_pause_is_the_users_click(talk: Talk) -> None:
    talk.stage.activate(talk.campaign)
    request = talk.tell("please pause the campaign")
    assert talk.stage.status(talk.campaign) == "active"
    talk.answer("pause")
    talk.work(request)
    assert "paused" in found(talk, request)["sentence"]
    assert talk.stage.status(talk.campaign) == "paused"
    assert talk.stage.one("SELECT actor FROM event_log WHERE kind='CampaignPaused'") == "user"
    again = found(talk, talk.tell("please pause the campaign"))
    assert again["sentence"] == "The campaign is paused, so it does not run."


def test_going_on_is_only_asked(talk: Talk) -> None:
    request = talk.tell("please continue the campaign")
    assert question(talk)[::2] == ("continue_campaign", ["continue", "not now"])
    assert talk.stage.status(talk.campaign) == "initializing"
    talk.answer("not now")
    talk.work(request)
    assert talk.status(request)[0] == "done"


def test_a_completed_campaign_does_not_go_on(talk: Talk) -> None:
    talk.stage.run(talk.campaign)
    assert found(talk, talk.tell("please continue the campaign"))["code"] == "campaign_not_active"


@pytest.mark.parametrize("tool", ["browser.send_invitation", "browser.open_profile", "browser.check_selectors"])
def test_nothing_that_acts_on_the_site_is_done_for_a_request(talk: Talk, tool: str) -> None:
    talk.stage.activate(talk.campaign)
    lead = talk.stage.one("SELECT id FROM leads LIMIT 1")
    params = {"lead_id": lead, "message_id": "m"} if "send" in tool else {"lead_id": lead} if "open" in tool else {}
    request = talk.tell("go", proposer=Saying([saying("execute_tool", tool=tool, **params)]))
    assert set(talk.codes(request)) == {"not_for_a_request", "gave_up"}
    assert talk.stage.site.calls == []


def test_the_one_that_the_user_named_is_shown_and_of_two_named_the_user_is_asked(talk: Talk) -> None:
    for key in ("beta", "alpha-two", "gamma"):
        keep(talk, "job_posting", key, "All of beta, alpha two and gamma.")
    assert found(talk, talk.tell("show me the beta posting"))["artifact"]["key"] == "beta"
    assert found(talk, talk.tell("show me the job posting for Alpha Two"))["artifact"]["key"] == "alpha-two"
    talk.tell("show me the beta or gamma posting")
    assert question(talk)[1] == "3 artifacts fit. Which one?"


def test_what_an_artifact_is_does_not_say_which_one_is_meant(talk: Talk) -> None:
    for key in ("job-posting", "acme"):
        keep(talk, "job_posting", key, "x")
    talk.tell("show me the job posting")
    assert question(talk)[1] == "2 artifacts fit. Which one?"


def test_what_a_request_found_is_in_the_next_snapshot_with_its_content(talk: Talk) -> None:
    keep(talk, "note", "acme", "They are hiring in Oslo.")
    keep(talk, "job_posting", "acme-cto", "We look for a CTO.")
    model = Saying([saying("execute_tool", tool="artifacts.search", words="acme"), DONE])
    talk.tell("what do we know of acme?", proposer=model)
    before, after, *_ = ({artifact.key: artifact.text for artifact in seen.artifacts} for seen in model.seen)
    assert not before.keys() & {"acme", "acme-cto"}
    assert (after["acme"], after["acme-cto"]) == ("They are hiring in Oslo.", "We look for a CTO.")
    assert "hiring in Oslo" in model.seen[1].state_json()

"""The conversation is a record for the user: taking it away changes no prompt, no task, no gate and no replay."""

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.days import in_utc
from backend.domain.turn.request import Attachment, plain_command
from backend.situation.situations import TurnInputs
from backend.store.log import replay, verification
from backend.store.queries.campaign import campaigns
from backend.store.queries.turn import requests
from backend.turn import load as loading
from tests.fakes.campaign import LOGS, Noted, Stage
from tests.runtime.assistant.conftest import Saying, Stages, Talk, saying


def shown(stage: Stage, campaign: str, request: str | None = None) -> str:
    """The snapshot that the next turn would be given."""
    inputs = TurnInputs(stage.clock.now(), in_utc, present=True)
    with stage.database.read() as connection:
        position = campaigns.position(connection, campaign)
        assert position is not None
        if request is None:
            context = loading.load(connection, position, inputs)
        else:
            context = loading.load_request(connection, position, inputs, request)
        return loading.snapshot(connection, context).to_json()


def test_deleting_it_changes_nothing_but_what_is_shown(talk: Talk) -> None:
    stage = talk.stage
    stage.runner(stop_after=9).run(talk.campaign)
    stage.commands().campaigns.change_status(talk.campaign, CampaignStatus.ACTIVE)
    talk.tell("list my saved artifacts", Attachment("a.txt", "secret plans"))
    waits = talk.ask("do it")
    talk.work(waits, Saying([saying("request_user_input", question="Which?", kind="text")]))
    talk.answer("the second")
    before = stage.dump()
    prompts = shown(stage, talk.campaign), shown(stage, talk.campaign, waits)
    assert "the second" in prompts[1]
    stage.commands().requests.delete(talk.campaign)
    after = stage.dump()
    assert (shown(stage, talk.campaign), shown(stage, talk.campaign, waits)) == prompts
    changed = {table for table in before if before[table] != after[table]}
    assert changed == {"campaigns"}
    names = [name for _, name, *_ in stage.query("SELECT * FROM pragma_table_info('campaigns')")]
    row, now = before["campaigns"][0], after["campaigns"][0]
    differing = {name for name, old, new in zip(names, row, now, strict=True) if old != new}
    assert differing <= {"conversation_from", "conversation_back"}
    assert differing
    assert replay.find_differences(stage.database) == []
    stage.commands().requests.restore(talk.campaign)
    assert dict(zip(names, stage.dump()["campaigns"][0], strict=True))["conversation_from"] == 0
    talk.work(waits)
    assert talk.status(waits)[0] == "done"
    with stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []


def test_what_a_turn_says_is_recorded_with_that_turn(talk: Talk) -> None:
    talk.work(talk.ask("do it"), Saying([saying("no_op", say="Here it is.")]))
    of_turn = "SELECT cause FROM event_log WHERE actor='controller' AND kind=? ORDER BY seq DESC LIMIT 1"
    assert talk.stage.query(of_turn, "ConversationSaid") == talk.stage.query(of_turn, "TurnCompleted") != []


def test_a_request_survives_the_deletion_of_its_conversations_rows(talk: Talk) -> None:
    stage, words = talk.stage, "find the posting " * 30
    request = talk.ask(words, Attachment("a.txt", "plans"))
    first = Saying([saying("request_user_input", question="Which?", kind="choice", choices=["a", "b"])])
    talk.work(request, first)
    talk.answer("b")
    stage.outside.execute("DELETE FROM conversations")
    keep = saying("persist_artifact", artifact_type="note", artifact_key="plans", attachment=1)
    model = Saying([keep, saying("no_op", say="Here it is.")])
    talk.work(request, model)
    talk.answer("yes")
    assert stage.query("SELECT content, source FROM artifacts WHERE artifact_type='note'") == [("plans", "user")]
    stage.outside.execute("DELETE FROM conversations")
    talk.work(request, model)
    seen = model.seen[0]
    assert seen.request is not None
    assert seen.request.text == words, "what was asked for is the request's own, not the conversation's"
    assert seen.request.attached == (("a.txt", "plans"),)
    assert seen.focus.answered is not None
    assert talk.status(request) == ("done", "")


def test_a_click_is_the_users_word_also_when_the_conversations_rows_are_gone(talk: Talk) -> None:
    request = talk.tell("please continue the campaign")
    talk.answer("continue")
    talk.stage.outside.execute("DELETE FROM conversations")
    assert talk.stage.database.query(requests.answered, request) == ("continue_campaign", "continue")


def test_a_campaigns_turns_never_see_a_word_of_it(stages: Stages) -> None:
    stage = stages()
    talk = Talk(stage, stage.campaign(2))
    last: list[int] = []
    model = Noted(ScriptedProposer(), lambda shown: last.append(shown.last.number if shown.last else 0))

    def chat(_: object) -> None:
        if not talk.asked:
            talk.tell("ZEBRA, list my saved artifacts", Attachment("zebra.txt", "ZEBRA"))
            talk.tell("hello", proposer=Saying([saying("no_op", say="ZEBRA is what you said")]))

    stage.run(talk.campaign, proposer=model, on_turn=chat)
    assert stage.status(talk.campaign) == "completed"
    assert talk.asked == 2
    assert not any("ZEBRA" in prompt for prompt in model.shown)
    of_requests = {number for (number,) in stage.query("SELECT number FROM turn_projection WHERE request_id<>''")}
    assert of_requests
    assert not of_requests & {*last}, "nor how a turn for it ended"


def test_deleting_nothing_is_nothing(talk: Talk) -> None:
    head = talk.stage.head(talk.campaign)
    talk.stage.commands().requests.delete(talk.campaign)
    talk.stage.commands().requests.restore(talk.campaign)
    assert talk.stage.head(talk.campaign) == head


def test_an_open_question_of_a_request_does_not_hold_the_campaign(talk: Talk) -> None:
    request = talk.ask("do it")
    talk.work(request, Saying([saying("request_user_input", question="Which?", kind="text")]))
    talk.stage.run(talk.campaign)
    assert talk.stage.status(talk.campaign) == "completed"
    assert talk.stage.one("SELECT count(*) FROM input_requests WHERE status='open'") == 1


def test_only_a_whole_message_is_a_plain_command() -> None:
    for text in ("continue", " Continue! ", "GO ON…", "resume", "go", "…pause?", "Stop."):
        assert plain_command(text), text
    for text in ("continue the campaign", "don't stop", "pause it", "", "?", "stopp", "go onward"):
        assert plain_command(text) is None, text
    assert {plain_command(text) for text in ("pause", "stop")} == {"stop"}


def test_the_logs_hold_everything_that_was_said(talk: Talk) -> None:
    request = talk.tell("hello", proposer=Saying([saying("no_op", say="Hi.")]))
    talk.stage.commands().requests.delete(talk.campaign)
    payloads = [payload for kind, _, payload in talk.stage.events(talk.campaign, "ConversationSaid")]
    assert len(payloads) == len(talk.lines(request)) == 2
    assert LOGS


@pytest.mark.parametrize("kind", ["confirm", "choice", "text"])
def test_typed_questions_are_kept_as_they_were_asked(talk: Talk, kind: str) -> None:
    choices = ["a", "b"] if kind == "choice" else []
    model = Saying([saying("request_user_input", question="Which?", kind=kind, choices=choices)])
    request = talk.ask("do it")
    talk.work(request, model)
    talk.stage.reopen()
    assert talk.stage.query("SELECT kind, question, status FROM input_requests") == [(kind, "Which?", "open")]
    assert talk.lines(request)[-1][1:3] == ("question", "Which?")

"""One person in two campaigns has one conversation for the user; models, programs and proofs see their own campaign's part."""

import json
from dataclasses import dataclass

import pytest

from backend.adapters.llm.prompt import compose
from backend.adapters.llm.schema import proposal_schema
from backend.adapters.llm.scripted import ScriptedProposer
from backend.api.threads import last_said
from backend.domain.model.campaign import DAY
from backend.domain.model.lead import Label
from backend.domain.model.message import MessageSource
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.mcp import resources
from backend.mcp.tools import call
from backend.ports.sync_status import LocalOnly
from backend.runtime.copies.portable_proof import proof_page
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import explain_lead
from backend.store.log.log_signer import LogSigner
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import messages, threads
from backend.store.queries.contact.messages import StoredThread
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import QUICK, Noted, Stage
from tests.fakes.proved import open_signer
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk
from tests.mcp.test_proposals import context

MARK = "Zanzibar"
"""Stands in the name of one campaign and in every message that passed through it, and nowhere else."""


def lead_of(stage: Stage, campaign: str) -> str:
    return str(stage.one("SELECT min(id) FROM leads WHERE campaign_id=?", campaign))


def conversation(stage: Stage, lead: str) -> StoredThread:
    return stage.database.query(messages.thread, lead, 200, 20_000)


@dataclass
class TwoCampaigns:
    """One person in both; A has written to them, and the user lets B write, too."""

    a: Desk
    b: Desk
    lead_a: str
    lead_b: str

    def reply(self, text: str) -> None:
        """They have written to the user, who says so in A's send session."""
        words, at = self.a.stage.commands().send_words, self.a.clock.now()
        ask = SessionAsk.REPLIED
        words.say(self.a.campaign, self.lead_a, Word.REPLIED, ask=ask, action_id="", at=at, reply=text)


def written_through_a(stage: Stage) -> TwoCampaigns:
    a = desk(stage, MESSAGES, people=1, limits=EVERY_DAY, name=MARK, connected_on="2024-03-15")
    a.say(a.hand_over(no_reply=True), Word.SENT)
    a.leave()
    stage.clock.jump(60_000)
    b = Desk(stage, by_hand(stage, MESSAGES, people=1, limits=EVERY_DAY, name="B"), LocalOnly())
    return TwoCampaigns(a, b, lead_of(stage, a.campaign), lead_of(stage, b.campaign))


def test_the_card_of_the_second_campaign_shows_what_the_first_has_sent(stage: Stage) -> None:
    two = written_through_a(stage)
    stage.commands().people.contact_anyway(two.b.campaign, two.lead_b, "we met at a fair")
    two.b.run()
    (card,) = two.b.state().people
    (shown,) = stage.database.query(last_said, card.lead.id)
    assert (shown.author, shown.campaign, shown.source) == ("us", MARK, MessageSource.REPORTED)
    assert shown.text.startswith("Hi ")


def test_what_the_user_has_in_hand_from_another_campaign_is_shown_as_possibly_sent(stage: Stage) -> None:
    a = desk(stage, MESSAGES, people=1, limits=EVERY_DAY, name="A", connected_on="2024-03-15")
    b = by_hand(stage, MESSAGES, people=1, limits=EVERY_DAY, name="B")
    a.hand_over(no_reply=True)
    (shown,) = conversation(stage, lead_of(stage, b)).messages
    assert shown.source is MessageSource.UNSETTLED


def test_a_conversation_is_whole_and_in_time_order_from_either_lead(stage: Stage) -> None:
    two = written_through_a(stage)
    stage.clock.jump(DAY)
    two.reply("Thank you, call me.")
    seen_from_a, seen_from_b = (conversation(stage, lead).messages for lead in (two.lead_a, two.lead_b))
    assert seen_from_a == seen_from_b
    assert [(message.author, message.campaign, message.source) for message in seen_from_b] == [
        ("us", MARK, MessageSource.REPORTED),
        ("them", MARK, MessageSource.REPORTED),
    ]
    assert [message.at for message in seen_from_b] == sorted(message.at for message in seen_from_b)


def test_another_campaigns_drafts_are_no_part_of_a_conversation(stage: Stage) -> None:
    a = stage.campaign(1, name="A")
    stage.run(a, approve=False)
    b = stage.campaign(1, name="B")
    assert [message.status for message in conversation(stage, lead_of(stage, a)).messages] == ["draft"]
    assert conversation(stage, lead_of(stage, b)).messages == []


def test_a_reply_is_answered_once_and_from_wherever_it_is_read(stage: Stage) -> None:
    two = written_through_a(stage)
    replies = stage.commands().replies
    with pytest.raises(OutriderError, match="nothing_to_answer"):
        replies.answer(two.b.campaign, two.lead_b, "Gladly.")
    two.reply("Thank you, call me.")
    replies.answer(two.b.campaign, two.lead_b, "Gladly.")
    with pytest.raises(OutriderError, match="answer_waiting"):
        replies.answer(two.a.campaign, two.lead_a, "Gladly.")


def test_a_reply_that_was_read_as_part_of_one_campaign_is_unread_in_none(stage: Stage) -> None:
    two = written_through_a(stage)
    two.reply("Thank you, call me.")
    with stage.database.read() as connection:
        assert [lead for _, lead in messages.unread(connection, two.lead_b, stage.clock.now())] == [two.lead_a]
    stage.clock.jump(1)
    stage.commands().replies.read(two.b.campaign, two.lead_b)
    assert stage.database.query(messages.unread, two.lead_a, stage.clock.now()) == []


def test_who_replied_through_one_campaign_has_replied_in_the_inbox_of_the_other(stage: Stage) -> None:
    two = written_through_a(stage)
    stage.commands().people.contact_anyway(two.b.campaign, two.lead_b, "we met at a fair")
    two.b.run()
    two.b.say(two.b.hand_over(no_reply=True), Word.SENT)
    two.b.leave()

    def shown(*states: str) -> list[str]:
        with stage.database.read() as connection:
            return [row.state for row in threads.threads(connection, two.b.campaign, states, threads.NEWEST, 10)]

    assert (shown("waiting"), shown("replied")) == (["waiting"], [])
    two.reply("Thank you, call me.")
    assert (shown("waiting"), shown("replied")) == ([], ["replied"])
    head = stage.database.query(threads.thread_head, two.b.campaign, two.lead_b, stage.clock.now())
    assert head is not None
    assert head.state == "replied"


def test_of_one_person_in_two_campaigns_the_inbox_of_all_shows_the_latest(stage: Stage) -> None:
    two = written_through_a(stage)
    stage.commands().people.contact_anyway(two.b.campaign, two.lead_b, "we met at a fair")
    two.b.run()
    two.b.say(two.b.hand_over(no_reply=True), Word.SENT)
    two.b.leave()
    states = ("unknown", "replied", "waiting")
    with stage.database.read() as connection:
        shown = [
            row.lead_id
            for campaign in (two.a.campaign, two.b.campaign)
            for row in threads.threads(connection, campaign, states, threads.NEWEST, 10, once=True)
        ]
    assert shown == [two.lead_b]


def test_a_conversation_is_read_by_index(stage: Stage) -> None:
    seen: list[str] = []
    with stage.database.read() as connection:
        connection.set_trace_callback(seen.append)
        messages.thread(connection, "x", 200, 100)
        messages.last_exchanged(connection, "x", 4, 100)
        connection.set_trace_callback(None)
        plans = [row[3] for statement in seen for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    read_whole = [
        plan for plan in plans if plan.startswith("SCAN") and plan.split()[1] in ("m", "messages", "c", "campaigns")
    ]
    assert read_whole == []


# --- what a campaign's model, programs and proof are told ---


def test_a_model_is_told_nothing_of_another_campaign(stage: Stage) -> None:
    first = stage.campaign(2, settings=QUICK, name=MARK)
    stage.run(first, approve=False)
    for draft in stage.query("SELECT id FROM messages WHERE status='draft'"):
        stage.commands().review.edit(first, draft[0], f"{MARK}, shall we talk?")
    stage.run(first)
    lead = lead_of(stage, first)
    other = stage.campaign(2, settings=QUICK, name="B")
    stage.commands().people.contact_anyway(other, lead_of(stage, other), "we met at a fair")
    prompts: list[str] = []

    def keep(snapshot: Snapshot) -> None:
        prompt = compose(snapshot, proposal_schema(snapshot))
        prompts.append(prompt.system + prompt.state + json.dumps(prompt.schema))

    stage.run(other, proposer=Noted(ScriptedProposer(), keep), stop_after=12)
    stage.commands().replies.label(first, lead, Label.NO)
    stage.run(other, proposer=Noted(ScriptedProposer(), keep), stop_after=12)
    assert prompts
    assert [prompt for prompt in prompts if MARK in prompt] == []
    recorded = stage.query("SELECT change_payload FROM event_log WHERE campaign_id=?", other)
    recorded += stage.query("SELECT payload FROM audit_log WHERE campaign_id=?", other)
    assert [entry for (entry,) in recorded if MARK in entry] == []


@pytest.mark.parametrize("replied", [False, True])
def test_a_connected_program_and_the_assistant_are_told_the_bare_fact_and_the_user_the_campaign(
    stage: Stage, replied: bool
) -> None:
    two = written_through_a(stage)
    if replied:
        two.reply(f"{MARK} it is.")
    campaign, lead = two.b.campaign, two.lead_b
    shown = json.dumps(
        [
            call(context(stage), "why", {"campaign": campaign, "lead": lead}),
            call(context(stage), "campaign_status", {"campaign": campaign}),
            call(context(stage), "search_artifacts", {"campaign": campaign}),
            resources.read(context(stage), f"outrider://campaigns/{campaign}/log").text,
        ]
    )
    assert MARK not in shown
    assert ("replied in another campaign" if replied else "in touch with them elsewhere") in shown
    text = {"lead_id": lead, "step": "hello", "text": "Hello"}
    proposal = {"campaign": campaign, "key": "1", "type": "generate_message", "params": text}
    with pytest.raises(OutriderError) as refused:
        call(context(stage), "propose", proposal)
    assert MARK not in str(refused.value)
    with stage.database.read() as connection:
        stored_campaign = campaigns.campaign(connection, campaign)
        assert stored_campaign is not None
        inputs = TurnInputs.at(stage.clock, stage.clock.now(), present=True)
        assert MARK not in explain_lead(connection, stored_campaign, inputs, lead).model_dump_json()
        assert MARK in explain_lead(connection, stored_campaign, inputs, lead, to_user=True).model_dump_json()


def test_a_proof_discloses_no_other_campaigns_name_or_messages(stage: Stage) -> None:
    stage.journal.signing = LogSigner(open_signer())
    two = written_through_a(stage)
    two.reply(f"{MARK} it is.")
    stage.commands().people.contact_anyway(two.b.campaign, two.lead_b, "we met at a fair")
    two.b.run()
    proof = b"".join(proof_page(stage.journal, two.b.campaign, lambda _: b"", stage.clock.now()))
    assert two.lead_b.encode() in proof
    assert MARK.encode() not in proof
    assert two.lead_a.encode() not in proof

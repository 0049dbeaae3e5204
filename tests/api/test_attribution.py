"""A reply, the user's answer and a second reply: every surface still gives the reply to the step that earned it."""

import csv
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from backend.adapters.sandbox.builtin_scripts import builtin_source
from backend.api import insights, report
from backend.api.insights import InsightsView
from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.send_word import Word
from backend.domain.reports.report import report_html
from backend.situation.situations import TurnInputs
from backend.store.queries.campaign import campaign_answers, campaigns
from backend.store.queries.reports import attributions, today
from backend.store.queries.turn.script_data import script_data
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk, desk
from tests.sandbox.conftest import questions, sandbox

AWAY = "Automatic reply: I am out of office."


pytestmark = pytest.mark.usefixtures("sound_log")


@pytest.fixture
def it(stage: Stage) -> Desk:
    return desk(stage, MESSAGES, people=4, limits=EVERY_DAY)


def send(it: Desk) -> str:
    """The next message goes out; to whom."""
    lead = it.hand_over(no_reply=True)
    it.say(lead, Word.SENT)
    it.leave()
    return lead


def reply(it: Desk, lead: str, *, text: str) -> str:
    """They write within the hour, as an export shows a day later; the message's id."""
    written_at = it.stage.clock.now() + HOUR
    it.stage.clock.advance(DAY)
    it.stage.commands().replies.found(it.campaign, lead, text, at=written_at, answers=True)
    return str(it.stage.one("SELECT id FROM messages WHERE lead_id=? AND text=?", lead, text))


def answer(it: Desk, lead: str, text: str) -> None:
    it.stage.commands().replies.answer(it.campaign, lead, text)
    position = next(n for n, person in enumerate(it.state().people) if person.lead.id == lead)
    it.hand_over(position)
    it.say(lead, Word.SENT)
    it.leave()
    it.stage.clock.advance(HOUR)


def overview(it: Desk) -> InsightsView:
    with it.stage.database.read() as connection:
        campaign = campaigns.campaign(connection, it.campaign)
        assert campaign is not None
        return insights.overview(connection, campaign, inputs(it))


def inputs(it: Desk) -> TurnInputs:
    return TurnInputs.at(it.clock, it.clock.now(), present=True)


def steps(it: Desk) -> dict[str, tuple[int, int]]:
    """Of each step, how often it was sent, and how many replies it earned."""
    return {line.step: (line.sent, line.replied.count) for line in overview(it).steps}


def test_the_step_that_earned_a_reply_keeps_it_when_they_write_again_after_the_users_answer(it: Desk) -> None:
    lead = send(it)
    reply(it, lead, text="Yes, tell me more.")
    assert steps(it) == {"hello": (1, 1)}
    answer(it, lead, "With pleasure: tomorrow?")
    assert steps(it) == {"hello": (1, 1)}
    reply(it, lead, text="Tomorrow is fine.")
    assert steps(it) == {"hello": (1, 1)}, "the answer is no step, and the second reply changes nothing"
    with it.stage.database.read() as connection:
        assert attributions.count_steps_after_reply(connection, it.campaign) == 0, "the user's answer is no accusation"
    assert overview(it).replies.median_ms == pytest.approx(HOUR, abs=HOUR / 10), "when they wrote, not when it was seen"


def test_a_reply_that_was_only_reported_keeps_its_step_too(it: Desk) -> None:
    lead = send(it)
    it.stage.clock.advance(4 * DAY)
    it.run()
    it.say(lead, Word.REPLIED)
    assert it.stage.query("SELECT text, reply_kind FROM messages WHERE kind='reply'") == [("", "")]
    answer(it, lead, "With pleasure: tomorrow?")
    reply(it, lead, text="Tomorrow is fine.")
    assert steps(it) == {"hello": (1, 1)}
    counts = overview(it).replies
    assert (counts.replies, counts.undated, counts.unprompted) == (0, 1, 0), "nobody knows when they wrote"


def test_an_automatic_reply_earns_nothing_and_the_next_step_may(it: Desk) -> None:
    lead = send(it)
    reply(it, lead, text=AWAY)
    assert steps(it) == {"hello": (1, 0)}
    it.stage.clock.advance(9 * DAY)
    it.run()
    position = next(n for n, person in enumerate(it.state().people) if person.lead.id == lead)
    it.hand_over(position, no_reply=True)
    it.say(lead, Word.SENT)
    it.leave()
    reply(it, lead, text="Back again. Yes!")
    assert steps(it) == {"hello": (1, 0), "again": (1, 1)}
    assert it.stage.database.query(attributions.count_steps_after_reply, it.campaign) == 0


def test_what_the_user_calls_automatic_is_no_reply_anywhere_and_takes_nothing_up_again(it: Desk) -> None:
    lead = send(it)
    message = reply(it, lead, text="Thank you for your message. It was received.")
    it.stage.commands().replies.classify(it.campaign, message, ReplyKind.AUTOMATIC)
    assert (it.lead(lead, "replied_at"), it.lead(lead, "finished")) == (None, "replied")
    assert steps(it) == {"hello": (1, 0)}
    assert numbers(it) == dict.fromkeys(SURFACES, 0)
    it.stage.commands().replies.classify(it.campaign, message, ReplyKind.HUMAN)
    assert steps(it) == {"hello": (1, 1)}


def test_one_of_two_replies_may_be_a_machines(it: Desk) -> None:
    lead = send(it)
    first = reply(it, lead, text="Thank you for your message. It was received.")
    reply(it, lead, text="Yes, please.")
    it.stage.commands().replies.classify(it.campaign, first, ReplyKind.AUTOMATIC)
    assert it.lead(lead, "status") == "responded"
    assert numbers(it) == dict.fromkeys(SURFACES, 1)


SURFACES = (
    "funnel", "steps", "trend", "trend by step", "time to reply", "response by job title", "report, CSV", "report, HTML",
    "Today", "asked of the assistant", "best variant", "time to reply, script", "funnel by week",
    "response by industry", "target",
)  # fmt: skip


def numbers(it: Desk) -> dict[str, int]:
    """How many replied, by everything that says so."""
    view, report_inputs = overview(it), inputs(it)
    with it.stage.database.read() as connection:
        campaign = campaigns.campaign(connection, it.campaign)
        assert campaign is not None
        limits = campaign.settings.limits.model_copy(update={"target_a_month": 30})
        settings = campaign.settings.model_copy(update={"limits": limits})
        target = insights.target(connection, replace(campaign, settings=settings), it.stage.clock)
        assert target is not None
        made = report.campaign_report(connection, campaign, report_inputs)
        table = b"".join(report.report_file(made, "csv")).decode("utf-8-sig")
        replied_by_day = today.replies_per_day(connection, it.campaign, 0, report_inputs.offset_at)
        rates = insights.rates_by(connection, it.campaign, "job_title")
        asked = campaign_answers.replied(connection, it.campaign)
        with script_data(connection, it.campaign, report_inputs.now, questions) as data:
            scripts = {key: _script(key, data, report_inputs.now) for key in _SCRIPTS}
    rows = [row for row in csv.reader(table.splitlines()) if row[:1] == ["Step by step"] and row[2] == "Replied"]
    page = re.search(r"<h2>Step by step</h2>.*?</section>", report_html(made), re.DOTALL)
    assert page is not None
    shown = re.findall(r'<td class="few">(\d+) <span class="none">of', page[0])
    counts = (
        next(stage.reached for stage in view.funnel if stage.stage == "responded"),
        sum(step.replied.count for step in view.steps),
        sum(next(stage.counts for stage in view.trend.stages if stage.stage == "responded")),
        sum(sum(step.replied) for step in view.trend.steps),
        view.replies.replies,
        sum(group.responded for group in rates.groups),
        sum(int(row[3]) for row in rows),
        sum(map(int, shown)),
        sum(replied_by_day.values()),
        len(asked),
        sum(row["answered"] for row in scripts["best_variant"]),
        sum(scripts["time_to_reply"].values()),
        sum(row["answered"] for row in scripts["funnel_by_week"]),
        sum(row["answered"] for row in scripts["response_rate_by_industry"]),
        target.so_far,
    )
    return dict(zip(SURFACES, counts, strict=True))


_SCRIPTS = ("best_variant", "time_to_reply", "funnel_by_week", "response_rate_by_industry")


def _script(key: str, data: Any, now: int) -> Any:
    source = builtin_source(key)
    assert source is not None
    ran = sandbox().run(source, data, now=now)
    assert ran.code == "", ran.told
    return json.loads(ran.result)


def test_all_surfaces_show_the_same_number(it: Desk) -> None:
    first = send(it)
    second = send(it)
    reply(it, first, text="Yes, tell me more.")
    answer(it, first, "With pleasure: tomorrow?")
    reply(it, first, text="Tomorrow is fine.")
    reply(it, second, text=AWAY)
    third = send(it)
    reply(it, third, text="No, thank you.")
    assert numbers(it) == dict.fromkeys(SURFACES, 2)

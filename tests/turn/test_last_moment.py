"""Between the last look and the bytes of an act time may pass; whatever happens then, an act is refused on any doubt."""

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.campaign import DAY, CampaignStatus, Limits, Settings
from backend.domain.model.lead import LABEL_ENDS, Label
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.people.past_contact import PAST_CONTACT
from backend.domain.values.errors import OutriderError
from backend.ports.site import ACT_SECONDS
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage
from tests.fakes.clock import FakeClock

MOMENTS = ("look", "intent", "before", "click", "bytes")
TOO_LONG = round(ACT_SECONDS * 1_000) + 1


class Interrupted:
    """A campaign with one message or invitation, of which the first send is interrupted at that moment."""

    def __init__(
        self, stage: Stage, moment: str, happens: Callable[[], object], kind: Settings = MESSAGE_ONLY, **settings: Any
    ) -> None:
        self.stage, self.moment, self.happens = stage, moment, happens
        self.fired = False
        kind = kind.model_copy(update=settings)
        self.campaign = stage.campaign(1, settings=kind, connected=kind.sequence == MESSAGE_ONLY.sequence)
        self.received_then: list[int] = []
        stage.site.during = self._during

    def run(self, **options: Any) -> Any:
        return self.stage.run(self.campaign, boundary=self._boundary, **options)

    def _during(self, tool: str, when: str) -> None:
        look = tool == "read_thread" and when == "after" and self.stage.query("SELECT 1 FROM approvals") != []
        if (look and self.moment == "look") or (tool.startswith("send_") and when == self.moment):
            self._fire()

    def _boundary(self, name: str) -> None:
        if name == self.moment and self.stage.query("SELECT 1 FROM actions") != []:
            self._fire()

    def _fire(self) -> None:
        if not self.fired:
            self.fired = True
            self.received_then.append(len(self.stage.received()))
            self.happens()


PASSING: dict[str, Callable[[FakeClock], None]] = {
    "slept": lambda clock: clock.sleep(1_100),
    "slept, and the system does not tell": lambda clock: clock.sleep(1_100, announced=False),
    "stopped": lambda clock: clock.advance(TOO_LONG),
    "set back": lambda clock: clock.set_forward(-3_600_000),
    "set forward": lambda clock: clock.set_forward(1_100),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("happens", PASSING)
def test_after_a_sleep_in_mid_send_nothing_is_sent_before_it_was_looked_again(
    stage: Stage, moment: str, happens: str
) -> None:
    sending = Interrupted(stage, moment, lambda: PASSING[happens](stage.clock))
    assert sending.run().halt is RunEnd.COMPLETED
    assert sending.received_then == [0]
    sends = [json for _, json in stage.audits(sending.campaign, "browser.send_message")]
    if (moment, happens) != ("look", "set back"):  # then the gates refuse already, and nothing is even intended
        assert "nothing was sent" in sends[0]
    assert [entry.disposition for entry in stage.received()] == ["delivered"]
    assert stage.one("SELECT attempts FROM messages WHERE kind='message'") == 0, "it is no failure of the site"
    looks = stage.site.calls.count("read_thread")
    assert looks >= 3, "before the first try, before the second, and after it"


def test_what_takes_as_long_as_an_act_may_take_is_done(stage: Stage) -> None:
    sending = Interrupted(stage, "bytes", lambda: stage.clock.advance(TOO_LONG - 1))
    assert sending.run().halt is RunEnd.COMPLETED
    assert stage.site.calls.count("send_message") == 1
    assert len(stage.received()) == 1


def do_not_contact(stage: Stage, campaign: str) -> None:
    key = stage.one("SELECT member_key FROM leads WHERE campaign_id=?", campaign)
    added = {"member_key": key, "reason": "asked", "created_at": 1, "status": "active"}
    stage.note_elsewhere(WORKSPACE, Event("DoNotContactAdded", "dnc-1", added))


def pause(stage: Stage, campaign: str) -> None:
    stage.elsewhere(lambda user: user.campaigns.change_status(campaign, CampaignStatus.PAUSED, "lunch"))


def replied(stage: Stage, campaign: str) -> None:
    lead = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign)
    stage.note_elsewhere(campaign, Event("LeadAdvanced", lead, {"replied_at": stage.clock.now()}))


def known_from_before(stage: Stage, campaign: str) -> None:
    """A file of another campaign tells that they and the user were in touch."""
    columns = "full_name, profile_url, member_key"
    (row,) = stage.query(f"SELECT {columns} FROM leads WHERE campaign_id=?", campaign)
    values = dict(zip(columns.split(", "), row, strict=True)) | {"position": 1, "import_id": "fair"}
    other = stage.campaign(0, name="Fair")
    stage.note_elsewhere(other, Event("LeadImported", "at-the-fair", values | {"extra": {PAST_CONTACT: "you wrote"}}))


def labelled(label: Label) -> Callable[[Stage, str], None]:
    def decide(stage: Stage, campaign: str) -> None:
        lead = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign)
        until = stage.clock.now() + 9 * DAY if label is Label.LATER else None
        stage.elsewhere(lambda user: user.replies.label(campaign, lead, label, until))

    return decide


@pytest.mark.parametrize("moment", ["intent", "before", "click", "bytes"])
@pytest.mark.parametrize("label", Label)
def test_what_the_user_says_of_the_conversation_after_the_intent_stops_the_act(
    stage: Stage, moment: str, label: Label
) -> None:
    begins = stage.clock.now()
    sending = Interrupted(stage, moment, lambda: labelled(label)(stage, sending.campaign))
    sending.run()
    later = [(entry.at - begins) // DAY for entry in stage.received()]
    assert later == ([9] if label is Label.LATER else []), "put off is not ended"
    assert stage.one("SELECT status FROM actions ORDER BY intended_at LIMIT 1") == "not_sent"
    ended = LABEL_ENDS.get(label)
    assert ended is None or stage.one("SELECT finished FROM leads") == ended


@pytest.mark.parametrize("moment", ["intent", "before", "click", "bytes"])
@pytest.mark.parametrize("decides", [do_not_contact, pause, replied, known_from_before])
def test_what_was_decided_after_the_intent_stops_the_act(
    stage: Stage, moment: str, decides: Callable[[Stage, str], None]
) -> None:
    sending = Interrupted(stage, moment, lambda: decides(stage, sending.campaign))
    sending.run()
    assert sending.fired
    assert stage.received() == []
    assert stage.one("SELECT status FROM actions") == "not_sent"
    assert stage.one("SELECT attempts FROM messages") == 0, "the site was not asked, so it did not fail"
    assert [turn.verdict for turn in stage.turns if turn.effect] == ["not_sent"], "nor was it silent"


LOWERED = {
    "messages a day": (MESSAGE_ONLY, {"messages_a_day": 0}),
    "invitations a day": (ONE_STEP, {"invitations_a_day": 0}),
    "invitations a week": (ONE_STEP, {"invitations_a_week": 0}),
    "notes a month": (ONE_STEP, {"notes_a_month": 0}),
}


@pytest.mark.parametrize("moment", ["intent", "before", "page", "click", "bytes"])
@pytest.mark.parametrize("lowered", LOWERED)
def test_nothing_goes_beyond_a_limit_that_was_lowered_after_the_intent(stage: Stage, moment: str, lowered: str) -> None:
    settings, lower = LOWERED[lowered]
    limits = settings.limits.model_copy(update=lower)

    def happens() -> None:
        stage.elsewhere(lambda user: user.campaigns.edit(sending.campaign, version=None, limits=limits))

    sending = Interrupted(stage, moment, happens, settings)
    sending.run(stop_after=20)
    assert (sending.fired, stage.received()) == (True, [])
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]
    assert stage.query("SELECT status FROM messages") == [("approved",)], "and it goes once there is room again"


@pytest.mark.parametrize("limit", ["messages_a_day", "invitations_a_day", "invitations_a_week", "notes_a_month"])
def test_an_act_that_fills_a_limit_is_done_whatever_else_is_recorded_meanwhile(stage: Stage, limit: str) -> None:
    """What was counted is asked again: its own intent is none of what leaves no room for it."""
    settings = MESSAGE_ONLY if limit == "messages_a_day" else ONE_STEP
    limits = settings.limits.model_copy(update={limit: 1})
    aside = Event("ConfigSet", "aside", {"value": {}})
    happens = lambda: stage.note_elsewhere(WORKSPACE, aside)  # noqa: E731
    sending = Interrupted(stage, "click", happens, settings, limits=limits)
    sending.run()
    assert sending.fired
    assert stage.query("SELECT status FROM actions") == [("sent",)]


FOUND = {"a reply": "Thank you, tell me more.", "a machine's answer": "Automatic reply: I am out of the office."}


def found(words: str, kind: ReplyKind | None = None) -> Callable[[Stage, str], None]:
    def decide(stage: Stage, campaign: str) -> None:
        lead, at = stage.one("SELECT id FROM leads WHERE campaign_id=?", campaign), stage.clock.now()
        stage.elsewhere(lambda user: user.replies.found(campaign, lead, words, at=at, answers=True))
        if kind is not None:
            reply = stage.one("SELECT id FROM messages WHERE kind='reply'")
            stage.elsewhere(lambda user: user.replies.classify(campaign, reply, kind))

    return decide


@pytest.mark.parametrize("settings", [MESSAGE_ONLY, ONE_STEP], ids=["message", "invitation"])
@pytest.mark.parametrize("moment", ["intent", "page", "click", "bytes", "acted"])
@pytest.mark.parametrize(
    "finds",
    [found(FOUND["a reply"]), found(FOUND["a machine's answer"]), found(FOUND["a machine's answer"], ReplyKind.HUMAN)],
    ids=["a reply", "a machine's answer", "one that is a person's after all"],
)
def test_what_a_file_shows_in_mid_act_is_followed_once_the_act_is_settled(
    stage: Stage, moment: str, finds: Callable[[Stage, str], None], settings: Settings
) -> None:
    """It is imported by the user, or found by another device: nothing of the act is known to it."""
    began, acting = stage.clock.now(), Interrupted(stage, moment, lambda: finds(stage, acting.campaign), settings)
    acting.run()
    assert acting.fired
    assert stage.query("SELECT question FROM input_requests") == []
    assert {status for (status,) in stage.query("SELECT status FROM tasks")} == {"done"}
    answered = stage.one("SELECT finished FROM leads") == "replied"
    at_once = [entry.at - began < DAY for entry in stage.received()]
    assert at_once == ([True] if moment == "acted" else [] if answered else [False])


@pytest.mark.parametrize("moment", ["intent", "before", "click", "bytes"])
def test_an_act_is_not_done_after_working_hours_that_ended_meanwhile(stage: Stage, moment: str) -> None:
    ends = 12 * 60 + 1  # a minute after the stage's noon
    limits = Limits(ramp_days=0, spacing_seconds=0, day_starts=8 * 60, day_ends=ends)
    sending = Interrupted(stage, moment, lambda: stage.clock.advance(60_000), limits=limits)
    assert sending.run().halt is RunEnd.COMPLETED
    (sent,) = stage.received()
    assert sent.at % 86_400_000 // 60_000 in range(8 * 60, ends)
    assert sent.at - stage.one("SELECT min(intended_at) FROM actions") > 3_600_000, "on the next day"


@pytest.mark.parametrize("shuts", ["the hours end", "the user leaves"])
def test_what_shuts_between_look_and_intent_leaves_no_intent(stage: Stage, shuts: str) -> None:
    """Both are in no stream: that nothing was recorded meanwhile does not tell."""
    limits = Limits(ramp_days=0, spacing_seconds=0, day_starts=8 * 60, day_ends=12 * 60 + 1)

    def happens() -> None:
        if shuts == "the hours end":
            stage.clock.advance(60_000)
        else:
            stage.presence.attended = False

    sending = Interrupted(stage, "look", happens, limits=limits)
    sending.run(stop_after=30)
    assert sending.fired
    assert stage.query("SELECT status FROM actions") == ([("sent",)] if shuts == "the hours end" else [])


@pytest.mark.parametrize("settings", [MESSAGE_ONLY, ONE_STEP], ids=["message", "invitation"])
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a decision"])
@pytest.mark.parametrize("moment", ["intent", "before", "page", "click", "bytes"])
def test_nothing_is_clicked_for_somebody_who_went_away_in_mid_act(
    stage: Stage, moment: str, settings: Settings, *, beside: bool
) -> None:
    def happens() -> None:
        stage.presence.attended = False
        if beside:
            stage.note_elsewhere(WORKSPACE, Event("ConfigSet", "aside", {"value": {}}))

    acting = Interrupted(stage, moment, happens, settings)
    acting.run(stop_after=20)
    assert (acting.fired, stage.received()) == (True, [])
    ((status, why),) = stage.query("SELECT status, said FROM actions")
    assert (status, why.partition(".")[0]) == ("not_sent", "You are away")
    assert stage.query("SELECT status, attempts FROM messages") == [("approved", 0)], "and it goes once they are back"
    stage.presence.attended = True
    acting.run()
    assert len(stage.received()) == 1


@pytest.mark.parametrize("moment", ["before", "click", "bytes"])
def test_who_presses_stop_in_mid_act_is_here_and_the_act_ends(stage: Stage, moment: str) -> None:
    acting = Interrupted(stage, moment, lambda: None)
    runner = stage.runner(boundary=acting._boundary)
    acting.happens = runner.stop.set
    assert runner.run(acting.campaign).halt is RunEnd.STOPPED
    assert stage.query("SELECT status FROM actions") == [("sent",)]


@pytest.mark.parametrize("decides", [do_not_contact, pause, replied])
def test_what_is_decided_right_behind_the_intent_stops_the_act(
    stage: Stage, decides: Callable[[Stage, str], None]
) -> None:
    """Another process may commit before this one has looked what version its own commit made."""
    sending = Interrupted(stage, "", lambda: decides(stage, sending.campaign))

    def committed(_: object) -> None:
        if stage.query("SELECT 1 FROM actions") != []:
            sending.happens, decided = lambda: None, sending.happens
            decided()
            sending.fired = True

    stage.journal.subscribe(committed)
    sending.run()
    assert sending.fired
    assert stage.received() == []
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]


def test_of_what_is_called_off_the_log_says_why_and_nobody_is_asked(stage: Stage) -> None:
    sending = Interrupted(stage, "bytes", lambda: stage.clock.sleep(60_000))
    assert sending.run().halt is RunEnd.COMPLETED
    reasons = [row[0] for row in stage.query("SELECT said FROM actions ORDER BY intended_at")]
    assert reasons[0] == "the machine slept or its clock was set since the last look; nothing was sent"
    (campaign,) = stage.query("SELECT id FROM campaigns")[0]
    outcomes = [json.loads(payload)["outcome"] for _, payload in stage.audits(campaign, "browser.send_%")]
    assert outcomes[0] == f"called off: {reasons[0]}"
    assert stage.query("SELECT * FROM input_requests") == []
    assert stage.clock.waits == [], "nothing left, so nothing is waited for"


@pytest.mark.parametrize("times", [3, 12])
def test_a_machine_that_sleeps_at_every_send_is_no_failure_of_the_site(stage: Stage, times: int) -> None:
    """Three failed attempts would be the user's to decide."""
    campaign, slept = stage.campaign(1, settings=ONE_STEP), list[int]()

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", "click") and len(slept) < times:
            slept.append(1)
            stage.clock.sleep(5_000)

    stage.site.during = during
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(slept), len(stage.delivered())) == (times, 1)


@pytest.mark.parametrize("moment", ["intent", "click", "bytes"])
def test_nothing_is_sent_from_a_data_folder_that_was_replaced(stage: Stage, moment: str) -> None:
    """Its lock went with it, so somebody else may have the one that is there now."""
    away = stage.path.with_suffix(".away")
    sending = Interrupted(stage, moment, lambda: shutil.copyfile(stage.path.rename(away), stage.path))
    with pytest.raises(OutriderError, match="data_folder_gone"):
        sending.run()
    assert (sending.received_then, stage.received()) == ([0], [])
    away.rename(stage.path)
    assert sending.run().halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1, "once it is put back, it goes on from what was recorded"

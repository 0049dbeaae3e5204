"""Decisions in conflict with another device's: described, decided again by the same commands, or left."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from backend.commands.command import Command, complete_arguments, parse_command
from backend.commands.conflicts import announce, repeat_unasked
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.lead import Label
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.sequence import DEFAULT_SEQUENCE
from backend.domain.sequence.sequence_change import as_request
from backend.ports.blobs import Blobs
from backend.store.log import replay, verification
from backend.store.queries.campaign import campaigns
from backend.store.replication.rebase_queue import open_conflicts
from backend.store.replication.shared_conflicts import is_person_in_conflict
from tests.api.app import App
from tests.fakes.skills import folder as skill_folder
from tests.store.devices import Device, MemorySharedStore


@dataclass
class Both:
    """This machine's app, and another device of the same user."""

    app: App
    here: Device
    there: Device
    shared_store: MemorySharedStore
    campaign: str

    @property
    def mine(self) -> Commands:
        return self.app.services.commands(self.campaign)

    @property
    def theirs(self) -> Commands:
        return Commands(self.there.journal, self.mine.clock)

    @property
    def lead(self) -> str:
        with self.there.journal.database.read() as connection:
            (lead_id,) = connection.execute("SELECT lead_id FROM messages WHERE id='draft1'").fetchone()
            return str(lead_id)

    @property
    def blobs(self) -> Blobs:
        return self.app.launch.services.blobs

    def synchronise(self) -> None:
        for device in (self.there, self.here, self.there):
            device.synchronise(self.shared_store)

    def decide(self, mine: Callable[["Both", Commands], Any], theirs: Callable[["Both", Commands], Any]) -> None:
        mine(self, self.mine)
        theirs(self, self.theirs)
        self.synchronise()

    def listed(self) -> list[dict[str, Any]]:
        conflicts: list[dict[str, Any]] = self.app.ask("/api/sync/conflicts").json["open"]
        return conflicts

    def choose(self, choice: str, which: int = 0) -> Any:
        return self.app.ask(f"/api/sync/conflicts/{self.listed()[which]['id']}", {"choice": choice})

    def value(self, sql: str, *of: object) -> Any:
        with self.here.journal.database.read() as connection:
            return connection.execute(sql, of).fetchone()[0]


@pytest.fixture
def both(app: App, campaign: str, draft: str, tmp_path: Path) -> Iterator[Both]:
    """In sync, with a campaign, a draft, and a blocked task."""
    assert draft
    task = {"kind": "custom", "description": "Look around", "needs": "think", "status": "blocked", "created_at": 1}
    app.record(campaign, Event("TaskCreated", "blocked1", task))
    here = Device(tmp_path, "here", app.workspace.journal)
    there = Device(tmp_path / "there.db", "there")
    made = Both(app, here, there, MemorySharedStore(), campaign)
    here.synchronise(made.shared_store)
    made.synchronise()
    yield made
    there.close()


def limited(both: Both, commands: Commands, a_day: int) -> None:
    campaign = commands.journal.database.query(campaigns.campaign, both.campaign)
    assert campaign is not None
    limits = campaign.settings.limits.model_copy(update={"invitations_a_day": a_day})
    commands.campaigns.edit(
        both.campaign, version=campaign.version, name=campaign.name, goal=campaign.goal, limits=limits
    )


def worded(both: Both, commands: Commands, text: str) -> None:
    with commands.journal.database.read() as connection:
        campaign = campaigns.campaign(connection, both.campaign)
    assert campaign is not None
    now = as_request(campaign.settings.sequence)
    steps = (*now.steps[:-1], now.steps[-1].model_copy(update={"template": text}))
    commands.sequences.change(both.campaign, requested_sequence=now.model_copy(update={"steps": steps}), version=None)


def note_on_task(both: Both, commands: Commands, reason: str) -> None:
    event = Event("TaskBlocked", "blocked1", {"status": "blocked", "reason": reason})
    commands.journal.record(both.campaign, events=[event], actor="controller", cause="t1", at=1)


def invited_again(both: Both, commands: Commands) -> None:
    event = Event("LeadAdvanced", both.lead, {"relation": "pending", "invited_at": 2})
    commands.journal.record(both.campaign, events=[event], actor="controller", cause="t1", at=1)


@dataclass(frozen=True)
class Case:
    """What both decided, how it is described, and what holds when mine is decided again."""

    mine: Callable[[Both, Commands], Any]
    theirs: Callable[[Both, Commands], Any]
    command: str
    subject: str
    values: tuple[dict[str, Any], dict[str, Any]]
    holds: tuple[str, Any]


def _lines(last: str) -> dict[str, Any]:
    written = [f"{step.kind}: {step.template}".removesuffix(": ") for step in DEFAULT_SEQUENCE.steps[:-1]]
    return {"sequence": "\n".join([*written, f"message after 3 days: {last}"])}


SEQUENCE_MINE = _lines("Mine, {first_name}?")
SEQUENCE_THEIRS = _lines(DEFAULT_SEQUENCE.steps[-1].template)


def reply(both: Both) -> str:
    """A reply that this device has, and the other has."""
    row = {"lead_id": both.lead, "kind": "reply", "text": "Hello", "status": "received", "sent_at": 1, "created_at": 1}
    with both.here.journal.database.read() as connection:
        there = connection.execute("SELECT 1 FROM messages WHERE id='reply1'").fetchone()
    if there is None:
        both.app.record(both.campaign, Event("ReplyReceived", "reply1", row))
        both.synchronise()
    return "reply1"


def ranked(both: Both) -> str:
    """A round of three people in order, on both devices; its id."""
    latest = "SELECT max(id) FROM rankings"
    if both.value(latest) is None:
        with both.there.journal.database.read() as connection:
            rows = connection.execute("SELECT id FROM leads WHERE campaign_id=? ORDER BY id LIMIT 3", (both.campaign,))
            people = [lead_id for (lead_id,) in rows]
        both.mine.rankings.save(both.campaign, people)
        both.synchronise()
    return str(both.value(latest))


LATER = 4_000_000_000_000


def invited(both: Both) -> str:
    """A lead with an invitation that nobody accepted, on both devices."""
    if both.value("SELECT relation FROM leads WHERE id=?", both.lead) == "none" and not both.value(
        "SELECT count(*) FROM event_log WHERE kind='InvitationWithdrawn'"
    ):
        both.app.record(both.campaign, Event("LeadAdvanced", both.lead, {"relation": "pending", "invited_at": 1}))
        both.synchronise()
    return both.lead


def in_touch_before(both: Both) -> str:
    """A lead who is left aside because of an earlier contact, on both devices."""
    if both.value("SELECT count(*) FROM event_log WHERE kind='LeadBlocked'") == 0:
        both.app.record(both.campaign, Event("LeadBlocked", both.lead, {"blocked": "written_to_before"}))
        both.synchronise()
    return both.lead


CASES = {
    "reply": Case(
        lambda b, c: c.replies.classify(b.campaign, reply(b), ReplyKind.AUTOMATIC),
        lambda b, c: c.replies.classify(b.campaign, reply(b), ReplyKind.GONE),
        "replies.classify",
        "{name}",
        ({"reply_kind": "automatic"}, {"reply_kind": "gone"}),
        ("SELECT reply_kind FROM messages WHERE id='reply1'", "automatic"),
    ),
    "label": Case(
        lambda b, c: c.replies.label(b.campaign, b.lead, Label.INTERESTED),
        lambda b, c: c.replies.label(b.campaign, b.lead, Label.WRONG_PERSON),
        "replies.label",
        "{name}",
        ({"label": "interested"}, {"label": "wrong_person"}),
        ("SELECT label FROM leads WHERE id='{lead}'", "interested"),
    ),
    "out of the way": Case(
        lambda b, c: c.replies.snooze(b.campaign, b.lead, LATER),
        lambda b, c: c.replies.snooze(b.campaign, b.lead, LATER + 1),
        "replies.snooze",
        "{name}",
        ({"snoozed_until": LATER}, {"snoozed_until": LATER + 1}),
        ("SELECT snoozed_until FROM leads WHERE id='{lead}'", LATER),
    ),
    "note": Case(
        lambda b, c: c.leads.note(b.campaign, b.lead, "mine"),
        lambda b, c: c.leads.note(b.campaign, b.lead, "theirs"),
        "leads.note",
        "{name}",
        ({"notes": "mine"}, {"notes": "theirs"}),
        ("SELECT notes FROM leads WHERE id='{lead}'", "mine"),
    ),
    "greeting": Case(
        lambda b, c: c.leads.choose_greeting(b.campaign, b.lead, "Mine"),
        lambda b, c: c.leads.choose_greeting(b.campaign, b.lead, "Theirs"),
        "leads.choose_greeting",
        "{name}",
        ({"greeting_name": "Mine"}, {"greeting_name": "Theirs"}),
        ("SELECT greeting_name FROM leads WHERE id='{lead}'", "Mine"),
    ),
    "tags": Case(
        lambda b, c: c.leads.tag(b.campaign, b.lead, ["a", "b"]),
        lambda b, c: c.leads.tag(b.campaign, b.lead, ["c"]),
        "leads.tag",
        "{name}",
        ({"tags": ["a", "b"]}, {"tags": ["c"]}),
        ("SELECT tags FROM leads WHERE id='{lead}'", '["a","b"]'),
    ),
    "invitation withdrawn": Case(
        lambda b, c: c.leads.invitation_withdrawn(b.campaign, invited(b)),
        invited_again,
        "leads.invitation_withdrawn",
        "{name}",
        ({"relation": "none"}, {"relation": "pending"}),
        ("SELECT relation FROM leads WHERE id='{lead}'", "none"),
    ),
    "priority": Case(
        lambda b, c: c.leads.prioritise(b.campaign, b.lead, 90),
        lambda b, c: c.leads.prioritise(b.campaign, b.lead, 10),
        "leads.prioritise",
        "{name}",
        ({"priority_override": 90}, {"priority_override": 10}),
        ("SELECT priority_override FROM leads WHERE id='{lead}'", 90),
    ),
    "tag of several": Case(
        lambda b, c: c.lead_groups.tag(b.campaign, [b.lead], "a"),
        lambda b, c: c.leads.tag(b.campaign, b.lead, ["c"]),
        "lead_groups.tag",
        "{name}",
        ({"tags": ["a"]}, {"tags": ["c"]}),
        ("SELECT tags FROM leads WHERE id='{lead}'", '["c","a"]'),
    ),
    "how the leads are listed": Case(
        lambda b, c: c.lead_table.keep(b.campaign, {"columns": ["tags"]}),
        lambda b, c: c.lead_table.keep(b.campaign, {"columns": ["title"]}),
        "lead_table.keep",
        "",
        ({"value": '{"columns":["tags"]}'}, {"value": '{"columns":["title"]}'}),
        ("SELECT value FROM config_kv WHERE id='lead_table'", '{"columns":["tags"]}'),
    ),
    "round that counts no more": Case(
        lambda b, c: c.rankings.take_back(b.campaign, ranked(b)),
        lambda b, c: (c.rankings.take_back(b.campaign, ranked(b)), c.rankings.put_back(b.campaign, ranked(b))),
        "rankings.take_back",
        "",
        ({"counts": 0}, {"counts": 1}),
        ("SELECT counts FROM rankings", 0),
    ),
    "edited message": Case(
        lambda b, c: c.review.edit(b.campaign, "draft1", "Hello from here"),
        lambda b, c: c.review.edit(b.campaign, "draft1", "Hello from there"),
        "review.edit",
        "{name}",
        ({"text": "Hello from here"}, {"text": "Hello from there"}),
        ("SELECT text FROM messages WHERE id='draft1'", "Hello from here"),
    ),
    "rejected": Case(
        lambda b, c: c.review.reject(b.campaign, "draft1", reason="Too formal"),
        lambda b, c: c.review.edit(b.campaign, "draft1", "Hello from there"),
        "review.reject",
        "{name}",
        ({"status": "cancelled"}, {"status": "draft"}),
        ("SELECT status FROM messages WHERE id='draft1'", "cancelled"),
    ),
    "dropped task": Case(
        lambda b, c: c.tasks.cancel(b.campaign, "blocked1"),
        lambda b, c: note_on_task(b, c, "another device looked"),
        "tasks.cancel",
        "Look around",
        ({"status": "cancelled"}, {"status": "blocked"}),
        ("SELECT status FROM tasks WHERE id='blocked1'", "cancelled"),
    ),
    "mended task": Case(
        lambda b, c: c.tasks.retry(b.campaign, "blocked1"),
        lambda b, c: c.tasks.cancel(b.campaign, "blocked1"),
        "tasks.retry",
        "Look around",
        ({"status": "in_progress"}, {"status": "cancelled"}),
        ("SELECT status FROM tasks WHERE id='blocked1'", "in_progress"),
    ),
    "limits": Case(
        lambda b, c: limited(b, c, 3),
        lambda b, c: limited(b, c, 4),
        "campaigns.edit",
        "{campaign_name}",
        ({"invitations_a_day": 3}, {"invitations_a_day": 4}),
        ("SELECT json_extract(settings, '$.limits.invitations_a_day') FROM campaigns", 3),
    ),
    "sequence": Case(
        lambda b, c: worded(b, c, "Mine, {first_name}?"),
        lambda b, c: limited(b, c, 4),
        "sequences.change",
        "{campaign_name}",
        (SEQUENCE_MINE, SEQUENCE_THEIRS),
        ("SELECT json_extract(settings, '$.sequence.steps[3].template') FROM campaigns", "Mine, {first_name}?"),
    ),
    "completed": Case(
        lambda b, c: c.campaigns.change_status(b.campaign, CampaignStatus.COMPLETED, "enough"),
        lambda b, c: limited(b, c, 4),
        "campaigns.change_status",
        "{campaign_name}",
        ({"status": "completed"}, {"status": "active"}),
        ("SELECT status FROM campaigns", "completed"),
    ),
    "artifact": Case(
        lambda b, c: c.artifacts.save(b.campaign, "note", "k", BytesIO(b"mine"), b.blobs, follows=0),
        lambda b, c: c.artifacts.save(b.campaign, "note", "k", BytesIO(b"theirs"), b.blobs, follows=0),
        "artifacts.keep",
        "",
        ({"content": "mine"}, {"content": "theirs"}),
        ("SELECT content FROM artifacts WHERE artifact_key='k' AND version=2", "mine"),
    ),
    "voice": Case(
        lambda _, c: c.soul.save("Write as I would.", follows=0),
        lambda _, c: c.soul.save("Write as they would.", follows=0),
        "soul.save",
        "",
        ({"text": "Write as I would."}, {"text": "Write as they would."}),
        ("SELECT text FROM souls WHERE version=2", "Write as I would."),
    ),
    "setting": Case(
        lambda _, c: c.workspace.keep("look", {"theme": "dark"}),
        lambda _, c: c.workspace.keep("look", {"theme": "light"}),
        "workspace.keep",
        "",
        ({"value": '{"theme":"dark"}'}, {"value": '{"theme":"light"}'}),
        ("SELECT value FROM config_kv WHERE id='look'", '{"theme":"dark"}'),
    ),
    "contact anyway": Case(
        lambda b, c: c.people.contact_anyway(b.campaign, in_touch_before(b), "she asked"),
        lambda b, _: b.there.journal.record(
            b.campaign,
            events=[Event("LeadAdvanced", b.lead, {"headline": "CTO"})],
            actor="controller",
            cause="t1",
            at=1,
        ),
        "people.contact_anyway",
        "{name}",
        ({"contact_anyway": "she asked"}, {"contact_anyway": ""}),
        ("SELECT contact_anyway FROM leads WHERE id='{lead}'", "she asked"),
    ),
    "do not contact": Case(
        lambda b, c: c.leads.do_not_contact(b.campaign, b.lead, "asked"),
        lambda b, _: b.there.journal.record(
            b.campaign,
            events=[Event("LeadAdvanced", b.lead, {"headline": "CTO"})],
            actor="controller",
            cause="t1",
            at=1,
        ),
        "leads.do_not_contact",
        "{name}",
        ({"blocked": "do_not_contact"}, {"blocked": ""}),
        ("SELECT blocked FROM leads WHERE id='{lead}'", "do_not_contact"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_decided_is_described_and_can_be_decided_again(both: Both, name: str) -> None:
    case = CASES[name]
    facts = {"campaign": both.campaign, "lead": both.lead}
    facts["campaign_name"] = both.value("SELECT name FROM campaigns WHERE id=?", both.campaign)
    facts["name"] = both.value("SELECT full_name FROM leads WHERE id=?", both.lead)
    both.mine.campaigns.change_status(both.campaign, CampaignStatus.ACTIVE)
    both.synchronise()
    both.decide(case.mine, case.theirs)
    (conflict,) = both.listed()
    assert (conflict["command"], conflict["subject"]) == (case.command, case.subject.format(**facts))
    assert (conflict["mine"], conflict["theirs"]) == case.values
    assert conflict["again"]
    answer = both.choose("mine")
    assert (answer.status, answer.json["open"]) == (200, []), answer.text
    sql, expected = case.holds
    assert both.value(sql.format(**facts)) == expected
    both.synchronise()
    assert both.listed() == []
    sound(both)


def sound(both: Both) -> None:
    for device in (both.here, both.there):
        assert replay.find_differences(device.journal.database) == []
        with device.journal.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []
    audits = "SELECT count(*) FROM audit_log WHERE action_type='conflict_resolved' AND actor='user'"
    assert both.value(audits) == 1


def test_rounds_that_two_devices_put_in_order_at_the_same_time_both_stay_and_count(both: Both) -> None:
    with both.there.journal.database.read() as connection:
        rows = connection.execute("SELECT id FROM leads WHERE campaign_id=? ORDER BY id LIMIT 3", (both.campaign,))
        people = [lead_id for (lead_id,) in rows]
    both.decide(
        lambda b, c: c.rankings.save(b.campaign, people),
        lambda b, c: c.rankings.save(b.campaign, people[::-1]),
    )
    assert both.listed() == []
    assert both.value("SELECT count(*) FROM rankings WHERE counts=1") == 2
    assert replay.find_differences(both.here.journal.database) == []


def test_what_holds_now_is_left_and_that_is_on_record(both: Both) -> None:
    both.decide(CASES["note"].mine, CASES["note"].theirs)
    answer = both.choose("theirs")
    assert answer.json == {"open": [], "dropped_turns": 0}
    assert both.value("SELECT notes FROM leads WHERE id=?", both.lead) == "theirs"
    assert both.value("SELECT status FROM rebase_queue WHERE settled_at IS NOT NULL") == "theirs"
    sound(both)


def test_an_approval_is_given_again_only_for_the_very_text_that_was_shown(both: Both) -> None:
    digest = both.mine.review.digest(both.campaign, "draft1")
    both.decide(
        lambda b, c: c.review.approve(b.campaign, "draft1", shown_digest=digest),
        lambda b, c: c.review.edit(b.campaign, "draft1", "Another text"),
    )
    (conflict,) = both.listed()
    assert (conflict["command"], conflict["arguments"]["message_id"]) == ("review.approve", "draft1")
    assert (conflict["mine"], conflict["theirs"]) == ({"status": "approved"}, {"status": "draft"})
    assert both.choose("mine").code == "approval_text_changed"
    assert both.value("SELECT status FROM messages WHERE id='draft1'") == "draft"
    assert len(both.listed()) == 1  # it still waits
    both.choose("theirs")
    assert both.listed() == []


def test_a_choice_is_made_once(both: Both) -> None:
    both.decide(CASES["note"].mine, CASES["note"].theirs)
    (conflict,) = both.listed()
    both.choose("theirs")
    again = both.app.ask(f"/api/sync/conflicts/{conflict['id']}", {"choice": "mine"})
    assert (again.status, again.code) == (404, "conflict_unknown")


def test_what_cannot_be_decided_again_says_so(both: Both) -> None:
    both.decide(
        lambda _, c: c.skills.install(skill_folder("tone", "mine")),
        lambda _, c: c.skills.install(skill_folder("tone", "theirs")),
    )
    (conflict,) = both.listed()
    assert (conflict["command"], conflict["subject"]) == ("skills.install", "tone")
    assert (conflict["campaign"], conflict["again"]) == ("", False)
    assert both.choose("mine").code == "decision_not_repeatable"
    assert len(both.listed()) == 1


def test_turns_that_were_dropped_are_only_counted(both: Both) -> None:
    turn = Event("TurnCompleted", "1", {"history": "x", "steps": []})
    for device in (both.here, both.there):
        device.journal.record(both.campaign, events=[turn], actor="controller", cause="t1", at=1)
    both.synchronise()
    assert both.app.ask("/api/sync/conflicts").json == {"open": [], "dropped_turns": 1}


def test_a_command_in_the_workspace_is_repeated_in_its_campaign(both: Both) -> None:
    """Part of what it records stands in the workspace's stream: either part repeats the whole command."""
    key = both.value("SELECT member_key FROM leads WHERE id=?", both.lead)
    both.mine.leads.do_not_contact(both.campaign, both.lead, "asked")
    cause = both.value("SELECT cause FROM event_log WHERE campaign_id='workspace' AND kind='DoNotContactAdded'")
    command = parse_command(cause, "workspace")
    assert command == Command("leads.do_not_contact", {"campaign_id": both.campaign, "lead_id": both.lead})
    added = Event("DoNotContactAdded", "d1", {"member_key": key, "reason": "asked"})
    arguments = {"campaign_id": both.campaign, "lead_id": both.lead, "reason": "asked"}
    assert complete_arguments(command, [added]) == arguments


@pytest.mark.parametrize("more", [[], ["https://www.linkedin.com/in/anna-berg-3"]], ids=["the same", "one more"])
def test_two_devices_that_answer_differently_who_is_the_same_person_are_shown_both_answers(
    both: Both, more: list[str]
) -> None:
    keys = ["https://www.linkedin.com/in/anna-berg", "https://www.linkedin.com/in/anna-berg-2"]
    both.decide(
        lambda _, c: c.people.answer_same(keys, same=True),
        lambda _, c: c.people.answer_same([*keys, *more], same=False),
    )
    (conflict,) = both.listed()
    assert (conflict["command"], conflict["again"]) == ("people.answer_same", False)
    assert both.value("SELECT count(*) FROM identity_answers WHERE status='active'") == 1
    assert both.choose("mine").code == "identity_answered"
    both.choose("theirs")
    assert both.listed() == []
    assert replay.find_differences(both.here.journal.database) == []


def test_two_devices_that_give_the_same_answer_have_nothing_to_settle(both: Both) -> None:
    keys = ["https://www.linkedin.com/in/anna-berg", "https://www.linkedin.com/in/anna-berg-2"]
    both.decide(
        lambda _, c: c.people.answer_same(keys, same=True),
        lambda _, c: c.people.answer_same(keys, same=True),
    )
    assert repeat_unasked(both.app.services.commands, both.here.journal.database)
    assert both.listed() == []


def test_what_waits_on_another_device_is_listed_here_and_may_be_left_as_it_is(both: Both) -> None:
    both.app.record(WORKSPACE, Event("DeviceJoined", "there", {"name": "Laptop", "created_at": 1}))
    limited(both, both.mine, 7)
    both.here.synchronise(both.shared_store)
    limited(both, both.theirs, 9)
    both.there.synchronise(both.shared_store)
    assert announce(lambda _: both.theirs, both.there.journal.database)
    both.synchronise()
    (conflict,) = both.listed()
    assert (conflict["device"], conflict["kind"], conflict["again"]) == ("Laptop", "CampaignEdited", False)
    assert both.choose("mine").code == "decision_not_repeatable"
    assert both.choose("theirs").json["open"] == []
    both.synchronise()
    announce(lambda _: both.theirs, both.there.journal.database)
    assert both.there.journal.database.query(open_conflicts) == []


def test_whom_a_remark_that_waits_on_another_device_is_about_is_named_here_and_written_to(both: Both) -> None:
    both.app.record(WORKSPACE, Event("DeviceJoined", "there", {"name": "Laptop", "created_at": 1}))
    both.mine.leads.note(both.campaign, both.lead, "Mine.")
    both.here.synchronise(both.shared_store)
    both.theirs.leads.note(both.campaign, both.lead, "Theirs.")
    both.there.synchronise(both.shared_store)
    assert announce(lambda _: both.theirs, both.there.journal.database)
    both.synchronise()
    (conflict,) = both.listed()
    name = both.value("SELECT full_name FROM leads WHERE id=?", both.lead)
    assert (conflict["device"], conflict["sentence"], conflict["subject"]) == ("Laptop", f"Note on {name}", name)
    assert conflict["arguments"] == {}, "it holds nobody"
    assert not both.here.journal.database.query(is_person_in_conflict, both.campaign, both.lead)

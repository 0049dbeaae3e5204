"""Decisions that another device overtook: said in words, decided again by the same commands, or left."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from backend.controller import overtaken_commands
from backend.controller.commands import Commands
from backend.controller.overtaken_commands import DECISIONS
from backend.domain.campaign import CampaignStatus
from backend.domain.events import KINDS, Event
from backend.ports.blobs import Blobs
from backend.store import reading, replay, verification
from tests.api.app import App
from tests.fakes.skills import folder as skill_folder
from tests.store.devices import Device, MemoryAuthority

CONTROLLER = Path(overtaken_commands.__file__).parent


@dataclass
class Both:
    """This machine's app, and another device of the same user."""

    app: App
    here: Device
    there: Device
    authority: MemoryAuthority
    campaign: str

    @property
    def mine(self) -> Commands:
        return self.app.session.commands(self.campaign)

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

    def in_step(self) -> None:
        for device in (self.there, self.here, self.there):
            device.in_step(self.authority)

    def overtake(self, mine: Callable[["Both", Commands], Any], theirs: Callable[["Both", Commands], Any]) -> None:
        mine(self, self.mine)
        theirs(self, self.theirs)
        self.in_step()

    def listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.app.ask("/api/sync/set-aside").json["open"]
        return found

    def choose(self, choice: str, which: int = 0) -> Any:
        return self.app.ask(f"/api/sync/set-aside/{self.listed()[which]['id']}", {"choice": choice})

    def value(self, sql: str, *of: object) -> Any:
        with self.here.journal.database.read() as connection:
            return connection.execute(sql, of).fetchone()[0]


@pytest.fixture
def both(app: App, campaign: str, draft: str, tmp_path: Path) -> Iterator[Both]:
    """In step, with a campaign and a draft."""
    assert draft
    here = Device(tmp_path, "here", app.session.workspace.journal)
    there = Device(tmp_path / "there.db", "there")
    made = Both(app, here, there, MemoryAuthority(), campaign)
    here.in_step(made.authority)
    made.in_step()
    yield made
    there.close()


def limited(both: Both, commands: Commands, a_day: int) -> None:
    with commands.journal.database.read() as connection:
        campaign = reading.campaign(connection, both.campaign)
    assert campaign is not None
    limits = campaign.settings.limits.model_copy(update={"invitations_a_day": a_day})
    commands.campaigns.edit(
        both.campaign, version=campaign.version, name=campaign.name, goal=campaign.goal, limits=limits
    )


@dataclass(frozen=True)
class Case:
    """What both decided, how it is told, and what holds when mine is decided again."""

    mine: Callable[[Both, Commands], Any]
    theirs: Callable[[Both, Commands], Any]
    what: str
    values: tuple[str, str]
    place: str
    holds: tuple[str, Any]


CASES = {
    "note": Case(
        lambda b, c: c.leads.note(b.campaign, b.lead, "mine"),
        lambda b, c: c.leads.note(b.campaign, b.lead, "theirs"),
        "Changed the note of {name}",
        ("mine", "theirs"),
        "#/campaigns/{campaign}/leads/{lead}",
        ("SELECT notes FROM leads WHERE id='{lead}'", "mine"),
    ),
    "tags": Case(
        lambda b, c: c.leads.tag(b.campaign, b.lead, ["a", "b"]),
        lambda b, c: c.leads.tag(b.campaign, b.lead, ["c"]),
        "Changed the tags of {name}",
        ("a, b", "c"),
        "#/campaigns/{campaign}/leads/{lead}",
        ("SELECT tags FROM leads WHERE id='{lead}'", '["a","b"]'),
    ),
    "priority": Case(
        lambda b, c: c.leads.prioritise(b.campaign, b.lead, 90),
        lambda b, c: c.leads.prioritise(b.campaign, b.lead, 10),
        "Changed the priority of {name}",
        ("90", "10"),
        "#/campaigns/{campaign}/leads/{lead}",
        ("SELECT priority_override FROM leads WHERE id='{lead}'", 90),
    ),
    "edited message": Case(
        lambda b, c: c.edit(b.campaign, "draft1", "Hello from here"),
        lambda b, c: c.edit(b.campaign, "draft1", "Hello from there"),
        "Changed the message to {name}",
        ("Hello from here", "Hello from there"),
        "#/campaigns/{campaign}/review/draft1",
        ("SELECT text FROM messages WHERE id='draft1'", "Hello from here"),
    ),
    "rejected": Case(
        lambda b, c: c.reject(b.campaign, "draft1"),
        lambda b, c: c.edit(b.campaign, "draft1", "Hello from there"),
        "Rejected the message to {name}",
        ("cancelled", "draft"),
        "#/campaigns/{campaign}/review/draft1",
        ("SELECT status FROM messages WHERE id='draft1'", "cancelled"),
    ),
    "limits": Case(
        lambda b, c: limited(b, c, 3),
        lambda b, c: limited(b, c, 4),
        "Changed what the campaign is about or may do",
        ("invitations a day: 3", "invitations a day: 4"),
        "#/settings/limits/{campaign}",
        ("SELECT json_extract(settings, '$.limits.invitations_a_day') FROM campaigns", 3),
    ),
    "completed": Case(
        lambda b, c: c.change_status(b.campaign, CampaignStatus.COMPLETED, "enough"),
        lambda b, c: limited(b, c, 4),
        "Completed the campaign",
        ("completed", "active"),
        "#/campaigns/{campaign}/run",
        ("SELECT status FROM campaigns", "completed"),
    ),
    "artifact": Case(
        lambda b, c: c.artifacts.save(b.campaign, "note", "k", BytesIO(b"mine"), b.blobs, follows=0),
        lambda b, c: c.artifacts.save(b.campaign, "note", "k", BytesIO(b"theirs"), b.blobs, follows=0),
        "Saved note/k",
        ("mine", "theirs"),
        "#/campaigns/{campaign}/artifacts/note/k",
        ("SELECT content FROM artifacts WHERE artifact_key='k' AND version=2", "mine"),
    ),
    "voice": Case(
        lambda _, c: c.soul.save("Write as I would.", follows=0),
        lambda _, c: c.soul.save("Write as they would.", follows=0),
        "Changed the voice",
        ("Write as I would.", "Write as they would."),
        "#/settings/voice",
        ("SELECT text FROM souls WHERE version=2", "Write as I would."),
    ),
    "setting": Case(
        lambda _, c: c.workspace.keep("look", {"theme": "dark"}),
        lambda _, c: c.workspace.keep("look", {"theme": "light"}),
        "Changed the setting “look”",
        ("theme: dark", "theme: light"),
        "#/settings",
        ("SELECT value FROM config_kv WHERE id='look'", '{"theme":"dark"}'),
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
        "Added {name} to do-not-contact",
        ("do not contact", ""),
        "#/campaigns/{campaign}/leads/{lead}",
        ("SELECT blocked FROM leads WHERE id='{lead}'", "do_not_contact"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_was_decided_is_said_and_can_be_decided_again(both: Both, name: str) -> None:
    case = CASES[name]
    facts = {"campaign": both.campaign, "lead": both.lead}
    facts["name"] = both.value("SELECT full_name FROM leads WHERE id=?", both.lead)
    both.mine.change_status(both.campaign, CampaignStatus.ACTIVE)
    both.in_step()
    both.overtake(case.mine, case.theirs)
    (found,) = both.listed()
    assert found["what"] == case.what.format(**facts)
    assert (found["mine"], found["theirs"]) == case.values
    assert found["place"] == case.place.format(**facts)
    assert found["again"]
    answer = both.choose("mine")
    assert (answer.status, answer.json["open"]) == (200, []), answer.text
    sql, expected = case.holds
    assert both.value(sql.format(**facts)) == expected
    both.in_step()
    assert both.listed() == []
    sound(both)


def sound(both: Both) -> None:
    for device in (both.here, both.there):
        assert replay.check(device.journal.database) == []
        with device.journal.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []
    audits = "SELECT count(*) FROM audit_log WHERE action_type='overtaken_decision' AND actor='user'"
    assert both.value(audits) == 1


def test_what_holds_now_is_left_and_that_is_on_record(both: Both) -> None:
    both.overtake(CASES["note"].mine, CASES["note"].theirs)
    answer = both.choose("theirs")
    assert answer.json == {"open": [], "noted": 0}
    assert both.value("SELECT notes FROM leads WHERE id=?", both.lead) == "theirs"
    assert both.value("SELECT status FROM set_aside WHERE settled_at IS NOT NULL") == "theirs"
    sound(both)


def test_an_approval_is_given_again_only_for_the_very_text_that_was_shown(both: Both) -> None:
    digest = both.mine.digest(both.campaign, "draft1")
    both.overtake(
        lambda b, c: c.approve(b.campaign, "draft1", shown_digest=digest),
        lambda b, c: c.edit(b.campaign, "draft1", "Another text"),
    )
    (found,) = both.listed()
    assert found["what"].startswith("Approved the message to ")
    assert (found["mine"], found["theirs"]) == ("approved", "draft")
    assert both.choose("mine").code == "approval_text_changed"
    assert both.value("SELECT status FROM messages WHERE id='draft1'") == "draft"
    assert len(both.listed()) == 1  # it still waits
    both.choose("theirs")
    assert both.listed() == []


def test_a_choice_is_made_once(both: Both) -> None:
    both.overtake(CASES["note"].mine, CASES["note"].theirs)
    (found,) = both.listed()
    both.choose("theirs")
    again = both.app.ask(f"/api/sync/set-aside/{found['id']}", {"choice": "mine"})
    assert (again.status, again.code) == (404, "set_aside_unknown")


def test_what_cannot_be_decided_again_says_so(both: Both) -> None:
    both.overtake(
        lambda _, c: c.skills.install(skill_folder("tone", "mine")),
        lambda _, c: c.skills.install(skill_folder("tone", "theirs")),
    )
    (found,) = both.listed()
    assert (found["what"], found["campaign"], found["again"]) == ("Installed the skill “tone”", "", False)
    assert both.choose("mine").code == "not_again"
    assert len(both.listed()) == 1


def test_turns_that_were_overtaken_are_only_counted(both: Both) -> None:
    turn = Event("TurnCompleted", "1", {"history": "x", "steps": []})
    for device in (both.here, both.there):
        device.journal.record(both.campaign, events=[turn], actor="controller", cause="t1", at=1)
    both.in_step()
    assert both.app.ask("/api/sync/set-aside").json == {"open": [], "noted": 1}


FOLLOWS = {"ApprovalGiven", "ApprovalRevoked", "TaskAdvanced", "TaskBlocked", "TaskUnblocked", "CampaignFailed"}
"""What is recorded along with a decision and is none itself, or is none of the user's."""


def test_every_decision_that_there_is_a_command_for_has_words() -> None:
    told = {name for kind in DECISIONS for name in kind.kinds}
    assert told <= KINDS.keys()
    files = set(CONTROLLER.glob("*commands.py")) - {Path(overtaken_commands.__file__)}
    written = [file.read_text("utf-8") for file in files]
    recorded = {
        name for text in written for name in re.findall(r'"([A-Z][a-z]+(?:[A-Z][a-z]+)+)"', text) if name in KINDS
    }
    assert len(recorded) > 25
    assert recorded - told - FOLLOWS == set()

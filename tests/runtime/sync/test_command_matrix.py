"""Every command, given on one device while another device decided nothing, the same, the opposite, to erase, or to delete.

The table of commands says what is asked: what only forbids or says what happened never is, whatever came first; the same
never is; nor is anything about a person who is erased or a campaign that is deleted.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from backend.commands import conflicts
from backend.commands.answers import LEAVE_IT, TRY_AGAIN
from backend.commands.command import COMMANDS
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.task import TaskBlocked
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.answer import STEP as ANSWER
from backend.domain.model.artifact import text_content
from backend.domain.model.campaign import DAY, CampaignStatus, Limits
from backend.domain.model.connection import Connection
from backend.domain.model.lead import Label
from backend.domain.model.providers import Provider
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.scoring import NewBlueprint
from backend.domain.model.send_word import GivenWord, SessionAsk, Word
from backend.domain.sequence.sequence_change import as_request
from backend.domain.turn.commitments import LeadsScored
from backend.domain.values.errors import OutriderError
from backend.ports.sync_status import LocalOnly
from backend.situation import send_people
from backend.store.log.journal import TrialJournal, WouldRecordError
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import erased_things
from backend.store.queries.people import person_entries
from backend.store.replication import rebase_queue, shared_conflicts
from backend.store.replication.rebase_queue import Conflict
from backend.store.replication.shared_conflicts import ConflictElsewhere
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.pair import Pair
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk
from tests.fakes.shared_store import FakeProject
from tests.fakes.skills import folder as skill_folder

LATER = 4_000_000_000_000


class World(Pair):
    """A campaign with drafts to five people, and a second one without people; on two devices, in sync."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, self._begin)

    def _begin(self, desk: Stage) -> str:
        campaign = desk.campaign(5, settings=ONE_STEP)
        desk.run(campaign, approve=False)
        self.other = desk.campaign(0, settings=ONE_STEP, name="Other")
        return campaign

    def copied(self, folder: Path) -> "World":
        """Another pair of devices that have all this in their files; they make other ids."""
        made = object.__new__(World)
        made.campaign, made.other = self.campaign, self.other
        for stage in self.stages:
            shutil.copytree(stage.path.parent, folder / stage.path.parent.name)
        made.stages = Stage(folder / "desk", seed="desk again"), Stage(folder / "laptop", seed="laptop again")
        project = FakeProject(lambda: made.stages[0].clock.ticks() / 1e6)
        project.users = deepcopy(self.project.users)
        made._connect(project)
        return made

    def lead(self, number: int = 0) -> str:
        return str(
            self.stages[0].query("SELECT id FROM leads WHERE campaign_id=? ORDER BY position", self.campaign)[number][0]
        )

    def draft(self, number: int = 0) -> str:
        sql = "SELECT id FROM messages WHERE lead_id=? AND kind<>'reply' ORDER BY created_at LIMIT 1"
        return str(self.stages[0].one(sql, self.lead(number)))

    def reply(self) -> str:
        return str(self.stages[0].one("SELECT id FROM messages WHERE kind='reply'"))

    def task(self) -> str:
        return str(self.stages[0].one("SELECT id FROM tasks WHERE lead_id=?", self.lead()))

    def condition(self) -> str:
        return str(self.stages[0].one("SELECT id FROM commitments WHERE task_id=? AND source='user'", self.task()))

    def one(self, table: str) -> str:
        return str(self.stages[0].one(f"SELECT id FROM {table} ORDER BY id LIMIT 1"))

    def kept_word(self) -> GivenWord:
        given_word = self.stages[0].database.query(send_people.last_word, self.campaign)
        if given_word is None:
            raise LookupError("no word stands")
        return given_word

    def elsewhere(self) -> list[ConflictElsewhere]:
        """What the desk knows of the decisions that wait on the laptop."""
        with self.stages[0].database.read() as connection:
            return shared_conflicts.elsewhere(connection)

    def held(self) -> list[bool]:
        """Whether the person is held on each device because of a conflict."""
        in_conflict = shared_conflicts.is_person_in_conflict
        return [stage.database.query(in_conflict, self.campaign, self.lead()) for stage in self.stages]


class ByHand(World):
    """Three people wait for the user's hand; the text for the first was handed over at the desk."""

    def _begin(self, desk: Stage) -> str:
        made = Desk(desk, by_hand(desk, MESSAGES, limits=EVERY_DAY), LocalOnly())
        made.run()
        made.hand_over(no_reply=True)
        self.other = desk.campaign(0, settings=ONE_STEP, name="Other")
        return made.campaign


Decide = Callable[[World, Commands], Any]


def nothing(_world: World, _user: Commands) -> None:
    """Nothing."""


class Row(NamedTuple):
    """What is given here, its opposite there, what both knew `before`, and against what the user is asked: as a rule against the
    opposite, unless the command only forbids or says what happened."""

    mine: Decide
    opposite: Decide
    before: Decide = nothing
    asks: tuple[str, ...] | None = None
    by_hand: bool = False


def approve(w: World, u: Commands) -> Any:
    u.review.approve(w.campaign, w.draft(), shown_digest=u.review.digest(w.campaign, w.draft()))


def replied(w: World, u: Commands) -> Any:
    u.replies.found(w.campaign, w.lead(), "Tell me more.", at=w.stages[0].clock.now(), answers=True)


def answered(w: World, u: Commands) -> Any:
    replied(w, u)
    u.replies.answer(w.campaign, w.lead(), "With pleasure.")


def edited(text: str) -> Decide:
    return lambda w, u: u.review.edit(w.campaign, w.draft(), text)


def reject(w: World, u: Commands) -> Any:
    u.review.reject(w.campaign, w.draft())


def skip(w: World, u: Commands) -> Any:
    u.lead_groups.skip(w.campaign, [w.lead()])


def take_up(w: World, u: Commands) -> Any:
    u.lead_groups.take_up(w.campaign, [w.lead()])


def forbid(w: World, u: Commands) -> Any:
    u.leads.do_not_contact(w.campaign, w.lead(), "Asked me not to")


def contact_again(w: World, u: Commands) -> Any:
    u.leads.contact_again(w.campaign, w.lead())


def blocked_task(w: World, _: Commands) -> Any:
    w.stages[0].note_elsewhere(w.campaign, TaskBlocked(w.task(), reason="x"))


def invited(w: World, _: Commands) -> Any:
    w.stages[0].note_elsewhere(w.campaign, Event("LeadAdvanced", w.lead(), {"relation": "pending", "invited_at": 1}))


def added_condition(w: World, u: Commands) -> Any:
    u.tasks.add_commitment(w.campaign, w.task(), LeadsScored(type="leads_scored"))


def looked_at(w: World, _: Commands) -> Any:
    w.stages[0].note_elsewhere(w.campaign, Event("LeadAdvanced", w.lead(), {"headline": "CTO"}))


def known_before(w: World, _: Commands) -> Any:
    w.stages[0].note_elsewhere(w.campaign, Event("LeadBlocked", w.lead(), {"blocked": "written_to_before"}))


def with_skill(w: World, u: Commands) -> Any:
    u.skills.install(skill_folder("kind"))


def with_used_skill(w: World, u: Commands) -> Any:
    with_skill(w, u)
    approve_skill(w, u)


def the_skill(w: World) -> str:
    return str(w.stages[0].one("SELECT id FROM skills WHERE name='kind'"))


def approve_skill(w: World, u: Commands) -> Any:
    u.skills.approve(the_skill(w), shown_hash=str(w.stages[0].one("SELECT source_hash FROM skills WHERE name='kind'")))


def asked(w: World, u: Commands) -> Any:
    blocked_task(w, u)
    words = {
        "kind": "unblock",
        "question": "And now?",
        "choices": [TRY_AGAIN, LEAVE_IT],
        "payload": {},
        "status": "open",
    }
    question = Event("InputRequested", "question1", {"task_id": w.task(), "created_at": 1, **words})
    w.stages[0].note_elsewhere(w.campaign, question)


def incident(w: World, _: Commands) -> Any:
    seen = {"account": "practice", "kind": "unknown_page", "said": "x", "status": "open", "opened_at": 1}
    w.stages[0].note_elsewhere(w.campaign, Event("IncidentOpened", "incident1", seen))


def allowed_again(w: World, _: Commands) -> Any:
    w.stages[0].note_elsewhere(w.campaign, Event("LeadContactAllowed", w.lead(), {"contact_anyway": "theirs"}))


def with_another(w: World, _: Commands) -> Any:
    """They are with the other campaign."""
    names = ("full_name", "profile_url", "member_key", "job_title", "company")
    (columns,) = w.stages[0].query(f"SELECT {', '.join(names)} FROM leads WHERE id=?", w.lead())
    same = {"import_id": "i", "position": 0, **dict(zip(names, columns, strict=True))}
    claimed = Event("LeadClaimed", "same1", {"claimed_at": w.stages[0].clock.now()})
    w.stages[0].note_elsewhere(w.other, Event("LeadImported", "same1", same), claimed)


def shipped(words: str) -> Decide:
    """As Outrider does at start: nobody decides that."""
    return lambda _, u: replace(u, actor="controller").skills.update_builtin([skill_folder("ours", words)])


def sequence(text: str) -> Decide:
    def change(w: World, u: Commands) -> Any:
        campaign = u.journal.database.query(campaigns.campaign, w.campaign)
        assert campaign is not None
        now = as_request(campaign.settings.sequence)
        steps = (*now.steps[:-1], now.steps[-1].model_copy(update={"template": text}))
        u.sequences.change(w.campaign, requested_sequence=now.model_copy(update={"steps": steps}), version=None)

    return change


def connection(name: str) -> Decide:
    made = Connection(id="m1", provider=Provider.OPENAI, name=name, base_url="https://models.test/v1", model="m")
    return lambda w, u: u.models.save(made)


def blueprint(weight: int) -> Decide:
    return lambda w, u: u.scoring.adopt(w.campaign, _blueprint(weight), follows=None)


def _blueprint(weight: int) -> NewBlueprint:
    rules = (
        (weight, {"rule": "completeness", "fields": ["company"]}),
        (100 - weight, {"rule": "completeness", "fields": ["job_title"]}),
    )
    return NewBlueprint.model_validate_json(
        json.dumps({"criteria": [{"name": f"Rule {n}", "weight": w, "rule": r} for n, (w, r) in enumerate(rules)]})
    )


def ranked(w: World, u: Commands) -> Any:
    u.rankings.save(w.campaign, [w.lead(n) for n in range(3)])


def rank(w: World, u: Commands, counts: bool) -> Any:
    (u.rankings.put_back if counts else u.rankings.take_back)(w.campaign, w.one("rankings"))


def settle(w: World, u: Commands) -> Any:
    u.send_words.settle(w.campaign, w.lead(), at=w.kept_word().at)


def the_entry(w: World) -> str:
    return str(w.stages[0].one("SELECT id FROM do_not_contact WHERE member_key='someone'"))


def keys(w: World) -> list[str]:
    return [str(w.stages[0].one("SELECT member_key FROM leads WHERE id=?", w.lead(n))) for n in range(2)]


def lines(w: World, u: Commands) -> Any:
    u.requests.record_plain_command(w.campaign, "pause", key="k0")


def keep(text: str) -> Decide:
    return lambda w, u: u.artifacts.keep(w.campaign, "note", "k", text_content("note", "k", text), follows=None)


def status(target: CampaignStatus) -> Decide:
    return lambda w, u: u.campaigns.change_status(w.campaign, target)


def word(answer: Word) -> Decide:
    return lambda w, u: u.send_words.say(
        w.campaign, w.lead(), answer, ask=SessionAsk.OUTCOME, action_id=w.one("actions"), at=w.stages[0].clock.now()
    )


def taken_back(w: World, u: Commands) -> Any:
    given_word = w.kept_word()
    u.send_words.take_back(
        w.campaign, w.lead(), given_word.word, ask=given_word.ask, action_id=given_word.action_id, at=given_word.at
    )


ROWS: dict[str, Row] = {
    # --- texts ---
    "review.approve": Row(approve, reject),
    "review.withdraw": Row(
        lambda w, u: u.review.withdraw(w.campaign, w.draft()),
        lambda w, u: (u.review.withdraw(w.campaign, w.draft()), approve(w, u)),
        approve,
    ),
    "review.reject": Row(reject, approve),
    "review.restore": Row(
        lambda w, u: u.review.restore(w.campaign, w.draft()),
        lambda w, u: (u.review.restore(w.campaign, w.draft()), reject(w, u)),
        reject,
    ),
    "review.edit": Row(edited("Mine."), edited("Theirs.")),
    "questions.answer": Row(
        lambda w, u: u.questions.answer(w.campaign, "question1", TRY_AGAIN),
        lambda w, u: u.questions.answer(w.campaign, "question1", LEAVE_IT),
        asked,
        asks=("its opposite",),
    ),
    "campaigns.clear_incident": Row(
        lambda w, u: u.campaigns.clear_incident(w.campaign, "All is well."),
        lambda w, u: u.campaigns.clear_incident(w.campaign, "Nothing there."),
        incident,
        asks=(),
    ),
    # --- people ---
    "leads.note": Row(
        lambda w, u: u.leads.note(w.campaign, w.lead(), "Mine."),
        lambda w, u: u.leads.note(w.campaign, w.lead(), "Theirs."),
    ),
    "leads.choose_greeting": Row(
        lambda w, u: u.leads.choose_greeting(w.campaign, w.lead(), "Mine"),
        lambda w, u: u.leads.choose_greeting(w.campaign, w.lead(), "Theirs"),
    ),
    "leads.tag": Row(
        lambda w, u: u.leads.tag(w.campaign, w.lead(), ["a"]), lambda w, u: u.leads.tag(w.campaign, w.lead(), ["b"])
    ),
    "leads.prioritise": Row(
        lambda w, u: u.leads.prioritise(w.campaign, w.lead(), 90),
        lambda w, u: u.leads.prioritise(w.campaign, w.lead(), 10),
    ),
    "leads.place": Row(
        lambda w, u: u.leads.place(w.campaign, w.lead(), w.lead(1), None, upwards=True),
        lambda w, u: u.leads.prioritise(w.campaign, w.lead(), 10),
        lambda w, u: u.leads.prioritise(w.campaign, w.lead(1), 80),
    ),
    "leads.invitation_withdrawn": Row(
        lambda w, u: u.leads.invitation_withdrawn(w.campaign, w.lead()), looked_at, invited
    ),
    "leads.do_not_contact": Row(forbid, lambda w, u: (forbid(w, u), contact_again(w, u))),
    "leads.contact_again": Row(contact_again, lambda w, u: (contact_again(w, u), forbid(w, u)), forbid),
    "lead_groups.tag": Row(
        lambda w, u: u.lead_groups.tag(w.campaign, [w.lead()], "a"),
        lambda w, u: u.leads.tag(w.campaign, w.lead(), ["b"]),
    ),
    "lead_groups.untag": Row(
        lambda w, u: u.lead_groups.untag(w.campaign, [w.lead()], "a"),
        lambda w, u: u.leads.tag(w.campaign, w.lead(), ["a", "b"]),
        lambda w, u: u.leads.tag(w.campaign, w.lead(), ["a"]),
    ),
    "lead_groups.prioritise": Row(
        lambda w, u: u.lead_groups.prioritise(w.campaign, [w.lead()], 90),
        lambda w, u: u.leads.prioritise(w.campaign, w.lead(), 10),
    ),
    "lead_groups.skip": Row(skip, lambda w, u: (skip(w, u), take_up(w, u))),
    "lead_groups.take_up": Row(take_up, lambda w, u: (take_up(w, u), skip(w, u)), skip),
    "lead_groups.forbid": Row(
        lambda w, u: u.lead_groups.forbid(w.campaign, [w.lead()], "No"),
        lambda w, u: (forbid(w, u), contact_again(w, u)),
    ),
    "lead_groups.contact_again": Row(
        lambda w, u: u.lead_groups.contact_again(w.campaign, [w.lead()]),
        lambda w, u: (contact_again(w, u), forbid(w, u)),
        forbid,
    ),
    "lead_groups.move": Row(
        lambda w, u: u.lead_groups.move(w.campaign, [w.lead()], w.other), lambda w, u: (skip(w, u), take_up(w, u))
    ),
    "people.erase": Row(lambda w, u: u.people.erase(w.campaign, w.lead()), approve, asks=()),
    "people.contact_anyway": Row(
        lambda w, u: u.people.contact_anyway(w.campaign, w.lead(), "mine"),
        lambda w, u: (u.people.contact_anyway(w.campaign, w.lead(), "theirs"), u.people.leave(w.campaign, w.lead())),
        known_before,
    ),
    "people.leave": Row(
        lambda w, u: u.people.leave(w.campaign, w.lead()),
        lambda w, u: (u.people.leave(w.campaign, w.lead()), allowed_again(w, u)),
        lambda w, u: (known_before(w, u), u.people.contact_anyway(w.campaign, w.lead(), "both")),
    ),
    "people.move_here": Row(
        lambda w, u: u.people.move_here(w.campaign, w.lead()),
        lambda w, u: (u.people.move_here(w.campaign, w.lead()), u.people.move_here(w.other, "same1")),
        with_another,
    ),
    "people.answer_same": Row(
        lambda w, u: u.people.answer_same(keys(w), True),
        lambda w, u: u.people.answer_same(keys(w), False),
    ),
    "people.take_answer_back": Row(
        lambda w, u: u.people.take_answer_back(w.one("identity_answers")),
        lambda w, u: (u.people.take_answer_back(w.one("identity_answers")), u.people.answer_same(keys(w), False)),
        lambda w, u: u.people.answer_same(keys(w), False),
        asks=(),
    ),
    # --- conversations ---
    "replies.found": Row(replied, looked_at),
    "replies.classify": Row(
        lambda w, u: u.replies.classify(w.campaign, w.reply(), ReplyKind.NO),
        lambda w, u: u.replies.classify(w.campaign, w.reply(), ReplyKind.AUTOMATIC),
        replied,
    ),
    "replies.answer": Row(
        lambda w, u: u.replies.answer(w.campaign, w.lead(), "Mine."),
        lambda w, u: u.replies.answer(w.campaign, w.lead(), "Theirs."),
        replied,
    ),
    "replies.take_back": Row(
        lambda w, u: u.replies.take_back(w.campaign, w.lead()),
        lambda w, u: (u.replies.take_back(w.campaign, w.lead()), u.replies.answer(w.campaign, w.lead(), "Theirs.")),
        answered,
    ),
    "replies.label": Row(
        lambda w, u: u.replies.label(w.campaign, w.lead(), Label.NO),
        lambda w, u: u.replies.label(w.campaign, w.lead(), Label.INTERESTED),
        asks=("its opposite",),
    ),
    "replies.snooze": Row(
        lambda w, u: u.replies.snooze(w.campaign, w.lead(), LATER),
        lambda w, u: u.replies.snooze(w.campaign, w.lead(), LATER + 1),
    ),
    # --- campaigns ---
    "campaigns.change_status": Row(
        status(CampaignStatus.PAUSED),
        lambda w, u: (status(CampaignStatus.PAUSED)(w, u), status(CampaignStatus.ACTIVE)(w, u)),
    ),
    "campaigns.create": Row(
        lambda w, u: u.campaigns.create("Mine", "g", site="practice", account="practice", settings=ONE_STEP),
        lambda w, u: u.campaigns.create("Theirs", "g", site="practice", account="practice", settings=ONE_STEP),
        asks=(),
    ),
    "campaigns.edit": Row(
        lambda w, u: u.campaigns.edit(w.campaign, version=None, name="Mine"),
        lambda w, u: u.campaigns.edit(w.campaign, version=None, name="Theirs"),
    ),
    "campaigns.archive": Row(
        lambda w, u: u.campaigns.archive(w.campaign),
        lambda w, u: (u.campaigns.archive(w.campaign), u.campaigns.unarchive(w.campaign)),
    ),
    "campaigns.unarchive": Row(
        lambda w, u: u.campaigns.unarchive(w.campaign),
        lambda w, u: (u.campaigns.unarchive(w.campaign), u.campaigns.archive(w.campaign)),
        lambda w, u: u.campaigns.archive(w.campaign),
    ),
    "campaigns.delete": Row(
        lambda w, u: u.campaigns.delete(w.campaign),
        lambda w, u: u.campaigns.edit(w.campaign, version=None, name="Theirs"),
        status(CampaignStatus.PAUSED),
        asks=(),
    ),
    "scoring.adopt": Row(blueprint(40), blueprint(70)),
    "sequences.change": Row(sequence("Mine, {first_name}?"), sequence("Theirs, {first_name}?")),
    "scoring.again": Row(lambda w, u: u.scoring.again(w.campaign), lambda w, u: u.scoring.again(w.campaign), asks=()),
    "models.choose": Row(
        lambda w, u: u.models.choose(w.campaign, "m1"),
        lambda w, u: u.models.choose(w.campaign, "scripted", alone=True),
        connection("Both"),
    ),
    "lead_table.keep": Row(
        lambda w, u: u.lead_table.keep(w.campaign, {"columns": ["tags"]}),
        lambda w, u: u.lead_table.keep(w.campaign, {"columns": ["title"]}),
    ),
    "rankings.save": Row(ranked, lambda w, u: u.rankings.save(w.campaign, [w.lead(n) for n in (2, 1, 0)]), asks=()),
    "rankings.take_back": Row(
        lambda w, u: rank(w, u, counts=False), lambda w, u: (rank(w, u, counts=False), rank(w, u, counts=True)), ranked
    ),
    "rankings.put_back": Row(
        lambda w, u: rank(w, u, counts=True),
        lambda w, u: (rank(w, u, counts=True), rank(w, u, counts=False)),
        lambda w, u: (ranked(w, u), rank(w, u, counts=False)),
    ),
    "artifacts.keep": Row(keep("Mine."), keep("Theirs.")),
    # --- tasks, requests ---
    "tasks.cancel": Row(
        lambda w, u: u.tasks.cancel(w.campaign, w.task()),
        lambda w, u: u.tasks.retry(w.campaign, w.task()),
        blocked_task,
    ),
    "tasks.retry": Row(
        lambda w, u: u.tasks.retry(w.campaign, w.task()),
        lambda w, u: u.tasks.cancel(w.campaign, w.task()),
        blocked_task,
    ),
    "tasks.add_commitment": Row(added_condition, looked_at),
    "tasks.remove_commitment": Row(
        lambda w, u: u.tasks.remove_commitment(w.campaign, w.task(), w.condition()), looked_at, added_condition, asks=()
    ),
    "requests.begin": Row(
        lambda w, u: u.requests.begin(w.campaign, "Mine?", (), key="k1"),
        lambda w, u: u.requests.begin(w.campaign, "Theirs?", (), key="k2"),
        asks=("the same",),
    ),
    "requests.record_plain_command": Row(
        lambda w, u: u.requests.record_plain_command(w.campaign, "pause", key="k1"),
        lambda w, u: u.requests.record_plain_command(w.campaign, "continue", key="k2"),
        asks=("the same",),
    ),
    "requests.delete": Row(
        lambda w, u: u.requests.delete(w.campaign),
        lambda w, u: (u.requests.delete(w.campaign), u.requests.restore(w.campaign)),
        lines,
    ),
    "requests.restore": Row(
        lambda w, u: u.requests.restore(w.campaign),
        lambda w, u: (u.requests.restore(w.campaign), u.requests.delete(w.campaign)),
        lambda w, u: (lines(w, u), u.requests.delete(w.campaign)),
    ),
    "requests.erase": Row(
        lambda w, u: u.requests.erase(w.campaign), lambda w, u: u.requests.delete(w.campaign), lines, asks=()
    ),
    # --- the user's hand ---
    "send_words.say": Row(word(Word.SENT), word(Word.NOT_SENT), by_hand=True),
    "send_words.take_back": Row(taken_back, settle, word(Word.SENT), asks=("its opposite",), by_hand=True),
    "send_words.settle": Row(settle, taken_back, word(Word.SENT), by_hand=True),
    # --- the workspace ---
    "consents.give": Row(
        lambda _, u: u.consents.give(CONSENT_SENTENCE),
        lambda _, u: (u.consents.give(CONSENT_SENTENCE), u.consents.withdraw()),
    ),
    "consents.withdraw": Row(
        lambda _, u: u.consents.withdraw(),
        lambda _, u: (u.consents.withdraw(), u.consents.give(CONSENT_SENTENCE)),
        lambda _, u: u.consents.give(CONSENT_SENTENCE),
    ),
    "models.save": Row(connection("Mine"), connection("Theirs")),
    "models.remove": Row(lambda _, u: u.models.remove("m1"), connection("Theirs"), connection("Both")),
    "soul.save": Row(
        lambda _, u: u.soul.save("Mine.", follows=None), lambda _, u: u.soul.save("Theirs.", follows=None)
    ),
    "workspace.keep": Row(
        lambda _, u: u.workspace.keep("look", {"theme": "dark"}),
        lambda _, u: u.workspace.keep("look", {"theme": "light"}),
    ),
    "workspace.name_device": Row(
        lambda _, u: u.workspace.name_device("device1", "Mine"),
        lambda _, u: u.workspace.name_device("device1", "Theirs"),
        lambda w, _: w.stages[0].note_elsewhere(
            WORKSPACE, Event("DeviceJoined", "device1", {"name": "Host", "created_at": 1})
        ),
    ),
    "workspace.add_do_not_contact": Row(
        lambda w, u: u.workspace.add_do_not_contact("someone", "Someone", "No"),
        lambda w, u: (
            u.workspace.add_do_not_contact("someone", "Someone", "No"),
            u.workspace.remove_do_not_contact(the_entry(w)),
        ),
    ),
    "workspace.remove_do_not_contact": Row(
        lambda w, u: u.workspace.remove_do_not_contact(the_entry(w)),
        lambda w, u: (
            u.workspace.remove_do_not_contact(the_entry(w)),
            u.workspace.add_do_not_contact("someone", "Someone", "No"),
        ),
        lambda w, u: u.workspace.add_do_not_contact("someone", "Someone", "No"),
        asks=(),
    ),
    "skills.install": Row(with_skill, lambda _, u: u.skills.install(skill_folder("kind", "Be stern."))),
    "skills.update_builtin": Row(shipped("Be kind."), shipped("Be stern."), asks=()),
    "skills.approve": Row(approve_skill, lambda w, u: u.skills.remove(the_skill(w)), with_skill),
    "skills.enable": Row(
        lambda w, u: u.skills.enable(the_skill(w)),
        lambda w, u: (u.skills.enable(the_skill(w)), u.skills.disable(the_skill(w))),
        lambda w, u: (with_used_skill(w, u), u.skills.disable(the_skill(w))),
    ),
    "skills.disable": Row(
        lambda w, u: u.skills.disable(the_skill(w)),
        lambda w, u: (u.skills.disable(the_skill(w)), u.skills.enable(the_skill(w))),
        with_used_skill,
    ),
    "skills.remove": Row(
        lambda w, u: u.skills.remove(the_skill(w)),
        lambda w, u: (u.skills.remove(the_skill(w)), u.skills.restore(the_skill(w))),
        with_skill,
    ),
    "skills.restore": Row(
        lambda w, u: u.skills.restore(the_skill(w)),
        lambda w, u: (u.skills.restore(the_skill(w)), u.skills.remove(the_skill(w))),
        lambda w, u: (with_skill(w, u), u.skills.remove(the_skill(w))),
    ),
}


def erase(w: World, u: Commands) -> None:
    with refused_while_sending(w):
        u.people.erase(w.campaign, w.lead())


def delete(w: World, u: Commands) -> None:
    if w.stages[0].status(w.campaign) == CampaignStatus.ACTIVE:
        u.campaigns.change_status(w.campaign, CampaignStatus.PAUSED)
    with refused_while_sending(w):
        u.campaigns.delete(w.campaign)


def refused_while_sending(w: World) -> AbstractContextManager[object]:
    """What is handed over is about to be sent; nobody is erased meanwhile."""
    under_way = w.stages[0].query("SELECT 1 FROM actions WHERE status='intended'")
    return pytest.raises(OutriderError, match=r"is under way|is being sent") if under_way else nullcontext()


def elsewhere(w: World, u: Commands) -> None:
    """Something else, in both streams, so that what is decided here comes behind it."""
    u.leads.note(w.campaign, w.lead(2), "Somebody else.")
    u.workspace.keep("another", {"matter": 1})


AGAINST: dict[str, Callable[[Row], Decide]] = {
    "nothing": lambda _: elsewhere,
    "the same": lambda row: row.mine,
    "its opposite": lambda row: row.opposite,
    "erase": lambda _: erase,
    "delete": lambda _: delete,
    "another sequence": lambda _: sequence("Everybody, {first_name}?"),
    "a refusal": lambda _: forbid,
}

ASKED: dict[str, frozenset[str]] = {
    "another sequence": frozenset({"review.approve", "review.edit", "sequences.change"}),
    "a refusal": frozenset({"review.approve", "review.edit", "review.restore", "tasks.retry"}),
}
"""What of these is asked about beside what is decided against its own opposite: who approves or words a text wants it sent, and the
same campaign's settings are one document."""

ABOUT_WHAT_WAS_ASKED = frozenset({"questions.answer"})
"""What is decided once by hand, and again through what it was about."""


def names(w: World, conflict: Conflict) -> set[str]:
    """Whom the laptop, where it waits, takes a decision to be about."""
    return w.stages[1].database.query(rebase_queue.leads_of, conflict)


def can_be_decided(w: World, name: str, decide: Decide) -> bool:
    """Whether the user could still decide it on the laptop with anything to come of it, had they not decided it before."""
    if COMMANDS[name].only is not None:
        return False
    on_trial = replace(w.laptop, journal=TrialJournal(w.laptop.journal))
    try:
        decide(w, on_trial)
    except WouldRecordError:
        return True
    except (OutriderError, LookupError):
        return name in ABOUT_WHAT_WAS_ASKED
    return False


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, World]]:
    """The worlds to start from, by whether they are the user's hand's."""
    made: dict[bool, World] = {
        is_by_hand: kind(tmp_path_factory.mktemp(kind.__name__))
        for is_by_hand, kind in ((False, World), (True, ByHand))
    }
    yield made
    for world in made.values():
        world.close()


OF_THE_USER = [name for name in COMMANDS if name.partition(".")[0] in dir(Commands)]
"""All but those that seal a secret on this device, which is never repeated (`backend.commands.keys`)."""


def test_every_command_has_its_row() -> None:
    missing, stale = set(OF_THE_USER) - ROWS.keys(), ROWS.keys() - set(OF_THE_USER)
    assert not missing, f"add to `ROWS` in {Path(__file__).name} how each is given, and its opposite: {missing}"
    assert not stale, f"take out of `ROWS` in {Path(__file__).name}, as there is no such command: {stale}"


def test_what_is_given_once_is_named_as_its_command_is() -> None:
    assert COMMANDS.keys() >= conflicts.GIVEN_ONCE.keys(), "a command that is renamed is renamed there, too"


@pytest.mark.parametrize("against", AGAINST)
@pytest.mark.parametrize("name", ROWS)
def test_a_command_is_asked_about_only_if_two_devices_want_opposites(
    begun: dict[bool, World], tmp_path: Path, name: str, against: str
) -> None:
    row, definition = ROWS[name], COMMANDS[name]
    w = begun[row.by_hand].copied(tmp_path)
    row.before(w, w.desk)
    w.synchronise()
    row.mine(w, w.laptop)
    w.stages[0].clock.advance(1_000)
    elsewhere(w, w.desk)
    AGAINST[against](row)(w, w.desk)
    w.synchronise()
    asks = (
        against in row.asks if row.asks is not None else against == "its opposite" and definition.on_conflict == "ask"
    )
    asks = asks or name in ASKED.get(against, ())
    waiting, announced, (on_the_desk, on_the_laptop) = w.conflicts(), w.elsewhere(), w.held()
    assert {conflict.cause.split()[0] for conflict in waiting} == ({name} if asks else set())
    for conflict in waiting[:1]:
        offered = can_be_decided(w, name, row.mine)
        assert conflicts.can_repeat(lambda _: w.laptop, conflict) is offered
        with nullcontext() if offered else pytest.raises(OutriderError):
            conflicts.resolve(lambda _: w.laptop, conflict, "mine")
        assert ({left.id for left in w.conflicts()} == set()) is offered, "one choice is about all of a decision"
    assert {conflict.id for conflict in announced} == {conflict.id for conflict in waiting}
    assert {bool(conflict.person) for conflict in announced} == {bool(names(w, conflict)) for conflict in waiting}
    assert on_the_desk == on_the_laptop, "whoever is left alone on one device is left alone on the other"
    for other in announced:
        conflicts.settle_elsewhere(lambda _: w.desk, other)
    w.synchronise()
    assert (w.conflicts(), w.elsewhere()) == ([], [])
    assert w.held() == [False, False]
    for stage in w.stages:
        stage.close()


def they_replied(w: World, u: Commands) -> None:
    at, ask = w.stages[0].clock.now(), SessionAsk.REPLIED
    u.send_words.say(w.campaign, w.lead(), Word.REPLIED, ask=ask, action_id="", at=at, reply="Not on Tuesdays.")


def own_words(w: World, u: Commands) -> None:
    u.questions.answer(w.campaign, "question1", "Ask her brother.")


OF_WHOEVER_IS_ERASED = ROWS | {
    "they replied": Row(they_replied, nothing, by_hand=True),
    "own words": Row(own_words, nothing, asked),
}
ENDS_WHAT_WAS_ASKED = frozenset({"questions.answer", "own words", "send_words.say"})
"""How a task ends, and what became of an act, is said of whoever it is about, and in the words that are offered."""


@pytest.mark.parametrize("name", OF_WHOEVER_IS_ERASED)
def test_of_whoever_is_erased_no_decision_keeps_words_or_lets_anything_go_on(
    begun: dict[bool, World], tmp_path: Path, name: str
) -> None:
    row = OF_WHOEVER_IS_ERASED[name]
    w = begun[row.by_hand].copied(tmp_path)
    stage, lead = w.stages[0], w.lead()
    row.before(w, w.desk)
    if row.by_hand:
        by_the_user = Desk(stage, w.campaign, LocalOnly())
        if stage.database.query(send_people.last_word, w.campaign) is None:
            by_the_user.say(lead, Word.NOT_SENT)
        by_the_user.leave()
    erase(w, w.desk)
    (last,) = stage.query("SELECT max(seq) FROM event_log WHERE campaign_id=?", w.campaign)[0]
    with suppress(OutriderError, LookupError):
        row.mine(w, w.desk)
    with stage.database.read() as connection:
        if name not in ENDS_WHAT_WAS_ASKED and not stage.query("SELECT 1 FROM actions WHERE status='intended'"):
            assert person_entries.what_is_left(connection, w.campaign, [lead], last) == {}
        if name != "send_words.say":
            assert lead not in erased_things.left_alone_and_not_ended(connection, w.campaign)
    assert "her brother" not in str(stage.query("SELECT cause, change_payload FROM event_log"))
    w.close()


def contact_anyway(w: World, u: Commands) -> Any:
    u.people.contact_anyway(w.campaign, w.lead(), "theirs")


LETTING: dict[str, tuple[Decide, Decide]] = {
    "contact anyway": (known_before, contact_anyway),
    "contact again": (known_before, contact_again),
    "contact again, as one of several": (known_before, ROWS["lead_groups.contact_again"].mine),
    "move here": (with_another, ROWS["people.move_here"].mine),
}
"""Each way to let a campaign write to somebody, and what both devices knew before."""


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("way", LETTING)
def test_nothing_is_asked_where_two_devices_let_a_campaign_write_by_whatever_words(
    begun: dict[bool, World], tmp_path: Path, way: str, first: bool
) -> None:
    before, there = LETTING[way]
    w, here = begun[False].copied(tmp_path), ROWS["people.contact_anyway"].mine
    before(w, w.desk)
    w.synchronise()
    here(w, w.laptop if first else w.desk)
    there(w, w.desk if first else w.laptop)
    w.synchronise()
    assert (w.conflicts(), w.elsewhere(), w.held()) == ([], [], [False, False])
    for stage in w.stages:
        ((blocked, reason),) = stage.query("SELECT blocked, contact_anyway FROM leads WHERE id=?", w.lead())
        assert (blocked, bool(reason)) == ("", True)
    w.close()


@pytest.mark.parametrize("first", [TRY_AGAIN, LEAVE_IT])
def test_who_leaves_a_task_that_another_device_tried_again_is_not_asked_and_who_tries_it_again_may(
    begun: dict[bool, World], tmp_path: Path, first: str
) -> None:
    """The question is answered by the first one; the second answer is about its task."""
    w = begun[False].copied(tmp_path)
    asked(w, w.desk)
    w.synchronise()
    second = LEAVE_IT if first == TRY_AGAIN else TRY_AGAIN
    w.desk.questions.answer(w.campaign, "question1", first)
    w.laptop.questions.answer(w.campaign, "question1", second)
    w.synchronise()
    assert [stage.one("SELECT status FROM tasks WHERE id=?", w.task()) for stage in w.stages] == ["cancelled"] * 2
    for conflict in w.conflicts():
        conflicts.resolve(lambda _: w.laptop, conflict, "mine")
    w.synchronise()
    assert (w.conflicts(), w.elsewhere(), w.held()) == ([], [], [False, False])
    for stage in w.stages:
        assert (stage.one("SELECT status FROM tasks WHERE id=?", w.task()) == "cancelled") is (second == LEAVE_IT)
    w.close()


@pytest.mark.parametrize("first", ["retry", "cancel"])
def test_a_task_that_one_device_cancelled_is_not_done_because_another_one_retried_it_unasked(
    begun: dict[bool, World], tmp_path: Path, first: str
) -> None:
    w = begun[False].copied(tmp_path)
    blocked_task(w, w.desk)
    w.synchronise()
    ROWS[f"tasks.{first}"].mine(w, w.desk)
    ROWS["tasks.cancel" if first == "retry" else "tasks.retry"].mine(w, w.laptop)
    w.synchronise()
    assert [conflict.cause.split()[0] for conflict in w.conflicts()] == ([] if first == "retry" else ["tasks.retry"])
    assert [stage.one("SELECT status FROM tasks WHERE id=?", w.task()) for stage in w.stages] == ["cancelled"] * 2
    w.close()


@pytest.mark.parametrize("choice", ["mine", "theirs"])
@pytest.mark.parametrize("chosen", [0, 1])
def test_one_choice_is_about_all_of_a_decision_that_waits_in_two_campaigns(
    begun: dict[bool, World], tmp_path: Path, chosen: int, choice: Literal["mine", "theirs"]
) -> None:
    row, w = ROWS["people.move_here"], begun[False].copied(tmp_path)
    row.before(w, w.desk)
    w.synchronise()
    row.mine(w, w.laptop)
    row.opposite(w, w.desk)
    w.synchronise()
    waiting = w.conflicts()
    assert {conflict.campaign_id for conflict in waiting} == {w.campaign, w.other}
    conflicts.resolve(lambda _: w.laptop, waiting[chosen], choice)
    w.synchronise()
    assert (w.conflicts(), w.elsewhere(), w.held()) == ([], [], [False, False])
    for stage in w.stages:
        blocked = dict(stage.query("SELECT campaign_id, blocked FROM leads WHERE id IN (?, 'same1')", w.lead()))
        left, with_them = (w.other, w.campaign) if choice == "mine" else (w.campaign, w.other)
        assert (blocked[left], blocked[with_them]) == ("taken_over", "")
    w.close()


THERE: dict[str, tuple[Callable[[World], Any], bool]] = {
    "put off": (lambda w: w.desk.replies.label(w.other, "same1", Label.LATER, w.stages[0].clock.now() + DAY), True),
    "looked at": (
        lambda w: w.stages[0].note_elsewhere(w.other, Event("LeadAdvanced", "same1", {"visited_at": 5})),
        True,
    ),
    "not to be contacted": (lambda w: w.desk.leads.do_not_contact(w.other, "same1", "asked"), False),
}
"""What another device recorded where somebody was taken out of, and whether that leaves a choice."""


@pytest.mark.parametrize("there", THERE)
@pytest.mark.parametrize("choice", ["mine", "theirs"])
def test_one_half_of_a_move_is_completed_or_left_as_the_user_chooses(
    begun: dict[bool, World], tmp_path: Path, there: str, choice: Literal["mine", "theirs"]
) -> None:
    row, w = ROWS["people.move_here"], begun[False].copied(tmp_path)
    row.before(w, w.desk)
    w.synchronise()
    row.mine(w, w.laptop)
    decide, is_asked = THERE[there]
    decide(w)
    w.synchronise()
    waiting = w.conflicts()
    assert [conflict.campaign_id for conflict in waiting] == [w.other] * is_asked
    for conflict in waiting:
        assert conflicts.can_repeat(lambda _: w.laptop, conflict)
        conflicts.resolve(lambda _: w.laptop, conflict, choice)
    w.synchronise()
    assert (w.conflicts(), w.elsewhere(), w.held()) == ([], [], [False, False])
    if is_asked:
        blocked = [stage.one("SELECT blocked FROM leads WHERE id='same1'") for stage in w.stages]
        assert blocked == ["taken_over" if choice == "mine" else ""] * 2
    w.close()


def test_nobody_is_written_to_from_any_device_while_a_decision_about_them_waits(
    begun: dict[bool, World], tmp_path: Path
) -> None:
    row = ROWS["review.approve"]
    w = begun[row.by_hand].copied(tmp_path)
    row.before(w, w.desk)
    w.synchronise()
    row.mine(w, w.laptop)
    row.opposite(w, w.desk)
    w.synchronise()
    assert w.held() == [True, True]
    (conflict,) = w.elsewhere()
    assert (conflict.device, conflict.kind, conflict.lead_ids) == ("another device", "MessageApproved", (w.lead(),))
    conflicts.resolve(lambda _: w.laptop, w.conflicts()[0], "theirs")
    w.synchronise()
    assert (w.held(), w.elsewhere()) == ([False, False], [])
    w.close()


def goal(w: World, u: Commands) -> None:
    u.campaigns.edit(w.campaign, version=None, goal="Theirs")


def limits(w: World, u: Commands) -> None:
    u.campaigns.edit(w.campaign, version=None, limits=Limits(ramp_days=0, spacing_seconds=7))


OF_ONE_CAMPAIGN: dict[str, Decide] = {
    "name": ROWS["campaigns.edit"].mine,
    "goal": goal,
    "limits": limits,
    "scoring": blueprint(40),
    "sequence": sequence("Mine, {first_name}?"),
    "status": status(CampaignStatus.PAUSED),
}
"""Parts of one campaign, several of them in one column."""

_PARTS = "SELECT name, goal, status, json_extract(settings, '$.limits.spacing_seconds'),"
_PARTS += (
    " json_extract(settings, '$.blueprint.criteria[0].weight'), json_extract(settings, '$.sequence.steps[0].template')"
)


@pytest.mark.parametrize("there", OF_ONE_CAMPAIGN)
@pytest.mark.parametrize("here", OF_ONE_CAMPAIGN)
def test_two_devices_decide_about_two_parts_of_a_campaign_and_both_hold(
    begun: dict[bool, World], tmp_path: Path, here: str, there: str
) -> None:
    def parts(stage: Stage) -> list[object]:
        return list(stage.query(f"{_PARTS} FROM campaigns WHERE id=?", w.campaign)[0])

    w = begun[False].copied(tmp_path)
    before = parts(w.stages[0])
    OF_ONE_CAMPAIGN[here](w, w.laptop)
    OF_ONE_CAMPAIGN[there](w, w.desk)
    both = [
        mine if mine != was else theirs
        for was, mine, theirs in zip(before, parts(w.stages[1]), parts(w.stages[0]), strict=True)
    ]
    w.synchronise()
    assert (w.conflicts(), w.elsewhere()) == ([], [])
    assert [parts(stage) for stage in w.stages] == [both, both]
    assert both != before
    w.close()


def test_limits_hold_although_another_device_has_acted_meanwhile(begun: dict[bool, World], tmp_path: Path) -> None:
    w = begun[False].copied(tmp_path)
    limits = Limits(ramp_days=0, spacing_seconds=7, day_ends=16 * 60)
    w.laptop.campaigns.edit(w.campaign, version=None, limits=limits)
    w.stages[0].run(w.campaign)
    assert w.stages[0].query("SELECT 1 FROM event_log WHERE kind='TurnCompleted' LIMIT 1")
    w.synchronise()
    assert w.conflicts() == []
    ends = "SELECT json_extract(settings, '$.limits.day_ends') FROM campaigns WHERE id=?"
    assert [stage.one(ends, w.campaign) for stage in w.stages] == [960, 960]
    w.close()


AGAINST_A_SEQUENCE = {"review.reject": False, "review.withdraw": False, "review.approve": True, "review.edit": True}


@pytest.mark.parametrize("name", AGAINST_A_SEQUENCE)
def test_another_sequence_is_asked_about_only_where_a_device_wants_a_text_of_the_earlier_one(
    begun: dict[bool, World], tmp_path: Path, name: str
) -> None:
    w = begun[False].copied(tmp_path)
    ROWS[name].before(w, w.desk)
    w.synchronise()
    sequence("Mine, {first_name}?")(w, w.laptop)
    ROWS[name].mine(w, w.desk)
    w.synchronise()
    assert bool(w.conflicts()) is AGAINST_A_SEQUENCE[name]
    approved = "SELECT text FROM messages WHERE lead_id=? AND status='approved'"
    assert all(bool(stage.query(approved, w.lead())) is (name == "review.approve") for stage in w.stages)
    w.close()


LEAVING_ALONE: dict[str, Decide] = {
    "people.erase": erase,
    **{
        name: ROWS[name].mine
        for name in (
            "leads.do_not_contact",
            "lead_groups.forbid",
            "lead_groups.skip",
            "lead_groups.move",
            "replies.found",
        )
    },
    "replies.answer": answered,
}


@pytest.mark.parametrize("sequence_first", [False, True])
@pytest.mark.parametrize("name", LEAVING_ALONE)
def test_another_sequence_holds_for_all_but_whom_another_device_left_alone(
    begun: dict[bool, World], tmp_path: Path, name: str, sequence_first: bool
) -> None:
    w = begun[False].copied(tmp_path)
    first, second = sequence("Mine, {first_name}?"), LEAVING_ALONE[name]
    if not sequence_first:
        first, second = second, first
    first(w, w.desk)
    second(w, w.laptop)
    w.synchronise()
    assert (w.conflicts(), w.elsewhere()) == ([], [])
    for stage in w.stages:
        campaign = stage.database.query(campaigns.campaign, w.campaign)
        assert campaign is not None
        assert campaign.settings.sequence.steps[-1].template == "Mine, {first_name}?"
        assert stage.query(_OPEN_TEXTS) == [], "what was written by the other sequence is made again"
    w.stages[0].run(w.campaign, approve=False)
    assert {lead_id for lead_id, _ in w.stages[0].query(_OPEN_TEXTS)} == {w.lead(number) for number in range(1, 5)}
    assert all(text.startswith("Mine, ") for _, text in w.stages[0].query(_OPEN_TEXTS))
    w.close()


_OPEN_TEXTS = (
    "SELECT lead_id, text FROM messages WHERE kind<>'reply' AND status IN ('draft', 'approved')"
    f" AND step NOT GLOB '{ANSWER}*'"
)
"""Of the sequence: what the user answers somebody waits beside it."""

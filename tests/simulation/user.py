"""The person at a device: comes in working hours, starts the run, reviews, answers, changes their mind, goes home."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

from backend.adapters.leadfiles import read_leads
from backend.commands import conflict_description, conflicts
from backend.commands.campaigns import CampaignCommands
from backend.commands.conflict_description import DescribedConflict, counterpart
from backend.commands.runtime import RuntimeCommands
from backend.commands.scoring import ScoringCommands
from backend.domain.contact import conversation_check
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.condition import Condition
from backend.domain.model.lead import NOT_ON_RECORD
from backend.domain.model.message import Message
from backend.domain.sequence.sequence_change import as_request
from backend.domain.turn.request import plain_command
from backend.domain.values.errors import OutriderError
from backend.situation import situations
from backend.store.database import DatabaseConnection, DatabaseVersion
from backend.store.queries.campaign import campaigns, questions
from backend.store.queries.campaign.campaigns import CampaignPosition
from backend.store.queries.campaign.questions import QuestionRow
from backend.store.queries.contact import approvals, incidents, messages
from backend.store.queries.leads import leads
from backend.store.replication import rebase_queue, shared_conflicts
from backend.store.replication.rebase_queue import Conflict
from tests.simulation.analysis import ScriptDesk
from tests.simulation.by_hand import SendDesk
from tests.simulation.housekeeping import Housekeeping
from tests.simulation.hub import Task
from tests.simulation.machine import Device, Launch
from tests.simulation.oracle import DAY, ONLY_WITH_O, Asked, Click, Hours, Paused, letter_of, profile_of, step_of
from tests.simulation.page_reader import Page
from tests.simulation.person_rows import mark_of
from tests.simulation.script_oracle import digest_of
from tests.simulation.several_campaigns import CampaignDesk
from tests.stored_rows import first_row

if TYPE_CHECKING:
    from tests.simulation.world import World

HOUR = 3_600.0
TO_STOP = 60.0
LONGEST_FREEZE = 1_000.0
PATIENCE = 3
"""So often a task that does not go on is tried again before it is left."""
SAYINGS = (
    "go",
    "pause",
    "continue",
    "save this note: call them before ten",
    "list my saved artifacts",
    "prioritise my leads for CTOs in fintech",
    "show response rates by company",
    "funnel by week",
    "why was {name} not contacted?",
    "tell me a joke",
    "how many leads are there?",
    "what is next?",
    "what waits for me?",
    "who was contacted?",
    "who accepted?",
    "who replied?",
    "who has not replied?",
    "explain {name}",
    "show me the note",
    "open the blueprint from today",
    "pause the campaign",
    "continue the campaign",
)
"""What the user says to the assistant."""
ONLY_FORBIDS = ("leads.do_not_contact ", "workspace.add_do_not_contact ")
"""How the causes of such commands begin."""
MAPPING = {"full_name": "Name", "profile_url": "Profile", "company": "Company", "job_title": "Job"}
WITH_O = Condition(what="field", name="full_name", compare="contains", value="o")
BY_HAND = "by hand: shall we talk on the phone?"


def only_forbids(conflict: Conflict) -> bool:
    """Whether no user decides about it: Outrider repeats that somebody is not to be contacted, whatever others say."""
    return conflict.cause.startswith(ONLY_FORBIDS)


class _Waiting(NamedTuple):
    """What the page shows first: where the campaign stands, and what waits for its user."""

    position: CampaignPosition | None
    drafts: list[Message]
    asked: list[QuestionRow]
    conflicts: list[DescribedConflict]
    incident: str

    @classmethod
    def read(cls, connection: DatabaseConnection, campaign_id: str) -> Self:
        """As it stands now."""
        position = campaigns.position(connection, campaign_id)
        return cls(
            position,
            messages.drafts(connection, campaign_id),
            questions.list_open(connection, campaign_id, 20),
            [asked for asked in conflict_description.open_conflicts(connection) if not only_forbids(asked.conflict)],
            incidents.open_incident(connection, position.campaign.account) if position else "",
        )


class User:
    """One person at one device; several devices have the same person, who may leave one running and use another."""

    fewest_steps = 2
    """So many are left whenever they take one out of the sequence."""

    def __init__(self, world: "World", device: Device) -> None:
        self.world, self.device = world, device
        least = 0.8 if "limits" in world.kinds else 0.4
        self.diligence = world.chance.uniform(least, 1.0) / (1 + 0.5 * (world.plan.devices - 1))
        """How likely they are to use this device on a day."""
        self.eager = False
        """In the end they approve everything, answer everything, and stay."""
        self.desk, self.scripts = SendDesk(world), ScriptDesk(world)
        self.housekeeping = Housekeeping(self)
        self.campaign_desk = CampaignDesk(self)
        self._page: Page | None = None
        self._waiting: tuple[tuple[str, str, DatabaseVersion], _Waiting] | None = None
        self._tried: Counter[str | None] = Counter()
        self._refused: dict[str, int] = {}
        """The day on which they were last refused to approve a draft; with several campaigns it may wait for another one."""
        self.begun_here = False
        """Whether they started a run of the campaign at which they look, since they came."""

    @property
    def chance(self) -> random.Random:
        return self.world.chance

    def live(self) -> None:
        """A session every now and then; the lid is closed in between."""
        hub = self.world.hub
        while True:
            hub.wait(Thawed(self.device), LONGEST_FREEZE)
            closed = not self.device.frozen and (self.eager or self.chance.random() < 0.98)
            if closed:
                self.device.fall_asleep()
            hub.pause(self._until_next_session())
            if closed:
                self.device.wake_up(announced=True)
            self._session()

    def _until_next_session(self) -> float:
        """In seconds; on weekdays, at about the same time at each device."""
        days, hour = divmod(self.world.now() / 3_600_000, 24)
        weekday = (int(days) + 3) % 7  # 1 January 1970 was a Thursday
        if weekday < 5 and 9 <= hour < 16 and self.chance.random() < (0.2 if self.eager else 0.3 * self.diligence):
            return (1 + self.chance.random()) * HOUR
        if hour < 18 and self.chance.random() < 0.05:
            return (19 - hour + 2 * self.chance.random()) * HOUR  # once more in the evening
        weekend = {4: 3, 5: 2} if "weekends" not in self.world.kinds else {}
        days_off = weekend.get(weekday, 1) if self.chance.random() < 0.9 else 1
        while self.chance.random() > (0.6 if self.eager else self.diligence):
            days_off += 1
        # In the end at any hour: by a clock that is wrong, nine o'clock may be outside of the working hours every day.
        return (24 * days_off - hour + 9 + (6 if self.eager else 0.1) * self.chance.random()) * HOUR

    def _session(self) -> None:
        quiet, most = 0, 12 if self.eager else self.chance.choice((2, 3, 12, 24))
        self.begun_here = False
        for _ in range(most):
            launch = self.device.launch
            if self.device.frozen:
                return
            done = self._look_at_page(launch)
            quiet = 0 if done or launch.running else quiet + 1
            if quiet > 1:
                break
            self.world.hub.pause(20)
            self.world.hub.wait(Ended(launch), 100 * self.chance.random())
            self._may_go_away()
        launch = self.device.launch
        launch.page_hidden()
        self._left(launch)
        if launch.running and (self.eager or self.chance.random() < 0.97):
            launch.press_stop()
            self.world.hub.wait(Ended(launch), TO_STOP)  # then the lid is closed, whether it has ended or not

    def _look_at_page(self, launch: Launch) -> bool:
        """Do what waits; whether there was anything, or they were refused."""
        try:
            self._is_here(launch)
            self.campaign_desk.turn_to_one(launch)
            return self._look_around(launch)
        except OutriderError as error:  # a busy database, say: they look again in a minute
            self._was_refused(launch, error)
            return True

    def _was_refused(self, launch: Launch, error: OutriderError) -> None:
        self.world.tell(f"{launch.name}: the user was told {error.code}")
        launch.judge_refusal(error)

    def _is_here(self, launch: Launch) -> None:
        """At the page; when Outrider noticed that nobody was there, it asks whether it is to go on."""
        self.world.oracle.away.pop(launch.name, None)
        if self.eager or self.chance.random() < 0.8:
            launch.user_returned()
        else:
            launch.page_used()

    def _left(self, launch: Launch) -> None:
        self.world.oracle.away[launch.name] = self.world.now()

    def _may_go_away(self) -> None:
        """For a coffee, a call, or lunch; the page stays as it is, or another window is in front of it."""
        if self.device.frozen or not self.world.happens("away", 0.06):
            return
        launch, minutes = self.device.launch, self.chance.choice((1, 9, 11, 45))
        hides = self.chance.random() < 0.5
        self.world.tell(
            f"{launch.name}: the user goes away for {minutes} minutes, the page is {'hidden' if hides else 'open'}"
        )
        if hides:
            launch.page_hidden()
        self._left(launch)
        self.begun_here = False
        self.world.hub.pause(minutes * 60.0)

    def _look_around(self, launch: Launch) -> bool:
        """Do what waits; whether there was anything."""
        ended = launch.ended
        if isinstance(ended, OutriderError) and ended.code in ("records_lost", "heads_unreadable"):
            launch.ended = None
            return self.do(launch, lambda: launch.loss.accept(self.device.clock.now()))
        position, drafts, asked, waiting, incident = self._what_waits(launch)
        launch.judge_run()
        if "page" in self.world.kinds:
            self._read(launch)
        if self.housekeeping.mend(launch, position.campaign if position else None):
            return True
        if position is None:
            if launch.engine is not None:
                launch.engine.sync_now()
            return False
        done = self.eager and self._settle_abandoned(launch)
        for described in waiting:
            done |= self.do(launch, partial(self._choose, launch, described.conflict))
        status = position.campaign.status
        if incident or status is CampaignStatus.ERROR:
            done |= self.do(launch, lambda: self._clear(launch))
        done |= self.campaign_desk.answer_doubts(launch)
        done |= self._review_all(launch, drafts)
        for question in asked:
            done |= self.do(launch, partial(self._answer, launch, question))
        if self.world.assist:
            done |= self._sends_by_hand(launch)
        if not self.eager:
            self._whims(launch)
        else:
            self._finish(launch, status)
        if launch.may_start(self.device.campaign_id) and status is not CampaignStatus.COMPLETED:
            self._start(launch, requested=done)
        return done

    def _what_waits(self, launch: Launch) -> _Waiting:
        """As the page shows it; read again only if anything was committed since."""
        campaign_id = self.device.campaign_id
        seen = launch.name, campaign_id, launch.database.version()
        if self._waiting is None or self._waiting[0] != seen:
            with launch.database.read() as connection:
                self._waiting = seen, _Waiting.read(connection, campaign_id)
        return self._waiting[1]

    def _finish(self, launch: Launch, status: CampaignStatus) -> None:
        """In the end no servitor is left, and the last entries of the other devices are here."""
        if "program" in self.world.kinds:
            self.do(launch, launch.background.program.end_servitors)
        if launch.engine is not None and status is CampaignStatus.COMPLETED:
            launch.engine.sync_now()

    def _read(self, launch: Launch) -> None:
        """Some screens, and now and then what takes the machine some time."""
        page = self._page
        if page is None or page.launch is not launch:
            page = self._page = Page(launch)
        page.look(self.chance.randint(0, 4))
        page.judge()
        whim = self.chance.random()
        if whim < 0.02:
            self.do(launch, page.begin_dry_run)
        elif whim < 0.05:
            self.do(launch, page.begin_proof)
        elif whim < 0.10:
            page.compare_past()

    def _start(self, launch: Launch, *, requested: bool) -> None:
        refused = isinstance(launch.ended, OutriderError)
        campaign_id = self.device.campaign_id
        due = self.device.clock.now() >= self.world.quiet_until.get(campaign_id, 0) or self.chance.random() < 0.15
        if requested or (due and not self.begun_here) or (refused and (self.eager or self.chance.random() < 0.5)):
            launch.run(campaign_id)
            self.begun_here = True
        is_held_elsewhere = isinstance(launch.ended, OutriderError) and launch.ended.code == "lease_held_elsewhere"
        if launch.engine is not None and is_held_elsewhere and not self.eager and self.chance.random() < 0.3:
            launch.engine.take_over()

    def _sends_by_hand(self, launch: Launch) -> bool:
        """Go through two of the people of the day; whether there were any."""
        met: list[bool] = []
        for _ in range(2):
            self.do(launch, lambda: met.append(self.desk.next_person(launch)))
            if not any(met):
                break
        return any(met)

    def do(self, launch: Launch, work: Callable[[], object]) -> bool:
        """Something that the user decides in this launch; False if it was refused, or the launch ended under it."""
        done: list[object] = []

        def carry_out() -> None:
            try:
                done.append(work())
            except OutriderError as error:
                self._was_refused(launch, error)

        self.world.hub.wait(_Over(launch.start("user", carry_out)), None)
        return bool(done)

    # --- what they decide ---

    def _review_all(self, launch: Launch, drafts: list[Message]) -> bool:
        """What waits in Review, one by one; whether any was decided."""
        today = self.world.now() // DAY
        tried = [draft for draft in drafts if self._refused.get(draft.id) != today or not self.world.has_several]
        return sum(self._review(launch, draft) for draft in tried) > 0  # all of them, whatever came of the first

    def _review(self, launch: Launch, draft: Message) -> bool:
        whim = 0.0 if self.eager else self.chance.random()
        campaign_id = self.device.campaign_id
        with launch.database.read() as connection:
            campaign = campaigns.campaign(connection, campaign_id)
            lead = leads.lead(connection, campaign_id, draft.lead_id)
        if campaign is None or lead is None:
            return False
        shown = situations.digest_of(campaign, lead, draft)
        user, now = launch.commands(), self.world.now()
        slug = self.world.who.slug(lead.member_key)
        click = Click("approve", slug, draft.kind, draft.text, now, launch.name)
        if whim < 0.85:
            self.world.oracle.heard(click)  # before: it may be carried out, and the answer lost
            ended = self.world.oracle.approval_ends.pop((click.person, click.kind, click.text), 0)

            def approve() -> None:
                user.review.approve(
                    campaign_id, draft.id, shown_digest=shown
                )  # of the text that was read, not of a newer one

            done = self.do(launch, approve)
            self.world.oracle.approved[draft.id] += done
            if done:
                self._note_end(launch, click, draft, ended)
            else:
                self._refused[draft.id] = now // DAY
            if done and not self.eager and self.chance.random() < 0.04:
                self.do(launch, lambda: self._take_back(launch, campaign_id, draft, click))
            return done
        if whim < 0.92:
            edited = f"{draft.text} And how are you, {mark_of(slug)}?"
            return self.do(launch, lambda: user.review.edit(campaign_id, draft.id, edited))
        if whim < 0.95:
            self.world.oracle.heard(click._replace(what="reject"))
            return self.do(launch, lambda: user.review.reject(campaign_id, draft.id))
        return False

    def _note_end(self, launch: Launch, click: Click, draft: Message, earlier: int = 0) -> None:
        """Until when Review says that the approval holds; the longest of several. Without an answer nobody knows."""
        approval = launch.database.query(approvals.approval_of, draft.id)
        if approval is not None:
            ends, text_key = self.world.oracle.approval_ends, (click.person, click.kind, click.text)
            ends[text_key] = max(approval.expires_at, earlier)

    def _take_back(self, launch: Launch, campaign_id: str, draft: Message, click: Click) -> None:
        launch.commands().review.withdraw(campaign_id, draft.id)
        self.world.oracle.heard(click._replace(what="revoke", at=self.world.now()))

    def _answer(self, launch: Launch, question: QuestionRow) -> None:
        """As somebody who looks at the network before they say anything."""
        choices = question.choices or ("yes",)
        answer = choices[0]
        if question.kind == "outcome_unknown":
            if not question.choices:
                return  # its words are gone, because somebody was erased elsewhere; the rest of that is on its way
            answer = choices[0] if self._is_there(launch, question) else choices[1]
        elif question.kind == NOT_ON_RECORD:
            answer = self._about_thread(launch, question, choices)
        elif question.kind == "unblock":
            self._tried[question.task_id] += 1
            if self._tried[question.task_id] > PATIENCE or (not self.eager and self.chance.random() < 0.3):
                answer = choices[-1]
                self._leaves_it(launch, question.task_id)
        elif question.kind == "approve_script" and answer == "yes":
            self.world.scripts.approves(self.device.name, digest_of(question.payload["source"]))
        self.world.tell(f"{launch.name}: {question.kind} is answered {answer!r}")
        launch.commands().questions.answer(self.device.campaign_id, question.id, answer)

    def _leaves_it(self, launch: Launch, task_id: str | None) -> None:
        """What that task was to do for somebody, the user no longer expects."""
        task = launch.database.query(first_row, "SELECT kind FROM tasks WHERE id=?", task_id)
        if task is not None:
            slug, now = self.world.person_of(launch, task_id), self.world.now()
            self.world.oracle.heard(Click("leave it", slug, task[0], "", now, launch.name))

    def _choose(self, launch: Launch, conflict: Conflict) -> None:
        """Between what they decided here and what holds now."""
        mine = not self.eager and self.chance.random() < 0.3
        if not mine:
            self._gives_up(launch.name)
        if conflict.cause.startswith("review.approve " if mine else "review.withdraw "):
            self._lets_it_go(launch, conflict)
        conflicts.resolve(lambda _: launch.commands(), conflict, "mine" if mine else "theirs")

    def _settle_abandoned(self, launch: Launch) -> bool:
        """Leave what holds now, where the device that had decided otherwise is gone, or was put back to before that."""
        decided = launch.database.query(shared_conflicts.elsewhere)
        waiting = {
            conflict.id
            for device in self.world.devices
            for conflict in (device.launch.database.query(rebase_queue.open_conflicts) if decided else ())
        }
        done = False
        for conflict in decided:
            if conflict.id not in waiting:
                self._gives_up(conflict.device)
                done |= self.do(launch, partial(conflicts.settle_elsewhere, lambda _: launch.commands(), conflict))
        return done

    def _gives_up(self, decided_on: str) -> None:
        """What they decided there; what holds instead is not theirs to expect anything of."""
        self.world.oracle.contacts.lets_go(decided_on)
        self.world.oracle.hours.clear()
        self.world.oracle.paused.clear()

    def _lets_it_go(self, launch: Launch, conflict: Conflict) -> None:
        """A text is approved by this choice: again, or as it is elsewhere, where it was not taken back."""
        now = self.world.now()
        with launch.database.read() as connection:
            for event in conflict.events:
                here = counterpart(connection, conflict.campaign_id, event.entity_id, conflict.id)
                message = messages.message(connection, conflict.campaign_id, here)
                lead = leads.lead(connection, conflict.campaign_id, message.lead_id) if message else None
                if message is not None and lead is not None:
                    slug = self.world.who.slug(lead.member_key)
                    self.world.oracle.heard(Click("approve", slug, message.kind, message.text, now, launch.name))

    def _is_there(self, launch: Launch, question: QuestionRow) -> bool:
        with launch.database.read() as connection:
            row = connection.execute(
                "SELECT m.kind, m.text, l.member_key FROM actions a JOIN messages m ON m.id=a.message_id"
                " JOIN leads l ON l.id=m.lead_id WHERE a.id=?",
                (question.payload["action_id"],),
            ).fetchone()
        if row is None:
            return False
        kind, text, person = row[0], row[1], self.world.who.slug(row[2])
        return any(
            entry.disposition == "delivered" and (entry.kind, entry.to, entry.text) == (kind, person, text)
            for entry in self.world.exchange.entries()
        )

    def _about_thread(self, launch: Launch, question: QuestionRow, choices: tuple[str, ...]) -> str:
        """What is there and not on record: their own words, or a step's, whose record was lost."""
        person = self.world.person_of(launch, question.task_id)
        if conversation_check.INVITED_BY_HAND in choices and self.world.oracle.asked_about(person):
            return conversation_check.INVITED_BY_HAND
        thread = self.world.exchange.read(lambda network: network.thread(person, network.now))
        own_texts = [message.text for message in thread if message.author == "you"]
        lost = [text for text in own_texts if step_of(text)]
        letters = {letter_of(text) for text in lost}
        if letters - {self.world.campaigns[self.device.campaign_id]} and conversation_check.STOP in choices:
            return conversation_check.STOP  # another campaign's, as the user sees
        if not lost and conversation_check.WRITTEN_BY_HAND in choices:
            shown = [message.at for message in thread if message.author == "them" and message.text in question.text]
            self.world.oracle.replies_read[person, self.device.campaign_id] = max(shown, default=0)
        for choice in (
            conversation_check.COUNTS_AS_STEP if lost else conversation_check.WRITTEN_BY_HAND,
            conversation_check.GO_ON if not lost else conversation_check.STOP,
        ):
            if choice in choices:
                return choice
        return conversation_check.STOP if conversation_check.STOP in choices else choices[-1]

    def _clear(self, launch: Launch) -> None:
        user, campaign_id = launch.commands(), self.device.campaign_id
        self.world.halted.clear()
        user.campaigns.clear_incident(campaign_id, "I looked, all is well")
        position = launch.database.query(campaigns.position, campaign_id)
        if position is not None and position.campaign.status is CampaignStatus.ERROR:
            user.campaigns.change_status(campaign_id, CampaignStatus.PAUSED, "I looked")

    def _whims(self, launch: Launch) -> None:
        whim = self.chance.random()
        if whim < 0.01 and launch.running:
            self.do(launch, partial(self._pause if whim < 0.006 else self._stop, launch))
        elif whim < 0.014:
            person = self.chance.choice(self.world.people)
            if person.slug in self.world.oracle.erased_people:
                return
            address = self._address_of(launch, person.slug)
            if self.do(launch, lambda: launch.commands().workspace.add_do_not_contact(address, person.name, "asked")):
                self.world.tell(f"{launch.name}: {person.slug} is not to be contacted")
                self.world.oracle.heard(Click("do not contact", person.slug, "", "", self.world.now(), launch.name))
        elif self.world.happens("whims", 0.05):
            some = (self._other_limits, self._another_lead, self._score, self._pause)
            self.do(launch, partial(self.chance.choice(some), launch))
        elif self._hears_of_people(launch):
            return
        elif self.world.happens("assistant", 0.25):
            self.do(launch, partial(self._ask_assistant, launch))
        elif self.world.assist and self.world.happens("archive", 0.1):
            self.do(launch, partial(self.desk.import_archive, launch))
        elif self.world.happens("sequence", 0.03):
            self.do(launch, partial(self._change_sequence, launch))
        elif self.world.happens("campaigns", 0.25):
            self.do(launch, partial(self.campaign_desk.whim, launch))
        elif self.world.happens("lead files", 0.08):
            self.do(launch, partial(self._import_file, launch))
        elif not self._lets_work(launch) and not self.housekeeping.whim(launch) and whim < 0.024:
            self.world.write_by_hand(self.chance.choice(self.world.people).slug, BY_HAND)

    def _hears_of_people(self, launch: Launch) -> bool:
        """Of somebody, by word of mouth; of several, from an old tool's export; whether there was anything."""
        if self.world.happens("words", 0.12):
            self.do(launch, partial(self.campaign_desk.has_a_word, launch))
        elif self.world.happens("history", 0.15):
            self.do(launch, partial(self.campaign_desk.import_history, launch))
        else:
            return False
        return True

    def _address_of(self, launch: Launch, slug: str) -> str:
        """An address by which this device knows them; another one means nobody to it."""
        with launch.database.read() as connection:
            member_keys = [key for (key,) in connection.execute("SELECT member_key FROM leads ORDER BY id")]
        return next((key for key in member_keys if self.world.who.slug(key) == slug), profile_of(slug))

    def _lets_work(self, launch: Launch) -> bool:
        """Scripts, agents, or a program that is connected; whether it came to that."""
        background = launch.background
        if self.world.happens("scripts", 0.25):
            return self.do(launch, partial(self.scripts.whim, launch))
        if self.world.happens("agents", 0.12):
            return self.do(launch, background.agents.whim)
        return self.world.happens("program", 0.2) and self.do(launch, background.program.whim)

    # --- whims ---

    def _other_limits(self, launch: Launch) -> None:
        """Shorter hours: what was approved waits in Review again."""
        self.world.tell(f"{launch.name}: the user shortens the day")
        campaigns_of = CampaignCommands(launch.journal, self.device.clock)
        campaign = launch.database.query(campaigns.campaign, self.device.campaign_id)
        if campaign is not None:
            hours = {"day_starts": self.chance.choice((9, 10)) * 60, "day_ends": self.chance.choice((16, 17, 18)) * 60}
            limits = campaign.settings.limits.model_copy(update=hours)
            campaigns_of.edit(campaign.id, version=None, limits=limits)
            device = self.device.name
            given_hours = Hours(self.world.now(), device, hours["day_starts"], hours["day_ends"])
            self.world.oracle.limits_edited(campaign.id, device, given_hours)

    def _ask_assistant(self, launch: Launch) -> None:
        """Something, sometimes twice; or they stop it, or throw the conversation away."""
        campaign_id, assistant, whim = self.world.campaign_id, launch.background.assistant, self.chance.random()
        self.world.oracle.paused.pop(campaign_id, None)  # they may say that it is to go on
        requests = launch.commands().requests
        if whim < 0.1:
            assistant.stop(campaign_id)
        elif whim < 0.15:
            requests.delete(campaign_id)
        elif whim < 0.2:
            requests.restore(campaign_id)
        elif whim < 0.24:
            self.world.oracle.erased = True
            requests.erase(campaign_id)
        elif whim < 0.3:
            request = RuntimeCommands(launch.journal, self.device.clock)
            later = self.device.clock.now() + self.chance.choice((60, 3_600, 90_000)) * 1_000
            request.ask_to_wake(campaign_id, later, self.chance.choice(("", *SAYINGS)), "timer")
            launch.background.timers.look()
        else:
            text, key = self.chance.choice(SAYINGS), f"{launch.name} {self.world.hub.switches}"
            person = self.chance.choice(self.world.people)
            if person.slug in self.world.oracle.erased_people:
                return
            text = text.format(name=person.name)
            self.world.tell(f"{launch.name}: the user says {text!r}")
            asked = assistant.submit(campaign_id, text, (), key=key, shown=plain_command(text))
            if self.chance.random() < 0.2 and asked != assistant.submit(
                campaign_id, text, (), key=key, shown=plain_command(text)
            ):
                self.world.judge_broken(f"what was said once became two requests: {text!r}")
            self.world.oracle.asked.append(Asked(key, asked, launch.name))

    def _import_file(self, launch: Launch) -> None:
        """A file with some people; the copy of it may be cut off, and they may break the import off."""
        campaign_id, importer = self.device.campaign_id, launch.background.importer
        file, people = self.world.lead_file(self.device)
        rows = read_leads(file, MAPPING)
        self.world.tell(f"{launch.name}: the user imports {file.name} with {len(people)} people")
        importer.start(
            campaign_id,
            rows,
            self.device.clock,
            file=file.name,
            file_format=rows.format.name,
            total=rows.most_rows,
            read_as=rows.read_as,
        )
        if self.chance.random() < 0.1:
            importer.cancel(campaign_id)

    def _stop(self, launch: Launch) -> None:
        self.world.tell(f"{launch.name}: the user presses Stop")
        launch.press_stop()

    def _pause(self, launch: Launch) -> None:
        """Nothing is to leave before they press Start again."""
        campaign_id = self.device.campaign_id
        launch.commands().campaigns.change_status(campaign_id, CampaignStatus.PAUSED, "not now")
        self.world.tell(f"{launch.name}: the user pauses the campaign")
        self.world.oracle.paused[campaign_id] = Paused(self.world.now(), launch.name)

    def _another_lead(self, launch: Launch) -> None:
        self.world.tell(f"{launch.name}: the user adds somebody")
        self.world.import_another(launch)

    def _change_sequence(self, launch: Launch) -> None:
        """Other words, one step less or one more, for some people alone; or the last change is taken back."""
        sequences = launch.commands().sequences
        with launch.database.read() as connection:
            campaign = campaigns.campaign(connection, self.device.campaign_id)
        if campaign is None:
            return
        before = campaign.settings.sequence
        current = as_request(before)
        steps, last = list(current.steps), current.steps[-1]
        how = self.chance.choice(("words", "less", "more"))
        if how == "words":
            words = last.template.partition(" (")[0] + f" ({before.version})"
            steps[-1] = last.model_copy(update={"template": words})
        elif how == "less" and len(steps) > self.fewest_steps:
            steps.pop()
        elif how == "more" and len(steps) < 6:
            letter = self.world.campaigns[campaign.id]
            number = 1 + max(int(step.template[5:6]) for step in before.steps if step.template)
            new: dict[str, object] = {
                "key": f"more{number}",
                "kind": "message",
                "template": f"step {number}{letter}: And now?",
                "only_if": (),
            }
            if number % 2 == 0:  # for some people alone, and the text says so
                new |= {"template": f"step {number}{letter}: {ONLY_WITH_O}", "only_if": (WITH_O,)}
            steps.append(last.model_copy(update=new))
        self.world.tell(f"{launch.name}: the user changes the sequence: {how}")
        changed = current.model_copy(update={"steps": tuple(steps)})
        sequences.change(campaign.id, requested_sequence=changed, version=before.version)

    def _score(self, launch: Launch) -> None:
        self.world.tell(f"{launch.name}: the user has all leads scored")
        ScoringCommands(launch.journal, self.device.clock).again(self.device.campaign_id)


class Ended:
    """Set once nothing runs there any more."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch

    def is_set(self) -> bool:
        return not self._launch.running or self._launch.dead


class Thawed:
    """Set once a device goes on."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def is_set(self) -> bool:
        return not self._device.frozen


class _Over:
    """Set once a task has ended, however."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def is_set(self) -> bool:
        return self._task.done or self._task.abandoned

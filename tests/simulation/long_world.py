"""One long world: thousands of people, half a year, one device, and a person who works with it every day."""

from functools import partial

from backend.commands.campaigns import CampaignCommands
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.message import Message
from backend.domain.model.sequence import Sequence, Step, Variant
from backend.domain.people.contact_keys import company_key
from backend.store.queries.campaign import campaigns
from tests.simulation.machine import Device, Launch, Moment
from tests.simulation.oracle import DAY, Click, profile_of, slug_of
from tests.simulation.several_campaigns import GOAL
from tests.simulation.user import LONGEST_FREEZE, TO_STOP, Ended, Thawed, User
from tests.simulation.world import World

KINDS = frozenset(
    (
        "kill",
        "torn",
        "sleep",
        "sleep untold",
        "stop",
        "late sends",
        "site errors",
        "incidents",
        "busy",
        "browser",
        "away",
    )
)
"""What goes wrong, unless the plan says otherwise: nothing after which limits and hours could not be told from outside."""
RARELY = 0.002
"""How much less often each single moment is interrupted than in a world of days."""
AFTER_WORK = 18 * 60 + 10

SEQUENCE = Sequence(
    steps=(
        Step(key="visit", kind="visit"),
        Step(
            key="invite",
            kind="invitation",
            template="step 1: Hi {first_name}, shall we talk?",
            variants=(Variant(key="b", template=""),),
        ),
        Step(key="hello", kind="message", template="step 2: Hi {first_name}, thank you. {topic}"),
        Step(key="again", kind="message", after_days=4, template="step 3: Hi {first_name}, may I ask again?"),
    ),
    accept_within_days=9,
    check_every_hours=72,
    final_wait_days=4,
)


class LongWorld(World):
    """As any world, but what goes wrong is rare for each act, and it ends after its days, whatever is left to do then."""

    def mark_people(self) -> None:
        """Nobody is erased here, and companies are forbidden with all who work there."""

    def choose_kinds(self) -> frozenset[str]:
        return KINDS if self.plan.faults is None else self.plan.faults

    def choose_settings(self) -> Settings:
        limits = Limits(
            invitations_a_day=100, invitations_a_week=400, notes_a_month=1_000, messages_a_day=200, ramp_days=5,
            spacing_seconds=10, day_starts=9 * 60, day_ends=18 * 60, prepared_days=20, approval_working_days=3,
        )  # fmt: skip
        return Settings(topic=GOAL, sequence=SEQUENCE, limits=limits)

    def choose_people(self) -> int:
        return self.plan.people

    def new_user(self, device: Device) -> User:
        return DailyUser(self, device)

    def happens(self, kind: str, likely: float = 1.0) -> bool:
        return super().happens(kind, likely if likely > 0.03 else likely * 0.05)

    def moment(self, launch: Launch, kind: Moment) -> None:
        if self.chance.random() < RARELY:
            super().moment(launch, kind)

    def interrupt(self, device: Device, kind: str, where: str) -> None:
        launches = len(self.left)
        super().interrupt(device, kind, where)
        if len(self.left) > launches:
            for launch in self.left[:-1]:  # of the last one somebody may still hold something in their hands
                launch.database.give_back()

    def live(self) -> None:
        self.begin()
        self.hub.run(lambda: bool(self.violation), self.plan.days * DAY * 1_000)
        self.judge(lambda: self.oracle.judge_received(self.received()))
        if not self.violation:
            self.judge(self.check_stores)
        self.struck.update(self._figures())

    def _figures(self) -> dict[str, int]:
        """What came of it."""
        entries = self.exchange.entries()
        network = self.exchange.network
        sent = [entry for entry in entries if entry.kind in ("invitation", "message")]
        return {
            "requests that left": len(self.oracle.sent),
            "invitations": sum(entry.kind == "invitation" and entry.disposition == "delivered" for entry in sent),
            "messages": sum(entry.kind == "message" and entry.disposition == "delivered" for entry in sent),
            "refused by the site": sum(entry.disposition == "refused" for entry in sent),
            "visits": sum(entry.kind == "profile_view" for entry in entries),
            "acceptances": len(network.accepted(network.now)),
            "replies": sum(notification.kind == "replied" for notification in network.notifications(network.now)),
        }


class DailyUser(User):
    """At their desk from nine to six on every weekday, with breaks; looks at the page every few minutes."""

    fewest_steps = len(SEQUENCE.steps)

    def live(self) -> None:
        while True:
            self._wait_until_thawed()
            self.device.fall_asleep()
            self.world.hub.pause(self._until_next_morning())
            self.device.wake_up(announced=True)
            self._day()

    def _wait_until_thawed(self) -> None:
        self.world.hub.wait(Thawed(self.device), LONGEST_FREEZE)

    def _until_next_morning(self) -> float:
        """In seconds."""
        days, minute = divmod(self.world.now() / 60_000, 24 * 60)
        weekday = (int(days) + 3) % 7  # 1 January 1970 was a Thursday
        days_off = {4: 3, 5: 2}.get(weekday, 1)
        return (24 * 60 * days_off - minute + 9 * 60 + 5 * self.chance.random()) * 60

    def _day(self) -> None:
        self.begun_here = False
        while self.world.now() // 60_000 % (24 * 60) < AFTER_WORK:
            self._wait_until_thawed()
            self._look_at_page(self.device.launch)
            self.world.hub.pause(self.chance.uniform(60, 560))
            self.begun_here &= self.device.launch.running
            self._may_go_away()
        launch = self.device.launch
        launch.page_hidden()
        self._left(launch)
        launch.press_stop()
        self.world.hub.wait(Ended(launch), TO_STOP)
        self._wait_until_thawed()

    def _review_all(self, launch: Launch, drafts: list[Message]) -> bool:
        """One by one, or all at once after a look at each."""
        if len(drafts) < 3 or self.chance.random() < 0.3:
            return super()._review_all(launch, drafts)

        def approve_all() -> None:
            for draft in drafts:
                self._approve(launch, draft)

        return self.do(launch, approve_all)

    def _approve(self, launch: Launch, draft: Message) -> None:
        user, campaign_id = launch.commands(), self.world.campaign_id
        click = self._click(launch, draft)
        self.world.oracle.heard(click)
        user.review.approve(campaign_id, draft.id, shown_digest=user.review.digest(campaign_id, draft.id))
        self.world.oracle.approved[draft.id] += 1
        self._note_end(launch, click, draft)

    def _click(self, launch: Launch, draft: Message) -> Click:
        with launch.database.read() as connection:
            (member_key,) = connection.execute("SELECT member_key FROM leads WHERE id=?", (draft.lead_id,)).fetchone()
        return Click("approve", slug_of(member_key), draft.kind, draft.text, self.world.now(), launch.name)

    def _whims(self, launch: Launch) -> None:
        whim = self.chance.random()
        person = self.chance.choice(self.world.people)
        if whim < 0.003 and launch.running:
            launch.press_stop()
        elif whim < 0.02:
            self._forbid(launch, person.slug, profile_of(person.slug), person.name)
        elif whim < 0.0205:
            self._forbid(launch, person.company, company_key(person.company) or "", person.company)
        elif whim < 0.0225:
            self.do(launch, partial(self._other_limits, launch))
        elif whim < 0.0245:
            self.world.struck["sequence changed"] += self.do(launch, partial(self._change_sequence, launch))
        elif whim < 0.03:
            self.world.write_by_hand(person.slug, "by hand: shall we talk on the phone?")

    def _forbid(self, launch: Launch, whom: str, member_key: str, name: str) -> None:
        add = launch.commands().workspace.add_do_not_contact
        if self.do(launch, lambda: add(member_key, name, "asked")):
            self.world.tell(f"{launch.name}: {whom} is not to be contacted")
            self.world.struck["not to be contacted"] += 1
            self.world.oracle.heard(Click("do not contact", whom, "", "", self.world.now(), launch.name))

    def _other_limits(self, launch: Launch) -> None:
        """Other limits and hours; while they are being changed either may hold."""
        oracle, chance = self.world.oracle, self.chance
        campaign = launch.database.query(campaigns.campaign, self.world.campaign_id)
        if campaign is None:
            return
        changes = {
            "invitations_a_day": chance.choice((20, 50, 80, 100)),
            "invitations_a_week": chance.choice((200, 400)),
            "notes_a_month": chance.choice((500, 1_000)),
            "messages_a_day": chance.choice((30, 100, 200)),
            "day_starts": chance.choice((9, 10)) * 60,
            "day_ends": chance.choice((16, 17, 18)) * 60,
        }
        limits = campaign.settings.limits.model_copy(update=changes)
        rules = self.world.rules_of(limits)
        oracle.in_force.append(rules)
        CampaignCommands(launch.journal, self.device.clock).edit(self.world.campaign_id, version=None, limits=limits)
        oracle.in_force[:] = [rules]
        self.world.struck["limits changed"] += 1
        self.world.tell(f"{launch.name}: the user sets {changes}")

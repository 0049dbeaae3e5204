"""What the user of an account with several campaigns does: turns from one to the other, and has the same people in them.

A person comes into a second campaign by a file that spells them otherwise, by a copy of a campaign with its people, or by a
move. The user knows who is who, and answers truly when they are asked.
"""

import random
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from backend.adapters.leadfiles import read_leads
from backend.commands.campaigns import DUPLICATE
from backend.commands.import_undo import undo_import
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import ASSIST, DRIVE, find_channel
from backend.domain.model.lead import Label
from backend.domain.model.sequence import Sequence
from backend.domain.people.identity import DoubtKind
from backend.domain.sequence.sequence_change import as_first_version, as_request
from backend.practice.people import PersonCard
from backend.store.queries.campaign import campaign_contents, campaigns
from backend.store.queries.people import people, person_index
from tests.simulation.contact_oracle import PutOff
from tests.simulation.machine import Launch
from tests.simulation.oracle import DAY, Click
from tests.simulation.person_rows import MAPPING, ROWS, PersonRow, any_row, as_table, known_before
from tests.stored_rows import all_rows, first_row

if TYPE_CHECKING:
    from tests.simulation.user import User
    from tests.simulation.world import World

GOAL = "I would like to invite you to a talk."
FIRST_FILE = "people.csv"
OVER = ("completed", "deleted")
MOST_CAMPAIGNS, MOST_PEOPLE = 3, 5
LETTERS = "bcdefgh"
MOST_DOUBTS = 20
_STEP_MARK = re.compile(r"^step (\d+)[a-z]*:")
_UNTOUCHED = "SELECT id FROM leads WHERE campaign_id=? AND blocked='' AND invited_at IS NULL AND last_sent_at IS NULL ORDER BY id"
_CONTACTED = (
    "SELECT id, member_key FROM leads WHERE campaign_id=? AND label='' AND member_key LIKE '%/in/%'"
    " AND (invited_at IS NOT NULL OR last_sent_at IS NOT NULL) ORDER BY id"
)
_IN_CONVERSATION = (
    "SELECT id, member_key FROM leads WHERE campaign_id=? AND label='' AND member_key LIKE '%/in/%' ORDER BY id"
)
_PAUSED_UNTIL = "SELECT paused_until FROM leads WHERE id=?"
_IN_TOUCH_ELSEWHERE = (
    "SELECT id, member_key FROM leads WHERE campaign_id=? AND blocked='in_touch_elsewhere' ORDER BY id"
)
_IMPORTS = "SELECT id FROM imports WHERE campaign_id=? AND undone_at IS NULL AND file<>? ORDER BY id"


class LeadFile(NamedTuple):
    """A file that was imported, and may be again."""

    campaign_id: str
    name: str
    rows: tuple[PersonRow, ...]


class CampaignDesk:
    """Of one user, at their device."""

    def __init__(self, user: "User") -> None:
        self._user = user
        self._files: list[LeadFile] = []

    @property
    def _world(self) -> "World":
        return self._user.world

    @property
    def _chance(self) -> random.Random:
        return self._world.chance

    def turn_to_one(self, launch: Launch) -> None:
        """Look at another campaign of the account, if there are several: one that is not over, or the one that runs."""
        world, device = self._world, launch.device
        if world.second_round_from is not None and world.now() >= world.second_round_from:
            self._user.do(launch, partial(self._second_round, launch))
        if len(world.campaigns) == 1 or (self._user.begun_here and self._chance.random() < 0.85):
            return
        open_ = self._open(launch)
        if not open_:
            return
        chosen = self._chance.choice(open_)
        if launch.running and launch.acts_for in open_ and self._chance.random() < 0.6:
            chosen = launch.acts_for
        if chosen != device.campaign_id:
            device.on_screen, self._user.begun_here = chosen, False

    def _open(self, launch: Launch) -> list[str]:
        """Those that are known here and not over."""
        statuses = launch.device.statuses()
        return [
            campaign_id for campaign_id in self._world.campaigns if statuses.get(campaign_id, "deleted") not in OVER
        ]

    # --- who is who ---

    def answer_doubts(self, launch: Launch) -> bool:
        """Say of leads whether they are one person, as the user knows; whether anything was asked."""
        if not self._world.has_several:
            return False
        with launch.database.read() as connection:
            doubts = people.open_doubts(connection, launch.device.campaign_id, MOST_DOUBTS)
            keys = [
                (
                    [lead.member_key for lead in people.identities(connection, doubt.lead_ids).values()],
                    person_index.addresses_on_list(connection, doubt.lead_ids)
                    if doubt.kind is DoubtKind.ON_LIST
                    else [],
                    doubt.lead_ids[0],
                )
                for doubt in doubts
            ]
        answered = [self._user.do(launch, partial(self._answer, launch, *asked)) for asked in keys if self._answers()]
        return any(answered)

    def _answers(self) -> bool:
        """In the end everything; before that some of it may wait."""
        return self._user.eager or self._chance.random() < 0.7

    def _answer(self, launch: Launch, member_keys: list[str], on_list: list[str], lead_id: str) -> None:
        """Those of one person are the same; one of each person are all different."""
        if on_list:
            self._answer_about_list(launch, member_keys[0], on_list, lead_id)
            return
        world, of_person = self._world, dict[str, list[str]]()
        for key in sorted(set(member_keys)):
            of_person.setdefault(world.who.slug(key), []).append(key)
        settle = launch.commands().people.answer_same
        for slug, keys in of_person.items():
            if len(keys) > 1:
                world.tell(f"{launch.name}: the user says that {', '.join(keys)} are one person: {slug}")
                settle(keys, True)
        if len(of_person) > 1:
            world.tell(f"{launch.name}: the user says that {', '.join(of_person)} are different people")
            settle([keys[0] for keys in of_person.values()], False)

    def _answer_about_list(self, launch: Launch, member_key: str, on_list: list[str], lead_id: str) -> None:
        """Whether this person is who is on the do-not-contact list by these addresses."""
        who = self._world.who.slug(member_key)
        same = who in map(self._world.who.slug, on_list)
        self._world.tell(
            f"{launch.name}: the user says that {who} is {'' if same else 'not '}on the do-not-contact list"
        )
        if same:
            launch.commands().leads.do_not_contact(launch.device.campaign_id, lead_id)
            return
        for address in on_list:
            launch.commands().people.answer_same([member_key, address], same=False)

    # --- whims ---

    def whim(self, launch: Launch) -> None:
        """One of these; runs within the launch."""
        whims, weights = zip(*_WHIMS, strict=True)
        (chosen,) = self._chance.choices(whims, weights)
        chosen(self, launch)

    def another(self, launch: Launch) -> None:
        """A campaign of its own words, for some of the people whom the account has already."""
        world = self._world
        if len(world.campaigns) >= MOST_CAMPAIGNS:
            self.import_rows(launch)
            return
        first = launch.database.query(campaigns.campaign, world.campaign_id)
        if first is None:
            return
        made = self._made(launch, first, f"Talk {len(world.campaigns) + 1}")
        self._import(launch, made)

    def _second_round(self, launch: Launch) -> None:
        """Weeks later another campaign, for everybody."""
        world, first = self._world, self._world.first_campaign
        people = [card for card in world.people if card.slug not in world.oracle.erased_people]
        if first is not None and people:
            self._import(launch, self._made(launch, first, "Talk again"), people)
        world.second_round_from = None

    def duplicate(self, launch: Launch) -> None:
        """Another campaign like one that is there, with other words, and with those of its people who got nothing yet."""
        world, open_ = self._world, self._open(launch)
        if len(world.campaigns) >= MOST_CAMPAIGNS or not open_:
            self.move(launch)
            return
        of = self._chance.choice(open_)
        campaign = launch.database.query(campaigns.campaign, of)
        if campaign is None:
            return
        made = self._made(launch, campaign, f"{campaign.name} (copy)")
        people = launch.database.query(campaign_contents.people_not_contacted, of)
        world.tell(f"{launch.name}: the user copies campaign {world.campaigns[of]!r} with {len(people)} people")
        if people:
            launch.background.importer.start(
                made, people, launch.device.clock, file=campaign.name, file_format=DUPLICATE, total=len(people)
            )

    def _made(self, launch: Launch, like: Campaign, name: str) -> str:
        """A campaign on the same account."""
        world = self._world
        letter = LETTERS[len(world.campaigns) - 1]
        sequence = with_letter(like.settings.sequence, letter)
        on_linkedin = like.site in (ASSIST, DRIVE)
        if on_linkedin and self._chance.random() < 0.5:
            campaign_id = launch.commands().campaigns.duplicate(like.id, name)
            original = as_request(like.settings.sequence)
            steps = tuple(
                step.model_copy(update={"template": relettered(step.template, letter)}) for step in original.steps
            )
            copy = launch.database.query(campaigns.campaign, campaign_id)
            version = copy.settings.sequence.version if copy is not None else None
            launch.commands().sequences.change(
                campaign_id, requested_sequence=original.model_copy(update={"steps": steps}), version=version
            )
        elif on_linkedin:
            settings = like.settings.model_copy(update={"sequence": sequence})
            campaign_id = launch.commands().campaigns.create_on(find_channel(like.site), name, GOAL, settings)
        else:
            settings = like.settings.model_copy(update={"sequence": sequence})
            campaign_id = launch.commands().campaigns.create(
                name, GOAL, site=like.site, account=like.account, settings=settings
            )
        world.add_campaign(campaign_id, letter)
        world.tell(f"{launch.name}: the user makes campaign {letter!r}")
        return campaign_id

    def import_rows(self, launch: Launch) -> None:
        """A file with people whom the account has, as it spells them; or one that was imported before."""
        open_ = self._open(launch)
        erased = self._world.oracle.erased_people  # nobody imports them again
        again = [
            file
            for file in self._files
            if file.campaign_id in open_ and not any(row.slug in erased for row in file.rows)
        ]
        if again and self._chance.random() < 0.3:
            self._read(launch, self._chance.choice(again))
        elif open_:
            self._import(launch, self._chance.choice(open_))

    def _import(
        self, launch: Launch, campaign_id: str, people: list[PersonCard] | None = None, *, with_history: float = 0.0
    ) -> None:
        """A file of these people, or of some; each row tells of earlier contact as often as that."""
        world, chance = self._world, self._chance
        people = people or self._some_people()
        kinds = ["usual"] if "erase" in world.kinds or not world.has_several else list(ROWS)
        rows = tuple(any_row(card, chance, kinds) for card in people)
        rows = tuple(
            known_before(row, chance) if with_history and chance.random() < with_history else row for row in rows
        )
        if not rows:
            return
        file = LeadFile(campaign_id, f"rows of {self._user.device.name} {len(self._files)}.csv", rows)
        self._files.append(file)
        world.people += [card for card in people if card.slug not in {other.slug for other in world.people}]
        self._read(launch, file)

    def _some_people(self) -> list[PersonCard]:
        """Mostly whom the account has already."""
        world, chance = self._world, self._chance
        cards = world.exchange.read(lambda network: list(network.people.cards()))[: MOST_PEOPLE * 2]
        own = {card.slug: card for card in world.people}
        own_cards = [card for card in own.values() if card.slug not in world.oracle.erased_people]
        some = chance.sample(own_cards, min(len(own_cards), chance.choice((1, 2))))
        if chance.random() < 0.3 and len(own) < MOST_PEOPLE:
            new = [card for card in cards if card.slug not in own and card.slug not in world.oracle.erased_people]
            some += chance.sample(new, 1)
        return some

    def _read(self, launch: Launch, file: LeadFile) -> None:
        world, device = self._world, launch.device
        path = device.path.parent / file.name
        path.write_text(as_table(file.rows), "utf-8")
        world.history[file.name] = {row.slug: bool(row.replied) for row in file.rows if row.tells_of_contact}
        rows = read_leads(path, MAPPING)
        spelled = ", ".join(f"{row.name} {row.address or row.email}" for row in file.rows)
        world.tell(f"{launch.name}: the user imports into campaign {world.campaigns[file.campaign_id]!r}: {spelled}")
        launch.background.importer.start(
            file.campaign_id, rows, device.clock, file=file.name, file_format=rows.format.name, total=rows.most_rows
        )

    def undo_an_import(self, launch: Launch) -> None:
        """A file was the wrong one."""
        campaign_id = launch.device.campaign_id
        done = [id_ for (id_,) in launch.database.query(all_rows, _IMPORTS, campaign_id, FIRST_FILE)]
        if done:
            self._world.tell(f"{launch.name}: the user undoes an import")
            undo_import(launch.journal, launch.device.clock, campaign_id, self._chance.choice(done))

    def move(self, launch: Launch) -> None:
        """Somebody goes to another campaign."""
        world, campaign_id = self._world, launch.device.campaign_id
        targets = [target for target in self._open(launch) if target != campaign_id]
        untouched = [id_ for (id_,) in launch.database.query(all_rows, _UNTOUCHED, campaign_id)]
        if targets and untouched:
            lead, target = self._chance.choice(untouched), self._chance.choice(targets)
            world.tell(f"{launch.name}: the user moves a lead to campaign {world.campaigns[target]!r}")
            world.oracle.contacts.wanted_all_the_same.update(card.slug for card in world.people)
            launch.commands().lead_groups.move(campaign_id, [lead], target)

    def says_no(self, launch: Launch) -> None:
        """Somebody said on the telephone that they want nothing; the user labels the conversation."""
        world, campaign_id = self._world, launch.device.campaign_id
        contacted = launch.database.query(all_rows, _CONTACTED, campaign_id)
        if not contacted:
            return
        lead_id, member_key = self._chance.choice(contacted)
        label = self._chance.choice((Label.NO, Label.WRONG_PERSON))
        launch.commands().replies.label(campaign_id, lead_id, label)
        slug = world.who.slug(member_key)
        world.tell(f"{launch.name}: the user labels the conversation with {slug}: {label}")
        world.oracle.contacts.declines(slug, world.now(), launch.name, campaign_id)

    def import_history(self, launch: Launch) -> None:
        """An old tool's export, in which it says what passed with each; often into a campaign of its own."""
        world, campaign_id = self._world, launch.device.campaign_id
        if world.has_several and self._chance.random() < 0.7:
            others = [other for other in self._open(launch) if other != campaign_id]
            if not others and len(world.campaigns) < MOST_CAMPAIGNS:
                first = launch.database.query(campaigns.campaign, world.campaign_id)
                others = [self._made(launch, first, f"Talk {len(world.campaigns) + 1}")] if first is not None else []
            campaign_id = self._chance.choice(others or [campaign_id])
        self._import(launch, campaign_id, with_history=0.8)

    def has_a_word(self, launch: Launch) -> None:
        """The user spoke to somebody: they want nothing, are somebody else, or are to be asked again on another day."""
        world, campaign_id, how = self._world, launch.device.campaign_id, self._chance.random()
        rows = launch.database.query(all_rows, _IN_CONVERSATION, campaign_id)
        if not rows:
            return
        lead_id, member_key = self._chance.choice(rows)
        slug, replies, now = world.who.slug(member_key), launch.commands().replies, world.now()
        if how < 0.2:
            launch.commands().leads.do_not_contact(campaign_id, lead_id)
            world.tell(f"{launch.name}: {slug} is not to be contacted, as they said")
            world.oracle.heard(Click("do not contact", slug, "", "", now, launch.name))
        elif how < 0.6:
            label = Label.NO if how < 0.45 else Label.WRONG_PERSON
            replies.label(campaign_id, lead_id, label)
            world.tell(f"{launch.name}: the user labels the conversation with {slug}: {label}")
            world.oracle.contacts.declines(slug, world.now(), launch.name, campaign_id)
        else:
            days = self._chance.choice((1, 3, 5))
            until = launch.device.clock.now() + days * DAY
            replies.label(campaign_id, lead_id, Label.LATER, until)
            world.tell(f"{launch.name}: the user puts {slug} off for {days} days")
            waits = launch.database.query(first_row, _PAUSED_UNTIL, lead_id) == (until,)
            if waits:
                put_off = PutOff(world.now(), now + days * DAY, launch.name, campaign_id)
                world.oracle.contacts.puts_off(slug, put_off)

    def contact_anyway(self, launch: Launch) -> None:
        """Somebody is to be written to although another campaign has them; nothing while Outrider has no command for it."""
        world, campaign_id = self._world, launch.device.campaign_id
        rows = launch.database.query(all_rows, _IN_TOUCH_ELSEWHERE, campaign_id)
        if not rows:
            return
        lead_id, member_key = self._chance.choice(rows)
        slug = world.who.slug(member_key)
        world.tell(f"{launch.name}: {slug} is to be contacted anyway, by campaign {world.campaigns[campaign_id]!r}")
        world.oracle.contacts.allows(slug, campaign_id, world.now())
        launch.commands().people.contact_anyway(campaign_id, lead_id, "they asked for it")


def relettered(template: str, letter: str) -> str:
    """A step's text with the mark of the campaign of that letter."""
    return _STEP_MARK.sub(rf"step \g<1>{letter}:", template)


def with_letter(sequence: Sequence, letter: str) -> Sequence:
    """That sequence, as another campaign begins with it in words of its own."""
    begun = as_first_version(sequence)
    steps = tuple(step.model_copy(update={"template": relettered(step.template, letter)}) for step in begun.steps)
    return begun.model_copy(update={"steps": steps})


_WHIMS: tuple[tuple[Callable[[CampaignDesk, Launch], None], int], ...] = (
    (CampaignDesk.another, 4),
    (CampaignDesk.import_rows, 5),
    (CampaignDesk.duplicate, 2),
    (CampaignDesk.move, 2),
    (CampaignDesk.undo_an_import, 1),
    (CampaignDesk.says_no, 1),
    (CampaignDesk.contact_anyway, 1),
)
"""What they do, and how often."""

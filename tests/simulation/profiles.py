"""What changes on people's own pages: another name, another headline, an invitation that the user sent by hand."""

from dataclasses import replace
from typing import TYPE_CHECKING

from backend.practice.people import PersonCard
from tests.simulation.machine import ALL_CLOSED
from tests.simulation.oracle import InvitedByHand, Violation, profile_of
from tests.stored_rows import all_rows, first_row

if TYPE_CHECKING:
    from tests.simulation.machine import Device, Launch
    from tests.simulation.world import World

NAMES = ("Somebody Else", "Max Mustermann")
_INCIDENTS = "SELECT count(*) FROM incidents WHERE said LIKE '%could not be found%'"
_LEFT_WAITING = (
    "SELECT l.member_key, c.id FROM leads l JOIN campaigns c ON c.id = l.campaign_id"
    " WHERE c.status='completed' AND l.blocked='' AND l.label='' AND l.replied_at IS NULL ORDER BY l.id"
)
"""Whom nothing keeps from having their invitation taken back, where that has waited."""
_LEFT_AS_IT_IS = ("leave it", "withdraw")
"""What a click says, and of which task."""
A_WHILE = (1_800.0, 90_000.0)
"""Seconds after which somebody has their own name again."""


class OtherPeople:
    """The people themselves, and the user on the network's own pages."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def whim(self, launch: "Launch") -> None:
        """One of these."""
        world, how = self._world, self._world.chance.random()
        people = [card for card in world.people if card.slug not in world.oracle.erased_people]
        if not people:
            return
        card = world.chance.choice(people)
        if how < 0.3 and not world.assist:  # there the user's own eyes see whom a page is about
            self._rename(card)
        elif how < 0.5:
            world.tell(f"{card.slug} has another headline")
            world.oracle.renamed.pop(card.slug, None)  # and their own name
            self._show(replace(card, headline=f"CTO in fintech, now at {card.company}"))
        elif not world.assist and not any(has_acts(device, card) for device in world.devices):
            self._invite_by_hand(launch, card)

    def _rename(self, card: PersonCard) -> None:
        """Their page shows somebody else's name for a while."""
        world, name = self._world, self._world.chance.choice(NAMES)
        world.tell(f"the page of {card.slug} shows the name {name}")
        self._show(replace(card, name=name))
        world.oracle.renamed[card.slug] = world.now()

        def back() -> None:
            world.hub.pause(world.chance.choice(A_WHILE))
            self._show(card)
            world.oracle.renamed.pop(card.slug, None)
            world.tell(f"the page of {card.slug} shows their own name")

        world.hub.start("their own name again", back)

    def close_pages(self) -> None:
        """Somebody has no page any more, or nobody has one; for a while, or for good."""
        world = self._world
        open_ = [
            card.slug for card in world.people if card.slug not in world.oracle.erased_people | world.oracle.closed
        ]
        if not open_ or world.assist:
            return
        closing = open_ if world.chance.random() < 0.3 else [world.chance.choice(open_)]
        world.tell(f"{', '.join(closing)} have no page any more")
        world.oracle.closed.update(dict.fromkeys(closing, world.now()))
        seconds = world.chance.choice((*A_WHILE, None))
        if seconds is None:
            return

        def back() -> None:
            world.hub.pause(seconds)
            for slug in closing:
                world.oracle.closed.pop(slug, None)
            world.tell(f"{', '.join(closing)} have a page again")

        world.hub.start("a page again", back)

    def _show(self, card: PersonCard) -> None:
        self._world.network_time()
        self._world.exchange.record(lambda network: network.enrol([card], network.now))

    def _invite_by_hand(self, launch: "Launch", card: PersonCard) -> None:
        """Somebody whom Outrider has looked at already, and has not invited."""
        world, slug = self._world, card.slug
        looks = {device.name: looked_at(device, card) for device in world.devices}
        world.network_time()
        if looks[launch.device.name] is None or _relation(world, slug) != "none" or world.oracle.to.get(slug):
            return
        world.tell(f"the user invites {slug} by hand")
        world.exchange.record(lambda network: network.invite(slug, "", network.now))
        look_times = frozenset(at for at in looks.values() if at is not None)
        world.oracle.invited_by_hand[slug] = InvitedByHand(world.now(), look_times)
        world.oracle.invited_outside.add(slug)


def _relation(world: "World", slug: str) -> str:
    return str(world.exchange.read(lambda network: network.relation(slug, network.now)))


def check_closed_pages(world: "World") -> None:
    """Nobody waits because others have no page, unless it was three in a row: then the account had an incident."""
    for device in world.devices:
        (incidents,) = device.launch.database.query(first_row, _INCIDENTS)
        if incidents > world.struck[ALL_CLOSED]:
            raise Violation(f"{incidents} incidents on {device.name} over people without a page")


def check_withdrawals(world: "World") -> None:
    """A campaign that takes its old invitations back is not over while one of them waits, unless the user left it there."""
    if world.assist or world.oracle.ends_at is not None or not world.oracle.in_force[-1].logs_are_whole:
        return
    oracle = world.oracle
    clicks = (click for clicks in oracle.clicks.values() for click in clicks)
    left_out = {
        click.person for click in clicks if click.what == "do not contact" or (click.what, click.kind) == _LEFT_AS_IT_IS
    }
    left_out |= {*oracle.contacts.declined, *oracle.invited_outside, *oracle.closed}  # no page to take it back from
    for key, campaign in world.devices[0].launch.database.query(all_rows, _LEFT_WAITING):
        slug = world.who.slug(key)
        last = [sent for sent in oracle.to[slug] if sent.kind == "invitation"][-1:]
        ours = [sent for sent in last if sent.campaign == campaign and not {slug, sent.company} & left_out]
        if ours and _relation(world, slug) == "pending":
            raise Violation(f"the invitation to {slug} waits, and nobody takes it back")


def looked_at(device: "Device", card: PersonCard) -> int | None:
    """When this person was last looked at and found not invited, by the device's record."""
    with device.launch.database.read() as connection:
        row = connection.execute(
            "SELECT visited_at FROM leads WHERE campaign_id=? AND member_key=? AND invited_at IS NULL AND relation='none'",
            (device.world.campaign_id, profile_of(card.slug)),
        ).fetchone()
    return row[0] if row is not None else None


def looks_on_record(launch: "Launch", slug: str) -> frozenset[int]:
    """When this person was looked at, by all that the device's log still tells.

    Of somebody with several leads nothing is expected: one of them may be met for the first time.
    """
    who = launch.device.world.who
    with launch.database.read() as connection:
        keys = [key for (key,) in connection.execute("SELECT member_key FROM leads")]
        if sum(who.slug(key) == slug for key in keys) > 1:
            return frozenset()
        rows = connection.execute(
            "SELECT change_payload ->> 'visited_at' FROM event_log e JOIN leads l ON l.id = e.entity_id"
            " WHERE e.kind='LeadAdvanced' AND l.member_key=?",
            (profile_of(slug),),
        ).fetchall()
    return frozenset(int(at) for (at,) in rows if at is not None)


def has_acts(device: "Device", card: PersonCard) -> bool:
    """Whether something was begun with this person there: then that counts as the invitation that is found."""
    with device.launch.database.read() as connection:
        sql = "SELECT 1 FROM actions a JOIN leads l ON l.id = a.lead_id WHERE l.member_key=?"
        return connection.execute(sql, (profile_of(card.slug),)).fetchone() is not None

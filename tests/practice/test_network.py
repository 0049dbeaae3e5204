import time
from collections import Counter

import pytest

from backend.practice.behaviour import SENTENCES, behaviour_of
from backend.practice.contact_history import PracticeMessage, PracticeRelation
from backend.practice.ledger import Entry
from backend.practice.network import NOTE_LIMIT, REINVITE_AFTER, Network
from backend.practice.people import People, PersonCard

from .running import DAY, HOUR, START

LONG = START + 60 * DAY


def someone(network: Network, accepts: str = "always", answers_from: int | None = None, tone: str = "friendly") -> str:
    for card in network.people.cards():
        nature = behaviour_of(network.people.seed, card.slug)
        if (nature.accepts, nature.answers_from, nature.tone) == (accepts, answers_from, tone):
            return card.slug
    raise AssertionError("nobody is like that")


def connect(network: Network, slug: str, note: str = "") -> int:
    """Invite and give the moment of acceptance."""
    network.fold(network.invite(slug, note, START))
    since = network.history(slug).connected_since(LONG)
    assert since
    return since


def say(network: Network, slug: str, text: str, at: int) -> Entry:
    entry = network.message(slug, text, at)
    network.fold(entry)
    return entry


def theirs(network: Network, slug: str, now: int = LONG) -> list[str]:
    return [message.text for message in network.thread(slug, now) if message.author == "them"]


def test_an_invitation_is_pending_until_the_moment_it_is_accepted(network: Network) -> None:
    slug = someone(network)
    assert network.relation(slug, START) is PracticeRelation.NONE
    since = connect(network, slug)
    assert network.relation(slug, since - 1) is PracticeRelation.PENDING
    assert network.relation(slug, since) is PracticeRelation.CONNECTED
    assert [row.kind for row in network.notifications(since)] == ["accepted"]
    assert network.notifications(since - 1) == []


def test_some_never_accept_and_some_only_a_personal_note(network: Network) -> None:
    never, picky = someone(network, "never"), someone(network, "with_note")
    network.fold(network.invite(never, "Hello", START))
    network.fold(network.invite(picky, "", START))
    assert network.relation(never, LONG) is network.relation(picky, LONG) is PracticeRelation.PENDING
    other = Network(People("test", 500))
    other.fold(other.invite(picky, "Hello", START))
    assert other.relation(picky, LONG) is PracticeRelation.CONNECTED


def test_most_people_accept_and_every_temperament_occurs(network: Network) -> None:
    natures = [behaviour_of(network.people.seed, card.slug) for card in network.people.cards()]
    accepts = Counter(nature.accepts for nature in natures)
    assert accepts["always"] > len(natures) / 2
    assert set(accepts) == {"always", "with_note", "never"}
    assert {nature.answers_from for nature in natures} == {0, 1, 2, None}
    assert {nature.tone for nature in natures} == {"friendly", "lukewarm", "declining"}


def test_a_second_invitation_is_refused_and_recorded(network: Network) -> None:
    slug = someone(network, "never")
    network.fold(network.invite(slug, "", START))
    second = network.invite(slug, "again", START + 1)
    assert (second.disposition, second.reason, second.text) == ("refused", "already_pending", "again")
    network.fold(second)
    assert network.history(slug).pending(LONG) == network.history(slug).invitations[0]


def test_a_withdrawn_invitation_is_never_accepted_and_not_soon_repeated(network: Network) -> None:
    slug = someone(network, answers_from=0)
    network.fold(network.invite(slug, "Hello", START))
    network.fold(network.withdraw(slug, START + 1))
    assert network.relation(slug, LONG) is PracticeRelation.WITHDRAWN
    assert network.thread(slug, LONG) == ()
    assert network.withdraw(slug, LONG).reason == "not_pending"
    assert network.invite(slug, "", START + REINVITE_AFTER).reason == "withdrawn_recently"
    assert network.invite(slug, "", START + 1 + REINVITE_AFTER).disposition == "delivered"


@pytest.mark.parametrize("letter", ["x", "é", "🙂", "\n"])
def test_a_note_has_at_most_200_characters_however_they_are_encoded(network: Network, letter: str) -> None:
    slug = someone(network)
    assert network.invite(slug, letter * NOTE_LIMIT, START).disposition == "delivered"
    assert network.invite(slug, letter * (NOTE_LIMIT + 1), START).reason == "note_too_long"


def test_messages_need_a_connection_a_person_and_a_text(network: Network) -> None:
    slug = someone(network)
    assert network.message(slug, "Hi", START).reason == "not_connected"
    since = connect(network, slug)
    assert network.message(slug, " \n", since).reason == "empty"
    assert network.message(slug, "x" * 8_001, since).reason == "too_long"
    assert network.message("nobody", "Hi", since).reason == "unknown_person"
    assert network.message(slug, "Hi", since).disposition == "delivered"


def test_an_accepted_note_opens_the_thread_and_the_same_text_is_delivered_twice(network: Network) -> None:
    slug = someone(network)
    since = connect(network, slug, "My note")
    first, second = say(network, slug, "Hi\n", since + 1), say(network, slug, "Hi\n", since + 2)
    assert network.thread(slug, since + 2) == (
        PracticeMessage(1, "you", START, "My note"),
        PracticeMessage(first.n, "you", since + 1, "Hi\n"),
        PracticeMessage(second.n, "you", since + 2, "Hi\n"),
    )
    assert network.thread(slug, since - 1) == ()


@pytest.mark.parametrize("first", [1, 2])
def test_some_answer_the_first_message_and_some_the_follow_up(network: Network, first: int) -> None:
    slug = someone(network, answers_from=first, tone="lukewarm")
    since = connect(network, slug)
    for number in range(1, first + 1):
        assert theirs(network, slug) == []
        say(network, slug, f"Message {number}", since + number * HOUR)
    assert theirs(network, slug, since + first * HOUR) == []
    assert [text in SENTENCES["lukewarm"] for text in theirs(network, slug)] == [True]
    assert ("replied", slug) in [(row.kind, row.slug) for row in network.notifications(LONG)]


def test_some_answer_the_note_itself(network: Network) -> None:
    slug = someone(network, answers_from=0, tone="declining")
    connect(network, slug, "Hello")
    say(network, slug, "And again", LONG - DAY)
    assert [text in SENTENCES["declining"] for text in theirs(network, slug)] == [True]


def test_some_never_answer(network: Network) -> None:
    slug = someone(network, answers_from=None)
    since = connect(network, slug, "Hello")
    for number in range(5):
        say(network, slug, f"Message {number}", since + number * DAY)
    assert theirs(network, slug) == []


def test_whoever_gets_a_message_twice_says_so(network: Network) -> None:
    slug = someone(network, answers_from=2)
    since = connect(network, slug)
    say(network, slug, "Hello", since)
    say(network, slug, "Hello", since + 1)
    assert theirs(network, slug)[0] in SENTENCES["puzzled"]


def test_a_dropped_message_never_existed_for_the_person(network: Network) -> None:
    slug = someone(network, answers_from=1)
    since = connect(network, slug)
    network.fold(network.entry("message", since, to=slug, text="Lost", disposition="dropped"))
    assert network.thread(slug, LONG) == ()


def test_the_same_entries_give_the_same_answers(network: Network) -> None:
    entries: list[Entry] = []
    for slug in [card.slug for card in network.people.cards()]:
        for deed, at in ((network.invite, START), (network.message, LONG - 20 * DAY)):
            entries.append(deed(slug, "Hello", at))
            network.fold(entries[-1])
    again = Network(People("test", 500), entries)
    other = Network(People("other seed", 500), entries)
    assert again.inbox(LONG) == network.inbox(LONG)
    assert again.notifications(LONG) == network.notifications(LONG) != other.notifications(LONG)
    assert any(row.kind == "replied" for row in again.notifications(LONG))


def test_a_roster_is_idempotent_and_may_bring_contacts(network: Network) -> None:
    card = PersonCard("ada", "Ada", "Engineer", "Mill", connected=True)
    entry = network.enrol([card, card], START)
    assert entry
    network.fold(entry)
    assert len(entry.detail["people"]) == 1
    assert network.enrol([card], START) is None
    assert network.relation("ada", START) is PracticeRelation.CONNECTED
    assert network.enrol([PersonCard("ada", "Ada", "Director", "Mill")], START) is not None
    assert len(network.people) == 501


def test_the_clock_only_goes_forwards(network: Network) -> None:
    forwards = network.advance(START)
    assert forwards
    network.fold(forwards)
    assert network.advance(START) is None
    assert network.advance(START - 1) is None


def test_folding_ten_thousand_entries_is_quick() -> None:
    people = People("s", 5_000)
    slugs = [people.crowd.card(k).slug for k in range(5_000)]
    entries = [Entry(k + 1, START, "invitation", slug, "Hi", "delivered") for k, slug in enumerate(slugs)]
    entries += [Entry(5_001 + k, LONG, "message", slug, "Hello", "delivered") for k, slug in enumerate(slugs)]
    begun = time.process_time()
    network = Network(people, entries)
    assert time.process_time() - begun < 5
    assert network.count == 10_000


# --- from another machine's network ---


def restored(network: Network, slug: str, connected_at: int | None, *past: tuple[str, int, str]) -> Network:
    rows = [{"kind": kind, "at": at, "text": text} for kind, at, text in past]
    network.fold(network.restore([{"slug": slug, "connected_at": connected_at, "past": rows}], START))
    return network


def test_a_conversation_that_is_restored_shows_what_is_on_record_and_goes_on(network: Network) -> None:
    slug = someone(network, answers_from=1)
    at, later = START + HOUR, START + 2 * HOUR
    past = [("invitation", START, "Hello"), ("message", at, "First"), ("reply", later, "Thanks!")]
    for _ in range(2):  # a second time changes nothing
        restored(network, slug, START + 1, *past)
        assert network.relation(slug, START + 1) is PracticeRelation.CONNECTED
        shown = [(line.author, line.text) for line in network.thread(slug, LONG)]
        assert shown == [("you", "Hello"), ("you", "First"), ("them", "Thanks!")]
    say(network, slug, "Second", later + HOUR)
    assert len(theirs(network, slug)) == 2


def test_whoever_had_not_answered_yet_answers_the_restored_network(network: Network) -> None:
    slug = someone(network, answers_from=1)
    restored(network, slug, START, ("invitation", START, ""), ("message", START + HOUR, "First"))
    assert len(theirs(network, slug)) == 1
    invited = someone(Network(People("test", 500)), "never")
    restored(network, invited, None, ("invitation", START, "Hello"))
    assert network.relation(invited, LONG) is PracticeRelation.PENDING


def test_a_restored_network_is_the_same_after_its_own_restart(network: Network) -> None:
    slug = someone(network)
    restored(network, slug, START, ("message", START + HOUR, "First"))
    entry = network.restore([], START)
    assert entry.n == network.count + 1
    again = Network(People("test", 500))
    rows = [{"kind": "message", "at": START + HOUR, "text": "First"}]
    again.fold(
        Entry.from_line(again.restore([{"slug": slug, "connected_at": START, "past": rows}], START).to_line().encode())
    )
    assert again.thread(slug, LONG) == network.thread(slug, LONG)

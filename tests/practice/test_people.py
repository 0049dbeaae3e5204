import time
from itertools import islice

from backend.practice.people import People, PersonCard, last_updated, recent_activity

from .running import DAY, START


def test_a_person_depends_on_nothing_but_the_seed_and_their_number() -> None:
    few, many = People("s", 10), People("s", 10_000)
    assert [few.crowd.card(k) for k in range(10)] == [many.crowd.card(k) for k in range(10)]
    assert People("other", 10).crowd.card(3) != few.crowd.card(3)


def test_every_slug_finds_its_person_and_is_unique() -> None:
    people = People("s", 3_000)
    cards = list(people.cards())
    assert len({card.slug for card in cards}) == 3_000
    assert all(people.card(card.slug) == card for card in cards)


def test_an_unknown_slug_is_nobody() -> None:
    people = People("s", 10)
    slug_of_somebody = people.crowd.card(3).slug
    assert people.find(slug_of_somebody)
    for slug in ("", "nobody", "-3", f"x{slug_of_somebody}", slug_of_somebody.upper(), "maya-lindqvist-zzzzzzzzzz"):
        assert people.find(slug) is None


def test_a_million_people_cost_nothing_until_they_are_met() -> None:
    begun = time.process_time()
    people = People("s", 1_000_000)
    assert people.find(people.crowd.card(999_999).slug)
    assert time.process_time() - begun < 1


def test_a_roster_person_gets_the_rest_from_the_slug() -> None:
    people = People("s", 0)
    people.enrol(PersonCard("zoë-q", "Zoë Q", "Keeper of bees", ""))
    person = people.find("zoë-q")
    assert person
    assert person.location
    assert "{" not in person.about
    assert person.initials == "ZQ"
    assert (len(people), [card.slug for card in people.search("BEES zoe")]) == (1, ["zoë-q"])


def test_activity_goes_on_as_time_goes_on_and_never_lies_in_the_future() -> None:
    people = People("s", 60)
    persons = [person for card in people.cards() if (person := people.find(card.slug))]
    for person in persons:
        for now in (START, START + 90 * DAY):
            posts = recent_activity("s", person, now)
            assert [post.at for post in posts] == sorted((post.at for post in posts), reverse=True)
            assert all(post.at <= now for post in posts)
            assert "{" not in "".join(post.text for post in posts)
            assert len({post.text for post in posts}) == len(posts)
            assert last_updated("s", person, now) <= now
    assert any(recent_activity("s", p, START) != recent_activity("s", p, START + 90 * DAY) for p in persons)
    assert any(not recent_activity("s", p, START) for p in persons)


def test_search_finds_by_name_role_and_company() -> None:
    people = People("s", 300)
    card = people.crowd.card(42)
    assert card in people.search(card.name)
    assert card in people.search(card.company)
    assert people.search("no such words") == []
    assert len(list(islice(people.search(""), 400))) == 300

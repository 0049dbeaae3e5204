"""The people of the network: person k is computed from (seed, k) alone, so thousands cost nothing until met."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from backend.practice.deterministic_random import between, pick, roll
from backend.practice.virtual_time import DAY, HOUR, WAKES_UP_AT
from backend.practice.vocabulary import CLOSINGS, COMPANIES, FAMILY, GIVEN, PLACES, TRADES, Trade

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
RECENT_POSTS = 3
SILENT_IN = 7  # one person in so many never posts
TRADE_BY_ROLE = {role: trade for trade in TRADES for role in trade.roles}


@dataclass(frozen=True, slots=True)
class PersonCard:
    """What the person, or whoever added them, chose: the rest follows from the slug."""

    slug: str
    name: str
    headline: str
    company: str
    connected: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class PracticePerson:
    slug: str
    name: str
    headline: str
    company: str
    location: str
    about: str

    @property
    def initials(self) -> str:
        words = [word for word in self.name.split() if word[0].isalnum()] or ["?"]
        return (words[0][0] + (words[-1][0] if len(words) > 1 else "")).upper()


def base36(number: int) -> str:
    digits = ""
    while number >= len(DIGITS):
        number, digit = divmod(number, len(DIGITS))
        digits = DIGITS[digit] + digits
    return DIGITS[number] + digits


def plain(text: str) -> str:
    """Lower case without accents, for slugs and for searching."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=1_024)  # most pages are about people who were met before
def _card(seed: str, k: int) -> PersonCard:
    name = f"{pick(GIVEN, seed, 'given', k)} {pick(FAMILY, seed, 'family', k)}"
    company = pick(COMPANIES, seed, "company", k)
    trade = pick(TRADES, seed, "trade", k)
    role = pick(trade.roles, seed, "role", k)
    slug = re.sub(r"[^a-z]+", "-", plain(name)) + "-" + base36(k)
    return PersonCard(slug, name, f"{role} at {company}", company)


@dataclass(slots=True, frozen=True)
class GeneratedPeople:
    """The people who are there without having been added."""

    seed: str
    size: int

    def card(self, k: int) -> PersonCard:
        return _card(self.seed, k)

    def find(self, slug: str) -> PersonCard | None:
        """The end of a slug says which k to compute; the rest must then agree."""
        code = slug.rpartition("-")[2]
        if not re.fullmatch(r"[0-9a-z]{1,8}", code) or (k := int(code, 36)) >= self.size:
            return None
        card = self.card(k)
        return card if card.slug == slug else None


class People:
    """The crowd and the roster; a roster person takes the place of anyone with the same slug."""

    def __init__(self, seed: int | str, size: int) -> None:
        self.crowd = GeneratedPeople(str(seed), size)
        self.roster: dict[str, PersonCard] = {}
        self._outsiders = 0
        # Filled at the first search, so that a start with many people stays instant.
        self._crowd_cards: list[PersonCard] = []
        self._searchable: dict[PersonCard, str] = {}

    @property
    def seed(self) -> str:
        return self.crowd.seed

    def __len__(self) -> int:
        return self.crowd.size + self._outsiders

    def enrol(self, card: PersonCard) -> None:
        self._outsiders += self.card(card.slug) is None
        self.roster[card.slug] = card

    def card(self, slug: str) -> PersonCard | None:
        return self.roster.get(slug) or self.crowd.find(slug)

    def find(self, slug: str) -> PracticePerson | None:
        card = self.card(slug)
        return describe(self.seed, card) if card else None

    def cards(self) -> Iterator[PersonCard]:
        yield from self.roster.values()
        if not self._crowd_cards:
            self._crowd_cards = [self.crowd.card(k) for k in range(self.crowd.size)]
        yield from (card for card in self._crowd_cards if card.slug not in self.roster)

    def search(self, query: str) -> list[PersonCard]:
        """Everyone whose name, headline or company holds every word; all of them when there is no word."""
        words = plain(query).split()
        if not words:
            return list(self.cards())
        matching_cards = []
        for card in self.cards():
            text = self._searchable.get(card)
            if text is None:
                text = self._searchable[card] = plain(f"{card.name} {card.headline} {card.company}")
            if all(word in text for word in words):
                matching_cards.append(card)
        return matching_cards


def describe(seed: str, card: PersonCard) -> PracticePerson:
    """Everything about a person that does not change."""
    trade = trade_of(card)
    about_text = pick(trade.about, seed, "about", card.slug) + " " + pick(CLOSINGS, seed, "closing", card.slug)
    return PracticePerson(
        slug=card.slug,
        name=card.name,
        headline=card.headline,
        company=card.company,
        location=pick(PLACES, seed, "place", card.slug),
        about=fill(about_text, seed, card),
    )


def recent_activity(seed: str, person: PracticePerson | PersonCard, now: int) -> tuple[Post, ...]:
    """The last few posts before now, newest first: each person writes at their own steady pace, for ever."""
    slug = person.slug
    if roll(seed, "silent", slug) % SILENT_IN == 0:
        return ()
    pace = between(4, 45, seed, "pace", slug) * DAY
    offset = between(0, pace // DAY - 1, seed, "offset", slug) * DAY
    posts: list[Post] = []
    number = (now - offset) // pace
    while len(posts) < RECENT_POSTS:
        at = offset + number * pace + WAKES_UP_AT + between(0, 12 * HOUR, seed, "minute", slug, number)
        if at <= now:
            posts.append(Post(at, post_text(seed, person, number)))
        number -= 1
    return tuple(posts)


def post_text(seed: str, person: PracticePerson | PersonCard, number: int) -> str:
    """Each post in a row says something else, until a person's repertoire is through."""
    posts = trade_of(person).posts
    text = posts[(roll(seed, "first post", person.slug) + number) % len(posts)]
    return fill(text, seed, person)


def last_updated(seed: str, person: PracticePerson, now: int) -> int:
    """When the person last touched their profile."""
    pace = between(20, 400, seed, "update pace", person.slug) * DAY
    offset = roll(seed, "update offset", person.slug) % pace
    return now - (now - offset) % pace


def trade_of(person: PracticePerson | PersonCard) -> Trade:
    """The trade that a headline names, or for a roster person's own words one that the slug chooses."""
    role = person.headline.partition(" at ")[0]
    return TRADE_BY_ROLE.get(role) or pick(TRADES, "trade", person.slug)


def fill(text: str, seed: str, person: PracticePerson | PersonCard) -> str:
    focus = pick(trade_of(person).focuses, seed, "focus", person.slug)
    filled = text.replace("{focus}", focus).replace("{company}", person.company or "my company")
    return filled[0].upper() + filled[1:]

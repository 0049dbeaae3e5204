"""Who is who: which leads are one person by themselves, and which are asked about (design: architecture, "People").

Two leads of an account join by the same profile address or member id under names that can be one person's, or by the same
e-mail address and the same name where at most one of them has a profile address. Everything else that two leads share is
doubt: they are neither merged nor taken for strangers, and nothing goes to either of them until the user has answered.
"""

import json
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, filterfalse
from typing import NamedTuple

from backend.domain.people.contact_keys import (
    FORGOTTEN_KEY,
    ContactDetails,
    company_key,
    emails_in,
    kind_of,
    member_numbers,
    number_address,
)
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN
from backend.domain.people.person_name import TITLES, clean_name
from backend.domain.values.hidden_characters import as_it_looks
from backend.domain.values.latin import PLAIN

ADDRESS, MEMBER, EMAIL, NAME = "address:", "member:", "email:", "name:"
"""How a key begins by which leads are compared."""

LISTED = "listed:"
"""How the key of a doubt begins that is about one person and the do-not-contact list."""

MOST_NAMESAKES = 100
"""Leads of one name, above which the name says nothing about who they are."""

MOST_SHARING = 2_000
"""The same for leads of one e-mail address, or of one profile address."""

_SHARED_MAILBOXES = frozenset({
    "accounting", "accounts", "admin", "administration", "all", "anfrage", "bewerbung", "billing", "booking", "bonjour",
    "buero", "business", "careers", "ciao", "comercial", "commercial", "contact", "contacto", "contactus", "contato",
    "customerservice", "direccion", "direction", "enquiries", "enquiry", "everyone", "geral", "hallo", "hello", "help",
    "helpdesk", "hi", "hola", "hr", "info", "infos", "inquiries", "inquiry", "jobs", "karriere", "kontakt", "mail",
    "marketing", "media", "no-reply", "noreply", "office", "ola", "orders", "people", "personal", "post", "presse", "press",
    "recepcion", "reception", "recruiting", "recruitment", "rh", "sales", "secretariat", "secretary", "sekretariat",
    "service", "services", "support", "talent", "team", "vendas", "ventas", "vente", "verkauf", "verkoop", "vertrieb",
    "webmaster", "welcome", "work",
})  # fmt: skip
"""The part before the `@` of an address that several people read."""

_LETTERS = str.maketrans({**PLAIN, "'": "", "\u2019": "", "-": " ", "\u2010": " ", ".": " ", "\u00b7": " "})


class DoubtKind(StrEnum):
    """Why leads may be one person or several."""

    TWO_NAMES = "two_names"
    TWO_ADDRESSES = "two_addresses"
    SHARED_MAILBOX = "shared_mailbox"
    NAMES_OF_EMAIL = "names_of_email"
    SAME_NAME = "same_name"
    ON_LIST = "on_list"


DOUBT_SENTENCES: dict[DoubtKind, str] = {
    DoubtKind.TWO_NAMES: "The same profile address came with different names.",
    DoubtKind.TWO_ADDRESSES: "The same e-mail address came with different profile addresses.",
    DoubtKind.SHARED_MAILBOX: "They share an e-mail address that several people may read.",
    DoubtKind.NAMES_OF_EMAIL: "The same e-mail address came with different names.",
    DoubtKind.SAME_NAME: "They have the same name and company, but different addresses.",
    DoubtKind.ON_LIST: "Somebody with the same name is on the do-not-contact list, with another address.",
}
"""What people are told."""


class Identity(NamedTuple):
    """By what a lead can be told to be somebody: its campaign's identity, name, profile address, e-mail addresses, company."""

    lead_id: str
    member_key: str
    full_name: str
    profile_url: str = ""
    email: str = ""
    company: str = ""
    extra: str = "{}"
    """The lead file's further columns, in JSON."""

    @property
    def answer_keys(self) -> frozenset[str]:
        """By what an answer may mean this lead: its campaign's identity, or that with its name."""
        return frozenset((self.member_key, named_key(self.member_key, self.full_name)))

    @property
    def addresses(self) -> frozenset[str]:
        """What an entry of the do-not-contact list may say of them alone."""
        numbers = map(number_address, self._numbers)
        return frozenset((plain_key(self.member_key), self.profile_url, *self.emails, *numbers))

    @property
    def emails(self) -> frozenset[str]:
        """All their e-mail addresses, in lower case."""
        columns = self._columns() if "@" in self.extra else {}
        return frozenset(filter(None, emails_in(self.email, columns))) if self.email or columns else frozenset()

    def _columns(self) -> dict[str, str]:
        """The further columns; what another device recorded may be no JSON."""
        try:
            columns = json.loads(self.extra)
        except ValueError:
            return {}
        texts = columns.items() if isinstance(columns, dict) else ()
        return {name: text for name, text in texts if isinstance(text, str)}

    @property
    def profiles(self) -> frozenset[str]:
        """Their profile's address and member ids, as keys."""
        address = (ADDRESS + self.profile_url,) if self.profile_url else ()
        return frozenset((*address, *(MEMBER + number for number in self._numbers)))

    @property
    def _numbers(self) -> list[str]:
        return member_numbers(self.profile_url, self.extra)


class IdentityAnswer(NamedTuple):
    """What the user answered: whether those known by these identities (`Identity.answer_keys`) are one person."""

    member_keys: tuple[str, ...]
    same: bool

    def names(self, lead: Identity) -> bool:
        """Whether it is about that lead."""
        return not lead.answer_keys.isdisjoint(self.member_keys)


class ListedName(NamedTuple):
    """Somebody on the do-not-contact list; `is_lead` if there are leads with that address, with which others are compared."""

    address: str
    full_name: str
    is_lead: bool


class Doubt(NamedTuple):
    """Leads that may be one person or several; `key` is what they share, of a `kind` that says why it does not tell."""

    kind: DoubtKind
    key: str
    lead_ids: tuple[str, ...]


class People(NamedTuple):
    """The leads of each person, and what is asked about them. Independent of the order in which the leads came."""

    persons: tuple[tuple[str, ...], ...]
    doubts: tuple[Doubt, ...]


def named_key(member_key: str, full_name: str) -> str:
    """An identity together with a name: two people may have come with one address, in one campaign or in two."""
    return f"{plain_key(member_key)}#{as_it_looks(full_name).casefold()}"


def plain_key(answer_key: str) -> str:
    """The identity without a name."""
    return answer_key.partition("#")[0]


def keys_of(identity: Identity) -> list[str]:
    """By what this lead is compared with others; a lead without an address is compared with nobody."""
    keys = [*identity.profiles, *[EMAIL + email for email in identity.emails]]
    if keys and (name := name_key(identity.full_name)):
        keys.append(name)
    return keys


def name_key(full_name: str) -> str:
    """By what namesakes are compared; empty for one word, which says too little."""
    words = _fold(full_name)
    return NAME + " ".join(sorted(words)) if len(words) > 1 else ""


def listed_name_key(address: str, full_name: str) -> str:
    """The same for an entry of the do-not-contact list; empty unless it tells who the person is."""
    is_told = kind_of(address) == "person" and not address.startswith(FORGOTTEN_KEY)
    return name_key(full_name) if is_told else ""


def comparable_key(key: str, company: str) -> str | None:
    """What leads with that key are compared by: of a name only together with the company, without which nobody is compared."""
    if not key.startswith(NAME):
        return key
    company_entry = company_key(company)
    return f"{key} | {company_entry}" if company_entry else None


def is_shared_mailbox(email: str) -> bool:
    """Whether several people may read that address: `info@…`."""
    local = email.partition("@")[0].partition("+")[0]
    return local in _SHARED_MAILBOXES


def is_same_name(first: str, second: str) -> bool:
    """Whether one name is the other, or part of it: in another order, with initials, without middle names."""
    first_words, second_words = _name_words(first), _name_words(second)
    if len(first_words) > len(second_words):
        first_words, second_words = second_words, first_words
    remaining_words = list(second_words)
    for word in sorted(first_words, key=len, reverse=True):
        same = next((other for other in remaining_words if _is_same_word(word, other)), None)
        if same is None:
            return False
        remaining_words.remove(same)
    return bool(first_words)


def may_be_one_name(first: str, second: str) -> bool:
    """Whether one person may have both names: the same name, the same first name (people marry), or another script."""
    if is_same_name(first, second):
        return True
    first_words, second_words = _name_words(first), _name_words(second)
    if not first_words or not second_words:
        return True  # no name speaks against it
    if _is_latin(first_words) is not _is_latin(second_words):
        return True
    return _is_same_word(first_words[0], second_words[0])


def who_is_who(
    identities: Iterable[Identity],
    answers: Iterable[IdentityAnswer] = (),
    too_common: Container[str] = (),
    listed: Iterable[ListedName] = (),
) -> People:
    """Tell people apart: those who join by themselves or by an answer, and the doubts that are left.

    Keys that are `too_common` say nothing; these leads need not be all that have them. `listed`: who of these names is on the
    do-not-contact list.
    """
    leads = sorted(identities)
    answers = list(answers)
    groups = _Groups(leads, answers)
    by_key = {key: sharing for key, sharing in _by_key(leads).items() if key not in too_common}
    for key in sorted(by_key):  # addresses, then e-mail addresses
        if key.startswith((ADDRESS, MEMBER)):
            _join_namesakes(groups, by_key[key])
    for key in sorted(by_key):
        if key.startswith(EMAIL) and not is_shared_mailbox(key.removeprefix(EMAIL)):
            _join_by_email(groups, by_key[key])
    for answer in answers:
        if answer.same:
            answered_leads = [lead for lead in leads if answer.names(lead)]
            for other in answered_leads[1:]:
                groups.join(answered_leads[0], other)
    doubts = [*_doubts(groups, by_key), *_doubts_about_list(groups, leads, answers, list(listed))]
    return People(groups.persons(), tuple(doubts))


def namesakes_on_list(
    identities: Sequence[Identity], listed: Iterable[ListedName], answers: Sequence[IdentityAnswer]
) -> list[str]:
    """The addresses by which somebody with this person's name is on the do-not-contact list who may be they, as far as is known.

    None if they are on it by an address of their own.
    """
    names = {key for lead in identities for key in keys_of(lead) if key.startswith(NAME)}
    listed = list(listed)
    if any(entry.address in lead.addresses for entry in listed for lead in identities):
        return []
    namesakes = [entry for entry in listed if name_key(entry.full_name) in names]
    relevant_answers = (answer for answer in answers if not answer.same and any(map(answer.names, identities)))
    different = {plain_key(key) for answer in relevant_answers for key in answer.member_keys}
    return [entry.address for entry in namesakes if not entry.is_lead and entry.address not in different]


class _Groups:
    """Leads joined into persons; leads that the user said are different people are never joined."""

    def __init__(self, leads: Sequence[Identity], answers: Sequence[IdentityAnswer]) -> None:
        self._first = {lead.lead_id: lead.lead_id for lead in leads}
        self._members = {lead.lead_id: [lead] for lead in leads}
        self._apart = {lead.lead_id: _named_apart(lead, answers) for lead in leads}
        """Person -> by the number of each answer that tells people apart: the identities by which it names this one."""

    def person(self, lead: Identity) -> str:
        """The person's first lead."""
        return self._first[lead.lead_id]

    def has_profile(self, person: str) -> bool:
        """Whether any of the person's leads has the address of a profile."""
        return any(lead.profiles for lead in self._members[person])

    def join(self, first: Identity, second: Identity) -> None:
        """Make one person of both, unless the user said that they are two."""
        into, gone = sorted((self.person(first), self.person(second)))
        if into == gone or self._are_different(into, gone):
            return
        self._members[into] += self._members.pop(gone)
        for number, keys in self._apart.pop(gone).items():
            self._apart[into][number] = self._apart[into].get(number, frozenset()) | keys
        self._first |= dict.fromkeys((lead.lead_id for lead in self._members[into]), into)

    def doubtful(self, persons: Iterable[str]) -> set[str]:
        """Those of these persons who may be another of them: the user has not said that all are different people."""
        together = sorted(persons)
        if len(together) < 2 or self._tells_all_apart(together):  # noqa: PLR2004 - it takes two to doubt
            return set()
        return {
            person
            for person in together
            if any(other != person and not self._are_different(person, other) for other in together)
        }

    def _tells_all_apart(self, persons: Sequence[str]) -> bool:
        """Whether one answer names all of these persons, each by identities of their own."""
        named = [self._apart[person] for person in persons]
        for number in set(named[0]).intersection(*named[1:]):
            keys = [key for answers in named for key in answers[number]]
            if len(set(keys)) == len(keys):
                return True
        return False

    def persons(self) -> tuple[tuple[str, ...], ...]:
        """The ids of each person's leads."""
        return tuple(sorted(tuple(sorted(lead.lead_id for lead in leads)) for leads in self._members.values()))

    def lead_ids(self, persons: Iterable[str]) -> tuple[str, ...]:
        """All leads of these persons: who is in doubt is so in every campaign."""
        return tuple(sorted(lead.lead_id for person in persons for lead in self._members[person]))

    def _are_different(self, first: str, second: str) -> bool:
        others = self._apart[second]
        return any(number in others and keys.isdisjoint(others[number]) for number, keys in self._apart[first].items())


def _named_apart(lead: Identity, answers: Sequence[IdentityAnswer]) -> dict[int, frozenset[str]]:
    """By the number of each answer that tells people apart and names this lead: by which identities."""
    if not answers:
        return {}
    named = (
        (number, lead.answer_keys.intersection(answer.member_keys))
        for number, answer in enumerate(answers)
        if not answer.same
    )
    return {number: keys for number, keys in named if keys}


def _by_key(leads: Iterable[Identity]) -> dict[str, list[Identity]]:
    by_key: dict[str, list[Identity]] = defaultdict(list)
    for lead in leads:
        for key in keys_of(lead):
            by_key[key].append(lead)
    return {key: sharing for key, sharing in by_key.items() if len(sharing) > 1}


def _join_namesakes(groups: _Groups, sharing: Sequence[Identity]) -> None:
    """Those with one profile address, as far as their names can be one person's."""
    different_names: list[Identity] = []
    for lead in sharing:
        same = next((other for other in different_names if may_be_one_name(lead.full_name, other.full_name)), None)
        if same is None:
            different_names.append(lead)
        else:
            groups.join(same, lead)


def _join_by_email(groups: _Groups, sharing: Sequence[Identity]) -> None:
    """Those with one e-mail address and one name, if at most one profile address is among them."""
    namesakes: list[list[Identity]] = []
    for lead in sharing:
        same = next((group for group in namesakes if is_same_name(lead.full_name, group[0].full_name)), None)
        if same is None:
            namesakes.append([lead])
        else:
            same.append(lead)
    for group in namesakes:
        if sum(map(groups.has_profile, {groups.person(lead) for lead in group})) <= 1:
            for lead in group[1:]:
                groups.join(group[0], lead)


def _doubts(groups: _Groups, by_key: Mapping[str, Sequence[Identity]]) -> Iterator[Doubt]:
    earlier_doubts: list[set[str]] = []
    for key in sorted(by_key, key=lambda key: (key.startswith(NAME), key)):
        for shared_key, sharing in _comparable(key, by_key[key]):
            doubtful = groups.doubtful({groups.person(lead) for lead in sharing})
            if not doubtful or any(doubtful <= earlier for earlier in earlier_doubts):
                continue
            earlier_doubts.append(doubtful)
            doubtful_leads = [lead for lead in sharing if groups.person(lead) in doubtful]
            yield Doubt(_kind(key, doubtful_leads), shared_key, groups.lead_ids(doubtful))


def _doubts_about_list(
    groups: _Groups, leads: Sequence[Identity], answers: Sequence[IdentityAnswer], listed: Sequence[ListedName]
) -> Iterator[Doubt]:
    """Who may be somebody that must not be contacted, by their name alone."""
    persons: dict[str, list[Identity]] = defaultdict(list)
    for lead in leads if listed else ():
        persons[groups.person(lead)].append(lead)
    for person, identities in persons.items():
        if namesakes_on_list(identities, listed, answers):
            yield Doubt(DoubtKind.ON_LIST, LISTED + person, groups.lead_ids([person]))


def _comparable(key: str, sharing: Sequence[Identity]) -> Iterable[tuple[str, Sequence[Identity]]]:
    """Who shares a name is compared only with who works for the same company: each company is a doubt of its own."""
    if key.startswith(NAME) and len(sharing) > MOST_NAMESAKES:
        return []
    comparable: dict[str, list[Identity]] = defaultdict(list)
    for lead in sharing:
        if shared_key := comparable_key(key, lead.company):
            comparable[shared_key].append(lead)
    return comparable.items()


def _kind(key: str, sharing: Sequence[Identity]) -> DoubtKind:
    if key.startswith(NAME):
        return DoubtKind.SAME_NAME
    if key.startswith((ADDRESS, MEMBER)):
        return DoubtKind.TWO_NAMES
    if is_shared_mailbox(key.removeprefix(EMAIL)):
        return DoubtKind.SHARED_MAILBOX
    names = {lead.full_name for lead in sharing}
    if all(is_same_name(*pair) for pair in combinations(sorted(names)[:MOST_NAMESAKES], 2)):
        return DoubtKind.TWO_ADDRESSES
    return DoubtKind.NAMES_OF_EMAIL


def _fold(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared: without titles, case, accents; `ue` as `ü`, a hyphen as a blank."""
    plain = name.lower()
    if not (plain.isascii() and plain.replace(" ", "").isalnum()) or plain.partition(" ")[0] in TITLES:
        numbers = [word for word in name.split() if word.isdigit()]  # they tell the people of a made-up list apart
        shown = " ".join([clean_name(name) or name, *numbers])
        plain = "".join(filterfalse(unicodedata.combining, plain_letters(shown)))
    # Umlauts are written without them, too: `Mueller` is `Müller`. A pattern would take several times as long, for each new lead.
    return tuple(plain.replace("ae", "a").replace("oe", "o").replace("ue", "u").split())


def plain_letters(text: str) -> str:
    """The text in lower case, with accents as characters of their own, and letters such as `ø` as the plain one."""
    return unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)


_name_words = lru_cache(maxsize=4096)(_fold)


def _is_same_word(first: str, second: str) -> bool:
    """The same word, or its initial."""
    initial = (len(first) == 1 or len(second) == 1) and first[0].isalpha()
    return first == second or (initial and first[0] == second[0])


def _is_latin(words: Iterable[str]) -> bool:
    return all(letter < "\u0250" for word in words for letter in word)


def contact_details(row: LeadRow, key: str) -> ContactDetails:
    """By what the person of this row can be on the do-not-contact list."""
    return ContactDetails(key, row.profile_url or "", row.email or "", row.company or "", row.extra)


def member_key(row: LeadRow) -> str:
    """Who this is, for merging; somebody without URL and e-mail is told by name, company and date of connection."""
    if row.member_key:
        return row.member_key
    name, company = (as_it_looks(text).casefold() for text in (row.full_name, row.company or ""))
    day = row.connected_on if row.connected_on != CONNECTED_DATE_UNKNOWN else ""
    return f"name:{name}|{company}|{day or ''}"


def identity_of(row: LeadRow, lead_id: str) -> Identity:
    """By what the lead that this row begins can be told to be somebody."""
    return Identity(
        lead_id,
        member_key(row),
        row.full_name,
        row.profile_url or "",
        row.email or "",
        row.company or "",
        json.dumps(row.extra),
    )

"""By what a person can be on the do-not-contact list: themselves, the company they work for, and the domains they have.

An entry of the list is one text: a person's identity as it is, `company:` with the company's name, `domain:` with a domain.
Names are compared as they look, without case, accents, marks and legal form, so that an entry errs on the side of not writing.
"""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks

ContactKind = Literal["person", "company", "domain"]

_COMPANY, _DOMAIN = "company:", "domain:"
FORGOTTEN_KEY = "forgotten:"
"""How a keyed hash begins that stands for a person whose data is erased."""
_FORGOTTEN = re.compile(rf"{FORGOTTEN_KEY}[0-9a-f]{{64}}")
_MARKS = re.compile(r"[\W_]+")
LEGAL_FORMS = frozenset({
    "ab", "ag", "aps", "as", "asa", "bv", "bvba", "co", "company", "corp", "corporation", "doo", "ehf", "ek", "eurl", "ev",
    "gesmbh", "gmbh", "hf", "inc", "incorporated", "kft", "kg", "kgaa", "kk", "limited", "llc", "llp", "lp", "ltd", "ltda",
    "mbh", "nv", "ohg", "oy", "oyj", "plc", "pte", "pty", "sa", "sapi", "sarl", "sas", "se", "sl", "slu", "spa", "spzoo",
    "sro", "srl", "ug", "zrt",
    "株式会社", "有限会社", "合同会社", "有限公司", "주식회사",
})  # fmt: skip
_SPELLED_APART = re.compile(r"\b(?:a s|s a|sp z oo|sp z o o|d o o|s r o|s p a|s r l|s l)$")
"""A legal form whose letters something other than full stops parts: `A/S`."""
_LAST_LETTERS = 2
"""How long the last word of such a legal form is at most."""
FORM_IN_FRONT = frozenset("ооо оао зао ао пао 株式会社 有限会社 合同会社 주식회사".split())  # noqa: RUF001, SIM905 - Cyrillic
_FORM_WITHOUT_BLANK = re.compile(
    r"^(?:株式会社|有限会社|合同会社|\(株\)|\(有\))|(?:株式会社|有限会社|合同会社|有限公司|\(株\)|\(有\))$"
)
_AND = frozenset({"and", "et", "und", "y"})
"""What stands for `&`, which is a mark."""

_SITE = re.compile(
    r"(?:[a-z]{3,6}:)?(?://)?(?:\*\.)?(?:www\.)?([^\s/?#@:*]+\.[^\s/?#@:.*]{2,})\.?(?::\d+)?(?:[/?#].*)?", re.IGNORECASE
)
_SITE_COLUMN = re.compile(r"websites?|domains?|homepage|website\w*|\w+(?:website|domain|homepage)|companyurl|web")
_MEMBER_NUMBER = re.compile(r"AC[a-zA-Z]AA[A-Za-z0-9_-]{12,}")
_MARK_OF_NUMBER = "AA"
_MAILBOX = re.compile(r"[^\s@<>()\[\]\",;:/]+@[^\s@<>()\[\]\"',;:/]+")
_NAMED_MAILBOX = re.compile(r"[^<>]*<\s*([^<>]+?)\s*>\W*")
_WITHOUT_DOTS = frozenset({"gmail.com", "googlemail.com"})
_AROUND_MAILBOX = " \"'`<>()[]{},;:."
_ADDRESS = re.compile(r"[^\s@<>()\[\]\"',;:]+@[^\s@<>()\[\]\"',;:]+")


class ContactDetails(NamedTuple):
    """What is known of a person, as far as they can be told by it; `extra` are further columns of their lead file."""

    member_key: str
    profile_url: str = ""
    email: str = ""
    company: str = ""
    extra: Mapping[str, str] = {}


@lru_cache(maxsize=8192)  # asked before every act for a few people, and in an import for every namesake
def company_key(name: str) -> str | None:
    """The entry for everybody of that company; None for a name without a letter or digit.

    The name in an entry gives the same entry again, so that a list can be exported and imported.
    """
    folded, before = _folded_company(name), ""
    while folded != before:  # what is left may end like a legal form: `Foo S and A`
        folded, before = _folded_company(folded), folded
    return _COMPANY + folded if folded else None


def _folded_company(name: str) -> str:
    words = _without_legal_form(_company_words(name))
    joined = [word for at, word in enumerate(words) if word not in _AND or at in {0, len(words) - 1}]
    return " ".join(joined)


def _company_words(name: str) -> list[str]:
    """The words of a name without case, accents and marks."""
    if (
        name.isascii() and name.replace(" ", "").isalnum()
    ):  # most names, among which an import looks for namesakes' companies
        return name.lower().split()
    shown = _FORM_WITHOUT_BLANK.sub("", unicodedata.normalize("NFKC", as_it_looks(name)).strip())
    folded = without_accents(shown or name).casefold()
    return _MARKS.sub(" ", folded.replace(".", "").replace("'", "").replace("\u2019", "")).split()


def without_accents(text: str) -> str:
    """`Société` as `Societe`; a mark on a letter that is not Latin makes another letter, and stays."""
    if text.isascii():
        return text
    base_characters: list[str] = []
    for character in text:
        parts = unicodedata.normalize("NFD", character)
        base_characters.append(parts[0] if parts[0].isascii() else character)
    return "".join(base_characters)


def _without_legal_form(words: list[str]) -> list[str]:
    while len(words) > 1:
        if words[-1] in LEGAL_FORMS:
            words = words[:-1]
        elif words[0] in FORM_IN_FRONT:
            words = words[1:]
        elif len(words[-1]) <= _LAST_LETTERS and (apart := _SPELLED_APART.search(" ".join(words))) and apart.start():
            words = " ".join(words)[: apart.start()].split()
        else:
            break
    return words


def ascii_host(host: str) -> str:
    """A host's name as servers write it; raises `UnicodeError` for what cannot be one."""
    return host.rstrip(".").encode("idna").decode("ascii").lower()


def domain_key(text: str) -> str | None:
    """The entry for everybody with an address there: `acme.com`, `@acme.com`, `*.acme.com`, `https://www.acme.com/about`."""
    shown = unicodedata.normalize("NFKC", as_it_looks(text)).replace("\u3002", ".")
    match = _SITE.fullmatch(shown.removeprefix("@"))
    if match is None:
        return None
    try:
        return _DOMAIN + ascii_host(match[1])
    except UnicodeError:
        return None


def entry_key(kind: ContactKind, text: str, person_key: Callable[[str], str | None]) -> str:
    """The entry that the user means by this text; raises `person_unclear`, `company_unclear` and `domain_unclear`."""
    excerpt = text.strip()[:80]
    if kind == "company":
        key, unclear = company_key(text), OutriderError("company_unclear", given=excerpt)
    elif kind == "domain":
        key, unclear = domain_key(text), OutriderError("domain_unclear", given=excerpt)
    elif _FORGOTTEN.fullmatch(text.strip()):  # an erased person's entry, put back
        return text.strip()
    else:
        key, unclear = person_key(text), OutriderError("person_unclear", given=excerpt)
    if key is None:
        raise unclear
    return key


def forgotten_key(secret: bytes, key: str) -> str:
    """What stands on the list for a person whose data is erased: it fits their key, and does not give it away."""
    return FORGOTTEN_KEY + hmac.new(secret, key.encode(), hashlib.sha256).hexdigest()


def kind_of(key: str) -> ContactKind:
    """What an entry is about: `person`, `company` or `domain`."""
    return "company" if key.startswith(_COMPANY) else "domain" if key.startswith(_DOMAIN) else "person"


def person_keys(of: ContactDetails) -> tuple[str, ...]:
    """The entries that mean this person alone."""
    keys = (of.member_key, of.profile_url, *further_addresses(of.profile_url, of.email, of.extra))
    return tuple(dict.fromkeys(key for key in keys if key))


def listed_as(of: ContactDetails) -> tuple[str, ...]:
    """What is put on the list for this person: who they are, and their addresses, by which another file may know them."""
    return tuple(
        dict.fromkeys(key for key in (of.member_key, *further_addresses(of.profile_url, of.email, of.extra)) if key)
    )


def further_addresses(profile_url: str, email: str, extra: Mapping[str, str]) -> list[str]:
    """By what another file may know them alone: e-mail addresses, and the address of their number on LinkedIn."""
    return [*emails_in(email, extra), *map(number_address, member_numbers(profile_url, *extra.values()))]


def contact_keys(of: ContactDetails) -> tuple[str, ...]:
    """Every entry that forbids to write to this person; a domain stands for all below it."""
    company = company_key(of.company)
    sites = [address.rpartition("@")[2] for address in emails_in(of.email, of.extra)]
    sites += [text for name, text in of.extra.items() if _SITE_COLUMN.fullmatch(_MARKS.sub("", name).lower())]
    domains = [domain for site in sites if site for domain in _with_parents(domain_key(site))]
    return tuple(dict.fromkeys([*person_keys(of), *([company] if company else []), *domains]))


def member_numbers(*texts: str) -> list[str]:
    """The numbers of members in texts, as Sales Navigator and other tools write them: in an address, or by themselves."""
    return [number for text in texts if _MARK_OF_NUMBER in text for number in _MEMBER_NUMBER.findall(text)]


def number_address(number: str) -> str:
    """The profile's address by a member's number, as an imported lead has it who is known by nothing else."""
    return f"https://www.linkedin.com/in/{number}"


def emails_in(email: str, extra: Mapping[str, str]) -> list[str]:
    """Every e-mail address of a lead, in lower case: a file may have several, and columns of its own for them.

    One that is spelled with letters beyond ASCII comes in both spellings, and each as the mailbox that it reaches, too.
    """
    further = (text for name, text in extra.items() if "mail" in name.casefold() and "@" in text)
    written = [email.lower(), *(address.lower() for text in further for address in _ADDRESS.findall(text))]
    spelled = ((address, _in_one_spelling(address)) for address in written)
    return [address for first, plain in spelled for address in dict.fromkeys((first, plain, _mailbox(plain)))]


def mailbox_key(text: str) -> str | None:
    """The entry for whoever has this e-mail address, however it is written down: `Ada <Ada@acme.com>`, `mailto:ada@acme.com`."""
    shown = unicodedata.normalize("NFKC", as_it_looks(text))
    if named := _NAMED_MAILBOX.fullmatch(shown):
        shown = named[1]
    shown = shown.strip(_AROUND_MAILBOX).lower()
    if shown.startswith("mailto:"):
        shown = shown.removeprefix("mailto:").partition("?")[0].strip(_AROUND_MAILBOX)
    return _mailbox(_in_one_spelling(shown)) if _MAILBOX.fullmatch(shown) else None


def _mailbox(address: str) -> str:
    """What an e-mail address reaches: without quotes, what follows a `+`, nor the dots that Gmail does not look at."""
    local, at, host = address.rpartition("@")
    local = local.strip('"')
    local = local[:1] + local[1:].partition("+")[0]
    return f"{local.replace('.', '')}@gmail.com" if host in _WITHOUT_DOTS else local + at + host


def _in_one_spelling(address: str) -> str:
    """An e-mail address in lower case whose host is written in ASCII, as servers write it."""
    if address.isascii() and not address.endswith("."):
        return address
    local, at, host = unicodedata.normalize("NFKC", as_it_looks(address)).lower().rpartition("@")
    try:
        return local + at + ascii_host(host)
    except UnicodeError:
        return address


def _with_parents(key: str | None) -> list[str]:
    labels = key.removeprefix(_DOMAIN).split(".") if key else []
    return [_DOMAIN + ".".join(labels[at:]) for at in range(len(labels) - 1)]

"""By what a person can be on the do-not-contact list: themselves, the company they work for, and the domains they have.

An entry of the list is one text: a person's identity as it is, `company:` with the company's name, `domain:` with a domain.
Names are compared without case, marks and legal form, so that an entry errs on the side of not writing.
"""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

ContactKind = Literal["person", "company", "domain"]

_COMPANY, _DOMAIN = "company:", "domain:"
_MARKS = re.compile(r"[\W_]+")
_LEGAL_FORMS = frozenset({
    "ab", "ag", "aps", "as", "asa", "bv", "co", "company", "corp", "corporation", "gmbh", "inc", "incorporated", "kg",
    "kgaa", "limited", "llc", "llp", "lp", "ltd", "mbh", "nv", "ohg", "oy", "oyj", "plc", "pte", "pty", "sa", "sarl",
    "sas", "se", "sl", "spa", "srl", "ug",
})  # fmt: skip
_SITE = re.compile(r"(?:https?://)?(?:www\.)?([^\s/?#@:]+\.[^\s/?#@:.]{2,})\.?(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)
_SITE_COLUMNS = frozenset({"website", "domain", "companywebsite", "companydomain", "companyurl"})


class ContactDetails(NamedTuple):
    """What is known of a person, as far as they can be told by it; `extra` are further columns of their lead file."""

    member_key: str
    profile_url: str = ""
    email: str = ""
    company: str = ""
    extra: Mapping[str, str] = {}


@lru_cache(maxsize=1024)  # asked before every act, for a few people at a time
def company_key(name: str) -> str | None:
    """The entry for everybody of that company; None for a name without a letter or digit."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    words = _MARKS.sub(" ", folded.replace(".", "").replace("'", "").replace("\u2019", "")).split()
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words.pop()
    return _COMPANY + " ".join(words) if words else None


def domain_key(text: str) -> str | None:
    """The entry for everybody with an address there: `acme.com`, `@acme.com`, `https://www.acme.com/about`."""
    found = _SITE.fullmatch(text.strip().removeprefix("@"))
    if found is None:
        return None
    try:
        return _DOMAIN + found[1].encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def forgotten_key(secret: bytes, key: str) -> str:
    """What stands on the list for a person whose data is erased: it fits their key, and does not give it away."""
    return "forgotten:" + hmac.new(secret, key.encode(), hashlib.sha256).hexdigest()


def kind_of(key: str) -> ContactKind:
    """What an entry is about: `person`, `company` or `domain`."""
    return "company" if key.startswith(_COMPANY) else "domain" if key.startswith(_DOMAIN) else "person"


def person_keys(of: ContactDetails) -> tuple[str, ...]:
    """The entries that mean this person alone."""
    keys = (of.member_key, of.profile_url, of.email.lower())
    return tuple(dict.fromkeys(key for key in keys if key))


def contact_keys(of: ContactDetails) -> tuple[str, ...]:
    """Every entry that forbids to write to this person; a domain stands for all below it."""
    company = company_key(of.company)
    sites = [of.email.rpartition("@")[2], *(text for name, text in of.extra.items() if _names_a_site(name))]
    domains = [domain for site in sites if site for domain in _with_parents(domain_key(site))]
    return tuple(dict.fromkeys([*person_keys(of), *([company] if company else []), *domains]))


def _names_a_site(column: str) -> bool:
    return _MARKS.sub("", column).lower() in _SITE_COLUMNS


def _with_parents(key: str | None) -> list[str]:
    labels = key.removeprefix(_DOMAIN).split(".") if key else []
    return [_DOMAIN + ".".join(labels[at:]) for at in range(len(labels) - 1)]

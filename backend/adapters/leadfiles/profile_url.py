"""One spelling for each profile's address, so that two spellings of one person merge and two people stay apart. Pure rules."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

from backend.adapters.leadfiles.address_query import (
    Parameters,
    decoded,
    identifying,
    parameters,
    query_of,
    respelled,
    target_of,
)
from backend.adapters.leadfiles.written_address import address_in, without_closing_punctuation
from backend.domain.people.contact_keys import ascii_host
from backend.domain.values.hidden_characters import as_it_looks

_PLAIN = re.compile(r"https://www\.linkedin\.com/in/([a-z0-9-]+)/?")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?://)?[^\s/?#@:\\]+\.[^\s/?#@:\\.]{2,}(?::[0-9]+)?(?:[/?#]|$)")
_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\\]")
_LINKEDIN = re.compile(r"(?:[a-z0-9-]+\.)*linkedin\.c(?:om|n)")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")

_PROFILE_WITHIN = re.compile(r"(?<![\w-])linkedin\.com/(?:in|pub)/[^\s,;|()<>\"'\\]+", re.IGNORECASE)

_SAFE = "-._~!$&'()*+,;=:@"
_SAFE_IN_FRAGMENT = "-_~$@/!=&"
_DEFAULT_PORTS = {None, 80, 443}
_MOST_REDIRECTS = 5

# Where LinkedIn's profiles are. All else there (a company, a post, what is left of an address that was cut off) names nobody.
_PROFILE_SECTIONS = {"in", "pub", "sales", "talent", "recruiter"}
# Before these, in its e-mails and on its pages for phones: `/comm/in/ann`, `/mwlite/profile/in/ann`.
_BEFORE_SECTIONS = {"comm", "m", "mwlite", "mobile", "touch", "profile", "incareer"}
# What no profile's name there holds: with it begins what was meant to stand behind the name (`ann&sa=U`, `ann%3Ftrk%3Dx`).
_BEHIND_SLUG = re.compile(r"[?&/;=#|*%\\].*", re.DOTALL)
# What word processors and other keyboards make of the hyphen in a name.
_HYPHENS = dict.fromkeys((0x2010, 0x2012, 0x2013, 0x2014, 0x2212), "-")
# A member's number, as tools and Sales Navigator write it. Its letters' case tells members apart.
_MEMBER = re.compile(r"AC[a-zA-Z]AA[A-Za-z0-9_-]{12,}")
_SALES_SECTIONS = {"lead", "people"}
# `/pub/ann-lee/1a/2b3/4c5`, LinkedIn's addresses until 2015. It answers them with `/in/ann-lee-4c52b31a`.
_PUBLIC_NUMBER = re.compile(r"[0-9a-f]{1,3}", re.IGNORECASE)
_PUBLIC_DIRECTORY = "dir"

_NO_VALUE = frozenset(
    {"undefined", "null", "none", "nan", "n-a", "not-available", "unavailable", "unknown", "object-object"}
)
"""What programs write where they know nothing, in the address of whatever site."""

_PLACEHOLDERS = """
    na no nil not-found nobody anonymous deleted deleted-user headless linkedin-member
    me in pub edit profile public-profile settings login signup authwall feed
    example example-profile placeholder username user-name your-name yourname your-profile yourprofile your-username
    your-linkedin your-linkedin-profile your-profile-url firstname-lastname first-name-last-name firstnamelastname name-surname
    profile-url linkedin-url linkedin-profile linkedin-profile-url xxx xxxx xxxxx xxxxxx
"""
_NOBODY = _NO_VALUE | frozenset(_PLACEHOLDERS.split())
"""What stands in the place of a profile's name on LinkedIn and names nobody, in lower case and with hyphens."""


class _QueryPage(NamedTuple):
    """A page of a site's on which only one parameter of the query says who is meant."""

    host: re.Pattern[str]
    path: Sequence[str]
    parameter: str
    usual_host: str


_QUERY_PAGES = (
    _QueryPage(re.compile(r"scholar\.google\.[a-z.]+"), ("citations",), "user", "scholar.google.com"),
    _QueryPage(re.compile(r"(?:[a-z-]+\.)?facebook\.com"), ("profile.php",), "id", "www.facebook.com"),
    _QueryPage(re.compile(r"(?:[a-z]+\.)?linkedin\.com"), ("profile", "view"), "id", "www.linkedin.com"),
)


OWN_PROFILE = "https://www.linkedin.com/in/me"
"""What LinkedIn calls whoever is signed in: in a list of people nobody, in somebody's own export its owner."""


def normalise_profile_url(text: str) -> str | None:
    """`https://host/path?query` in its one spelling, or None when the text is no address of a person and no member's number.

    Whatever is written around it is left out, redirects are followed as far as their addresses say where they lead.
    Applying it twice changes nothing. Never returns another scheme than https.
    """
    if match := _PLAIN.fullmatch(text):
        return None if match[1] in _NOBODY else f"https://www.linkedin.com/in/{match[1]}"
    for _ in range(_MOST_REDIRECTS):
        text = address_in(text)
        if _MEMBER.fullmatch(text):
            return f"https://www.linkedin.com/in/{text}"
        address = _split(text)
        if address is None:
            return None
        host = _host_of(address)
        if host is None:
            return None
        target = target_of(address, host)
        if target is None:
            return _spelled(address, host)
        text = target
    return None


def profile_within(text: str) -> str | None:
    """The profile on LinkedIn whose address stands among other words; None if there is none, or several."""
    addresses = {normalise_profile_url(address) for address in _PROFILE_WITHIN.findall(text)}
    return addresses.pop() if len(addresses) == 1 else None


def is_linkedin_address(text: str) -> bool:
    """Whether the text is the address of somebody's profile on LinkedIn."""
    return (normalise_profile_url(text) or "").startswith("https://www.linkedin.com/")


def _split(text: str) -> SplitResult | None:
    """The parts of a web address, whose scheme may be missing; None for any other text."""
    if _FORBIDDEN.search(text):
        return None
    if not _SCHEME.match(text):
        if not _BARE_HOST.match(text):
            return None
        text = "https://" + text.removeprefix("//")
    try:
        return urlsplit(text)
    except ValueError:  # a bracket where none belongs
        return None


def _host_of(address: SplitResult) -> str | None:
    """The host in lower case and ASCII; None if there is none, or it may be another than it seems."""
    try:
        host = ascii_host(address.hostname or "")
    except ValueError:  # a host name that cannot be encoded
        return None
    # A user name before the host only ever serves to make one host look like another.
    return host if "@" not in address.netloc and _HOST.fullmatch(host) else None


def _spelled(address: SplitResult, host: str) -> str | None:
    """The address of a person in its one spelling; None if it names nobody."""
    try:
        port = address.port
        segments = [_segment(part) for part in address.path.split("/") if part]
    except ValueError:  # a bad port, or a character that cannot be encoded
        return None
    if {".", ".."} & set(segments):
        return None
    query_parameters = identifying(parameters(address.query))
    for page in _QUERY_PAGES:
        if page.host.fullmatch(host) and tuple(segments) == page.path:
            return _query_page(page, query_parameters)
    if _LINKEDIN.fullmatch(host):
        return _linkedin(segments)
    segments = _without_closing_punctuation(segments)
    query_parameters = [(name, value) for name, value in query_parameters if not _stands_for_nothing(value)]
    further = query_of(query_parameters) + _route(address.fragment)
    if not further and (not segments or _stands_for_nothing(segments[-1])):  # a host names nobody
        return None
    authority = host if port in _DEFAULT_PORTS else f"{host}:{port}"
    return "/".join((f"https://{authority}", *segments)) + ("" if segments or not further else "/") + further


def _query_page(page: _QueryPage, query_parameters: Parameters) -> str | None:
    value = next((value for name, value in query_parameters if name.lower() == page.parameter), "")
    if not value or _stands_for_nothing(value):
        return None
    if page.usual_host == "www.linkedin.com" and _MEMBER.fullmatch(value):
        return f"https://www.linkedin.com/in/{value}"
    return "/".join((f"https://{page.usual_host}", *page.path)) + query_of([(page.parameter, value)])


def _route(fragment: str) -> str:
    """Which page an application in the browser shows, `#/people/7`; other fragments are places on a page."""
    if not fragment.startswith(("/", "!")):
        return ""
    route = respelled(fragment, _SAFE_IN_FRAGMENT).rstrip("./!")
    return f"#{route}" if route else ""


def _linkedin(segments: list[str]) -> str | None:
    while len(segments) > 1 and segments[0].lower() in _BEFORE_SECTIONS:
        segments = segments[1:]
    section = segments[0].lower() if segments else ""
    if len(segments) < 2 or section not in _PROFILE_SECTIONS:  # noqa: PLR2004  a section and a slug
        return None
    if section in ("in", "pub"):
        slug = _folded(segments[1]) if section == "in" else _public_slug(segments[1:])
        return f"https://www.linkedin.com/in/{slug}" if slug and _placeholder_key(slug) not in _NOBODY else None
    if section == "sales" and len(segments) > 2 and segments[1].lower() in _SALES_SECTIONS:  # noqa: PLR2004
        member = segments[2].partition(",")[0]
        if _MEMBER.fullmatch(member):
            return f"https://www.linkedin.com/in/{member}"
    segments = _without_closing_punctuation(segments)
    return "/".join(("https://www.linkedin.com", *segments)) if len(segments) > 1 else None


def _public_slug(segments: Sequence[str]) -> str:
    """The name under which a profile of the old form is found today; its two last numbers had their leading zeros left out."""
    name, numbers = _folded(segments[0]), segments[1:4]
    if not numbers:
        return name
    # Without all of its numbers it may be anybody of that name; a directory is a search by name.
    is_whole = len(numbers) == 3 and all(map(_PUBLIC_NUMBER.fullmatch, numbers))  # noqa: PLR2004
    if name == _PUBLIC_DIRECTORY or not is_whole:
        return ""
    low, middle, high = (number.lower() for number in numbers)
    return f"{name}-{high:0>3}{middle:0>3}{low}"


def _segment(part: str) -> str:
    """The path segment with exactly those characters escaped that need it."""
    return quote(unquote_to_bytes(part), safe=_SAFE)


def _without_closing_punctuation(segments: Sequence[str]) -> list[str]:
    """What was escaped may turn out to be punctuation, too."""
    trimmed = list(segments)
    while trimmed and (last := without_closing_punctuation(trimmed[-1])) != trimmed[-1]:
        trimmed[-1:] = [last] if last else []
    return trimmed


def _folded(segment: str) -> str:
    data = unquote_to_bytes(segment)
    while (further := unquote_to_bytes(data)) != data:  # escaped more than once
        data = further
    try:
        text = _BEHIND_SLUG.sub("", unicodedata.normalize("NFKC", data.decode()).translate(_HYPHENS))
    except UnicodeDecodeError:
        return quote(data.lower(), safe=_SAFE)
    # What nobody sees comes along when an address is copied, and is no part of it.
    whole = without_closing_punctuation(text)
    visible = without_closing_punctuation(as_it_looks(whole)) or whole
    # lower(), not casefold(): the latter makes one of `strasse` and `straße`, who may be two people.
    slug = visible if _MEMBER.fullmatch(visible) else unicodedata.normalize("NFKC", visible.lower())
    return quote(slug, safe=_SAFE)


def _stands_for_nothing(value: str) -> bool:
    return _placeholder_key(value) in _NO_VALUE


def _placeholder_key(value: str) -> str:
    return re.sub(r"[\W_]+", "-", decoded(value).lower()).strip("-")

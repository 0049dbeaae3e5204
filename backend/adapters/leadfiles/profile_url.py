"""One spelling for each profile URL, so that two spellings of one person merge. A pure rule."""

import re
import unicodedata
from urllib.parse import quote, unquote_to_bytes, urlsplit

from backend.domain.hidden_characters import as_it_looks

_CANONICAL = re.compile(r"https://www\.linkedin\.com/in/[a-z0-9-]+")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?://)?[^\s/?#@:\\]+\.[^\s/?#@:\\.]{2,}(?::[0-9]+)?(?:[/?#]|$)")
_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\\]")
_LINKEDIN = re.compile(r"(?:(?:www|m|mobile|touch|[a-z]{2})\.)?linkedin\.com")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")

_SAFE = "-._~!$&'()*+,;=:@"
_DEFAULT_PORTS = {None, 80, 443}
# Where LinkedIn's profiles are. All else there (a company, a post, what is left of an address that was cut off) names nobody.
_PROFILE_SECTIONS = {"in", "pub", "sales", "talent", "recruiter"}
# A member's number, as tools and Sales Navigator write it. Its letters' case tells members apart.
_MEMBER = re.compile(r"AC[a-zA-Z]AA[A-Za-z0-9_-]{12,}")
_SALES_SECTIONS = {"lead", "people"}


def normalise_profile_url(text: str) -> str | None:
    """`https://host/path` in its one spelling, or None when the text is no web address of a page and no member's number.

    Applying it twice changes nothing. Never returns another scheme than https.
    """
    if _CANONICAL.fullmatch(text):
        return text
    text = text.strip()
    if _MEMBER.fullmatch(text):
        return _linkedin(["in", text])
    if _FORBIDDEN.search(text):
        return None
    if not _SCHEME.match(text):
        if not _BARE_HOST.match(text):
            return None
        text = "https://" + text.removeprefix("//")
    try:
        parts = urlsplit(text)
        port = parts.port
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii").lower()
        segments = [_segment(part) for part in parts.path.split("/") if part]
    except ValueError:  # a bad port, bracket or host name, or a character that cannot be encoded
        return None
    # A user name before the host only ever serves to make one host look like another.
    if "@" in parts.netloc or not _HOST.fullmatch(host) or {".", ".."} & set(segments):
        return None
    if _LINKEDIN.fullmatch(host):
        return _linkedin(segments)
    if not segments:  # a host names nobody
        return None
    authority = host if port in _DEFAULT_PORTS else f"{host}:{port}"
    return "/".join((f"https://{authority}", *segments))


def _linkedin(segments: list[str]) -> str | None:
    section = segments[0].lower() if segments else ""
    if len(segments) < 2 or section not in _PROFILE_SECTIONS:  # noqa: PLR2004  a section and a slug
        return None
    if section == "in":
        segments = [section, _folded(segments[1])]
    elif section == "sales" and len(segments) > 2 and segments[1].lower() in _SALES_SECTIONS:  # noqa: PLR2004
        member = segments[2].partition(",")[0]
        if _MEMBER.fullmatch(member):
            segments = ["in", member]
    return "/".join(("https://www.linkedin.com", *segments))


def _segment(part: str) -> str:
    """The path segment with exactly those characters escaped that need it."""
    return quote(unquote_to_bytes(part), safe=_SAFE)


def _folded(segment: str) -> str:
    if _MEMBER.fullmatch(segment):
        return segment
    data = unquote_to_bytes(segment)
    try:
        # lower(), not casefold(): the latter makes one of `strasse` and `straße`, who may be two people.
        # What nobody sees comes along when an address is copied, and is no part of it.
        seen = as_it_looks(data.decode()) or data.decode()
        slug = unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen).lower()).encode()
    except UnicodeDecodeError:
        slug = data.lower()
    return quote(slug, safe=_SAFE)

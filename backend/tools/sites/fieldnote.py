"""What the practice network's pages say and what its addresses look like; shared by both ways of using it."""

import re
import unicodedata
from urllib.parse import unquote, urlsplit

from backend.domain.site import IncidentKind, Relation

# The practice network takes anybody; no other site is ever signed in to by Outrider (design: compliance 4).
EMAIL, PASSWORD = "rehearsal@outrider.example", "rehearsal"

SIGN_IN = "Sign in"
INCIDENT_HEADINGS = {
    SIGN_IN: IncidentKind.LOGGED_OUT,
    "We noticed unusual activity": IncidentKind.UNUSUAL_ACTIVITY,
    "You've reached the weekly invitation limit": IncidentKind.INVITATION_LIMIT,
}
RELATIONSHIPS = {
    "Not connected": Relation.NONE,
    "Invitation pending": Relation.PENDING,
    "Connected": Relation.CONNECTED,
}
INVITATION_FAILED = "Your invitation could not be sent."
MESSAGE_SENT, MESSAGE_FAILED = "Message sent.", "Your message could not be sent."
NOT_YET = "once you are connected"


def slug_of(profile_url: str) -> str:
    """Whom a profile URL means on the practice network: what follows /in/; `ValueError` for any other shape."""
    found = re.fullmatch(r"/in/([^/]+)/?", urlsplit(profile_url.strip()).path)
    slug = unquote(found[1]) if found else ""
    if slug in ("", ".", "..") or not re.fullmatch(r"[^\s/\\?#%\x00-\x1f]{1,120}", slug):
        raise ValueError(f"not a profile address: {profile_url!r}")
    return slug


def same_name(shown: str, expected: str) -> bool:
    """Whether two names are the same but for Unicode composition and the kind and number of blanks."""
    return bool(expected.strip()) and plain(shown) == plain(expected)


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())

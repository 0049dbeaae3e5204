"""What the practice network's pages say and what its addresses look like; shared by both ways of using it."""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from backend.domain.model.message import folded
from backend.domain.model.site import IncidentKind, Relation

# Outrider signs in to no other site than its own practice network (design: compliance 4).
EMAIL = "rehearsal@outrider.example"

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
NOTHING_WITHDRAWN = "There was no pending invitation to withdraw."
MESSAGE_SENT, MESSAGE_FAILED = "Message sent.", "Your message could not be sent."
NOT_YET = "once you are connected"

PRACTICE_SETTLE_SECONDS = 60.0
"""Longer than the practice network ever holds a request back (`backend.practice.faults.LATEST_MS`)."""


DRAFT_THERE = "words of yours that are not sent stand in the conversation's field; nothing was sent"
_POSTS = {
    "message": ("/messaging/{}", "text"),
    "invitation": ("/in/{}/invite", "note"),
    "withdrawal": ("/in/{}/withdraw", ""),
}
"""Where the form of each act posts to, and the field that has its text."""


def posts(kind: str, slug: str, path: str, body: bytes, text: str) -> bool:
    """Whether a form's request does this and nothing else: for this person, with exactly this text."""
    place, field = _POSTS[kind]
    fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    texts = [(name, value.replace("\r\n", "\n")) for name, value in fields]
    return path == place.format(slug) and texts == ([(field, text)] if field else [])


def is_draft(shown: str, text: str) -> bool:
    """Whether what stands in a field before it is typed into is somebody's own beginning of a message."""
    return folded(shown) not in ("", folded(text))


def slug_of(profile_url: str) -> str:
    """Whom a profile URL means on the practice network: what follows /in/; `ValueError` for any other shape."""
    match = re.fullmatch(r"/in/([^/]+)/?", urlsplit(profile_url.strip()).path)
    slug = unquote(match[1]) if match else ""
    if slug in ("", ".", "..") or not re.fullmatch(r"[^\s/\\?#%\x00-\x1f]{1,120}", slug):
        raise ValueError(f"not a profile address: {profile_url!r}")
    return slug

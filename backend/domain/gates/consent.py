"""The written consent without which Outrider reads and clicks nothing on a real site: its text, and what has to be typed."""

from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape

CONSENT_TEXT = """\
LinkedIn's User Agreement, section 8.2 (effective 3 November 2025), forbids bots and other unauthorised automated methods to \
access its services, to add or download contacts, or to send messages. It also forbids scraping software, bypassing use \
limits and overlaying its pages. It names no exemption for being present, for approving each message, or for low volume.

LinkedIn's help says that accounts that use such software may be restricted or shut down. You may lose the account, its \
contacts and its messages, for a time or for good.

With Drive, Outrider reads LinkedIn's pages and clicks in a visible browser window, in your name and while you are here. You \
log in by hand; Outrider never sees your password. It keeps to your limits, stops at the first sign of trouble, and hides \
nothing from LinkedIn. None of this makes it allowed, and none of it makes it safe.

Without Drive, LinkedIn Assist does the same work and you send by your own hand. You can withdraw this consent at any time; \
Outrider then stops before its next look or click."""
"""What is shown before consent; a consent holds only for exactly these words, so a new text asks anew."""

CONSENT_SENTENCE = "I have read section 8.2 and accept that LinkedIn may restrict or close my account."
"""What the user types."""


class Consent(Shape):
    """A consent that holds: for which account, what was typed, and when (ms UTC)."""

    id: str
    account: str
    typed: str
    created_at: int


def check_typed(typed: str) -> str:
    """The sentence as it was typed, whatever its case and blanks. Raises `consent_not_typed`."""
    plain = " ".join(typed.split())
    if plain.casefold() != CONSENT_SENTENCE.casefold():
        raise OutriderError("consent_not_typed", sentence=CONSENT_SENTENCE)
    return plain


NO_CONSENT = "Outrider may not read or click on LinkedIn: there is no written consent, or it was withdrawn."
"""What people are told where consent is missing."""

"""Pictures of what a page showed, kept as evidence."""

import contextlib

from playwright.sync_api import Locator, Page

from backend.adapters.browser.session import BrowserFailure
from backend.adapters.files.evidence import EvidenceStore
from backend.domain.model.site import Evidence, IncidentKind
from backend.ports.site import NobodyThere, SiteIncident

PICTURE_MS = 3_000
"""A page whose fonts do not come is not waited for; what is done on it goes on without a picture."""


def not_kept(error: OSError, words: str) -> Evidence:
    """What stands in the place of a picture that the disk did not take."""
    problem = f"No picture could be kept: {error.strerror or type(error).__name__}."
    return Evidence("not_kept", sha256="", file="", quote=f"{problem} {words}".rstrip())


def screenshot(
    store: EvidenceStore, page: Page, kind: str, words: str, part: Locator | None = None
) -> tuple[Evidence, ...]:
    """A picture of the window, with this part in it."""
    # What was seen stands without its picture: a browser that dies now or a full disk must not change an answer.
    with contextlib.suppress(BrowserFailure):
        if part:
            part.scroll_into_view_if_needed()
        try:
            return (store.keep(kind, page.screenshot(timeout=PICTURE_MS), words),)
        except OSError as error:  # told where the picture would be
            return (not_kept(error, words),)
    return ()


def incident_seen(store: EvidenceStore, page: Page, kind: IncidentKind, sentence: str) -> SiteIncident:
    """The incident that this page shows, with its picture."""
    evidence = screenshot(store, page, "incident", sentence)
    return SiteIncident(kind, sentence, evidence[0].file if evidence else "")


def nobody_seen(store: EvidenceStore, page: Page, sentence: str) -> NobodyThere:
    """That this page is nobody's, with its picture."""
    seen = incident_seen(store, page, IncidentKind.UNKNOWN_PAGE, sentence)
    return NobodyThere(seen.said, seen.evidence_file)

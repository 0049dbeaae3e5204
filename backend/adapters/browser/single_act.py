"""One act in a browser: before its click a failure says that nothing was done, from then on it says nothing at all."""

from collections.abc import Callable

from playwright.sync_api import Page

from backend.adapters.browser.session import BrowserSession
from backend.domain.site import Attempt, SiteAnswer
from backend.ports.site import SiteUnavailable


class SingleAct:
    """Carries out the acts of one session, each once."""

    def __init__(self, session: BrowserSession) -> None:
        self._session = session
        self._clicked = False

    def run(self, act: Callable[[Page], Attempt]) -> Attempt:
        """Carry it out; it calls `clicks` right before its click.

        Raises `SiteUnavailable` for a failure before the click, and what the act itself raises: one that its check called
        off says so at any time, because the check comes before the bytes.
        """
        self._clicked = False
        try:
            return self._session.run_act(act)
        except SiteUnavailable as failure:
            if not self._clicked:
                raise
            return Attempt(SiteAnswer.NO_ANSWER, str(failure))

    def clicks(self) -> None:
        """From here on something may happen at the site."""
        self._clicked = True

"""Sites of which nothing is read, clicked or opened from here, so that nothing could reach one."""

from typing import NoReturn

from backend.domain.model.channel import find_channel
from backend.domain.model.site import SelectorReport, SitePerson
from backend.ports.site import ActCheck, SiteUnavailable


class NoSite:
    """What turns for the user's requests are given: every look and every act fails, and nothing was clicked."""

    name = "none"
    address = ""
    settle_seconds = 0.0
    why = "a request of the user reaches no site"

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        """Raises `SiteUnavailable`, as all that follow."""
        raise SiteUnavailable(self.why)

    def open_profile(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)

    def read_profile(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)

    def read_thread(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> NoReturn:
        """Never."""
        raise SiteUnavailable(self.why)


class UserHands(NoSite):
    """A site that only the user looks at and acts on, in a browser of their own: there is no page that could have changed."""

    why = "only the user looks and acts here"

    def __init__(self, name: str) -> None:
        """`name` is the channel's."""
        self.name = name
        self.address = find_channel(name).address

    def check_selectors(self) -> SelectorReport:
        """No page is looked at, so none has changed."""
        return SelectorReport()

"""A site that only the user looks at and acts on: nothing of it is read, clicked or opened from here."""

from typing import NoReturn

from backend.domain.model.channel import find_channel
from backend.domain.model.site import SelectorReport, SitePerson
from backend.ports.site import ActCheck, SiteUnavailable


class UserHands:
    """Every look and every act fails before anything was done; there is no page that could have changed."""

    settle_seconds = 0.0

    def __init__(self, name: str) -> None:
        """`name` is the channel's."""
        self.name = name
        self.address = find_channel(name).address

    def open(self) -> None:
        """Nothing to open: the browser is the user's own."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        """No page is looked at, so none has changed."""
        return SelectorReport()

    def open_profile(self, person: SitePerson) -> NoReturn:
        """Raises `SiteUnavailable`, as all that follow."""
        raise _not_ours()

    def read_profile(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise _not_ours()

    def read_thread(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise _not_ours()

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise _not_ours()

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise _not_ours()

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> NoReturn:
        """Never."""
        raise _not_ours()


def _not_ours() -> SiteUnavailable:
    return SiteUnavailable("only the user looks and acts here")

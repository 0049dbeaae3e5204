"""No site at all: what turns for the user's requests are given, so that nothing they do could reach one."""

from typing import NoReturn

from backend.domain.model.site import SitePerson
from backend.ports.site import ActCheck, SiteUnavailable


class NoSite:
    """Every look and every act fails, and nothing was clicked."""

    name = "none"
    address = ""
    settle_seconds = 0.0

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> NoReturn:
        """Raises `SiteUnavailable`, as all that follow."""
        raise _unavailable()

    def open_profile(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise _unavailable()

    def read_profile(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise _unavailable()

    def read_thread(self, person: SitePerson) -> NoReturn:
        """Never."""
        raise _unavailable()

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise _unavailable()

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> NoReturn:
        """Never."""
        raise _unavailable()

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> NoReturn:
        """Never."""
        raise _unavailable()


def _unavailable() -> SiteUnavailable:
    return SiteUnavailable("a request of the user reaches no site")

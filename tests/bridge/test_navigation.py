"""Which addresses the window goes to, which open outside, and which open nowhere: a row an address, many of them hostile."""

import pytest

from bridge.navigation import NavigationGuard, Opening, is_same_origin, where_to_open

HOME = "http://127.0.0.1:5000"
HERE, OUTSIDE, NOWHERE = Opening.HERE, Opening.OUTSIDE, Opening.NOWHERE

ADDRESSES: list[tuple[str, Opening]] = [
    # Ours.
    (HOME, HERE),
    (f"{HOME}/", HERE),
    (f"{HOME}/?window=key#/today", HERE),
    ("HTTP://127.0.0.1:5000/", HERE),
    # Only begins like ours, or reads like it.
    (f"{HOME}0/", OUTSIDE),
    (f"{HOME}.example.org/", NOWHERE),  # the port is none
    ("http://127.0.0.1/", OUTSIDE),
    ("https://127.0.0.1:5000/", OUTSIDE),
    ("http://localhost:5000/", OUTSIDE),
    ("http://127.0.0.1.example.org:5000/", OUTSIDE),
    ("http://example.org/?http://127.0.0.1:5000/", OUTSIDE),
    ("http://example.org#http://127.0.0.1:5000/", OUTSIDE),
    (f"{HOME}@example.org/", NOWHERE),
    ("http://user@127.0.0.1:5000/", NOWHERE),
    ("http://:@127.0.0.1:5000/", NOWHERE),
    (f"{HOME}\\@example.org/", NOWHERE),
    ("http:\\\\127.0.0.1:5000/", NOWHERE),
    (f" {HOME}/", NOWHERE),
    (f"{HOME}/\n", NOWHERE),
    ("http://127.0.0.1:5\t000/", NOWHERE),
    ("http://127.0.0.1:5000\u2028/", NOWHERE),
    ("//127.0.0.1:5000/", NOWHERE),
    ("/today", NOWHERE),
    ("", NOWHERE),
    # Names of ours in another scheme.
    (f"blob:{HOME}/0b5c", NOWHERE),
    (f"view-source:{HOME}/", NOWHERE),
    (f"filesystem:{HOME}/temporary/x", NOWHERE),
    ("ws://127.0.0.1:5000/", NOWHERE),
    # The web.
    ("https://www.linkedin.com/in/ann/", OUTSIDE),
    ("http://example.org:8080/a?b=c#d", OUTSIDE),
    ("https://example.org/%22%3E", OUTSIDE),
    ("https://user:password@example.org/", NOWHERE),
    ("https://", NOWHERE),
    ("https:example.org", NOWHERE),
    ("https://example.org:99999/", NOWHERE),
    ("https://[::1/", NOWHERE),
    ("https://example.org/a b", NOWHERE),
    ('https://example.org/"&calc', NOWHERE),
    ("https://example.org/" + "a" * 3_980, OUTSIDE),
    ("https://example.org/" + "a" * 3_981, NOWHERE),
    # Mail.
    ("mailto:ann@example.org", OUTSIDE),
    ("MAILTO:ann@example.org?subject=Hello%20Ann&body=1", OUTSIDE),
    ("mailto:ann@example.org?attach=/etc/passwd", NOWHERE),
    ("mailto:ann@example.org?bcc=bob@example.org", NOWHERE),
    ("mailto:ann@example.org?subject=a&attachment=C:/keys", NOWHERE),
    ("mailto:ann@example.org,bob@example.org", NOWHERE),
    ("mailto:%22%20-calc@example.org", NOWHERE),
    ("mailto:ann@example.org\n", NOWHERE),
    ("mailto:ann@example.org --run", NOWHERE),
    ("mailto:", NOWHERE),
    # Programs, files and what runs in a page.
    ("javascript:alert(1)", NOWHERE),
    ("JaVaScRiPt:alert(1)", NOWHERE),
    ("java\nscript:alert(1)", NOWHERE),
    ("data:text/html,<script>alert(1)</script>", NOWHERE),
    ("vbscript:msgbox", NOWHERE),
    ("about:blank", NOWHERE),
    ("about:srcdoc", NOWHERE),
    ("chrome://settings", NOWHERE),
    ("edge://settings", NOWHERE),
    ("file:///etc/passwd", NOWHERE),
    ("file://server/share/x.exe", NOWHERE),
    ("\\\\server\\share\\x.exe", NOWHERE),
    ("C:\\Windows\\System32\\calc.exe", NOWHERE),
    ("ms-msdt:/id PCWDiagnostic", NOWHERE),
    ("search-ms:query=x&crumb=location:\\\\server", NOWHERE),
    ("ms-officecmd:%7B%7D", NOWHERE),
    ("shell:startup", NOWHERE),
    ("ldap://example.org", NOWHERE),
    ("ftp://example.org/", NOWHERE),
    ("smb://server/share", NOWHERE),
    ("x-apple.systempreferences:", NOWHERE),
    ("tel:+123", NOWHERE),
    ("linkedin://in/ann", NOWHERE),
    ("intent://example.org#Intent;end", NOWHERE),
]


@pytest.mark.parametrize(("address", "opening"), ADDRESSES)
def test_where_an_address_opens(address: str, opening: Opening) -> None:
    assert where_to_open(HOME, address) is opening


@pytest.mark.parametrize(("address", "opening"), ADDRESSES)
@pytest.mark.parametrize("clicked", [False, True])
def test_only_ours_is_gone_to_and_only_a_click_opens_outside(address: str, opening: Opening, clicked: bool) -> None:
    opened: list[str] = []
    guard = NavigationGuard(HOME, opened.append)
    assert guard.allows(address, clicked=clicked) is (opening is HERE)
    assert opened == ([address] if clicked and opening is OUTSIDE else [])
    opened.clear()
    guard.open_new_window(address, clicked=clicked)
    assert opened == ([address] if clicked and opening is OUTSIDE else [])


def test_a_port_that_its_scheme_means_anyway_may_be_left_out() -> None:
    assert is_same_origin("http://127.0.0.1:80", "http://127.0.0.1/")
    assert not is_same_origin("http://127.0.0.1:80", "https://127.0.0.1/")
    assert not is_same_origin("about:blank", "about:blank")

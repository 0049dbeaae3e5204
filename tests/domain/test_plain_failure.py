"""A fault is told as people say it, whatever the library called it."""

import pytest

from backend.domain.contact.plain_failure import NO_SOCKET, UNKNOWN, plain_failure, unavailable


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Page.goto: Target page, context or browser has been closed", "the browser was closed"),
        ("BrowserType.launch_persistent_context: Target closed", "the browser was closed"),
        ("Page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:4711/", "nothing answers at its address"),
        ("<urlopen error [Errno 111] Connection refused>", "nothing answers at its address"),
        ("net::ERR_INTERNET_DISCONNECTED", "this machine is offline"),
        ("[Errno -3] Temporary failure in name resolution", "its name cannot be looked up; this machine may be offline"),
        ("Page.click: Timeout 8000ms exceeded.", "no answer came in time"),
        ("<urlopen error timed out>", "no answer came in time"),
        ("[Errno 104] Connection reset by peer", "the connection broke off"),
        ("Executable doesn't exist at /usr/bin/chromium", "its program is not where it was"),
        ("Looks like you launched a headed browser without having a XServer running: Missing X server or $DISPLAY",
         "there is no display to show it on"),
        ("process_singleton_posix.cc: Failed to create socket directory.\nFailed to create a ProcessSingleton", NO_SOCKET),
        ("Protocol error (Foo.bar): -32000", UNKNOWN),
    ],
)  # fmt: skip
def test_what_a_library_says_becomes_plain_words(message: str, words: str) -> None:
    assert plain_failure(message) == words


@pytest.mark.parametrize(
    ("site", "why", "code"),
    [
        ("practice", "the browser was closed", "browser_closed"),
        ("linkedin_drive", "the browser was closed", "browser_closed"),
        ("practice", "nothing answers at its address", "practice_gone"),
        ("practice", "/in/ann answers 500", "site_unreachable"),
        ("linkedin_drive", "nothing answers at its address", "site_unreachable"),
    ],
)
def test_a_site_that_does_not_answer_is_told_by_what_is_the_matter(site: str, why: str, code: str) -> None:
    assert unavailable(site, why).code == code

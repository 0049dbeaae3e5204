"""Why a browser or a connection failed, in plain words instead of a library's own."""

import re

from backend.domain.model.channel import PRACTICE
from backend.domain.values.errors import OutriderError

NOBODY_THERE = "nothing answers at its address"
CLOSED = "the browser was closed"
UNKNOWN = "it failed in a way that Outrider does not know"
NO_SOCKET = "the folder for temporary files (TMPDIR) cannot be written, or its path is too long"
NO_SANDBOX = "this system denies it the sandbox in which it keeps pages"
_WORDS: tuple[tuple[str, str], ...] = (
    (r"no usable sandbox|SUID sandbox helper", NO_SANDBOX),  # first: what else is said follows from it
    (r"failed to create socket directory", NO_SOCKET),
    (r"has been closed|target closed|browser closed|connection closed|was closed", CLOSED),
    (r"page crashed|target crashed|crash", "the page crashed"),
    (
        r"SingletonLock|profile (?:appears to be|is already) in use|ProcessSingleton",
        "its profile is open in another window",
    ),
    (r"ENOENT|executable doesn't exist|no such file", "its program is not where it was"),
    (r"EACCES|permission denied", "its program may not be run"),
    (r"no display|missing x server|cannot open display|\$DISPLAY", "there is no display to show it on"),
    (r"internet_disconnected|network is unreachable|errno 101", "this machine is offline"),
    (
        r"name_not_resolved|name or service|getaddrinfo|name resolution",
        "its name cannot be looked up; this machine may be offline",
    ),
    (r"connection_refused|errno 111|actively refused|connection refused", NOBODY_THERE),
    (r"cert_|certificate", "its certificate is not trusted"),
    (
        r"connection_reset|reset by peer|broken pipe|connection_aborted|empty_response|incomplete",
        "the connection broke off",
    ),
    (r"timed?[ -]?out", "no answer came in time"),
    (r"exited|did exit|process ended|driver", "it ended by itself"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), words) for pattern, words in _WORDS)


def plain_failure(failure: object) -> str:
    """Why it failed, as the end of a sentence."""
    text = str(failure)
    return next((words for pattern, words in _PATTERNS if pattern.search(text)), UNKNOWN)


def unavailable(site: str, why: str) -> OutriderError:
    """The error for a site that gave no usable answer, by its name and the reason."""
    if CLOSED in why:
        return OutriderError("browser_closed")
    if site == PRACTICE and NOBODY_THERE in why:
        return OutriderError("practice_gone")
    return OutriderError(
        "site_unreachable", site="The practice network" if site == PRACTICE else "LinkedIn", detail=why
    )

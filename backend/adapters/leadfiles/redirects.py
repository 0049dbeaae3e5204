"""Addresses that only lead to another one, as search engines, mail programs and networks write them."""

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import SplitResult, unquote

from backend.adapters.leadfiles.address_query import decoded, parameters


def _parameter(*names: str) -> Callable[[SplitResult], str]:
    """The target is the value of the first of these parameters that there is."""

    def target(address: SplitResult) -> str:
        values = {name.lower(): decoded(value) for name, value in reversed(parameters(address.query))}
        return next((values[name] for name in names if values.get(name)), "")

    return target


def _proofpoint_v2(address: SplitResult) -> str:
    """`u=https-3A__www.example.com_in_ann`: its own percent signs and slashes."""
    return unquote(_parameter("u")(address).replace("-", "%").replace("_", "/"))


def _proofpoint_v3(address: SplitResult) -> str:
    """`/v3/__https://www.example.com/in/ann__;!!…`; a `*` in it stands for a character that only its sender knows."""
    match = re.match(r"/v3/__(.+?)__;", f"{address.path}?{address.query}", re.IGNORECASE)
    return _with_both_slashes(match[1]) if match and "*" not in match[1] else ""


def _archived(address: SplitResult) -> str:
    """`/web/20240315/https://www.example.com/in/ann`."""
    return _with_both_slashes(re.sub(r"^/web/[^/]*/", "", address.path))


def _with_both_slashes(target: str) -> str:
    """Servers and mail programs make one of two slashes in a path."""
    return re.sub(r"^(https?:/)(?=[^/])", r"\1/", target, flags=re.IGNORECASE)


class _Redirect(NamedTuple):
    host: re.Pattern[str]
    path: re.Pattern[str]
    target: Callable[[SplitResult], str]


def _redirect(host: str, path: str, target: Callable[[SplitResult], str]) -> _Redirect:
    return _Redirect(re.compile(host), re.compile(path, re.IGNORECASE), target)


_ANY = ".*"
_LINKEDIN = r"(?:[a-z]+\.)?linkedin\.com"

_REDIRECTS = (
    _redirect(_LINKEDIN, r"/redir/[a-z-]+/?", _parameter("url")),
    _redirect(_LINKEDIN, r"/safety/go/?", _parameter("url")),
    _redirect(_LINKEDIN, r"/(?:authwall|login|uas/login|signup|signup/[a-z-]+|checkpoint/.*|m/login)/?",
              _parameter("sessionredirect", "session_redirect")),
    _redirect(r"(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?", r"/url/?", _parameter("q", "url")),
    _redirect(r"lm?\.(?:facebook|messenger)\.com", r"/l\.php", _parameter("u")),
    _redirect(r"l\.(?:instagram|threads|whatsapp)\.(?:com|net)", _ANY, _parameter("u")),
    _redirect(r"(?:www\.)?facebook\.com", r"/(?:l\.php|flx/warn/?)", _parameter("u")),
    _redirect(r"[a-z0-9-]+\.safelinks\.protection\.(?:outlook\.com|office365\.us)", _ANY, _parameter("url")),
    _redirect(r"(?:statics\.teams\.cdn\.office\.net|teams\.microsoft\.com)", r".*safelinks.*", _parameter("url")),
    _redirect(r"urldefense\.(?:com|us|proofpoint\.com)", r"/v1/url", _parameter("u")),
    _redirect(r"urldefense\.(?:com|us|proofpoint\.com)", r"/v2/url", _proofpoint_v2),
    _redirect(r"urldefense\.(?:com|us|proofpoint\.com)", r"/v3/.*", _proofpoint_v3),
    _redirect(r"slack-redir\.net", r"/link", _parameter("url")),
    _redirect(r"(?:www\.|m\.)?youtube\.com", r"/redirect", _parameter("q")),
    _redirect(r"out\.reddit\.com", _ANY, _parameter("url")),
    _redirect(r"(?:www\.)?duckduckgo\.com", r"/l/?", _parameter("uddg")),
    _redirect(r"(?:[a-z]+\.)?vk\.com", r"/away\.php", _parameter("to")),
    _redirect(r"translate\.google\.[a-z.]+", r"/translate", _parameter("u")),
    _redirect(r"web\.archive\.org", r"/web/.*", _archived),
)  # fmt: skip
"""Host, path, and how the target is read. `lnkd.in` and its like cannot be unwrapped: their targets are known to them only."""


def target_of(address: SplitResult, host: str) -> str | None:
    """Where the address leads, empty where it does not say; None for an address that is no redirect."""
    path = address.path or "/"
    for redirect in _REDIRECTS:
        if redirect.host.fullmatch(host) and redirect.path.fullmatch(path):
            return redirect.target(address)
    return None

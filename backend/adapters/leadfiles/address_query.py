"""What stands behind the question mark of a web address: whom it names, what only says where the visitor came from.

And where an address leads that is only a way to another one, as search engines, mail programs and networks write them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, unquote_to_bytes

# Advertising; analytics; newsletters and sales tools; LinkedIn.
_TRACKING_NAMES = """
    fbclid gclid gclsrc dclid gbraid wbraid msclkid twclid ttclid yclid ysclid igshid igsh mibextid srsltid _openstat
    s_kwcid ef_id wickedid epik rdt_cid ref_src ref_url
    _ga _gl _gac scid icid ncid spm
    mc_cid mc_eid mc_tc _hsenc _hsmi hsctatracking mkt_tok vero_id vero_conv oly_anon_id oly_enc_id _kx sc_cid
    ml_subscriber ml_subscriber_hash rb_clickid
    trk trkinfo trkemail trackingid lipi licu lici li_fat_id midtoken midsig eml otptoken originalsubdomain
"""
_TRACKING = frozenset(_TRACKING_NAMES.split())
"""Parameters that name nobody, in lower case."""

_TRACKING_FAMILIES = ("utm_", "hsa_", "pk_", "mtm_", "matomo_", "piwik_", "stm_", "at_custom")
"""The beginnings of more of them."""

# Not the punctuation that may follow an address in a text.
_SAFE = "-_~$@/"

Parameters = Sequence[tuple[str, str]]
"""Name and value of each, percent-encoded in one spelling; a name that stands alone has an empty value."""


def parameters(query: str) -> Parameters:
    """Those of a query, in its order, without those that have a name only for a value that is missing."""
    pairs = (pair.partition("=") for pair in query.replace("&amp;", "&").split("&"))
    respelled_pairs = ((respelled(name, _SAFE), equals, respelled(value, _SAFE)) for name, equals, value in pairs)
    return [(name, value) for name, equals, value in respelled_pairs if name and (value or not equals)]


def decoded(value: str) -> str:
    """A value of `parameters` as text."""
    return unquote_to_bytes(value).decode(errors="replace")


def identifying(pairs: Iterable[tuple[str, str]]) -> Parameters:
    """Those that may say who is meant, sorted: all but tracking."""
    return sorted({(name, value) for name, value in pairs if not _is_tracking(name.lower())})


def query_of(pairs: Parameters) -> str:
    """The query, with its question mark; empty without parameters."""
    return "?" + "&".join(f"{name}={value}" if value else name for name, value in pairs) if pairs else ""


def respelled(text: str, safe: str) -> str:
    """The text with exactly those characters escaped that are not `safe`, and without the full stop of a sentence."""
    return quote(unquote_to_bytes(text.replace("+", "%20")), safe=safe).rstrip(".")


def _is_tracking(name: str) -> bool:
    return name in _TRACKING or name.startswith(_TRACKING_FAMILIES)


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

"""What stands behind the question mark of a web address: whom it names, and what only says where the visitor came from."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote_to_bytes

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

"""What may be the address of a shared store, and its public key."""

import base64
import binascii
import json

from backend.domain.model.connection import host_of, is_loopback, refuse_address
from backend.domain.values.errors import OutriderError

_DASHBOARD = frozenset({"supabase.com", "app.supabase.com", "www.supabase.com"})
_PARTS = ("/rest/v1", "/auth/v1")
_SECRET_ROLES = frozenset({"service_role", "supabase_admin", "postgres"})


def project_address(address: str) -> str:
    """The address as it is used: https, or http to this machine; raises `project_address_refused`."""
    url = address.strip().rstrip("/")
    for part in _PARTS:
        url = url.removesuffix(part)
    if host_of(url).lower() in _DASHBOARD:
        raise OutriderError("project_address_refused", why="it is the dashboard's, not the project's")
    try:
        refuse_address(url, plain_http=False)
    except OutriderError as refused:
        why = refused.facts["why"]
        if url.startswith("http://") and not is_loopback(url):
            why = "what is sent to it over http:// could be read on the way"
        raise OutriderError("project_address_refused", why=why) from None
    return url


def refuse_secret_key(key: str) -> None:
    """A key that opens every row has no place on a desktop; raises `project_key_secret`."""
    # An access token (sbp_) is not even one project's: it opens the whole account.
    if key.strip().startswith(("sb_secret_", "sbp_")) or _role(key) in _SECRET_ROLES:
        raise OutriderError("project_key_secret")


def _role(key: str) -> str:
    """Whom a key in the form of a token speaks for; "" if it does not say."""
    _, _, rest = key.partition(".")
    claims = rest.partition(".")[0]
    try:
        payload = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except (binascii.Error, ValueError):
        return ""
    return str(payload.get("role", "")) if isinstance(payload, dict) else ""

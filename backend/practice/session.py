"""Who is signed in: a cookie holds a secret, the ledger only its hash, so a restart signs nobody out."""

import secrets
from hashlib import sha256
from urllib.parse import urlsplit

from flask import Request
from werkzeug.wrappers import Response

COOKIE = "fieldnote_session"


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def name_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def session_of(request: Request) -> str:
    secret = request.cookies.get(COOKIE, "")
    return name_of(secret) if secret else ""


def remember(response: Response, secret: str) -> None:
    response.set_cookie(COOKIE, secret, httponly=True, samesite="Lax")


def own_page(target: str) -> str:
    """The target when it is a path of this site, else the home page: a log-in must not lead elsewhere."""
    parts = urlsplit(target)
    inside = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if inside and target.isprintable() else "/"

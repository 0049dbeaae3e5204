"""Tokens of users and of the project itself, as Supabase Auth signs them with a shared secret."""

import secrets
import threading
import time
from typing import Any

import jwt

ISSUER = "outrider-tests"
_YEARS = 10 * 365 * 86_400


class ExpiredError(Exception):
    """The token was good once."""


class Tokens:
    """`lifetime` in seconds; `skew` is how much longer PostgREST accepts them (30 s in the hosted service)."""

    def __init__(self) -> None:
        self.lifetime = 3_600
        self.skew = 0.0
        self._generation = 0
        self._lock = threading.Lock()
        self.rotate()
        self.publishable_key = f"sb_publishable_{secrets.token_urlsafe(16)}"

    def rotate(self) -> None:
        """The project's owner replaces the secret: its public key is another one, and no token is good that was given before."""
        self._secret = secrets.token_hex(32)
        now = int(time.time())
        self.anon_key = self._signed({"role": "anon", "iat": now, "exp": now + _YEARS})

    def expire(self) -> None:
        """Every user's token given so far is over, at once."""
        with self._lock:
            self._generation += 1

    def give(self, user_id: str, email: str, session_id: str) -> tuple[str, int]:
        """A user's token, and when it ends (s UTC)."""
        now = int(time.time())
        claims = {"sub": user_id, "email": email, "session_id": session_id, "role": "authenticated"}
        times = {"aud": "authenticated", "iat": now, "exp": now + self.lifetime}
        return self._signed({**claims, **times, "generation": self._generation}), now + self.lifetime

    def read(self, token: str) -> dict[str, Any]:
        """What a token claims. Raises `ExpiredError`, `jwt.InvalidTokenError`."""
        if token == self.publishable_key:
            return {"role": "anon"}
        try:
            claims: dict[str, Any] = jwt.decode(
                token, self._secret, ["HS256"], leeway=self.skew, options={"verify_aud": False, "verify_iat": False}
            )
        except jwt.ExpiredSignatureError as error:
            raise ExpiredError from error
        if claims.get("generation", self._generation) != self._generation:
            raise ExpiredError
        return claims

    def _signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode({"iss": ISSUER, "jti": secrets.token_hex(8), **claims}, self._secret, "HS256")

"""Supabase Auth's part: users, sessions, and refresh tokens that are used once."""

import base64
import hashlib
import ipaddress
import secrets
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import jwt

from tests.supabase_gateway.answer import Answer, told
from tests.supabase_gateway.tokens import ExpiredError, Tokens

VERSION = ("X-Supabase-Api-Version", "2024-01-01")
SHORTEST_PASSWORD = 6
HOUR = 3_600.0
SITE = "http://localhost:3000"
"""Where a project that nobody changed leads whoever opens a link, unless it was asked for from a loopback address."""


class Mail(NamedTuple):
    """What was mailed: a link, and a code that does the same, "" where nobody changed the project's templates."""

    to: str
    code: str
    link: str


@dataclass
class User:
    """Somebody with an account. `password` stands here as it was typed: nobody real has one."""

    email: str
    password: str
    confirmed: bool
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    banned: bool = False
    code: str = ""
    link: str = ""
    mailed_at: float = 0.0
    challenge: str = ""

    def told(self, *, with_identities: bool = True) -> dict[str, Any]:
        """As it is answered; without identities when it is not to be told that the account was there before."""
        identity = {
            "id": self.id,
            "identity_id": self.id,
            "user_id": self.id,
            "identity_data": {"email": self.email},
            "provider": "email",
            "created_at": self.created_at,
        }
        return {
            "id": self.id,
            "aud": "authenticated",
            "role": "authenticated",
            "email": self.email,
            "app_metadata": {"provider": "email", "providers": ["email"]},
            "user_metadata": {},
            "identities": [identity] if with_identities else [],
            "created_at": self.created_at,
        }


@dataclass
class Refresh:
    """A refresh token, what it came from, and whether it was used."""

    session: str
    user: User
    parent: str
    revoked_at: float | None = None


class RefusalError(Exception):
    """An answer that says no."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self.answer = told(status, {"code": code, "message": message, **more}, VERSION)


class Auth:
    """What tests may set stands first; `refreshes` counts, `most_at_once` is how many were under way together."""

    def __init__(self, tokens: Tokens) -> None:
        self.autoconfirm = True
        self.sign_ups = True
        self.by_email = True
        self.codes_in_mails = False
        self.mails_an_hour = 2
        self.link_seconds = HOUR
        self.code_seconds = 300.0
        self.reuse_seconds = 10.0
        self.url = ""
        self.mails: list[Mail] = []
        self.exchanges = 0
        self.refreshes = 0
        self.most_at_once = 0
        self.users: dict[str, User] = {}
        self._at_once = 0
        self._mailed_at: deque[float] = deque()
        self._auth_codes: dict[str, tuple[User, float]] = {}
        self._tokens = tokens
        self._refresh: dict[str, Refresh] = {}
        self._lock = threading.RLock()

    def answer(self, method: str, path: str, query: dict[str, str], body: dict[str, Any], bearer: str) -> Answer:
        """One request."""
        routes: dict[tuple[str, str], Callable[[], Answer]] = {
            ("GET", "health"): lambda: told(
                200, {"version": "v2.180.0", "name": "GoTrue", "description": "a stand-in"}
            ),
            ("GET", "settings"): self._settings,
            ("POST", "signup"): lambda: self._sign_up(body, query.get("redirect_to", "")),
            ("POST", "token"): lambda: self._token(query.get("grant_type", ""), body),
            ("POST", "otp"): lambda: self._otp(body, query.get("redirect_to", "")),
            ("POST", "verify"): lambda: self._verify(body),
            ("GET", "verify"): lambda: self._opened(query),
            ("POST", "logout"): lambda: self._log_out(query.get("scope", "global"), bearer),
            ("GET", "user"): lambda: told(200, self._who(bearer)[0].told(), VERSION),
        }
        route = routes.get((method, path))
        if route is None:
            return told(404, {"code": 404, "msg": "404 page not found"})
        try:
            with self._lock:
                return route()
        except RefusalError as no:
            return no.answer

    def _settings(self) -> Answer:
        return told(
            200,
            {
                "external": {"email": self.by_email},
                "disable_signup": not self.sign_ups,
                "mailer_autoconfirm": self.autoconfirm,
            },
        )

    def _sign_up(self, body: dict[str, Any], back_to: str) -> Answer:
        self._by_email()
        if not self.sign_ups:
            raise RefusalError(422, "signup_disabled", "Signups not allowed for this instance")
        email, password = self._email(body), str(body.get("password", ""))
        if len(password) < SHORTEST_PASSWORD:
            sentence = f"Password should be at least {SHORTEST_PASSWORD} characters."
            raise RefusalError(422, "weak_password", sentence, weak_password={"reasons": ["length"]})
        if registered := self.users.get(email):
            if self.autoconfirm:
                raise RefusalError(422, "user_already_exists", "User already registered")
            return told(200, registered.told(with_identities=False), VERSION)
        user = self.users[email] = User(email, password, self.autoconfirm)
        if self.autoconfirm:
            return self._session(user)
        self._mail(user, "signup", body, back_to)
        return told(200, user.told(), VERSION)

    def _token(self, grant: str, body: dict[str, Any]) -> Answer:
        if grant == "refresh_token":
            return self._renew(str(body.get("refresh_token", "")))
        if grant == "pkce":
            return self._exchanged(str(body.get("auth_code") or ""), str(body.get("code_verifier") or ""))
        self._by_email()
        user = self.users.get(str(body.get("email", "")).lower())
        if user is None or not secrets.compare_digest(user.password.encode(), str(body.get("password", "")).encode()):
            raise RefusalError(400, "invalid_credentials", "Invalid login credentials")
        if not user.confirmed:
            raise RefusalError(400, "email_not_confirmed", "Email not confirmed")
        if user.banned:
            raise RefusalError(400, "user_banned", "User is banned")
        return self._session(user)

    def delete(self, email: str) -> None:
        """The owner deletes the account in the dashboard: its sign-ins end, and tokens that were given go on to their end."""
        with self._lock:
            user = self.users.pop(email)
            self._refresh = {token: refresh for token, refresh in self._refresh.items() if refresh.user is not user}

    def entered_refresh(self) -> None:
        """A renewal begins; called outside the lock, so that two of them would be seen together."""
        with self._lock:
            self.refreshes += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def left_refresh(self) -> None:
        """It ended."""
        with self._lock:
            self._at_once -= 1

    def _renew(self, token: str) -> Answer:
        refresh = self._refresh.get(token)
        if refresh is None:
            raise RefusalError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        if refresh.user.banned:
            raise RefusalError(400, "user_banned", "Invalid Refresh Token: User Banned")
        if refresh.revoked_at is None:
            refresh.revoked_at = time.time()
            return self._session(refresh.user, refresh.session, token)
        active = next(
            (t for t, r in self._refresh.items() if r.session == refresh.session and r.revoked_at is None), ""
        )
        if active and self._refresh[active].parent == token:
            return self._session(refresh.user, refresh.session, token, active)
        if active and time.time() <= refresh.revoked_at + self.reuse_seconds:
            return self._session(refresh.user, refresh.session, token)
        self._revoke(lambda other: other.session == refresh.session)
        raise RefusalError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")

    def _otp(self, body: dict[str, Any], back_to: str) -> Answer:
        self._by_email()
        email = self._email(body)
        user = self.users.get(email)
        if user is None:
            if not body.get("create_user", True) or not self.sign_ups:
                raise RefusalError(422, "otp_disabled", "Signups not allowed for otp")
            user = self.users[email] = User(email, secrets.token_hex(), confirmed=False)
        self._mail(user, "magiclink" if user.confirmed else "signup", body, back_to)
        return told(200, {}, VERSION)

    def _verify(self, body: dict[str, Any]) -> Answer:
        code, link = str(body.get("token") or ""), str(body.get("token_hash") or "")
        by_code = self.users.get(str(body.get("email", "")).lower())
        if code and (by_code is None or code != by_code.code):
            raise RefusalError(403, "otp_expired", "Token has expired or is invalid")
        user = by_code if code and by_code else self._mailed(link)
        user.code = user.link = ""
        user.confirmed = True
        return self._session(user)

    def _opened(self, query: dict[str, str]) -> Answer:
        """The link of a mail, opened in a browser: it leads back to where it was asked for from, with a code or an error."""
        back_to = query.get("redirect_to", "")
        try:
            user = self._mailed(query.get("token", ""))
        except RefusalError as no:
            return _redirect(back_to, error="access_denied", error_code=no.code, error_description=str(no))
        by_challenge = user.link.startswith("pkce_")
        user.code = user.link = ""
        user.confirmed = True
        if not by_challenge:
            return Answer(303, headers=(("Location", f"{back_to}#access_token=secret&refresh_token=secret"),))
        code = str(uuid.uuid4())
        self._auth_codes[code] = user, time.time()
        return _redirect(back_to, code=code)

    def _mailed(self, link: str) -> User:
        user = next((candidate for candidate in self.users.values() if link and candidate.link == link), None)
        if user is None or time.time() > user.mailed_at + self.link_seconds:
            raise RefusalError(403, "otp_expired", "Email link is invalid or has expired")
        return user

    def _exchanged(self, code: str, verifier: str) -> Answer:
        self.exchanges += 1
        if not code or not verifier:
            raise RefusalError(400, "validation_failed", "both auth code and code verifier should be non-empty")
        if code not in self._auth_codes:
            raise RefusalError(404, "flow_state_not_found", "invalid flow state, no valid flow state found")
        user, at = self._auth_codes[code]
        if time.time() > at + self.code_seconds:
            raise RefusalError(422, "flow_state_expired", "invalid flow state, flow state has expired")
        digest = hashlib.sha256(verifier.encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != user.challenge:
            raise RefusalError(400, "bad_code_verifier", "code challenge does not match previously saved code verifier")
        del self._auth_codes[code]
        return self._session(user)

    def _log_out(self, scope: str, bearer: str) -> Answer:
        user, session = self._who(bearer)
        ends: dict[str, Callable[[Refresh], bool]] = {
            "global": lambda refresh: refresh.user is user,
            "local": lambda refresh: refresh.session == session,
            "others": lambda refresh: refresh.user is user and refresh.session != session,
        }
        if scope not in ends:
            raise RefusalError(400, "validation_failed", f'Unsupported logout scope "{scope}"')
        self._refresh = {token: refresh for token, refresh in self._refresh.items() if not ends[scope](refresh)}
        return Answer(204, headers=(VERSION,))

    def _who(self, bearer: str) -> tuple[User, str]:
        try:
            claims = self._tokens.read(bearer)
        except (ExpiredError, jwt.InvalidTokenError) as error:
            raise RefusalError(403, "bad_jwt", "invalid JWT: unable to parse or verify signature") from error
        user = next((candidate for candidate in self.users.values() if candidate.id == claims.get("sub")), None)
        if user is None:
            raise RefusalError(403, "bad_jwt", "invalid claim: missing sub claim")
        if not any(refresh.session == claims["session_id"] for refresh in self._refresh.values()):
            raise RefusalError(403, "session_not_found", "Session from session_id claim in JWT does not exist")
        return user, claims["session_id"]

    def _session(self, user: User, session: str = "", parent: str = "", active: str = "") -> Answer:
        session = session or str(uuid.uuid4())
        refresh = active or secrets.token_urlsafe(9)
        if not active:
            self._refresh[refresh] = Refresh(session, user, parent)
        token, ends = self._tokens.give(user.id, user.email, session)
        content = {
            "access_token": token,
            "token_type": "bearer",
            "expires_in": self._tokens.lifetime,
            "expires_at": ends,
            "refresh_token": refresh,
            "user": user.told(),
        }
        return told(200, content, VERSION)

    def _revoke(self, ended: Callable[[Refresh], bool]) -> None:
        for refresh in self._refresh.values():
            if ended(refresh) and refresh.revoked_at is None:
                refresh.revoked_at = time.time()

    def _mail(self, user: User, kind: str, body: dict[str, Any], back_to: str) -> None:
        now = time.time()
        while self._mailed_at and self._mailed_at[0] <= now - HOUR:
            self._mailed_at.popleft()
        if len(self._mailed_at) >= self.mails_an_hour:
            raise RefusalError(429, "over_email_send_rate_limit", "email rate limit exceeded")
        self._mailed_at.append(now)
        user.challenge = str(body.get("code_challenge") or "")
        user.mailed_at, user.link = now, ("pkce_" if user.challenge else "") + secrets.token_hex(28)
        user.code = f"{secrets.randbelow(1_000_000):06}" if self.codes_in_mails else ""
        query = urlencode({"token": user.link, "type": kind, "redirect_to": back_to if _loopback(back_to) else SITE})
        self.mails.append(Mail(user.email, user.code, f"{self.url}/auth/v1/verify?{query}"))

    def _by_email(self) -> None:
        if not self.by_email:
            raise RefusalError(422, "email_provider_disabled", "Email logins are disabled")

    def _email(self, body: dict[str, Any]) -> str:
        email = str(body.get("email", "")).lower()
        name, _, host = email.partition("@")
        if not name or "." not in host:
            raise RefusalError(400, "validation_failed", "Unable to validate email address: invalid format")
        return email


def _loopback(url: str) -> bool:
    """Allowed by every project, without being listed (Auth's `IsRedirectURLValid`)."""
    try:
        return ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback
    except ValueError:
        return False


def _redirect(back_to: str, **parameters: str) -> Answer:
    return Answer(303, headers=(("Location", f"{back_to}?{urlencode(parameters)}"),))

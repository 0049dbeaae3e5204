"""Who is signed in to a project on this device, and the token that says so for an hour at a time."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from backend.adapters.supabase.project import SupabaseProject
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.ports.sealed_files import SealedFiles
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError

if TYPE_CHECKING:
    from supabase._sync.auth_client import SyncSupabaseAuthClient
    from supabase_auth import SyncSupportedStorage
    from supabase_auth.errors import AuthError
    from supabase_auth.types import AuthResponse, EmailOtpType, Session

# ruff: noqa: PLC0415 - Supabase's library takes half a second to import, which no start shall wait for

T = TypeVar("T")

FILE = "session"
PAUSE = 30.0
"""Seconds, when the project wants to be asked less often and does not say how long."""

_TOO_MANY = 429
_UNHEARD = frozenset({401, 403})

# What Supabase Auth answers (its documentation, "Error codes") -> what a person is told.
_WORDS: dict[str, ErrorCode] = {
    "invalid_credentials": "sign_in_wrong",
    "email_not_confirmed": "sign_in_unconfirmed",
    "otp_expired": "sign_in_code_wrong",
    "over_request_rate_limit": "sign_in_paused",
    "over_email_send_rate_limit": "sign_in_paused",
    "user_already_exists": "sign_in_known",
    "email_exists": "sign_in_known",
    "user_not_found": "sign_in_unknown",
    "otp_disabled": "sign_in_unknown",
    "signup_disabled": "sign_in_closed",
    "email_provider_disabled": "sign_in_mail_off",
    "provider_disabled": "sign_in_mail_off",
    "email_address_not_authorized": "sign_in_mail_unsent",
    "email_address_invalid": "sign_in_email_refused",
    "weak_password": "sign_in_password_weak",
    "user_banned": "sign_in_banned",
    "captcha_failed": "sign_in_captcha",
}

# Likewise, of a link; whether it was used or is too old is told by none of them.
_LINK_WORDS: dict[str, ErrorCode] = {
    "otp_expired": "sign_in_link_spent",
    "flow_state_expired": "sign_in_link_spent",
    "flow_state_not_found": "sign_in_link_spent",
    "bad_code_verifier": "sign_in_link_elsewhere",
    "validation_failed": "sign_in_link_elsewhere",
}

_ENDED = frozenset(
    {
        "refresh_token_not_found",
        "refresh_token_already_used",
        "session_not_found",
        "session_expired",
        "user_not_found",
        "user_banned",
        "validation_failed",
    }
)
"""A renewal that is refused so is refused for ever."""

_KEYS: dict[str, ErrorCode] = {"key_disabled": "project_key_disabled", "key_refused": "project_key_refused"}

_LOCKED = frozenset({"vault_locked", "keychain_locked"})
"""It opens again."""

_LOST = frozenset({"signed_out", "sealed_file_damaged"})


class SavedSession(NamedTuple):
    """What is sealed in the file. `url`: it is shown to no other project."""

    url: str
    user_id: str
    email: str
    access_token: str
    refresh_token: str

    def __repr__(self) -> str:
        return f"Kept({self.url}, {self.user_id})"


class AuthSession:
    """Safe to use from any thread. What people do raises `OutriderError`; the rest is the shared store's and raises its errors.

    The file is the truth: another process of this device may have renewed what it holds.
    """

    def __init__(self, project: SupabaseProject, files: SealedFiles) -> None:
        self._project = project
        self._files = files
        self._lock = threading.Lock()
        self._kept: SavedSession | None = None
        self._proof: SyncSupportedStorage | None = None  # that the latest mail was asked for here
        self._only: tuple[str, str] | None = None
        self._on_new_email: Callable[[str], None] = lambda _: None

    def restrict_to_user(self, user_id: str, email: str, on_new_email: Callable[[str], None] = lambda _: None) -> None:
        """Nobody else's session is kept or used from now on: what waits here is theirs, and must reach no other account.

        `on_new_email` hears the address that they changed theirs to, when they sign in or their sign-in is renewed.
        """
        self._only, self._on_new_email = (user_id, email), on_new_email

    def _note_email(self, saved_session: SavedSession) -> None:
        if self._only and saved_session.email and saved_session.email != self._only[1]:
            self._only = self._only[0], saved_session.email
            self._on_new_email(saved_session.email)

    def saved_session(self) -> SavedSession | None:
        """Whose session is kept here, or None. Raises `vault_locked`, `sealed_file_damaged`."""
        if (saved_session := self._kept) is None:  # without the lock: a renewal under way may take its time
            with self._lock:
                saved_session = self._kept = self._kept or self._read()
        return saved_session

    # what people do

    def with_password(self, email: str, password: str) -> SavedSession:
        """Sign in."""
        with self._told():
            answer = self._project.auth().sign_in_with_password({"email": email, "password": password})
        return self._keep(answer.session)

    def sign_up(
        self, email: str, password: str, *, back_to: str = "", on_made: Callable[[], None] = lambda: None
    ) -> SavedSession | None:
        """Make an account; None when a mail has to be answered first, whose link leads `back_to` this machine.

        `on_made` hears that there is an account now, whatever fails afterwards.
        """
        with self._told():
            answer = self._asking().sign_up(
                {"email": email, "password": password, "options": {"email_redirect_to": back_to}}
            )
        if answer.session is None and answer.user is not None and not answer.user.identities:
            raise OutriderError("sign_in_known")  # told in this roundabout way, lest strangers ask who has an account
        on_made()
        return self._keep(answer.session) if answer.session else None

    def ask_mail(self, email: str, *, fresh: bool = False, back_to: str = "") -> None:
        """Have a link mailed that leads `back_to` this machine (and a code, if the project's owner put one into its mails).

        Without `fresh` only to somebody who has an account.
        """
        with self._told():
            self._asking().sign_in_with_otp(
                {"email": email, "options": {"should_create_user": fresh, "email_redirect_to": back_to}}
            )

    def answer_mail(self, email: str, code_or_link: str) -> SavedSession:
        """What the mail has: its code, its link, or the address that the link led to."""
        with self._told():
            answer = self._verified(email, code_or_link.strip())
        return self._keep(answer.session)

    def sign_out(self) -> None:
        """End the session of this device. Without a connection it is forgotten here and ends there by itself."""
        with suppress(SharedStoreRefusedError, SharedStoreUnreachableError, OutriderError):
            self._end("local")
        self.forget()

    def sign_out_others(self) -> None:
        """End the sessions of all other devices. Raises like a call to the shared store."""
        self._end("others")

    def forget(self) -> None:
        """Keep the session no more."""
        with self._lock:
            self._kept = None
            self._files.remove(FILE)

    # what calls need

    def token(self) -> str:
        """The latest access token."""
        saved_session = self._coded(self.saved_session)
        if saved_session is None:
            raise SharedStoreRefusedError("signed_out")
        return saved_session.access_token

    def renewed(self, stale: str) -> str:
        """A token in place of one that was not accepted; however many threads ask, one of them fetches it."""
        with self._lock:
            saved_session = self._kept = self._coded(self._read)
            if saved_session is None:
                raise SharedStoreRefusedError("signed_out")
            if saved_session.access_token == stale:
                saved_session = self._kept = self._renew(saved_session)
        self._note_email(saved_session)
        return saved_session.access_token

    def _renew(self, saved_session: SavedSession) -> SavedSession:
        from pydantic import ValidationError
        from supabase_auth.errors import AuthError

        try:
            answer = self._project.auth().refresh_session(saved_session.refresh_token)
        except AuthError as error:
            status = getattr(error, "status", 0)
            if status == _TOO_MANY:
                raise SharedStoreUnreachableError("the project asks for a pause", PAUSE) from None
            if error.code in _ENDED:
                self._kept = None
                self._coded(lambda: self._files.remove(FILE))
            elif status not in _UNHEARD:
                raise SharedStoreUnreachableError(f"the sign-in could not be renewed: {error.message}") from None
            raise SharedStoreRefusedError("signed_out", error.message) from None
        except (ValidationError, RecursionError):
            raise SharedStoreUnreachableError(f"{self._project.host} does not answer as Supabase does") from None
        session = answer.session
        if session is None:
            raise SharedStoreUnreachableError("the sign-in could not be renewed")
        if session.user.id != saved_session.user_id:  # what waits here would go to another account
            raise SharedStoreUnreachableError("the sign-in was renewed for somebody else, which is not believed")
        # On disk before it is used: whoever is killed in between asks with the earlier one again, which is allowed.
        return self._coded(lambda: self._write(session))

    def _end(self, scope: Any) -> None:
        from supabase_auth.errors import AuthError

        token = self.token()
        for last in (False, True):
            try:
                self._project.auth().admin.sign_out(token, scope)
            except AuthError as error:
                if last or getattr(error, "status", 0) not in _UNHEARD:
                    raise SharedStoreUnreachableError(error.message) from None
                token = self.renewed(token)
            else:
                return

    def _asking(self) -> "SyncSupabaseAuthClient":
        from supabase_auth import SyncMemoryStorage

        self._proof = SyncMemoryStorage()
        return self._project.auth(self._proof)

    def _verified(self, email: str, code_or_link: str) -> "AuthResponse":
        if not code_or_link.startswith(("https://", "http://")):
            return self._project.auth().verify_otp({"email": email, "token": code_or_link, "type": "email"})
        address = urlsplit(code_or_link)
        link_parameters = {name: values[0] for name, values in parse_qs(f"{address.query}&{address.fragment}").items()}
        if code_or_link.startswith(f"{self._project.url}/") and "token" in link_parameters:
            kind = cast("EmailOtpType", link_parameters.get("type", "email"))
            with _as_link():
                return self._project.auth().verify_otp({"token_hash": link_parameters["token"], "type": kind})
        if "error_code" in link_parameters:
            raise OutriderError(
                _LINK_WORDS.get(link_parameters["error_code"])
                or _WORDS.get(link_parameters["error_code"], "sign_in_link_spent")
            )
        if "code" not in link_parameters:
            raise OutriderError("sign_in_link_of_another" if "token" in link_parameters else "sign_in_link_elsewhere")
        if self._proof is None:
            raise OutriderError("sign_in_link_elsewhere")
        # The library forgets the proof with the first success.
        with _as_link():
            return self._project.auth(self._proof).exchange_code_for_session(
                {"auth_code": link_parameters["code"], "code_verifier": "", "redirect_to": ""}
            )

    def _keep(self, session: "Session | None") -> SavedSession:
        if session is None:
            raise OutriderError("sign_in_refused", detail="it gave no session")
        if self._only and session.user.id != self._only[0]:
            with suppress(OutriderError), self._told():
                self._project.auth().admin.sign_out(session.access_token, "local")
            raise OutriderError("project_of_another", email=self._only[1])
        with self._lock:
            saved_session = self._kept = self._write(session)
        self._note_email(saved_session)
        return saved_session

    def _write(self, session: "Session") -> SavedSession:
        user = session.user
        saved_session = SavedSession(
            self._project.url, user.id, user.email or "", session.access_token, session.refresh_token
        )
        self._files.write(FILE, json.dumps(saved_session._asdict()).encode())
        return saved_session

    def _read(self) -> SavedSession | None:
        content = self._files.read(FILE)
        try:
            saved_session = SavedSession(**json.loads(content)) if content else None
        except (TypeError, ValueError):
            raise OutriderError("signed_out") from None
        if (
            saved_session is None
            or saved_session.url != self._project.url
            or (self._only and saved_session.user_id != self._only[0])
        ):
            return None
        return saved_session

    def _coded(self, read: Callable[[], T]) -> T:
        """The device's own troubles, as the shared store's callers know them."""
        try:
            return read()
        except OutriderError as error:
            if error.code in _LOST:
                raise SharedStoreRefusedError("signed_out", error.sentence) from None
            code: ErrorCode = "sign_in_locked" if error.code in _LOCKED else "shared_store_unreachable"
            raise SharedStoreUnreachableError(error.sentence.removesuffix("."), code=code) from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        from pydantic import ValidationError
        from supabase_auth.errors import AuthError

        try:
            yield
        except SharedStoreUnreachableError as error:
            raise told_at_sign_in(error) from None
        except SharedStoreRefusedError as refused:
            raise OutriderError(_KEYS.get(refused.code, "signed_out")) from None
        except AuthError as error:
            raise _in_words(error) from None
        except (ValidationError, RecursionError):
            raise OutriderError("project_unreachable", said="it does not answer as Supabase does") from None


def told_at_sign_in(error: SharedStoreUnreachableError) -> OutriderError:
    """Why a project could not be asked, to somebody who has just named it."""
    if error.code == "shared_store_unreachable":
        return OutriderError("project_unreachable", said=error.said)
    return error.as_error()


@contextmanager
def _as_link() -> Iterator[None]:
    from supabase_auth.errors import AuthError

    try:
        yield
    except AuthError as error:
        if code := _LINK_WORDS.get(error.code or ""):
            raise OutriderError(code) from None
        raise


def _in_words(error: "AuthError") -> OutriderError:
    code = error.code or ""
    if not code and getattr(error, "status", 0) in _UNHEARD:
        return OutriderError("project_key_refused")
    detail = " ".join(error.message.split()) or "it does not say why"
    if code == "validation_failed" and "email" in detail:
        return OutriderError("sign_in_email_refused")
    return OutriderError(_WORDS.get(code, "sign_in_refused"), detail=detail)

"""What a look at a project finds, in the order in which it should be mended."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from backend.adapters.supabase.auth_session import AuthSession, told_at_sign_in
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.response_error import SupabaseResponseError
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.domain.model.connection import is_loopback
from backend.domain.reports.activation import failed
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL, OK, WARN, HealthCheck
from backend.ports.shared_store import SCHEMA_VERSION, SharedStoreRefusedError, SharedStoreUnreachableError

MOST_SECONDS_APART = 60

FREE_BYTES = 500 * 1_000_000
"""A free project's database; beyond it takes no more writes."""
NEARLY_FULL = 0.8
FREE_IDLE_DAYS = 7
"""A free project is paused after so long without use."""
_ONLY_DASHBOARD = "whether it is free, only its dashboard says"

_INSTALL = (
    "Copy Outrider's SQL (Settings, Sync & devices, or `outrider sync schema`), paste it into the SQL editor of the project's"
    " dashboard, and run it."
)
_KEY_REFUSED = frozenset({401, 403})
_NOT_FOUND = frozenset({"PGRST202", "42883"})
_DENIED = "42501"


def examine_project(project: SupabaseProject, sign_in: AuthSession | None = None) -> list[HealthCheck]:
    """Ends at the first finding without which the next cannot be looked for. Whoever is signed in looks further."""
    try:
        health, date = project.ask("/auth/v1/health")
        settings, _ = project.ask("/auth/v1/settings")
        schema = _schema(project)
    except SupabaseResponseError as answer:
        if answer.status not in _KEY_REFUSED:
            return [failed("project_address", OutriderError("project_unreachable", said=answer.message))]
        address = HealthCheck("project_address", OK, f"{project.host} answers")
        return [address, failed("project_key", OutriderError("project_key_refused"))]
    except SharedStoreRefusedError as refused:
        address = HealthCheck("project_address", OK, f"{project.host} answers")
        disabled = refused.code == "key_disabled"
        error = OutriderError("project_key_disabled" if disabled else "project_key_refused")
        return [address, failed("project_key", error)]
    except SharedStoreUnreachableError as error:
        return [failed("project_address", told_at_sign_in(error))]
    checks = [
        HealthCheck("project_address", OK, f"{project.host} answers: Supabase Auth {_word(health, 'version')}"),
        HealthCheck("project_key", OK, "the public key is accepted"),
        _mail(settings),
        _clock(date),
        _pause(project, time.time()),
        schema,
    ]
    return checks if schema.status == FAIL or sign_in is None else [*checks, *_as_user(project, sign_in)]


def _mail(settings: Any) -> HealthCheck:
    if not _switched(settings, "external", "email"):
        return failed("project_sign_in", OutriderError("sign_in_mail_off"))
    if _switched(settings, "disable_signup"):
        return HealthCheck("project_sign_in", OK, "users sign in by e-mail, and nobody can add an account unasked")
    confirmed = "" if _switched(settings, "mailer_autoconfirm") else ", once the address is confirmed"
    sentence = f"Anybody may make an account in the project{confirmed}. None can see your data, but each can fill the database."
    closing = (
        "Once you have your account, switch “Allow new users to sign up” off under Authentication, Sign In / Providers."
    )
    return HealthCheck("project_sign_in", WARN, sentence, closing)


def _clock(date: str) -> HealthCheck:
    try:
        seconds_apart = round(time.time() - parsedate_to_datetime(date).timestamp())
    except (TypeError, ValueError):
        return HealthCheck("project_clock", OK, "the project does not tell the time")
    if abs(seconds_apart) <= MOST_SECONDS_APART:
        return HealthCheck("project_clock", OK, "this machine's clock and the project's agree")
    direction = "ahead of" if seconds_apart > 0 else "behind"
    sentence = f"This machine's clock is {abs(seconds_apart):,} s {direction} the project's."
    return HealthCheck(
        "project_clock", WARN, sentence, "Let the system set the time by itself; nothing else goes wrong meanwhile."
    )


def _schema(project: SupabaseProject) -> HealthCheck:
    """Nobody who is not signed in may call the function, and that this is said shows that it is there."""
    try:
        project.rpc("project_health", {})
    except SupabaseResponseError as error:
        if error.code in _NOT_FOUND:
            return HealthCheck("project_schema", FAIL, "Outrider's schema is not installed in the project.", _INSTALL)
        if error.code == _DENIED:
            return HealthCheck("project_schema", OK, "Outrider's schema is installed, and closed to strangers")
        if error.status == 401:  # noqa: PLR2004 - what stands before the schema: the key
            raise
        return HealthCheck("project_schema", FAIL, f"The schema cannot be asked: {error.message}.", _INSTALL)
    sentence = "Anybody may call Outrider's functions without signing in."
    return HealthCheck("project_schema", FAIL, sentence, _INSTALL)


def _as_user(project: SupabaseProject, sign_in: AuthSession) -> list[HealthCheck]:
    try:
        saved_session = sign_in.saved_session()
    except OutriderError as error:
        return [HealthCheck("project_user", WARN, error.sentence, error.remedy)]
    if saved_session is None:
        return [HealthCheck("project_user", OK, "nobody is signed in here, so tables were not looked at")]
    try:
        health = SupabaseSharedStore(project, sign_in).health()
    except SharedStoreRefusedError as refused:
        ended = OutriderError("signed_out")
        return [HealthCheck("project_user", FAIL, f"{ended.sentence} ({refused.said})", ended.remedy)]
    except SharedStoreUnreachableError as unreachable:
        return [failed("project_user", told_at_sign_in(unreachable))]
    return [
        HealthCheck("project_user", OK, f"signed in as {saved_session.email}"),
        _version(health.version),
        _rows(health.unprotected),
        _size(health.bytes),
    ]


def _version(version: int) -> HealthCheck:
    if version == SCHEMA_VERSION:
        return HealthCheck("project_version", OK, f"schema {version}")
    if version < SCHEMA_VERSION:
        return HealthCheck(
            "project_version",
            FAIL,
            f"The project has schema {version}; this Outrider needs {SCHEMA_VERSION}.",
            _INSTALL,
        )
    sentence = f"The project has schema {version}; this Outrider knows {SCHEMA_VERSION}."
    return HealthCheck("project_version", FAIL, sentence, "Install the newer Outrider.")


def _rows(unprotected: list[str]) -> HealthCheck:
    if not unprotected:
        return HealthCheck("project_rows", OK, "every table keeps each user's rows to that user")
    sentence = f"Rows of all users can be read in {', '.join(unprotected)}."
    return HealthCheck(
        "project_rows", FAIL, sentence, "Switch row level security on for these tables, in the dashboard, at once."
    )


def _pause(project: SupabaseProject, now: float) -> HealthCheck:
    if is_loopback(project.url):
        return HealthCheck("project_pause", OK, "a project on this machine is not paused")
    until = datetime.fromtimestamp(now, UTC) + timedelta(days=FREE_IDLE_DAYS)
    sentence = f"a free project is paused after {FREE_IDLE_DAYS} days without use; it was used now, so not before {until:%d %B %Y}"
    return HealthCheck("project_pause", OK, f"{sentence}; {_ONLY_DASHBOARD}")


def _size(used_bytes: int) -> HealthCheck:
    sentence = f"its database has {used_bytes / 1e6:,.0f} MB of the {FREE_BYTES / 1e6:,.0f} MB of a free project; {_ONLY_DASHBOARD}"
    if used_bytes < NEARLY_FULL * FREE_BYTES:
        return HealthCheck("project_size", OK, sentence)
    remedy = (
        "A free project that is full takes nothing more: choose a larger plan in its dashboard, or look at Usage there."
    )
    return HealthCheck("project_size", WARN, sentence, remedy)


def _word(answer: Any, name: str) -> str:
    return str(answer.get(name, ""))[:40] if isinstance(answer, dict) else ""


def _switched(settings: Any, *names: str) -> bool:
    for name in names:
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings is True

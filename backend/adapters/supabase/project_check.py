"""What a look at a project finds, in the order in which it should be mended."""

import time
from email.utils import parsedate_to_datetime
from typing import Any

from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.response_error import SupabaseResponseError
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.domain.errors import OutriderError
from backend.domain.health_check import FAIL, OK, WARN, HealthCheck
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError

SCHEMA = 1
"""The version of `migrations/` that this Outrider speaks to."""

MOST_SECONDS_APART = 60

_INSTALL = (
    "Install Outrider's schema: `supabase db push`,"
    " or paste backend/adapters/supabase/migrations into the SQL editor, in order."
)
_NOT_FOUND = frozenset({"PGRST202", "42883"})
_DENIED = "42501"


def examine_project(project: SupabaseProject, sign_in: AuthSession | None = None) -> list[HealthCheck]:
    """Ends at the first finding without which the next cannot be looked for. Whoever is signed in looks further."""
    try:
        health, date = project.ask("/auth/v1/health")
        settings, _ = project.ask("/auth/v1/settings")
        schema = _schema(project)
    except SupabaseResponseError:
        address = HealthCheck("project_address", OK, f"{project.host} answers")
        return [address, _failed("project_key", OutriderError("project_key_refused"))]
    except SharedStoreRefusedError as refused:
        address = HealthCheck("project_address", OK, f"{project.host} answers")
        disabled = refused.code == "key_disabled"
        error = OutriderError("project_key_disabled" if disabled else "project_key_refused")
        return [address, _failed("project_key", error)]
    except SharedStoreUnreachableError as error:
        return [_failed("project_address", OutriderError("project_unreachable", said=error.said))]
    found = [
        HealthCheck("project_address", OK, f"{project.host} answers: Supabase Auth {_word(health, 'version')}"),
        HealthCheck("project_key", OK, "the public key is accepted"),
        _mail(settings),
        _clock(date),
        schema,
    ]
    return found if schema.status == FAIL or sign_in is None else [*found, *_as_user(project, sign_in)]


def _mail(settings: Any) -> HealthCheck:
    if not _switched(settings, "external", "email"):
        return _failed("project_sign_in", OutriderError("sign_in_mail_off"))
    if _switched(settings, "disable_signup"):
        error = OutriderError("sign_in_closed")
        return HealthCheck("project_sign_in", WARN, error.sentence, error.remedy)
    confirmed = "" if _switched(settings, "mailer_autoconfirm") else ", after confirming the address"
    return HealthCheck("project_sign_in", OK, f"people sign in by e-mail{confirmed}")


def _clock(date: str) -> HealthCheck:
    try:
        apart = round(time.time() - parsedate_to_datetime(date).timestamp())
    except (TypeError, ValueError):
        return HealthCheck("project_clock", OK, "the project does not tell the time")
    if abs(apart) <= MOST_SECONDS_APART:
        return HealthCheck("project_clock", OK, "this machine's clock and the project's agree")
    which = "ahead of" if apart > 0 else "behind"
    said = f"This machine's clock is {abs(apart):,} s {which} the project's."
    return HealthCheck(
        "project_clock", WARN, said, "Let the system set the time by itself; nothing else goes wrong meanwhile."
    )


def _schema(project: SupabaseProject) -> HealthCheck:
    """Nobody who is not signed in may call the function, and that this is said shows that it is there."""
    try:
        project.rpc("project_health", {})
    except SupabaseResponseError as no:
        if no.code in _NOT_FOUND:
            return HealthCheck("project_schema", FAIL, "Outrider's schema is not installed in the project.", _INSTALL)
        if no.code == _DENIED:
            return HealthCheck("project_schema", OK, "Outrider's schema is installed, and closed to strangers")
        if no.status == 401:  # noqa: PLR2004 - what stands before the schema: the key
            raise
        return HealthCheck("project_schema", FAIL, f"The schema cannot be asked: {no.said}.", _INSTALL)
    said = "Anybody may call Outrider's functions without signing in."
    return HealthCheck("project_schema", FAIL, said, _INSTALL)


def _as_user(project: SupabaseProject, sign_in: AuthSession) -> list[HealthCheck]:
    try:
        kept = sign_in.saved_session()
    except OutriderError as error:
        return [HealthCheck("project_user", WARN, error.sentence, error.remedy)]
    if kept is None:
        return [HealthCheck("project_user", OK, "nobody is signed in here, so tables were not looked at")]
    try:
        health = SupabaseSharedStore(project, sign_in).health()
    except SharedStoreRefusedError as refused:
        ended = OutriderError("signed_out")
        return [HealthCheck("project_user", FAIL, f"{ended.sentence} ({refused.said})", ended.remedy)]
    except SharedStoreUnreachableError as unreachable:
        return [_failed("project_user", OutriderError("project_unreachable", said=unreachable.said))]
    return [
        HealthCheck("project_user", OK, f"signed in as {kept.email}"),
        _version(health.version),
        _rows(health.unprotected),
    ]


def _version(found: int) -> HealthCheck:
    if found == SCHEMA:
        return HealthCheck("project_version", OK, f"schema {found}")
    if found < SCHEMA:
        return HealthCheck(
            "project_version", FAIL, f"The project has schema {found}; this Outrider needs {SCHEMA}.", _INSTALL
        )
    said = f"The project has schema {found}; this Outrider knows {SCHEMA}."
    return HealthCheck("project_version", FAIL, said, "Install the newer Outrider.")


def _rows(unprotected: list[str]) -> HealthCheck:
    if not unprotected:
        return HealthCheck("project_rows", OK, "every table keeps each user's rows to that user")
    said = f"Rows of all users can be read in {', '.join(unprotected)}."
    return HealthCheck(
        "project_rows", FAIL, said, "Switch row level security on for these tables, in the dashboard, at once."
    )


def _failed(code: str, error: OutriderError) -> HealthCheck:
    return HealthCheck(code, FAIL, error.sentence, error.remedy)


def _word(told: Any, name: str) -> str:
    return str(told.get(name, ""))[:40] if isinstance(told, dict) else ""


def _switched(told: Any, *names: str) -> bool:
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told is True

"""What a model's server says when it fails, as one of our errors: one ordered table, whatever the server and its spelling."""

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.values.error_table import ErrorCode

LONGEST_DETAIL = 300
RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
NO_DETAIL = "it does not say why"
NOTHING_RAN = "nothing_ran"
"""The fact of an error that says that it cost nothing."""
_PAGE = re.compile(r"<(!doctype )?html", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ServerError:
    """`status` as in HTTP, 0 if the server gives none; `names` are the error codes and types in its body, in lower case."""

    status: int = 0
    names: frozenset[str] = frozenset()
    message: str = ""

    def detail(self, secret: str = "") -> str:
        """The server's own words, short and on one line, without the key."""
        text = self.message.replace(secret, "…") if secret else self.message
        return " ".join(text.split())[:LONGEST_DETAIL].rstrip(". ") or NO_DETAIL


class Meaning(NamedTuple):
    """`retryable`: the same request may succeed a little later."""

    code: ErrorCode
    retryable: bool = False


class _Row(NamedTuple):
    meaning: Meaning
    statuses: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()


# The first row that fits decides. Names say more than a status, and some servers say it in words alone.
_ROWS = (
    _Row(
        Meaning("proposer_unpaid"),
        frozenset({402}),
        frozenset(
            {
                "insufficient_quota",
                "insufficient_credits",
                "insufficient_balance",
                "billing_error",
                "billing_hard_limit_reached",
                "billing_not_active",
                "budget_exceeded",
                "payment_required",
                "exceeded_current_quota_error",
                "arrearage",
            }
        ),
        (
            "credit balance is too low",
            "insufficient credits",
            "insufficient balance",
            "more credits",
            "all available credits",
            "key limit exceeded",
            "budget has been exceeded",
            "crossed budget",
            "over budget",
            "specified api usage limits",
            "usage limit, please upgrade",
            "requires a subscription",
            "account is in good standing",
            "daily free allocation",
            "free-models-per-day",
            "limit: 0,",
            "limit: 0\n",
        ),
    ),
    _Row(
        Meaning("proposer_refused"),
        names=frozenset(
            {"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed"}
        ),
        phrases=("your input was flagged",),
    ),
    _Row(
        Meaning("proposer_forbidden"),
        names=frozenset({"unsupported_country_region_territory", "account_deactivated", "organization_disabled"}),
        phrases=(
            "location is not supported",
            "country, region, or territory not supported",
            "organization has been disabled",
        ),
    ),
    _Row(
        Meaning("proposer_unauthorised"),
        frozenset({401}),
        frozenset({"invalid_api_key", "authentication_error", "unauthenticated", "api_key_invalid"}),
        (
            "api key not valid",
            "invalid api key",
            "incorrect api key",
            "invalid x-api-key",
            "login fail",
            "authentication error",
        ),
    ),
    _Row(Meaning("proposer_forbidden"), frozenset({403}), frozenset({"permission_error", "permission_denied"})),
    _Row(
        Meaning("proposer_prompt_too_long"),
        names=frozenset(
            {
                "context_length_exceeded",
                "exceed_context_size_error",
                "string_above_max_length",
                "request_too_large",
                "tokens_limit_reached",
            }
        ),
        phrases=(
            "context length",
            "context size",
            "context limit",
            "context window",
            "maximum prompt length",
            "maximum allowed input length",
            "range of input length",
            "model token limit",
            "tokens in the prompt exceeds",
            "prompt too long",
            "prompt is too long",
            "prompt 超长",
            "input is too long",
            "must have less than",
            "exceeds the maximum number of tokens",
            "reduce the length of the messages",
            "request too large for",
            "must be at least 1, got -",
            "`inputs` tokens + `max_new_tokens` must be",
        ),
    ),
    _Row(
        Meaning("proposer_rate_limited", retryable=True),
        frozenset({429}),
        frozenset({"rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests"}),
    ),
    _Row(
        Meaning("proposer_failed"),
        phrases=("more system memory", "failed to load model", "could not load model", "error loading model"),
    ),
    _Row(Meaning("proposer_request_refused"), phrases=("unexpected endpoint or method",)),
    _Row(
        Meaning("proposer_failed", retryable=True),
        frozenset(RETRYABLE_STATUSES),
        frozenset(
            {
                "overloaded_error",
                "api_error",
                "server_error",
                "internal_error",
                "internal_server_error",
                "unavailable",
                "json_validate_failed",
                "tool_use_failed",
            }
        ),
        ("overloaded",),
    ),
)


def meaning_of(error: ServerError) -> Meaning:
    """Our error for a server's."""
    words = error.message.lower()
    for row in _ROWS:
        if error.status in row.statuses or error.names & row.names or any(phrase in words for phrase in row.phrases):
            return row.meaning
    if 300 <= error.status < 500:  # noqa: PLR2004 - redirected, or the request itself is refused
        return Meaning("proposer_request_refused")
    if error.names & {"invalid_request_error", "not_found_error", "model_not_found", "invalid_argument"}:
        return Meaning("proposer_request_refused")
    return Meaning("proposer_failed", retryable=not error.status)


def read_error(text: str, status: int) -> ServerError:
    """The error in the body of a response with a failing status."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ServerError(status, message="" if _PAGE.search(text[:2_000]) else text[:2_000])
    return error_in(body, status) or ServerError(status, message=text[:2_000])


def error_in(body: Any, status: int = 0) -> ServerError | None:
    """The error in an object from a server, or None. (Gemini puts it in a list.)"""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return None
    minimax = body.get("base_resp")
    if isinstance(minimax, dict) and minimax.get("status_code"):
        return ServerError(status, _names(minimax), str(minimax.get("status_msg", "")))
    inner = body.get("error") or body.get("errors")
    if isinstance(inner, list) and inner:
        inner = inner[0]
    if isinstance(inner, str) and inner:
        return ServerError(status, _names(body), _message(body) or inner)
    if isinstance(inner, dict) and inner:
        return ServerError(status or _status(inner), _names(inner), _message(inner))
    bare = body.get("object") == "error" or body.get("type") == "error"
    if bare or not body.keys() & {"choices", "usage", "content", "id"}:
        message = _message(body)
        return ServerError(status or _status(body), _names(body), message) if bare or message else None
    return None


def _status(error: dict[str, Any]) -> int:
    for name in ("code", "status", "status_code"):
        status = error.get(name)
        if isinstance(status, str) and re.fullmatch(r"[1-5]\d\d", status):
            status = int(status)
        if isinstance(status, int) and 100 <= status < 600:  # noqa: PLR2004 - HTTP's
            return status
    return 0


def _names(error: dict[str, Any]) -> frozenset[str]:
    inner = error.get("innererror")
    codes = [error.get(name) for name in ("code", "type", "status", "reason")]
    codes += [inner.get("code")] if isinstance(inner, dict) else []
    return frozenset(name.lower() for name in codes if isinstance(name, str))


def _message(error: dict[str, Any]) -> str:
    """The first message in it; OpenRouter adds that of the provider behind it."""
    parts = [error.get(name) for name in ("message", "detail", "msg", "Message")]
    message = next((part for part in parts if isinstance(part, str)), "")
    if not message and isinstance(parts[0], dict):
        message = _message(parts[0])
    fields = next((part for part in parts if isinstance(part, list) and part), parts[1])
    if not message and isinstance(fields, list | dict):  # which field, and why
        message = json.dumps(fields, ensure_ascii=False)
    metadata = error.get("metadata")
    upstream = metadata.get("raw") if isinstance(metadata, dict) else None
    return f"{message}: {upstream}" if isinstance(upstream, str) and upstream else message

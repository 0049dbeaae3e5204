"""Every failure as {"code", "sentence", "remedy"} with a fitting status; what is unexpected is told to stderr, not to the page."""

import sys
import traceback

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from backend.api.wire.base import ErrorShape
from backend.domain.errors import OutriderError

STATUS: dict[str, int] = {
    "bad_request": 400,
    "token_refused": 401,
    "pairing_refused": 401,
    "knock_refused": 401,
    "origin_refused": 403,
    "campaign_unknown": 404,
    "page_unknown": 404,
    "file_ticket_unknown": 404,
    "entry_unknown": 404,
    "turn_unknown": 404,
    "task_unknown": 404,
    "artifact_unknown": 404,
    "field_unknown": 404,
    "lead_unknown": 404,
    "evidence_unknown": 404,
    "evidence_damaged": 410,
    "artifact_damaged": 410,
    "method_refused": 405,
    "past_not_foldable": 409,
    "import_unknown": 404,
    "lead_list_changed": 400,
    "campaign_completed": 409,
    "approval_unknown": 409,
    "approval_text_changed": 409,
    "question_unknown": 409,
    "rejection_final": 409,
    "illegal_status": 409,
    "turn_in_flight": 409,
    "campaign_not_active": 409,
    "campaign_empty": 409,
    "run_elsewhere": 409,
    "settings_changed": 409,
    "profile_in_use": 409,
    "profile_kept": 409,
    "person_not_listed": 409,
    "set_aside_unknown": 404,
    "not_again": 409,
    "project_attached": 409,
    "not_attached": 409,
    "import_running": 409,
    "run_not_possible": 409,
    "rehearsal_elsewhere": 409,
    "acting_elsewhere": 409,
    "project_of_another": 409,
    "project_in_use": 409,
    "instance_running": 409,
    "artifact_version_taken": 409,
    "soul_changed": 409,
    "skill_changed": 409,
    "skill_unknown": 404,
    "soul_version_unknown": 404,
    "config_protected": 403,
    "request_too_large": 413,
    "json_required": 415,
    "bytes_required": 415,
    "export_failed": 422,
    "upload_failed": 422,
    "sequence_invalid": 422,
    "hours_empty": 422,
    "blueprint_weights": 422,
    "blueprint_too_large": 422,
    "blueprint_field_unknown": 422,
    "blueprint_invalid": 422,
    "blueprint_unchanged": 409,
    "blueprint_changed": 409,
    "site_not_available": 422,
    "person_unclear": 422,
    "priority_out_of_range": 422,
    "tags_not_usable": 422,
    "note_too_long": 422,
    "answer_not_offered": 422,
    "text_too_long": 422,
    "text_not_sendable": 422,
    "artifact_type_unknown": 422,
    "artifact_key_invalid": 422,
    "artifact_empty": 422,
    "artifact_too_large": 422,
    "artifact_not_text": 422,
    "model_unknown": 404,
    "model_in_use": 409,
    "model_address_refused": 422,
    "key_not_for_host": 409,
    "key_read_only": 409,
    "keychain_missing": 503,
    "keychain_locked": 503,
    "keychain_failed": 503,
    "vault_locked": 409,
    "vault_changed": 409,
    "vault_without_kit": 409,
    "vault_parameters_refused": 422,
    "passphrase_wrong": 422,
    "passphrase_short": 422,
    "recovery_code_wrong": 422,
    "key_unreadable": 409,
    "device_unknown": 404,
    "device_here": 409,
    "sealed_file_failed": 507,
    "proposer_key_missing": 409,
    "pairing_paused": 429,
    "past_on_its_way": 503,
    "database_locked": 503,
    "database_read_only": 503,
    "database_full": 507,
    "site_unreachable": 502,
    "selectors_changed": 502,
    "practice_failed": 502,
    "browser_missing": 503,
    "browser_failed": 503,
    "page_missing": 503,
}
"""Codes that are not listed are defects or damage: 500."""

_OF_HTTP = {404: "page_unknown", 405: "method_refused", 413: "request_too_large", 415: "json_required"}


def status_of(code: str) -> int:
    """The HTTP status of a code; whatever is wrong with a file or a text is wrong with what the user gave."""
    return STATUS.get(code, 422 if code.startswith(("lead_file_", "soul_", "skill_", "project_", "sign_in_")) else 500)


def shape(error: OutriderError) -> ErrorShape:
    """The error as the page gets it."""
    return ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)


def answer(error: OutriderError) -> Response:
    """The error as a response."""
    return Response(shape(error).model_dump_json(), status_of(error.code), mimetype="application/json")


def register(app: Flask) -> None:
    """Turn whatever a request raises into a coded answer."""
    app.register_error_handler(OutriderError, answer)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def _http(error: HTTPException) -> Response:
    code = error.code or 500
    if code >= 500:  # noqa: PLR2004 - a server's own failure
        return _unexpected(error)
    found = _OF_HTTP.get(code)
    coded = OutriderError(found) if found else OutriderError("bad_request", detail=error.name.lower())
    response = answer(coded)
    response.status_code = code
    return response


def _unexpected(error: Exception) -> Response:
    sys.stderr.write("".join(traceback.format_exception(error)))
    return answer(OutriderError("internal_error"))

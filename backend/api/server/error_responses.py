"""Every failure as {"code", "sentence", "remedy"} with a fitting status; of what is unexpected stderr is told where it arose."""

import sys

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from backend.api.server.request_data import json_text
from backend.domain.values.error_table import ERRORS, ErrorCode
from backend.domain.values.errors import OutriderError, as_told, defect_report
from backend.domain.values.shapes import ErrorShape

_OF_HTTP: dict[int, ErrorCode] = {
    404: "page_unknown",
    405: "method_refused",
    413: "request_too_large",
    415: "json_required",
}


def error_response(error: OutriderError) -> Response:
    """The error as a response."""
    return Response(json_text(ErrorShape.showing(error)), ERRORS[error.code].status, mimetype="application/json")


def register_error_handlers(app: Flask) -> None:
    """Turn whatever a request raises into a coded answer."""
    app.register_error_handler(OutriderError, error_response)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def _http(error: HTTPException) -> Response:
    code = error.code or 500
    if code >= 500:  # noqa: PLR2004 - a server's own failure
        return _unexpected(error)
    error_code = _OF_HTTP.get(code)
    coded_error = OutriderError(error_code) if error_code else OutriderError("bad_request", detail=error.name.lower())
    response = error_response(coded_error)
    response.status_code = code
    return response


def _unexpected(error: Exception) -> Response:
    if isinstance(error, OverflowError) and "SQLite" in str(error):  # a number of the address, which has no shape
        return error_response(OutriderError("bad_request", detail="a number is too large"))
    coded_error = as_told(error)
    if coded_error.code == "internal_error":
        sys.stderr.write(defect_report(error))
    return error_response(coded_error)

"""The window's functions as the page may call them: every argument is checked, every failure is a coded answer."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from backend.api.native import Function, Native, functions
from backend.api.server.auth import MAX_REQUEST_BYTES
from backend.api.server.request_data import parse_json
from backend.domain.values.errors import OutriderError, as_told, defect_report
from backend.domain.values.shapes import ErrorShape, Shape

Answer = dict[str, Any]
"""{"value": …} or {"error": …}, for frontend/src/lib/desktop/native.ts."""


def exposed_functions(native: Native, is_ours: Callable[[], bool]) -> list[Callable[..., Answer]]:
    """One function for each row of the table, named as there; `is_ours` says whether the window shows our own page."""
    return [_guarded(row, getattr(native, row.name), is_ours) for row in functions()]


def functions_without_backend(
    error: OutriderError, usable_functions: Mapping[str, Callable[..., Any]], is_ours: Callable[[], bool]
) -> list[Callable[..., Answer]]:
    """The same functions when there is no backend: those that need none, by their names; every other answers why."""

    def refuse(*_: object) -> Any:
        raise error

    return [_guarded(row, usable_functions.get(row.name, refuse), is_ours) for row in functions()]


def _guarded(row: Function, function: Callable[..., Any], is_ours: Callable[[], bool]) -> Callable[..., Answer]:
    def guarded(*arguments: object) -> Answer:
        try:
            return {"value": _plain(function(*_checked(row, arguments, is_ours)))}
        except Exception as error:  # noqa: BLE001 - pywebview would hand the traceback to the page
            coded_error = as_told(error)
            if coded_error.code == "internal_error":
                sys.stderr.write(defect_report(error))
            return {"error": ErrorShape.showing(coded_error).model_dump()}

    guarded.__name__ = row.name
    return guarded


def _checked(row: Function, arguments: tuple[object, ...], is_ours: Callable[[], bool]) -> list[Shape]:
    if not is_ours():
        raise OutriderError("origin_refused", what="another page")
    if len(arguments) != (0 if row.takes is None else 1):
        raise OutriderError("bad_request", detail=f"{row.name} takes {'one shape' if row.takes else 'nothing'}")
    if row.takes is None:
        return []
    text = json.dumps(arguments[0])
    if len(text) > MAX_REQUEST_BYTES:
        raise OutriderError("request_too_large")
    return [parse_json(row.takes, text)]


def _plain(answer: object) -> object:
    return answer.model_dump() if isinstance(answer, Shape) else answer

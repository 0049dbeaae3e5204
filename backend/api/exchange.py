"""Bodies in and out: strict shapes, and a `bad_request` that names the field and never repeats what was sent."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from flask import Response, request
from pydantic import ValidationError

from backend.api.wire.base import Wire
from backend.domain.errors import OutriderError

Word = TypeVar("Word", bound=StrEnum)

MOST_DIGITS = 15
"""Every number of the wire is exact in the page."""

Shape = TypeVar("Shape", bound=Wire)


def body(shape: type[Shape]) -> Shape:
    """The request's body; raises `bad_request`."""
    return read(shape, request.get_data(cache=False))


def asked(shape: type[Shape]) -> Shape:
    """What the address asks for after its question mark, each name once; raises `bad_request`."""
    given = {name: values[0] if len(values) == 1 else values for name, values in request.args.lists()}
    return _understood(lambda: shape.model_validate_strings(given))


def read(shape: type[Shape], text: str | bytes) -> Shape:
    """JSON as that shape; raises `bad_request`."""
    return _understood(lambda: shape.model_validate_json(text))


def _understood(validate: Callable[[], Shape]) -> Shape:
    try:
        return validate()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:100]
        said = first["msg"] if first["type"] != "json_invalid" else "it is not JSON"
        raise OutriderError("bad_request", detail=f"{where}: {said}" if where else said) from error


def number(name: str) -> int | None:
    """A positive whole number of the request's query, None if it is left out; raises `bad_request`."""
    text = request.args.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= MOST_DIGITS and int(text) > 0):
        raise OutriderError("bad_request", detail=f"{name} is no positive number")
    return int(text)


def choice(name: str, among: type[Word]) -> Word | None:
    """A word of the request's query, None if it is left out or empty; raises `bad_request`."""
    text = request.args.get(name)
    if not text:
        return None
    try:
        return among(text)
    except ValueError:
        raise OutriderError("bad_request", detail=f"{name} is none of {', '.join(among)}") from None


def reply(shape: Wire, status: int = 200) -> Response:
    """A shape as a response."""
    return Response(shape.model_dump_json(), status, mimetype="application/json")

"""Bodies in and out: strict shapes, and a `bad_request` that names the field and never repeats what was sent."""

import json
from collections.abc import Callable
from typing import TypeVar

from flask import Response, request
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape

MOST_EXACT = 2**53 - 1
"""The largest whole number that the page holds exactly."""

AnyShape = TypeVar("AnyShape", bound=Shape)


def parse_body(shape: type[AnyShape]) -> AnyShape:
    """The request's body; raises `bad_request`."""
    return parse_json(shape, request.get_data(cache=False))


def parse_query(shape: type[AnyShape]) -> AnyShape:
    """What the address asks for after its question mark, each name once; raises `bad_request`."""
    parameters = {name: values[0] if len(values) == 1 else values for name, values in request.args.lists()}
    return _understood(lambda: shape.model_validate_strings(parameters))


def parse_json(shape: type[AnyShape], text: str | bytes) -> AnyShape:
    """JSON as that shape; raises `bad_request`."""
    return _understood(lambda: shape.model_validate_json(text))


def _understood(validate: Callable[[], AnyShape]) -> AnyShape:
    try:
        shape = validate()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        location = ".".join(str(part) for part in first["loc"])[:100]
        message = first["msg"] if first["type"] != "json_invalid" else "it is not JSON"
        raise OutriderError("bad_request", detail=f"{location}: {message}" if location else message) from error
    refuse_inexact(shape.model_dump(), "")
    return shape


def refuse_inexact(value: object, location: str) -> None:
    """Raises `bad_request` for a whole number that the page cannot hold exactly; the database holds more than those."""
    if isinstance(value, int) and abs(value) > MOST_EXACT:
        raise OutriderError("bad_request", detail=f"{location[:100]}: the number is too large")
    if isinstance(value, dict):
        for name, inner in value.items():
            refuse_inexact(inner, f"{location}.{name}".lstrip("."))
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            refuse_inexact(inner, location)


def json_response(answer: object, status: int = 200) -> Response:
    """A shape, or a domain value that is served as it is, as a response."""
    return Response(json_text(answer), status, mimetype="application/json")


def json_text(answer: object) -> str:
    """A shape, or a domain value, as JSON.

    A file's name may have bytes that are no letters (`os.fsdecode` makes half a surrogate pair of each), which UTF-8 cannot
    say; they are escaped, and the page shows a replacement character.
    """
    try:
        return to_json(answer, inf_nan_mode="null").decode()
    except PydanticSerializationError:
        return json.dumps(to_jsonable_python(answer, inf_nan_mode="null"), separators=(",", ":"))

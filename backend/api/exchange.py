"""Bodies in and out: strict shapes, and a `bad_request` that names the field and never repeats what was sent."""

from collections.abc import Callable
from typing import TypeVar

from flask import Response, request
from pydantic import ValidationError

from backend.api.wire.base import Wire
from backend.domain.errors import OutriderError

Shape = TypeVar("Shape", bound=Wire)


def body(shape: type[Shape]) -> Shape:
    """The request's body; raises `bad_request`."""
    return read(shape, request.get_data(cache=False))


def read(shape: type[Shape], text: str | bytes) -> Shape:
    """JSON as that shape; raises `bad_request`."""
    return _checked(lambda: shape.model_validate_json(text))


def _checked(validate: Callable[[], Shape]) -> Shape:
    try:
        return validate()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:100]
        said = first["msg"] if first["type"] != "json_invalid" else "it is not JSON"
        raise OutriderError("bad_request", detail=f"{where}: {said}" if where else said) from error


def asked(shape: type[Shape]) -> Shape:
    """What the query asks for; raises `bad_request`. Each name may come once."""
    given = {name: values[0] if len(values) == 1 else values for name, values in request.args.lists()}
    return _checked(lambda: shape.model_validate_strings(given))


def reply(shape: Wire, status: int = 200) -> Response:
    """A shape as a response."""
    return Response(shape.model_dump_json(), status, mimetype="application/json")

"""The objects in a server's answer, however it sends them: as server-sent events, or one for all."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from backend.adapters.llm.reply_stream import ModelRequestError, ServerErrorInStream
from backend.domain.device.model_server_error import ServerError, error_in
from backend.domain.values.errors import OutriderError

DONE: dict[str, Any] = {"[DONE]": True}
"""How servers that speak OpenAI's protocol end a stream."""

SIGN_OF_LIFE: dict[str, Any] = {}

_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK = "\ufeff \t"
_NO_OBJECT = frozenset(("", "null", "[]", '""'))
"""What some servers send while they wait."""


def objects_of(pieces: Iterable[str], host: str) -> Iterator[dict[str, Any]]:
    """Each object as it comes. An error among them, a web page, and what is no JSON, are raised."""
    data, whole = list[str](), list[str]()
    is_error = False
    for line in _lines(pieces):
        text = line.strip(_BLANK)
        if whole or text.startswith(("{", "[")):  # it does not stream
            whole.append(text)
        elif text.startswith("<"):
            raise ModelRequestError(OutriderError("proposer_web_page", host=host))
        elif text.startswith("data:") and (data or text.removeprefix("data:").strip() not in _NO_OBJECT):
            data.append(text.removeprefix("data:").strip())
            # Some servers put no empty line between two events: what is whole is not waited for.
            if (decoded := _decoded("\n".join(data))) is not None:
                data.clear()
                yield _checked({"error": decoded} if is_error and isinstance(decoded, str) else decoded, host)
        elif text.startswith("event:"):
            is_error = text.removeprefix("event:").strip() == "error"
            yield SIGN_OF_LIFE
        elif text.startswith("error:"):  # llama.cpp's own kind of event
            raise ServerErrorInStream(error_in({"error": _decoded(text.removeprefix("error:"))}) or ServerError())
        elif not text and data and is_error:
            raise ServerErrorInStream(ServerError(message="\n".join(data)))
        elif not text and data:
            raise _garbled(host)
        else:
            is_error = is_error and bool(text)
            yield SIGN_OF_LIFE  # a comment, or an empty line
    for left in (data, whole):
        if left:
            yield _checked(_decoded("\n".join(left)), host)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """Ended as server-sent events have it, and by none of the other characters that Python takes for an end."""
    left = list[str]()
    for piece in pieces:
        first, *more = _LINE_END.split(piece)
        left.append(first)
        if more:
            yield "".join(left)
            yield from more[:-1]
            left = more[-1:]
    yield "".join(left)


def _decoded(text: str) -> Any:
    if text == "[DONE]":
        return DONE
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _checked(decoded: Any, host: str) -> dict[str, Any]:
    if (failed := error_in(decoded)) is not None:
        raise ServerErrorInStream(failed)
    if not isinstance(decoded, dict):
        raise _garbled(host)
    return decoded


def _garbled(host: str) -> ModelRequestError:
    return ModelRequestError(OutriderError("proposer_garbled", host=host), may_be_billed=True)

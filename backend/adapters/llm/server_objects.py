"""The objects in a server's answer, however it sends them: as server-sent events, or one for all."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from backend.adapters.llm.reply_stream import ModelRequestError, NothingAnswered, ServerErrorInStream
from backend.domain.device.model_server_error import ServerError, error_in
from backend.domain.values.errors import OutriderError

DONE: dict[str, Any] = {"[DONE]": True}
"""How servers that speak OpenAI's protocol end a stream."""

SIGN_OF_LIFE: dict[str, Any] = {}

MOST_TEXT = 64 * 1_048_576
"""Characters of an answer, unpacked: a thousandth of that travels."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK = "\ufeff \t"
_DATA = re.compile(r"(?:data:\s*)+")
"""Once, or as often as there are proxies that each write it again."""
_WAITING = re.compile(r'|null|\[\]|""|:.*')
"""What some servers send while they wait, a comment that a proxy took for data among them."""
_SILENT = ":", "data:", "id:", "retry:"
"""How lines begin that say nothing; others that are no event are not of such a stream."""
_FOREIGN: dict[str, Any] = {}
_NO_ANSWER = SIGN_OF_LIFE, {"type": "ping"}, DONE


def objects_of(pieces: Iterable[str], host: str) -> Iterator[dict[str, Any]]:
    """Each object as it comes. An error among them, a web page, what is no JSON, and that nothing was said, are raised."""
    is_answered = is_foreign = False
    for server_object in _objects_in(pieces, host):
        is_foreign = is_foreign or server_object is _FOREIGN
        is_answered = is_answered or server_object not in _NO_ANSWER
        if server_object is DONE and not is_answered:
            break
        yield server_object
    if not is_answered:
        raise _garbled(host) if is_foreign else NothingAnswered


def _objects_in(pieces: Iterable[str], host: str) -> Iterator[dict[str, Any]]:
    data, whole = list[str](), list[str]()
    is_error = False
    for line in _lines(pieces):
        text = line.strip(_BLANK)
        if whole or text.startswith(("{", "[")):  # it does not stream
            whole.append(text)
        elif text.startswith("<"):
            raise ModelRequestError(OutriderError("proposer_web_page", host=host))
        elif (field := _DATA.match(text)) and (data or not _WAITING.fullmatch(text[field.end() :])):
            data.append(text[field.end() :])
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
            yield SIGN_OF_LIFE if not text or text.startswith(_SILENT) else _FOREIGN
    for left in (data, whole):
        if left:
            yield _checked(_decoded("\n".join(left)), host)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """Ended as server-sent events have it, and by none of the other characters that Python takes for an end."""
    left = list[str]()
    room = MOST_TEXT
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            endless = OutriderError("proposer_cut_off", why="the answer had no end")
            raise ModelRequestError(endless, may_be_billed=True)
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

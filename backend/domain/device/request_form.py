"""The forms in which a request can be put to a model, and which to try next when a server refuses one."""

import re
from typing import NamedTuple

from backend.domain.model.connection import Connection
from backend.domain.model.providers import PRESETS, Mode

NEW_LIMIT, OLD_LIMIT = "max_completion_tokens", "max_tokens"
"""OpenAI's newer models refuse the old name, and other servers do not know the new one."""

_PLAINER: dict[tuple[str, Mode], Mode] = {
    ("openai", "json_schema"): "json_object",
    ("openai", "json_object"): "text",
    ("anthropic", "json_schema"): "text",
}
_ABOUT_FORM = re.compile(
    r"response[_ ]?format|json_?\s?schema|json_object|json mode|\bschema\b|structured|grammar|tool_choice|\btools?\b|\bstrict\b",
    re.IGNORECASE,
)


_ABOUT_RULES = re.compile(
    r"\bsystem\W{0,3}(?:role|message|prompt|instruction)|\brole\W{0,3}system\b|developer instruction"
    r"|roles must alternate|only user and assistant roles",
    re.IGNORECASE,
)
_ABOUT_STREAM = re.compile(r"\bstream(?:ing)?\b", re.IGNORECASE)


class RequestForm(NamedTuple):
    """`mode` as in a connection; `limit` names the parameter that limits a reply; `usage` asks for a stream's token counts.

    `apart`: the rules are a message of their own, which templates such as Gemma's do not have. `stream`: the reply comes as it is
    written, which OpenAI refuses of some models to whoever is not verified.
    """

    mode: Mode
    limit: str
    usage: bool = True
    apart: bool = True
    stream: bool = True


def usual_form(connection: Connection) -> RequestForm:
    """The form to try first."""
    preset = PRESETS[connection.provider]
    return RequestForm(connection.mode, NEW_LIMIT if preset.completion_limit else OLD_LIMIT)


def form_after(refused: RequestForm, error_text: str, connection: Connection) -> RequestForm | None:
    """The form to try when a server refused one in these words; None if they are about something else."""
    protocol = PRESETS[connection.provider].protocol
    if protocol == "openai":
        if re.search(rf"\b{refused.limit}\b", error_text):
            return refused._replace(limit=OLD_LIMIT if refused.limit == NEW_LIMIT else NEW_LIMIT)
        if refused.usage and "stream_options" in error_text:
            return refused._replace(usage=False)
        if refused.apart and _ABOUT_RULES.search(error_text):
            return refused._replace(apart=False)
        if refused.stream and _ABOUT_STREAM.search(error_text):
            return refused._replace(stream=False, usage=False)
    plainer = _PLAINER.get((protocol, refused.mode))
    return refused._replace(mode=plainer) if plainer and _ABOUT_FORM.search(error_text) else None

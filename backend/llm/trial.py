"""One tiny real call, to see whether a connection works and whether its replies keep a form."""

import json

from backend.domain.connection import Connection, Trial
from backend.domain.errors import OutriderError
from backend.llm.connected import model
from backend.llm.listening import Surroundings
from backend.llm.prompt import Prompt
from backend.ports.credentials import ModelKeys
from backend.ports.outgoing import Outgoing
from backend.ports.proposer import Usage

_WANTED = {"word": "ready"}
_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready"]}},
    "required": ["word"],
    "additionalProperties": False,
}
_PROMPT = Prompt("Return exactly one JSON object that fits the schema, and nothing else.", json.dumps(_WANTED), _SCHEMA)
_SHOWN = 300


def try_out(connection: Connection, credentials: ModelKeys, outgoing: Outgoing, around: Surroundings) -> Trial:
    """What the call showed; an error is an answer, too."""
    heard: list[int] = []
    usages: list[Usage] = []
    begun = around.now()

    def hear(_: str) -> None:
        heard.append(round((around.now() - begun) * 1_000))

    trouble: OutriderError | None = None
    said = ""
    try:
        said = model(connection, credentials, outgoing, around).ask(_PROMPT, hear, usages.append)
    except OutriderError as error:
        trouble = error
    return Trial(
        code=trouble.code if trouble else "",
        sentence=trouble.sentence if trouble else "",
        remedy=trouble.remedy if trouble else "",
        first_ms=heard[0] if heard else 0,
        whole_ms=round((around.now() - begun) * 1_000),
        structured=_keeps_form(said),
        said=said[:_SHOWN],
        tokens_in=sum(usage.tokens_in for usage in usages),
        tokens_out=sum(usage.tokens_out for usage in usages),
        micros=sum(usage.micros for usage in usages),
    )


def _keeps_form(said: str) -> bool:
    try:
        return bool(json.loads(said) == _WANTED)
    except ValueError:
        return False

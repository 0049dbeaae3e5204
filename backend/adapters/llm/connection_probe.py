"""One tiny real call, to see whether a connection works and whether its replies keep a form."""

import json

from backend.adapters.llm.campaign_proposer import build_model_proposer
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.connection import Connection, ConnectionTest
from backend.domain.values.errors import OutriderError
from backend.domain.values.json_in_text import object_in
from backend.ports.credentials import ModelKeys
from backend.ports.egress import EgressPolicy
from backend.ports.proposer import ModelUsage

_EXPECTED = {"word": "ready"}
_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready"]}},
    "required": ["word"],
    "additionalProperties": False,
}
_PROMPT = Prompt(
    "Return exactly one JSON object that fits the schema, and nothing else.", json.dumps(_EXPECTED), _SCHEMA
)
_SHOWN = 300


def probe_connection(
    connection: Connection, credentials: ModelKeys, outgoing: EgressPolicy, stream_control: StreamControl
) -> ConnectionTest:
    """What the call showed; an error is an answer, too."""
    times: list[int] = []
    usages: list[ModelUsage] = []
    begun = stream_control.now()

    def on_text(_: str) -> None:
        times.append(round((stream_control.now() - begun) * 1_000))

    failure: OutriderError | None = None
    reply = ""
    try:
        reply = build_model_proposer(connection, credentials, outgoing, stream_control).ask(
            _PROMPT, on_text, usages.append
        )
    except OutriderError as error:
        failure = error
    return ConnectionTest(
        code=failure.code if failure else "",
        sentence=failure.sentence if failure else "",
        remedy=failure.remedy if failure else "",
        first_token_ms=times[0] if times else 0,
        total_ms=round((stream_control.now() - begun) * 1_000),
        structured=object_in(reply) == _EXPECTED,
        said=reply[:_SHOWN],
        tokens_in=sum(usage.tokens_in for usage in usages),
        tokens_out=sum(usage.tokens_out for usage in usages),
        micros=sum(usage.micros for usage in usages),
    )

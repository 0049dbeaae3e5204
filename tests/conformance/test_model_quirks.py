"""Whatever a model's server says, in whatever dialect, is read as what it means, and billed at no less than it may cost.

One row a quirk, as servers were seen to answer. To add one: its name, its provider, what is sent, and what is right.
"""

# ruff: noqa: E501 - a row stays a row

import gzip
import json
import tracemalloc
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from typing import Any, Literal

import pytest

from backend.adapters.llm.campaign_proposer import build_model_proposer
from backend.adapters.llm.model import ATTEMPTS, LONGEST_PAUSE
from backend.adapters.llm.prompt import Prompt
from backend.adapters.llm.reply_stream import ModelRequestError, ServerErrorInStream
from backend.adapters.llm.server_objects import MOST_TEXT, objects_of
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.device.retry_after import SECONDS_ASKED
from backend.domain.model.connection import Connection
from backend.domain.model.providers import PRESETS, Mode, Provider
from backend.domain.values.errors import OutriderError
from backend.domain.values.json_in_text import object_in
from backend.ports.proposer import ModelUsage
from backend.turn.model_failures import may_have_cost
from tests.fakes.credentials import Pocket
from tests.fakes.outgoing import nobody_else
from tests.fakes.raw_server import Raw, RawServer

KEY = "sk-canary-90ab12"
OBJECT = {"word": "ready"}
SAID = json.dumps(OBJECT)
PROMPT = Prompt("Say it.", SAID, {"type": "object", "properties": {"word": {"type": "string"}}})

# --- how answers are written below ---

DONE = "data: [DONE]\n\n"


def sse(*objects: Any, end: str = DONE) -> Raw:
    """A stream of OpenAI's kind."""
    return Raw("".join(f"data: {json.dumps(object_, ensure_ascii=False)}\n\n" for object_ in objects) + end)


def chunk(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}], **more}


def chunked(body: str) -> Raw:
    """Of which its server says where it ends."""
    return Raw(f"{len(body.encode()):x}\r\n{body}\r\n0\r\n\r\n", headers={"transfer-encoding": "chunked"})


def compressed(sent: Raw, **headers: str) -> Raw:
    return replace(sent, body=gzip.compress(sent.body.encode()).decode("latin-1"), headers=headers, encoding="latin-1")


def whole(content: Any, finish: str | None = "stop", **more: Any) -> Raw:
    """A reply that is not streamed."""
    message = {"role": "assistant", "content": content}
    return Raw(
        json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}), kind="application/json"
    )


def usage(tokens_in: Any, tokens_out: Any) -> dict[str, Any]:
    return {"choices": [], "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}}


def error(status: int, body: Any, **headers: str) -> Raw:
    return Raw(json.dumps(body), status, {name.replace("_", "-"): value for name, value in headers.items()}, "application/json")  # fmt: skip


def page(status: int) -> Raw:
    return Raw("<!DOCTYPE html>\n<html><body>Please sign in</body></html>", status, kind="text/html; charset=utf-8")


def events(*objects: dict[str, Any]) -> Raw:
    """A stream of Anthropic's kind."""
    return Raw("".join(f"event: {object_['type']}\ndata: {json.dumps(object_)}\n\n" for object_ in objects))


def started(**counted: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": counted}}


def typed(part: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": part}}


def spoken(part: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": {"type": "text_delta", "text": part}}


def stopped(reason: str | None = "tool_use", **counted: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": counted}


STOP = {"type": "message_stop"}

# --- what is right ---

Count = int | Literal["most"]


@dataclass(frozen=True)
class Reads:
    """The object is found in the reply as received; `bill` is tokens in and out."""

    bill: tuple[Count, Count] = ("most", "most")
    text: str = SAID


@dataclass(frozen=True)
class Fails:
    """With this code, after so many requests; `bill` is of all of them, None if nothing ran."""

    code: str
    names: str = ""
    asked: int = 1
    bill: tuple[Count, Count] | None = None


@dataclass(frozen=True)
class Quirk:
    name: str
    provider: Provider
    sent: Raw
    right: Reads | Fails
    mode: Mode | None = None
    changes: dict[str, Any] = field(default_factory=dict)


P = Provider
UNPAID, NOT_ALLOWED, PAGE = "proposer_unpaid", "proposer_forbidden", "proposer_web_page"
QUOTA = {"error": {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}}  # fmt: skip
REGION = {"error": {"message": "Country, region, or territory not supported", "code": "unsupported_country_region_territory"}}  # fmt: skip
BOTH = chunk(SAID), chunk(None, "stop")

QUIRKS = [
    # each server as it usually answers
    Quirk("usual", P.OPENAI, sse(chunk(""), chunk(SAID[:5]), chunk(SAID[5:]), chunk(None, "stop"), usage(40, 6)), Reads((40, 6))),
    Quirk("filter results first", P.AZURE, sse({"choices": [], "prompt_filter_results": [{}]}, *BOTH, usage(40, 6)), Reads((40, 6))),
    Quirk("usual", P.ANTHROPIC, events(started(input_tokens=40, output_tokens=1), {"type": "ping"}, typed(SAID), stopped(output_tokens=6), STOP), Reads((40, 6))),
    Quirk("capital reason", P.GEMINI, sse(chunk(SAID, "STOP", usage={"prompt_tokens": 40, "completion_tokens": 6})), Reads((40, 6))),
    Quirk("usage in the last chunk", P.MISTRAL, sse(chunk(SAID), chunk("", "stop", usage={"prompt_tokens": 40, "completion_tokens": 6})), Reads((40, 6))),
    Quirk("comments while it waits", P.OPENROUTER, Raw(": OPENROUTER PROCESSING\n\n" * 3 + sse(*BOTH, usage(40, 6)).body), Reads((40, 6))),
    Quirk("no usage", P.OLLAMA, sse(*BOTH), Reads()),
    Quirk("carriage returns", P.LM_STUDIO, Raw(sse(*BOTH, usage(40, 6)).body.replace("\n", "\r\n")), Reads((40, 6))),
    Quirk("no space behind data:", P.LLAMA_CPP, Raw(sse(*BOTH, usage(40, 6)).body.replace("data: ", "data:")), Reads((40, 6))),
    Quirk("usage in each chunk", P.VLLM, sse(chunk(SAID, usage={"prompt_tokens": 40, "completion_tokens": 3}), chunk(None, "stop", usage={"prompt_tokens": 40, "completion_tokens": 6})), Reads((40, 6))),
    # 1: token counts
    Quirk("null counts", P.OPENAI, sse(*BOTH, usage(None, None)), Reads()),
    Quirk("half of the counts", P.OPENAI, sse(*BOTH, usage(40, None)), Reads((40, "most"))),
    Quirk("usage is null", P.OPENAI, sse(*(event | {"usage": None} for event in BOTH)), Reads()),
    Quirk("usage is empty", P.OPENAI, sse(*BOTH, {"choices": [], "usage": {}}), Reads()),
    Quirk("usage is a list", P.OPENAI, sse(*BOTH, {"choices": [], "usage": []}), Reads()),
    Quirk("negative counts", P.OPENAI, sse(*BOTH, usage(-1, -5)), Reads()),
    Quirk("counts of zero", P.OPENAI, sse(*BOTH, usage(0, 0)), Reads()),
    Quirk("counts as text, as numbers beyond reason", P.OPENAI, sse(*BOTH, usage("40", 10**40)), Reads()),
    Quirk("a later null takes no count back", P.OPENAI, sse(*BOTH, usage(40, 6), usage(None, None)), Reads((40, 6))),
    Quirk("no usage", P.ANTHROPIC, events({"type": "message_start", "message": {}}, typed(SAID), {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, STOP), Reads()),
    Quirk("usage is empty", P.ANTHROPIC, events(started(), typed(SAID), stopped(), STOP), Reads()),
    Quirk("usage is null", P.ANTHROPIC, events(started(input_tokens=None), typed(SAID), {**stopped(), "usage": None}, STOP), Reads()),
    Quirk("all counts in the end", P.ANTHROPIC, events(started(), typed(SAID), stopped(input_tokens=40, output_tokens=6), STOP), Reads((40, 6))),
    Quirk("most of it from a cache", P.ANTHROPIC, events(started(input_tokens=0, cache_read_input_tokens=40), typed(SAID), stopped(output_tokens=6), STOP), Reads((40, 6))),
    Quirk("usage in the first chunk only", P.OTHER, sse(usage(40, 6), *BOTH), Reads((40, 6))),
    Quirk("counts within an object of its own", P.OTHER, sse(chunk(SAID), chunk(None, "stop", x_groq=usage(40, 6))), Reads((40, 6))),
    Quirk("counts within the choice", P.OTHER, sse({"choices": [{**chunk(SAID, "stop")["choices"][0], **usage(40, 6)}]}), Reads((40, 6))),
    Quirk("counts under other names", P.OTHER, sse(*BOTH, {"choices": [], "usage": {"input_tokens": 40, "output_tokens": 6}}), Reads((40, 6))),
    # 2: chunks without what they are for
    Quirk("asynchronous filter, no delta", P.AZURE, sse(chunk(SAID), {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]}, chunk(None, "stop")), Reads()),
    Quirk("delta is null", P.AZURE, sse(chunk(SAID), {"choices": [{"delta": None, "finish_reason": None}]}, chunk(None, "stop")), Reads()),
    Quirk("choices are null", P.OTHER, sse({"choices": None}, *BOTH), Reads()),
    Quirk("choices are missing", P.OTHER, sse({"id": "c"}, *BOTH), Reads()),
    Quirk("nothing, while it thinks (hermes-agent, report 80822)", P.OTHER, Raw("".join(f"data: {wait}\n\n" for wait in ("null", "", "[]", '""')) + sse(*BOTH).body), Reads()),
    Quirk("an event without choices behind the reply (litellm, report 34382)", P.OTHER, sse(chunk(SAID), {"type": "response.completed"}, end=""), Reads()),
    Quirk("a choice is null", P.OTHER, sse({"choices": [None]}, *BOTH), Reads()),
    Quirk("no empty line between events", P.OTHER, Raw(sse(*BOTH).body.replace("\n\n", "\n")), Reads()),
    Quirk("a comment that a proxy took for data (llm-gateway, report 2053)", P.OPENROUTER, Raw(f"data: : OPENROUTER PROCESSING\n\n{sse(*BOTH).body}"), Reads()),
    Quirk("data twice, by a proxy", P.OTHER, Raw(sse(*BOTH).body.replace("data: ", "data: data: ")), Reads()),
    Quirk("an event over two lines", P.OTHER, Raw(f"data: {json.dumps(chunk(SAID))[:12]}\ndata: {json.dumps(chunk(SAID))[12:]}\n\n{DONE}"), Reads()),
    Quirk("line separators within a text", P.OTHER, sse(chunk("\u2028\x85"), *BOTH), Reads(text=f"\u2028\x85{SAID}")),
    Quirk("an error that is none", P.OTHER, sse({"error": None, **chunk(SAID)}, {"error": {}, **chunk(None, "stop")}), Reads()),
    Quirk("another charset in the header", P.OTHER, Raw(sse(chunk("Zoë: "), *BOTH).body, kind="text/event-stream; charset=iso-8859-1"), Reads(text=f"Zoë: {SAID}")),
    Quirk("plain text", P.OTHER, Raw(sse(*BOTH, usage(40, 6)).body, kind="text/plain"), Reads((40, 6))),
    # 3: how a reply ends
    Quirk("no reason, then [DONE]", P.OTHER, sse(chunk(SAID)), Reads()),
    Quirk("no reason and no [DONE], but whole", P.OTHER, sse(chunk(SAID), end=""), Reads()),
    Quirk("an empty reason is none", P.OTHER, sse(chunk(SAID[:-1], ""), end=""), Fails("proposer_cut_off", bill=("most", "most"))),
    Quirk("an empty reason, but whole", P.OTHER, sse(chunk(SAID, ""), end=""), Reads()),
    Quirk("closed in the middle", P.OTHER, sse(chunk(SAID[:-1]), end=""), Fails("proposer_cut_off", bill=("most", "most"))),
    Quirk("at its longest", P.GEMINI, sse(chunk(SAID[:-1], "MAX_TOKENS")), Fails("proposer_cut_off", "longest", bill=("most", "most"))),
    Quirk("filtered", P.AZURE, sse(chunk(SAID[:-1], "content_filter"), usage(40, 6)), Fails("proposer_cut_off", "filter", bill=(40, 6))),
    Quirk("no reason, then message_stop", P.ANTHROPIC, events(started(), typed(SAID), STOP), Reads()),
    Quirk("closed behind the whole", P.ANTHROPIC, events(started(input_tokens=40), typed(SAID)), Reads()),
    Quirk("its own spelling of the reason (llmcord, report 84)", P.GEMINI, sse({"choices": [{"delta": {"content": SAID}, "finish_reason": None, "finishReason": "stop"}]}, end=""), Reads()),
    Quirk("at its longest, in its own spelling (llmcord, report 84)", P.GEMINI, sse({"choices": [{"delta": {"content": SAID[:-1]}, "finish_reason": None, "finishReason": "MAX_TOKENS"}]}), Fails("proposer_cut_off", "longest", bill=("most", "most"))),
    Quirk("recited", P.GEMINI, sse(chunk("", "RECITATION")), Fails("proposer_cut_off", "filter", bill=("most", "most"))),
    Quirk("prohibited", P.GEMINI, sse(chunk("", "content_filter: PROHIBITED_CONTENT")), Fails("proposer_cut_off", "filter", bill=("most", "most"))),
    Quirk("broken off", P.VLLM, sse(chunk(SAID[:-1], "abort")), Fails("proposer_cut_off", "broke", bill=("most", "most"))),
    Quirk("broken off, in an object", P.OTHER, sse(chunk(SAID[:-1]), {"choices": [{"delta": {}, "finish_reason": {"type": "abort", "message": "Aborted"}}]}), Fails("proposer_cut_off", "broke", bill=("most", "most"))),
    Quirk("the whole again, as a message", P.OTHER, sse(chunk(SAID[:5]), chunk(SAID[5:]), {"choices": [{"message": {"role": "assistant", "content": SAID}, "finish_reason": "stop"}]}), Reads()),
    Quirk("the whole again, as a delta", P.OTHER, sse(chunk(SAID[:5]), chunk(SAID[5:]), chunk(SAID, "stop")), Reads()),
    # 4: what is no reply
    Quirk("credits used up, within the stream", P.OPENROUTER, sse({"error": {"code": 402, "message": "Insufficient credits"}}, end=""), Fails(UNPAID)),
    Quirk("credits used up, as text in the stream", P.OTHER, sse({"error": {"code": "402", "message": "No"}}, end=""), Fails(UNPAID)),
    Quirk("credits used up, with a choice", P.OPENROUTER, sse({"id": "c", "choices": [{"delta": {"content": ""}, "finish_reason": "error", "error": {"code": 402, "message": "No"}}]}), Fails(UNPAID)),
    Quirk("too many requests, within the stream", P.OPENROUTER, sse({"error": {"code": 429, "message": "Slow down"}}, end=""), Fails("proposer_rate_limited", asked=ATTEMPTS)),
    Quirk("overloaded, within the stream", P.ANTHROPIC, events(started(input_tokens=40), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), Fails("proposer_failed", "Overloaded", asked=ATTEMPTS)),
    Quirk("an error behind words", P.OPENROUTER, sse(chunk(SAID[:3]), {"error": {"code": 502, "message": "Upstream"}}), Fails("proposer_failed", "Upstream", bill=("most", "most"))),
    Quirk("an error beside no choices (OmniRoute, report 8210)", P.OPENROUTER, sse({"choices": [], "error": {"code": 502, "message": "Worker limit reached"}}), Fails("proposer_failed", "Worker limit", asked=ATTEMPTS)),
    Quirk("the server behind it failed, by its own reason (hax, report 15)", P.OPENROUTER, sse({"choices": [{"delta": {"content": ""}, "finish_reason": "stop", "native_finish_reason": "network_error"}]}), Fails("proposer_failed", asked=ATTEMPTS)),
    Quirk("the server behind it failed in the middle (houston, report 1211)", P.OPENROUTER, sse(chunk(SAID[:5]), chunk("", "network_error")), Fails("proposer_failed", bill=("most", "most"))),
    Quirk("no room on the server", P.OTHER, sse(chunk("", "insufficient_system_resource")), Fails("proposer_failed", asked=ATTEMPTS)),
    Quirk("no balance, beside no choices", P.OTHER, Raw(json.dumps({"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}), kind="application/json"), Fails(UNPAID)),
    Quirk("no such key, in words of its own", P.OTHER, Raw(json.dumps({"base_resp": {"status_code": 1004, "status_msg": "login fail: Please carry the API secret key"}}), kind="application/json"), Fails("proposer_unauthorised")),
    Quirk("no such address, with status 200", P.LM_STUDIO, Raw('{"error": "Unexpected endpoint or method. (POST /v1/v1/chat/completions)"}', kind="application/json"), Fails("proposer_request_refused", "HTTP 200")),
    Quirk("a model that is still loading (llama-swap, report 146)", P.LLAMA_CPP, error(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}), Fails("proposer_failed", "Loading model", asked=ATTEMPTS)),
    Quirk("a reply that its server could not read itself", P.OTHER, error(400, {"error": {"message": "Failed to generate JSON.", "type": "invalid_request_error", "code": "json_validate_failed"}}), Fails("proposer_failed", "JSON", asked=ATTEMPTS)),
    Quirk("whole, not streamed", P.OTHER, whole(SAID, usage={"prompt_tokens": 40, "completion_tokens": 6}), Reads((40, 6))),
    Quirk("whole, over several lines", P.OTHER, Raw(json.dumps(json.loads(whole(SAID).body), indent=2), kind="application/json"), Reads()),
    Quirk("whole, not streamed", P.ANTHROPIC, Raw(json.dumps({"type": "message", "content": [{"type": "tool_use", "input": OBJECT}], "stop_reason": "tool_use", "usage": {"input_tokens": 40, "output_tokens": 6}}), kind="application/json"), Reads((40, 6))),
    Quirk("an error with status 200", P.OTHER, Raw('{"error": {"code": 401, "message": "No such key"}}', kind="application/json"), Fails("proposer_unauthorised")),
    Quirk("an error in a word", P.OLLAMA, error(404, {"error": "model 'tiny' not found"}), Fails("proposer_request_refused", "'tiny' not found")),
    Quirk("an error in a list", P.GEMINI, error(400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]), Fails("proposer_unauthorised")),
    Quirk("an error without error", P.MISTRAL, error(404, {"object": "error", "message": "Invalid model: tiny", "code": "1500"}), Fails("proposer_request_refused", "Invalid model")),
    Quirk("details in a list", P.VLLM, error(422, {"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}), Fails("proposer_request_refused", "Field required")),
    Quirk("what the server behind it says", P.OPENROUTER, error(400, {"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": "context too long"}}}), Fails("proposer_request_refused", "context too long")),
    Quirk("details in a message", P.MISTRAL, error(422, {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 0, "name"], "msg": "Extra inputs are not permitted"}]}, "code": None}), Fails("proposer_request_refused", "Extra inputs")),
    Quirk("an event of its own kind", P.LLAMA_CPP, Raw('error: {"code":400,"message":"the request exceeds the available context size","type":"invalid_request_error"}\n\n' + DONE), Fails("proposer_prompt_too_long", "context size")),
    Quirk("such an event without words", P.LLAMA_CPP, Raw("error: broken\n\n"), Fails("proposer_failed", asked=ATTEMPTS)),
    Quirk("a model that is unknown, with status 200", P.VLLM, Raw('{"code": 404, "message": "The model does not exist.", "object": "error", "type": "NotFoundError"}', kind="application/json"), Fails("proposer_request_refused", "does not exist")),
    Quirk("the prompt is too long, with status 200", P.LLAMA_CPP, Raw('{"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}', kind="application/json"), Fails("proposer_prompt_too_long", "context size")),
    Quirk("a prompt that is too long, by name", P.OPENAI, error(400, {"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", "type": "invalid_request_error", "param": "messages"}}), Fails("proposer_prompt_too_long", "8192 tokens")),
    Quirk("a prompt that is too long, in words", P.ANTHROPIC, error(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"}}), Fails("proposer_prompt_too_long", "208310")),
    Quirk("a prompt that is too long, by a count", P.GEMINI, error(400, {"error": {"code": 400, "message": "The input token count (9000) exceeds the maximum number of tokens allowed (8192).", "status": "INVALID_ARGUMENT"}}), Fails("proposer_prompt_too_long", "9000")),
    Quirk("a prompt that is too long for a small window", P.LM_STUDIO, error(400, {"error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}), Fails("proposer_prompt_too_long", "4096")),
    Quirk("a prompt that no minute allows, as a limit of the rate", P.OPENAI, error(429, {"error": {"code": "rate_limit_exceeded", "type": "tokens", "message": "Request too large for gpt in organization o on tokens per min (TPM): Limit 8000, Requested 9000."}}), Fails("proposer_prompt_too_long", "Requested 9000")),
    Quirk("no word and no error for a prompt that is too long", P.LM_STUDIO, sse(chunk(None, "stop"), usage(36_000, 0)), Fails("proposer_empty", bill=(36_000, "most"))),
    *(Quirk(f"a prompt that is too long: {name}", P.OTHER, error(400, {"error": {"message": message}}), Fails("proposer_prompt_too_long")) for name, message in (
        ("Poolside (pi, report 4943)", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."),
        ("Kimi (kimi-cli, report 2011)", "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"),
        ("GLM (octo-agent, report 2124)", "Prompt 超长"),
        ("DashScope", "Range of input length should be [1, 98304]"),
        ("SGLang (billion-context, report 493)", "The input (400013 tokens) is longer than the model's context length (262144 tokens)."),
        ("vLLM (vllm, report 4667)", "max_tokens must be at least 1, got -186."),
        ("Grok", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
        ("Ollama", "prompt too long; exceeded max context length by 4 tokens"),
        ("Together", "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000"),
        ("Cohere", "too many tokens: the total number of tokens in the prompt exceeds the limit of 4081"),
    )),
    Quirk("a prompt that is too long, within the stream (huggingface_hub, report 2514)", P.OTHER, sse({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 6 `inputs` tokens and 4091 `max_new_tokens`", "error_type": "validation"}), Fails("proposer_prompt_too_long", "4091")),
    Quirk("a limit of the reply is none of the prompt", P.ANTHROPIC, error(400, {"error": {"message": "max_tokens must be at most 4096"}}), Fails("proposer_request_refused", "4096")),
    Quirk("a call that its server could not read itself (groq-typescript, report 28)", P.OTHER, error(400, {"error": {"message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed"}}), Fails("proposer_failed", "call a function", asked=ATTEMPTS)),
    Quirk("an error as an event's text", P.OTHER, Raw("event: error\ndata: model crashed\n\n"), Fails("proposer_failed", "model crashed", asked=ATTEMPTS)),
    Quirk("an error as an event's object", P.OTHER, Raw('event: error\ndata: {"message": "model crashed"}\n\n'), Fails("proposer_failed", "model crashed", asked=ATTEMPTS)),
    *(Quirk(f"a model that does not load ({report})", provider, error(status, {"error": message}), Fails("proposer_failed", "load")) for report, provider, status, message in (
        ("continue, report 10150", P.LM_STUDIO, 400, 'Failed to load model "gpt-oss-20b". Error: Error loading model.'),
        ("continue, report 12713", P.OLLAMA, 500, "llama-server process has terminated: exit status 1: error loading model: llama_model_loader"),
        ("LocalAI", P.OTHER, 500, {"code": 500, "message": "could not load model: rpc error: code = Unknown desc = failed loading model", "type": ""}),
    )),
    Quirk("a model that is still loading (llama-swap, report 146)", P.LLAMA_CPP, error(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}), Fails("proposer_failed", "Loading model", asked=ATTEMPTS)),
    Quirk("an error twice in an event (goai, report 110)", P.LM_STUDIO, sse({"error": {"message": "Compute error."}, "message": "Compute error."}, end=""), Fails("proposer_failed", "Compute error", asked=ATTEMPTS)),
    Quirk("a gateway's details (bedrock-access-gateway, report 73)", P.OTHER, error(400, {"detail": "An error occurred (ValidationException) when calling the ConverseStream operation: Invocation of model ID tiny with on-demand throughput isn't supported."}), Fails("proposer_request_refused", "on-demand throughput")),
    Quirk("too little memory", P.OLLAMA, error(500, {"error": "model requires more system memory (9.1 GiB) than is available (4.2 GiB)"}), Fails("proposer_failed", "more system memory")),
    Quirk("its own protocol", P.OLLAMA, Raw('{"message": {"content": "{}"}, "done": false}\n{"done": true}\n', kind="application/x-ndjson"), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("another provider's stream", P.OTHER, events(started(), spoken(SAID), stopped("end_turn"), STOP), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("another provider's stream", P.ANTHROPIC, sse(*BOTH), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("another protocol of the same provider", P.OPENAI, Raw('data: {"type": "response.completed", "response": {}}\n\n'), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("another object", P.OTHER, Raw('{"id": "x", "status": "ok"}', kind="application/json"), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("another protocol that ends alike", P.OTHER, Raw(f'data: {{"response": "Hm"}}\n\n{DONE}'), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("a list", P.OTHER, Raw("[1, 2]", kind="application/json"), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("a page to sign in", P.OPENAI, page(200), Fails(PAGE)),
    Quirk("a page, called a stream", P.OPENAI, Raw(page(200).body), Fails(PAGE)),
    Quirk("a page that blocks", P.OPENAI, page(403), Fails(PAGE)),
    Quirk("a page that is not found", P.OPENAI, page(404), Fails(PAGE)),
    Quirk("a page of another kind", P.OPENAI, Raw(page(404).body, 404, kind="Application/XHTML+xml"), Fails(PAGE)),
    Quirk("a page of no kind", P.OPENAI, Raw("<!DOCTYPE HTML><p>Not here", 404, kind=""), Fails("proposer_request_refused", "does not say why")),
    Quirk("a page of a proxy that wants the key", P.OPENAI, page(401), Fails("proposer_unauthorised")),
    Quirk("a page to sign in", P.ANTHROPIC, page(511), Fails(PAGE)),
    Quirk("a page of a server that failed", P.OPENAI, page(502), Fails("proposer_failed", "HTTP 502", asked=ATTEMPTS)),
    Quirk("quota", P.OPENAI, error(429, QUOTA), Fails(UNPAID)),
    Quirk("no credit", P.ANTHROPIC, error(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}}), Fails(UNPAID)),
    Quirk("no balance", P.OTHER, error(402, {"error": {"message": "Insufficient Balance"}}), Fails(UNPAID)),
    Quirk("limit of the key", P.OPENROUTER, error(403, {"error": {"code": 403, "message": "Key limit exceeded (total limit)."}}), Fails(UNPAID)),
    Quirk("budget of the proxy", P.OTHER, error(429, {"error": {"message": "Budget has been exceeded! Current cost: 10.51, Max budget: 10.00", "type": "budget_exceeded", "code": "429"}}), Fails(UNPAID)),
    Quirk("budget of the proxy, in words", P.OTHER, error(400, {"error": {"message": "litellm.BadRequestError: OpenAIException - Budget has been exceeded! Current cost: 14, Max budget: 10.", "type": None, "code": "400"}}), Fails(UNPAID)),
    *(Quirk(name, P.OTHER, error(status, {"error": {"message": message, "type": kind, "code": code}}), Fails(UNPAID)) for name, status, message, kind, code in (
        ("budget of a deployment (litellm, report 14144)", 429, "No deployments available - crossed budget: Exceeded budget for deployment", "None", "429"),
        ("budget of an end user", 400, "ExceededBudget: End User=i over budget. Spend=0.0008, Budget=0.0001", "auth_error", "400"),
        ("arrears", 400, "Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage"),
        ("suspended for its bills", 429, "Your account is suspended, please check your plan and billing details", "exceeded_current_quota_error", None),
        ("a day's free share", 429, "You have used up your daily free allocation of 10,000 neurons", None, 4006),
        ("a day's free requests", 429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", None, 429),
        ("a week's share", 429, "you've reached your weekly usage limit, please upgrade to continue", "api_error", None),
        ("a model that only subscribers may use (ollama, report 15741)", 403, "this model requires a subscription, upgrade for access: https://ollama.com/upgrade", None, None),
        ("a limit of its own", 400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", "invalid_request_error", None),
        ("nothing free for this model", 429, "You exceeded your current quota. * Quota exceeded for metric: free_tier_requests, limit: 0, model: tiny", None, 429),
    )),
    Quirk("a quota that is free again in a moment", P.GEMINI, error(429, [{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: free_tier_requests, limit: 10. Please retry in 41s.", "status": "RESOURCE_EXHAUSTED"}}]), Fails("proposer_rate_limited", "41 s", asked=ATTEMPTS)),
    Quirk("no subscription (ollama, report 15990)", P.ANTHROPIC, error(403, {"type": "error", "error": {"type": "permission_error", "message": "this model requires a subscription, upgrade for access"}}), Fails(UNPAID)),
    Quirk("every server behind a gateway rests (litellm, report 5764)", P.OTHER, error(429, {"error": {"message": "No deployments available for selected model, Try again in 60 seconds. Passed model=tiny. cooldown_list=[]", "type": "None", "code": "429"}}), Fails("proposer_rate_limited", "60 s", asked=ATTEMPTS)),
    Quirk("an account that is closed", P.OPENAI, error(401, {"error": {"message": "Your account is deactivated.", "code": "account_deactivated"}}), Fails(NOT_ALLOWED, "deactivated")),
    Quirk("an organisation that is closed", P.ANTHROPIC, error(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "This organization has been disabled."}}), Fails(NOT_ALLOWED, "disabled")),
    Quirk("what is asked is inspected", P.OTHER, error(400, {"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}}), Fails("proposer_refused")),
    Quirk("what is asked is flagged", P.OPENROUTER, error(403, {"error": {"code": 403, "message": 'tiny requires moderation. Your input was flagged for "violence".'}}), Fails("proposer_refused")),
    Quirk("a prompt that is too long, by both counts", P.OTHER, error(422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000", "error_type": "validation"}), Fails("proposer_prompt_too_long", "9000")),
    Quirk("a prompt that is too long, by its size", P.ANTHROPIC, error(413, {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}), Fails("proposer_prompt_too_long")),
    Quirk("region", P.OPENAI, error(403, REGION), Fails(NOT_ALLOWED, "region")),
    Quirk("region", P.GEMINI, error(400, {"error": {"code": 400, "message": "User location is not supported for the API use.", "status": "FAILED_PRECONDITION"}}), Fails(NOT_ALLOWED, "location")),
    Quirk("permission", P.ANTHROPIC, error(403, {"type": "error", "error": {"type": "permission_error", "message": "No permission"}}), Fails(NOT_ALLOWED, "No permission")),
    Quirk("key with 403", P.OTHER, error(403, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}), Fails("proposer_unauthorised")),
    Quirk("the prompt is filtered", P.AZURE, error(400, {"error": {"code": "content_filter", "message": "Filtered", "status": 400}}), Fails("proposer_refused")),
    Quirk("a gateway that waited too long", P.OTHER, Raw("<html>524</html>", 524, kind="text/html"), Fails("proposer_failed", "HTTP 524", asked=ATTEMPTS)),
    Quirk("a page for what is too large", P.OTHER, Raw("<html>413</html>", 413, kind="text/html"), Fails("proposer_request_refused", "HTTP 413")),
    Quirk("a proxy that wants a password", P.OTHER, Raw("", 407), Fails("proxy_failed", "HTTP 407")),
    Quirk("to a page to sign in", P.OTHER, Raw("", 302, {"location": "https://me:pw@login.example/a?b=c"}), Fails("proposer_request_refused", "another address (https://login.example/a), to")),
    Quirk("to https", P.OTHER, Raw(page(301).body, 301, {"location": "https://models.example/v1"}, "text/html"), Fails("proposer_request_refused", "(https://models.example/v1)")),
    Quirk("to nowhere", P.OTHER, Raw("", 300, {"location": "http://[::1"}), Fails("proposer_request_refused", "another address, to")),
    Quirk("overloaded", P.ANTHROPIC, error(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), Fails("proposer_failed", "Overloaded", asked=ATTEMPTS)),
    Quirk("the key in an error is not repeated", P.OTHER, error(400, {"error": {"message": f"Bad: {KEY}"}}), Fails("proposer_request_refused", "Bad")),
    *(
        Quirk(f"{name}: nothing ran", provider, Raw(body, status, headers), Fails("proposer_no_content", f"HTTP {status}"))
        for provider in (P.OTHER, P.ANTHROPIC)
        for name, status, body, headers in (
            ("no content", 204, "", {}),
            ("an empty answer", 200, "", {"content-length": "0"}),
            ("an empty answer, in no chunks", 200, "0\r\n\r\n", {"transfer-encoding": "chunked"}),
            ("accepted, and no more", 202, "", {"content-length": "0"}),
        )
    ),
    *(
        Quirk(name, provider, sent, Fails("proposer_no_content", "HTTP 200", bill=None if is_whole else ("most", "most")))
        for name, provider, body in (
            ("only comments (coder, report 26005)", P.OPENROUTER, ": OPENROUTER PROCESSING\n\n" * 3),
            ("only comments, taken for data by a proxy", P.OPENROUTER, "data: : OPENROUTER PROCESSING\n\n"),
            ("only the end (coder, report 26005)", P.OTHER, DONE),
            ("only empty lines (DeepSeek-V3, report 599)", P.OTHER, "\n" * 5),
            ("only signs of life", P.ANTHROPIC, 'event: ping\ndata: {"type": "ping"}\n\n' * 2),
            ("only an event of nothing", P.OTHER, "event: error\n\n"),
            ("only when to ask again", P.OTHER, "id: 1\nretry: 3000\n\n"),
        )
        for sent, is_whole in ((chunked(body), True), (Raw(body), False))
    ),
    *(Quirk("the request taken, and no answer", provider, Raw(status=0), Fails("proposer_no_content", "the connection broke", bill=("most", "most"))) for provider in (P.OTHER, P.ANTHROPIC)),
    Quirk("words that are no stream", P.OTHER, Raw("upstream connect error\n", kind="text/plain"), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("compressed, and not said so", P.OTHER, compressed(sse(*BOTH)), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("said to be compressed (dify, report 9275)", P.OTHER, Raw(sse(*BOTH).body, headers={"content-encoding": "gzip"}), Fails("proposer_garbled", bill=("most", "most"))),
    Quirk("compressed", P.OTHER, compressed(sse(*BOTH, usage(40, 6)), **{"content-encoding": "gzip"}), Reads((40, 6))),
    Quirk("an error that is said to be compressed", P.OTHER, Raw("{}", 404, {"content-encoding": "gzip"}), Fails("proposer_request_refused", "HTTP 404")),
    Quirk("an error whose words break off", P.OTHER, Raw('{"error":', 429, {"content-length": "500"}), Fails("proposer_rate_limited", asked=ATTEMPTS)),
    Quirk("an error in a list of its own", P.OTHER, error(400, {"error": [{"message": "No such model"}]}), Fails("proposer_request_refused", ": No such model")),
    Quirk("an error in a list, within the stream", P.OTHER, sse({"error": ["Insufficient credits"]}, end=""), Fails(UNPAID)),
    Quirk("an answer that ends with the connection, before it begins", P.OTHER, Raw(), Fails("proposer_no_content", "HTTP 200", bill=("most", "most"))),
    Quirk("no choices, but counts (agentUniverse, report 772)", P.OTHER, Raw('{"choices": [], "usage": {"prompt_tokens": 40}}', kind="application/json"), Fails("proposer_empty", bill=(40, "most"))),
    Quirk("a code and a msg, with status 200", P.OTHER, Raw('{"code": 401, "msg": "invalid token", "data": null}', kind="application/json"), Fails("proposer_unauthorised")),
    Quirk("errors in a list, with status 200", P.OTHER, Raw('{"success": false, "errors": [{"code": 10000, "message": "Authentication error"}]}', kind="application/json"), Fails("proposer_unauthorised")),
    Quirk("errors in a list", P.OTHER, error(403, {"error": None, "errors": [{"code": 5, "message": "No such route"}]}), Fails(NOT_ALLOWED, "this: No such route")),
    Quirk("chunks without a reason, until the last (mlflow, report 24111)", P.OTHER, sse({"choices": [{"index": 0, "delta": {"content": SAID}}]}, chunk(None, "stop")), Reads()),
    # 5: what is around the object
    Quirk("thoughts first", P.OLLAMA, sse(chunk("<think>\nHm {}.\n</think>\n\n"), *BOTH), Reads(text=f"<think>\nHm {{}}.\n</think>\n\n{SAID}")),
    Quirk("only the end of thoughts", P.VLLM, sse(chunk("Hm.\n</think>\n"), *BOTH), Reads(text=f"Hm.\n</think>\n{SAID}")),
    Quirk("fences", P.OTHER, sse(chunk(f"```json\n{SAID}\n```"), end=""), Reads(text=f"```json\n{SAID}\n```")),
    Quirk("byte order mark", P.OTHER, sse(chunk("\ufeff"), *BOTH), Reads(text=f"\ufeff{SAID}")),
    Quirk("byte order mark before the stream", P.OTHER, Raw("\ufeff" + sse(*BOTH).body), Reads()),
    Quirk("leading words", P.OTHER, sse(chunk("Here it is: "), *BOTH), Reads(text=f"Here it is: {SAID}")),
    Quirk("list of parts", P.MISTRAL, sse(chunk([{"type": "text", "text": SAID}], "stop")), Reads()),
    Quirk("list of parts with thoughts", P.MISTRAL, sse(chunk([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]), chunk([{"type": "text", "text": SAID}], "stop")), Reads()),
    Quirk("thoughts in a field", P.VLLM, sse({"choices": [{"delta": {"reasoning_content": "Hm {}"}}]}, *BOTH), Reads()),
    Quirk("everything taken for thoughts", P.VLLM, sse({"choices": [{"delta": {"reasoning_content": SAID}, "finish_reason": "stop"}]}), Reads()),
    Quirk("everything taken for thoughts but a line break", P.LM_STUDIO, sse({"choices": [{"delta": {"reasoning_content": SAID}}]}, chunk("\n\n", "stop")), Reads(text=f"\n\n{SAID}")),
    Quirk("everything taken for thoughts", P.LM_STUDIO, Raw(json.dumps({"choices": [{"message": {"content": "", "reasoning_content": SAID, "tool_calls": []}, "finish_reason": "stop"}]}), kind="application/json"), Reads()),
    Quirk("thoughts in brackets", P.MISTRAL, sse(chunk('[THINK]Hm {"a": 1}.[/THINK]'), *BOTH), Reads(text=f'[THINK]Hm {{"a": 1}}.[/THINK]{SAID}')),
    Quirk("channels", P.LM_STUDIO, sse(chunk("<|channel|>final <|constrain|>json<|message|>"), *BOTH), Reads(text=f"<|channel|>final <|constrain|>json<|message|>{SAID}")),
    Quirk("thoughts in other signs", P.OTHER, sse(chunk('◁think▷{"a": 1}◁/think▷'), *BOTH), Reads(text=f'◁think▷{{"a": 1}}◁/think▷{SAID}')),
    Quirk("a call of a tool", P.VLLM, sse(*({"choices": [{"delta": {"content": None, "tool_calls": [{"index": 0, "function": {"arguments": part}}]}}]} for part in ("", SAID[:5], SAID[5:])), {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}), Reads()),
    Quirk("a word before the call of a tool", P.VLLM, sse(chunk("Let me. "), *({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}}]} for part in (SAID[:5], SAID[5:])), chunk(None, "tool_calls")), Reads(text=f"Let me. {SAID}")),
    Quirk("a call of a function", P.OTHER, sse({"choices": [{"delta": {"function_call": {"name": "proposal", "arguments": SAID}}, "finish_reason": "function_call"}]}), Reads()),
    Quirk("the object itself", P.OTHER, sse({"choices": [{"delta": {"content": OBJECT}, "finish_reason": "stop"}]}), Reads()),
    Quirk("parts of another name", P.OTHER, whole([{"type": "output_text", "text": SAID}]), Reads()),
    Quirk("text without a message", P.OTHER, sse({"choices": [{"text": SAID[:5]}]}, {"choices": [{"text": SAID[5:], "finish_reason": "stop"}]}), Reads()),
    Quirk("thoughts and no reply", P.OPENROUTER, sse({"choices": [{"delta": {"reasoning": "Hm."}, "finish_reason": "stop"}]}), Fails("proposer_empty", bill=("most", "most"))),
    Quirk("refusal", P.OPENAI, sse({"choices": [{"delta": {"refusal": "I would rather not."}, "finish_reason": "stop"}]}), Fails("proposer_refused", bill=("most", "most"))),
    Quirk("words before the tool", P.ANTHROPIC, events(started(), spoken("Sure."), typed(SAID), stopped(), STOP), Reads()),
    Quirk("words in place of the tool", P.ANTHROPIC, events(started(), spoken(f"Sure: {SAID}"), stopped("end_turn"), STOP), Reads(text=f"Sure: {SAID}")),
    Quirk("thoughts before the tool", P.ANTHROPIC, events(started(), {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm"}}, typed(SAID), stopped(), STOP), Reads()),
    Quirk("the tool's input at once", P.ANTHROPIC, events(started(), {"type": "content_block_start", "content_block": {"type": "tool_use", "input": OBJECT}}, stopped(), STOP), Reads()),
]  # fmt: skip


# --- the rules ---


class Asking:
    """A model at that server; sleeps are written down and take no time."""

    def __init__(
        self,
        server: RawServer,
        provider: Provider,
        mode: Mode | None = None,
        *,
        key: str = KEY,
        path: str | None = None,
    ) -> None:
        preset = PRESETS[provider]
        usual_path = "" if preset.protocol == "anthropic" else "/v1"
        self.slept: list[float] = []
        self.heard: list[str] = []
        self.usages: list[ModelUsage] = []
        self.connection = Connection(
            id="c1",
            name="Test",
            provider=provider,
            base_url=server.url + (usual_path if path is None else path),
            model="tiny",
            mode=mode or preset.mode,
            key="canary",
            price_in=1_000_000,
            price_out=2_000_000,
        )
        control = StreamControl(sleep=self.slept.append, jitter=lambda: 0.5)
        self.proposer = build_model_proposer(self.connection, Pocket({"canary": key}), nobody_else(), control)

    def ask(self) -> str:
        return self.proposer.ask(PROMPT, self.heard.append, self.usages.append)

    def tokens(self, bill: tuple[Count, Count]) -> tuple[int, int]:
        most = self.proposer.worst_case_tokens(PROMPT)
        counts = [most[at] if count == "most" else count for at, count in enumerate(bill)]
        return counts[0], counts[1]

    def billed(self) -> list[tuple[int, int]]:
        return [(usage.tokens_in, usage.tokens_out) for usage in self.usages]


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        *((P.OTHER, path) for path in ("/v1", "/v1/", "/v1//", "/v1/chat/completions", "/v1/chat/completions/")),
        *((P.ANTHROPIC, path) for path in ("", "/", "/v1", "/v1/", "/v1/messages")),
    ],
)
def test_an_address_that_people_copied_whole_is_not_extended_twice(provider: Provider, path: str) -> None:
    anthropic = events(started(), typed(SAID), stopped(), STOP)
    with RawServer(anthropic if provider is P.ANTHROPIC else sse(*BOTH)) as server:
        assert Asking(server, provider, path=path).ask() == SAID
    assert server.paths == ["/v1/messages" if provider is P.ANTHROPIC else "/v1/chat/completions"]


@pytest.mark.parametrize(
    ("provider", "path", "hint"), [(P.OTHER, "", True), (P.OTHER, "/api", False), (P.ANTHROPIC, "", False)]
)
def test_an_address_without_a_path_may_lack_the_version(provider: Provider, path: str, *, hint: bool) -> None:
    with RawServer(Raw("404 page not found", 404, kind="text/plain")) as server, pytest.raises(OutriderError) as caught:
        Asking(server, provider, path=path).ask()
    assert caught.value.code == "proposer_request_refused"
    assert ("/v1 at the end" in caught.value.sentence) is hint


@pytest.mark.parametrize("provider", [P.OPENAI, P.ANTHROPIC])
@pytest.mark.parametrize("character", ["\u201d", "\u200b", "\ufeff", "\xa0", "\0", "\t", "\x7f"])
def test_a_key_that_no_header_can_carry_is_named_without_a_request(provider: Provider, character: str) -> None:
    with RawServer(sse(*BOTH)) as server:
        asking = Asking(server, provider, key=f"sk{character}{KEY}")
        with pytest.raises(OutriderError) as caught:
            asking.ask()
    assert (caught.value.code, server.requests, asking.usages) == ("key_malformed", [], [])
    assert f"U+{ord(character):04X}" in caught.value.sentence
    assert KEY not in f"{caught.value} {caught.value.facts}"


def test_the_line_break_behind_a_key_is_no_part_of_it() -> None:
    with RawServer(sse(*BOTH)) as server:
        assert Asking(server, P.OPENAI, key=f"{KEY}\r\n").ask() == SAID


@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: f"{quirk.provider}: {quirk.name}")
def test_what_a_server_says_is_read_as_what_it_means(quirk: Quirk) -> None:
    with RawServer(quirk.sent) as server:
        asking = Asking(server, quirk.provider, quirk.mode)
        match quirk.right:
            case Reads(bill, text):
                assert asking.ask() == text == "".join(asking.heard)
                assert object_in(text) == OBJECT
                assert asking.billed() == [asking.tokens(bill)]
                assert len(server.requests) == 1
            case Fails(code, names, asked, bill):
                with pytest.raises(OutriderError) as caught:
                    asking.ask()
                assert (caught.value.code, len(server.requests)) == (code, asked), str(caught.value)
                assert names in caught.value.sentence
                assert KEY not in f"{caught.value} {caught.value.facts}"
                assert asking.billed() == ([] if bill is None else [asking.tokens(bill)])
                assert code != "proposer_no_content" or may_have_cost(caught.value) is (bill is not None)


@pytest.mark.parametrize("provider", [P.OTHER, P.ANTHROPIC])
def test_a_request_that_was_not_taken_whole_costs_nothing_and_is_made_again(provider: Provider) -> None:
    beyond_every_buffer = replace(PROMPT, state=" " * 32_000_000)
    with RawServer(Raw(status=0, is_taken=False)) as server:
        asking = Asking(server, provider)
        with pytest.raises(OutriderError) as caught:
            asking.proposer.ask(beyond_every_buffer, asking.heard.append, asking.usages.append)
    assert (caught.value.code, len(server.requests)) == ("proposer_unreachable", ATTEMPTS)
    assert (asking.usages, may_have_cost(caught.value)) == ([], False)


def test_each_provider_has_its_rows() -> None:
    assert {quirk.provider for quirk in QUIRKS} == set(Provider)


# --- 6: waiting, and the form of the request ---

IN_SEVEN_SECONDS = "in seven seconds"
WAITS = [
    ("seconds", {"retry-after": "7"}, 7.0),
    ("a decimal number", {"retry-after": "7.5"}, 7.5),
    ("a date", {"retry-after": IN_SEVEN_SECONDS}, 7.0),
    ("milliseconds", {"retry-after-ms": "7250"}, 7.25),
    ("both", {"retry-after-ms": "7250", "retry-after": "8"}, 7.25),
    ("a date that is over", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.5),
    ("nonsense", {"retry-after": "soon"}, 0.5),
    ("less than nothing", {"retry-after": "-5"}, 0.5),
    ("no number", {"retry-after": "nan"}, 0.5),
    ("a day", {"retry-after": "86400"}, LONGEST_PAUSE),
]


@pytest.mark.parametrize(("headers", "waits"), [wait[1:] for wait in WAITS], ids=[wait[0] for wait in WAITS])
def test_a_server_is_left_alone_as_long_as_it_asks_in_whatever_spelling(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], waits: float
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("backend.adapters.llm.http_call.time.time", lambda: now)
    sent_headers = {
        name: formatdate(now + 7, usegmt=True) if it is IN_SEVEN_SECONDS else it for name, it in headers.items()
    }
    with RawServer(Raw("{}", 429, sent_headers, "application/json"), sse(*BOTH)) as server:
        asking = Asking(server, P.OPENAI)
        assert asking.ask() == SAID
        assert sum(asking.slept) == pytest.approx(waits)


IN_WORDS = {
    "Rate limit reached. Please try again in 7s.": 7.0,
    "Please try again in 2500ms. Visit the page.": 2.5,
    "Please try again in 2 minutes.": 120.0,
    "Please try again in 1m30.5s.": 90.5,
    "Requests have exceeded the call rate limit. Please retry after 12 seconds.": 12.0,
    "You exceeded your current quota for the minute": 0.5,
}


@pytest.mark.parametrize("words", IN_WORDS)
def test_a_server_is_left_alone_as_long_as_its_words_ask(words: str) -> None:
    with RawServer(error(429, {"error": {"message": words}}), sse(*BOTH)) as server:
        asking = Asking(server, P.OPENAI)
        assert asking.ask() == SAID
        assert sum(asking.slept) == pytest.approx(min(IN_WORDS[words], LONGEST_PAUSE))


def test_a_server_is_left_alone_as_long_as_its_details_ask() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]
    refused_for_now = error(
        429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota", "details": details}}]
    )
    with RawServer(refused_for_now, sse(*BOTH)) as server:
        asking = Asking(server, P.GEMINI)
        assert asking.ask() == SAID
        assert sum(asking.slept) == pytest.approx(min(34.0, LONGEST_PAUSE))


def test_a_wait_beyond_the_longest_is_told() -> None:
    with RawServer(error(429, {}, retry_after="86400")) as server, pytest.raises(OutriderError) as caught:
        Asking(server, P.OPENAI).ask()
    assert caught.value.sentence.endswith("asks to wait 86,400 s; Outrider waits 3,600 s at most.")
    assert caught.value.facts[SECONDS_ASKED] == 86_400.0


def refused(message: str, status: int = 400) -> Raw:
    return error(status, {"error": {"message": message, "type": "invalid_request_error"}})


RULES_WITHIN = [{"role": "user", "content": f"{PROMPT.system}\n\n# State\n{PROMPT.state}"}]

FORMS: list[tuple[str, Provider, list[Raw], dict[str, Any]]] = [
    ("no strict schema", P.OPENROUTER, [refused("response_format json_schema is not supported")], {"response_format": {"type": "json_object"}}),
    ("a part of the schema", P.OPENAI, [refused("Invalid schema for response_format 'proposal'")], {"response_format": {"type": "json_object"}}),
    ("no form at all", P.VLLM, [refused("This response_format type is unavailable now"), refused("response_format is not permitted", 422)], {"response_format": None}),
    ("no grammar for it", P.LLAMA_CPP, [refused("failed to parse grammar")], {"response_format": {"type": "json_object"}}),
    ("only the new limit", P.OTHER, [refused("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")], {"max_tokens": None, "max_completion_tokens": 1_024}),
    ("only the old limit", P.OPENAI, [error(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"]}]})], {"max_completion_tokens": None, "max_tokens": 1_024}),
    ("no counts in a stream", P.AZURE, [refused("Unrecognized request argument supplied: stream_options")], {"stream_options": None}),
    ("a field, in the details of a message", P.MISTRAL, [error(422, {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}})], {"stream_options": None}),
    ("only a schema or text", P.LM_STUDIO, [error(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})], {"response_format": {"type": "json_object"}}),
    ("only some formats (typewhisper-win, report 26)", P.VLLM, [refused("The model only supports response formats: [json text].")], {"response_format": {"type": "json_object"}}),
    ("both", P.OTHER, [refused("Use 'max_completion_tokens' instead of 'max_tokens'"), refused("response_format is not supported")], {"max_tokens": None, "response_format": None}),
    ("not verified for streams", P.OPENAI, [refused("Your organization must be verified to stream this model.")], {"stream": False, "stream_options": None}),
    ("no streams, and no counts in them", P.OTHER, [refused("Unknown field: stream_options"), refused("streaming is not supported by this model")], {"stream": False, "stream_options": None}),
    ("no message of rules, by its template", P.VLLM, [refused("System role not supported")], {"messages": RULES_WITHIN}),
    ("no message of rules, by its server", P.OPENAI, [refused("Developer instruction is not enabled for models/gemma-3-27b-it")], {"messages": RULES_WITHIN}),
    ("turns about only", P.LLAMA_CPP, [refused("Conversation roles must alternate user/assistant/user/assistant/...")], {"messages": RULES_WITHIN}),
    ("no tool may be forced", P.ANTHROPIC, [refused("Thinking may not be enabled when tool_choice forces tool use.")], {"tools": None, "tool_choice": None}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "refusals", "right"), [form[1:] for form in FORMS], ids=[form[0] for form in FORMS]
)
def test_a_form_that_is_refused_is_replaced_and_the_one_that_works_is_remembered(
    provider: Provider, refusals: list[Raw], right: dict[str, Any]
) -> None:
    anthropic = events(started(), spoken(SAID), stopped("end_turn"), STOP)
    works = anthropic if PRESETS[provider].protocol == "anthropic" else sse(*BOTH)
    with RawServer(*refusals, works) as server:
        asking = Asking(server, provider)
        assert asking.ask() == asking.ask() == SAID
        assert len(server.requests) == len(refusals) + 2, "the second time it is known"
        assert {name: server.requests[-1].get(name) for name in right} == right
        assert asking.slept == []
        assert len(asking.usages) == 2, "a refused request costs nothing"
        if "response_format" in right or "tools" in right:
            request = json.dumps(server.requests[-1])
            assert "# Schema" in request, "what is not enforced is told"


def test_no_answer_is_unpacked_without_end() -> None:
    endless = gzip.compress(b"data: " + b" " * MOST_TEXT).decode("latin-1")
    packed = Raw(endless, headers={"content-encoding": "gzip"}, encoding="latin-1")
    with RawServer(packed) as server, pytest.raises(OutriderError) as caught:
        Asking(server, P.OTHER).ask()
    assert (caught.value.code, caught.value.facts["why"]) == ("proposer_cut_off", "the answer had no end")


def test_of_what_says_why_it_fails_no_more_is_read_than_a_beginning() -> None:
    size = 20_000_000
    with RawServer(Raw("x" * size, 400)) as server:
        asking = Asking(server, P.OTHER)
        tracemalloc.start()
        with pytest.raises(OutriderError, match="proposer_request_refused"):
            asking.ask()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 2 * size, "the server's own copy of it, and not the client's"


def test_a_form_is_tried_once_and_a_refusal_of_something_else_not_at_all() -> None:
    with RawServer(refused("response_format and max_tokens are not supported")) as server:
        with pytest.raises(OutriderError, match="proposer_request_refused"):
            Asking(server, P.VLLM).ask()
        assert len(server.requests) == len({json.dumps(body) for body in server.requests}) == 4
    with RawServer(refused("There is no model tiny.", 404)) as server:
        with pytest.raises(OutriderError, match="no model tiny"):
            Asking(server, P.VLLM).ask()
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ("event: error\ndata: out of memory\n\n", ServerErrorInStream),
        ("event: error\n\ndata: half of\n\n", ModelRequestError),  # that event was over
        ("event: error\nevent: message\ndata: half of\n\n", ModelRequestError),
    ],
)
def test_only_what_stands_in_an_event_of_an_error_is_one(lines: str, refused: type[Exception]) -> None:
    with pytest.raises(refused):
        list(objects_of([lines], "models.example"))

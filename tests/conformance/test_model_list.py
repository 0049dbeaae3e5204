"""A server that is asked which models it offers gives names, whatever it says, or a failure with its name."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from backend.adapters.egress_guard import EgressGuard
from backend.adapters.llm import model_list
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.connection import MOST_NAMES, Connection, ModelNames
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
from tests.fakes.model_server import ModelServer, names_listed
from tests.fakes.outgoing import OpenDoor, nobody_else

KEY = "sk-canary-55ab"
JSON: dict[str, str] = {}
HTML = {"content-type": "text/html; charset=utf-8"}


def ask(
    server: ModelServer,
    provider: Provider = Provider.OTHER,
    outgoing: EgressGuard | OpenDoor | None = None,
    **changes: Any,
) -> ModelNames:
    path = "" if provider is Provider.ANTHROPIC else "/v1"
    fields = {
        "id": "a",
        "name": "A",
        "provider": provider,
        "base_url": server.url + path,
        "model": "none",
        "key": "canary",
    }
    connection = Connection.model_validate(fields | changes)
    secret = Secret(KEY) if connection.key else None
    return model_list.list_models(connection, secret, outgoing or nobody_else(), StreamControl())


def fails(server: ModelServer, **changes: Any) -> OutriderError:
    with pytest.raises(OutriderError) as caught:
        ask(server, **changes)
    assert KEY not in f"{caught.value.sentence} {caught.value.remedy} {caught.value!r}"
    return caught.value


def data(listed: Any) -> Iterable[bytes]:
    return [json.dumps({"object": "list", "data": listed}).encode()]


@pytest.mark.parametrize("provider", Provider)
def test_each_protocol_is_asked_with_its_own_header_and_nothing_else(server: ModelServer, provider: Provider) -> None:
    assert ask(server, provider).names == ["tiny-1", "tiny-2"]
    [(path, headers)] = server.listed
    anthropic = provider is Provider.ANTHROPIC
    assert path == ("/v1/models?limit=1000" if anthropic else "/v1/models")
    assert headers.get("x-api-key") == (KEY if anthropic else None)
    assert headers.get("authorization") == (None if anthropic else f"Bearer {KEY}")
    assert set(headers) <= {
        "host", "accept", "accept-encoding", "connection", "user-agent", "authorization", "x-api-key", "anthropic-version",
    }  # fmt: skip
    assert server.requests == [], "no model was asked"


def test_without_a_key_none_is_sent(server: ModelServer) -> None:
    ask(server, key="")
    [(_, headers)] = server.listed
    assert not set(headers) & {"authorization", "x-api-key"}


def test_names_are_in_order_and_each_is_told_once(server: ModelServer) -> None:
    server.listing = names_listed("b", "A", "b", "a")
    assert ask(server) == ModelNames(["A", "a", "b"], 0)


def test_of_ten_thousand_models_the_first_are_told_and_the_rest_counted(server: ModelServer) -> None:
    server.listing = names_listed(*(f"model-{number:05}" for number in range(10_000)))
    model_names = ask(server)
    assert (len(model_names.names), model_names.more) == (MOST_NAMES, 10_000 - MOST_NAMES)
    assert model_names.names[0] == "model-00000"


@pytest.mark.parametrize(
    "odd",
    [{}, {"id": None}, {"id": 7}, {"id": ""}, {"id": "two words"}, {"id": "x" * 201}, {"id": "a\nb"}, "text", None, []],
)
def test_what_cannot_be_the_name_of_a_model_is_left_out_and_counted(server: ModelServer, odd: Any) -> None:
    server.listing = (200, JSON, data([odd, {"id": "tiny"}]))
    assert ask(server) == ModelNames(["tiny"], 1)


@pytest.mark.parametrize("listed", [None, []], ids=["null, as Ollama says", "nothing"])
def test_a_server_without_a_model_says_so(server: ModelServer, listed: Any) -> None:
    server.listing = (200, JSON, data(listed))
    assert fails(server).code == "model_list_empty"


@pytest.mark.parametrize(
    ("listing", "code"),
    [
        ((401, JSON, [f"You sent {KEY}".encode()]), "proposer_unauthorised"),
        ((403, JSON, []), "proposer_forbidden"),
        ((402, JSON, []), "proposer_unpaid"),
        ((400, JSON, [f"You sent {KEY}".encode()]), "proposer_request_refused"),
        ((404, JSON, []), "model_list_missing"),
        ((404, HTML, [b"<html>Not found"]), "model_list_missing"),
        ((405, JSON, []), "model_list_missing"),
        ((501, JSON, []), "model_list_missing"),
        ((429, JSON, []), "proposer_rate_limited"),
        ((500, JSON, []), "proposer_failed"),
        ((200, HTML, [b"<html>Log in</html>"]), "proposer_web_page"),
        ((200, JSON, []), "proposer_no_content"),
        ((200, JSON, [b"{"]), "proposer_garbled"),
        ((200, JSON, [b"[" * 100_000]), "proposer_garbled"),
        ((200, JSON, [b'["tiny"]']), "proposer_garbled"),
        ((200, JSON, [b'{"models": ["tiny"]}']), "proposer_garbled"),
        ((200, JSON, data("tiny")), "proposer_garbled"),
        ((200, JSON, data({"id": "tiny"})), "proposer_garbled"),
        ((200, JSON, [b"null"]), "proposer_garbled"),
        ((200, JSON, [b"\xff\xfe\x00"]), "proposer_garbled"),
        ((200, {"content-length": "500"}, [b'{"data": [']), "proposer_garbled"),
        ((200, {"content-encoding": "gzip"}, [b"no gzip"]), "proposer_garbled"),
    ],
)
def test_a_failure_is_named_as_when_a_model_is_asked(server: ModelServer, listing: Any, code: str) -> None:
    server.listing = listing
    assert fails(server).code == code
    assert len(server.listed) == 1, "it is asked once"


def test_a_redirect_to_another_host_is_not_followed(server: ModelServer) -> None:
    other = ModelServer()
    server.listing = (307, {"location": f"{other.url}/v1/models"}, [])
    error = fails(server)
    other.close()
    assert error.code == "proposer_request_refused"
    assert "points to another address" in error.sentence
    assert other.listed == []


def test_nobody_there(server: ModelServer) -> None:
    assert fails(server, base_url="http://127.0.0.1:9/v1").code == "proposer_unreachable"


def test_an_answer_without_end_is_not_read_on(server: ModelServer) -> None:
    server.listing = (200, JSON, itertools.chain([b'{"data": ['], itertools.repeat(b'{"id": "tiny"},' * 1_000)))
    assert fails(server).code == "proposer_garbled"


def test_an_answer_that_trickles_ends_at_the_whole_time(server: ModelServer) -> None:
    def trickle() -> Iterator[bytes]:
        while not server.over.wait(0.02):
            yield b" "

    server.listing = (200, JSON, trickle())
    assert fails(server, total_timeout_ms=400).code == "proposer_timeout"


def test_the_call_is_announced_for_its_own_purpose_with_what_was_sent_and_received(server: ModelServer) -> None:
    door = OpenDoor()
    ask(server, outgoing=door)
    [(host, purpose, call)] = door.calls
    assert (host, purpose) == ("127.0.0.1", "model-list")
    assert call.bytes_out > len(KEY)
    assert call.bytes_in > 0

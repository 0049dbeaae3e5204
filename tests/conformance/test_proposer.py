"""Every proposer keeps the port's promise, and those that ask a server keep it whatever the server does."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.llm.campaign_proposer import build_model_proposer
from backend.adapters.llm.model import ATTEMPTS, LONGEST_PAUSE, LONGEST_REPLY
from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.connection import Connection
from backend.domain.model.providers import PRESETS, Mode, Provider, ProviderPreset
from backend.domain.turn.proposals import Rejection, parse
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage, Proposer
from tests.fakes.campaign import Noted, Stage
from tests.fakes.credentials import Pocket
from tests.fakes.model_server import ModelServer
from tests.fakes.outgoing import nobody_else
from tests.fakes.proposers import MockProposer

KEY = "sk-canary-7f3a9c"
SHORT = 400
"""ms: how long these models may be silent."""

KINDS: dict[str, tuple[Provider, Mode, str]] = {
    "openai": (Provider.OPENAI, "json_schema", "/v1"),
    "compatible": (Provider.LLAMA_CPP, "json_schema", "/v1"),
    "json object": (Provider.OTHER, "json_object", "/v1"),
    "plain text": (Provider.VLLM, "text", "/v1"),
    "anthropic": (Provider.ANTHROPIC, "json_schema", ""),
    "anthropic, plain": (Provider.ANTHROPIC, "text", ""),
}


@pytest.fixture(scope="module")
def snapshots() -> Iterator[list[Snapshot]]:
    """Every snapshot of a whole small campaign."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        shown: list[Snapshot] = []
        stage.run(stage.campaign(2), proposer=Noted(ScriptedProposer(), shown.append))
        stage.close()
        yield shown


@dataclass
class Asked:
    """A proposer that asks the server, and what it told on the way; sleeps are written down and take no time."""

    kind: str
    server: ModelServer
    changes: dict[str, Any] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    usages: list[ModelUsage] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    stopped: bool = False

    @property
    def proposer(self) -> Proposer:
        return build_model_proposer(self.connection, Pocket({"canary": KEY}), nobody_else(), self.stream_control)

    @property
    def connection(self) -> Connection:
        provider, mode, path = KINDS[self.kind]
        fields = {
            "id": "c1",
            "name": "Test",
            "provider": provider,
            "base_url": self.server.url + path,
            "model": "tiny",
            "mode": mode,
            "first_token_timeout_ms": self._patience("slow"),
            "idle_timeout_ms": self._patience("silent"),
            "total_timeout_ms": 20_000,
            "price_in": 1_000_000,
            "price_out": 2_000_000,
            "key": "canary",
        }
        return Connection.model_validate(fields | self.changes)

    def _patience(self, silence: str) -> int:
        """Short only where that silence is what is tried: any other server may be slow on a busy machine."""
        return SHORT if any(act == silence for act in self.server.acts) else 15_000

    @property
    def stream_control(self) -> StreamControl:
        return StreamControl(sleep=self.slept.append, jitter=lambda: 0.5, cancelled=lambda: self.stopped)

    def propose(self, snapshot: Snapshot) -> str:
        return self.proposer.propose(snapshot, self.heard.append, self.usages.append)

    def fails(self, snapshot: Snapshot) -> OutriderError:
        with pytest.raises(OutriderError) as caught:
            self.propose(snapshot)
        text = f"{caught.value.sentence} {caught.value.remedy} {caught.value.facts} {caught.value!r}"
        assert KEY not in text
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        return caught.value


@pytest.fixture(params=KINDS)
def asked(request: pytest.FixtureRequest, server: ModelServer) -> Asked:
    return Asked(request.param, server)


# --- all of them ---


def every(server: ModelServer) -> dict[str, Callable[[], Proposer]]:
    asking = {kind: lambda kind=kind: Asked(kind, server).proposer for kind in KINDS}
    return {
        "scripted": ScriptedProposer,
        "mock": lambda: MockProposer([ScriptedProposer().propose] * 200),
        **asking,
    }


@pytest.mark.parametrize("kind", ["scripted", "mock", *KINDS])
def test_what_is_returned_is_what_was_said_and_the_snapshot_stays_as_it_was(
    kind: str, server: ModelServer, snapshots: list[Snapshot]
) -> None:
    proposer = every(server)[kind]()
    assert proposer.name.isidentifier()
    assert len(snapshots) > 10
    for snapshot in snapshots:
        before, heard = snapshot.to_json(), list[str]()
        raw = proposer.propose(snapshot, heard.append)
        assert raw == "".join(heard)
        assert snapshot.to_json() == before
        assert not isinstance(parse(raw), Rejection), raw


def test_the_same_snapshot_makes_the_same_request_whatever_was_asked_before(
    asked: Asked, snapshots: list[Snapshot]
) -> None:
    proposer = asked.proposer
    for snapshot in (snapshots[3], snapshots[0], snapshots[5], snapshots[3]):
        proposer.propose(snapshot)
    bodies = [body for _, _, body in asked.server.requests]
    assert bodies[0] == bodies[3]
    assert bodies[0] != bodies[1]


def test_the_key_goes_to_the_server_in_its_header_and_nowhere_else(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.propose(snapshots[0])
    [(path, headers, body)] = asked.server.requests
    assert KEY in headers.get("authorization", headers.get("x-api-key", headers.get("Authorization", "")))
    assert KEY not in path + str(body)
    assert not [name for name in headers if "stainless" in name.lower() or "organization" in name.lower()]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.provider)
def test_each_provider_is_asked_by_its_protocol_with_the_limit_that_it_knows(
    server: ModelServer, snapshots: list[Snapshot], preset: ProviderPreset
) -> None:
    asked = Asked("compatible", server, {"provider": preset.provider, "mode": preset.mode})
    asked.propose(snapshots[0])
    [(path, _, body)] = server.requests
    assert path.endswith("/messages" if preset.protocol == "anthropic" else "/chat/completions")
    assert [name for name in ("max_tokens", "max_completion_tokens") if name in body] == [
        "max_completion_tokens" if preset.provider in (Provider.OPENAI, Provider.AZURE) else "max_tokens"
    ]


def test_a_connection_without_a_key_sends_none(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"key": ""}
    asked.propose(snapshots[0])
    [(_, headers, _)] = asked.server.requests
    assert not {name.lower() for name in headers} & {"authorization", "x-api-key"}


def test_a_missing_key_asks_nobody(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"key": "other"}
    assert asked.fails(snapshots[0]).code == "proposer_key_missing"
    assert not asked.server.requests


def test_tokens_and_money_are_told_as_the_provider_counts_them(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.propose(snapshots[0])
    [usage] = asked.usages
    assert [(usage.tokens_in, usage.tokens_out)] == asked.server.billed
    assert usage.micros == usage.tokens_in + 2 * usage.tokens_out
    assert usage.model == "tiny"


# --- a server that fails before it answers ---


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "proposer_unauthorised"),
        (403, "proposer_forbidden"),
        (402, "proposer_unpaid"),
        (400, "proposer_request_refused"),
        (404, "proposer_request_refused"),
    ],
)
def test_what_will_not_change_is_not_asked_again(
    asked: Asked, snapshots: list[Snapshot], status: int, code: str
) -> None:
    asked.server.acts.append(status)
    assert asked.fails(snapshots[0]).code == code
    assert len(asked.server.requests) == 1
    assert not asked.slept
    assert not asked.usages


def test_a_redirect_is_not_followed(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append((307, {"location": asked.server.url + "/elsewhere"}))
    assert asked.fails(snapshots[0]).code == "proposer_request_refused"
    assert len(asked.server.requests) == 1


def test_it_waits_as_long_as_it_is_told_and_then_asks_again(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append((429, {"retry-after": "7"}))
    asked.propose(snapshots[0])
    assert sum(asked.slept) == pytest.approx(7)
    assert len(asked.usages) == 1


def test_it_never_waits_longer_than_its_own_bound(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"total_timeout_ms": 60_000}
    asked.server.acts.append((429, {"retry-after": "86400"}))
    asked.propose(snapshots[0])
    assert sum(asked.slept) == pytest.approx(LONGEST_PAUSE)


def test_an_account_without_credit_is_not_waited_for(asked: Asked, snapshots: list[Snapshot]) -> None:
    spent = {"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota."}
    asked.server.acts.append((429, {}, spent))
    assert asked.fails(snapshots[0]).code == "proposer_unpaid"
    assert len(asked.server.requests) == 1


def test_why_a_request_is_refused_is_said_in_the_servers_words(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append((404, {}, {"type": "invalid_request_error", "message": "There is no model tiny-9."}))
    assert "(HTTP 404): There is no model tiny-9." in asked.fails(snapshots[0]).sentence


def test_it_does_not_wait_past_its_whole_time(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"total_timeout_ms": 3_000}
    asked.server.acts.append((429, {"retry-after": "7"}))
    assert asked.fails(snapshots[0]).code == "proposer_rate_limited"
    assert not asked.slept


def test_a_server_that_fails_once_is_asked_again(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append(500)
    asked.propose(snapshots[0])
    assert len(asked.server.requests) == 2


def test_a_server_that_keeps_failing_is_asked_a_few_times_ever_more_slowly(
    asked: Asked, snapshots: list[Snapshot]
) -> None:
    asked.server.acts.extend([503, 500, 502, 500])
    assert asked.fails(snapshots[0]).code == "proposer_failed"
    assert len(asked.server.requests) == ATTEMPTS
    assert sum(asked.slept) == pytest.approx(0.5 + 1.0)


def test_nobody_there(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"base_url": "http://127.0.0.1:9/v1"}
    assert asked.fails(snapshots[0]).code == "proposer_unreachable"
    assert not asked.usages


# --- a server that fails while it answers ---


def test_a_slow_beginning_is_not_waited_for(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append("slow")
    error = asked.fails(snapshots[0])
    assert (error.code, error.facts["what"]) == ("proposer_timeout", "to begin")
    assert asked.slept == [], "it was asked again"


def test_silence_in_the_middle_is_not_waited_out(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append("silent")
    error = asked.fails(snapshots[0])
    assert (error.code, error.facts["what"]) == ("proposer_timeout", "to go on")
    assert "".join(asked.heard)


def test_a_trickle_that_says_nothing_ends_at_the_whole_time(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"total_timeout_ms": 600}
    asked.server.acts.append("trickle")
    error = asked.fails(snapshots[0])
    assert (error.code, error.facts["what"]) == ("proposer_timeout", "in all")


def test_a_stream_cut_in_the_middle_is_no_reply_and_what_was_heard_is_told(
    asked: Asked, snapshots: list[Snapshot]
) -> None:
    asked.server.acts.append("cut")
    assert asked.fails(snapshots[0]).code == "proposer_cut_off"
    assert len("".join(asked.heard)) == 16
    assert len(asked.server.requests) == 1


def test_a_reply_cut_off_by_its_longest_length_is_no_reply(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append("length")
    assert asked.fails(snapshots[0]).code == "proposer_cut_off"
    assert len(asked.usages) == 1


def test_an_error_in_the_stream_is_no_reply(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.extend(["error"] * ATTEMPTS)
    error = asked.fails(snapshots[0])
    assert (error.code, error.facts["detail"]) == ("proposer_failed", "overloaded")
    assert asked.usages == [], "nothing ran"


def test_an_answer_outside_the_protocol_is_no_reply(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append("garbled")
    assert asked.fails(snapshots[0]).code == "proposer_garbled"


def test_a_page_for_people_is_no_reply(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append((200, {"content-type": "text/html; charset=utf-8"}))
    assert asked.fails(snapshots[0]).code == "proposer_web_page"
    assert len(asked.server.requests) == 1


def test_an_empty_answer_is_no_reply(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.server.acts.append("empty")
    assert asked.fails(snapshots[0]).code == "proposer_empty"


def test_a_refusal_is_kept_in_its_own_words(server: ModelServer, snapshots: list[Snapshot]) -> None:
    for kind in ("openai", "compatible", "anthropic", "anthropic, plain"):
        asked = Asked(kind, server)
        server.acts.append("refusal")
        assert asked.fails(snapshots[0]).code == "proposer_refused"
        assert "".join(asked.heard) == "I would rather not."


@pytest.mark.parametrize("act", ["huge", "endless"])
def test_nobody_reads_more_than_a_megabyte(asked: Asked, snapshots: list[Snapshot], act: str) -> None:
    asked.server.acts.append(act)
    assert asked.fails(snapshots[0]).code == "proposer_cut_off"
    assert len("".join(asked.heard)) == LONGEST_REPLY
    assert len(asked.usages) == 1


def test_a_line_without_end_ends(asked: Asked, snapshots: list[Snapshot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.adapters.llm.http_call.MAX_RESPONSE_BYTES", 1_048_576)
    asked.server.acts.append("line")
    assert asked.fails(snapshots[0]).code in ("proposer_cut_off", "proposer_timeout")


@pytest.mark.parametrize("nonsense", ["", "not json", '{"proposal": {"type": "no_o', '{"foo": 1}', "[]", "\x00"])
def test_nonsense_is_returned_as_it_is_and_refused_by_its_shape(
    asked: Asked, snapshots: list[Snapshot], nonsense: str
) -> None:
    asked.server.reply = lambda _: nonsense
    if not nonsense:
        assert asked.fails(snapshots[0]).code == "proposer_empty"
        return
    raw = asked.propose(snapshots[0])
    assert raw == nonsense
    assert isinstance(parse(raw), Rejection)


def test_stopping_ends_it_at_once(asked: Asked, snapshots: list[Snapshot]) -> None:
    asked.changes = {"idle_timeout_ms": 60_000, "first_token_timeout_ms": 60_000, "total_timeout_ms": 120_000}
    asked.server.acts.append("silent")
    asked.heard = Stopping(asked)
    assert asked.fails(snapshots[0]).code == "proposer_stopped"


class Stopping(list[str]):
    """Stops as soon as something is heard."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    def append(self, piece: str) -> None:
        super().append(piece)
        self.asked.stopped = True


# --- what it costs ---


@pytest.mark.parametrize("act", ["slow", "silent", "cut", "garbled", "endless", "length", "refusal", "unbilled"])
def test_what_the_server_may_bill_is_never_more_than_what_is_told(
    asked: Asked, snapshots: list[Snapshot], act: str
) -> None:
    asked.server.acts.append(act)
    with contextlib.suppress(OutriderError):
        asked.propose(snapshots[0])
    billed_in = sum(billed for billed, _ in asked.server.billed)
    billed_out = sum(billed for _, billed in asked.server.billed)
    assert sum(usage.tokens_in for usage in asked.usages) >= billed_in
    assert sum(usage.tokens_out for usage in asked.usages) >= billed_out


def test_each_attempt_is_allowed_by_its_worst_case_before_it_is_made(asked: Asked, snapshots: list[Snapshot]) -> None:
    limits: list[int] = []

    def allow(tokens: int, micros: int) -> None:
        limits.append(tokens)
        assert micros >= tokens
        if len(limits) > 1:
            raise OutriderError("model_budget_spent", spent="1", budget="1")

    asked.server.acts.append(500)
    proposer = build_model_proposer(
        asked.connection, Pocket({"canary": KEY}), nobody_else(), asked.stream_control, allow
    )
    with pytest.raises(OutriderError) as caught:
        proposer.propose(snapshots[0])
    assert caught.value.code == "model_budget_spent"
    assert len(asked.server.requests) == 1

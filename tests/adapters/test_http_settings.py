"""A wrong variable in the environment is a coded error wherever something is asked, and `outrider doctor` tells it."""

import ssl
from pathlib import Path

import pytest

from backend.adapters.http_settings import examine_environment, proxies_in_use
from backend.adapters.llm import model_list
from backend.adapters.llm.connection_probe import probe_connection
from backend.adapters.llm.stream_reader import StreamControl
from backend.doctor import run_project_checks
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import OK, WARN
from tests.fakes.credentials import Pocket
from tests.fakes.outgoing import OpenDoor
from tests.fakes.raw_server import Raw, RawServer

VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
WRONG = [
    ("ALL_PROXY", "socks://me:hunter2@127.0.0.1:1"),
    ("ALL_PROXY", "socks5://127.0.0.1:1"),
    ("HTTPS_PROXY", "http://me:hunter2@127.0.0.1:port"),
    ("SSL_CERT_FILE", "/nonexistent"),
    ("SSL_CERT_FILE", __file__),
    ("SSL_CERT_DIR", "/nonexistent"),
]
REPLY = Raw('data: {"choices": [{"delta": {"content": "{\\"word\\": \\"ready\\"}"}, "finish_reason": "stop"}]}\n\n')
wrong = pytest.mark.parametrize(
    ("variable", "value"), WRONG, ids=[f"{name} {at}" for at, (name, _) in enumerate(WRONG)]
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def model(base_url: str) -> Connection:
    return Connection(
        id="a", name="A", provider=Provider.OTHER, base_url=base_url, model="tiny", price_in=1, price_out=1
    )


@wrong
def test_a_model_behind_a_wrong_variable_is_not_asked_and_not_billed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    far, door = model("https://model.example/v1"), OpenDoor("model.example")
    tested = probe_connection(far, Pocket({}), door, StreamControl())
    assert tested.code in ("proxy_unusable", "certificates_unusable")
    assert variable in tested.sentence
    assert "hunter2" not in tested.sentence + tested.remedy
    assert (tested.tokens_in, tested.tokens_out, tested.micros) == (0, 0, 0)
    with pytest.raises(OutriderError) as caught:
        model_list.list_models(far, None, door, StreamControl())
    assert caught.value.code == tested.code


@wrong
def test_a_project_behind_a_wrong_variable_is_told_so(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    [check] = run_project_checks("https://abcdefghijklmnopqrst.supabase.co", "sb_publishable_canary")
    assert variable in check.said
    assert "hunter2" not in check.said + check.remedy


@wrong
def test_the_doctor_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    check = examine_environment()
    assert check.status == WARN
    assert variable in check.said
    assert "hunter2" not in check.said + check.remedy


@wrong
def test_what_is_on_this_machine_is_asked_all_the_same(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with RawServer(REPLY) as server:
        assert probe_connection(
            model(f"{server.url}/v1"), Pocket({}), OpenDoor("127.0.0.1"), StreamControl()
        ).structured


def test_what_is_on_this_machine_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(REPLY) as server, RawServer(REPLY) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        assert probe_connection(
            model(f"{server.url}/v1"), Pocket({}), OpenDoor("127.0.0.1"), StreamControl()
        ).structured
        assert (len(server.requests), len(proxy.requests)) == (1, 0)


def test_another_machine_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(REPLY) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("://", "://me:p#ss@"))
        monkeypatch.setenv("NO_PROXY", "fe80::/10")
        tested = probe_connection(model("http://model.lan/v1"), Pocket({}), OpenDoor("model.lan"), StreamControl())
        assert tested.structured, tested.sentence
        assert [one.place for one in proxies_in_use()] == [proxy.url.removeprefix("http://")]


def test_a_proxy_that_lets_nobody_through_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(Raw(status=407)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        tested = probe_connection(
            model("https://model.example/v1"), Pocket({}), OpenDoor("model.example"), StreamControl()
        )
    assert tested.code == "proxy_failed"
    assert "HTTPS_PROXY" in tested.sentence
    assert "407" in tested.sentence


def test_the_doctor_lists_what_it_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert examine_environment().said == "no proxy, and the usual certificates"
    certificates = tmp_path / "own.pem"
    certificates.write_text(ssl.DER_cert_to_PEM_cert(_any_certificate()))
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hunter2@proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates))
    check = examine_environment()
    assert (check.status, check.said) == (
        OK,
        "HTTPS_PROXY names the proxy proxy.example:3128; NO_PROXY excepts intranet.example; certificates are taken from"
        " SSL_CERT_FILE",
    )


def _any_certificate() -> bytes:
    return ssl.create_default_context().get_ca_certs(binary_form=True)[0]

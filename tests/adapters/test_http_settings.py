"""A wrong variable in the environment is a coded error wherever something is asked, and `outrider doctor` tells it."""

import os
import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn

import httpx
import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backend.adapters.http_settings import client_options, examine_environment, proxies_in_use, proxy_failure
from backend.adapters.llm import model_list
from backend.adapters.llm.connection_probe import probe_connection
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import OK, WARN
from backend.runtime.doctor import run_project_checks
from tests.fakes.credentials import Pocket
from tests.fakes.outgoing import OpenDoor
from tests.fakes.raw_server import Raw, RawServer

VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
WRONG = [
    ("ALL_PROXY", "socks://me:hunter2@127.0.0.1:1"),
    ("ALL_PROXY", "socks5://127.0.0.1:1"),
    ("HTTPS_PROXY", "http://me:hunter2@127.0.0.1:port"),
    ("HTTPS_PROXY", "http://me:hunter2\udce4@127.0.0.1:1"),
    ("HTTPS_PROXY", "http://me:hunter2@[:::::]:1"),
    ("HTTPS_PROXY", f"http://me:hunter2@{'a' * 64}:1"),
    ("SSL_CERT_FILE", "/nonexistent"),
    ("SSL_CERT_FILE", __file__),
    ("SSL_CERT_FILE", str(Path(__file__).parent)),
    ("SSL_CERT_DIR", "/nonexistent"),
    ("SSL_CERT_DIR", str(Path(__file__).parent)),
]
REPLY = Raw('data: {"choices": [{"delta": {"content": "{\\"word\\": \\"ready\\"}"}, "finish_reason": "stop"}]}\n\n')
wrong = pytest.mark.parametrize(
    ("variable", "value"), WRONG, ids=[f"{name} {at}" for at, (name, _) in enumerate(WRONG)]
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
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
        assert [proxy_in_use.place for proxy_in_use in proxies_in_use()] == [proxy.url.removeprefix("http://")]


PROJECT = "https://abcdefghijklmnopqrst.supabase.co"


def names_of_project(url: str = PROJECT) -> tuple[str, str]:
    """What a look at a shared store finds, and what is to be done."""
    [check] = run_project_checks(url, "sb_publishable_canary")
    return check.said, check.remedy


def test_a_proxy_that_lets_nobody_through_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(Raw(status=407)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        tested = probe_connection(
            model("https://model.example/v1"), Pocket({}), OpenDoor("model.example"), StreamControl()
        )
        sentence, remedy = names_of_project()
    assert tested.code == "proxy_failed"
    for shown in (tested.sentence, sentence):
        assert "HTTPS_PROXY" in shown
        assert "407" in shown
        assert "HTTP_PROXY" not in shown, "which was not asked"
    assert remedy == tested.remedy


def test_the_doctor_lists_what_it_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert examine_environment().said == "no proxy, and the usual certificates"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/own.pem")
    assert examine_environment().said == "REQUESTS_CA_BUNDLE is not read, only SSL_CERT_FILE and SSL_CERT_DIR"
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
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


def test_the_doctor_asks_a_proxy_on_this_machine_whether_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("HTTPS_PROXY", f"http://localhost:{listening.getsockname()[1]}")
        assert examine_environment().status == OK
    check = examine_environment()
    assert (check.status, "HTTPS_PROXY" in check.said, "nothing answers" in check.said) == (WARN, True, True)


def test_what_is_only_called_like_a_certificate_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "d1507f29.0").mkdir()
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    check = examine_environment()
    assert (check.status, "SSL_CERT_DIR" in check.said) == (WARN, True)


def test_a_folder_of_certificates_is_read_by_every_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority, chain = _company_certificates(tmp_path)
    folders = [tmp_path / name for name in ("empty", "hashed by `openssl rehash`")]
    for folder in folders:
        folder.mkdir()
    (folders[1] / "d1507f29.0").write_bytes(authority.read_bytes())
    monkeypatch.setenv("SSL_CERT_DIR", os.pathsep.join(map(str, folders)))
    for library in (httpx, httpx2):
        context = client_options("https://model.example", library.create_ssl_context, library.Proxy)["verify"]
        assert _shakes_hands(context, chain, "model.example") == ""


@pytest.mark.parametrize("named", [True, False])
def test_a_company_proxys_certificate_is_enough_without_the_formalities_that_python_asks_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, named: bool
) -> None:
    authority, chain = _company_certificates(tmp_path)
    if named:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))

    def as_since_python_3_13() -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=authority)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    context = client_options("https://model.example", as_since_python_3_13, httpx2.Proxy)["verify"]
    if named:
        assert _shakes_hands(context, chain, "model.example") == ""
        assert "Hostname mismatch" in _shakes_hands(context, chain, "other.example"), (
            "only the formalities are left out"
        )
    else:
        assert "certificate verify failed" in _shakes_hands(context, chain, "model.example")


TRUSTED = {
    "as it should be": ((-1, 1), "127.0.0.1", True, ""),
    "nobody's": ((-1, 1), "127.0.0.1", False, "nobody who vouches for it is known"),
    "over": ((-2, -1), "127.0.0.1", True, "has expired"),
    "to come": ((1, 2), "127.0.0.1", True, "not valid yet"),
    "another's": ((-1, 1), "127.9.9.9", True, "for another host"),
}


@pytest.mark.parametrize(("days", "address", "is_known", "why"), TRUSTED.values(), ids=TRUSTED)
def test_why_a_certificate_is_not_trusted_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, days: tuple[int, int], address: str, is_known: bool, why: str
) -> None:
    authority, chain = _company_certificates(tmp_path, days, address)
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with RawServer(REPLY) as server:
        server.encrypt(chain)
        tested = probe_connection(model(f"{server.url}/v1"), Pocket({}), OpenDoor("127.0.0.1"), StreamControl())
    assert (tested.code, tested.structured) == ("proposer_certificate" if why else "", not why)
    assert why in tested.sentence


def _nobody_of_that_name(*_: object, **__: object) -> NoReturn:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize("base_url", ["https://model.example/v1", "http://model.lan/v1"])
@pytest.mark.parametrize("proxy", ["127.0.0.1", "proxy.example"])
def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, proxy: str, base_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        monkeypatch.setenv("ALL_PROXY", f"http://{proxy}:{nobody.getsockname()[1]}")
    if proxy == "proxy.example":
        monkeypatch.setattr(socket, "getaddrinfo", _nobody_of_that_name)
    slept = list[float]()
    door = OpenDoor("model.example", "model.lan")
    tested = probe_connection(model(base_url), Pocket({}), door, StreamControl(sleep=slept.append))
    assert tested.code == "proxy_failed"
    assert slept, "it may come back"
    for shown in (tested.sentence, names_of_project()[0]):
        assert "ALL_PROXY" in shown
        assert "cannot be reached" in shown


def test_a_proxy_that_is_silent_is_named_and_one_that_is_not_in_the_way_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    far, near = "https://model.example", "https://intranet.example"
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    for library in (httpx, httpx2):
        silent = library.ConnectTimeout("timed out")
        failure = proxy_failure(far, silent, library.ProxyError, library.ConnectTimeout)
        assert failure is not None
        assert failure.facts["variable"] == "ALL_PROXY"
        assert proxy_failure(near, silent, library.ProxyError, library.ConnectTimeout) is None


def _company_certificates(
    folder: Path, days: tuple[int, int] = (-1, 1), address: str = "127.0.0.1"
) -> tuple[Path, Path]:
    """An authority that does not call its basic constraints critical, and what a server of `model.example` shows."""
    now = datetime.now(UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("Company Root", "model.example")]
    constraints = x509.BasicConstraints(ca=True, path_length=None), x509.BasicConstraints(ca=False, path_length=None)
    certificates = [
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(names[0])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(constraint, critical=False)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("model.example"), x509.IPAddress(ip_address(address))]),
            critical=False,
        )
        .sign(keys[0], hashes.SHA256())
        for key, name, constraint in zip(keys, names, constraints, strict=True)
    ]
    pem = serialization.Encoding.PEM
    private = keys[1].private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    authority, chain = folder / "company.pem", folder / "server.pem"
    authority.write_bytes(certificates[0].public_bytes(pem))
    chain.write_bytes(private + certificates[1].public_bytes(pem))
    return authority, chain


def _shakes_hands(context: ssl.SSLContext, chain: Path, name: str) -> str:
    """Why a server with that chain is not trusted under the name; empty if it is."""
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(chain)
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            server_context.wrap_socket(theirs, server_side=True).close()
        except OSError:
            theirs.close()

    serving = threading.Thread(target=serve)
    serving.start()
    try:
        context.wrap_socket(ours, server_hostname=name).close()
    except ssl.SSLError as error:
        return str(error)
    finally:
        ours.close()
        serving.join()
    return ""


def _any_certificate() -> bytes:
    return ssl.create_default_context().get_ca_certs(binary_form=True)[0]

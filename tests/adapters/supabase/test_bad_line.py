"""What a bad line, and a server that fails, amount to for whoever asks: tried again, refused, or a conflict; never a guess."""

import errno
import gzip
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpcore
import httpx
import pytest

from backend.adapters.supabase import http_client
from backend.adapters.supabase.auth_session import FILE
from backend.adapters.supabase.project import SupabaseProject as Address
from backend.adapters.supabase.project_check import examine_project
from backend.domain.device.retry_after import LONGEST_WAIT
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreTooSlowError, SharedStoreUnreachableError
from backend.runtime.sync.engine import PollTimes
from tests.fakes.entries import Stream
from tests.fakes.outgoing import OpenDoor
from tests.faulty_proxy import Fault, FaultyProxy
from tests.hang_up_server import HangUpServer
from tests.postgres import ADMIN, Project
from tests.supabase.signed_in import Devices, Here


@pytest.fixture
def proxy(devices: Devices) -> Iterator[FaultyProxy]:
    made = FaultyProxy(devices.gateway.url)
    yield made
    made.close()


def unreachable(act: Callable[[], object]) -> SharedStoreUnreachableError:
    with pytest.raises(SharedStoreUnreachableError) as error:
        act()
    return error.value


# --- the line ---


@pytest.mark.parametrize(
    "fault", [fault for fault in Fault if fault not in (Fault.DELAY, Fault.REORDER, Fault.DUPLICATE)]
)
def test_a_push_that_met_a_fault_is_asked_again_and_is_there_once(
    devices: Devices, proxy: FaultyProxy, fault: Fault
) -> None:
    here, stream = devices.of(url=proxy.url), Stream().settings(5).audited(2)
    proxy.script.append(fault)
    unreachable(lambda: here.shared_store.append(stream.batch(), None))
    assert here.shared_store.append(stream.batch(), None).event_seq == 5
    assert list(here.shared_store.pull_events(WORKSPACE, 0, 100)) == stream.events
    assert proxy.counts == {fault: 1}


@pytest.mark.parametrize("fault", [Fault.DELAY, Fault.DUPLICATE])
def test_a_push_that_came_late_or_twice_is_there_once(devices: Devices, proxy: FaultyProxy, fault: Fault) -> None:
    here, stream = devices.of(url=proxy.url), Stream().settings(5)
    proxy.script.append(fault)
    assert here.shared_store.append(stream.batch(), None).event_seq == 5
    assert list(here.shared_store.pull_events(WORKSPACE, 0, 100)) == stream.events
    assert proxy.counts == {fault: 1}


@pytest.mark.parametrize("fault", [Fault.DROP_AFTER, Fault.CUT, Fault.DROP_BEFORE, Fault.BAD_GATEWAY, Fault.TOO_MANY])
def test_a_renewal_that_met_a_fault_signs_nobody_out(devices: Devices, proxy: FaultyProxy, fault: Fault) -> None:
    here = devices.of(url=proxy.url)
    devices.gateway.tokens.expire()
    proxy.script.extend([None, fault])
    unreachable(here.shared_store.streams)
    assert here.shared_store.streams() == []
    assert proxy.counts == {fault: 1}


def test_the_same_seed_makes_the_same_faults_and_a_healed_line_makes_none(devices: Devices) -> None:
    seen = []
    for _ in range(2):
        proxy = FaultyProxy(devices.gateway.url, seed=7, rates=dict.fromkeys(Fault, 0.09) | {Fault.REORDER: 0.0})
        here, kinds = devices.of("seed@example.test", devices.gateway.url), []
        line = devices.fresh(proxy.url)
        line.files.kept[FILE] = here.files.kept[FILE].replace(devices.gateway.url.encode(), proxy.url.encode())
        for _ in range(60):
            try:
                line.shared_store.streams()
            except SharedStoreUnreachableError as error:
                kinds.append(error.said.replace(proxy.url, ""))
            else:
                kinds.append("")
        seen.append((kinds, dict(proxy.counts)))
        proxy.heal()
        before = dict(proxy.counts)
        for _ in range(20):
            line.shared_store.streams()
        assert proxy.counts == before
        proxy.close()
    assert seen[0] == seen[1]
    assert len(seen[0][1]) == len(Fault) - 1, "each fault came about"


def test_a_later_request_overtakes_one_that_is_held(devices: Devices, proxy: FaultyProxy) -> None:
    here = devices.of(url=proxy.url)
    order: list[str] = []
    proxy.script.extend([Fault.REORDER, None])

    def ask(name: str) -> None:
        here.shared_store.streams()
        order.append(name)

    first = threading.Thread(target=ask, args=("first",))
    asked = proxy.requests
    first.start()
    while proxy.requests == asked:
        time.sleep(0.001)
    ask("second")
    first.join()
    assert order == ["second", "first"]
    assert proxy.counts == {Fault.REORDER: 1}


# --- the server ---


def test_postgresql_that_is_killed_is_out_of_reach_until_it_is_back(devices: Devices, project: Project) -> None:
    here, stream = devices.of(), Stream().settings(5)
    here.shared_store.append(stream.batch(0, 3), None)
    project.server.kill()
    assert "503" in unreachable(lambda: here.shared_store.append(stream.batch(3), None)).said
    project.server.start()
    assert here.shared_store.append(stream.batch(3), None).event_seq == 5
    assert list(here.shared_store.pull_events(WORKSPACE, 0, 100)) == stream.events


def test_a_project_without_our_schema_is_a_mismatch(devices: Devices, project: Project) -> None:
    here = devices.of()
    project.server.run(project.database, "drop function public.list_campaigns()", user=ADMIN)
    with pytest.raises(SharedStoreRefusedError) as refused:
        here.shared_store.streams()
    assert refused.value.code == "schema_mismatch"


def test_a_statement_that_takes_longer_than_its_role_may_is_told_as_slow(devices: Devices, project: Project) -> None:
    here = devices.of()
    slow = """
        create or replace function public.list_campaigns() returns json language sql stable
        as $$ select '[]'::json from pg_sleep(60) $$;
    """
    project.server.run(project.database, slow, ADMIN)
    devices.gateway.rest.statement_timeouts["authenticated"] = "50ms"
    slow_project = unreachable(here.shared_store.streams)
    assert slow_project.code == "project_slow"
    assert isinstance(slow_project, SharedStoreTooSlowError), "less of it may be possible"


def test_what_only_reads_is_called_in_a_transaction_that_cannot_write(devices: Devices, project: Project) -> None:
    here = devices.of()
    writes = """
        create table public.written (a int);
        create or replace function public.list_campaigns() returns json language sql stable
        as $$ select '[]'::json $$;
        create or replace function public.write_one() returns json language sql volatile security definer
        as $$ insert into public.written values (1); select '[]'::json $$;
        create or replace function public.list_campaigns() returns json language plpgsql stable security definer
        as $$ begin return public.write_one(); end $$;
    """
    project.server.run(project.database, writes, ADMIN)
    assert "read-only transaction" in unreachable(here.shared_store.streams).said


class Scripted:
    """A server that answers everything with the same, whatever was asked."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                scripted.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response_only(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST  # noqa: N815 - the handler's own names

            def log_message(self, *args: object) -> None:
                pass

        self.server = HangUpServer(Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()


def asking(devices: Devices, url: str, patience: float = 20.0) -> Here:
    """A device that is signed in already, before a server that is none of Supabase's."""
    here = devices.fresh(url, patience=patience)
    session = b'{"url": "%b", "user_id": "u", "email": "e", "access_token": "secret-token", "refresh_token": "secret-refresh"}'
    here.files.kept[FILE] = session % url.encode()
    return here


JSON = {"Content-Type": "application/json"}


STRANGE = {
    "another alphabet": (200, JSON, b'"Gr\xfc\xdfe"'),
    "half": (200, JSON, b'[{"campaign_id": "a", "eve'),
    **{
        f"a success that no function of ours has, {status}": (status, JSON, b"[]")
        for status in (201, 202, 203, 205, 207, 226)
    },
    "a part": (206, {**JSON, "Content-Range": "0-0/9"}, b"[]"),
    "nothing": (204, {}, b""),
    "a page called JSON": (200, JSON, b"<html>"),
    "too deep": (200, JSON, b"[" * 100_000 + b"]" * 100_000),
    "a number without end": (200, JSON, b"[" + b"9" * 5_000 + b"]"),
    "a header in another alphabet": (503, {**JSON, "X-Cache": "caf\u00e9"}, b"{}"),
    "a wait in another alphabet": (429, {**JSON, "Retry-After": "\u00b2"}, b'{"message": "slowly"}'),
    "words that are none": (400, JSON, b'{"message": ["a"], "code": 5}'),
    "another conflict": (409, JSON, b'{"message": "busy"}'),
}
"""What may stand between us and a project, or be none."""


@pytest.mark.parametrize("answer", STRANGE.values(), ids=STRANGE)
def test_no_call_believes_a_strange_answer_or_ends_otherwise_than_by_saying_so(
    devices: Devices, answer: tuple[int, dict[str, str], bytes]
) -> None:
    scripted = Scripted(*answer)
    here = asking(devices, scripted.url)
    store, project = here.shared_store, Address(scripted.url, "sb_publishable_key", OpenDoor())
    reading: list[Callable[[], object]] = [
        store.streams,
        lambda: store.append(Stream().created().batch(), None),
        lambda: store.pull_events("a", 0, 9),
        lambda: store.pull_audits("a", 0, 9),
        lambda: store.read_lease("a launch"),
        lambda: store.acquire_lease("a", "A", "a launch", 9),
        lambda: store.blob_digests("0" * 64),
        store.health,
    ]
    for call in reading:
        with pytest.raises(SharedStoreUnreachableError):
            call()
    with pytest.raises(SharedStoreUnreachableError):
        here.sign_in.renewed("secret-token")
    for sign_in in (here.sign_in.with_password, here.sign_in.sign_up):
        with pytest.raises(OutriderError) as refused:
            sign_in("e@example.test", "a password")
        assert refused.value.code in ("project_unreachable", "sign_in_refused")
    checks = examine_project(project)
    assert [(check.code, check.status) for check in checks] == [("project_address", FAIL)]
    scripted.server.close()


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"Content-Type": "text/html"}, b"<h1>Welcome to our hotel. Sign in to the network!</h1>"),
        (200, JSON, b'{"not": "a list"}'),
        (200, JSON, b"[{}]"),
        (200, JSON, b"[tru"),
        (200, JSON, b""),
        (302, {"Location": "http://127.0.0.1:9/elsewhere"}, b""),
        (403, {"Content-Type": "text/html"}, b"<h1>Forbidden by a firewall</h1>"),
        (404, {"Content-Type": "text/html"}, b"<h1>Nothing here</h1>"),
        (408, JSON, b"{}"),
        (429, JSON, b"{}"),
        (500, JSON, b'{"message": "it broke", "code": "XX000"}'),
        (520, {}, b""),
    ],
)
def test_whatever_is_no_answer_is_asked_again(
    devices: Devices, status: int, headers: dict[str, str], body: bytes
) -> None:
    scripted = Scripted(status, headers, body)
    message = unreachable(asking(devices, scripted.url).shared_store.streams).said
    assert "secret" not in message
    assert len(scripted.asked) == 1
    scripted.server.close()


@pytest.mark.parametrize(
    ("status", "headers", "body", "code"),
    [
        (540, JSON, b'{"message": "Project paused"}', "project_paused"),
        (540, {}, b"", "project_paused"),
        (402, JSON, b'{"message": "restricted: exceed_egress_quota"}', "project_over_quota"),
        (504, {}, b"", "project_slow"),
        (544, JSON, b'{"message": "Gateway Timeout"}', "project_slow"),
        (500, JSON, b'{"code": "57014", "message": "canceling statement due to statement timeout"}', "project_slow"),
        (511, {"Content-Type": "text/html"}, b"<h1>Sign in to the network</h1>", "network_sign_in"),
        (200, {"Content-Type": "text/html"}, b"<h1>Welcome to our hotel</h1>", "network_sign_in"),
        (302, {"Location": "http://hotel.test/"}, b"", "network_sign_in"),
        (403, {"Content-Type": "text/html"}, b"<h1>Forbidden by a firewall</h1>", "shared_store_unreachable"),
        (503, JSON, b"{}", "shared_store_unreachable"),
    ],
)
def test_why_a_project_is_out_of_reach_is_told_by_its_own_code(
    devices: Devices, status: int, headers: dict[str, str], body: bytes, code: str
) -> None:
    scripted = Scripted(status, headers, body)
    here = asking(devices, scripted.url)
    assert unreachable(here.shared_store.streams).code == code
    with pytest.raises(OutriderError) as error:
        here.sign_in.with_password("ada@example.test", "her password")
    assert error.value.code == (code if code != "shared_store_unreachable" else "project_unreachable")
    assert here.files.kept[FILE], "whoever is signed in still is"
    scripted.server.close()


@pytest.mark.parametrize(
    ("status", "answer", "code"),
    [
        (405, {"code": "25006", "message": "cannot execute INSERT in a read-only transaction"}, "project_read_only"),
        (404, {"message": "no Route matched with those values"}, "shared_store_unreachable"),
        (404, {"code": "PGRST125", "message": "Invalid path specified in request URL"}, "shared_store_unreachable"),
        (403, {"message": "Forbidden by a rule"}, "shared_store_unreachable"),
        (415, {"code": "PGRST107", "message": "Invalid Content-Type"}, "shared_store_unreachable"),
        (400, {"code": "PGRST100", "message": "unexpected token"}, "shared_store_unreachable"),
        (400, {"code": "40P01", "message": "deadlock detected"}, "shared_store_unreachable"),
        (400, {"code": "of a time to come", "message": "what nobody knows yet"}, "shared_store_unreachable"),
    ],
)
def test_an_answer_that_names_no_entry_blames_none(
    devices: Devices, status: int, answer: dict[str, str], code: str
) -> None:
    scripted = Scripted(status, JSON, json.dumps(answer).encode())
    here = asking(devices, scripted.url)
    error = unreachable(lambda: here.shared_store.append(Stream().settings(1).batch(), None))
    assert error.code == code
    assert answer["message"] in error.said, "and it is told in the project's own words"
    scripted.server.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"code": "PT422", "message": "the hash of event 1 does not follow"}, "append_refused"),
        ({"code": "23514", "message": "violates check constraint"}, "append_refused"),
        ({"code": "22P05", "message": "unsupported Unicode escape sequence"}, "append_refused"),
        ({"code": "PGRST202", "message": "no such function"}, "schema_mismatch"),
        ({"code": "PGRST204", "message": "no such column"}, "schema_mismatch"),
        ({"code": "3F000", "message": "no such schema"}, "schema_mismatch"),
    ],
)
def test_what_is_wrong_with_the_entry_or_the_tables_is_not_asked_for_ever(
    devices: Devices, answer: dict[str, str], code: str
) -> None:
    scripted = Scripted(400, JSON, json.dumps(answer).encode())
    here = asking(devices, scripted.url)
    with pytest.raises(SharedStoreRefusedError) as refused:
        here.shared_store.append(Stream().settings(1).batch(), None)
    assert refused.value.code == code
    scripted.server.close()


def _distrusted(verify_code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code = verify_code
    return error


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (_distrusted(9), "clock_differs"),
        (_distrusted(10), "clock_differs"),
        (_distrusted(18), "project_certificate"),
        (socket.gaierror(-2, "Name or service not known"), "network_unreachable"),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "network_unreachable"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "network_unreachable"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "shared_store_unreachable"),
    ],
)
def test_why_no_connection_came_about_is_told_by_its_own_code(cause: OSError, code: str) -> None:
    error = httpx.ConnectError("it failed")
    error.__cause__ = httpcore.ConnectError()
    error.__cause__.__cause__ = cause
    failure = http_client.no_answer("https://abc.supabase.co", error)
    assert failure.code == code
    shown = failure.as_error()
    assert (shown.code, "{" in shown.sentence + shown.remedy) == (code, False)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "Legacy API keys are disabled", "hint": "Use the new keys."}, "key_disabled"),
        ({"message": "This key cannot be used any more", "hint": "Your legacy API key was disabled."}, "key_disabled"),
        ({"code": "LEGACY_KEY_DISABLED", "message": "No."}, "key_disabled"),
        ({"message": "Invalid API key", "hint": "Double check your Supabase API key."}, "key_refused"),
        ({"code": "UNAUTHORIZED_INVALID_API_KEY", "message": "No."}, "key_refused"),
        ({"message": "Words that nobody knows yet"}, "key_refused"),
    ],
)
def test_a_refused_key_is_told_as_that_and_ends_no_session(devices: Devices, body: dict[str, str], code: str) -> None:
    scripted = Scripted(401, JSON, json.dumps(body).encode())
    here = asking(devices, scripted.url)
    with pytest.raises(SharedStoreRefusedError) as refused:
        here.shared_store.streams()
    assert refused.value.code == code
    assert here.files.kept[FILE], "whoever is signed in still is"
    with pytest.raises(OutriderError) as shown:
        here.sign_in.with_password("ada@example.test", "her password")
    assert shown.value.code == f"project_{code}"
    assert here.files.kept[FILE]
    scripted.server.close()


@pytest.mark.parametrize(
    "body",
    [
        {"code": "PGRST303", "message": "JWT expired"},
        {"code": "PGRST301", "message": "No suitable key or wrong key type"},
        {"code": 401, "msg": "Invalid token"},
        {"code": "no_authorization", "message": "This endpoint requires a Bearer token"},
    ],
)
def test_a_refused_token_is_not_taken_for_a_refused_key(body: dict[str, Any]) -> None:
    assert http_client.refused_key(body) == ""


def test_no_token_follows_a_redirect(devices: Devices) -> None:
    elsewhere = Scripted(200, JSON, b"[]")
    scripted = Scripted(307, {"Location": f"{elsewhere.url}/rest/v1/rpc/list_campaigns"}, b"")
    unreachable(asking(devices, scripted.url).shared_store.streams)
    assert elsewhere.asked == []
    scripted.server.close()
    elsewhere.server.close()


def test_how_long_to_wait_is_taken_from_the_answer_and_is_never_long(devices: Devices) -> None:
    until = "Wed, 21 Oct 2099 07:28:00 GMT"
    for header, seconds in (
        ("17", 17.0),
        ("soon", 0.0),
        ("86400", LONGEST_WAIT),
        ("9" * 11, LONGEST_WAIT),
        (until, LONGEST_WAIT),
    ):
        scripted = Scripted(429, {**JSON, "Retry-After": header}, b"{}")
        assert unreachable(asking(devices, scripted.url).shared_store.streams).wait == seconds
        scripted.server.close()


def given_up(url: str, **bounds: Any) -> None:
    """Asked within these bounds, the server's answer is none."""
    door = OpenDoor()
    Address(url, "key", door).allow()
    with (
        http_client.GuardedHttpClient(url, door, 20.0, **bounds) as client,
        pytest.raises(SharedStoreUnreachableError, match="too long"),
    ):
        client.post(url)


def test_an_answer_without_end_is_given_up() -> None:
    scripted = Scripted(200, JSON, b"[" + b" " * 200_000 + b"]")
    given_up(scripted.url, most_bytes=100_000)
    scripted.server.close()


def test_an_answer_is_unpacked_and_its_size_counts_unpacked(devices: Devices) -> None:
    packed = {**JSON, "Content-Encoding": "gzip"}
    scripted = Scripted(200, packed, gzip.compress(b"[" + b" " * 200_000 + b"]"))
    here = asking(devices, scripted.url)
    assert here.shared_store.streams() == []
    assert here.door.calls[-1][2].bytes_in < 1_000
    given_up(scripted.url, most_bytes=100_000)
    scripted.server.close()


def test_what_is_too_large_is_refused_whoever_says_so(devices: Devices) -> None:
    """A server before the project answers in words of its own."""
    scripted = Scripted(413, {"Content-Type": "text/html"}, b"<h1>413 Request Entity Too Large</h1>")
    with pytest.raises(SharedStoreRefusedError, match="append_refused: it is too large"):
        asking(devices, scripted.url).shared_store.append(Stream().settings(1).batch(), None)
    scripted.server.close()


def test_a_page_of_entries_comes_packed(devices: Devices) -> None:
    here, stream = devices.of(), Stream().settings(200)
    here.shared_store.append(stream.batch(), None)
    assert list(here.shared_store.pull_events(WORKSPACE, 0, 200)) == stream.events
    asked, answered = here.door.calls[-2][2].bytes_out, here.door.calls[-1][2].bytes_in
    assert answered < asked / 2


def test_polls_of_all_kinds_share_one_connection(devices: Devices) -> None:
    here = devices.of()
    before = devices.gateway.connections
    for _ in range(5):
        here.shared_store.streams()
        here.shared_store.pull_events(WORKSPACE, 0, 100)
    assert (before, devices.gateway.connections) == (1, 1)


def test_a_connection_is_kept_from_one_poll_to_the_next() -> None:
    assert 2 * PollTimes().idle < http_client.KEPT_SECONDS


def test_an_answer_that_only_trickles_is_given_up() -> None:
    scripted = Scripted(200, JSON, b"[]")
    given_up(scripted.url, most_seconds=-1.0)
    scripted.server.close()


def test_a_server_that_says_nothing_is_given_up(devices: Devices) -> None:
    scripted = Scripted(200, {**JSON, "Content-Length": "50"}, b"[")
    error = unreachable(asking(devices, scripted.url, patience=0.2).shared_store.streams)
    assert (error.code, "too long" in error.said) == ("project_slow", True)
    scripted.server.close()


def test_nothing_of_this_machine_is_told_but_what_is_needed(devices: Devices) -> None:
    scripted = Scripted(200, JSON, b"[]")
    assert asking(devices, scripted.url).shared_store.streams() == []
    ((_, headers),) = scripted.asked
    assert headers.keys() <= http_client._SENT
    assert headers["user-agent"] == "outrider"
    assert headers["authorization"] == "Bearer secret-token"
    scripted.server.close()


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(devices: Devices, tmp_path: Path) -> None:
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    scripted = Scripted(200, JSON, b"[]")
    scripted.server.socket = context.wrap_socket(scripted.server.socket, server_side=True)
    url = scripted.url.replace("http://127.0.0.1", "https://localhost")
    error = unreachable(asking(devices, url).shared_store.streams)
    assert error.code == "project_certificate"
    assert "certificate" in error.said
    assert scripted.asked == []
    scripted.server.close()


# --- the address and the key ---


@pytest.mark.parametrize(
    "url",
    [
        "http://abc.supabase.co",
        "http://192.168.1.20:8000",
        "https://user:password@abc.supabase.co",
        "https://supabase.com/dashboard/project/abc",
        "abc.supabase.co",
        "ftp://abc.supabase.co",
        "https://abc.supabase.co?key=1",
        "",
    ],
)
def test_an_address_that_cannot_be_meant_or_could_be_overheard_is_refused(url: str) -> None:
    with pytest.raises(OutriderError) as refused:
        Address(url, "anon", OpenDoor())
    assert refused.value.code == "project_address_refused"


def test_an_address_is_taken_as_people_copy_it() -> None:
    for url in ("https://abc.supabase.co/", " https://abc.supabase.co/rest/v1/ ", "https://abc.supabase.co/auth/v1"):
        assert Address(url, "anon", OpenDoor()).url == "https://abc.supabase.co"


def test_a_key_that_opens_every_row_is_refused() -> None:
    service = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.c2ln"
    for key in ("sb_secret_abcdef", "sbp_0123456789abcdef", " sbp_0123", service):
        with pytest.raises(OutriderError) as refused:
            Address("https://abc.supabase.co", key, OpenDoor())
        assert refused.value.code == "project_key_secret"

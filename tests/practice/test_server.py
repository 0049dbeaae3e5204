"""The server: the start and end of its process, its control API, its forms."""

import json
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest

from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from backend.practice.ledger import Ledger, LedgerInUse
from backend.practice.network_store import NetworkStore
from backend.practice.server import STOP_SIGNALS, create_app
from backend.runtime.run.rehearsal import PracticeClient
from tests.patience import PATIENCE

from .conftest import Start
from .running import DAY, ROOT, START, Running


class MessageTexts(HTMLParser):
    """The text of each element of class message-text, as a browser would give its textContent."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = ("class", "message-text") in attrs
        if self._inside:
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[-1] += data


SECRETS = LaunchSecrets.new()


def state(running: Running) -> list[object]:
    pages = ("/network/invitations", "/messaging", "/messaging/ada", "/notifications")
    return [running.ask("/ledger"), running.ask("/health"), running.ask("/faults"), *map(running.open, pages)]


def test_a_killed_network_comes_back_as_it_was(start: Start, apart: Running) -> None:
    apart.open("/in/ben/invite", {"note": "Hello"})
    for text in ("One", "One", "Two"):
        apart.open("/messaging/ada", {"text": text})
    apart.ask("/clock", {"now": START + 9 * DAY})
    apart.arm("error_500", "message", times=2)
    apart.open("/messaging/ada")
    before = state(apart)
    port = apart.url.rpartition(":")[2]
    apart.kill()
    again = start("--port", port, secrets=apart.secrets)
    again.opener = apart.opener  # the session outlives the crash too
    assert state(again) == before
    assert again.stop() == 0


def test_a_torn_line_is_reported_and_the_rest_is_kept(start: Start, apart: Running, ledger_path: Path) -> None:
    entries = apart.entries()
    apart.kill()
    with ledger_path.open("ab") as ledger:
        ledger.write(b'{"n":99,"at":')
    again = start()
    assert again.entries() == entries
    again.stop()
    assert again.process.returncode == 0


def test_the_ready_line_says_where_it_is(apart: Running, ledger_path: Path) -> None:
    assert apart.ready == {"url": apart.url, "ledger": str(ledger_path.resolve()), "pid": apart.process.pid}
    health = apart.ask("/health")
    assert health == {"ok": True, "now": START, "people": 2_002, "entries": 3}


def test_it_ends_when_the_process_that_started_it_dies(ledger_path: Path) -> None:
    program = (
        "import os, subprocess, sys;"
        f"p = subprocess.Popen([sys.executable, '-m', 'backend.practice', '--ledger', {str(ledger_path)!r},"
        " '--exit-with-parent'], stdin=subprocess.PIPE);"
        f"p.stdin.write({LaunchSecrets.new().to_line().encode()!r}); p.stdin.flush();"
        "sys.stdin.readline(); os._exit(9)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert parent.stdin
    assert parent.stdout
    assert json.loads(parent.stdout.readline())["url"]
    with pytest.raises(LedgerInUse):
        Ledger(ledger_path)
    parent.communicate(b"die\n", timeout=PATIENCE)  # returns when the orphan too has let go of the stdout it inherited
    assert parent.returncode == 9
    Ledger(ledger_path).close()


@pytest.mark.posix  # signals
@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_a_signal_closes_it_cleanly(apart: Running, number: signal.Signals) -> None:
    apart.process.send_signal(number)
    assert apart.end() == (0, "")


def test_a_busy_port_is_a_clear_error(running: Running, tmp_path: Path) -> None:
    port = running.url.rpartition(":")[2]
    status, message = Running(tmp_path / "other.jsonl", "--port", port).end()
    assert status == 1
    assert f"Port {port} of 127.0.0.1 cannot be used" in message


def test_a_ledger_in_use_is_a_clear_error(running: Running, ledger_path: Path) -> None:
    status, message = Running(ledger_path).end()
    assert status == 1
    assert "another process is writing" in message


def test_the_clock_moves_only_when_told_and_only_forwards(running: Running) -> None:
    assert running.ask("/clock", {"now": START + DAY}) == {"now": START + DAY}
    assert running.ask("/clock", {"now": START}) == {"now": START + DAY}
    assert len(running.entries("clock")) == 2
    running.open("/in/ada")
    assert running.entries()[-1]["at"] == START + DAY


def test_people_can_be_added_by_the_thousand_and_again(running: Running) -> None:
    crowd = [{"slug": f"p{k}", "name": f"Person {k}", "headline": "Tester", "company": "Mill"} for k in range(3_000)]
    assert running.ask("/people", crowd) == {"added": 3_000, "people": 5_002}
    assert running.ask("/people", crowd) == {"added": 0, "people": 5_002}
    assert len(running.entries("roster")) == 2
    assert "Person 2999" in running.open("/in/p2999").text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/people", [{"slug": "a/b", "name": "A"}]),
        ("/people", [{"slug": "a", "name": "A", "extra": 1}]),
        ("/clock", {"now": "soon"}),
        ("/faults", {"kind": "earthquake"}),
        ("/faults", {"kind": "invitation_limit", "on": "profile"}),
        ("/faults", {"kind": "slow"}),
        ("/faults", {"kind": "error_500", "times": 0}),
    ],
)
def test_a_wrong_control_request_is_refused_and_changes_nothing(running: Running, path: str, body: object) -> None:
    before = running.entries()
    answer = running.ask(path, body)
    assert (answer["status"], bool(answer["message"])) == (400, True)
    assert running.entries() == before


@pytest.mark.parametrize("path", ["/login", "/", "/in/ada", "/static/fieldnote.css", "/nowhere", "/_practice/ledger"])
def test_every_address_answers_only_to_its_own_exact_name(exchange: NetworkStore, path: str) -> None:
    client = create_app(exchange, SECRETS, "127.0.0.1:5000").test_client()
    token = {TOKEN_HEADER: SECRETS.control_token}
    for host in ("evil.example", "127.0.0.1", "localhost:5000", "127.0.0.1:5000.evil.example", "127.0.0.1:50000", ""):
        with client.get(path, headers={**token, "Host": host}) as answer:
            assert answer.status_code == 403, host
    with client.get(path, headers={**token, "Host": "127.0.0.1:5000"}) as answer:
        assert answer.status_code != 403


def test_a_request_that_names_no_host_is_refused(running: Running) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), PATIENCE) as line:
        line.sendall(b"GET /login HTTP/1.0\r\n\r\n")
        assert b" 403 " in line.makefile("rb").readline()


def test_a_body_whose_length_is_not_stated_is_not_read(running: Running) -> None:
    authority = running.url.removeprefix("http://")
    host, _, port = authority.partition(":")
    with socket.create_connection((host, int(port)), PATIENCE) as line:
        line.sendall(
            f"POST /login HTTP/1.1\r\nHost: {authority}\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n".encode()
        )
        assert b" 411 " in line.makefile("rb").readline()


@pytest.mark.parametrize("shown", ["", "wrong", SECRETS.password, "\udcff"], ids=["none", "wrong", "password", "byte"])
def test_the_control_api_wants_the_token_of_this_launch(exchange: NetworkStore, shown: str) -> None:
    client = create_app(exchange, SECRETS, "localhost").test_client()
    before = exchange.entries()
    for method, path in (
        ("GET", "ledger"),
        ("GET", "health"),
        ("GET", "faults"),
        ("DELETE", "faults"),
        ("POST", "clock"),
    ):
        answer = client.open(f"/_practice/{path}", method=method, json={"now": 1}, headers={TOKEN_HEADER: shown})
        assert answer.status_code == 403
    assert exchange.entries() == before


@pytest.mark.parametrize("typed", ["", "rehearsal", SECRETS.control_token], ids=["none", "wrong", "token"])
def test_nobody_signs_in_without_the_password_of_this_launch(exchange: NetworkStore, typed: str) -> None:
    client = create_app(exchange, SECRETS, "localhost").test_client()
    answer = client.post("/login", data={"email": "a@b.c", "password": typed})
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (422, False)
    assert "<h1>Sign in</h1>" in client.get("/", follow_redirects=True).text


def test_its_secrets_are_in_no_command_line_and_no_environment(apart: Running) -> None:
    folder = Path(f"/proc/{apart.process.pid}")
    if not folder.exists():
        pytest.skip("only Linux shows them")
    shown = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
    assert not [secret for secret in apart.secrets if secret.encode() in shown]


def test_started_by_hand_it_prints_its_secrets_for_whoever_started_it(ledger_path: Path) -> None:
    command = [sys.executable, "-m", "backend.practice", "--ledger", str(ledger_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout
        ready = json.loads(process.stdout.readline())
        network = Running.attached(ready)
        network.sign_in()
        assert network.ask("/health")["ok"]
        process.send_signal(signal.SIGTERM)
    assert ledger_path.stat().st_mode & 0o077 == 0
    assert ready["password"] not in ledger_path.read_text("utf-8")


def test_started_by_another_program_it_does_not_begin_without_its_secrets(ledger_path: Path) -> None:
    command = [sys.executable, "-m", "backend.practice", "--ledger", str(ledger_path), "--exit-with-parent"]
    for wrong in (b"", b"{}\n", b'{"control_token": "", "password": ""}\n', b'{"control_token": 1, "password": 2}\n'):
        with pytest.raises(ValueError, match=r"."):
            LaunchSecrets.from_line(wrong)
    for line in ("", "{}\n"):
        done = subprocess.run(command, input=line, capture_output=True, text=True, cwd=ROOT, check=False)
        assert (done.returncode, done.stdout) == (1, "")
    assert not ledger_path.exists()


def test_what_is_told_to_it_goes_through_no_proxy(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    PracticeClient(running.url, running.secrets).post_control("clock", {"now": START + DAY})
    assert running.ask("/health")["now"] == START + DAY


def test_the_control_api_answers_to_no_other_site(running: Running) -> None:
    assert running.ask("/clock", {"now": START + 1}, Origin="http://evil.example")["status"] == 403
    assert running.ask("/clock", {"now": START + 1}, **{"Content-Type": "text/plain"})["status"] == 415
    assert running.ask("/health")["now"] == START


def test_the_ledger_can_be_read_from_a_point(running: Running) -> None:
    assert [entry["n"] for entry in running.entries(after=1)] == [2, 3]
    assert running.entries(after=99) == []
    assert running.ask("/ledger?after=x")["status"] == 400


@pytest.mark.parametrize(
    "text", ["Hi", "  lead\n\n\ttrail  \n", "\n\nfirst", "🙂 <html>&amp; \"q\" 'x' {{ 7*7 }}", "é\u2028\u00a0z"]
)
def test_a_text_comes_back_byte_for_byte(running: Running, text: str) -> None:
    page = running.open("/messaging/ada", {"text": text.replace("\n", "\r\n")})
    assert MessageTexts(page.text).texts == [text]
    assert running.entries("message")[-1]["text"] == text


def test_duplicates_are_delivered_and_recorded(running: Running) -> None:
    pages = [running.open("/messaging/ada", {"text": "Same"}) for _ in range(2)]
    assert MessageTexts(pages[-1].text).texts == ["Same", "Same"]
    assert [entry["disposition"] for entry in running.entries("message")] == ["delivered", "delivered"]


def test_the_server_refuses_a_note_of_201_characters(running: Running) -> None:
    page = running.open("/in/ben/invite", {"note": "x" * 201})
    assert "Your invitation could not be sent." in page.text
    assert "at most 200 characters" in page.text
    assert [(e["disposition"], e["reason"]) for e in running.entries("invitation")] == [("refused", "note_too_long")]
    assert "Invitation sent" in running.open("/in/ben/invite", {"note": "🙂" * 200}).text


def test_a_message_to_somebody_not_connected_is_refused(running: Running) -> None:
    assert "Your message could not be sent." in running.open("/messaging/ben", {"text": "Hi"}).text
    assert running.entries("message")[-1]["reason"] == "not_connected"


def test_unknown_people_are_not_found_but_what_was_sent_to_them_is_recorded(running: Running) -> None:
    assert running.open("/in/nobody").status == running.open("/messaging/nobody").status == 404
    assert running.open("/in/nobody/invite", {"note": ""}).status == 404
    assert running.entries("profile_view") == []
    assert running.entries("invitation")[-1]["reason"] == "unknown_person"


def test_whoever_is_not_signed_in_sees_only_the_log_in_page(served: Running) -> None:
    for path in ("/", "/search", "/in/x", "/in/x/invite", "/messaging", "/messaging/x", "/network/invitations"):
        page = served.open(path)
        assert "<h1>Sign in</h1>" in page.text
        assert page.url == f"{served.url}/login?next={path}"
    served.open("/messaging/x", {"text": "Hi"})
    assert [(e["to"], e["reason"]) for e in served.entries("message")] == [("x", "logged_out")]


def test_a_withdrawn_invitation_is_recorded(running: Running) -> None:
    running.open("/in/ben/invite", {"note": ""})
    assert "withdrawn." in running.open("/in/ben/withdraw", {}).text
    assert "There was no pending" in running.open("/in/ben/withdraw", {}).text
    assert [entry["disposition"] for entry in running.entries("withdraw")] == ["delivered", "refused"]


def test_many_at_once_are_each_recorded_once(running: Running) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: running.open("/messaging/ada", {"text": f"Message {k}"}), range(40)))
    entries = running.entries()
    assert [entry["n"] for entry in entries] == list(range(1, len(entries) + 1))
    assert sorted(e["text"] for e in running.entries("message")) == sorted(f"Message {k}" for k in range(40))


def test_every_answer_carries_a_strict_policy_and_no_permission_for_others(exchange: NetworkStore) -> None:
    client = create_app(exchange, SECRETS, "localhost").test_client()
    for path in ("/login", "/", "/_practice/health", "/static/fieldnote.css", "/nowhere"):
        with client.get(path) as answer:
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
            assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_log_in_leads_nowhere_else_and_a_foreign_form_is_refused(exchange: NetworkStore) -> None:
    client = create_app(exchange, SECRETS, "localhost").test_client()
    form = {"email": "a@b.c", "password": SECRETS.password}
    for target in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:x"):
        assert client.post("/login", data={**form, "next": target}).headers["Location"] == "/"
    assert client.post("/login", data=form, headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.post("/login", data={"email": "a@b.c"}).status_code == 422
    assert SECRETS.password not in "".join(entry.to_line() for entry in exchange.entries())


def test_no_answer_says_what_serves_here_or_in_which_version(running: Running) -> None:
    with running.opener.open(f"{running.url}/login") as answer:
        assert answer.headers["Server"] is None

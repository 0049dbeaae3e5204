"""Twenty secrets typed wherever the API takes one, a campaign run with them, and then everything searched: none is anywhere."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from simple_websocket import ConnectionClosed  # type: ignore[import-untyped]

from backend.adapters import processes
from backend.adapters.browser.chromium import find_browser
from backend.domain.values.errors import OutriderError
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.adapters.credentials.canaries import Scanner, descendants, spellings
from tests.api.app import App, Socket, running
from tests.api.test_models import connection
from tests.fakes.keychain import CHEAP, no_keychain
from tests.fakes.model_server import ModelServer
from tests.patience import PATIENCE
from tests.store.opening import dump

pytestmark = pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="memory is looked into as Linux shows it")

WORD = "Kan@rie/7Qx+Zy"
"""In every canary, so that one search finds them all; signs in it are written differently in addresses."""

PLACES = (
    "given", "passphrase", "wrong passphrase", "wrong code", "code without a kit", "kept", "replaced", "forgotten",
    "a database's", "a provider's", "by a connection", "replaced by a connection", "kit", "short of a kit", "revoke",
    "unknown kind", "unknown field", "cut body", "wrong name", "no key at all", "with blanks", "too long",
    "sign-in", "first sign-in",
)  # fmt: skip


def canary(place: str) -> str:
    """A secret of its own for each place."""
    assert place in PLACES
    return f"{WORD}-{PLACES.index(place):02}-{'x' * 8}"


def until(condition: Any) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (answer := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer


class Heard:
    """Every frame that a page gets, from the beginning of the log on."""

    def __init__(self, socket: Socket) -> None:
        self.frames: list[str] = []
        self._socket = socket
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.frames.append(self._socket.ws.receive() or "")


def type_all(app: App, server: ModelServer) -> tuple[list[str], list[str]]:
    """Type every canary; what was answered, and the codes of the kits."""
    answers: list[str] = []

    def ask(path: str, body: object, expected: int) -> Any:
        answer = app.ask(path, body)
        assert answer.status == expected, (path, answer.text)
        answers.append(answer.text)
        return answer.json

    def give(name: str, place: str, kind: str = "api_key", expected: int = 200) -> None:
        ask(f"/api/keys/{name}", {"secret": canary(place), "kind": kind}, expected)

    give("early", "kept", expected=409)  # the vault is locked
    ask("/api/vault/unlock", {"passphrase": canary("passphrase")}, 200)
    ask("/api/vault/unlock", {"passphrase": canary("wrong passphrase")}, 422)
    give("kept", "kept")
    give("other", "replaced")
    give("other", "a database's", "database")
    give("gone", "forgotten")
    ask("/api/keys/gone/forget", {}, 200)
    give("provider", "a provider's", "llm_provider")
    give("kept", "unknown kind", "other", 400)
    give("given", "kept", expected=409)
    give("Wrong-Name", "wrong name", expected=400)
    give("blanks", "with blanks")
    ask("/api/keys/kept", {"secret": canary("too long") * 500}, 400)
    ask("/api/keys/kept", {"secrets": canary("unknown field")}, 400)
    ask("/api/keys/kept", f'{{"secret": "{canary("cut body")}'.encode(), 400)
    ask("/api/vault/unlock", {"passphrase": canary("passphrase"), "code": canary("code without a kit")}, 409)
    kits = [ask("/api/vault/kit", {"passphrase": canary("kit")}, 200)["code"] for _ in range(2)]
    del answers[-2:]  # which show the codes, once
    ask("/api/vault/kit", {"passphrase": canary("short of a kit")[:9]}, 400)
    ask("/api/vault/unlock", {"passphrase": canary("kit"), "code": canary("wrong code")}, 422)
    ask("/api/vault/unlock", {"passphrase": canary("wrong passphrase"), "code": kits[1]}, 422)
    ask("/api/vault/revoke", {"device_id": "none", "passphrase": canary("revoke")}, 404)
    project = {"url": "http://127.0.0.1:9", "public_key": "sb_publishable_1", "email": "me@example.org"}
    for place, fresh in (("sign-in", False), ("first sign-in", True)):  # nobody listens there
        ask("/api/sync/sign-in", {**project, "password": canary(place), "fresh": fresh}, 422)
    ask("/api/models", {"connection": connection(server, key="tiny")}, 200)
    ask("/api/models/mine/key", {"secret": canary("replaced by a connection")}, 200)
    ask("/api/models/mine/key", {"secret": canary("no key at all") + " "}, 400)
    ask("/api/models/mine/key", {"secret": canary("by a connection")}, 200)
    server.acts += [401, "error"]
    for _ in range(3):
        ask("/api/models/mine/test", {}, 200)
    return answers, kits


def every_answer(app: App, campaign_id: str) -> dict[str, str]:
    """What every address answers that can be read, exports included."""
    parameters = {"campaign_id": campaign_id, "connection_id": "mine", "log": "events"}
    answers: dict[str, str] = {}
    for rule in app.server.app.url_map.iter_rules():  # type: ignore[attr-defined]
        if "GET" in rule.methods and rule.rule != "/api/feed":
            path = rule.rule
            for name in rule.arguments:
                before, _, rest = path.partition("<")
                path = before + parameters.get(name, "1") + rest.partition(">")[2]
            answers[path] = app.ask(path).text
    timeline = f"/api/campaigns/{campaign_id}/timeline"
    logs = [f"{timeline}?log={log}&limit=100" for log in ("events", "audit", "workspace")]
    entries = [f"{timeline}/workspace/{seq}" for seq in range(1, 30)]
    answers |= {path: app.ask(path).text for path in (*logs, *entries)}
    return answers


def run_with_a_model(app: App, server: ModelServer) -> tuple[str, list[int]]:
    """A rehearsal by the model until a browser is open and the model was asked; the campaign, and every child process."""
    campaign_id = find_or_create_rehearsal(app.workspace, None, None)
    app.ask(f"/api/campaigns/{campaign_id}/model", {"proposer": "mine"})
    asked = len(server.requests)
    app.ask(f"/api/campaigns/{campaign_id}/start", {})
    until(lambda: len(server.requests) > asked)
    children = until(lambda: _all_there(descendants(os.getpid())))
    return campaign_id, children


def _all_there(pids: list[int]) -> list[int]:
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids if Path(f"/proc/{pid}").exists()]
    programs = (b"backend.practice", b"run-driver", b"--type=renderer")
    return pids if all(any(program in line for line in lines) for program in programs) else []


@pytest.fixture
def temp() -> Iterator[Path]:
    """A place for temporary files; its path is short, because a browser makes a socket there."""
    folder = Path(tempfile.mkdtemp(prefix="o-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_no_secret_is_anywhere(
    tmp_path: Path, temp: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        find_browser()
    except OutriderError as missing:
        pytest.skip(missing.sentence)
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setenv("OUTRIDER_KEY_GIVEN", canary("given"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("backend.app.wiring.Keychain", no_keychain)
    monkeypatch.setattr(processes, "_removed_keys", {})
    processes.remove_keys_from_environment()  # as the window and the commands do first of all
    server = ModelServer()
    with (
        running(tmp_path / "data", kdf_cost=CHEAP) as app,
        app.socket(hello={"token": app.token, "after": {}}) as socket,
    ):
        heard = Heard(socket)
        answers, kits = type_all(app, server)
        campaign_id, children = run_with_a_model(app, server)
        scanner = Scanner(WORD, *kits, *(code.replace("-", "") for code in kits))

        looking = Scanner(WORD)
        hits = [hit for pid in children for hit in looking.in_process(pid)]
        app.ask(f"/api/campaigns/{campaign_id}/stop", {})
        until(lambda: app.run_service.is_idle)
        app.ask(f"/api/campaigns/{campaign_id}/artifacts/campaign-files", {})
        replies = every_answer(app, campaign_id)
        for path, text in replies.items():
            hits += scanner.hits(path, text)
        for place, texts in (
            ("answers", answers),
            ("frames", heard.frames),
            ("rows", [repr(dump(tmp_path / "data" / "outrider.db"))]),
        ):
            hits += scanner.hits(place, "\n".join(texts))
        hits += scanner.in_folder(tmp_path) + scanner.in_folder(temp)  # the write-ahead log is there now
        opened = [app.workspace.keys.get(name) for name in ("kept", "other", "provider", "blanks", "tiny", "given")]
    hits += scanner.in_folder(tmp_path) + scanner.in_folder(temp)
    server.close()
    hits += scanner.hits("stdout and stderr", "".join(capfd.readouterr()))
    hits += scanner.hits("prompts", json.dumps([(path, asked) for path, _, asked in server.requests]))

    assert hits == []
    # And it was all there to be found: the keys open, the model was given its own, and much was looked at.
    places = ("kept", "a database's", "a provider's", "with blanks", "by a connection", "given")
    assert [secret and secret.reveal() for secret in opened] == [canary(place) for place in places]
    assert all(f"Bearer {canary('by a connection')}" in headers.values() for _, headers, _ in server.requests)
    assert any("SecretKept" in frame for frame in heard.frames)
    assert sum("SecretKept" in text for text in replies.values()) > 0
    assert looking.looked_at > 10 << 20
    assert len(PLACES) >= 20


@pytest.mark.parametrize("how", spellings(WORD))
def test_a_planted_one_is_found_however_it_is_written(tmp_path: Path, how: str) -> None:
    scanner = Scanner(WORD)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(os.urandom(500) + spellings(WORD)[how] + os.urandom(500))
    assert scanner.in_folder(tmp_path), how


@pytest.mark.parametrize("shift", range(3))
def test_a_planted_one_is_found_inside_of_base64(shift: int) -> None:
    import base64  # noqa: PLC0415

    content = base64.b64encode(bytes(range(shift, shift + 9 + shift)) + canary("kept").encode() + b"more")
    assert Scanner(WORD).hits("it", content)
    assert Scanner(WORD).hits("it", base64.urlsafe_b64encode(content[:0] + bytes(shift) + canary("kept").encode()))


def test_a_planted_one_is_found_in_the_environment_and_the_memory_of_a_child() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "word = bytes.fromhex(input()); print('ready', flush=True); input()"],
        env={**os.environ, "SOME_NAME": canary("kept")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(canary("given").encode().hex().encode() + b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"ready\n"
        assert child.pid in descendants(os.getpid())
        hits = Scanner(canary("given"), canary("kept")).in_process(child.pid)
        assert f"{child.pid} environ: raw" in hits
        assert f"{child.pid} memory: raw" in hits
        assert Scanner(canary("given")).hits("environ", Path(f"/proc/{child.pid}/environ").read_bytes()) == []
    finally:
        child.communicate(b"\n")

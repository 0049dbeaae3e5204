"""What the page and the window cost: answers of the API, the way of an event to the screen, scrolling, start, memory.

Everything is measured from outside: the app in a process of its own, a real Chromium, the real window.
"""

import gzip
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from backend.adapters.processes import WINDOW, command
from backend.api.server.page_files import PAGE
from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import filled_campaign
from tests.bridge.opened import AS_ROOT

PATIENCE = 60.0
UNDISTURBED = 3.0
"""A start is looked at only afterwards: the browser keeps when it painted, and looking would take it a core."""
Leads = Annotated[int, typer.Option(min=1, help="Leads in the database.")]
Events = Annotated[int, typer.Option(min=0, help="Prior events in the log, besides those of the leads.")]
Folder = Annotated[Path | None, typer.Option(help="Where to put the database; the disk that is measured.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")]


class App(NamedTuple):
    """The app in a process of its own, and how to ask it."""

    process: subprocess.Popen[str]
    url: str
    code: str

    def token(self) -> str:
        """The token of this launch, for the code; good once."""
        answer: dict[str, str] = json.loads(self.send("pair", {"code": self.code}))
        return answer["token"]

    def get(self, path: str, token: str) -> bytes:
        """One answer of the API."""
        request = urllib.request.Request(f"{self.url}api/{path}", headers={"X-Outrider-Token": token})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return bytes(answer.read())

    def send(self, path: str, body: dict[str, Any], token: str = "") -> bytes:
        """One command to the API."""
        headers = {"X-Outrider-Token": token, "Content-Type": "application/json", "Origin": self.url.rstrip("/")}
        request = urllib.request.Request(f"{self.url}api/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return bytes(answer.read())


def api(
    leads: Leads = 100_000,
    events: Events = 1_000_000,
    times: Annotated[int, typer.Option(min=1, help="Requests of each kind.")] = 60,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """How long each kind of question takes the API, asked over its socket one after the other."""
    with create_data_folder(folder, leads, events) as (data_dir, campaign_id), running_app(data_dir) as app:
        token = app.token()
        figures = {}
        for name, path in QUESTIONS.items():
            asked = path.format(id=campaign_id)
            app.get(asked, token)
            spent = []
            for _ in range(times):
                begun = time.perf_counter()
                app.get(asked, token)
                spent.append(time.perf_counter() - begun)
            figures[name] = spread(spent)
    worst = max(figures.values(), key=lambda figure: figure["p95"])
    report({"ms": figures, "worst_p95": worst["p95"]}, json_)


def visible(
    leads: Leads = 100_000,
    events: Events = 1_000_000,
    times: Annotated[int, typer.Option(min=1, help="Commits to follow.")] = 100,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """From a command sent (its event is committed before it is answered) to the change in the page's document."""
    with (
        create_data_folder(folder, leads, events) as (data_dir, campaign_id),
        running_app(data_dir) as app,
        chromium() as page,
    ):
        token = enter(page, app, f"#/campaigns/{campaign_id}/leads")
        lead = _leads(app, campaign_id, token)[0]["id"]
        page.evaluate(WATCH)
        spent = []
        for n in range(times):
            begun = time.time()
            app.send(f"campaigns/{campaign_id}/leads/{lead}/tags", {"tags": [f"mark {n}"]}, token)
            seen = page.evaluate("text => window.seen(text)", f"mark {n}")
            spent.append(seen / 1_000 - begun)
    report({"visible_ms": spread(spent)}, json_)


def scroll(
    leads: Leads = 100_000,
    seconds: Annotated[float, typer.Option(min=1, help="How long to scroll.")] = 6.0,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """Frames a second while the list of leads is scrolled: by the wheel, and by dragging the bar through all of it."""
    with (
        create_data_folder(folder, leads, 0) as (data_dir, campaign_id),
        running_app(data_dir) as app,
        chromium() as page,
    ):
        enter(page, app, f"#/campaigns/{campaign_id}/leads")
        page.locator("[aria-rowcount]").wait_for()
        page.wait_for_function("document.querySelectorAll('[aria-rowindex]').length > 5")
        result = {how: page.evaluate(_SCROLL, [step, seconds * 1_000]) for how, step in _WAYS.items()}
    report(result, json_)


_WAYS = {"wheel": 120, "drag": 0}
"""Pixels a frame; 0: through the whole list in the given time."""


def start(
    times: Annotated[int, typer.Option(min=1, help="Starts of each kind, one after the other.")] = 5,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """From process start to the paint of the page, and all memory, beside an empty window's first paint (Linux).

    `useful_paint_ms` is the first paint of a campaign in the list; with campaigns in the data folder and a start before, that
    is the list as it was last known. `current_ms` is when the list was answered by the backend.
    """
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only these benchmarks

    measured: dict[str, list[dict[str, float]]] = {"outrider": [], "empty": []}
    with tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made, sync_playwright() as playwright:
        with open_workspace(AppSettings(Path(made), "", 10)) as workspace:
            for _ in range(CAMPAIGNS):
                filled_campaign(workspace, 100, 100)
        app = command(WINDOW, "--headless-browser", "--data-dir", made)
        for _ in range(times + 1):
            measured["empty"].append(_opened_once([sys.executable, "-c", _EMPTY], "", playwright.chromium))
            measured["outrider"].append(_opened_once(app, "http://127.0.0.1:", playwright.chromium))
    result: dict[str, Any] = {
        name: {key: round(statistics.median(opening[key] for opening in openings[1:])) for key in openings[0]}
        for name, openings in measured.items()  # the first of each warms the disk's cache, and leaves what is then known
    }
    empty = result["empty"]
    ratios = {
        f"{key}_ratio": round(ours / empty.get(key, empty["first_paint_ms"]), 2)
        for key, ours in result["outrider"].items()
    }
    report({**result, **ratios, "javascript_gzipped_kb": _javascript_kb()}, json_)


QUESTIONS = {
    "session": "session",
    "campaigns": "campaigns",
    "campaign": "campaigns/{id}",
    "run": "campaigns/{id}/run",
    "turns": "campaigns/{id}/turns",
    "tasks": "campaigns/{id}/tasks",
    "leads, first page": "campaigns/{id}/leads",
    "leads, the middle": "campaigns/{id}/leads?skip=50000",
    "leads, by name": "campaigns/{id}/leads?sort=name",
    "leads, search": "campaigns/{id}/leads?text=person%2012",
    "leads, facets": "campaigns/{id}/leads/facets",
    "drafts": "campaigns/{id}/drafts",
    "outgoing": "campaigns/{id}/outgoing",
    "threads": "campaigns/{id}/threads",
    "artifacts": "campaigns/{id}/artifacts",
    "timeline": "campaigns/{id}/timeline",
    "insights": "campaigns/{id}/insights",
    "settings": "settings",
}


WATCH = """() => {
  window.seen = text => new Promise(resolve => {
    const there = () => document.body.innerText.includes(text) && (resolve(Date.now()), true);
    if (there()) return;
    const watcher = new MutationObserver(() => there() && watcher.disconnect());
    watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}"""

_SCROLL = """async ([step, duration]) => {
  let box = document.querySelector('[aria-rowindex]');
  while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
  box.scrollTop = 0;
  const frames = [];
  const begun = performance.now();
  let last = begun;
  await new Promise(done => requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    box.scrollTop = step ? box.scrollTop + step : (box.scrollHeight - box.clientHeight) * Math.min(1, (now - begun) / duration);
    if (now - begun < duration) requestAnimationFrame(frame); else done();
  }));
  frames.sort((a, b) => a - b);
  return {
    frames_per_second: Math.round(1000 * frames.length / (last - begun)),
    p95_ms: Math.round(10 * frames[Math.floor(frames.length * 0.95)]) / 10,
    longest_ms: Math.round(10 * frames.at(-1)) / 10,
  };
}"""

_EMPTY = """
import webview
webview.create_window("Empty", html="<p>Empty</p>")
webview.start(private_mode=True)
"""

_PAINTED = """({
  first_paint_ms: performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime,
})"""
_LIST_PAINTED = """new Promise(done => {
  const asked = performance.getEntriesByType('resource').find(one => one.name.endsWith('/api/campaigns?archived=false'));
  new PerformanceObserver(list => done({
    useful_paint_ms: performance.timeOrigin + list.getEntries().find(one => one.identifier === 'campaign').renderTime,
    current_ms: performance.timeOrigin + asked.responseEnd,
  })).observe({ type: 'element', buffered: true });
})"""
"""When which part of the page was painted, and when the list was answered (ms since 1970)."""
CAMPAIGNS = 3


def _opened_once(asked: list[str], address: str, chromium: Any) -> dict[str, float]:
    """One window from its start to its paint; then how much memory it and its children have."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    surroundings = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PYWEBVIEW_GUI": "qt",
        "QTWEBENGINE_REMOTE_DEBUGGING": f"127.0.0.1:{port}",
        **AS_ROOT,
    }
    # As on a user's machine: compiled modules are kept, and read from the second start on.
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.time()
    process = subprocess.Popen(asked, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(UNDISTURBED)
        _await_target(port, address)
        browser = chromium.connect_over_cdp(f"http://127.0.0.1:{port}", no_defaults=True)
        page = browser.contexts[0].pages[0]
        if address:
            page.get_by_role("status").filter(has_text="Live").wait_for()
        painted = page.evaluate(_PAINTED) | (page.evaluate(_LIST_PAINTED) if address else {})
        memory = _memory_mb(process.pid)
        browser.close()
    finally:
        process.terminate()
        process.wait()
    return {**{name: at - 1_000 * begun for name, at in painted.items()}, "memory_mb": memory}


def _await_target(port: int, address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=2) as answer:
                if any(target["url"].startswith(address) for target in json.load(answer)):
                    return
        except OSError:
            pass
        time.sleep(0.02)
    raise RuntimeError("the window did not open")


def _memory_mb(pid: int) -> float:
    """Proportional memory of a process and all its children."""
    total = 0.0
    with suppress(ProcessLookupError, FileNotFoundError):  # a child that ended meanwhile has none
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1]) / 1_024
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(_memory_mb(int(child)) for child in (task / "children").read_text("ascii").split())
    return total


def _javascript_kb() -> float:
    """What the page loads before anything is shown."""
    first = re.findall(r'(?:src|href)="\./([^"]+\.js)"', (PAGE / "index.html").read_text("utf-8"))
    return round(sum(len(gzip.compress((PAGE / name).read_bytes())) for name in first) / 1_000, 1)


@contextmanager
def chromium() -> Iterator[Any]:
    """A page in a real Chromium, drawing as on a desk's screen."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only these benchmarks

    system = shutil.which("chromium")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system, args=root)
        yield browser.new_page(viewport={"width": 1280, "height": 860})
        browser.close()


def enter(page: Any, app: App, address: str) -> str:
    """Open the page at an address of its own; the token, which the pairing answers."""
    page.goto(app.url + address)
    with page.expect_response("**/api/pair") as paired:
        page.get_by_label("Code").fill(app.code)
        page.keyboard.press("Enter")
    token: str = paired.value.json()["token"]
    page.get_by_role("status").filter(has_text="Live").wait_for()
    return token


def _leads(app: App, campaign_id: str, token: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(app.get(f"campaigns/{campaign_id}/leads", token))["rows"]
    return rows


@contextmanager
def create_data_folder(folder: Path | None, leads: int, events: int) -> Iterator[tuple[Path, str]]:
    """A data folder with one campaign of that size."""
    with tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made:
        with open_workspace(AppSettings(Path(made), "", 10)) as workspace:
            campaign_id = filled_campaign(workspace, leads, events)
        yield Path(made), campaign_id


@contextmanager
def running_app(data_dir: Path) -> Iterator[App]:
    """The app without a window, until left."""
    asked = command(WINDOW, "--no-window", "--headless-browser", "--data-dir", str(data_dir))
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, text=True)
    try:
        url, code = (_said(process, pattern) for pattern in (r"http://\S+", r"[Cc]ode for the page: (\S+)"))
        yield App(process, url, code)
    finally:
        process.terminate()
        process.communicate()


def _said(process: subprocess.Popen[str], pattern: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(pattern, line):
            return match[match.re.groups]
    raise RuntimeError("the app ended before it was ready")

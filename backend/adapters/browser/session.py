"""A visible Chromium on a profile of its own: owned by one thread, confined to one site, never repeating a request."""

import asyncio
import contextlib
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, unquote, unquote_plus, urljoin, urlsplit

from playwright.sync_api import (
    BrowserContext,
    Dialog,
    Page,
    Playwright,
    Request,
    Route,
    WebSocketRoute,
    sync_playwright,
)
from playwright.sync_api import Error as BrowserFailure

from backend.adapters import child_processes
from backend.adapters.browser.chromium import (
    end_process,
    find_browser,
    forbid_loading_ahead,
    free_profile,
    holders,
    running_as_root,
)
from backend.adapters.browser.node import prepare_environment
from backend.adapters.browser.single_post import Post, PostAnswer, PostFailure, send_once
from backend.adapters.child_processes import job_here, own_group
from backend.domain.contact.plain_failure import plain_failure
from backend.domain.model.message import folded
from backend.domain.model.site import Attempt, SiteAnswer
from backend.domain.values.errors import OutriderError
from backend.machine.real_path import real_path
from backend.ports.site import MAX_STEPS, STEP_SECONDS, ActCalledOff, ActCheck, ShownByAct, SiteUnavailable

__all__ = ["BrowserFailure", "BrowserSession", "SingleAct", "UnwantedPostError", "origin_of"]

T = TypeVar("T")

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""Only what this machine serves itself may be shown in a hidden browser: the practice network, and the tests' pages."""
LAUNCH_TIMEOUT = 30.0
CLOSE_TIMEOUT = 10.0
HIDDEN_WINDOW = {"width": 1280, "height": 900}
# Answers to a post that say where to look instead.
SEE_OTHER = (301, 302, 303)
# No proxy listens here: what goes to it goes nowhere.
DEAD_PROXY = "http://127.0.0.1:1"
# Chromium's own word for: what no proxy can carry is not sent at all.
NO_UDP_BESIDE_PROXY = "disable_non_proxied_udp"
EVERYTHING = "**/*"
# So long a window of others is left, without scripts, for what it has asked for to be stopped.
_HELD_BACK_MS = 100
# No route sees what leaves by these: a worker's socket, a call, a stream beside HTTP, a window that its opener writes into or that
# closes itself. A worker that does nothing breaks no page, nor does a window that does not open or close by itself.
NO_WAY_AROUND_ROUTES = """
globalThis.open = () => null;
globalThis.close = () => {};
globalThis.Worker = class Worker extends EventTarget { postMessage() {} terminate() {} };
for (const name of ['WebSocketStream', 'WebTransport', 'RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name];
"""

Job = tuple[Callable[[], Any], "Future[Any]"]


class BrowserSession:
    """One browser window on one site.

    Starts at the first call, and again at the first call after it was closed or crashed; the call that meets the loss
    raises `SiteUnavailable`. Playwright belongs to the thread that started it, so every call is handed to one thread of
    our own, whoever calls. Between calls nothing is intercepted: the window belongs to the user's hands then.
    Several users may share it: their calls follow one another, and it closes when the last of them has closed it.
    """

    def __init__(
        self,
        site: str,
        profile: Path,
        origin: str,
        *,
        headless: bool = False,
        timeout: float = STEP_SECONDS,
        find: Callable[[], Path] = find_browser,
        announce: Callable[[str], AbstractContextManager[object]] | None = None,
        beside: Callable[[], tuple[int, int, int, int] | None] = lambda: None,
    ) -> None:
        """`timeout` (s) is for each step, not for a call.

        `find` is asked for the browser's program at each start.
        `origin` (scheme://host:port) is all that can be loaded if this machine serves it; a real site brings parts from others.
        `beside` is asked for the visible window's place (x, y, width, height) when the browser starts.
        `announce` is entered, with the host, around what this process itself sends to it; it may refuse by an `OutriderError`.
        """
        self._beside = beside
        self._announce = announce or (lambda _: contextlib.nullcontext())
        self.origin = origin_of(origin)
        self.served_here = urlsplit(self.origin).hostname in LOOPBACK
        if headless and not self.served_here:
            raise OutriderError("headless_forbidden")
        self.site = site
        self.headless = headless
        self.timeout = timeout
        self.answer_timeout = timeout
        self.launch_timeout = LAUNCH_TIMEOUT
        self.starts = 0  # grows with every new browser: whoever is signed in for a session only has to do it again
        self.profile = real_path(profile)
        self._find = find
        self._own = re.compile(rf"^{re.escape(self.origin)}(?:[/?#]|$)")
        self._foreign = re.compile(rf"^(?!{re.escape(self.origin)}(?:[/?#]|$))(?:https?|wss?|ftp|file):")
        self._calls = threading.Lock()
        self._one_call = threading.Lock()  # held while a call is carried out: its time begins with it
        self._users: set[object] = set()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closing: threading.Thread | None = None
        # Only the owning thread touches these.
        self._playwright: Playwright | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._soiled = False
        self._opening = False
        self._stop: Callable[[Route], None] | None = None
        self._muted = False
        self._strangers: list[Page] = []
        self.requested = False  # whether bytes of the act under way may have left
        # Ended by whoever gives up waiting for the owning thread.
        self._driver: int | None = None
        self._processes: child_processes.Job | None = None
        self._end_sending: Callable[[], None] | None = None

    def start(self, user: object = None) -> None:
        """Show the browser, for this user among others. Idempotent. Raises `OutriderError` when there is none to show."""
        if user is not None:
            with self._calls:
                self._users.add(user)
        self._call(self._ready_page, self.act_seconds + self.launch_timeout)

    @property
    def act_seconds(self) -> float:
        """After so long an act is broken off. A page that hangs in its own script answers no question at all."""
        return self.timeout * MAX_STEPS

    def run(self, work: Callable[[Page], T]) -> T:
        """Do the work on the page, in the owning thread; whatever the browser fails at becomes `SiteUnavailable`."""
        return self._call(lambda: self._work(work), self.act_seconds + self.launch_timeout)

    def run_act(self, work: Callable[[Page], T]) -> T:
        """As `run`, but broken off in the time that an act may take, even if the browser has to be started first."""
        return self._call(lambda: self._work(work), self.act_seconds)

    def close(self, user: object = None) -> None:
        """Close the browser after the call in flight, unless others than this user need it. Idempotent, never raises."""
        with self._calls:
            self._users.discard(user)
            if user is not None and self._users:
                return
            thread, self._thread = self._thread, None
            if thread is None:
                return
            self._closing = thread
            self._jobs.put(None)
        thread.join(CLOSE_TIMEOUT)
        if thread.is_alive():
            self._end_browser()
            thread.join(CLOSE_TIMEOUT)

    def submit(
        self, page: Page, click: Callable[[], None], check: ActCheck, allowed: Callable[[Post], bool] = lambda _: True
    ) -> int:
        """Click once, show the answer, and return its HTTP status; what is posted leaves exactly once, and only if it is `allowed`.

        Chromium posts a form again by itself when the connection breaks before an answer (three times on a kept-alive
        connection when measured), which could send a message twice. So its own post is stopped, and this process sends
        the same bytes once, right after `check`. The two never wait side by side: a request that is held back in
        Chromium is let go when its debugger disconnects, so a crash of ours would send it beside ours.
        Raises `BrowserFailure`; the post may then have arrived. Raises what `check` raises, and `UnwantedPostError`; then it
        has not left.
        """
        try:
            post = self._stopped_post(page, click)
            if not allowed(post):
                self._soiled = True
                raise UnwantedPostError
            answer = self._send(page, post, check)
            if answer.status in SEE_OTHER and answer.location:
                shown = page.goto(urljoin(post.url, answer.location), wait_until="domcontentloaded")
                return shown.status if shown else 0
            # The answer is the page itself. (307 and 308 ask to post once more; they are not followed.)
            page.set_content(answer.text, wait_until="domcontentloaded")
        except BrowserFailure:
            # Something may still be loading; the next call must not meet it.
            self._soiled = True
            raise
        return answer.status

    def submit_scripted(
        self,
        page: Page,
        click: Callable[[], None],
        stopped: Sequence[Post],
        matches: Callable[[Post], bool],
        check: ActCheck,
        allowed: Callable[[Post], bool] = lambda _: True,
    ) -> PostAnswer | None:
        """As `submit`, for a page whose script sends: the one request that `matches` leaves once, and the page ends with it.

        A script may try again what failed, or send more than one thing: `stopped`, of `stopping`, has what was stopped so far.
        None if no such request came, or one that is not `allowed`; then none has left.
        """
        try:
            before = len(stopped)
            click()
            deadline = time.monotonic() + self.timeout
            while not (post := next(filter(matches, stopped[before:]), None)) and time.monotonic() < deadline:
                page.wait_for_timeout(10)
            permitted = post is not None and allowed(post)
            self._silence(page)
            return self._send(page, post, check) if post and permitted else None
        except BrowserFailure:
            self._soiled = True
            raise

    @contextlib.contextmanager
    def stopping(self, page: Page, words: str) -> Iterator[list[Post]]:
        """Within the block no request leaves that could change something or tell the words; the list has those that were stopped.

        It holds for the page and for every window that the page opens, and until a page that failed is closed. What this
        process itself sends for the page, after a check, is not the page's.
        """
        stopped: list[Post] = []

        def stop(route: Route) -> None:
            with contextlib.suppress(BrowserFailure):
                request = route.request
                # What the site was sent it may show, and name in the address of its answer.
                if not could_tell(request, "" if self.requested else words):
                    route.fallback()
                else:
                    route.abort("aborted")
                    stopped.append(Post(request.url, request.method, request.headers, request.post_data_buffer or b""))

        page.context.route(EVERYTHING, stop)
        self._stop, self.requested = stop, False
        if not self._muted:
            page.context.route_web_socket(EVERYTHING, mute)
            page.context.add_init_script(NO_WAY_AROUND_ROUTES)
            self._muted = True
        try:
            yield stopped
        except BaseException:
            self._silence(page)
            raise
        if not self._soiled:
            self._stop_stopping(page)

    def _stop_stopping(self, page: Page) -> None:
        """Once no window is left of those that were opened meanwhile; what was held back of one that is closed is let go."""
        strangers, self._strangers = self._strangers, []
        if strangers:
            page.wait_for_timeout(_HELD_BACK_MS)
        for stranger in strangers:
            with contextlib.suppress(BrowserFailure):
                stranger.close()
        stop, self._stop = self._stop, None
        if stop is not None:
            page.context.unroute(EVERYTHING, stop)

    def _silence(self, page: Page) -> None:
        """Let no script of the page run any more, not even at its end, when no route sees what it sends; it is closed next."""
        self._soiled = True
        run_no_script(page)

    def _send(self, page: Page, post: Post, check: ActCheck) -> PostAnswer:
        def last_check(shown: ShownByAct | None = None) -> None:
            check(shown)
            self.requested = True

        cookies = {str(cookie["name"]): str(cookie["value"]) for cookie in page.context.cookies(post.url)}
        try:
            with self._announce(urlsplit(post.url).hostname or ""):
                answer = send_once(post, cookies, self.answer_timeout, last_check, self._opened)
        except OutriderError as refused:  # before a byte of it left
            raise ActCalledOff(refused.sentence) from refused
        except PostFailure as failure:
            raise BrowserFailure(str(failure)) from failure
        finally:
            self._end_sending = None
        page.context.add_cookies(cast("list[Any]", answer.cookies))
        return answer

    def _opened(self, end: Callable[[], None]) -> None:
        self._end_sending = end

    def _stopped_post(self, page: Page, click: Callable[[], None]) -> Post:
        """Click and catch what would be posted, before any of it leaves."""
        stopped: list[Post] = []

        def stop(route: Route) -> None:
            with contextlib.suppress(BrowserFailure):
                if route.request.method in ("GET", "HEAD"):
                    route.continue_()
                else:
                    request = route.request
                    route.abort("aborted")
                    stopped.append(Post(request.url, request.method, request.headers, request.post_data_buffer or b""))

        page.route(self._own, stop)
        with page.expect_request(lambda request: request.method not in ("GET", "HEAD")):
            click()
        deadline = time.monotonic() + self.timeout
        while not stopped:
            if time.monotonic() > deadline:
                # Left unknown on purpose; taking the route away now could let it go.
                raise BrowserFailure("the post could not be stopped")
            page.wait_for_timeout(1)
        page.unroute(self._own, stop)
        return stopped[0]

    # Called by anyone.

    def _call(self, job: Callable[[], T], seconds: float) -> T:
        if not self._one_call.acquire(timeout=seconds):
            raise SiteUnavailable("the browser is busy with another campaign")
        try:
            return self._carried_out(job, seconds)
        finally:
            self._one_call.release()

    def _carried_out(self, job: Callable[[], T], seconds: float) -> T:
        future: Future[T] = Future()
        with self._calls:
            if self._thread is None or not self._thread.is_alive():
                self._jobs = queue.SimpleQueue()
                # A daemon, so that a hanging browser cannot keep a program from ending.
                self._thread = threading.Thread(
                    target=self._serve, args=(self._jobs, self._closing), name="browser", daemon=True
                )
                self._thread.start()
            self._jobs.put((job, future))
        for _ in range(2):
            try:
                return future.result(seconds)
            except TimeoutError:
                if future.done():
                    raise
                self._end_browser()
        raise SiteUnavailable("the browser hangs")

    def _end_browser(self) -> None:
        """Make a hanging browser fail instead; the owning thread then finds it gone.

        The driver comes second: a request that it holds back in a browser that lives on would be let go.
        """
        for holder in holders(self.profile):
            if holder.ours:
                end_process(holder.pid)
        driver, end_sending = self._driver, self._end_sending
        if driver is not None:
            end_process(driver)
        if end_sending is not None:
            end_sending()

    # Called by the owning thread only.

    def _serve(self, jobs: "queue.SimpleQueue[Job | None]", before: threading.Thread | None) -> None:
        if before is not None:  # it still closes its browser, which has the same profile
            before.join()
        while (next_job := jobs.get()) is not None:
            job, future = next_job
            try:
                future.set_result(job())
            except BaseException as failure:  # noqa: BLE001 - it is the caller's, whatever it is
                future.set_exception(failure)
            del next_job, job, future
        self._shut()

    def _work(self, work: Callable[[Page], T]) -> T:
        try:
            page = self._ready_page()
        except OutriderError as failure:
            raise SiteUnavailable(failure.sentence) from failure
        try:
            return work(page)
        except (SiteUnavailable, ActCalledOff):
            self._soiled = True
            raise
        except Exception as failure:
            if not is_browsers(failure):
                raise
            self._soiled = True
            raise SiteUnavailable(plain_failure(failure)) from failure

    def _ready_page(self) -> Page:
        """The page, a fresh one after a failure, in a fresh browser when the old one is gone."""
        if self._page is not None and (self._soiled or self._page.is_closed()):
            try:
                self._renew_page()
            except Exception as failure:
                if not is_browsers(failure):
                    raise
                self._shut()
        if self._page is None:
            self._start()
        self._soiled = False
        if self._page is None:
            raise OutriderError("browser_failed", detail="it was closed while it started")
        return self._page

    def _renew_page(self) -> None:
        """A page that failed may still be loading, which would interrupt the next one's loading."""
        if self._context is None:
            return
        old = self._page
        self._opening = True
        try:
            self._page = self._context.new_page()
        finally:
            self._opening = False
        if old is not None:
            with contextlib.suppress(BrowserFailure):
                old.close()
        self._stop_stopping(self._page)

    def _start(self) -> None:
        executable = self._find()
        prepare_environment()
        if not self.headless and sys.platform == "linux" and not has_display():
            raise OutriderError("display_missing")
        self.profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        free_profile(self.profile)
        try:
            forbid_loading_ahead(self.profile)
            with driver_in_own_session() as started:
                self._playwright = sync_playwright().start()
            self._driver = started[-1] if started else None
            # Windows ends the driver with us however we end, and with it the browser, which nobody could end afterwards.
            self._processes = job_here(self._driver) if self._driver else None
            self._context = self._playwright.chromium.launch_persistent_context(
                self.profile,
                executable_path=executable,
                headless=self.headless,
                args=self._switches(),
                # Chromium's own sandbox cannot be used by root; everyone else keeps it (Playwright's default is off).
                chromium_sandbox=not running_as_root(),
                no_viewport=None if self.headless else True,
                viewport=HIDDEN_WINDOW if self.headless else None,  # type: ignore[arg-type]
                accept_downloads=False,
                service_workers="block",
                timeout=self.launch_timeout * 1000,
            )
            self._confine(self._context)
            self._page = self._context.pages[0] if self._context.pages else self._context.new_page()
        except Exception as failure:
            # Whatever its kind: a driver that dies while it starts is told in several ways.
            self._shut()
            raise OutriderError("browser_failed", detail=plain_failure(failure)) from failure
        self.starts += 1

    def _switches(self) -> list[str]:
        # A page's calls (WebRTC) would go past any proxy otherwise, by UDP and with this machine's addresses in them.
        switches = [
            f"--{name}={NO_UDP_BESIDE_PROXY}"
            for name in ("force-webrtc-ip-handling-policy", "webrtc-ip-handling-policy")
        ]
        # Nor may a page send from a worker that windows share, or after its end, where no route sees it.
        switches += ["--disable-shared-workers", "--disable-blink-features=FetchLaterAPI"]
        if not self.headless and (window_bounds := self._beside()) is not None:
            x, y, width, height = window_bounds
            switches += [f"--window-position={x},{y}", f"--window-size={width},{height}"]
        if not self.served_here:
            return switches
        # Routes do not see where a redirect goes. The practice network is served from here, so everything but its
        # own address can be sent nowhere; on a real site that would cut off a user who needs a proxy. No name server
        # is asked about any name either: some are looked up without a request.
        own = urlsplit(self.origin)
        return [
            *switches,
            f"--proxy-server={DEAD_PROXY}",
            f"--proxy-bypass-list=<-loopback>;{own.netloc}",
            f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {own.hostname}",
        ]

    def _confine(self, context: BrowserContext) -> None:
        """Refuse what a page could ask for: other sites, windows, downloads, permissions, dialogs."""
        context.set_default_timeout(self.timeout * 1000)
        context.set_default_navigation_timeout(self.timeout * 1000)
        context.grant_permissions([])  # grants none and refuses all others, without a prompt
        if self.served_here:  # a real site brings its pictures and scripts from hosts of its own choice
            context.route(self._foreign, refuse_route)
        context.on("dialog", dismiss)
        context.on("page", self._only_ours)

    def _only_ours(self, page: Page) -> None:
        if self._opening or page is self._page:
            return
        if self._stop is not None:
            run_no_script(page)
            self._strangers.append(page)
        else:
            with contextlib.suppress(BrowserFailure):
                page.close()

    def _shut(self) -> None:
        context, playwright, processes = self._context, self._playwright, self._processes
        self._context = self._page = self._playwright = self._driver = self._stop = None
        self._muted, self._strangers = False, []
        self._processes = None
        for close in (context and context.close, playwright and playwright.stop, processes and processes.end):
            # Nothing more can be done for a browser that fails to close: `free_profile` looks before the next start.
            with contextlib.suppress(Exception):
                if close:
                    close()


def origin_of(url: str) -> str:
    """Scheme, host and port, as a browser writes them."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def is_browsers(failure: Exception) -> bool:
    """Whether the browser or its driver failed, and not our own code.

    Playwright tells the end of its driver by its own error, by a broken pipe, or by a bare `Exception`, which nothing
    else raises.
    """
    return isinstance(failure, BrowserFailure | ConnectionError) or type(failure) is Exception


@contextlib.contextmanager
def driver_in_own_session() -> Iterator[list[int]]:
    """Start Playwright's driver in a group of its own; the list has its process id then.

    Ctrl-C reaches every process of the terminal's foreground group and means "stop after the current action"; the
    driver would close the browser in mid-send. It still ends with us, when its standard input closes.
    """
    start, started = asyncio.create_subprocess_exec, list[int]()

    async def start_apart(*command: Any, **options: Any) -> Any:
        process = await start(*command, **{**options, **own_group(options=options)})
        started.append(process.pid)
        return process

    asyncio.create_subprocess_exec = start_apart
    try:
        yield started
    finally:
        asyncio.create_subprocess_exec = start


def has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def could_tell(request: Request, words: str) -> bool:
    """Whether a request could change something, or tell these words, in its address or beside it."""
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        return True
    text, letters = folded(words), _letters(words)
    url = urlsplit(request.url)
    parts = [unquote_plus(unquote_plus(place)) for place in (url.path, url.query, *request.headers.values())]
    parts += parts[0].split("/")
    parts += [unquote(part) for pair in parse_qsl(url.query, keep_blank_values=True) for part in pair]
    if " " in text and len(letters) >= _MANY_LETTERS and any(letters in _letters(part) for part in parts):
        return True
    # A single word may be a part of anything.
    return bool(text) and any(folded(part) == text or (" " in text and text in folded(part)) for part in parts)


_MANY_LETTERS = 8
"""So many of several words in a row are hardly in another address by chance, whatever parts them there."""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def run_no_script(page: Page) -> None:
    """From now on, nor at its end."""
    with contextlib.suppress(Exception):  # a browser that is gone says nothing
        page.context.new_cdp_session(page).send("Emulation.setScriptExecutionDisabled", {"value": True})


def mute(socket: WebSocketRoute) -> None:
    """The page hears of what happens, and says nothing."""
    socket.connect_to_server()
    socket.on_message(lambda _: None)


def refuse_route(route: Route) -> None:
    with contextlib.suppress(BrowserFailure):
        route.abort("blockedbyclient")


def dismiss(dialog: Dialog) -> None:
    with contextlib.suppress(BrowserFailure):
        # "Leave this page?" is the one question to which the safe answer for us is yes: no form of ours is half-sent.
        if dialog.type == "beforeunload":
            dialog.accept()
        else:
            dialog.dismiss()


class UnwantedPostError(Exception):
    """What a click would have posted is not what was to be sent; it was stopped."""


class SingleAct:
    """Carries out the acts of one session: before a click a failure says that nothing was done, from then on nothing at all.

    From the opening of the act's page to its verdict nothing leaves the page by itself.
    """

    def __init__(self, session: BrowserSession) -> None:
        self._session = session
        self._clicked = False
        self.stopped: Sequence[Post] = ()
        """What the page of the act under way would have sent so far."""

    def run(self, act: Callable[[Page], Attempt], words: str = "") -> Attempt:
        """Carry it out, which the person is to read in these words; it calls `clicks` right before its click.

        Raises `SiteUnavailable` for a failure before the click, and what the act itself raises: one that its check called
        off says so at any time, because the check comes before the bytes.
        """
        self._clicked = False

        def guarded(page: Page) -> Attempt:
            with self._session.stopping(page, words) as self.stopped:
                return act(page)

        try:
            return self._session.run_act(guarded)
        except SiteUnavailable as failure:
            if not self._clicked:
                raise
            return Attempt(SiteAnswer.NO_ANSWER, str(failure))

    def clicks(self) -> None:
        """From here on something may happen at the site."""
        self._clicked = True

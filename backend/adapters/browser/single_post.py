"""One HTTP request, sent once by this very process: between the last question and the bytes there is nothing that can wait.

A browser, or its driver, is another process: stopped after it was told to send, it would still send when it goes on.
"""

import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException, HTTPMessage, HTTPResponse
from http.cookies import CookieError, Morsel, SimpleCookie
from typing import NamedTuple
from urllib.parse import urlsplit

from backend.ports.site import ActCheck

MOST_BYTES = 8_000_000
"""No page that answers a post is longer."""
PORTS = {"http": 80, "https": 443}
# What is worked out here, and what would make an answer that only a browser reads.
OWN_HEADERS = frozenset({"accept-encoding", "connection", "content-length", "cookie", "host", "transfer-encoding"})


class PostFailure(Exception):  # noqa: N818 - a state of the world, not a defect
    """No answer, or none that can be read; the request may have arrived."""


Cookie = dict[str, str | bool | float]
"""As Playwright takes one."""


class Post(NamedTuple):
    """What the browser would have sent."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes


class PostAnswer(NamedTuple):
    """What came back."""

    status: int
    location: str
    cookies: list[Cookie]
    text: str


def send_once(
    post: Post,
    cookies: Mapping[str, str],
    seconds: float,
    check: ActCheck,
    opened: Callable[[Callable[[], None]], None],
) -> PostAnswer:
    """Connect, ask `check`, and send everything in one piece; `seconds` are for each step.

    `opened` is given what ends the connection, for somebody who gives up waiting. Raises `PostFailure`, and what `check` raises.
    """
    request = _bytes_of(post, cookies)
    try:
        with _connect(post.url, seconds) as connection:
            opened(partial(_end, connection))
            check()
            connection.sendall(request)
            return _answer(connection, post)
    except (OSError, HTTPException, ValueError, LookupError) as failure:
        raise PostFailure(f"{type(failure).__name__}: {failure}") from failure


def _bytes_of(post: Post, cookies: Mapping[str, str]) -> bytes:
    parts = urlsplit(post.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    retained_headers = {name: value for name, value in post.headers.items() if name.lower() not in OWN_HEADERS}
    headers = {
        "Host": parts.netloc,
        **retained_headers,
        "Accept-Encoding": "identity",
        "Connection": "close",
        "Content-Length": str(len(post.body)),
    }
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    lines = [f"{post.method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise PostFailure("a header has a line break")
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + post.body


def _connect(url: str, seconds: float) -> socket.socket:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    connection = socket.create_connection((host, port), seconds)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(
            socket, "TCP_USER_TIMEOUT"
        ):  # bytes that nobody takes are given up, not repeated for a quarter of an hour
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1_000))
        if parts.scheme == "https":
            return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise
    return connection


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be over by itself
        connection.shutdown(socket.SHUT_RDWR)


def _answer(connection: socket.socket, post: Post) -> PostAnswer:
    with contextlib.closing(HTTPResponse(connection, method=post.method)) as response:
        response.begin()
        text = response.read(MOST_BYTES).decode(response.headers.get_content_charset("utf-8"), "replace")
        location = response.headers.get("Location", "")
        return PostAnswer(response.status, location, _cookies(response.headers, post.url), text)


def _cookies(headers: HTTPMessage, url: str) -> list[Cookie]:
    """The cookies that the answer sets; one that cannot be read is left out, as a browser does."""
    cookies: list[Cookie] = []
    for line in headers.get_all("Set-Cookie") or ():
        with contextlib.suppress(CookieError, ValueError):
            cookies += [_cookie(name, morsel, url) for name, morsel in SimpleCookie(line).items()]
    return cookies


def _cookie(name: str, morsel: Morsel[str], url: str) -> Cookie:
    cookie: Cookie = {
        "name": name,
        "value": morsel.coded_value,
        "domain": morsel["domain"] or urlsplit(url).hostname or "",
        "path": morsel["path"] or "/",
        "httpOnly": bool(morsel["httponly"]),
        "secure": bool(morsel["secure"]),
    }
    if morsel["samesite"]:
        cookie["sameSite"] = morsel["samesite"].capitalize()
    if morsel["max-age"]:  # a moment that is over takes the cookie away
        cookie["expires"] = max(1.0, time.time() + int(morsel["max-age"]))
    elif morsel["expires"]:
        cookie["expires"] = max(1.0, parsedate_to_datetime(morsel["expires"]).timestamp())
    return cookie

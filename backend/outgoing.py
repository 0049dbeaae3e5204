"""Who may be called, and what was sent to whom: the one place where a connection that leaves this machine is let through.

`OutgoingCalls.call` lets through who is on the list. `guard` makes it the only way out: a connection that any code in this
process makes outside of a call, or in one to anybody else than whom it is for, is refused before a packet of it is sent.
Other programs that Outrider starts, its browser above all, and the engine of its window are held by means of their own.
"""

import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any
from urllib.parse import urlsplit

from backend.domain.errors import OutriderError
from backend.ports.clock import Clock
from backend.ports.outgoing import Allowed, Call, Purpose, Refused, Register

KEPT_EVERY = 2.0
"""Seconds that a count waits at most before it is written; a crash loses no more."""

MOST_REFUSED = 100
"""Hosts that are remembered as refused; who tries more than that has told enough."""


def normal(host: str | bytes) -> str:
    """One spelling a host: lower case, no dot at its end, IDNA; addresses without brackets, in their shortest form."""
    name = (host.decode("latin-1") if isinstance(host, bytes) else host).strip().strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name if name.isascii() else _idna(name)
    return str(getattr(address, "ipv4_mapped", None) or address)


def _idna(name: str) -> str:
    import idna  # noqa: PLC0415 - rarely needed, and what the HTTP libraries use

    try:
        return idna.encode(name, uts46=True).decode()
    except idna.IDNAError:
        return name  # no library can resolve it either


def stays_here(host: str) -> bool:
    """Whether a normal host is this machine itself."""
    address = _address(host)
    return host in ("", "localhost") or (address is not None and (address.is_loopback or address.is_unspecified))


def proxies() -> dict[str, str]:
    """The user's own proxies, from the environment or the system: host -> "host:port"."""
    from urllib.request import getproxies  # noqa: PLC0415 - the same that the HTTP libraries ask; slow to import

    given, found = getproxies(), {}
    for kind in ("http", "https", "all"):
        address = given.get(kind, "")
        with suppress(ValueError):  # no library can use it either
            url = urlsplit(address if "://" in address else f"//{address}")
            if url.hostname:
                found[normal(url.hostname)] = url.netloc.rpartition("@")[2]
    return found


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


# --- the guard ---


@dataclass
class _Way:
    """What a call that is under way may reach: its host, by any address that this name has, or the user's proxy."""

    host: str
    near: bool
    addresses: set[str] = field(default_factory=set)
    refused: str = ""

    def leads_to(self, host: str) -> bool:
        return host == self.host or host in self.addresses or host in proxies()

    def found(self, asked: str, address: str) -> None:
        """A name was resolved; of a host that is asked without encryption only addresses of one's own network count."""
        at = _address(address)
        if not (self.near and asked == self.host and at is not None and at.is_global):
            self.addresses.add(address)


_here = threading.local()
_lock = threading.Lock()
_refused: dict[str, Refused] = {}

_HOST_IN: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "socket.getaddrinfo": lambda given: given[0],
    "socket.gethostbyname": lambda given: given[0],
    "socket.gethostbyaddr": lambda given: given[0],
    "socket.getnameinfo": lambda given: given[0][0],
    "socket.connect": lambda given: _host_of(given[1]),
    "socket.sendto": lambda given: _host_of(given[1]),
    "socket.sendmsg": lambda given: _host_of(given[1]),
}
"""Everything by which Python's sockets reach out, and where it says whom."""


def _host_of(address: Any) -> Any:
    # A path is a Unix socket, a number the kernel's own.
    return address[0] if isinstance(address, tuple) else None


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if event not in _HOST_IN:
        return
    named = _HOST_IN[event](given)
    if not isinstance(named, str | bytes):
        return
    host, way = normal(named), getattr(_here, "way", None)
    if stays_here(host) or (way is not None and way.leads_to(host)):
        return
    if way is not None:
        way.refused = host
    _note(host)
    raise PermissionError(f"host_not_allowed: {host}")


def _note(host: str) -> None:
    with _lock:
        before = _refused.pop(host, None)
        if before is None and len(_refused) >= MOST_REFUSED:
            del _refused[next(iter(_refused))]
        _refused[host] = Refused(host, time.time_ns() // 1_000_000, before.times + 1 if before else 1)


@cache
def guard() -> None:
    """From now on nothing in this process reaches another machine but through `call`. It cannot be taken back."""
    resolve = socket.getaddrinfo

    @wraps(resolve)
    def remembering(host: Any, *args: Any, **kwargs: Any) -> Any:
        # What the system answers is told to nobody else; who resolves in another way is refused when connecting.
        found, way = resolve(host, *args, **kwargs), getattr(_here, "way", None)
        if way is not None and host is not None:
            for one in found:
                way.found(normal(host), normal(str(one[4][0])))
        return found

    socket.getaddrinfo = remembering
    sys.addaudithook(_watch)


# --- the list and the register ---


class OutgoingCalls:
    """The list and the register of one open workspace.

    `listed` are the hosts that the workspace's own records name; `keep` adds to what is registered.
    """

    def __init__(
        self, clock: Clock, listed: Callable[[], Sequence[Allowed]], keep: Callable[[Sequence[Register]], None]
    ) -> None:
        self._clock = clock
        self._recorded = listed
        self._keep = keep
        self._meanwhile: dict[tuple[str, str], Allowed] = {}
        self._lock = threading.Lock()
        self._pending: dict[tuple[int, str, str], Register] = {}
        self._timer: threading.Timer | None = None
        self._closed = False

    def allow(self, host: str, purpose: Purpose) -> None:
        """Until `forbid` or the end of the launch."""
        with self._lock:
            self._meanwhile[normal(host), purpose.code] = Allowed(normal(host), purpose)

    def forbid(self, host: str, code: str) -> None:
        """Takes that back."""
        with self._lock:
            self._meanwhile.pop((normal(host), code), None)

    def listed(self) -> list[Allowed]:
        """Who may be called now."""
        with self._lock:
            meanwhile = list(self._meanwhile.values())
        recorded = [one._replace(host=normal(one.host)) for one in self._recorded()]
        return list(dict.fromkeys([*recorded, *meanwhile]))

    def refused(self) -> list[Refused]:
        """Who was refused in this launch, the latest first."""
        with _lock:
            return list(_refused.values())[::-1]

    def proxies(self) -> list[str]:
        """The user's own proxies, as "host:port"; whatever is called may go by them."""
        return list(proxies().values())

    @contextmanager
    def call(self, host: str, code: str) -> Iterator[Call]:
        """Around a call; what stays on this machine is never refused."""
        host = normal(host)
        allowed = [one for one in self.listed() if (one.host, one.purpose.code) == (host, code)]
        if not allowed and not stays_here(host):
            _note(host)
            raise OutriderError("host_not_allowed", host=host)
        call, before = Call(), getattr(_here, "way", None)
        way = _here.way = _Way(host, near=any(one.near for one in allowed))
        try:
            yield call
        except Exception as error:
            call.failed = call.failed or type(error).__name__
            if way.refused:
                raise OutriderError("host_not_allowed", host=way.refused) from None
            raise
        finally:
            _here.way = before
            self._register(host, code, call)

    def _register(self, host: str, code: str, call: Call) -> None:
        from backend.domain.calendar import span  # noqa: PLC0415 - a command that only needs the guard does not wait for it

        now = self._clock.now()
        day, _ = span("today", None, None, now, self._clock.offset(now))
        self._add([Register(day, host, code, 1, int(bool(call.failed)), call.bytes_out, call.bytes_in, now)])

    def _add(self, rows: Sequence[Register]) -> None:
        with self._lock:
            for row in rows:
                before = self._pending.get(row.key)
                self._pending[row.key] = row.plus(before) if before else row
            if self._timer is None and not self._closed:
                self._timer = threading.Timer(KEPT_EVERY, self.write)
                self._timer.daemon = True
                self._timer.start()

    def write(self) -> None:
        """Have what was counted kept; what cannot be kept now is tried again with what follows."""
        with self._lock:
            rows, self._pending, self._timer = list(self._pending.values()), {}, None
        try:
            if rows:
                self._keep(rows)
        except OutriderError:
            self._add(rows)

    def close(self) -> None:
        """Have the rest kept."""
        with self._lock:
            self._closed, timer = True, self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
        self.write()

"""Who may be called, and what was sent to whom: the one place where a connection that leaves this machine is let through.

`EgressGuard.call` lets through who is on the list. `guard` makes it the only way out: a connection that any code in this
process makes outside of a call, or in one to anybody else than whom it is for, is refused before a packet of it is sent.
Other programs that Outrider starts, its browser above all, and the engine of its window are held by means of their own.
"""

import _socket
import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, NoReturn

from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.ports.egress import AllowedHost, CallTotals, OutgoingCall, Purpose, RefusedHost

WRITE_INTERVAL_SECONDS = 2.0
"""Seconds that a count waits at most before it is written; a crash loses no more."""

MAX_REFUSED = 100
"""Hosts that are remembered as refused; who tries more than that has told enough."""


def normalise_host(host: str | bytes) -> str:
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


def is_this_machine(host: str) -> bool:
    """Whether a normal host is this machine itself."""
    address = _address(host)
    return host in ("", "localhost") or (address is not None and (address.is_loopback or address.is_unspecified))


def proxies() -> dict[str, str]:
    """The user's own proxies, from the environment or the system: host -> "host:port"."""
    from backend.adapters.http_settings import proxies_in_use  # noqa: PLC0415 - slow to import

    return {normalise_host(proxy.host): proxy.place for proxy in proxies_in_use()}


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


# --- the guard ---


@dataclass
class _AllowedRoute:
    """What a call that is under way may reach: its host, by any address that this name has, or the user's proxy."""

    host: str
    local_network_only: bool
    addresses: set[str] = field(default_factory=set)
    refused: str = ""

    def allows(self, host: str) -> bool:
        return host == self.host or host in self.addresses or host in proxies()

    def found(self, name: str, address: str) -> None:
        """A name was resolved; of a host that is asked without encryption only addresses of one's own network count."""
        ip_address = _address(address)
        if not (self.local_network_only and name == self.host and ip_address is not None and ip_address.is_global):
            self.addresses.add(address)


_here = threading.local()
_lock = threading.Lock()
_refused: dict[str, RefusedHost] = {}

_RESOLVING: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "socket.getaddrinfo": lambda arguments: arguments[0],
    "socket.gethostbyname": lambda arguments: arguments[0],
    "socket.gethostbyaddr": lambda arguments: arguments[0],
    "socket.getnameinfo": lambda arguments: arguments[0][0],
}
"""Everything that asks for a name's address or an address's name, and where it says which; announced before it asks."""

_REACHING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"})
"""Everything by which Python's sockets reach out, with the socket and the address; announced when a name in it was resolved."""

_ADDRESS_AT = {"connect": (0, 1), "connect_ex": (0, 1), "bind": (0, 1), "sendto": (-1, 2), "sendmsg": (3, 4)}
"""The methods behind those: which of their arguments is the address, from how many on there is one."""

_LOCAL_FAMILIES = frozenset({getattr(socket, "AF_UNIX", None)})
_INTERNET_FAMILIES = frozenset({socket.AF_INET, socket.AF_INET6})


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _RESOLVING:
        host = _RESOLVING[event](arguments)
        if host is not None:  # nobody is asked about no name
            _check(_known(host))
    elif event in _REACHING:
        _check_reach(event, arguments[0], arguments[1])
    elif event == "socket.__new__" and type(arguments[0]) is _socket.socket:
        _refuse("a socket that is not watched")


def _check_reach(event: str, open_socket: socket.socket, address: Any) -> None:
    if address is None or open_socket.family in _LOCAL_FAMILIES:
        return
    if open_socket.family not in _INTERNET_FAMILIES or not isinstance(address, tuple):
        _refuse(f"an address of {open_socket.family!r}")
    host = _known(address[0])
    if host and _address(host) is None:
        _refuse(host)  # `_resolved` left no name in it; somebody has a way around it
    if event != "socket.bind":  # to have an address of one's own reaches nobody
        _check(host)


def _known(host: Any) -> str:
    """A host in its normal spelling; what is neither text nor bytes is refused: Python takes more than we can read."""
    if type(host) is not str and type(host) is not bytes:
        _refuse(f"a host given as {type(host).__name__}")
    return normalise_host(host)


def _check(host: str) -> None:
    route = getattr(_here, "route", None)
    if not is_this_machine(host) and (route is None or not route.allows(host)):
        _refuse(host)


def _refuse(host: str) -> NoReturn:
    route = getattr(_here, "route", None)
    if route is not None:
        route.refused = host
    _note(host)
    raise PermissionError(f"host_not_allowed: {host}")


def _resolved(open_socket: socket.socket, address: Any) -> Any:
    """The address without a name in it. A socket would resolve the name itself, and announce it only afterwards."""
    if open_socket.family not in _INTERNET_FAMILIES or not isinstance(address, tuple) or not address:
        return address
    host = _known(address[0])
    if not host or _address(host) is not None:
        return address
    _check(host)
    entries = socket.getaddrinfo(address[0], None, open_socket.family, open_socket.type)
    return (entries[0][4][0], *address[1:])


def _resolving_before(original_method: Callable[..., Any], address_at: int, fewest_arguments: int) -> Any:
    """The method of a socket that never sees a name."""

    @wraps(original_method)
    def method(self: socket.socket, *positional: Any) -> Any:
        arguments = list(positional)
        if len(arguments) >= fewest_arguments:
            arguments[address_at] = _resolved(self, arguments[address_at])
        return original_method(self, *arguments)

    return method


def _note(host: str) -> None:
    with _lock:
        before = _refused.pop(host, None)
        if before is None and len(_refused) >= MAX_REFUSED:
            del _refused[next(iter(_refused))]
        _refused[host] = RefusedHost(host, time.time_ns() // 1_000_000, before.times + 1 if before else 1)


@cache
def install_audit_hook() -> None:
    """From now on nothing in this process reaches another machine but through `call`. It cannot be taken back."""
    resolve = socket.getaddrinfo

    @wraps(resolve)
    def remembering(host: Any, *args: Any, **kwargs: Any) -> Any:
        # What the system answers is told to nobody else; who resolves in another way is refused when connecting.
        entries, route = resolve(host, *args, **kwargs), getattr(_here, "route", None)
        if route is not None and host is not None:
            for entry in entries:
                route.found(normalise_host(host), normalise_host(str(entry[4][0])))
        return entries

    socket.getaddrinfo = remembering
    for name, (address_at, fewest_arguments) in _ADDRESS_AT.items():
        if hasattr(_socket.socket, name):  # Windows has no sendmsg
            setattr(socket.socket, name, _resolving_before(getattr(_socket.socket, name), address_at, fewest_arguments))
    sys.addaudithook(_watch)


# --- the list and the register ---


class EgressGuard:
    """The list and the register of one open workspace.

    `listed` are the hosts that the workspace's own records name; `keep` adds to what is registered. `write_later` is called
    with the seconds within which `write_pending` is to be called.
    """

    def __init__(
        self, clock: Clock, listed: Callable[[], Sequence[AllowedHost]], keep: Callable[[Sequence[CallTotals]], None]
    ) -> None:
        self._clock = clock
        self._recorded = listed
        self._keep = keep
        self._meanwhile: dict[tuple[str, str], AllowedHost] = {}
        self._lock = threading.Lock()
        self._pending: dict[tuple[int, str, str], CallTotals] = {}
        self.write_later: Callable[[float], object] = lambda _: None

    def allow(self, host: str, purpose: Purpose) -> None:
        """Until `forbid` or the end of the launch."""
        with self._lock:
            self._meanwhile[normalise_host(host), purpose.code] = AllowedHost(normalise_host(host), purpose)

    def forbid(self, host: str, code: str) -> None:
        """Takes that back."""
        with self._lock:
            self._meanwhile.pop((normalise_host(host), code), None)

    def listed(self) -> list[AllowedHost]:
        """Who may be called now."""
        with self._lock:
            meanwhile = list(self._meanwhile.values())
        recorded = [allowed_host._replace(host=normalise_host(allowed_host.host)) for allowed_host in self._recorded()]
        return list(dict.fromkeys([*recorded, *meanwhile]))

    def refused(self) -> list[RefusedHost]:
        """Who was refused in this launch, the latest first."""
        with _lock:
            return list(_refused.values())[::-1]

    def proxies(self) -> list[str]:
        """The user's own proxies, as "host:port"; whatever is called may go by them."""
        return list(proxies().values())

    @contextmanager
    def call(self, host: str, code: str) -> Iterator[OutgoingCall]:
        """Around a call; what stays on this machine is never refused."""
        host = normalise_host(host)
        allowed = [entry for entry in self.listed() if (entry.host, entry.purpose.code) == (host, code)]
        if not allowed and not is_this_machine(host):
            _note(host)
            raise OutriderError("host_not_allowed", host=host)
        with self._under_way(host, code, any(entry.local_network_only for entry in allowed)) as call:
            yield call

    @contextmanager
    def call_once(self, host: str, code: str, *, local_network_only: bool) -> Iterator[OutgoingCall]:
        """Around a call to whom the user has just named."""
        with self._under_way(normalise_host(host), code, local_network_only) as call:
            yield call

    @contextmanager
    def _under_way(self, host: str, code: str, local_network_only: bool) -> Iterator[OutgoingCall]:
        call, before = OutgoingCall(), getattr(_here, "route", None)
        route = _here.route = _AllowedRoute(host, local_network_only)
        try:
            yield call
        except Exception as error:
            call.failed = call.failed or type(error).__name__
            if route.refused:
                raise OutriderError("host_not_allowed", host=route.refused) from None
            raise
        finally:
            _here.route = before
            self._register(host, code, call)

    def _register(self, host: str, code: str, call: OutgoingCall) -> None:
        from backend.domain.model.days import day_range  # noqa: PLC0415 - a command that only needs the guard does not wait for it

        now = self._clock.now()
        day, _ = day_range("today", None, None, now, self._clock.offset)
        self._add([CallTotals(day, host, code, 1, int(bool(call.failed)), call.bytes_out, call.bytes_in, now)])

    def _add(self, rows: Sequence[CallTotals]) -> None:
        with self._lock:
            first = not self._pending
            for row in rows:
                before = self._pending.get(row.key)
                self._pending[row.key] = row.plus(before) if before else row
        if first:
            self.write_later(WRITE_INTERVAL_SECONDS)

    def write_pending(self) -> None:
        """Have what was counted kept. Raises what keeping it does; then it is tried again with what follows."""
        with self._lock:
            rows, self._pending = list(self._pending.values()), {}
        try:
            if rows:
                self._keep(rows)
        except Exception:
            self._add(rows)
            raise

    def write(self) -> None:
        """Have what was counted kept, if that is possible now."""
        with suppress(OutriderError):
            self.write_pending()

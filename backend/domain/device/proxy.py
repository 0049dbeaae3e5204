"""Which proxy the user's environment names for a host, and whether it can be used."""

import ipaddress
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from backend.domain.model.connection import host_of, is_host
from backend.domain.values.errors import OutriderError

PROXY_VARIABLES = ("https_proxy", "http_proxy", "all_proxy")
NO_PROXY = "no_proxy"

_ADDRESS = re.compile(
    r"(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?)(?::(?P<port>\d{1,5}))?"
)
_USUAL_PORT = {"http": 80, "https": 443}


class ProxyAddress(NamedTuple):
    """Where a proxy is, and who one is there, as written (percent-encoded); `variable` is where that was found."""

    variable: str
    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    @property
    def place(self) -> str:
        """For people: without user and password."""
        return f"{self.host}:{self.port}"


def variable_in(environment: Mapping[str, str], name: str) -> tuple[str, str]:
    """A variable as it is spelled, and its value; small letters come first, as in all programs."""
    for spelled in (name, name.upper()):
        if spelled in environment:
            return spelled, environment[spelled].strip()
    return name.upper(), ""


def proxy_for(base_url: str, environment: Mapping[str, str]) -> ProxyAddress | None:
    """The proxy that an address is to be asked through; never one for this machine. Raises `proxy_unusable`."""
    host = host_of(base_url)
    if is_here(host) or is_excepted(host, variable_in(environment, NO_PROXY)[1]):
        return None
    scheme = base_url.partition("://")[0].lower()
    for name in (f"{scheme}_proxy", "all_proxy"):
        variable, value = variable_in(environment, name)
        if value:
            return read_proxy(variable, value)
    return None


def is_here(host: str) -> bool:
    """Whether a host is this machine, in any spelling: `localhost`, `ollama.localhost`, `0.0.0.0`, `::ffff:127.0.0.1`."""
    named = host.strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(named)
    except ValueError:
        return f".{named}".endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def read_proxy(variable: str, value: str) -> ProxyAddress:
    """The proxy that a variable names. Raises `proxy_unusable`, which repeats nothing of it: it may hold a password."""
    scheme, separator, rest = value.partition("://")
    scheme, rest = (scheme.lower(), rest) if separator else ("http", value)
    if scheme.startswith("socks"):
        raise OutriderError("proxy_unusable", variable=variable, why="Outrider does not speak SOCKS")
    if scheme not in _USUAL_PORT:
        raise OutriderError("proxy_unusable", variable=variable, why="it does not begin with http:// or https://")
    # A password may hold any character; only the last @ ends it.
    credentials, _, address = rest.rpartition("@")
    match = _ADDRESS.fullmatch(re.split(r"[/?#]", address, maxsplit=1)[0])
    port = int(match["port"] or _USUAL_PORT[scheme]) if match else 0
    if match is None or not is_host(match["host"]) or not 0 < port < 65_536:  # noqa: PLR2004 - ports
        raise OutriderError("proxy_unusable", variable=variable, why="it is no address of the form http://host:port")
    if any(
        "\ud800" <= character <= "\udfff" for character in credentials
    ):  # as the system hands over what it cannot read
        raise OutriderError("proxy_unusable", variable=variable, why="its user or password is not written in UTF-8")
    user, _, password = credentials.partition(":")
    return ProxyAddress(variable, scheme, match["host"], port, user, password)


def is_excepted(host: str, no_proxy: str) -> bool:
    """Whether NO_PROXY names a host: by its name, the domain it is in, its address, or the network it is in."""
    named = host.strip("[]").rstrip(".").lower()
    return any(_names(entry, named) for entry in re.split(r"[\s,;]+", no_proxy.lower()) if entry)


def _names(entry: str, host: str) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        domain = re.sub(r"^\w+://|:\d+/?$", "", entry).lstrip("*").strip("[].")
        if "*" in domain:  # `10.1.*`, as Windows and macOS write it
            return fnmatchcase(host, domain)
        return bool(domain) and (host == domain or host.endswith(f".{domain}"))

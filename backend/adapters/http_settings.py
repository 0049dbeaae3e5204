"""What every HTTP client of ours is built with: the user's proxy and certificates, and nothing else of the environment.

The libraries would read the same variables by themselves, and break in their own ways when one is wrong.
"""

import os
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from backend.domain.device.proxy import (
    NO_PROXY,
    PROXY_VARIABLES,
    ProxyAddress,
    is_here,
    proxy_for,
    read_proxy,
    variable_in,
)
from backend.domain.model.connection import host_of
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import OK, WARN, HealthCheck

OF_SYSTEM = "the system's settings"

_NOT_READ = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""What other programs take certificates from."""

ORDINARY_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
)
"""That a request may have beside those its server needs; what else a library adds is taken off."""

_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
"""As OpenSSL looks for a certificate in a folder."""

PROXY_SIGN_IN = 407
"""HTTP's Proxy Authentication Required."""

PROXY_SILENT = "it cannot be reached"
"""Why a proxy let nobody through that may be back in a while."""

_ANSWER_SECONDS = 3.0

MakeContext = Callable[[], ssl.SSLContext]
MakeProxy = Callable[..., Any]


def client_options(base_url: str, make_context: MakeContext, make_proxy: MakeProxy) -> dict[str, Any]:
    """Arguments for a client of httpx's kind, made for one address. Raises `proxy_unusable` and `certificates_unusable`."""
    user_proxy = _proxy(base_url)
    proxy = None
    if user_proxy is not None:
        auth = (
            (unquote(user_proxy.user), unquote(user_proxy.password)) if user_proxy.user or user_proxy.password else None
        )
        proxy = make_proxy(f"{user_proxy.scheme}://{user_proxy.host}:{user_proxy.port}", auth=auth)
    encrypted = base_url.startswith("https:") or (user_proxy is not None and user_proxy.scheme == "https")
    return {
        "trust_env": False,
        "proxy": proxy,
        "verify": _certificates(make_context) if encrypted else _empty_context(),
    }


def proxies_in_use() -> list[ProxyAddress]:
    """Every proxy of the user's that can be used."""
    proxies_or_errors = (_readable(variable, value) for variable, value in _named_proxies())
    return [proxy for proxy in proxies_or_errors if isinstance(proxy, ProxyAddress)]


def proxy_failed(base_url: str, why: str) -> OutriderError:
    """That the proxy in the way of an address does not let it through."""
    proxy = _proxy(base_url)
    variable = "this network" if proxy is None else proxy.variable if _of_environment() else OF_SYSTEM
    return OutriderError("proxy_failed", variable=variable, host=host_of(base_url), why=why)


def proxy_failure(
    base_url: str, error: BaseException, refusal: type[Exception], timeout: type[Exception]
) -> OutriderError | None:
    """The same, if that is why there is no connection; by what the library raises over a proxy's no, and over its silence."""
    for cause in causes_of(error):
        if isinstance(cause, refusal):
            return proxy_failed(base_url, str(cause))
        if isinstance(cause, (ConnectionRefusedError, socket.gaierror, timeout)) and _proxy(base_url) is not None:
            return proxy_failed(base_url, PROXY_SILENT)
    return None


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def examine_environment() -> HealthCheck:
    """What connections to other machines go by, and what of it is wrong; never a password."""
    proxies_or_errors = [_readable(variable, value) for variable, value in _named_proxies()]
    errors = [error for error in proxies_or_errors if isinstance(error, OutriderError)]
    sentences = [
        f"{proxy.variable} names the proxy {proxy.place}"
        for proxy in proxies_or_errors
        if isinstance(proxy, ProxyAddress)
    ]
    errors += [
        OutriderError("proxy_unusable", variable=proxy.variable, why="nothing answers at its address")
        for proxy in proxies_or_errors
        if isinstance(proxy, ProxyAddress) and is_here(proxy.host) and not _answers(proxy)
    ]
    variable, exceptions = variable_in(os.environ, NO_PROXY)
    sentences += [f"{variable} excepts {exceptions}"] if exceptions and proxies_or_errors else []
    try:
        sentences += [f"certificates are taken from {name}" for name, _ in _check_certificates()]
    except OutriderError as error:
        errors.append(error)
    sentences += [
        f"{name} is not read, only SSL_CERT_FILE and SSL_CERT_DIR" for name in _NOT_READ if os.environ.get(name)
    ]
    if errors:
        return HealthCheck(
            "network", WARN, " ".join(error.sentence for error in errors), " ".join(error.remedy for error in errors)
        )
    return HealthCheck("network", OK, "; ".join(sentences) or "no proxy, and the usual certificates")


def _answers(proxy: ProxyAddress) -> bool:
    """Asked of a proxy on this machine only: a program that sets one often leaves it behind when it ends."""
    try:
        socket.create_connection((proxy.host.strip("[]"), proxy.port), _ANSWER_SECONDS).close()
    except OSError:
        return False
    return True


def _readable(variable: str, value: str) -> ProxyAddress | OutriderError:
    try:
        return read_proxy(variable, value)
    except OutriderError as error:
        return error


def _proxy(base_url: str) -> ProxyAddress | None:
    if not _of_environment() and proxy_bypass(host_of(base_url).strip("[]")):
        return None  # by the exceptions in the system's settings
    return proxy_for(base_url, _environment())


def _environment() -> Mapping[str, str]:
    """The variables, or where there are none, what the system's settings say (Windows, macOS) in their place."""
    if _of_environment():
        return os.environ
    return {f"{kind}_proxy": address for kind, address in getproxies().items()}


def _of_environment() -> bool:
    return any(variable_in(os.environ, name)[1] for name in PROXY_VARIABLES)


def _named_proxies() -> list[tuple[str, str]]:
    environment = _environment()
    variables = [variable_in(environment, name) for name in PROXY_VARIABLES]
    return [(variable if environment is os.environ else OF_SYSTEM, value) for variable, value in variables if value]


def _check_certificates() -> tuple[tuple[str, str], ...]:
    """The variables that say where certificates are. Raises `certificates_unusable`."""
    file, folder = os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")
    if file:
        if not os.path.isfile(file):  # noqa: PTH113 - Path's raises where it may not look
            raise OutriderError("certificates_unusable", variable="SSL_CERT_FILE", why="there is no such file")
        try:
            ssl.create_default_context(cafile=file)
        except OSError:
            why = "it holds no readable certificates"
            raise OutriderError("certificates_unusable", variable="SSL_CERT_FILE", why=why) from None
        return (("SSL_CERT_FILE", file),)
    folders = [Path(path) for path in folder.split(os.pathsep) if path and Path(path).is_dir()]
    if folder and not folders:
        raise OutriderError("certificates_unusable", variable="SSL_CERT_DIR", why="there is no such folder")
    if folder and not any(map(_holds_certificates, folders)):
        why = "no certificate in it is named by its hash (`openssl rehash` does that)"
        raise OutriderError("certificates_unusable", variable="SSL_CERT_DIR", why=why)
    return (("SSL_CERT_DIR", folder),) if folder else ()


def _holds_certificates(folder: Path) -> bool:
    try:
        return any(_HASHED.fullmatch(entry.name) and entry.is_file() for entry in folder.iterdir())
    except OSError:
        return False


def _certificates(make_context: MakeContext) -> ssl.SSLContext:
    return _context(make_context, _check_certificates())


@cache
def _context(make_context: MakeContext, variables: tuple[tuple[str, str], ...]) -> ssl.SSLContext:
    """Read once: it takes longer than everything else that is made for a client.

    The certificates of many company proxies lack formalities on which Python insists since 3.13. Where the user names the
    certificates that are trusted, those are enough; host names and signatures are checked as ever.
    """
    context = make_context()
    if variables:
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


@cache
def _empty_context() -> ssl.SSLContext:
    """For a connection without encryption: no certificate is read, and none would be trusted."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

"""A connection to a language model: where it is, how it is asked, how long it may take, what it costs. Never its key."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from backend.domain.model.providers import PRESETS, Mode, ModelProtocol, Provider
from backend.domain.values.errors import OutriderError

SCRIPTED = "scripted"
"""What a campaign names when no model is asked."""

PER = 1_000_000
"""Prices are micros (millionths of a US dollar) for so many tokens."""


ConnectionId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
KeyName = Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]{0,31})?$")]
MODEL_NAME = r"^\S{1,200}$"
Ms = Annotated[int, Field(ge=10, le=3_600_000)]
Price = Annotated[int, Field(ge=0, le=10_000 * PER)]


class Connection(BaseModel):
    """Tokens as the provider counts them, times in ms, prices in micros per million tokens; `key` names a key or is empty.

    A price that is None is not known: then only the limit of tokens holds.

    `plain_http` is the user's word that unencrypted requests to a machine of their own network are meant.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    id: ConnectionId
    name: str = Field(min_length=1, max_length=80, pattern=r"\S")
    provider: Provider
    base_url: str = Field(min_length=1, max_length=300)
    plain_http: bool = False
    model: str = Field(pattern=MODEL_NAME)
    mode: Mode = "json_schema"
    max_output_tokens: int = Field(default=1_024, ge=64, le=65_536)
    context_tokens: int = Field(default=32_768, ge=1_024, le=4_000_000)
    connect_timeout_ms: Ms = 10_000
    first_token_timeout_ms: Ms = 60_000
    idle_timeout_ms: Ms = 30_000
    total_timeout_ms: Ms = 180_000
    price_in: Price | None = 0
    price_out: Price | None = 0
    key: KeyName = ""

    def cost(self, tokens_in: int, tokens_out: int) -> int:
        """In micros, rounded up; nothing for what has no known price."""
        return -(-(tokens_in * (self.price_in or 0) + tokens_out * (self.price_out or 0)) // PER)


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What one tiny real call showed: time to the first words, time to the last, and whether the form was kept.

    `code` names what went wrong and is empty when there was a reply; `said` is its beginning.
    """

    code: str = ""
    sentence: str = ""
    remedy: str = ""
    first_token_ms: int = 0
    total_ms: int = 0
    structured: bool = False
    said: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0

    @property
    def failure(self) -> str:
        """What keeps it from being used, "" if nothing does."""
        return self.sentence if self.code else "" if self.structured else "It does not answer in the requested format."


MOST_NAMES = 5_000


@dataclass(frozen=True, slots=True)
class ModelNames:
    """What a server says that it offers, by name; `more` are left out: too many, or no names of models."""

    names: list[str]
    more: int


def model_names(answer: object) -> ModelNames | None:
    """The names in a server's answer, in order; None if that is no list of models. Ollama without a model says `null`."""
    if not isinstance(answer, dict) or "data" not in answer:
        return None
    listed = [] if answer["data"] is None else answer["data"]
    if not isinstance(listed, list):
        return None
    ids = [model.get("id") if isinstance(model, dict) else None for model in listed]
    usable = {name for name in ids if isinstance(name, str) and re.search(MODEL_NAME, name)}
    names = sorted(usable, key=lambda name: (name.casefold(), name))[:MOST_NAMES]
    return ModelNames(names, len({*map(str, ids)}) - len(names))


_URL = re.compile(r"(https?)://(\[[0-9a-fA-F:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?(/[\w.~/-]*)?")
_ENDPOINT: dict[ModelProtocol, re.Pattern[str]] = {
    "openai": re.compile(r"(/chat/completions)?/*\Z"),
    "anthropic": re.compile(r"(/v1)?(/messages)?/*\Z"),
}
_OWN_NAME = re.compile(r"[a-z0-9-]+(\.(local|lan|home|internal|home\.arpa))?", re.IGNORECASE)


def host_of(base_url: str) -> str:
    """The host that is asked, for people."""
    match = _URL.fullmatch(base_url)
    return match[2] if match else base_url


def root_of(connection: Connection) -> str:
    """Where its protocol's paths begin: an address that ends in one of them, as people copy it, is not extended twice."""
    return _ENDPOINT[PRESETS[connection.provider].protocol].sub("", connection.base_url, count=1)


def lacks_version(connection: Connection) -> bool:
    """Whether its address has no path, and its protocol does not begin one: most servers need /v1 there."""
    return PRESETS[connection.provider].protocol == "openai" and root_of(connection).count("/") == 2  # noqa: PLR2004 - of https://


def origin_of(base_url: str) -> str:
    """Scheme, host and port, the same however they are spelled; what is no address is only itself."""
    match = _URL.fullmatch(base_url)
    if match is None:
        return base_url
    port = match[3] or (":443" if match[1] == "https" else ":80")
    return f"{match[1]}://{match[2].lower()}{port}"


def is_loopback(base_url: str) -> bool:
    """Whether requests stay on this machine."""
    host = host_of(base_url).strip("[]").lower()
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_address(base_url: str, *, plain_http: bool) -> None:
    """https everywhere; http to this machine, and to one's own network where the user says so. Raises `model_address_refused`."""
    match = _URL.fullmatch(base_url)
    if match is None or not is_host(match[2]) or not 0 < int((match[3] or ":443")[1:]) < 65_536:  # noqa: PLR2004 - ports
        raise OutriderError(
            "model_address_refused", why="it is no plain https:// address without user, query or fragment"
        )
    if match[1] == "https" or is_loopback(base_url):
        return
    if not _own_network(match[2].strip("[]")):
        raise OutriderError("model_address_refused", why="what is sent to it over http:// could be read on the way")
    if not plain_http:
        raise OutriderError("model_address_refused", why="it is not encrypted, and you have not confirmed that")


def is_host(host: str) -> bool:
    """Whether a name or an address can be meant; what looks like an address must be one, and no name has longer parts."""
    try:
        if host.startswith("["):
            ipaddress.IPv6Address(host[1:-1])
        elif not host.strip(".0123456789"):
            ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return host.startswith("[") or all(0 < len(part) <= 63 for part in host.split("."))  # noqa: PLR2004 - RFC 1035


def _own_network(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return _OWN_NAME.fullmatch(host) is not None
    return address.is_private and not address.is_unspecified

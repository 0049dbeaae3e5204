"""The proxy of the user's environment is found as other programs find it, and a wrong one is named without its password."""

import pytest

from backend.domain.device.proxy import ProxyAddress, is_excepted, proxy_for, read_proxy
from backend.domain.values.errors import OutriderError

FAR = "https://api.example/v1"
PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("http://proxy.example:3128", ("http", "proxy.example", 3128, "", "")),
        ("proxy.example:3128", ("http", "proxy.example", 3128, "", "")),
        ("HTTP://proxy.example", ("http", "proxy.example", 80, "", "")),
        ("https://proxy.example/", ("https", "proxy.example", 443, "", "")),
        ("http://me:p%40ss@proxy.example:1", ("http", "proxy.example", 1, "me", "p%40ss")),
        ("http://me:p#s/s?@proxy.example:1", ("http", "proxy.example", 1, "me", "p#s/s?")),
        ("http://me:p@ss@proxy.example:1", ("http", "proxy.example", 1, "me", "p@ss")),
        ("http://[::1]:3128", ("http", "[::1]", 3128, "", "")),
    ],
)
def test_a_proxy_is_read_in_every_usual_spelling(value: str, right: tuple[str, str, int, str, str]) -> None:
    assert read_proxy("ALL_PROXY", value) == ProxyAddress("ALL_PROXY", *right)


@pytest.mark.parametrize(
    "value",
    ["socks://me:hunter2@h:1", "socks5://me:hunter2@h", "socks5h://h", "ftp://me:hunter2@h", "http://me:hunter2@",
     "http://me:hunter2@h:65536", "http://me:hunter2@h:port", "http://me:hunter2@a b", "://", "http://me:hunter2@h:0", "http://me:hunter2@a..b:1",
     "http://me:hunter2@[:::::]:1", f"http://me:hunter2@{'a' * 64}.example:1", "http://me:hunter2@1:1", "http://me:hunter2\udce4@h:1"],
)  # fmt: skip
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable_alone(value: str) -> None:
    with pytest.raises(OutriderError) as caught:
        read_proxy("ALL_PROXY", value)
    assert caught.value.code == "proxy_unusable"
    assert "ALL_PROXY" in caught.value.sentence
    assert "hunter2" not in f"{caught.value} {caught.value.facts}"
    assert ("SOCKS" in caught.value.sentence) == value.startswith("socks")


@pytest.mark.parametrize(
    ("environment", "variable"),
    [
        ({}, None),
        ({"ALL_PROXY": PROXY}, "ALL_PROXY"),
        ({"all_proxy": "socks5://h", "HTTPS_PROXY": PROXY}, "HTTPS_PROXY"),
        ({"https_proxy": PROXY, "HTTPS_PROXY": "socks5://h"}, "https_proxy"),
        ({"https_proxy": "", "HTTPS_PROXY": PROXY}, None),
        ({"http_proxy": PROXY}, None),
        ({"ALL_PROXY": PROXY, "NO_PROXY": "api.example"}, None),
        ({"ALL_PROXY": PROXY, "NO_PROXY": "https://api.example:443/"}, None),
    ],
)
def test_the_variable_for_an_address_is_the_one_that_other_programs_take(
    environment: dict[str, str], variable: str | None
) -> None:
    proxy = proxy_for(FAR, environment)
    assert (proxy.variable if proxy else None) == variable


@pytest.mark.parametrize(
    "here",
    [
        "http://127.0.0.1:1/v1", "http://localhost:1", "http://[::1]:1", "http://127.9.9.9", "http://0.0.0.0:11434/v1",
        "http://ollama.localhost/v1", "http://Ollama.LOCALHOST/v1", "http://[::ffff:7f00:1]:1", "http://[::]:1",
    ],
)  # fmt: skip
def test_this_machine_is_never_asked_through_a_proxy_not_even_a_wrong_one(here: str) -> None:
    assert proxy_for(here, {"ALL_PROXY": "socks://h", "HTTP_PROXY": PROXY}) is None


@pytest.mark.parametrize(
    ("no_proxy", "host", "excepted"),
    [
        ("*", "api.example", True),
        ("api.example", "api.example", True),
        ("example", "api.example", True),
        (".example", "api.example", True),
        ("*.example", "api.example", True),
        ("ample", "api.example", False),
        ("other, API.EXAMPLE", "api.example", True),
        ("api.example:443", "api.example", True),
        ("fe80::/10", "api.example", False),
        ("fe80::/10", "[fe80::1]", True),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.1.2.3/8", "10.9.9.9", True),
        ("192.168.1.5", "192.168.1.5", True),
        ("[::1]", "::2", False),
        ("other;api.example", "api.example", True),
        ("10.1.*", "10.1.2.3", True),
        ("10.1.*", "10.11.2.3", False),
        ("", "api.example", False),
        ("]/[,:::,/,#", "api.example", False),
    ],
)
def test_an_exception_is_a_name_a_domain_an_address_or_a_network(no_proxy: str, host: str, excepted: bool) -> None:
    assert is_excepted(host, no_proxy) is excepted

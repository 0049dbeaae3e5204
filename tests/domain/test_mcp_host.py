"""What other programs' configuration files hold stays byte for byte; only Outrider's own entry comes or changes."""

import json

import pytest

from backend.domain.device.mcp_host import HOSTS, McpHost, host, is_connected, merged, snippet
from backend.domain.values.commented_json import parse
from backend.domain.values.errors import OutriderError

COMMAND = ("/opt/outrider", "mcp", "--data-dir", "/data folder")
CURSOR = host("cursor")
FILES = {
    "comments": '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "a"} /* the first */ // and last\n  }\n}\n',
    "a comment behind the last": '{\n  "mcpServers": {\n    "a": 1 // one\n    // no more\n  }\n}',
    "a byte order mark": '\ufeff{\n  "mcpServers": {}\n}\n',
    "names that come twice": '{"mcpServers": {"x": 1},\n "a": 1, "a": 2,\n "mcpServers": {"b": 1, "b": 2}}',
    "CRLF and tabs": '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n',
    "four spaces, a last comma": '{\n    "mcpServers": {\n        "a": {},\n    },\n}\n',
    "one line": '{"mcpServers":{"a":{"command":"a"}},"z":1}',
    "no servers yet": '{\n  "numbers": [1.50, 1e3, -0],\n  "text": "\\u00e9 // no comment"\n}',
    "nothing in it": "{}",
    "a comment only": "{\n  // nothing yet\n}\n",
    "servers that are empty": '{"mcpServers": {\n}}',
    "an old entry": '{"mcpServers": {"outrider": {"command": "old"}, /* mine */ "a": 1}}',
    "an old entry that comes twice": '{"mcpServers": {"outrider": 1, "outrider": {"command": "old"}}}',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_file_stays_as_it_is_outside_of_our_entry(text: str) -> None:
    after = merged(CURSOR, text, COMMAND)
    assert is_connected(CURSOR, after, COMMAND)
    assert merged(CURSOR, after, COMMAND) == after, "what stands there already is not written again"
    left = iter(after)
    assert all(letter in left for letter in _without_our_value(text)), "nothing of it is written in another way"
    assert ("\r\n" in text) is ("\r\n" in after)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in after


def _without_our_value(text: str) -> str:
    servers = parse(text).member(CURSOR.servers_key)
    old = servers.member("outrider") if servers else None
    return text[: old.start] + text[old.end :] if old else text


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"mcpServers": []}', '{"a" 1}', "{'a': 1}", '{"a": 1} x', "[" * 100_000, "{1: 2}", '"']
)
def test_what_is_no_such_file_is_left_alone(text: str) -> None:
    with pytest.raises(OutriderError) as refused:
        merged(CURSOR, text, COMMAND)
    assert refused.value.code == "host_config_unreadable"
    assert not is_connected(CURSOR, text, COMMAND)


@pytest.mark.parametrize("of", HOSTS, ids=lambda of: of.id)
@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_becomes_the_one_that_is_shown(of: McpHost, text: str) -> None:
    assert merged(of, text, COMMAND) == snippet(of, COMMAND)
    assert json.loads(snippet(of, COMMAND))[of.servers_key]["outrider"]["args"] == [*COMMAND[1:], "--program", of.title]

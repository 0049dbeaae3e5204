"""What other programs' configuration files hold stays byte for byte; only Outrider's own entry comes or changes."""

import itertools
import json

import pytest

from backend.domain.device.mcp_host import HOSTS, McpHost, host, is_connected, merged, server_entry, snippet, unmerged
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


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_our_entry_goes_and_what_was_there_comes_back_also_when_the_program_wrote_its_file_anew(text: str) -> None:
    after = merged(CURSOR, text, COMMAND)
    assert unmerged(CURSOR, after, text, COMMAND) == text
    rewritten = json.dumps(json.loads(json.dumps(parse(after).value)) | {"new": 1}, indent=4)
    left = json.loads(unmerged(CURSOR, rewritten, text, COMMAND) or "")
    before = parse(text).value
    assert left == {"mcpServers": {}, **before, "new": 1}
    assert unmerged(CURSOR, rewritten.replace("/data folder", "/other"), text, COMMAND) is None


_ENTRY = f'"outrider": {json.dumps(server_entry(CURSOR, COMMAND))}'
_BESIDE = "", '"a": 1,', '"a": {}, "b": [1,],'
_COMMENTS = "", " /* , one */ ", " // , one\n", "\n"


def test_of_two_entries_of_our_name_the_one_that_holds_goes() -> None:
    left = unmerged(CURSOR, f'{{"mcpServers": {{"outrider": 1, {_ENTRY}}}}}', "{}", COMMAND)
    assert json.loads(left or "") == {"mcpServers": {"outrider": 1}}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_of_which_our_entry_was_all_goes(end: str) -> None:
    lines = ["{", '  "mcpServers": {', '    "a": 1,', f"    {_ENTRY}", "  },", '  "x": 2', "}", ""]
    left = ["{", '  "mcpServers": {', '    "a": 1', "  },", '  "x": 2', "}", ""]
    assert unmerged(CURSOR, end.join(lines), "{}", COMMAND) == end.join(left)


@pytest.mark.parametrize("before", _BESIDE)
def test_around_our_entry_every_letter_stays_but_one_comma(before: str) -> None:
    for ahead, behind, comma, after, line in itertools.product(
        _COMMENTS, _COMMENTS, ("", ","), ("", '"z": 2', '"z": 2,'), (" ", "\n\t", "\r\n")
    ):
        comma_or_more = "," if after else comma
        text = f'{{"k": [1,], "mcpServers": {{{line}{before}{ahead}{_ENTRY}{behind}{comma_or_more}{line}{after}{line}}}}}\n'
        left = unmerged(CURSOR, text, "{}", COMMAND)
        assert left is not None
        right = parse(text).value
        del right["mcpServers"]["outrider"]
        assert parse(left).value == right, text
        rest = "".join(text.replace(_ENTRY, "").split())
        at_most = {rest.count(",") - 1, rest.count(",")}
        assert "".join(left.split()).replace(",", "") == rest.replace(",", ""), text
        assert left.count(",") in at_most, text


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

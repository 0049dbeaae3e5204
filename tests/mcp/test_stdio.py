"""`outrider mcp` as a process of its own, asked by the SDK's own client: one that is honest, and one that tries everything."""

import io
import json
import os
import sqlite3
import subprocess
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, cast

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from backend.app.wiring import open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import read_settings
from backend.mcp.stdio import LONGEST_LINE, MOST_UNREAD, Answers, Requests
from backend.mcp.tools import TOOLS
from tests.cli.outrider import COMMAND, ROOT
from tests.mcp.apart import run_apart
from tests.patience import PATIENCE

NOTE = {"artifact_type": "note", "artifact_key": "plan", "content": "Call them on Monday."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def campaign(folder: Path) -> str:
    with open_workspace(read_settings(data_dir=folder)) as workspace:
        return workspace.commands().campaigns.create(
            "Talk", "A talk", site="practice", account="a", settings=Settings()
        )


SECRET = "sk-" + "canary" * 5
"""Given to the server as the user would give it a model's key."""


def server(folder: Path, *program: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", "--data-dir", str(folder), *program],
        cwd=str(ROOT),
        env={"OUTRIDER_KEY_CANARY": SECRET},
    )


def asked(folder: Path, talk: Callable[[Client], Awaitable[None]], **how: Any) -> None:
    async def run() -> None:
        async with Client(server(folder), read_timeout_seconds=60, **how) as client:
            await talk(client)

    run_apart(run)


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "outrider.db") as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_sdks_own_client_finds_and_calls_everything_in_each_revision(
    folder: Path, campaign: str, mode: str
) -> None:
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        listed = await client.call_tool("list_campaigns")
        assert [row["id"] for row in listed.structured_content["campaigns"]] == [campaign]
        summoned = await client.call_tool("summon_servitor", {"assignment": "Sum up"})
        assert summoned.structured_content["state"] == "Working"
        proposal = {"campaign": campaign, "key": "k", "type": "persist_artifact", "params": NOTE}
        first, again = await client.call_tool("propose", proposal), await client.call_tool("propose", proposal)
        assert first.structured_content["proposal_id"] == again.structured_content["proposal_id"]
        log = await client.read_resource(f"outrider://campaigns/{campaign}/log")
        assert isinstance(log.contents[0], types.TextResourceContents)
        assert json.loads(log.contents[0].text)[-1]["kind"] == "CampaignCreated"
        assert (await client.list_resource_templates()).resource_templates

    asked(folder, talk, mode=mode)
    assert rows(folder, "SELECT count(*) FROM input_requests WHERE status='open'") == [(1,)]


def test_a_hostile_host_that_accepts_everything_and_tries_everything_gets_nowhere(folder: Path, campaign: str) -> None:
    accepted: list[object] = []

    async def accept(*request: Any) -> types.ElicitResult:
        accepted.append(request)
        return types.ElicitResult(action="accept", content={"approved": True})

    async def talk(client: Client) -> None:
        for tool in ("approve", "browser.send_message", "execute_tool", "answer", "run", "configuration", *TOOLS):
            for arguments in (
                {},
                {"campaign": campaign},
                {"campaign": campaign, "approved": True},
                {"campaign": campaign, "message": "x", "digest": "y"},
                {"campaign": None, "id": ["x"], "lead": {"$ne": ""}},
                {"campaign": campaign, "lead": "x' OR 1=1 --"},
                {"campaign": campaign, "words": "y" * 2_000_000},
                {"campaign": campaign, "key": "k", "type": "execute_tool", "params": {"tool": "browser.send_message"}},
                {"campaign": campaign, "key": "k" * 1_000, "type": "persist_artifact", "params": NOTE},
                {"campaign": campaign, "key": "k", "type": "no_op", "params": {"claims_done": True}},
                {"campaign": "workspace", "words": "configuration"},
            ):
                if tool not in TOOLS:
                    with pytest.raises(MCPError, match="mcp_tool_unknown"):
                        await client.call_tool(tool, arguments)
                    continue
                answer = await client.call_tool(tool, arguments)
                text = json.dumps(answer.structured_content)
                assert SECRET not in text
                if answer.is_error:
                    assert answer.structured_content["error"]["code"] != "unexpected", text
        for uri in (
            "file:///etc/passwd",
            "outrider://campaigns/workspace/log",
            f"outrider://campaigns/{campaign}/../x",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    asked(folder, talk, elicitation_callback=accept)
    assert accepted == []
    for nothing in ("messages", "approvals", "actions", "approved_commands", "artifacts WHERE made_by LIKE 'program%'"):
        assert rows(folder, f"SELECT count(*) FROM {nothing}") == [(0,)], nothing
    assert rows(folder, "SELECT status FROM campaigns") == [("initializing",)]


def test_of_two_programs_that_call_themselves_alike_each_has_keys_of_its_own(folder: Path, campaign: str) -> None:
    """Which program it is, the user says where it is started; what it calls itself another one may call itself, too."""
    proposal = {"campaign": campaign, "key": "1", "type": "persist_artifact", "params": NOTE}
    receipts: list[str] = []

    async def run() -> None:
        for program in ((), (), ("--program", "Mine"), ("--program", "Mine"), ("--program", "Theirs")):
            named = types.Implementation(name="same", version="1")
            async with Client(server(folder, *program), read_timeout_seconds=60, client_info=named) as client:
                first, again = [(await client.call_tool("propose", proposal)).structured_content for _ in range(2)]
                assert (first["proposal_id"], again["repeated"]) == (again["proposal_id"], True)
                receipts.append(first["proposal_id"])

    run_apart(run)
    nameless, another, mine, restarted, theirs = receipts
    assert len({nameless, another, mine, theirs}) == 4
    assert restarted == mine, "a program that the user named goes on where it was"
    assert {row[0] for row in rows(folder, "SELECT name FROM mcp_clients")} == {"same", "Mine", "Theirs"}


def test_a_program_is_not_started_under_a_name_that_is_not_as_it_looks(folder: Path) -> None:
    arguments = [*COMMAND, "mcp", "--data-dir", str(folder), "--program", "a\nb"]
    refused = subprocess.run(arguments, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert refused.returncode == 1
    assert b"program_name_invalid" in refused.stderr
    assert refused.stdout == b""


def test_two_hosts_at_once_and_one_that_leaves_in_mid_call_lose_nothing(folder: Path, campaign: str) -> None:
    async def run() -> None:
        async with (
            Client(server(folder)) as first,
            Client(server(folder)) as second,
            anyio.create_task_group() as group,
        ):
            for number in range(10):
                host = (first, second)[number % 2]
                group.start_soon(host.call_tool, "summon_servitor", {"name": f"S{number}"})

    run_apart(run)
    assert rows(folder, "SELECT count(*) FROM tasks WHERE source='servitor'") == [(10,)]
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "summon_servitor", "arguments": {}},
    }
    leaves = subprocess.Popen(
        [*COMMAND, "mcp", "--data-dir", str(folder)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert leaves.stdin is not None
    assert leaves.stdout is not None
    leaves.stdin.write(json.dumps(request).encode() + b"\n{ not JSON\n")
    leaves.stdin.close()
    leaves.stdout.close()
    leaves.wait(PATIENCE)
    assert rows(folder, "PRAGMA integrity_check") == [("ok",)]


SURROGATE = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"why","arguments":{"lead":"\\ud800"}}}'


NO_REQUESTS: list[tuple[bytes, int | None, int]] = [
    (SURROGATE, 7, types.INVALID_REQUEST),
    (b"{ not JSON", None, types.PARSE_ERROR),
    (b"[" * 100_000, None, types.PARSE_ERROR),
    (b'\xff{"jsonrpc":"2.0","id":1,"method":"ping"}', None, types.PARSE_ERROR),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, types.INVALID_REQUEST),
    *(
        (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % id_, None, types.INVALID_REQUEST)
        for id_ in (b"1.5", b"{}", b"null")
    ),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', None, types.PARSE_ERROR),
    *(
        (
            b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"words":"Gr%s"}}}' % no_text,
            7,
            types.INVALID_REQUEST,
        )
        for no_text in (b"\xfc\xdfe", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\\ud800")
    ),
    *(
        (b'{"jsonrpc":"2.0","id":7,%s}' % twice, 7, types.INVALID_REQUEST)
        for twice in (
            b'"method":"ping","method":"tools/list"',
            b'"method":"tools/call","params":{"name":"list_campaigns","name":"propose"}',
            b'"method":"tools/call","params":{"name":"campaign_status","arguments":{"campaign":"a","campaign":"b"}}',
            b'"method":"tools/call","params":{"name":"propose","arguments":{"params":[{"text":"a","\\u0074ext":"b"}]}}',
        )
    ),
    (b"x" * (LONGEST_LINE + 1), None, types.INVALID_REQUEST),
]


def test_a_line_that_is_no_request_is_answered_and_the_next_one_served(folder: Path) -> None:
    command = [*COMMAND, "mcp", "--data-dir", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        for line, request_id, code in NO_REQUESTS:
            host.stdin.write(line + b'\n\n{"jsonrpc":"2.0","id":"next","method":"ping"}\n')
            host.stdin.flush()
            refused, pong = json.loads(host.stdout.readline()), json.loads(host.stdout.readline())
            assert (refused["id"], refused["error"]["code"]) == (request_id, code)
            assert pong["id"] == "next"
        host.stdin.close()
        assert host.stdout.read() == b""
    assert host.returncode == 0


class Endless(io.RawIOBase):
    """A line that does not end, until a look at how much of it is asked for at a time."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.most_asked = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        self.most_asked = max(self.most_asked, self.left if size is None or size < 0 else size)
        part = min(self.left, LONGEST_LINE if size is None or size < 0 else size)
        self.left -= part
        return b"x" * part


def next_request(requests: Requests) -> str | None:
    async def run() -> str | None:
        return await anext(requests, None)

    with ThreadPoolExecutor(1) as pool:  # in this thread another test's browser may have its loop
        return pool.submit(anyio.run, run).result(PATIENCE)


def test_of_a_line_without_end_only_its_beginning_is_kept() -> None:
    line, answers = Endless(50 * LONGEST_LINE), Answers(io.BytesIO())
    assert next_request(Requests(cast(BinaryIO, line), answers)) is None
    assert line.most_asked <= LONGEST_LINE
    assert line.left == 0


def test_a_program_that_reads_no_answers_is_asked_for_nothing_more_until_it_does() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as host, os.fdopen(writing, "wb") as wire:
        answers = Answers(wire)
        requests = Requests(io.BytesIO(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'), answers)
        assert next_request(requests) is not None, "as long as few answers wait"
        requests = Requests(io.BytesIO(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n'), answers)
        answers.add("x" * MOST_UNREAD * 2)
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(next_request, requests)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
            host.read(MOST_UNREAD * 2)
            assert waiting.result(PATIENCE) is not None
        answers.close()


def test_what_serves_a_program_that_reads_no_more_ends() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as wire:
        answers = Answers(wire)
        answers.add("x" * MOST_UNREAD * 2)
        requests = Requests(io.BytesIO(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 10), answers)
        assert next_request(requests) is None

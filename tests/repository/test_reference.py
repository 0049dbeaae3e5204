"""The reference holds every row of the code's own tables, and a change of one makes it stale."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from backend.api.generate import write_files
from backend.domain.device.agent_tools import AGENT_TOOLS
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.message import MessageSent
from backend.domain.events.facts.task import TaskCompleted
from backend.domain.model.tools import TOOLS
from backend.domain.values.error_table import ERRORS
from backend.mcp.tools import definitions_digest
from backend.reference import pages, schemas
from backend.reference.__main__ import FILES

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_each_table_of_the_code_is_there_whole() -> None:
    errors, events, tools = pages.errors(), pages.events(), pages.tools()
    assert [code for code in ERRORS if f"| `{code}` |" not in errors] == []
    assert [kind for kind in FACTS if f"### {kind}\n" not in events] == []
    assert [name for name in (*TOOLS, *AGENT_TOOLS) if f"### {name}\n" not in tools] == []
    assert definitions_digest() in pages.mcp()
    assert "## outrider log verify\n" in pages.commands()
    assert set(FILES) | {"openapi.json"} == {file.name for file in REFERENCE.iterdir()}


def test_the_schemas_hold_what_is_really_recorded_and_nothing_else() -> None:
    written = schemas.events()["$defs"]
    sent = Draft202012Validator(written["MessageSent"])
    assert sent.is_valid(json.loads(json.dumps(MessageSent("m1", sent_at=5, evidence=[{}]).changes)))
    assert not sent.is_valid({"status": "sent"})
    assert not sent.is_valid({"status": "draft", "sent_at": 5, "evidence": []})
    done = json.loads(json.dumps(TaskCompleted("t1").changes))
    assert Draft202012Validator(written["TaskCompleted"]).is_valid(done)
    assert not Draft202012Validator(written["TaskCompleted"]).is_valid({**done, "more": 1})
    proposal = Draft202012Validator(schemas.proposals())
    assert proposal.is_valid({"type": "no_op", "task_id": "t1"})
    assert not proposal.is_valid({"type": "no_op"})


def test_a_file_that_is_not_what_the_code_says_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"errors.md": pages.errors}
    assert write_files(files, ["--check"], tmp_path) == 1
    assert write_files(files, [], tmp_path) == 0
    assert write_files(files, ["--check"], tmp_path) == 0
    (tmp_path / "errors.md").write_text("edited by hand")
    assert write_files(files, ["--check"], tmp_path) == 1
    assert "errors.md is stale; write it again with `make wire`" in capsys.readouterr().err
    assert write_files(files, ["--wrong"], tmp_path) == 2

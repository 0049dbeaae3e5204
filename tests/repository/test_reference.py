"""The reference holds every row of the code's own tables, and a change of one makes it stale."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from backend.domain.device.agent_tools import AGENT_TOOLS
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.message import MessageSent
from backend.domain.events.facts.task import TaskCompleted
from backend.domain.model.tools import TOOLS
from backend.domain.values.error_table import ERRORS
from backend.mcp.tools import definitions_digest
from backend.reference import __main__ as generated
from backend.reference import pages, schemas
from backend.reference.__main__ import PAGES, SOURCE

ROOT = Path(__file__).resolve().parents[2]


def test_each_table_of_the_code_is_there_whole() -> None:
    errors, events, tools = pages.errors(), pages.events(), pages.tools()
    assert [code for code in ERRORS if f"| `{code}` |" not in errors] == []
    assert [kind for kind in FACTS if f"### {kind}\n" not in events] == []
    assert [name for name in (*TOOLS, *AGENT_TOOLS) if f"### {name}\n" not in tools] == []
    assert definitions_digest() in pages.mcp()
    assert "## outrider log verify\n" in pages.commands()
    assert {ROOT / name for name in PAGES} == {*(ROOT / "docs/reference").glob("*.md")}


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


def test_a_page_that_is_not_what_the_code_says_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def stale() -> list[str]:
        assert generated.main(["--check"], tmp_path) == 1
        return [line.split()[0] for line in capsys.readouterr().err.splitlines()]

    assert stale() == list(PAGES)
    assert generated.main([], tmp_path) == 0
    assert generated.main(["--check"], tmp_path) == 0
    (tmp_path / list(PAGES)[1]).write_text("edited by hand")
    assert stale() == list(PAGES)[1:2]


def test_set_up_writes_what_git_does_not_keep_and_touches_nothing_that_is_fresh(tmp_path: Path) -> None:
    assert generated.main(["--source"], tmp_path) == 0
    files = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    assert files.keys() == SOURCE.keys()
    os.utime(files["frontend/src/lib/api/calls.ts"], (1, 1))
    generated.main(["--source"], tmp_path)
    assert files["frontend/src/lib/api/calls.ts"].stat().st_mtime == 1
    interface = files["docs/reference/openapi.json"]
    generated_text = interface.read_bytes()
    interface.write_bytes(generated_text.replace(b"campaigns", b"Campaigns"))
    generated.main(["--source"], tmp_path)
    assert interface.read_bytes() == generated_text, "no edit by hand stays"
    tracked = subprocess.run(["git", "ls-files", *SOURCE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert tracked == ""


def test_the_same_code_gives_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from backend.reference.__main__ import main; main([], Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "there")]
    subprocess.run(command, env={"PYTHONHASHSEED": "2"}, cwd=ROOT, check=True)
    generated.main([], tmp_path / "here")
    for name in PAGES | SOURCE:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_wrong_usage_is_status_two(tmp_path: Path) -> None:
    assert generated.main(["--chek"], tmp_path) == generated.main(["--check", "x"], tmp_path) == 2

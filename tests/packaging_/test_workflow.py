"""The build server's workflow, parsed: every system, commands that exist here, tools of one version each, a draft at the end."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from backend.terminal.app import app
from tests.packaging_.conftest import ROOT
from tests.repository.test_documents import terminal_commands

TEXT = (ROOT / ".github/workflows/build.yml").read_text("utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, Any] = WORKFLOW["jobs"]
SYSTEMS = {
    "ubuntu-22.04", "ubuntu-24.04", "windows-2025", "windows-11-arm", "macos-15", "macos-15-intel",
}  # fmt: skip


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in JOBS.items():
        yield from ((name, step) for step in job["steps"])


def commands() -> Iterator[str]:
    """Each line of each step, as a contributor would type it."""
    for _, step in steps():
        yield from (line.strip() for line in step.get("run", "").splitlines() if line.strip())


def runners() -> set[str]:
    used = set()
    for job in JOBS.values():
        rows = job.get("strategy", {}).get("matrix", {}).get("include", [])
        used |= {row["os"] for row in rows} if "matrix.os" in job["runs-on"] else {job["runs-on"]}
    return used


def test_every_system_has_a_job() -> None:
    assert runners() == SYSTEMS
    assert "debian:13" in {row["container"] for row in JOBS["install"]["strategy"]["matrix"]["include"]}
    built = [row["os"].partition("-")[0] for row in JOBS["package"]["strategy"]["matrix"]["include"]]
    assert built == ["ubuntu", "windows", "macos"]


def test_every_make_target_file_and_command_that_it_names_is_here() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    used = {word for line in commands() for word in re.findall(r"\bmake ([a-z-]+)", line)}
    assert {"test", "package", "test-package", "setup"} <= used <= targets
    named = {
        path.replace("\\", "/").split("::")[0]
        for line in commands()
        for path in re.findall(r"(?<![\w/\\])((?:tests|packaging)[/\\][\w/\\.]+)", line)
    }
    assert len(named) > 8
    assert [path for path in named if not (ROOT / path).exists()] == []
    modules = {module for line in commands() for module in re.findall(r"-m ((?:tests|backend)[\w.]+)", line)}
    assert [module for module in modules if not (ROOT / f"{module.replace('.', '/')}.py").exists()] == []
    by_name = dict(terminal_commands(typer.main.get_command(app)))  # type: ignore[arg-type]
    shown = [
        (name, set(re.findall(r"(?<=\s)--[a-z-]+", options)))
        for line in commands()
        for name, options in re.findall(r"[/\\ \"]?outrider(?:\.exe\"?)? ([a-z-]+)((?: -\S+| \d+)*)$", line)
        if name in by_name
    ]
    assert {"doctor", "rehearse", "replay"} == {name for name, _ in shown}
    for name, options in shown:
        assert options <= {option for parameter in by_name[name].params for option in parameter.opts}


def test_nothing_that_builds_is_of_whatever_version_there_is() -> None:
    assert [job["runs-on"] for job in JOBS.values() if "latest" in job["runs-on"]] == []
    for _, step in steps():
        options = step.get("with", {})
        for tool, parts in (("python-version", 3), ("node-version", 3)):
            if tool in options:
                assert len(options[tool].split(".")) == parts, "the whole version"
    for line in commands():
        if "choco install" in line:
            assert re.search(r"--version=\d+\.\d+\.\d+", line)
    assert not re.search(r"\b(?:pip|npm|npx) install\b", TEXT), "set-up does, by the lock files"


OLDEST_ACTIONS = {
    "checkout": 5, "setup-python": 6, "setup-node": 5, "upload-artifact": 6, "download-artifact": 7, "attest-build-provenance": 4,
}  # fmt: skip
"""The first versions that run on Node 24: the build servers have taken away Node 20."""


def test_no_action_needs_a_node_that_the_build_servers_no_longer_have() -> None:
    used = re.findall(r"uses: actions/([\w-]+)@[0-9a-f]{40} # v(\d+)\.\d+\.\d+$", TEXT, re.MULTILINE)
    assert len(used) == TEXT.count("uses: ")
    assert {name for name, major in used if int(major) < OLDEST_ACTIONS[name]} == set()


def test_every_system_checks_out_what_was_committed_to_the_byte() -> None:
    """Git for Windows would write other line ends, and the parts of a release that every system makes would differ."""
    assert "* -text" in (ROOT / ".gitattributes").read_text("utf-8").splitlines()


@pytest.mark.posix  # on Windows `bash` may be another system's
def test_every_script_is_one_that_its_shell_can_read(tmp_path: Path) -> None:
    """By bash itself; for PowerShell, which is not here, what it takes from bash otherwise."""
    for job, step in steps():
        script = re.sub(r"\$\{\{.*?\}\}", "x", step.get("run", ""))
        if step.get("shell", "bash") == "bash":
            (file := tmp_path / "step").write_text(script, "utf-8")
            checked = subprocess.run(["bash", "-n", file], capture_output=True, encoding="utf-8", check=False)
            assert (checked.returncode, checked.stderr) == (0, ""), job
        else:
            assert step["shell"] == "pwsh"
            assert not re.search(r"&&|\|\||\\$|(?<![\w.])~/|\bexport\b|\$\w+=", script, re.MULTILINE), job
            assert all(script.count(a) == script.count(b) for a, b in ("()", "{}", "[]")), job
            assert script.count('"') % 2 == 0, job


@pytest.mark.parametrize("system", ["Linux", "Windows", "macOS"])
def test_what_a_step_runs_there_is_of_its_system(system: str) -> None:
    """`sudo` and `hdiutil` elsewhere than where they are, or a Windows path in bash, would end the first run."""
    own = {"Linux": r"\b(sudo|sysctl|apt-get)\b", "macOS": r"\bhdiutil\b|\bopen -", "Windows": r"\bchoco\b|\$env:|\\"}
    for job, step in steps():
        only = re.search(r"runner\.os (==|!=) '(\w+)'", step.get("if", ""))
        of_job = (
            {"Linux"}
            if job in ("test", "types", "install", "release")
            else {"macOS"}
            if job == "intel-mac"
            else set(own)
        )
        if only:
            of_job = {only[2]} if only[1] == "==" else of_job - {only[2]}
        if system in of_job and of_job != {system}:
            of_others = [pattern for name, pattern in own.items() if name != system]
            assert not re.search("|".join(of_others), re.sub(r"\$\{\{.*?\}\}", "", step.get("run", ""))), (job, step)


def test_a_tag_makes_a_draft_of_what_every_other_job_has_tried() -> None:
    release = JOBS["release"]
    assert release["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert "v*" in WORKFLOW[True]["push"]["tags"]  # YAML's `on` is a yes
    assert set(release["needs"]) == set(JOBS) - {"release"}
    lines = [step.get("run", step.get("uses", "")) for step in release["steps"]]
    places = [
        next(place for place, line in enumerate(lines) if wanted_part in line)
        for wanted_part in ("download-artifact", "packaging/release.py", "attest-build-provenance", "gh release create")
    ]
    assert places == sorted(places)
    assert "--draft" in lines[-1]


@pytest.mark.parametrize("pattern", ["dist/*.mcpb", "dist/SHA256SUMS-*", "dist/*.cdx.json", "dist/*.intoto.json"])
def test_what_describes_the_files_goes_with_them(pattern: str) -> None:
    (upload,) = [step for name, step in steps() if name == "package" and "upload-artifact" in step.get("uses", "")]
    assert pattern in upload["with"]["path"].split("\n")
    assert upload["with"]["if-no-files-found"] == "error"


def test_only_the_release_may_write_and_nothing_asks_for_a_secret() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert [name for name, job in JOBS.items() if "permissions" in job] == ["release"]
    assert "secrets." not in TEXT

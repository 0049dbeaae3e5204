"""What Windows gets, read and tried without it: two executables of one analysis, and an installer that keeps the user's data.

Inno Setup itself runs on Windows only; `.github/workflows/build.yml` compiles, installs and removes what is read here.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from PyInstaller.utils import hooks

from backend.adapters import processes, webview_runtime
from tests.packaging_.conftest import ROOT

Script = Callable[[str], ModuleType]
RECIPE = (ROOT / "packaging/windows/outrider.iss").read_text("utf-8")
SECTIONS = dict(re.findall(r"^\[(\w+)\]\n(.*?)(?=^\[|\Z)", RECIPE, re.MULTILINE | re.DOTALL))


def settings() -> dict[str, str]:
    return dict(line.split("=", 1) for line in SECTIONS["Setup"].splitlines() if line and line[0] != ";")


def entries(section: str) -> Iterator[dict[str, str]]:
    for line in SECTIONS[section].splitlines():
        if line and line[0] != ";":
            yield {name: value.strip('"') for name, value in re.findall(r'(\w+): ("[^"]*"|[^;]*)', line)}


@pytest.mark.parametrize(
    ("system", "consoles"),
    [
        ("linux", {"outrider": True}),
        ("darwin", {"outrider": False}),
        ("win32", {"outrider": True, "outriderw": False}),
    ],
)
def test_only_windows_has_a_second_executable_without_a_console_of_the_same_analysis(
    script: Script, monkeypatch: pytest.MonkeyPatch, system: str, consoles: dict[str, bool]
) -> None:
    """PyInstaller's recipe, run with stand-ins for what PyInstaller gives it."""
    package = script("package")
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(package, "write_notices", lambda *_: None)
    for name in ("collect_data_files", "collect_dynamic_libs", "collect_submodules", "copy_metadata"):
        monkeypatch.setattr(hooks, name, lambda *_, **__: [])
    analyses, executables, folders = [], [], []

    def analyse(*_: Any, **options: Any) -> SimpleNamespace:
        analyses.append(options)
        return SimpleNamespace(pure=[], binaries=[], datas=[], scripts=["start"])

    def executable(archive: object, scripts: object, **options: Any) -> dict[str, Any]:
        executables.append({**options, "archive": archive, "scripts": scripts})
        return executables[-1]

    recipe = ROOT / "packaging/outrider.spec"
    surroundings = {
        "SPECPATH": str(recipe.parent),
        "Analysis": analyse,
        "PYZ": lambda _: "archive",
        "EXE": executable,
        "COLLECT": lambda *parts, **_: folders.append(parts),
        "BUNDLE": lambda *_, **__: None,
    }
    exec(compile(recipe.read_text("utf-8"), str(recipe), "exec"), surroundings)
    assert len(analyses) == 1
    assert {made["name"]: made["console"] for made in executables} == consoles
    assert {(made["archive"], *made["scripts"]) for made in executables} == {("archive", "start")}
    assert [part for part in folders[0] if part in executables] == executables, "one folder holds all of them"


def test_the_menu_starts_the_one_without_a_console_and_terminals_the_other() -> None:
    windowed = f"{{app}}\\{processes.WINDOWED_PROGRAM}"
    assert [entry["Filename"] for entry in entries("Icons")] == [windowed]
    assert [entry["Filename"] for entry in entries("Run")] == [windowed]
    assert processes.CONSOLE_PROGRAM == "outrider.exe", "which is what the PATH is searched for"


@pytest.mark.parametrize(
    ("executable", "started"),
    [("outriderw.exe", "outrider.exe"), ("outrider.exe", "outrider.exe"), ("python.exe", "python.exe")],
)
def test_whatever_is_started_is_the_program_with_a_console(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, executable: str, started: str
) -> None:
    """It speaks through its standard streams, which the other one need not have; `own_group` keeps its console unseen."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / executable))
    assert processes.command(processes.PRACTICE) == [str(tmp_path / started), "-m", processes.PRACTICE]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert processes.own_program() == tmp_path / started


def test_a_program_started_without_streams_can_write_to_them(script: Script) -> None:
    system = SimpleNamespace(stdin=None, stdout=None, stderr=sys.stderr)
    script("start").give_streams(system)
    with system.stdin, system.stdout:
        assert (system.stdin.read(), system.stdout.write("words")) == ("", 5)
        system.stdout.flush()
    assert system.stderr is sys.stderr


def test_installation_and_removal_wait_for_a_running_outrider(script: Script) -> None:
    names: list[object] = []
    script("start").announce_running(SimpleNamespace(CreateMutexW=lambda *of: names.append(of[2])))
    assert names == [settings()["AppMutex"]]


def test_it_is_installed_for_one_user_without_a_password_and_offers_to_do_so_for_all() -> None:
    assert settings()["PrivilegesRequired"] == "lowest"
    assert settings()["PrivilegesRequiredOverridesAllowed"] == "dialog"
    assert settings()["DefaultDirName"] == "{autopf}\\Outrider"


def test_nothing_but_the_programs_own_files_is_ever_deleted() -> None:
    """The data lies in `%LOCALAPPDATA%\\Outrider`; the programs in `%LOCALAPPDATA%\\Programs\\Outrider`."""
    assert [entry["Name"] for entry in entries("InstallDelete")] == ["{app}\\_internal"]
    assert "UninstallDelete" not in SECTIONS
    assert re.findall(r"(?i)\b(?:DelTree|DeleteFile|RemoveDir|RegDelete\w+)\b", SECTIONS["Code"]) == []
    assert re.findall(r"\{(?:local|user|common)\w*appdata\}", RECIPE) == []


def test_webview2_is_offered_only_where_it_is_missing_by_the_entries_that_outrider_looks_at() -> None:
    (task,) = [entry for entry in entries("Tasks") if entry["Name"] == "webview2"]
    assert task["Check"] == "WebViewMissing"
    assert webview_runtime.CHANNELS[0] in RECIPE
    looked_at = {
        (
            root.replace("HKCU", "HKEY_CURRENT_USER").replace("HKLM", "HKEY_LOCAL_MACHINE"),
            rf"{folder}\EdgeUpdate\Clients",
        )
        for root, folder in re.findall(r"IsThere\((HK\w+), '(.+)\\' \+ WebViewClient\)", SECTIONS["Code"])
    }
    assert looked_at == set(webview_runtime._FOLDERS)
    assert re.findall(r"https?://\S+(?=')", RECIPE) == ["https://go.microsoft.com/fwlink/p/?LinkId=2124703"]
    code = SECTIONS["Code"]
    assert code.count("DownloadTemporaryFile") == 1
    assert "if WizardIsTaskSelected('webview2') then InstallWebView;" in code


def test_the_path_gets_our_folder_when_asked_and_loses_it_with_the_programs() -> None:
    code = SECTIONS["Code"]
    assert "path" in {entry["Name"] for entry in entries("Tasks")}
    assert settings()["ChangesEnvironment"] == "yes"
    assert "SetPath(WizardIsTaskSelected('path'));" in code
    assert "if Step = usPostUninstall then SetPath(False);" in code


def test_the_code_of_the_recipe_is_balanced() -> None:
    """What Inno Setup's compiler would refuse first: a block, a bracket or a text that does not end."""
    code = re.sub(r"\{[^}]*\}|'[^']*'", "''", SECTIONS["Code"])
    words = re.findall(r"\b\w+\b", code)
    assert words.count("begin") + words.count("try") == words.count("end")
    assert code.count("(") == code.count(")")
    assert "'" not in code.replace("''", "")

"""The Debian package around any folder: complete, root's own, and the same bytes each time."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging_.conftest import ROOT

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("dpkg-deb", "dpkg-shlibdeps", "objdump"))), reason="needs Debian's tools"
)


def built(script: Callable[[str], ModuleType], place: Path) -> Path:
    """A package of a folder with one program."""
    folder, out = place / "outrider", place / "out"
    out.mkdir(parents=True)
    folder.mkdir()
    program = shutil.which("true")
    assert program
    shutil.copy(program, folder / "outrider")
    package: Path = script("debian").build_deb(folder, ROOT / "LICENSE", place, out)
    return package


def said(package: Path, *question: str) -> str:
    return subprocess.run(["dpkg-deb", *question, package], capture_output=True, text=True, check=True).stdout


def test_it_holds_the_command_the_menu_entry_and_the_icons_all_of_them_roots(
    script: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    rows = [line.split(maxsplit=5) for line in said(built(script, tmp_path), "--contents").splitlines()]
    assert {owner for _, owner, *_ in rows} == {"root/root"}
    assert [row for row in rows if row[0][0] != "l" and "w" in row[0][5:]] == [], "only root may change it"
    names = {row[5].removeprefix("./") for row in rows}
    assert {
        "usr/bin/outrider -> ../lib/outrider/outrider",
        "usr/lib/outrider/outrider",
        "usr/share/applications/outrider.desktop",
        "usr/share/doc/outrider/copyright",
        "usr/share/icons/hicolor/scalable/apps/outrider.svg",
        "usr/share/icons/hicolor/256x256/apps/outrider.png",
    } <= names


def test_it_says_what_it_is_and_what_it_needs(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    control = dict(
        line.split(": ", 1)
        for line in said(built(script, tmp_path), "--field").splitlines()
        if not line.startswith(" ")
    )
    assert (control["Package"], control["Version"]) == ("outrider", script("contents").project()["version"])
    assert "libc6 (>=" in control["Depends"], "the one library that the program needs"
    assert control["Recommends"].startswith("chromium | google-chrome-stable")


def test_the_same_folder_gives_the_same_bytes(
    script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second = (built(script, tmp_path / name).read_bytes() for name in ("first", "second"))
    assert first == second

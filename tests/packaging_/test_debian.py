"""The Debian packages around any folder: complete, root's own, and the same bytes each time."""

import os
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


def built(script: Callable[[str], ModuleType], directory: Path) -> list[Path]:
    """The packages of a folder with one program and a Node."""
    folder, out = directory / "outrider", directory / "out"
    out.mkdir(parents=True)
    driver = folder / "_internal/playwright/driver"
    driver.mkdir(parents=True)
    (driver / "LICENSE").write_text("Node.js is licensed")
    program = shutil.which("true")
    assert program
    for copy in (folder / "outrider", driver / "node"):
        shutil.copy(program, copy)
    packages: list[Path] = script("debian").build_debs(folder, ROOT / "LICENSE", directory, out)
    return packages


def said(package: Path, *question: str) -> str:
    return subprocess.run(["dpkg-deb", *question, package], capture_output=True, text=True, check=True).stdout


def test_it_holds_the_command_the_menu_entry_and_the_icons_all_of_them_roots(
    script: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    app, node = built(script, tmp_path)
    rows = [line.split(maxsplit=5) for line in said(app, "--contents").splitlines()]
    of_node = [line.split(maxsplit=5) for line in said(node, "--contents").splitlines()]
    assert {row[5].removeprefix("./") for row in of_node if row[0][0] != "d"} == {
        "usr/lib/outrider-node/node",
        "usr/share/doc/outrider-node/copyright",
    }
    rows += of_node
    assert {owner for _, owner, *_ in rows} == {"root/root"}
    assert [row for row in rows if row[0][0] != "l" and "w" in row[0][5:]] == [], "only root may change it"
    names = {row[5].removeprefix("./") for row in rows}
    assert {
        "usr/bin/outrider -> ../lib/outrider/outrider",
        "usr/lib/outrider/outrider",
        "usr/share/applications/outrider.desktop",
        "usr/share/doc/outrider/copyright",
        "usr/share/doc/outrider/NOTICES.gz",
        "usr/share/icons/hicolor/scalable/apps/outrider.svg",
        "usr/share/icons/hicolor/256x256/apps/outrider.png",
    } <= names
    assert not [name for name in names if name.endswith("driver/node")], "it is in one package only"


def test_it_says_what_it_is_and_what_it_needs(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    app, node = (
        dict(line.split(": ", 1) for line in said(package, "--field").splitlines() if not line.startswith(" "))
        for package in built(script, tmp_path)
    )
    version = script("contents").project()["version"]
    assert [(package["Package"], package["Version"]) for package in (app, node)] == [
        ("outrider", version),
        ("outrider-node", version),
    ]
    assert "libc6 (>=" in app["Depends"], "the one library that the program needs"
    assert app["Depends"].endswith(", nodejs (>= 20) | outrider-node")
    assert "libc6 (>=" in node["Depends"]
    assert app["Recommends"].startswith("chromium | google-chrome-stable")


@pytest.mark.parametrize("processors_filter", [(), ("--x86",)])
def test_packed_with_the_processors_filter_it_is_the_package_that_it_was(
    script: Callable[[str], ModuleType], tmp_path: Path, processors_filter: tuple[str, ...]
) -> None:
    """Its head says how to undo the filter, so that whatever reads xz reads the package."""
    tree, plain, file = tmp_path / "tree", tmp_path / "plain.deb", tmp_path / "packed.deb"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text("Package: a\nVersion: 1\nArchitecture: all\nMaintainer: b\nDescription: c\n")
    program = shutil.which("bash")
    assert program
    shutil.copy(program, tree / "program")
    subprocess.run(["dpkg-deb", "-Znone", "--build", tree, plain], check=True, stdout=subprocess.DEVNULL)
    script("debian").compress(plain, file, processors_filter)
    assert file.stat().st_size < plain.stat().st_size / 2
    assert said(file, "--field") == said(plain, "--field")
    subprocess.run(["dpkg-deb", "--extract", file, tmp_path / "out"], check=True)
    assert (tmp_path / "out/program").read_bytes() == Path(program).read_bytes()


def test_the_same_folder_gives_the_same_bytes(
    script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever files of their own whoever packs them may see."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    packages = []
    for umask in (0o022, 0o077):
        before = os.umask(umask)
        try:
            packages.append([package.read_bytes() for package in built(script, tmp_path / oct(umask))])
        finally:
            os.umask(before)
    assert packages[0] == packages[1]


@pytest.mark.parametrize(
    ("act", "program", "status"),
    [
        ("remove", "/usr/lib/outrider/outrider", 1),
        ("remove", "/usr/bin/python3.11", 0),
        ("upgrade", "/usr/lib/outrider/outrider", 0),
    ],
)
def test_it_is_not_removed_while_it_runs(tmp_path: Path, act: str, program: str, status: int) -> None:
    """`prerm`, by which the package manager asks, in a made-up system; one process has just ended."""
    processes = tmp_path / "proc"
    profile = tmp_path / "etc/apparmor.d/outrider"
    profile.parent.mkdir(parents=True)
    profile.touch()
    for number, target in (("7", None), ("41", "/usr/bin/bash"), ("42", program)):
        (processes / number).mkdir(parents=True)
        if target:
            (processes / number / "exe").symlink_to(target)
    script = ROOT / "packaging" / "linux" / "prerm"
    done = subprocess.run(
        ["/bin/sh", script, act],
        env={"DPKG_ROOT": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert ("Close it, then remove it again." in done.stderr) is bool(status)
    assert profile.exists() is (act == "upgrade" or bool(status))

"""What the packaged app is made of is all there, agrees about its version, and says nothing of where it was made."""

import ast
import configparser
import importlib.util
import json
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from backend.adapters.processes import PROGRAMS
from tests.packaging_.conftest import ROOT
from tests.patience import PATIENCE
from tests.repository.test_nothing_private import project_files

Script = Callable[[str], ModuleType]
LINUX = ROOT / "packaging" / "linux"


def test_every_file_that_the_code_opens_goes_in_and_lies_where_it_lay(script: Script) -> None:
    included = set(script("contents").data_files())
    source = [path.relative_to(ROOT) for path in project_files()]
    required = {
        (str(ROOT / path), path.parent.as_posix())
        for path in source
        if path.parts[0] in ("backend", "bridge") and path.suffix != ".py" and path.name != "README.md"
    }
    assert len(required) > 15
    assert required <= included
    assert {Path(file).suffix for file, _ in included if "/migrations" in file} == {".sql"}


@pytest.mark.parametrize(
    ("name", "source", "out"),
    [
        ("libnss3.so", "/lib/x86_64-linux-gnu/libnss3.so", True),
        ("libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", True),
        ("libsqlite3.so.0", "/lib/x86_64-linux-gnu/libsqlite3.so.0", False),
        ("python3.11/lib-dynload/_ssl.so", "/usr/lib/python3.11/lib-dynload/_ssl.so", False),
        ("PySide6/Qt/lib/libQt6Qml.so.6", ".venv/PySide6/Qt/lib/libQt6Qml.so.6", False),
        ("PySide6/Qt/translations/qtbase_de.qm", ".venv/qtbase_de.qm", True),
        ("PySide6/Qt/translations/qtwebengine_locales/de.pak", ".venv/de.pak", True),
        ("PySide6/Qt/translations/qtwebengine_locales/en-US.pak", ".venv/en-US.pak", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", ".venv/libqxcb.so", False),
        ("PySide6/Qt/plugins/platforms/libqwayland.so", ".venv/libqwayland.so", False),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", ".venv/libqvnc.so", True),
        ("outrider-0.1.0.dist-info/direct_url.json", ".venv/direct_url.json", True),
        ("outrider-0.1.0.dist-info\\RECORD", ".venv\\RECORD", True),
        ("outrider-0.1.0.dist-info/METADATA", ".venv/METADATA", False),
    ],
)
def test_what_stays_out(script: Script, name: str, source: str, out: bool) -> None:
    assert script("contents").is_left_out(name, source) is out


def test_of_the_languages_to_colour_only_python_comes_along(script: Script) -> None:
    rows = [
        (name, "", "PYMODULE")
        for name in ("pygments.lexers", "pygments.lexers.python", "pygments.lexers.cobol", "pygments.lexer")
    ]
    assert [row[0] for row in script("contents").used_modules(rows)] == [
        "pygments.lexers", "pygments.lexers.python", "pygments.lexer",
    ]  # fmt: skip


def test_all_of_openais_library_that_chat_imports_comes_along(script: Script) -> None:
    chat = "from openai import OpenAI; OpenAI(api_key='none').chat.completions"
    listing = (
        f"import json, sys; {chat}; print(json.dumps([name for name in sys.modules if name.startswith('openai')]))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, timeout=PATIENCE, check=True)
    rows = [(name, "", "PYMODULE") for name in json.loads(done.stdout)]
    assert len(rows) > 100
    assert script("contents").used_modules(rows) == rows
    assert script("contents").used_modules([("openai.types.realtime.session", "", "PYMODULE")]) == []


def test_every_program_that_is_run_by_name_exists() -> None:
    specs = {program: importlib.util.find_spec(program) for program in PROGRAMS}
    runs = {
        name: spec is not None
        and (spec.submodule_search_locations is None or importlib.util.find_spec(f"{name}.__main__") is not None)
        for name, spec in specs.items()
    }
    assert runs == dict.fromkeys(PROGRAMS, True)


def test_the_version_is_one_fact(script: Script) -> None:
    version = script("contents").project()["version"]
    page = json.loads((ROOT / "frontend" / "package.json").read_text("utf-8"))
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text("utf-8"))
    assert {page["version"], lock["version"], lock["packages"][""]["version"]} == {version}
    repeated = [path.name for path in (ROOT / "packaging").rglob("*") if path.is_file() and _names(path, version)]
    assert repeated == []


def _names(path: Path, version: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", path.read_text("utf-8", "replace")) is not None


def test_windows_shows_the_version(script: Script) -> None:
    text = script("package").version_info("outriderw")
    assert '"outriderw.exe"' in text
    version = script("contents").project()["version"]
    assert "@" not in text.partition("\n")[2]
    (keyword,) = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.keyword) and node.arg == "filevers"
    ]
    numbers = ast.literal_eval(keyword.value)
    assert ".".join(map(str, numbers[:3])) == version
    assert numbers[3] == 0
    assert text.count(f'"{version}"') == 2


def test_the_menu_entry_starts_the_command_and_shows_the_icon(script: Script) -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(LINUX / "outrider.desktop", encoding="utf-8")
    fields = dict(entry["Desktop Entry"])
    assert (fields["Type"], fields["Exec"], fields["Icon"], fields["Terminal"]) == (
        "Application",
        "outrider",
        "outrider",
        "false",
    )
    assert fields["StartupWMClass"] == "outrider"
    if validate := shutil.which("desktop-file-validate"):
        done = subprocess.run([validate, LINUX / "outrider.desktop"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


def test_the_sandbox_s_permission_is_for_the_programs_that_are_installed(script: Script) -> None:
    profile = (LINUX / "apparmor").read_text("utf-8")
    assert f"/{script('debian').HOME}/{{outrider,_internal/" in profile
    assert re.search(r"/etc/apparmor\.d/outrider$", (LINUX / "postinst").read_text("utf-8"), re.MULTILINE)
    assert re.search(r"/etc/apparmor\.d/outrider$", (LINUX / "prerm").read_text("utf-8"), re.MULTILINE)


def test_icons_hold_the_drawing_in_every_size_and_are_made_the_same_each_time(script: Script) -> None:
    icons = script("icons")
    windows, apple = icons.ico(), icons.icns()
    assert (windows, apple) == (icons.ico(), icons.icns())

    kind, count = struct.unpack("<HH", windows[2:6])
    assert (kind, count) == (1, len(icons.WINDOWS_SIZES))
    for position, size in enumerate(icons.WINDOWS_SIZES):
        side, _, _, _, _, depth, length, offset = struct.unpack_from("<BBBBHHII", windows, 6 + 16 * position)
        assert (side or 256, depth) == (size, 32)
        assert size_of(windows[offset : offset + length]) == size

    assert apple[:4] == b"icns"
    assert struct.unpack(">I", apple[4:8]) == (len(apple),)
    sizes, at = {}, 8
    while at < len(apple):
        (length,) = struct.unpack_from(">I", apple, at + 4)
        sizes[apple[at : at + 4].decode()] = size_of(apple[at + 8 : at + length])
        at += length
    assert sizes == icons.APPLE_SIZES


def size_of(png: bytes) -> int:
    """A square PNG's width; anything else fails."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    wide, high = struct.unpack_from(">II", png, 16)
    assert wide == high
    return int(wide)


def test_what_people_are_told_to_install_by_apt_can_be_installed(script: Script) -> None:
    """By Debian's own names, as a file only with its folder, and ours with the Node that it needs where the system's is old."""
    debian, setup = script("debian"), script("setup")
    names = {*debian.BROWSERS.split(" | "), *setup.WINDOW_LIBRARIES.values(), *setup.DESKTOP_PROGRAMS.values()}
    lines = [
        line.split()
        for path in project_files()
        if path.suffix in (".md", ".py") and path.relative_to(ROOT).parts[0] not in ("tests", "receipts")
        for line in re.findall(r"apt(?:-get)? install ((?:[a-z0-9./_*-]+ ?)+)", path.read_text("utf-8"))
    ]
    assert len(lines) >= 5
    for line in lines:
        files = [word for word in line if "deb" in word]
        assert {word for word in line if word not in files} <= names
        assert all(re.fullmatch(r"\./dist/outrider(-node)?_\*\.deb", word) for word in files)
        assert len(files) in (0, 2), "one without the other is not installed on Ubuntu"

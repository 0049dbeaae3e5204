"""No file of the project names the machine it was made on, or the server its packages came from."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Written in parts, so that this file does not find itself.
REGISTRIES = [
    "registry." + "npmjs.org",
    "registry." + "yarnpkg.com",
    "pypi" + ".org",
    "files.python" + "hosted.org",
    "npm.pkg." + "github.com",
    "artifact" + "ory",
]
MACHINE_PATHS = [
    r"(?<![\w.:$}~-])/" + r"(?:root|work)/\w",
    r"(?<![\w.:$}~-])/" + r"(?:home|Users)/\w",
    r"(?<![\w.:$}~-])/" + r"opt/(?:pypi|wheels)",
    r"\b[A-Z]:\\" + r"Users\\\w",
]
FORBIDDEN = re.compile("|".join([*map(re.escape, REGISTRIES), *MACHINE_PATHS]), re.IGNORECASE)
BINARY = {".png", ".ico", ".icns", ".jpg", ".woff2", ".wasm", ".zip", ".xlsx", ".gz", ".xz"}


def project_files() -> list[Path]:
    """What git tracks or would track."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    return [ROOT / name for name in names if Path(name).suffix not in BINARY and (ROOT / name).is_file()]


def test_no_file_names_a_registry_or_a_machine() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in project_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if (match := FORBIDDEN.search(line))
    ]
    assert findings == []


@pytest.mark.parametrize(
    "line",
    [
        '"resolved": "https://registry.' + 'npmjs.org/x.tgz"',
        "--index-url https://pypi" + ".org/simple",
        "open('/" + "root/notes.txt')",
        "cd /" + "work/main",
        "see /" + "home/someone/x",
        "C:\\" + "Users\\someone",
    ],
)
def test_what_is_looked_for_is_found(line: str) -> None:
    assert FORBIDDEN.search(line)


@pytest.mark.parametrize("line", ["frontend/home/index", "the net/work/flow", "~/work/x", "/usr/bin/env", "/home"])
def test_ordinary_text_is_left_alone(line: str) -> None:
    assert not FORBIDDEN.search(line)

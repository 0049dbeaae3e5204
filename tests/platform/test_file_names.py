"""What is committed can be checked out on every system: names that Windows takes, and that no system takes for another's."""

import subprocess
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.platform.portable_source import is_refused

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 140
"""Of the 260 letters that Windows takes for a whole path; the rest is left for the checkout's own place."""


def wrong_names(names: list[str]) -> list[str]:
    """Each with what is wrong; a folder is looked at with the files in it."""
    folders = {str(parent) for name in names for parent in Path(name).parents}
    spellings = Counter(_as_found(name) for name in {*names, *folders})
    reasons: dict[str, Callable[[str], bool]] = {
        "Windows refuses it": is_refused,
        "it is too long": lambda name: len(name) > LONGEST,
        "macOS writes it otherwise": lambda name: unicodedata.normalize("NFC", name) != name,
        "another differs by case alone": lambda name: any(
            spellings[_as_found(part)] > 1 for part in (name, *map(str, Path(name).parents))
        ),
    }
    return [f"{name}: {reason}" for name in names for reason, is_so in reasons.items() if is_so(name)]


def _as_found(name: str) -> str:
    """By which Windows and macOS find it."""
    return unicodedata.normalize("NFC", name).casefold()


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["docs/aux.md"], "Windows refuses it"),
        (["docs/what?.md"], "Windows refuses it"),
        (["docs./a.md", "b.md"], "Windows refuses it"),
        ([f"tests/{'a' * LONGEST}.py"], "it is too long"),
        (["tests/data/Mu\u0308ller.csv"], "macOS writes it otherwise"),
        (["docs/Guide.md", "docs/guide.md"], "another differs by case alone"),
        (["Docs/a.md", "docs/b.md"], "another differs by case alone"),
    ],
)
def test_a_wrong_name_is_noticed(names: list[str], reason: str) -> None:
    assert f"{names[0]}: {reason}" in wrong_names(names)


def test_our_names_are_right_everywhere() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    assert len(names) > 1_000
    assert wrong_names(names) == []

"""The built package on a real system: it installs, opens from its menu entry without Python, rehearses, and goes again."""

import configparser
import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from tests.bridge.opened import AS_ROOT, Opened, looking_into
from tests.e2e.using import drafts_wait, to_screen
from tests.packaging_ import installing
from tests.packaging_.conftest import ROOT

pytestmark = [
    pytest.mark.packaged,
    pytest.mark.skipif(shutil.which("dpkg") is None, reason="the package is Debian's"),
]

ENTRY = Path("/usr/share/applications/outrider.desktop")


@pytest.fixture(scope="module")
def before() -> set[str]:
    """Every path of the system before the package came."""
    assert not installing.installed_packages(), "another Outrider is installed; remove it first"
    paths = installing.everything()
    assert not [path for path in paths if "outrider" in path], "an earlier one has left something behind"
    return paths


@pytest.fixture(scope="module")
def installed(before: set[str]) -> Iterator[None]:
    packages = sorted((ROOT / "dist").glob(f"outrider*_{version('outrider')}_*.deb"))
    assert len(packages) == 2
    installing.dpkg("--install", *map(str, packages))
    yield
    for package in installing.installed_packages():
        installing.dpkg("--remove", package)


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Surroundings without Python, Node or anything else on the PATH, and an empty home."""
    (tmp_path / "home").mkdir()
    return {"PATH": "/nopython", "HOME": str(tmp_path / "home")}


def test_it_installs_whole(installed: None) -> None:
    for package in installing.installed_packages():
        assert installing.dpkg("--verify", package) == ""
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(ENTRY, encoding="utf-8")
    assert shutil.which(entry["Desktop Entry"]["Exec"], path="/usr/bin") == "/usr/bin/outrider"
    icon = entry["Desktop Entry"]["Icon"]
    assert list(Path("/usr/share/icons/hicolor").glob(f"*/apps/{icon}.svg"))
    assert len(list(Path("/usr/share/icons/hicolor").glob(f"*/apps/{icon}.png"))) == 3
    paths = [Path(path) for path in installing.dpkg("--listfiles", "outrider").splitlines()]
    own_paths = [path for path in paths if "outrider" in str(path)]
    assert [
        path for path in own_paths if not path.is_symlink() and (path.lstat().st_uid or path.lstat().st_mode & 0o022)
    ] == []


def test_nothing_in_it_says_where_it_was_made(installed: None) -> None:
    process = subprocess.run(
        ["grep", "--recursive", "--files-with-matches", "--fixed-strings", str(ROOT), "/usr/lib/outrider"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout) == (1, "")


def test_its_menu_entry_opens_the_window_and_a_rehearsal_runs(
    installed: None, bare: dict[str, str], tmp_path: Path, playwright: Playwright
) -> None:
    with installing.screen() as display:
        window = Opened(
            Path(bare["HOME"]), tmp_path / "window.txt", ["/usr/bin/outrider"], {**bare, "DISPLAY": display}
        )
        try:
            with looking_into(window, playwright) as page:
                page.get_by_role("button", name="Start the rehearsal").click(timeout=30_000)
                to_screen(page, "Review")
                drafts_wait(page, 12)
                programs = installing.descendants(window.process.pid)
                check_programs(programs)
                expect(page.get_by_role("button", name="Approve").first).to_be_enabled()
            status, output = window.end()
        finally:
            window.process.kill()
            window.process.communicate()
    assert (status, output) == (0, "")
    assert [pid for pid, program in programs.items() if running(pid, program)] == []
    home = Path(bare["HOME"])
    folders = [path for path in (*home.glob(".*/*"), *home.glob(".*/*/*")) if "outrider" in path.name.lower()]
    assert {path.relative_to(home).as_posix() for path in folders} == {
        ".cache/outrider",
        ".local/share/Outrider",
        ".local/state/Outrider-accounts",
    }


def check_programs(programs: dict[int, Path]) -> None:
    """The practice network is the executable itself, the browser the system's with nothing of ours in its surroundings."""
    inside = [path for path in programs.values() if path.as_posix().startswith("/usr/lib/outrider")]
    assert {path.name for path in inside} == {"outrider", "node", "QtWebEngineProcess"}
    assert Path("/usr/lib/outrider-node/node") in inside
    browsers = {pid: path for pid, path in programs.items() if path not in inside}
    assert browsers
    assert [path for path in browsers.values() if "python" in path.name] == []
    for pid in browsers:
        assert b"LD_LIBRARY_PATH" not in Path(f"/proc/{pid}/environ").read_bytes()


def running(pid: int, program: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() == program
    except OSError:
        return False


def test_its_command_line_finishes_a_rehearsal_with_the_systems_own_node(
    installed: None, bare: dict[str, str], tmp_path: Path
) -> None:
    node = shutil.which("node")
    assert node is not None, "the page was built with it"
    only_node = tmp_path / "only-node"
    only_node.mkdir()
    (only_node / "node").symlink_to(node)
    installing.dpkg("--remove", "--force-depends", "outrider-node")

    def told(*arguments: str, path: str = str(only_node)) -> dict[str, object]:
        command = ["/usr/bin/outrider", *arguments, "--json"]
        surroundings = {**bare, **AS_ROOT, "PATH": path}
        done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return answer

    rehearsal = told("rehearse", "--auto-approve", "--headless", "--max-leads", "3")
    assert rehearsal["status"] == "completed"
    assert told("replay", "--check")
    script = tmp_path / "count.py"
    script.write_text("result = len(leads())")
    counted = told("script", "run", str(script), "--campaign", str(rehearsal["campaign"]), "--approve")
    assert counted["result"] == 3
    doctor = told("doctor", path=f"{only_node}:/usr/bin")  # it asks the system's loader what the window misses
    assert doctor["ok"] is True
    checks = doctor["checks"]
    assert isinstance(checks, list)
    assert {check["code"]: check["status"] for check in checks}["window"] == "ok"
    assert str(only_node) in {check["code"]: check["said"] for check in checks}["node"]


def test_it_is_removed_without_a_trace(installed: None, before: set[str]) -> None:
    assert "/usr/bin/outrider" in installing.everything() - before
    for package in installing.installed_packages():
        installing.dpkg("--remove", package)
    assert not installing.installed_packages()
    after = installing.everything()
    assert (after - before, before - after) == (set(), set())
    assert list(Path("/var/lib/dpkg/info").glob("outrider.*")) == []

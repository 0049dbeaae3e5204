"""Which browser is used, and when a profile is free."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backend.adapters.browser import chromium
from backend.adapters.browser.chromium import BrowserChoice, find_browser, forbid_loading_ahead, free_profile, holders
from backend.domain.values.errors import OutriderError
from backend.runtime import doctor
from tests.patience import PATIENCE
from tests.posix import file_socket


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_users_own_choice_comes_first(tmp_path: Path) -> None:
    chosen, other = program(tmp_path / "mine"), program(tmp_path / "bin/google-chrome")
    environ = {"OUTRIDER_BROWSER": str(chosen), "PATH": str(other.parent)}
    assert find_browser(environ, "linux") == chosen
    with pytest.raises(OutriderError) as wrong:
        find_browser({**environ, "OUTRIDER_BROWSER": "/nowhere/chrome"}, "linux")
    assert wrong.value.code == "browser_unusable"


def test_a_browser_chosen_in_settings_is_used_and_never_silently_another(tmp_path: Path) -> None:
    chosen, other = program(tmp_path / "mine"), program(tmp_path / "bin/google-chrome")
    environ = {"PATH": str(other.parent)}
    assert find_browser(environ, "linux", chosen=str(chosen)) == chosen
    chosen.unlink()
    with pytest.raises(OutriderError) as gone:
        find_browser(environ, "linux", chosen=str(chosen))
    assert gone.value.code == "browser_unusable"


@pytest.mark.posix
def test_only_a_browser_can_be_chosen_and_the_choice_can_be_taken_back(tmp_path: Path) -> None:
    choice, browser = BrowserChoice(tmp_path), program(tmp_path / "my-chromium")
    browser.write_text("#!/bin/sh\necho Chromium 141.0\n")
    assert choice.chosen == ""
    choice.choose(str(browser))
    assert (BrowserChoice(tmp_path).chosen, choice.program()) == (str(browser), browser)
    for wrong in ("chrome", str(tmp_path / "chrome"), str(program(tmp_path / "chromium-other"))):
        with pytest.raises(OutriderError) as refused:
            choice.choose(wrong)
        assert refused.value.code == "browser_unusable"
    assert choice.chosen == str(browser)
    choice.choose("")
    assert choice.chosen == ""


@pytest.mark.posix
def test_a_program_that_is_not_named_like_a_browser_is_never_started(tmp_path: Path) -> None:
    started, other = tmp_path / "started", program(tmp_path / "tool")
    other.write_text(f"#!/bin/sh\n: > '{started}'\necho Chromium 141.0\n")
    with pytest.raises(OutriderError) as refused:
        BrowserChoice(tmp_path).choose(str(other))
    assert "not named like" in refused.value.sentence
    assert not started.exists()
    named = other.rename(tmp_path / "Google Chrome")
    BrowserChoice(tmp_path).choose(str(named))
    assert started.exists()


@pytest.mark.parametrize("name", ["google-chrome", "chromium", "chromium-browser", "microsoft-edge"])
def test_a_browser_on_the_path_is_found(tmp_path: Path, name: str) -> None:
    expected = program(tmp_path / "bin" / name)
    assert find_browser({"PATH": str(expected.parent)}, "none") == expected


def test_a_snap_is_the_last_resort(tmp_path: Path) -> None:
    snap = program(tmp_path / "snap" / "bin" / "google-chrome")
    own = program(tmp_path / "home/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome")
    environ = {"PATH": str(snap.parent), "PLAYWRIGHT_BROWSERS_PATH": str(own.parents[2])}
    assert find_browser(environ, "win32" if sys.platform == "win32" else "darwin") == snap
    program(own.parents[2] / "chromium-999/chrome-linux/chrome")
    assert find_browser({**environ, "PATH": ""}, "linux") in (own, Path("/usr/lib/chromium/chromium"))


def test_a_browser_in_its_usual_place_is_found(tmp_path: Path) -> None:
    edge = program(tmp_path / "Microsoft/Edge/Application/msedge.exe")
    assert find_browser({"PATH": "", "PROGRAMFILES(X86)": str(tmp_path)}, "win32") == edge
    chrome = program(tmp_path / "Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    assert find_browser({"PATH": "", "HOME": str(tmp_path)}, "darwin") == chrome


def test_no_browser_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(OutriderError) as missing:
        find_browser({"PATH": ""}, "none")
    assert missing.value.code == "browser_missing"
    assert missing.value.remedy


def sleeper(*words: str) -> "subprocess.Popen[bytes]":
    """A process that looks like a browser to whoever reads its command line."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", *words])
    while not holders(Path(words[0].partition("=")[2])):
        time.sleep(0.01)
    return process


@pytest.mark.posix
def test_the_locks_of_a_dead_browser_are_cleared(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to("another-host-1")
    (tmp_path / "SingletonSocket").symlink_to("/nowhere/SingletonSocket")
    free_profile(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix
def test_an_orphan_of_ours_is_waited_for_and_then_ended(tmp_path: Path) -> None:
    with sleeper(f"--user-data-dir={tmp_path}", "--remote-debugging-pipe") as orphan:
        free_profile(tmp_path, by_itself=0.2)
        assert orphan.wait(PATIENCE) != 0


@pytest.mark.posix
@pytest.mark.parametrize("words", [(), ("--remote-debugging-port=1",)])
def test_a_window_that_the_user_opened_is_never_ended(tmp_path: Path, words: tuple[str, ...]) -> None:
    with sleeper(f"--user-data-dir={tmp_path}", *words) as window:
        with pytest.raises(OutriderError) as refusal:
            free_profile(tmp_path, by_itself=0.2)
        assert refusal.value.code == "browser_profile_in_use"
        assert window.poll() is None
        window.kill()


@pytest.mark.posix
def test_a_browser_on_another_profile_does_not_matter(tmp_path: Path) -> None:
    other = tmp_path / "profile-2"
    with sleeper(f"--user-data-dir={other}", "--remote-debugging-pipe") as neighbour:
        free_profile(tmp_path / "profile", by_itself=0.2)
        assert neighbour.poll() is None
        neighbour.kill()


@pytest.mark.posix
def test_a_profile_is_held_while_somebody_answers_at_its_socket(tmp_path: Path) -> None:
    with file_socket() as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        (tmp_path / "SingletonSocket").symlink_to(tmp_path / "socket")
        with pytest.raises(OutriderError, match="another program is using its profile"):
            free_profile(tmp_path, by_itself=0.2)


DENIED = """#!/bin/sh
case "$*" in *--version*) echo Chromium 141.0; exit;; *--no-sandbox*) exit;; esac
echo '[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! See the browser has been closed' >&2; exit 133
"""


@pytest.mark.posix
@pytest.mark.skipif(sys.platform != "linux", reason="no other system denies it one")
@pytest.mark.parametrize(("user", "status"), [(1000, "fail"), (0, "ok")])
def test_doctor_names_a_browser_whose_sandbox_the_system_denies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, status: str
) -> None:
    """Ubuntu 24.04 with Playwright's Chromium, for which no package brought a permission; root's has none anywhere."""
    browser = program(tmp_path / "chromium")
    browser.write_text(DENIED)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    check = doctor.browser(str(browser))
    assert check.status == status
    if status == "fail":
        assert "denies it the sandbox" in check.said
        assert "Google Chrome" in check.remedy


@pytest.mark.posix
def test_a_browser_that_takes_long_to_start_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = program(tmp_path / "chromium")
    browser.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(chromium, "VERSION_SECONDS", 0.1)
    assert chromium.why_no_start(browser) == ""


@pytest.mark.parametrize(
    "content",
    [None, "", "{", "[1]", "7", "[" * 100_000, '{"net": 1}', '{"net": [1]}', '{"net": {"of": 2}, "a": 1}'],
    ids=lambda content: str(content)[:12],
)
def test_loading_ahead_is_forbidden_whatever_a_profile_says_and_all_else_stays(
    tmp_path: Path, content: str | None
) -> None:
    preferences = tmp_path / "Default" / "Preferences"
    if content is not None:
        preferences.parent.mkdir()
        preferences.write_text(content)
    for _ in range(2):
        forbid_loading_ahead(tmp_path)
        never = {"network_prediction_options": 2}
        stays = content is not None and '"a"' in content
        expected = {"net": {"of": 2, **never}, "a": 1} if stays else {"net": never}
        assert json.loads(preferences.read_text()) == expected

"""Where the locks on accounts and the caches are: outside of the default data folder on each system, and where the user says."""

import sys
from pathlib import Path

import platformdirs
import pytest
from platformdirs import windows
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from backend.adapters.sandbox.runtime import usual_folder
from backend.machine import settings
from backend.machine.settings import read_settings

PLATFORMS: dict[type[MacOS | Unix | Windows], str] = {MacOS: "darwin", Unix: "linux", Windows: "win32"}


@pytest.mark.parametrize("system", PLATFORMS)
def test_the_default_is_outside_of_the_default_data_folder(
    system: type[MacOS | Unix | Windows], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(windows, "get_win_folder", lambda name: str(tmp_path / name))  # only Windows itself knows it
    monkeypatch.setattr(settings, "user_data_path", lambda name, appauthor: system(name, appauthor).user_data_path)
    monkeypatch.setattr(settings, "user_state_path", lambda name, appauthor: system(name, appauthor).user_state_path)
    monkeypatch.setattr(
        platformdirs, "user_cache_path", lambda name, appauthor: system(name, appauthor).user_cache_path
    )
    chosen = read_settings({})
    with monkeypatch.context() as there:
        there.setattr(sys, "platform", PLATFORMS[system])
        caches = usual_folder()
    assert caches.is_relative_to(tmp_path)
    assert not lowered(caches).is_relative_to(lowered(chosen.data_dir)), (
        "macOS and Windows know one folder by other letters"
    )
    assert not lowered(chosen.data_dir).is_relative_to(lowered(caches))
    assert chosen.data_dir.is_relative_to(tmp_path)
    assert chosen.accounts_dir.is_relative_to(tmp_path)
    assert not chosen.accounts_dir.is_relative_to(chosen.data_dir)
    if system is Windows:
        for folder in (chosen.data_dir, chosen.accounts_dir):
            assert folder.parent == tmp_path / "CSIDL_LOCAL_APPDATA", (
                "a profile that roams would be copied to each computer"
            )
    assert not chosen.accounts_dir.exists(), "it is made once something acts"


def test_the_users_own_is_taken_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = read_settings({"OUTRIDER_ACCOUNTS_DIR": "accounts"}, tmp_path / "data")
    assert chosen.accounts_dir == tmp_path / "accounts"


def lowered(path: Path) -> Path:
    return Path(str(path).lower())

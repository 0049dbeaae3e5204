"""A secret shows itself to nobody by accident, and every place for secrets says in words why it cannot give or take one."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked, PasswordSetError

from backend.adapters.credentials import keychain
from backend.adapters.credentials.environment import Environment
from backend.adapters.credentials.keychain import ALLOWED, Keychain, system_keychain
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
from tests.patience import PATIENCE

CANARY = "sk-canary-51f0"


def test_a_secret_shows_itself_only_by_name() -> None:
    secret = Secret(CANARY)
    for shown in (
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret:>40}",
        str([secret]),
        ", ".join(map(str, [secret])),
    ):
        assert CANARY not in shown
    assert secret.reveal() == CANARY
    assert not hasattr(secret, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert secret == Secret(CANARY) != Secret("other")


def test_the_environment_gives_and_takes_nothing() -> None:
    environment = Environment({"OUTRIDER_KEY_OPENAI": CANARY, "OPENAI_API_KEY": "not ours", "OUTRIDER_KEY_EMPTY": ""})
    assert environment.get("openai") == Secret(CANARY)
    assert environment.get("empty") is None
    assert "OUTRIDER_KEY_OPENAI" in environment.where("openai")
    acts: list[Callable[[], object]] = [
        lambda: environment.put("openai", Secret("x")),
        lambda: environment.forget("openai"),
    ]
    for act in acts:
        with pytest.raises(OutriderError, match="key_read_only"):
            act()
    environment.forget("empty")


class Broken(KeyringBackend):
    """Fails in the given way, quoting what it was given."""

    priority = 1

    error: type[Exception] = OSError

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error(f"no {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.error(f"no {username} {password}")

    def delete_password(self, service: str, username: str) -> None:
        raise self.error(f"no {username}")


def failing(error: type[Exception]) -> Any:
    return type("Failing", (Broken,), {"error": error})


def keyrings() -> list[Any]:
    classes: list[Any] = [NoKeyring, NullKeyring, Broken]
    return [keyring_class() for keyring_class in classes]


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyringLocked, "keychain_locked"), (PasswordSetError, "keychain_failed"), (OSError, "keychain_failed")],
)
def test_a_keychain_that_fails_says_so_without_the_secret(error: type[Exception], code: str) -> None:
    broken = Keychain(failing(error))
    acts: list[Callable[[], object]] = [
        lambda: broken.get("a"),
        lambda: broken.put("a", Secret(CANARY)),
        lambda: broken.forget("a"),
    ]
    for act in acts:
        with pytest.raises(OutriderError) as caught:
            act()
        assert caught.value.code == code
        assert caught.value.__suppress_context__
        assert CANARY not in str(caught.value)


def test_a_machine_without_a_keychain_says_so() -> None:
    missing: Any = NoKeyring
    acts: list[Callable[[], object]] = [
        lambda: Keychain(missing).get("a"),
        lambda: Keychain(missing).put("a", Secret(CANARY)),
    ]
    for act in acts:
        with pytest.raises(OutriderError, match="keychain_missing"):
            act()


def test_only_a_keychain_of_the_system_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyring.backend.get_all_keyring", keyrings)
    with pytest.raises(OutriderError, match="keychain_missing"):
        system_keychain()
    monkeypatch.setitem(ALLOWED, Broken.__module__, "a test's")
    assert isinstance(system_keychain(), Broken)


def test_what_windows_keeps_stays_on_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default its credential manager takes it along to each computer of a company where the user signs in."""
    windows = type("WinVaultKeyring", (Broken,), {"persist": "enterprise", "__module__": "keyring.backends.Windows"})
    monkeypatch.setattr("keyring.backend.get_all_keyring", lambda: [windows()])
    assert vars(system_keychain())["persist"] == "local machine"


_REAL = """
from backend.adapters.credentials.keychain import Keychain
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
chain = Keychain()
assert chain.get("openai") is None
chain.put("openai", Secret("first")); chain.put("openai", Secret("second"))
assert chain.get("openai").reveal() == "second"
assert "keyring" in chain.where("openai"), chain.where("openai")
chain.forget("openai"); chain.forget("openai")
assert chain.get("openai") is None
print("kept and forgotten")
"""

_LOCKED = """
from backend.adapters.credentials.keychain import Keychain
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret
try:
    Keychain().put("openai", Secret("x"))
except OutriderError as error:
    print(error.code)
"""


def in_a_desktop(script: str, home: Path, unlock: str) -> str:
    environ = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    environ.pop("DISPLAY", None)
    environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    command = f'{unlock}; "$0" -c "$1"'
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", command, sys.executable, script],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=Path(keychain.__file__).parents[3],
    )
    return done.stdout or done.stderr


_SEALED = """
import sys
from pathlib import Path
from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.keychain import Keychain
from backend.adapters.credentials.sealed_files import SealedFolder
files = SealedFolder(DeviceKey(Path.home() / "sealed", Keychain()))
before = files.read("session")
files.write("session", b"a session of several thousand bytes" * 100)
print(None if before is None else len(before), files.where())
"""


desktop = pytest.mark.skipif(
    not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
    reason="no Secret Service on this machine",
)
UNLOCK = "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1"


@desktop
def test_the_real_secret_service_keeps_and_forgets(tmp_path: Path) -> None:
    assert "kept and forgotten" in in_a_desktop(_REAL, tmp_path, UNLOCK)


@desktop
def test_the_real_secret_service_keeps_the_key_to_sealed_files(tmp_path: Path) -> None:
    first, second = (in_a_desktop(_SEALED, tmp_path, UNLOCK).split(maxsplit=1) for _ in range(2))
    assert (first[0], second[0]) == ("None", "3500")
    assert "keyring" in second[1]


@desktop
def test_a_locked_secret_service_says_so(tmp_path: Path) -> None:
    assert "kept and forgotten" in in_a_desktop(_REAL, tmp_path, UNLOCK)
    wrong = "printf wrong | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1"
    assert in_a_desktop(_LOCKED, tmp_path, wrong).strip() in ("keychain_locked", "keychain_failed")

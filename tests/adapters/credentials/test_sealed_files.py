"""A sealed file opens on its device by its name, or says that it does not; never does it give anything else."""

import errno
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked

from backend.adapters.credentials.device_key import NOTE, DeviceKey
from backend.adapters.credentials.sealed_files import SealedFolder
from backend.domain.values.errors import OutriderError
from backend.ports.sealed_files import SealedFiles
from tests.fakes.keychain import CHEAP, MemoryKeyring, keychain_of, no_keychain

PASSPHRASE = "four words that stay"
CONTENT = b"refresh-token-canary"


def folder_of(path: Path, keyring: MemoryKeyring | None = None) -> tuple[DeviceKey, SealedFiles]:
    """As at the start of a program."""
    device = DeviceKey(path / "sealed", keychain_of(keyring) if keyring else no_keychain(), CHEAP)
    return device, SealedFolder(device)


def code_of(act: Callable[[], object]) -> str:
    with pytest.raises(OutriderError) as caught:
        act()
    return caught.value.code


def test_with_a_keychain_nothing_is_asked_and_the_next_start_reads_it(tmp_path: Path) -> None:
    keyring = MemoryKeyring()
    _, files = folder_of(tmp_path, keyring)
    assert files.read("session") is None
    assert not keyring.kept
    files.write("session", b"first")
    files.write("session", CONTENT)
    device, files = folder_of(tmp_path, keyring)
    assert device.locked() is None
    assert files.read("session") == CONTENT
    [(name, key)] = keyring.kept.items()
    assert name.startswith("device-key-")
    assert len(bytes.fromhex(key)) == 32
    for file in (tmp_path / "sealed").iterdir():
        assert CONTENT not in file.read_bytes()
        assert bytes.fromhex(key) not in file.read_bytes()
        assert key not in file.read_text(errors="replace")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "sealed").stat().st_mode) == 0o700
    files.remove("session")
    files.remove("session")
    assert files.read("session") is None


def test_two_data_folders_do_not_share_a_key(tmp_path: Path) -> None:
    keyring = MemoryKeyring()
    for name in "ab":
        folder_of(tmp_path / name, keyring)[1].write("session", CONTENT)
    assert len(set(keyring.kept)) == len(set(keyring.kept.values())) == 2
    foreign = (tmp_path / "a" / "sealed" / "session").read_bytes()
    (tmp_path / "b" / "sealed" / "session").write_bytes(foreign)
    assert code_of(lambda: folder_of(tmp_path / "b", keyring)[1].read("session")) == "sealed_file_damaged"


def test_every_flipped_byte_and_every_cut_is_refused(tmp_path: Path) -> None:
    _, files = folder_of(tmp_path, MemoryKeyring())
    files.write("session", CONTENT)
    file = tmp_path / "sealed" / "session"
    whole = file.read_bytes()
    damaged = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    for content in [*damaged, *(whole[:at] for at in range(len(whole))), whole + b"\0"]:
        file.write_bytes(content)
        assert code_of(lambda: files.read("session")) == "sealed_file_damaged"
    file.write_bytes(whole)
    assert files.read("session") == CONTENT


def test_a_file_under_another_name_is_refused(tmp_path: Path) -> None:
    _, files = folder_of(tmp_path, MemoryKeyring())
    files.write("session", CONTENT)
    (tmp_path / "sealed" / "session").rename(tmp_path / "sealed" / "data-key")
    assert code_of(lambda: files.read("data-key")) == "sealed_file_damaged"


@pytest.mark.parametrize("name", ["../outside", "device.json", "", "a/b"])
def test_a_name_is_a_name_and_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=name.replace(".", r"\.") or "^$"):
        folder_of(tmp_path, MemoryKeyring())[1].write(name, CONTENT)


def test_without_a_keychain_the_passphrase_is_asked_for_at_each_start(tmp_path: Path) -> None:
    device, files = folder_of(tmp_path)
    for act in (
        lambda: files.write("session", CONTENT),
        lambda: files.read("session"),
        lambda: files.remove("session"),
    ):
        assert code_of(act) == "vault_locked"
    assert not (tmp_path / "sealed").exists()
    assert code_of(lambda: device.unlock("too short")) == "passphrase_short"
    device.unlock(PASSPHRASE)
    files.write("session", CONTENT)

    device, files = folder_of(tmp_path)
    assert "passphrase" in files.where()
    assert code_of(lambda: files.read("session")) == "vault_locked"
    assert code_of(lambda: files.write("session", b"")) == "vault_locked"
    assert code_of(lambda: device.unlock(PASSPHRASE + "!")) == "passphrase_wrong"
    assert device.locked() is not None
    device.unlock(PASSPHRASE)
    assert device.locked() is None
    assert files.read("session") == CONTENT
    stored = (tmp_path / "sealed" / NOTE).read_text()
    assert PASSPHRASE not in stored


def test_a_note_that_was_changed_opens_nothing(tmp_path: Path) -> None:
    device, _ = folder_of(tmp_path)
    device.unlock(PASSPHRASE)
    note = tmp_path / "sealed" / NOTE
    whole = note.read_text()
    for before, after, code in (
        ('"memory_kib":19456', '"memory_kib":8', "vault_parameters_refused"),
        ('"memory_kib":19456', '"memory_kib":99999999', "vault_parameters_refused"),
        ('"lanes":1', '"lanes":2', "passphrase_wrong"),
        ('"salt":"', '"salt":"x', "sealed_file_damaged"),
        ("{", "", "sealed_file_damaged"),
    ):
        note.write_text(whole.replace(before, after, 1))
        assert code_of(lambda: folder_of(tmp_path)[0].unlock(PASSPHRASE)) == code
    folder = whole.partition('"folder":"')[2][:4]
    note.write_text(whole.replace(folder, folder[::-1], 1))
    assert folder == folder[::-1] or code_of(lambda: folder_of(tmp_path)[0].unlock(PASSPHRASE)) == "passphrase_wrong"


def test_a_locked_keychain_is_waited_for_and_no_second_key_is_made(tmp_path: Path) -> None:
    keyring = MemoryKeyring()
    folder_of(tmp_path, keyring)[1].write("session", CONTENT)
    _, files = folder_of(tmp_path, keyring)
    keyring.broken = KeyringLocked()
    assert code_of(lambda: files.read("session")) == "keychain_locked"
    assert code_of(lambda: files.write("session", b"new")) == "keychain_locked"
    keyring.broken = None
    assert files.read("session") == CONTENT
    assert len(keyring.kept) == 1


def test_a_keychain_that_is_gone_is_not_replaced_by_a_passphrase(tmp_path: Path) -> None:
    folder_of(tmp_path, MemoryKeyring())[1].write("session", CONTENT)
    device, files = folder_of(tmp_path)
    for act in (lambda: files.read("session"), lambda: device.unlock(PASSPHRASE)):
        assert code_of(act) == "keychain_missing"


def test_what_a_lost_key_sealed_is_refused_and_a_new_one_begins(tmp_path: Path) -> None:
    keyring = MemoryKeyring()
    folder_of(tmp_path, keyring)[1].write("session", CONTENT)
    keyring.kept.clear()
    _, files = folder_of(tmp_path, keyring)
    assert code_of(lambda: files.read("session")) == "sealed_file_damaged"
    files.write("session", b"signed in again")
    assert folder_of(tmp_path, keyring)[1].read("session") == b"signed in again"


def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = MemoryKeyring()
    _, files = folder_of(tmp_path, keyring)
    files.write("session", CONTENT)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        assert code_of(lambda: files.write("session", b"new")) == "sealed_file_failed"
        assert code_of(lambda: folder_of(tmp_path / "new", keyring)[1].write("session", b"new")) == "sealed_file_failed"
    assert folder_of(tmp_path, keyring)[1].read("session") == CONTENT

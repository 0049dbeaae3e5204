"""A data folder on another computer is told as that, by what each system says of it, and not as damaged."""

import errno
import os
import sqlite3
import struct
import sys
from pathlib import Path

import pytest

from backend.adapters import instance_lock
from backend.adapters.instance_lock import InstanceLock
from backend.domain.device.network_folder import (
    LONGEST_INSIDE,
    is_mounted_from_network,
    is_on_network,
    is_remote_on_macos,
    is_too_long_for_windows,
    syncing_program,
)
from backend.domain.values.errors import OutriderError
from backend.machine.network_drive import is_network_drive
from backend.machine.settings import read_settings
from backend.runtime import doctor
from backend.store import database
from backend.store.database import Database, coded

DRIVES = {"C:\\": 3, "D:\\": 2, "Z:\\": 4}


@pytest.mark.parametrize(
    ("folder", "on_network"),
    [
        (r"C:\Data\me\Outrider", False),
        ("C:/Data/me/Outrider", False),
        (r"D:\stick", False),
        (r"\\?\C:\Data\me", False),
        (r"\\.\C:\Data\me", False),
        (r"Z:\Outrider", True),
        (r"\\?\Z:\Outrider", True),
        (r"\\server\share\Outrider", True),
        ("//server/share/Outrider", True),
        (r"\\?\UNC\server\share\Outrider", True),
        (r"\\wsl.localhost\Ubuntu\home\me", True),
    ],
)
def test_a_folder_is_on_the_network(folder: str, on_network: bool) -> None:
    assert is_on_network(folder, DRIVES.__getitem__) == on_network


MOUNTS = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:50 / /mnt/nas rw,relatime shared:20 - nfs4 nas:/volume1 rw,vers=4.2
41 27 0:51 / /mnt/our\040share rw,relatime shared:21 - cifs //nas/share rw
42 40 254:1 / /mnt/nas/local rw,relatime - xfs /dev/vdb rw
43 27 0:52 / /srv/me/far rw,nosuid,nodev - fuse.sshfs me@far:/ rw,user_id=1000
44 27 0:53 / /srv/me/late rw - nfs nas:/late rw
45 27 254:2 / /srv/me/late rw - ext4 /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("folder", "on_network"),
    [
        ("/srv/me/.local/share/outrider", False),
        ("/mnt/nas", True),
        ("/mnt/nas/outrider", True),
        ("/mnt/nas-too/outrider", False),
        ("/mnt/our share/outrider", True),
        ("/mnt/nas/local/outrider", False),
        ("/srv/me/far/outrider", True),
        ("/srv/me/late/outrider", False),
    ],
)
def test_a_folder_is_mounted_from_the_network_on_linux(folder: str, on_network: bool) -> None:
    assert is_mounted_from_network(folder, MOUNTS) == on_network


@pytest.mark.parametrize(
    ("kind", "flags", "on_network"),
    [
        (b"apfs", 0x0480_1000, False),
        (b"smbfs", 0x0000_0008, True),
        (b"nfs", 0x0000_0018, True),
        (b"msdos", 0x1000, False),
    ],
)
def test_a_folder_is_mounted_from_the_network_on_macos(kind: bytes, flags: int, on_network: bool) -> None:
    statfs = struct.pack(
        "<Ii5Q2iIIII16s1024s1024s8I", 4096, 1 << 20, *[1] * 5, 1, 2, 501, 26, flags, 0, kind, b"/", b"/", *[0] * 8
    )
    assert is_remote_on_macos(statfs) == on_network


def test_the_temporary_folder_is_on_this_computer(tmp_path: Path) -> None:
    assert not is_network_drive(tmp_path)
    assert not is_network_drive(tmp_path / "not" / "there")


@pytest.mark.parametrize(
    ("folder", "program"),
    [
        ("C:\\Users\\Zoë\\OneDrive - Contoso\\Documents\\Outrider", "OneDrive"),
        ("C:\\Users\\Zoë\\AppData\\Local\\Outrider", ""),
        ("/Volumes/Data/Library/Mobile Documents/com~apple~CloudDocs/Outrider", "iCloud Drive"),
        ("/Volumes/Data/Library/CloudStorage/GoogleDrive-zoe@example.com/My Drive/x", "Google Drive"),
        ("/srv/Dropbox (Contoso)/outrider", "Dropbox"),
        ("/srv/Dropboxes/outrider", ""),
    ],
)
def test_a_folder_that_a_program_copies_to_other_computers_is_known_by_its_name(folder: str, program: str) -> None:
    """Placeholders whose content is elsewhere, a database copied while it is written, an older one put back: all of that."""
    assert syncing_program(folder) == program


def test_the_doctor_warns_of_a_data_folder_in_such_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "OneDrive" / "Outrider"
    folder.mkdir(parents=True, mode=0o700)
    check = doctor.folder(read_settings(data_dir=folder))
    assert (check.status, "OneDrive copies" in check.said) == ("warn", True)


@pytest.fixture
def on_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (database, instance_lock, doctor):
        monkeypatch.setattr(module, "is_network_drive", lambda _: True)


@pytest.mark.usefixtures("on_network")
def test_what_looks_like_damage_there_is_not_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "outrider.db"
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    with pytest.raises(OutriderError) as refused:
        Database(path)
    assert refused.value.code == "on_network_drive"
    assert "copy its whole folder" in refused.value.remedy


@pytest.mark.usefixtures("on_network")
def test_a_full_disk_there_is_still_full(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    with pytest.raises(OutriderError) as refused, coded(tmp_path / "outrider.db"):
        raise error
    assert refused.value.code == "database_full"


@pytest.mark.usefixtures("on_network")
def test_a_lock_that_it_does_not_know_is_told_with_where_the_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(instance_lock, "lock_folder", refuse)
    with pytest.raises(OutriderError) as refused, InstanceLock(tmp_path):
        pass
    assert refused.value.code == "on_network_drive"
    settings = read_settings(data_dir=tmp_path)
    assert doctor.instance(settings).status == "fail", "nobody runs on it"
    assert "another computer" in doctor.folder(settings).said


def test_a_folder_too_deep_for_windows_is_told_before_its_files_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_too_long_for_windows(r"C:\Data\a-name-of-20-letters\AppData\Local\Outrider")
    folder = tmp_path / ("x" * 100)
    folder.mkdir(mode=0o700)
    settings = read_settings(data_dir=folder)
    assert doctor.folder(settings).status == "ok"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "win32")
    check = doctor.folder(settings)
    assert (check.status, "Windows does not open" in check.said) == ("warn", True)


def test_the_longest_name_of_ours_is_within_what_is_counted() -> None:
    longest = Path("unfinished", "f" * 16, "data", "outrider.db-journal"), Path("evidence", "ff", f"{'f' * 64}.png")
    assert max(len(str(path)) for path in longest) <= LONGEST_INSIDE


@pytest.mark.parametrize(("profile", "status"), [("profile", "ok"), ("another", "warn")])
def test_on_windows_a_folder_outside_of_the_profile_is_told_to_be_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, status: str
) -> None:
    """There a folder has the rights of the one above it, and only the profile's are the user's alone."""
    (folder := tmp_path / "profile" / "Outrider").mkdir(parents=True, mode=0o700)
    settings = read_settings(data_dir=folder)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / profile))
    monkeypatch.setattr(sys, "platform", "win32")
    assert doctor.folder(settings).status == status

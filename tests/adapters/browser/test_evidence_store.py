"""Evidence is named by what it holds, and nothing else is taken for it."""

import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from backend.adapters.files.evidence import EvidenceStore
from backend.domain.values.errors import OutriderError

PICTURE = b"\x89PNG picture"


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path / "data" / "evidence")


def test_what_is_kept_is_read_back(store: EvidenceStore) -> None:
    evidence = store.keep("thread", PICTURE, "hello")
    name = sha256(PICTURE).hexdigest()
    assert (evidence.kind, evidence.sha256, evidence.quote) == ("thread", name, "hello")
    assert evidence.file == f"{name[:2]}/{name}.png"
    assert store.read(evidence.file) == PICTURE
    assert store.keep("thread", PICTURE, "hello") == evidence


@pytest.mark.posix  # modes
def test_only_this_user_can_read_it(store: EvidenceStore) -> None:
    file = store.folder / store.keep("thread", PICTURE).file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_changed_file_is_not_evidence_and_is_replaced_when_seen_again(store: EvidenceStore) -> None:
    evidence = store.keep("thread", PICTURE)
    (store.folder / evidence.file).write_bytes(b"forged")
    with pytest.raises(OutriderError, match="not what was kept"):
        store.read(evidence.file)
    assert store.read(store.keep("thread", PICTURE).file) == PICTURE


def test_a_lost_file_is_told(store: EvidenceStore) -> None:
    evidence = store.keep("thread", PICTURE)
    (store.folder / evidence.file).unlink()
    with pytest.raises(OutriderError, match="is gone"):
        store.read(evidence.file)


@pytest.mark.parametrize("file", ["/etc/passwd", "../../secret.png", "aa/../../x.png", ""])
def test_nothing_outside_the_folder_is_read(store: EvidenceStore, file: str) -> None:
    with pytest.raises(OutriderError, match="not a name under which"):
        store.read(file)


@pytest.mark.parametrize("synced", [0, 1, 2], ids=["the content", "its name", "its folder's name"])
def test_what_cannot_be_brought_to_the_disk_leaves_nothing(
    store: EvidenceStore, monkeypatch: pytest.MonkeyPatch, synced: int
) -> None:
    fsync, calls = os.fsync, list[int]()

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > synced:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.keep("thread", PICTURE)
    assert [path for path in store.folder.rglob("*") if path.is_file()] == []

"""Files go to the shared store in parts, and each part once."""

from pathlib import Path

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.ports.shared_store import SharedStoreUnreachableError
from backend.runtime.sync import file_transfer
from backend.runtime.sync.file_transfer import PART
from tests.fakes.shared_store import FakeProject, FakeSharedStore


class Counting(FakeSharedStore):
    """Counts the parts that are sent, and does not answer after `most` of them."""

    sent: list[int]
    most = 99

    def put_blob(self, sha256: str, part: int, parts: int, content: bytes) -> None:
        if len(self.sent) == self.most:
            raise SharedStoreUnreachableError("the line broke")
        self.sent.append(part)
        super().put_blob(sha256, part, parts, content)


def test_a_part_that_is_there_is_not_sent_again_and_a_damaged_one_is(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path)
    file, store = blobs.keep([bytes(PART), bytes(PART), b"the rest"]), Counting(FakeProject())
    store.sent, store.most = [], 2
    with pytest.raises(SharedStoreUnreachableError):
        file_transfer.upload(store, blobs, file)
    store.most = 99
    file_transfer.upload(store, blobs, file)
    assert store.sent == [0, 1, 2]
    file_transfer.upload(store, blobs, file)
    assert store.sent == [0, 1, 2]
    FakeSharedStore.put_blob(store, file.sha256, 1, 3, b"damaged")
    file_transfer.upload(store, blobs, file)
    assert store.sent == [0, 1, 2, 1]
    assert store.get_blob(file.sha256, 1) == bytes(PART)

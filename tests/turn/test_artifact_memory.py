"""Fifty megabytes go into the store a piece at a time."""

import hashlib
import tracemalloc
from pathlib import Path

from backend.adapters.files.content_files import BlobStore
from backend.commands.artifacts import store_content
from backend.domain.model.artifact import MAX_BYTES

MOST = 8 * 1024 * 1024


def test_a_large_document_is_kept_and_read_in_bounded_memory(tmp_path: Path) -> None:
    source = tmp_path / "large"
    piece = bytes(range(256)) * 1_000
    digest = hashlib.sha256()
    with source.open("wb") as out:
        while out.tell() + len(piece) <= MAX_BYTES:
            out.write(piece)
            digest.update(piece)
    blobs = BlobStore(tmp_path / "store")
    tracemalloc.start()
    try:
        with source.open("rb") as stream:
            content = store_content("note", "k", stream, blobs)
        read = sum(len(chunk) for chunk in blobs.chunks(content.sha256))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (content.sha256, read) == (digest.hexdigest(), content.size)
    assert peak < MOST

"""Where an artifact's content is kept."""

import hashlib
import io
from pathlib import Path

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.commands.artifacts import store_content
from backend.domain.model.artifact import MAX_INLINE


@pytest.mark.parametrize(
    ("content", "in_file"),
    [
        (b"x", False),
        ("ä".encode() * (MAX_INLINE // 2), False),
        (b"x" * (MAX_INLINE + 1), True),
        (b"\xff", True),
    ],
)
def test_small_text_is_in_the_log_and_all_else_in_a_file(tmp_path: Path, content: bytes, in_file: bool) -> None:
    stored = store_content("note", "k", io.BytesIO(content), BlobStore(tmp_path))
    assert (stored.in_file, stored.size, stored.sha256) == (in_file, len(content), hashlib.sha256(content).hexdigest())
    assert [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()] == [content] * in_file

"""A disk that takes no picture changes no answer, and is told where the picture would be."""

from pathlib import Path
from typing import Any, cast

from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.sites.page_evidence import PICTURE_MS, screenshot


class Shown:
    """A page of which a picture can be taken."""

    def screenshot(self, *, timeout: float) -> bytes:
        assert timeout == PICTURE_MS
        return b"picture"


def test_a_picture_that_cannot_be_kept_is_told_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file where the folder would be")
    (seen,) = screenshot(EvidenceStore(tmp_path / "evidence"), cast(Any, Shown()), "message", "Message sent.")
    assert (seen.kind, seen.file) == ("not_kept", "")
    assert seen.quote.startswith("No picture could be kept: ")
    assert seen.quote.endswith("Message sent.")


def test_a_picture_that_is_kept_has_its_name(tmp_path: Path) -> None:
    (seen,) = screenshot(EvidenceStore(tmp_path / "evidence"), cast(Any, Shown()), "message", "Message sent.")
    assert (tmp_path / "evidence" / seen.file).read_bytes() == b"picture"

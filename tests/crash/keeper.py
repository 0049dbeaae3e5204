"""Keeps an artifact that is no text, and kills itself: `main` of a forked process (`tests/forked.py`)."""

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from backend.adapters.files.content_files import BlobStore
from backend.app.wiring import blob_store, open_workspace
from backend.machine.settings import AppSettings
from backend.ports.blobs import BlobRef
from tests.kills import KILL

RAW = b"\xff" + bytes(range(256)) * 8_000


class Dying(BlobStore):
    """Dies while the bytes are written, or once they are on the disk."""

    when = ""

    def keep(self, chunks: Iterable[bytes]) -> BlobRef:
        def seen() -> Iterator[bytes]:
            for chunk in chunks:
                yield chunk
                if self.when == "writing":
                    os.kill(os.getpid(), KILL)

        reference = super().keep(seen())
        if self.when == "kept":
            os.kill(os.getpid(), KILL)
        return reference


def main(data_dir: str, campaign_id: str, when: str) -> None:
    settings = AppSettings(Path(data_dir), "", 10)
    blobs = Dying(blob_store(settings).folder)
    blobs.when = when
    with open_workspace(settings) as workspace:
        workspace.commands().artifacts.save(campaign_id, "note", "k", io.BytesIO(RAW), blobs, follows=0)
        os.kill(os.getpid(), KILL)

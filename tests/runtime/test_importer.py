"""A lead file is read in the background, and dated by when the user chose it."""

import threading
from collections.abc import Iterator
from pathlib import Path

from backend.domain.model.campaign import HOUR
from backend.domain.people.lead_row import LeadRow
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.jobs.importer import Importer
from backend.runtime.worker import Workers
from tests.commands.test_lead_import import person
from tests.fakes.campaign import Stage


def test_an_import_is_dated_by_when_the_file_was_chosen(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign = stage.campaign(1)
    chosen = stage.clock.now()

    importer = Importer(stage.journal, LiveFeed(stage.journal), Workers(stage.clock))
    read = threading.Event()

    def rows() -> Iterator[LeadRow]:
        stage.clock.advance(HOUR)  # the machine slept before it was read
        yield person(1)
        read.set()

    importer.start(campaign, rows(), stage.clock, file="b.csv", file_format="mapped")
    assert read.wait(30)
    importer.close()
    dated = stage.query("SELECT created_at FROM imports WHERE file='b.csv'")
    assert dated == [(chosen,)]
    stage.close()

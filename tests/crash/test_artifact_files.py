"""A save that is killed leaves the artifact whole or not at all, and at most one file that nobody names."""

from pathlib import Path

import pytest

from backend.app.wiring import blob_store, open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run import rehearsal
from backend.store.log import replay
from backend.store.queries.turn import artifacts
from tests import forked
from tests.crash.keeper import RAW
from tests.kills import KILLED
from tests.patience import PATIENCE

SAMPLE = Path(__file__).parents[1] / "data" / "Connections.csv"


@pytest.mark.parametrize(("when", "named", "left"), [("writing", 0, 1), ("kept", 0, 1), ("recorded", 1, 1)])
def test_a_killed_save_leaves_all_or_a_file_to_be_swept(tmp_path: Path, when: str, named: int, left: int) -> None:
    settings = AppSettings(tmp_path, "", 10)
    with open_workspace(settings) as workspace:
        campaign = rehearsal.find_or_create_rehearsal(workspace, SAMPLE, 2)
    killed = forked.run("tests.crash.keeper:main", str(tmp_path), campaign, when, timeout=PATIENCE)
    assert killed.returncode == KILLED
    blobs = blob_store(settings)
    with open_workspace(settings) as workspace:
        assert replay.find_differences(workspace.database) == []
        digests = workspace.database.query(artifacts.stored_digests)
        assert len(digests) == named
        assert len([file for file in blobs.folder.glob("**/*") if file.is_file()]) == left
        assert blobs.remove_unreferenced(digests) == left - named
        assert [b"".join(blobs.chunks(digest)) for digest in digests] == [RAW] * named

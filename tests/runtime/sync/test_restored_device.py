"""A device whose database is put back from an old backup while another one shares the project: nothing goes out again."""

from functools import partial
from pathlib import Path

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.ids import SystemIds
from backend.runtime.copies.restoring import erase_again
from backend.store import backup
from backend.store.database import Database
from tests.patience import PATIENCE
from tests.runtime.sync.test_two_devices import LEADS, Race, race, wait_until

__all__ = ["race"]

ERASE_AGAIN = partial(erase_again, SystemIds(), SystemClock())


@pytest.mark.parametrize("sent_since", [1, LEADS])
def test_what_was_sent_since_a_backup_is_not_sent_again(race: Race, tmp_path: Path, sent_since: int) -> None:
    desk = Database(race.folders["Desk"] / "outrider.db")
    backup.back_up(desk, tmp_path / "copy.db")
    desk.close()
    first = race.start("Desk")
    wait_until(lambda: len(race.witness.sends) >= sent_since)
    first.kill()
    first.communicate()
    restored = backup.restore(
        race.folders["Desk"] / "outrider.db", tmp_path / "copy.db", erase_again=ERASE_AGAIN, despite_loss=True
    )
    assert restored.lost
    devices = [race.start(name) for name in race.folders]
    for device in devices:
        out, err = device.communicate(timeout=PATIENCE)
        assert device.returncode == 0, (out[-500:], err[-3000:])
    race.judge()

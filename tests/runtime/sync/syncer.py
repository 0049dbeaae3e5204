"""A device that decides and comes into step, until it is killed or told to end.

`python -m tests.runtime.sync.syncer FOLDER NAME URL KEY COUNT` prints a line for each decision that is on disk.
"""

import sys
from pathlib import Path

from backend.domain.events.events import WORKSPACE, Event
from tests.runtime.sync.racer import Racer


def main(folder: str, name: str, url: str, key: str, count: str) -> None:
    device = Racer(Path(folder), name, url, key)
    device.engine.open()
    with device.database.read() as connection:
        (done,) = connection.execute("SELECT count(*) FROM config_kv WHERE id LIKE ?", (f"{name}%",)).fetchone()
    for number in range(done + 1, int(count) + 1):
        made = Event("ConfigSet", f"{name}-{number}", {"value": "x" * 300})
        device.journal.record(WORKSPACE, events=[made], actor="user", cause=f"{name} {number}", at=number)
        print(number, flush=True)
    device.engine.sync_now()
    sys.stdin.read()
    device.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

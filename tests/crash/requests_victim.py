"""A process that works on every request that waits, and kills itself at a named boundary of its n-th passing.

`python -m tests.crash.requests_victim DATA_DIR BOUNDARY N`; without a boundary it says what it ended with.
"""

import os
import signal
import sys
from pathlib import Path

from backend.clocks import SystemClock
from backend.controller.presence import Presence
from backend.settings import AppSettings
from backend.store.requests import waiting
from backend.wiring import continuation, open_workspace, sole_instance


def main(data_dir: str, boundary: str = "", at: str = "1") -> None:
    settings, passes = AppSettings(Path(data_dir), "", 10), 0
    with sole_instance(settings), open_workspace(settings) as workspace:

        def passed(name: str) -> None:
            nonlocal passes
            passes += name == boundary
            if name == boundary and passes == int(at):
                os.kill(os.getpid(), signal.SIGKILL)

        with workspace.database.read() as connection:
            open_requests = waiting(connection)
        for campaign_id, request_id in open_requests:
            loop = continuation(workspace, SystemClock, Presence(attended=True), boundary=passed)
            print(loop.run(campaign_id, request_id), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

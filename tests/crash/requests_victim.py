"""A process that works on every request that waits, and kills itself at a named boundary of its n-th passing.

`main` of a forked process (`tests/forked.py`); without a boundary it says what it ended with.
"""

import os
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.app.wiring import build_continuation_loop, instance_lock, open_workspace
from backend.machine.settings import AppSettings
from backend.store.queries.turn.requests import runnable_requests
from backend.turn.loop import TurnCallbacks
from backend.turn.presence import Presence
from tests.kills import KILL


def main(data_dir: str, boundary: str = "", at: str = "1") -> None:
    settings, passes = AppSettings(Path(data_dir), "", 10), 0
    with instance_lock(settings), open_workspace(settings) as workspace:

        def passed(name: str) -> None:
            nonlocal passes
            passes += name == boundary
            if name == boundary and passes == int(at):
                os.kill(os.getpid(), KILL)

        open_requests = workspace.database.query(runnable_requests)
        for campaign_id, request_id in open_requests:
            loop = build_continuation_loop(
                workspace, SystemClock, Presence(attended=True), callbacks=TurnCallbacks(boundary=passed)
            )
            print(loop.run(campaign_id, request_id), flush=True)

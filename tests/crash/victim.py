"""A controller that goes on with a rehearsal until it is finished, or until it kills itself at a named boundary.

`python -m tests.crash.victim DATA_DIR CAMPAIGN PRACTICE_URL [BOUNDARY]`; prints "running" once the first turn has begun.
"""

import os
import signal
import sys
from pathlib import Path

from backend import rehearsal
from backend.controller.commands import AUTO_APPROVE
from backend.controller.presence import Presence
from backend.domain.message import Message
from backend.settings import AppSettings
from backend.wiring import open_workspace, practice_site, runner, sole_instance


def main(data_dir: str, campaign_id: str, url: str, boundary: str = "") -> None:
    settings = AppSettings(Path(data_dir), "", 10)
    network = rehearsal.PracticeNetwork(url)
    with (
        sole_instance(settings),
        open_workspace(settings) as workspace,
        rehearsal.opened(workspace, campaign_id, network) as ready,
    ):
        auto = workspace.commands(ready.clock, AUTO_APPROVE)

        def approve(_: str, drafts: list[Message]) -> bool:
            for draft in drafts:
                auto.approve(campaign_id, draft.id, shown_digest=auto.digest(campaign_id, draft.id))
            return True

        def passed(name: str) -> None:
            if name == "step-1":
                print("running", flush=True)
            if name == boundary:
                os.kill(os.getpid(), signal.SIGKILL)

        site = practice_site(settings, ready.url, headless=True)
        run = runner(workspace, site, ready.clock, Presence(attended=True), boundary=passed)
        run.on_drafts = approve
        ended = run.run(campaign_id)
        site.close()
    print(ended.halt, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

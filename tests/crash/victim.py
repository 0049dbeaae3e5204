"""A controller that goes on with a rehearsal until it is finished, or until it kills itself at a named boundary.

`python -m tests.crash.victim DATA_DIR CAMPAIGN PRACTICE_URL SETTLE_SECONDS [BOUNDARY]`, with the practice network's
secrets as its first line of input; prints "running" once the first turn has begun.
"""

import os
import sys
from pathlib import Path

from backend.app.wiring import build_turn_loop, instance_lock, open_workspace, practice_site
from backend.commands.review import AUTO_APPROVE
from backend.domain.model.message import Message
from backend.machine.settings import AppSettings
from backend.practice.launch_secrets import LaunchSecrets
from backend.runtime.run import rehearsal
from backend.runtime.run.campaign_runner import CampaignRunner
from backend.turn.loop import TurnCallbacks
from backend.turn.presence import Presence
from tests.kills import KILL


def main(data_dir: str, campaign_id: str, url: str, settle_seconds: str, boundary: str = "") -> None:
    settings = AppSettings(Path(data_dir), "", 10)
    network = rehearsal.PracticeClient(url, LaunchSecrets.from_line(sys.stdin.readline().encode()))
    with (
        instance_lock(settings),
        open_workspace(settings) as workspace,
        rehearsal.open_rehearsal(workspace, campaign_id, network) as ready,
    ):
        auto = workspace.commands(ready.clock, AUTO_APPROVE)

        def approve(_: str, drafts: list[Message]) -> bool:
            for draft in drafts:
                auto.review.approve(campaign_id, draft.id, shown_digest=auto.review.digest(campaign_id, draft.id))
            return True

        def passed(name: str) -> None:
            if name == "step-1":
                print("running", flush=True)
            if name == boundary:
                os.kill(os.getpid(), KILL)

        site = practice_site(settings, ready.url, ready.password, headless=True, settle_seconds=float(settle_seconds))
        callbacks = TurnCallbacks(boundary=passed)
        loop = build_turn_loop(workspace, site, ready.clock, Presence(attended=True), callbacks=callbacks)
        ended = CampaignRunner(loop, on_drafts=approve).run(campaign_id)
        site.close()
    print(ended.halt, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

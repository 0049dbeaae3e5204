"""A rehearsal's practice network in this process, acted on without a browser: the same core, control API and ledger file."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from backend.practice.network_store import NetworkStore
from backend.practice.request_outcome import RequestOutcome
from backend.practice.server import create_app
from backend.runtime.run import rehearsal
from tests.fakes.direct_site import DirectPracticeSite
from tests.fakes.site import crash, direct_site

AUTHORITY = "practice.invalid"
HELD = "TEST_NETWORK_HELD"


class HeldStore(NetworkStore):
    """Answers to what has arrived wait for as long as there is the file that the environment's `HELD` names."""

    def handle_request(self, *moment: Any, **request: Any) -> RequestOutcome:
        outcome = super().handle_request(*moment, **request)
        if any(entry.disposition == "delivered" for entry in outcome.entries):
            while HELD in os.environ and Path(os.environ[HELD]).exists():
                time.sleep(0.01)
        return outcome


class NetworkHere(rehearsal.PracticeClient):
    """What `PracticeProcess` is, without the process: its control API is asked directly."""

    def __init__(self, ledger: Path, now: int) -> None:
        secrets = LaunchSecrets.new()
        super().__init__(f"http://{AUTHORITY}", secrets)
        ledger.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.store = HeldStore.open(ledger, now=now, crash=crash)
        self._control = create_app(self.store, secrets, AUTHORITY).test_client()
        self._token = secrets.control_token

    def post_control(self, path: str, payload: Any) -> None:
        """The same request as over HTTP."""
        answer = self._control.post(
            f"/_practice/{path}", json=payload, base_url=self.url, headers={TOKEN_HEADER: self._token}
        )
        assert answer.status_code < 300, answer.text

    def close(self) -> None:
        """The ledger stays."""
        self.store.close()


def rehearse_here(module: ModuleType, setter: Callable[[object, str, object], None] = setattr) -> None:
    """From now on rehearsals that the module opens in this process start no network process and no browser."""
    started: list[NetworkHere] = []

    def start(ledger: Path, now: int) -> NetworkHere:
        started.append(NetworkHere(ledger, now))
        return started[-1]

    def site(*_: object, **__: object) -> DirectPracticeSite:
        return direct_site(started[-1].store)

    setter(rehearsal, "PracticeProcess", start)
    setter(module, "practice_site", site)

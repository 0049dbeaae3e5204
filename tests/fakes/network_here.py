"""A rehearsal's practice network in this process, acted on without a browser: the same core, control API and ledger file."""

from pathlib import Path
from typing import Any

import pytest

from backend.app import launch
from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from backend.practice.network_store import NetworkStore
from backend.practice.server import create_app
from backend.runtime.run import rehearsal
from tests.fakes.direct_site import DirectPracticeSite
from tests.fakes.site import crash, direct_site

AUTHORITY = "practice.invalid"


class NetworkHere(rehearsal.PracticeClient):
    """What `PracticeProcess` is, without the process: its control API is asked directly."""

    def __init__(self, ledger: Path, now: int) -> None:
        secrets = LaunchSecrets.new()
        super().__init__(f"http://{AUTHORITY}", secrets)
        ledger.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.store = NetworkStore.open(ledger, now=now, crash=crash)
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


def rehearse_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on rehearsals of the app in this process start no network process and no browser."""
    started: list[NetworkHere] = []

    def start(ledger: Path, now: int) -> NetworkHere:
        started.append(NetworkHere(ledger, now))
        return started[-1]

    def site(*_: object, **__: object) -> DirectPracticeSite:
        return direct_site(started[-1].store)

    monkeypatch.setattr(rehearsal, "PracticeProcess", start)
    monkeypatch.setattr(launch, "practice_site", site)

"""What the page is answered about the shared store, keys and calls: a state in this process, in the API's own shapes.

It stands before the routes of the same names, so that the page can be seen in every state; the feed is the real one.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page, Route

from backend.api.conflicts import Choose, ConflictList, ConflictView
from backend.api.egress import OutgoingHost, OutgoingView
from backend.api.keys import KeepKey, KeyLine, KeysView, MakeKit, RecoveryKit, Revoke, StartAnew, Unlock
from backend.domain.values.health_check import FAIL, OK, HealthCheck
from backend.domain.values.shapes import ErrorShape, Shape
from backend.ports.egress import RefusedHost
from backend.ports.vault import VaultStatus
from backend.runtime.feed.feed_messages import SyncChanged, SyncState
from backend.runtime.sync.project_views import (
    AnswerMail,
    AskMail,
    Device,
    ProjectAddress,
    ProjectCheck,
    ProjectView,
    SignedIn,
    SignIn,
)
from tests.api.app import App

NOON = 1_795_348_920_000
URL = "https://abcdefgh.supabase.co"
PUBLIC_KEY = "sb_publishable_1"
EMAIL, PASSWORD, CODE = "ada@example.org", "her password", "246810"
PASSPHRASE = "lantern gravel otter nine"
RECOVERY = "9F3K-7QWE-2MXA-8TZP-4HVB-6NRC-1DJG"
HERE = Device(id="d1", name="Desk", joined_at=NOON, revoked_at=None, here=True, fingerprint="d73a ea80 fd50 fac5 d2ff")
LAPTOP = Device(
    id="d2", name="Laptop", joined_at=NOON + 1, revoked_at=None, here=False, fingerprint="171d 15af 3909 bc39 2401"
)
LOST = Device(id="d3", name="Old phone", joined_at=NOON - 9, revoked_at=NOON, here=False)
VAULT = VaultStatus(state="open", needs="nothing", where="the system's keyring", problem="")
IN_SYNC = SyncState(phase="in_sync", acting="here", acting_name="Desk")
CALLS = OutgoingView(
    hosts=[
        OutgoingHost(
            host="api.openai.com", why="The model “Drafts”", sends="The goal, a lead's name, title and company.",
            allowed=True, calls=1_204, failures=3, bytes_out=2_400_000, bytes_in=910_000, last_at=NOON,
        ),
        OutgoingHost(
            host="abcdefgh.supabase.co", why="The shared store", sends="What is recorded here; keys only sealed.",
            allowed=False, calls=0, failures=0, bytes_out=0, bytes_in=0, last_at=None,
        ),
    ],
    refused=[RefusedHost(host="telemetry.example.com", at=NOON, times=2)],
    proxy="It goes by the proxy that this machine is set to use (10.0.0.8:3128).",
    browser="The browser that Outrider controls loads a site's pages as any browser does; it is no call of Outrider's.",
    never=["Your passphrase and recovery code.", "Statistics and reports of errors."],
)  # fmt: skip


def conflict(number: int, *, again: bool = True) -> ConflictView:
    """A decision of ours in conflict with another device's."""
    return ConflictView(
        id=f"s{number}", campaign_id="c1", campaign="Autumn talks", decided_at=NOON, queued_at=NOON + 180_000,
        command="leads.note", arguments={"campaign_id": "c1", "lead_id": f"l{number}"}, kind="LeadNoted",
        subject="Ada Lane", sentence="Note on Ada Lane", mine={"notes": "Met in Leeds.\nCall in May."},
        theirs={"notes": "Met in York."}, again=again, device="",
    )  # fmt: skip


def error(code: str, sentence: str, remedy: str) -> ErrorShape:
    return ErrorShape(code=code, sentence=sentence, remedy=remedy)


WRONG_PASSWORD = error("sign_in_wrong", "The e-mail address or the password is wrong.", "Type both again.")
WRONG_PASSPHRASE = error("passphrase_wrong", "The passphrase is wrong.", "Type it again.")
WRONG_KEY = "The project does not accept the key."


class RefusedError(Exception):
    """Answer with this."""

    def __init__(self, shape: ErrorShape) -> None:
        super().__init__(shape.code)
        self.shape = shape


class SharedStoreRoutes:
    """Stands before a page's requests; `asked` are the bodies that came, by route."""

    def __init__(self, app: App, page: Page) -> None:
        self.app = app
        self.attached = False
        self.sync = SyncState(phase="local")
        self.devices = [HERE, LAPTOP, LOST]
        self.open_conflicts: list[ConflictView] = []
        self.vault = VAULT
        self.kit = False
        self.keys: dict[str, KeyLine] = {}
        self.calls = CALLS
        self.asked: list[tuple[str, dict[str, Any]]] = []
        page.route(re.compile(r"/api/(sync(?!/schema)|keys|vault|outgoing)(/|$)"), self._answer)

    def announce(self, **changes: Any) -> None:
        """The state of sync changes, and every page is told."""
        self.sync = self.sync.model_copy(update=changes)
        self.app.launch.services.feed.announce("sync", SyncChanged(sync=self.sync))

    def attach(self, **changes: Any) -> None:
        """A project is attached and in sync, but for these."""
        self.attached = True
        self.announce(**(IN_SYNC.model_dump() | changes))

    def in_conflict(self, *decisions: ConflictView) -> None:
        self.open_conflicts = list(decisions)
        self.announce(conflicts=len(decisions))

    def key(self, name: str, state: str, *used_by: str) -> None:
        self.keys[name] = KeyLine.model_validate(
            {"name": name, "kind": "llm_provider", "state": state, "where": self.vault.where, "used_by": list(used_by)}
            | {"updated_at": NOON if state == "sealed" else None}
        )

    def _answer(self, route: Route) -> None:
        request = route.request
        path = request.url.partition("/api")[2]
        body = json.loads(request.post_data or "{}")
        if request.method == "POST":
            self.asked.append((path, body))
        for pattern, shape, act in self._routes():
            if match := re.fullmatch(pattern, f"{request.method} {path}"):
                try:
                    answer = act(shape.model_validate_json(json.dumps(body)) if shape else None, *match.groups())
                except RefusedError as refused:
                    return route.fulfill(status=409, json=refused.shape.model_dump())
                return route.fulfill(json=answer.model_dump())
        raise AssertionError(f"nobody answers {request.method} {path}")

    def _routes(self) -> list[tuple[str, type[Shape] | None, Callable[..., Shape]]]:
        return [
            ("GET /sync", None, lambda _: self._project()),
            ("POST /sync/check", ProjectAddress, self._check),
            ("POST /sync/sign-in", SignIn, self._sign_in),
            ("POST /sync/ask-mail", AskMail, lambda _: SignedIn(outcome="confirm_mail", project=self._project())),
            ("POST /sync/answer-mail", AnswerMail, self._answer_mail),
            ("POST /sync/sign-out", None, lambda _: self._becomes(phase="signed_out", acting="nobody")),
            ("POST /sync/detach", None, lambda _: self._detach()),
            ("POST /sync/take-over", None, lambda _: self._state(asked=True, until=NOON)),
            ("POST /sync/now", None, lambda _: self._state(phase="in_sync", since=None, waiting=0)),
            ("GET /sync/conflicts", None, lambda _: ConflictList(open=self.open_conflicts, dropped_turns=2)),
            ("POST /sync/conflicts/(.+)", Choose, self._choose),
            ("GET /keys", None, lambda _: self._keys()),
            ("POST /keys/([^/]+)", KeepKey, self._keep),
            ("POST /keys/(.+)/forget", None, self._forget),
            ("POST /vault/unlock", Unlock, self._unlock),
            ("POST /vault/anew", StartAnew, lambda _: self._start_anew()),
            ("POST /vault/kit", MakeKit, lambda _: self._kit()),
            ("POST /vault/revoke", Revoke, self._revoke),
            ("GET /outgoing", None, lambda _: self.calls),
        ]

    def _project(self) -> ProjectView:
        on = self.attached
        return ProjectView(
            attached=on, url=URL if on else "", public_key=PUBLIC_KEY if on else "", email=EMAIL if on else "", device_name="Desk",
            devices=self.devices if on else [], session="A file in the data folder, sealed" if on else "", sync=self.sync,
        )  # fmt: skip

    def _state(self, **changes: Any) -> SyncState:
        self.announce(**changes)
        return self.sync

    def _becomes(self, **changes: Any) -> ProjectView:
        self.announce(**changes)
        return self._project()

    def _detach(self) -> ProjectView:
        self.attached = False
        return self._becomes(**SyncState(phase="local").model_dump())

    def _check(self, body: ProjectAddress) -> ProjectCheck:
        is_known = body.public_key == PUBLIC_KEY
        lines = [
            HealthCheck("project_address", OK, "It answers."),
            HealthCheck("project_key", OK, "The key is accepted.")
            if is_known
            else HealthCheck("project_key", FAIL, WRONG_KEY, "Copy it again."),
            HealthCheck("project_schema", OK, "Its tables are there, in the version that is needed."),
        ]  # fmt: skip
        return ProjectCheck(ok=is_known, lines=lines if is_known else lines[:2])

    def _sign_in(self, body: SignIn) -> SignedIn:
        if body.fresh:
            return SignedIn(outcome="confirm_mail", project=self._project())
        if body.password != PASSWORD:
            raise RefusedError(WRONG_PASSWORD)
        return self._enter()

    def _answer_mail(self, body: AnswerMail) -> SignedIn:
        if body.code.startswith("https://"):
            raise RefusedError(
                error("sign_in_link_spent", "The link has been used, or is too old.", "Ask for another mail.")
            )
        if body.code != CODE:
            raise RefusedError(error("sign_in_code_wrong", "The code is wrong, used, or too old.", "Ask for another."))
        return self._enter()

    def _enter(self) -> SignedIn:
        self.attach(phase="pushing", waiting=1_240)
        return SignedIn(outcome="attached", project=self._project())

    def _choose(self, _: Choose, chosen: str) -> ConflictList:
        self.in_conflict(*(conflict for conflict in self.open_conflicts if conflict.id != chosen))
        return ConflictList(open=self.open_conflicts, dropped_turns=2)

    def _keys(self) -> KeysView:
        return KeysView(vault=self.vault, kit=self.kit, version=1, keys=list(self.keys.values()))

    def _keep(self, body: KeepKey, name: str) -> KeysView:
        self.keys[name] = KeyLine(
            name=name, kind=body.kind, state="sealed", where=self.vault.where, updated_at=NOON, used_by=[]
        )
        return self._keys()

    def _forget(self, _: None, name: str) -> KeysView:
        del self.keys[name]
        return self._keys()

    def _unlock(self, body: Unlock) -> KeysView:
        if body.passphrase != PASSPHRASE:
            raise RefusedError(WRONG_PASSPHRASE)
        self.vault = replace(VAULT, state="none") if self.vault.state == "none" else VAULT
        return self._keys()

    def _start_anew(self) -> KeysView:
        self.vault, self.kit = VAULT, False
        return self._keys()

    def _kit(self) -> RecoveryKit:
        self.kit = True
        return RecoveryKit(code=RECOVERY, email=EMAIL, url=URL)

    def _revoke(self, body: Revoke) -> RecoveryKit:
        self.devices = [
            device.model_copy(update={"revoked_at": NOON}) if device.id == body.device_id else device
            for device in self.devices
        ]
        return self._kit()

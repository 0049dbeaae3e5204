"""The app's shared store: which project is attached, who is signed in, and the engine while both are so."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from backend.api.feed import LiveFeed
from backend.api.wire.base import ErrorShape
from backend.api.wire.sync import (
    AskCode,
    CheckLine,
    EnterCode,
    ProjectCheck,
    ProjectView,
    SignedIn,
    SignIn,
    SyncChanged,
    SyncState,
)
from backend.api.wire.sync import Device as DeviceShape
from backend.clocks import SystemClock
from backend.domain.check import FAIL
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.ports.authority import AuthorityRefusedError, AuthorityUnreachableError
from backend.ports.standing import LOCAL
from backend.store import replica
from backend.store.replica import Project
from backend.supabase.account import Account
from backend.supabase.sign_in import Kept
from backend.sync.engine import Engine
from backend.sync.state import State
from backend.wiring import Workspace, device_name, ship_skills, sync_engine

CLOSE_SECONDS = 5.0


Accounts = Callable[[str, str], Account]
"""The project at an address, by its public key. Raises `project_address_refused` and `project_key_secret`."""


class LiveSync:
    """The `Standing` of everything that acts, and what the page asks of the shared store."""

    def __init__(
        self,
        workspace: Workspace,
        accounts: Accounts,
        *,
        announce: Callable[[SyncState], None] = lambda _: None,
        used: Callable[[], bool] = lambda: True,
    ) -> None:
        self._workspace = workspace
        self._accounts = accounts
        self._announce = announce
        self._clock = SystemClock()
        self._changing = threading.Lock()
        self._resting = threading.Lock()
        self._acting = 0
        self._account: Account | None = None
        self._engine: Engine | None = None
        self._unshipped = False
        self._acting = 0
        self._used = used
        self.on_wanted: list[Callable[[str], None]] = []
        self.on_change: list[Callable[[], None]] = []

    def open(self) -> None:
        """Begin, if a project is attached; nothing is waited for."""
        project = self._project()
        if project is not None:
            self._begin(project, self._accounts(project.url, project.public_key))

    def close(self) -> None:
        """What waits is pushed, for a few seconds at most."""
        with self._changing:
            self._stop()
            self._leave()

    # --- whether this device may act ---

    @property
    def attached(self) -> bool:
        """Whether this store is not its own authority."""
        return self._engine is not None

    def word(self) -> str:
        """`local`, `in_step`, or why nothing may be begun."""
        engine = self._engine
        return LOCAL if engine is None else engine.word()

    def acknowledged(self, campaign_id: str) -> bool:
        """Whether an act may follow on what is on disk."""
        engine = self._engine
        return self._project() is None if engine is None else engine.acknowledged(campaign_id)

    def ask(self) -> None:
        """Whether something may begin here; raises what `acting` does, but brings nothing into step."""
        engine = self._engine
        if engine is not None:
            engine.ask()

    @contextmanager
    def acting(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """While something acts here; see `Engine.acting`."""
        with self._resting:
            self._acting += 1
            engine = self._engine
        try:
            with nullcontext() if engine is None else engine.acting(stopped):
                yield
        finally:
            with self._resting:
                self._acting -= 1

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """Nothing begins to act meanwhile: what acts under one authority must not go on under another. Raises `project_in_use`."""
        with self._resting:
            if self._acting:
                raise OutriderError("project_in_use")
            yield

    # --- what the page asks ---

    def state(self) -> SyncState:
        """How this machine and the project stand."""
        engine = self._engine
        return _shape(State() if engine is None else engine.state())

    def view(self) -> ProjectView:
        """What is attached, and by whom."""
        project, account = self._project(), self._account
        with self._workspace.database.read() as connection:
            rows = connection.execute(
                "SELECT id, name, created_at, revoked_at FROM devices ORDER BY created_at"
            ).fetchall()
        here = project.device_id if project else ""
        return ProjectView(
            attached=project is not None,
            url=project.url if project else "",
            public_key=project.public_key if project else "",
            email=project.email if project else "",
            device_name=project.device_name if project else device_name(),
            devices=[
                DeviceShape(id=id_, name=name, joined_at=at, revoked_at=revoked, here=id_ == here)
                for id_, name, at, revoked in (rows if project else ())
            ],
            session=account.where() if account else "",
            sync=self.state(),
        )

    def check(self, url: str, public_key: str) -> ProjectCheck:
        """Look at a project; nothing is kept."""
        account = self._accounts(url, public_key)
        account.project.allow()
        try:
            found = account.examine()
        finally:
            if self._account is None or self._account.project.url != account.project.url:
                account.project.forbid()
            account.project.close()
        lines = [CheckLine(name=c.code, ok=c.status != FAIL, said=c.said, remedy=c.remedy) for c in found]
        return ProjectCheck(ok=all(line.ok for line in lines), lines=lines)

    def sign_in(self, given: SignIn) -> SignedIn:
        """With a password; then the project is attached, or in step again."""

        def enter(account: Account) -> Kept | None:
            return (account.sign_in.sign_up if given.fresh else account.sign_in.with_password)(
                given.email, given.password
            )

        return self._entered(given.url, given.public_key, enter)

    def ask_code(self, given: AskCode) -> SignedIn:
        """A code by mail."""

        def enter(account: Account) -> None:
            account.sign_in.ask_code(given.email)

        return self._entered(given.url, given.public_key, enter)

    def enter_code(self, given: EnterCode) -> SignedIn:
        """The code that came."""
        return self._entered(
            given.url, given.public_key, lambda account: account.sign_in.enter_code(given.email, given.code)
        )

    def sign_out(self) -> None:
        """What is here stays here and can be read; nothing is exchanged until somebody signs in again."""
        if self._account is not None:
            self._account.sign_in.out()
            self.now()

    def end_others(self) -> None:
        """Sign every other device of this user out; nothing without a project. Raises `project_unreachable` and `signed_out`."""
        try:
            if self._account is not None:
                self._account.sign_in.out_others()
        except AuthorityUnreachableError as error:
            raise OutriderError("project_unreachable", said=error.said) from None
        except AuthorityRefusedError:
            raise OutriderError("signed_out") from None

    def detach(self) -> None:
        """This store is its own authority again, with everything in it. What waits is pushed first, if that is possible."""
        with self._changing:
            with self._at_rest():
                self._stop()
                with self._workspace.journal.transaction() as transaction:
                    replica.detach(transaction, self._clock.now())
            if self._account is not None:
                self._account.sign_in.out()
                self._account.project.forbid()
            self._leave()
        self._announce(self.state())

    def take_over(self) -> None:
        """Whatever begins next asks the device that acts to hand over."""
        if self._engine is None:
            raise OutriderError("not_attached")
        self._engine.take_over()

    def now(self) -> None:
        """Come into step at once."""
        if self._engine is not None:
            self._engine.now()

    # --- attaching ---

    def _entered(self, url: str, public_key: str, enter: Callable[[Account], Kept | None]) -> SignedIn:
        with self._changing:
            account, used = self._accounts(url, public_key), False
            try:
                person = self._signed_in(account, enter)
                if person is None:
                    return SignedIn(outcome="confirm_mail", project=self.view())
                if self._engine is None:
                    with self._at_rest():
                        self._begin(self._project() or self._attach(account, public_key, person), account)
                    used = True
                else:  # what acts goes on; the session is read from where it is kept
                    self._engine.now()
            finally:
                if not used:
                    account.project.close()
                    if self._engine is None:
                        account.project.forbid()
        return SignedIn(outcome="attached", project=self.view())

    def _signed_in(self, account: Account, enter: Callable[[Account], Kept | None]) -> Kept | None:
        project = self._project()
        if project is None:
            with self._at_rest():
                pass  # or nobody needs to sign in
        elif account.project.url != project.url:
            raise OutriderError("project_attached")
        else:
            account.sign_in.only(project.user_id, project.email)
        account.project.allow()
        return enter(account)

    def _attach(self, account: Account, public_key: str, person: Kept) -> Project:
        now, name = self._clock.now(), device_name()
        with self._workspace.journal.transaction() as transaction:
            project = Project(
                account.project.url, public_key, person.user_id, person.email, transaction.new_id(), name, now
            )
            joined = Event("DeviceJoined", project.device_id, {"name": name, "created_at": now})
            transaction.record(WORKSPACE, [joined], actor="user", cause="attach", at=now)
            replica.attach(transaction, project)
        self._unshipped = True
        return project

    def _begin(self, project: Project, account: Account) -> None:
        account.project.allow()
        account.sign_in.only(project.user_id, project.email)
        self._account = account
        self._engine = sync_engine(
            self._workspace,
            project,
            lambda: account.authority,
            on_change=self._changed,
            on_wanted=lambda name: _tell(self.on_wanted, name),
            used=self._used,
        )
        self._engine.open()

    def _stop(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close(CLOSE_SECONDS)

    def _leave(self) -> None:
        account, self._account = self._account, None
        if account is not None:
            account.project.close()

    def _changed(self, state: State) -> None:
        if self._unshipped and state.phase == "in_step":
            self._unshipped = False
            ship_skills(self._workspace)  # the project's workspace may know earlier ones
        self._announce(_shape(state))
        for listener in self.on_change:
            listener()

    def _project(self) -> Project | None:
        with self._workspace.database.read() as connection:
            return replica.project(connection)


def announcing(feed: LiveFeed) -> Callable[[SyncState], None]:
    """Tell every page."""
    return lambda state: feed.announce("sync", SyncChanged(sync=state))


def _tell(listeners: list[Callable[[str], None]], name: str) -> None:
    for listener in listeners:
        listener(name)


def _shape(state: State) -> SyncState:
    problem = state.problem
    return SyncState(
        phase=state.phase,
        waiting=state.waiting,
        since=state.since,
        set_aside=state.set_aside,
        acting=state.acting,
        acting_name=state.acting_name,
        asked=state.asked,
        until=state.until,
        problem=ErrorShape(code=problem.code, sentence=problem.sentence, remedy=problem.remedy) if problem else None,
    )

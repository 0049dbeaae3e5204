"""The app's shared store: which project is attached, who is signed in, and the engine while both are so."""

import hmac
import platform
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from backend.adapters.supabase.account import SupabaseAccount
from backend.adapters.supabase.auth_session import SavedSession, told_at_sign_in
from backend.commands import conflicts
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import DeviceJoined
from backend.domain.events.signature import fingerprint
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError
from backend.ports.sync_status import LOCAL
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import SyncChanged, SyncState
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.project_views import (
    AnswerMail,
    AskMail,
    ProjectAddress,
    ProjectCheck,
    ProjectSchema,
    ProjectView,
    SignedIn,
    SignIn,
)
from backend.runtime.sync.project_views import Device as DeviceShape
from backend.runtime.workspace import Workspace
from backend.store.log.signatures import signing_keys
from backend.store.queries.device import devices
from backend.store.replication import replica
from backend.store.replication.project_schema import schema_sql
from backend.store.replication.replica import AttachedProject

CLOSE_SECONDS = 5.0


Accounts = Callable[[str, str], SupabaseAccount]
"""The project at an address, by its public key. Raises `project_address_refused` and `project_key_secret`."""


class AwaitedMail(NamedTuple):
    """A mail that was asked for, and the account that can redeem its link; the link's address has `mark` in it."""

    mark: str
    project: ProjectAddress
    email: str
    account: SupabaseAccount


class SyncService:
    """The `SyncStatus` of everything that acts, and what the page asks of the shared store."""

    def __init__(
        self,
        workspace: Workspace,
        accounts: Accounts,
        build_engine: Callable[..., SyncEngine],
        install_skills: Callable[[Workspace], None],
        *,
        announce: Callable[[SyncState], None] = lambda _: None,
        is_watched: Callable[[], bool] = lambda: True,
        machine: str = "",
    ) -> None:
        """`machine` is this machine's identity, "" where the system does not tell."""
        self._machine = machine
        self.moved_from = ""
        self._workspace = workspace
        self._accounts = accounts
        self._build_engine = build_engine
        self._install_skills = install_skills
        self._announce = announce
        self._clock = workspace.clock
        # Both are held while the shared store is asked.
        self._change_lock, self._idle_lock = workspace.workers.scheduler.lock(), workspace.workers.scheduler.lock()
        self._acting_count = 0
        self._account: SupabaseAccount | None = None
        self._awaited_mail: AwaitedMail | None = None
        self._engine: SyncEngine | None = None
        self._builtin_skills_pending = False
        self._is_watched = is_watched
        self.on_handover_requested: list[Callable[[str], None]] = []
        self.on_change: list[Callable[[], None]] = []

    def open(self) -> None:
        """Begin, if a project is attached; nothing is waited for."""
        project = self._project()
        if project is not None:
            self._begin(project, self._accounts(project.url, project.public_key))

    def close(self) -> None:
        """What waits is pushed, for a few seconds at most."""
        with self._change_lock:
            self._stop()
            self._leave()

    # --- whether this device may act ---

    @property
    def attached(self) -> bool:
        """Whether a project is attached."""
        return self._engine is not None

    def describe(self) -> str:
        """`local`, `in_sync`, or why nothing may be begun."""
        engine = self._engine
        return LOCAL if engine is None else engine.describe()

    def push_and_confirm(self, campaign_id: str) -> bool:
        """Whether an act may follow on what is on disk."""
        engine = self._engine
        return self._project() is None if engine is None else engine.push_and_confirm(campaign_id)

    def may_still_act(self) -> bool:
        """Whether what was confirmed may still be done."""
        engine = self._engine
        return self._project() is None if engine is None else engine.may_still_act()

    def check_may_act(self) -> None:
        """Whether something may begin here; raises what `hold_lease` does, but pulls nothing."""
        engine = self._engine
        if engine is not None:
            engine.check_may_act()

    @contextmanager
    def hold_lease(self, stopped: Callable[[], bool] = lambda: False, campaign_id: str = "") -> Iterator[None]:
        """While something acts here; see `SyncEngine.hold_lease`."""
        with self._idle_lock:
            self._acting_count += 1
            engine = self._engine
        try:
            with nullcontext() if engine is None else engine.hold_lease(stopped, campaign_id):
                yield
        finally:
            with self._idle_lock:
                self._acting_count -= 1

    @contextmanager
    def _while_idle(self) -> Iterator[None]:
        """Nothing begins to act meanwhile: what acts under one project must not go on under another. Raises `project_in_use`."""
        with self._idle_lock:
            if self._acting_count:
                raise OutriderError("project_in_use")
            yield

    # --- what the page asks ---

    def state(self) -> SyncState:
        """How this machine and the project stand."""
        engine = self._engine
        return SyncState() if engine is None else engine.report.state()

    def view(self) -> ProjectView:
        """What is attached, and by whom."""
        project, account = self._project(), self._account
        with self._workspace.database.read() as connection:
            rows = devices.devices(connection)
            prints = {key.device_id: fingerprint(key.id) for key in signing_keys(connection).values()}
        device_id = project.device_id if project else ""
        return ProjectView(
            attached=project is not None,
            url=project.url if project else "",
            public_key=project.public_key if project else "",
            email=project.email if project else "",
            device_name=next((row.name for row in rows if row.id == device_id), device_name()),
            moved_from=self.moved_from if project else "",
            devices=[
                DeviceShape.showing(row, here=row.id == device_id, fingerprint=prints.get(row.id, ""))
                for row in (rows if project else ())
            ],
            session=account.where() if account else "",
            sync=self.state(),
        )

    def schema(self) -> ProjectSchema:
        """What is to be run in a project before it is attached, and again after an update that the project lacks."""
        return ProjectSchema(sql=schema_sql())

    def check(self, url: str, public_key: str) -> ProjectCheck:
        """Look at a project; nothing is kept."""
        account = self._accounts(url, public_key)
        account.project.allow()
        try:
            checks = account.examine()
        finally:
            if self._account is None or self._account.project.url != account.project.url:
                account.project.forbid()
            account.project.close()
        return ProjectCheck(ok=all(check.status != FAIL for check in checks), lines=list(checks))

    def sign_in(self, request: SignIn, back_to: str) -> SignedIn:
        """With a password; then the project is attached, or in sync again.

        The link of a mail that has to be answered first leads `back_to` us. Raises `sign_up_unfinished` if the account was made
        and what follows failed.
        """
        if not request.fresh:
            return self._entered(
                request, lambda account: account.sign_in.with_password(request.email, request.password)
            )
        accounts_made: list[SupabaseAccount] = []

        def sign_up(account: SupabaseAccount, back: str) -> SavedSession | None:
            return account.sign_in.sign_up(
                request.email, request.password, back_to=back, on_made=lambda: accounts_made.append(account)
            )

        try:
            return self._asked(request, sign_up, back_to)
        except OutriderError as error:
            if not accounts_made:
                raise
            raise OutriderError("sign_up_unfinished", why=error.sentence, remedy=error.remedy) from error

    def ask_mail(self, request: AskMail, back_to: str) -> SignedIn:
        """A mail instead of a password."""
        return self._asked(
            request, lambda account, back: account.sign_in.ask_mail(request.email, back_to=back), back_to
        )

    def answer_mail(self, request: AnswerMail) -> SignedIn:
        """What the mail has: its link or its code."""
        return self._entered(request, lambda account: account.sign_in.answer_mail(request.email, request.code))

    def follow_link(self, mark: str, address: str) -> SignedIn:
        """The mail's link was opened on this machine and led to `address`. Raises `sign_in_link_elsewhere`."""
        awaited = self._awaited_mail
        if awaited is None or not hmac.compare_digest(awaited.mark.encode(), mark.encode()):
            raise OutriderError("sign_in_link_elsewhere")
        return self._entered(awaited.project, lambda account: account.sign_in.answer_mail(awaited.email, address))

    def sign_out(self) -> None:
        """What is here stays here and can be read; nothing is exchanged until somebody signs in again."""
        if self._account is not None:
            self._account.sign_in.sign_out()
            self.sync_now()

    def sign_out_other_devices(self) -> None:
        """Sign every other device of this user out; nothing without a project. Raises `project_unreachable` and `signed_out`."""
        try:
            if self._account is not None:
                self._account.sign_in.sign_out_others()
        except SharedStoreUnreachableError as error:
            raise told_at_sign_in(error) from None
        except SharedStoreRefusedError:
            raise OutriderError("signed_out") from None

    def detach(self) -> None:
        """No project is attached any more, and everything stays here. What waits is pushed first, if that is possible."""
        with self._change_lock:
            with self._while_idle():
                revoked = self._is_revoked()
                self._stop()
                if revoked:
                    conflicts.ask_about_approvals(lambda _: self._workspace.commands(), self._workspace.database)
                with self._workspace.journal.transaction() as transaction:
                    replica.detach(transaction, self._clock.now())
            if self._account is not None:
                self._account.sign_in.sign_out()
                self._account.project.forbid()
            self._leave()
            self._awaited_mail = None
        self._announce(self.state())

    def _is_revoked(self) -> bool:
        """Whether another device took this one's access away, as the shared store said, or as is on record here."""
        if (problem := self.state().problem) is not None and problem.code == "device_revoked":
            return True
        with self._workspace.database.read() as connection:
            project = replica.project(connection)
            device = None if project is None else devices.device(connection, project.device_id)
        return device is not None and device.revoked_at is not None

    def request_handover(self) -> None:
        """Whatever begins next asks the device that acts to hand over."""
        if self._engine is None:
            raise OutriderError("not_attached")
        self._engine.take_over()

    def sync_now(self) -> None:
        """Come into step at once; what was refused is tried again."""
        if self._engine is not None:
            self._engine.try_again()

    def fetch_again(self, sha256: str) -> None:
        """A file of an artifact is damaged or gone; nothing without a project."""
        if self._engine is not None:
            self._engine.fetch_again(sha256)

    # --- attaching ---

    def _asked(
        self,
        request: SignIn | AskMail,
        ask: Callable[[SupabaseAccount, str], SavedSession | None],
        back_to: str,
    ) -> SignedIn:
        mark = secrets.token_urlsafe(16)
        asked: list[SupabaseAccount] = []

        def enter(account: SupabaseAccount) -> SavedSession | None:
            asked.append(account)
            return ask(account, f"{back_to}/{mark}")

        signed = self._entered(request, enter)
        if signed.outcome == "confirm_mail":
            self._awaited_mail = AwaitedMail(mark, request, request.email, asked[0])
        return signed

    def _account_of(self, address: ProjectAddress) -> SupabaseAccount:
        awaited = self._awaited_mail
        if awaited is not None and (awaited.project.url, awaited.project.public_key) == (
            address.url,
            address.public_key,
        ):
            return awaited.account
        return self._accounts(address.url, address.public_key)

    def _entered(self, address: ProjectAddress, enter: Callable[[SupabaseAccount], SavedSession | None]) -> SignedIn:
        public_key = address.public_key
        with self._change_lock:
            account, used = self._account_of(address), False
            try:
                person = self._signed_in(account, enter)
                if person is None:
                    return SignedIn(outcome="confirm_mail", project=self.view())
                if self._engine is None:
                    with self._while_idle():
                        self._begin(self._project() or self._attach(account, public_key, person), account)
                    used = True
                else:  # what acts goes on; the session is read from where it is kept
                    self._use_key(public_key)
                    self._engine.sync_now()
                self._awaited_mail = None
            finally:
                if not used:
                    account.project.close()
                    if self._engine is None:
                        account.project.forbid()
        return SignedIn(outcome="attached", project=self.view())

    def _signed_in(
        self, account: SupabaseAccount, enter: Callable[[SupabaseAccount], SavedSession | None]
    ) -> SavedSession | None:
        project = self._project()
        if project is None:
            with self._while_idle():
                pass  # or nobody needs to sign in
        elif account.project.url != project.url:
            raise OutriderError("project_attached")
        else:
            account.sign_in.restrict_to_user(project.user_id, project.email, self._use_email)
        account.project.allow()
        return enter(account)

    def _use_key(self, public_key: str) -> None:
        """Somebody signed in with this key, so it is the project's; the earlier one may be switched off."""
        project = self._project()
        if project is None or self._account is None or public_key == project.public_key:
            return
        with self._workspace.journal.transaction() as transaction:
            replica.replace_key(transaction, public_key)
        self._account.project.use_key(public_key)

    def _use_email(self, email: str) -> None:
        """The user has another address in the project by now."""
        with self._workspace.journal.transaction() as transaction:
            replica.replace_email(transaction, email)
        self._announce(self.state())  # a renewal in mid-round changes nothing else that a page would hear

    def _attach(self, account: SupabaseAccount, public_key: str, person: SavedSession) -> AttachedProject:
        now, name = self._clock.now(), device_name()
        with self._workspace.journal.transaction() as transaction:
            project = AttachedProject(
                account.project.url,
                public_key,
                person.user_id,
                person.email,
                transaction.new_id(),
                name,
                now,
                self._machine,
            )
            joined = DeviceJoined(project.device_id, name=name, created_at=now)
            transaction.record(WORKSPACE, [joined], actor="user", cause="attach", at=now)
            replica.attach(transaction, project)
        self._builtin_skills_pending = True
        return project

    def _on_this_machine(self, project: AttachedProject) -> AttachedProject:
        """The project with the device that this folder is here: one that was copied, restored or moved from elsewhere is a
        new one.

        Otherwise two machines would be one device, and what one of them is told the other one never hears.
        """
        if project.machine != replica.RESTORED and self._machine in ("", project.machine):
            return project
        moved, now = project.machine != "", self._clock.now()
        with self._workspace.journal.transaction() as transaction:
            local_project = project._replace(machine=self._machine)
            if moved:
                local_project = local_project._replace(device_id=transaction.new_id(), device_name=device_name())
                joined = DeviceJoined(local_project.device_id, name=local_project.device_name, created_at=now)
                transaction.record(WORKSPACE, [joined], actor="controller", cause="another machine", at=now)
            replica.become_device(transaction, local_project)
        self.moved_from = project.device_name if moved else ""
        return local_project

    def _begin(self, project: AttachedProject, account: SupabaseAccount) -> None:
        project = self._on_this_machine(project)
        account.project.allow()
        account.sign_in.restrict_to_user(project.user_id, project.email, self._use_email)
        self._account = account
        self._engine = self._build_engine(
            self._workspace,
            project,
            account.shared_store,
            on_change=self._changed,
            on_wanted=lambda name: _tell(self.on_handover_requested, name),
            is_watched=self._is_watched,
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

    def _changed(self, state: SyncState) -> None:
        if self._builtin_skills_pending and state.phase == "in_sync":
            self._builtin_skills_pending = False
            self._install_skills(self._workspace)  # the project's workspace may know earlier ones
        self._announce(state)
        for listener in self.on_change:
            listener()

    def _project(self) -> AttachedProject | None:
        return self._workspace.database.query(replica.project)


def device_name() -> str:
    """What this machine is called, for the user's other devices."""
    return platform.node()[:80] or "This computer"


def sync_announcer(feed: LiveFeed) -> Callable[[SyncState], None]:
    """Tell every page."""
    return lambda state: feed.announce("sync", SyncChanged(sync=state))


def _tell(listeners: list[Callable[[str], None]], name: str) -> None:
    for listener in listeners:
        listener(name)

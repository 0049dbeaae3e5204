"""Locks on accounts: a folder for each, outside of all data folders, with the data folder that holds it written in it."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from backend.domain.values.errors import OutriderError
from backend.machine.folder_lock import lock_folder
from backend.machine.real_path import real_path
from backend.ports.account_locks import NOT_TAKEN_OVER, SenderAccount

HOLDER, ACTED = "data-folder", "acted"
"""In an account's folder: the data folder that holds it, and that it has acted since. They stay if it is cut off."""
_TRIES = 100
"""Another holder may remove the folder between its making and its locking, but not so often in a row."""


@dataclass
class _Hold:
    release: Callable[[], None]
    taken_over_at: float | None
    purposes: set[str] = field(default_factory=set)
    has_acted: bool = False
    is_settled: bool = True


class FileAccountLocks:
    """The `AccountLocks` of a data folder."""

    def __init__(self, folder: Path, data_dir: Path) -> None:
        """`folder` is the same for all data folders of the user."""
        self._folder = folder
        self._data_dir = os.fsencode(real_path(data_dir))
        self._holds: dict[str, _Hold] = {}
        self._lock = threading.Lock()

    def take(self, account: SenderAccount, purpose: str) -> float:
        """Hold it for this purpose as well; never waits."""
        with self._lock:
            hold = self._holds.get(account.lock_name)
            if hold is None:
                hold = self._holds[account.lock_name] = self._acquire(account)
            hold.purposes.add(purpose)
            return NOT_TAKEN_OVER if hold.taken_over_at is None else time.monotonic() - hold.taken_over_at

    def note_act(self, account: SenderAccount) -> None:
        """Written once for all acts of a hold."""
        with self._lock:
            hold = self._holds.get(account.lock_name)
            if hold is None or hold.has_acted:
                return
            try:
                (self._folder / account.lock_name / ACTED).touch()
            except OSError as error:
                raise self._failed(error) from error
            hold.has_acted = True

    def release(self, account: SenderAccount, purpose: str, *, is_settled: bool = True) -> None:
        """Once no purpose is left, others may hold it."""
        with self._lock:
            hold = self._holds.get(account.lock_name)
            if hold is None:
                return
            hold.purposes.discard(purpose)
            hold.is_settled = hold.is_settled and is_settled
            if not hold.purposes:
                self._release(account.lock_name)

    def close(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            for lock_name in tuple(self._holds):
                self._release(lock_name)

    def _release(self, lock_name: str) -> None:
        hold = self._holds.pop(lock_name)
        if hold.is_settled:
            for record in (HOLDER, ACTED):
                with suppress(OSError):  # then the next holder waits a little
                    (self._folder / lock_name / record).unlink(missing_ok=True)
        hold.release()

    def _acquire(self, account: SenderAccount) -> _Hold:
        account_folder = self._folder / account.lock_name
        holder = account_folder / HOLDER
        try:
            with ExitStack() as cleanup:
                cleanup.callback(self._lock_folder(account_folder))
                was_left_by_another = (account_folder / ACTED).exists() and _read(holder) != self._data_dir
                holder.write_bytes(self._data_dir)
                return _Hold(cleanup.pop_all().close, time.monotonic() if was_left_by_another else None)
        except BlockingIOError as error:
            other = os.fsdecode(_read(holder)) or "another one"
            raise OutriderError("account_in_use", other=other, network=account.network) from error
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> OutriderError:
        return OutriderError("account_lock_failed", path=self._folder, detail=error.strerror or error)

    def _lock_folder(self, account_folder: Path) -> Callable[[], None]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(_TRIES):
            # Not `exist_ok`: with it pathlib asks again whether it is there, and it may be gone by then.
            with suppress(FileExistsError):
                account_folder.mkdir(mode=0o700)
            with suppress(FileNotFoundError):  # its last holder removed it meanwhile
                return lock_folder(account_folder, made_for_it=True)
        raise OSError("it is removed again and again")


def _read(holder: Path) -> bytes:
    try:
        return holder.read_bytes()
    except OSError:  # not written yet
        return b""

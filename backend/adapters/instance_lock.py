"""One Outrider a data folder: a lock that the operating system releases when the process ends, however it ends."""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.machine.folder_lock import lock_folder
from backend.machine.network_drive import is_network_drive
from backend.machine.real_path import real_path

DATABASE = "outrider.db"


class InstanceLock:
    """Held for as long as turns may run. Raises `OutriderError("instance_running")` when another process holds it."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._locks = ExitStack()

    def __enter__(self) -> "InstanceLock":
        with ExitStack() as locks:
            try:
                for folder in self._folders():
                    locks.callback(lock_folder(folder))
                self._refuse_second_name()
            except BlockingIOError as error:
                raise OutriderError("instance_running", path=self._data_dir) from error
            except OSError as error:
                code: ErrorCode = "on_network_drive" if is_network_drive(self._data_dir) else "data_dir_unusable"
                raise OutriderError(code, path=self._data_dir, detail=error.strerror or error) from error
            self._locks = locks.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._locks.close()

    def _folders(self) -> list[Path]:
        """The data folder, and where its database is if that is only a link; in one order for everybody."""
        return sorted({real_path(self._data_dir), real_path(self._data_dir / DATABASE).parent})

    def _refuse_second_name(self) -> None:
        """By another name in another folder somebody else could have the same database open, and no lock would tell."""
        database = self._data_dir / DATABASE
        if database.is_file() and database.stat().st_nlink > 1:
            raise OSError(
                0, f"{DATABASE} has a second name (a hard link) elsewhere; copy the file to a folder of its own"
            )

"""One Outrider a data folder: a lock that the operating system releases when the process ends, however it ends."""

from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from backend.domain.errors import OutriderError


class InstanceLock:
    """Held for as long as turns may run. Raises `OutriderError("instance_running")` when another process holds it."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._lock = FileLock(data_dir / "outrider.lock")

    def __enter__(self) -> "InstanceLock":
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise OutriderError("instance_running", path=self._data_dir) from error
        except OSError as error:
            raise OutriderError("data_dir_unusable", path=self._data_dir, detail=error.strerror or error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

"""What the background workers of a running Outrider do, in a file of its data folder, for `outrider doctor` beside it."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from backend.domain.device.worker_state import WorkerState
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import replace_file

FILE = "workers.json"
_STATES = TypeAdapter(tuple[WorkerState, ...])


class WorkerStatusFile:
    """Written by who holds the data folder. It says no more than Settings shows: names, errors' sentences, times."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE

    def write(self, states: Sequence[WorkerState]) -> None:
        """In place of what it said before; it need not survive a power cut. Raises `data_dir_unusable`."""
        content = json.dumps(_STATES.dump_python(tuple(states)), ensure_ascii=False)
        try:
            replace_file(self._path, content.encode("utf-8", "replace"), synced=False)
        except OSError as error:
            raise OutriderError("data_dir_unusable", path=self._path.parent, detail=error.strerror or error) from error

    def read(self) -> tuple[WorkerState, ...]:
        """What it says; nothing if it is not there or no file of ours."""
        try:
            return _STATES.validate_json(self._path.read_bytes())
        except (OSError, ValueError):
            return ()

    def remove(self) -> None:
        """Nothing runs any more. Raises OSError."""
        self._path.unlink(missing_ok=True)

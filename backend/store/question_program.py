"""The process in which SQL of somebody else's is asked: `python -m backend.store.question_program`.

The first frame says what is asked. A script's questions are asked of copies, once every right has been given up; the user's
conditions are asked of the database itself, which is opened to be read.
"""

import json
import sys
import threading  # noqa: F401 - imported before no file can be opened any more
import time
from contextlib import suppress

from backend.adapters.sandbox.confinement import confine, end_with_parent
from backend.adapters.sandbox.frames import FrameError, read_frame, write_frame
from backend.ports.question_process import ANSWER, SCRIPT
from backend.store.foreign_sql import HEAP_BYTES, limit_memory
from backend.store.script_database import ScriptDatabase

_LARGEST = 2 * HEAP_BYTES
_PROCESSOR_SECONDS = 180
"""More than all questions of a run may take."""


def main() -> None:
    """Answer until there are no more questions."""
    end_with_parent()
    first = read_frame(sys.stdin.buffer)
    if first is not None and first.kind == SCRIPT:
        _answer_script(**json.loads(first.raw))


def _answer_script(tables: dict[str, list[str]], now: int) -> None:
    limit_memory()
    database = ScriptDatabase(tables, now)
    time.localtime()  # the time zone's file is read now
    layers = confine(3 * HEAP_BYTES, _PROCESSOR_SECONDS)
    write_frame(sys.stdout.buffer, ANSWER, json.dumps({"layers": layers}).encode())
    with suppress(FrameError):
        while (frame := read_frame(sys.stdin.buffer, _LARGEST)) is not None:
            write_frame(sys.stdout.buffer, *database.answer(*frame))


if __name__ == "__main__":
    main()

"""The process in which SQL of somebody else's is asked: `python -m backend.store.question_program`.

The first frame says what is asked. A script's questions are asked of copies, once every right has been given up; the user's
conditions are asked of the database itself, which is opened to be read.
"""

import json
import sqlite3
import sys
import threading  # noqa: F401 - imported before no file can be opened any more
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from backend.machine.confinement import confine, end_with_parent
from backend.machine.frames import Frame, FrameError, read_frame, write_frame
from backend.ports.question_process import ANSWER, SCRIPT
from backend.store.foreign_sql import HEAP_BYTES, bound, limit_memory
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
    elif first is not None:
        _answer_conditions(first)


def _answer_script(tables: dict[str, list[str]], now: int) -> None:
    limit_memory()
    database = ScriptDatabase(tables, now)
    time.localtime()  # the time zone's file is read now
    layers = confine(3 * HEAP_BYTES, _PROCESSOR_SECONDS)
    write_frame(sys.stdout.buffer, ANSWER, json.dumps({"layers": layers}).encode())
    with suppress(FrameError):
        while (frame := read_frame(sys.stdin.buffer, _LARGEST)) is not None:
            write_frame(sys.stdout.buffer, *database.answer(*frame))


def _opened(question: Mapping[str, Any], image: bytes) -> sqlite3.Connection:
    if not question["in_image"]:
        uri = f"{Path(question['path']).as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, isolation_level=None)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(image)
    return connection


def _answer_conditions(frame: Frame | None) -> None:
    """Each on a connection of its own, which sees what is there when it is asked."""
    from backend.store.functions import add_functions  # noqa: PLC0415 - a script's questions need none of it, and start sooner
    from backend.store.queries.turn.user_query import QueryRefusedError, first_value  # noqa: PLC0415

    limit_memory()
    while frame is not None:
        size = int.from_bytes(frame.raw[:4], "little")
        question = json.loads(frame.raw[4 : 4 + size])
        until = time.monotonic() + question["seconds"]
        try:
            with closing(_opened(question, frame.raw[4 + size :])) as connection:
                add_functions(connection)
                connection.execute("PRAGMA query_only=1")
                bound(connection)
                connection.set_progress_handler(partial(_is_over, until), 100_000)
                answer = {"value": first_value(connection, question["select"], question["campaign"])}
                raw = json.dumps(answer, default=lambda raw: {"bytes": raw.hex()}).encode()
        except QueryRefusedError as refused:
            raw = json.dumps({"refused": str(refused)}).encode()
        except (sqlite3.Error, MemoryError) as error:
            if "interrupted" in str(error):
                raw = b'{"late": true}'
            else:
                raw = json.dumps({"refused": str(error) or "it needs more memory than it may have"}).encode()
        write_frame(sys.stdout.buffer, ANSWER, raw)
        frame = read_frame(sys.stdin.buffer)


def _is_over(until: float) -> int:
    return int(time.monotonic() > until)


if __name__ == "__main__":
    main()

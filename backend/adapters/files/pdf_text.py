"""The process that reads the beginning of PDF files, which may be anything: it is bounded, and killed when it takes too long.

A program of its own: `-m backend.adapters.files.pdf_text MEGABYTES`. A line of JSON with a path is answered by a line: what
was read, or why it was not.
"""

import contextlib
import io
import json
import logging
import os
import stat
import sys
import warnings
from typing import Any, BinaryIO

from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, WrongPasswordError

from backend.machine.process_limits import set_limits

MOST_BYTES = 64 << 20
PAGES = 3
TEXT = 400
_MARK = b"%PDF-"
_MARK_WITHIN = 1_024


class _UnreadableError(Exception):
    """Why a file is not read, in words."""


def _read(path: str) -> dict[str, Any]:
    """Pages and the beginning of the text, or `unreadable`."""
    try:
        with _opened(path) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        return {"unreadable": error.strerror or "it cannot be opened"}
    except _UnreadableError as error:
        return {"unreadable": str(error)}
    if _MARK not in content[:_MARK_WITHIN]:
        return {"unreadable": "it is no PDF" if content else "it is empty"}
    try:
        return _text(PdfReader(io.BytesIO(content), strict=False))
    except (FileNotDecryptedError, WrongPasswordError):
        return {"unreadable": "it is encrypted"}
    except MemoryError:
        return {"unreadable": "it takes too much memory"}
    except Exception:  # noqa: BLE001 - a broken file may break a parser in any way
        return {"unreadable": "it is broken"}


def _opened(path: str) -> BinaryIO:
    """An ordinary file that is no link, opened without waiting for anybody."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    file_status = os.fstat(file.fileno())
    if stat.S_ISREG(file_status.st_mode) and file_status.st_size <= MOST_BYTES:
        return file
    file.close()
    raise _UnreadableError("it is too large" if stat.S_ISREG(file_status.st_mode) else "it is no ordinary file")


def _text(reader: PdfReader) -> dict[str, Any]:
    if reader.is_encrypted and not reader.decrypt(""):
        return {"unreadable": "it is encrypted"}
    pages, text = len(reader.pages), ""
    for number in range(min(pages, PAGES)):
        text += " " + reader.pages[number].extract_text()
        if len(text) > TEXT * 4:
            break
    words = " ".join(text.encode("utf-8", "replace").decode().split())
    return {"pages": pages, "text": words[:TEXT]}


def main() -> None:
    """Answer line by line."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    logging.disable()
    warnings.simplefilter("ignore")
    set_limits(AS=int(sys.argv[1]) << 20, FSIZE=0, CORE=0)
    answers.write(b'{"ready": true}\n')
    for line in sys.stdin.buffer:
        answer = {"unreadable": "it takes too much memory"}
        with contextlib.suppress(MemoryError):
            answer = _read(json.loads(line))
        answers.write(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()

"""The one exception that reaches people: it has a code, says what happened, and what to do (`values.error_table`)."""

import errno
import traceback
from collections.abc import Callable, Iterator, Mapping

from backend.domain.values.error_table import ERRORS, ErrorCode


class OutriderError(Exception):
    """An error with a stable `code`, a `sentence` and a `remedy`; `facts` fill the templates of its row."""

    def __init__(self, code: ErrorCode, /, **facts: object) -> None:
        row = ERRORS[code]
        self.code = code
        self.facts = facts
        self.sentence = _written(row.sentence.format_map(facts))
        self.remedy = _written(row.remedy.format_map(facts))
        super().__init__(f"{self.sentence} {self.remedy} [{code}]")


def _written(text: str) -> str:
    """As it can be written anywhere: a byte of a file's name that is no letter is told by its number."""
    return text.encode("utf-8", "backslashreplace").decode()


_OF_MACHINE: Mapping[int, ErrorCode] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "disk_full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "disk_refused"),
    **dict.fromkeys((errno.EIO, errno.ENXIO, errno.ENODEV, errno.ESTALE), "disk_failed"),
    **dict.fromkeys((errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR), "path_unusable"),
    **dict.fromkeys((errno.ENOMEM, errno.EMFILE, errno.ENFILE), "machine_exhausted"),
}
"""By what the system refuses when no defect of ours is behind it. A missing file is not among them: mostly that is one."""


def machine_error(error: BaseException) -> OutriderError | None:
    """What this computer refused, as an error that a person can do something about; None for anything else."""
    if isinstance(error, MemoryError):
        return OutriderError("machine_exhausted", detail="no memory is left")
    if not isinstance(error, OSError) or (code := _OF_MACHINE.get(error.errno or 0)) is None:
        return None
    return OutriderError(code, path=error.filename or "its files", detail=error.strerror)


def as_told(error: BaseException) -> OutriderError:
    """The error as people are told it: with its own code, by what the computer refused, or as a defect of ours."""
    if isinstance(error, OutriderError):
        return error
    return machine_error(error) or OutriderError("internal_error")


def without_words(error: BaseException, shortened: Callable[[str], str] = lambda file: file) -> Iterator[str]:
    """An error and what led to it, for a report: types, codes and places in the code, their files `shortened`, a line each.

    No message: it may quote what it choked on, and that is somebody's words, or a key.
    """
    chain: BaseException | None = error
    while chain is not None:
        yield f"{type(chain).__name__} {chain.code}" if isinstance(chain, OutriderError) else type(chain).__name__
        for frame in traceback.extract_tb(chain.__traceback__):
            yield f"  {shortened(frame.filename)}:{frame.lineno} {frame.name}"
        chain = chain.__cause__ or chain.__context__


def defect_report(error: BaseException) -> str:
    """The same for whoever reads what this process prints."""
    return "\n".join(("Traceback, without messages:", *without_words(error), ""))

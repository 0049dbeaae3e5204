"""Looks at files in a campaign's folder, and starts approved programs there: bounded in time, without a shell, killed whole."""

import contextlib
import hashlib
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from backend.adapters.child_processes import FINDING, LANGUAGE, PLACES, ProcessTree, own_group, passed_on
from backend.domain.turn.commitments import CommandSucceeds, FileContains, FileExists, OutsidePromise

PIECE = 1 << 20
_PASSED_ON = (*FINDING, *PLACES, *LANGUAGE)
"""What a program is told of our environment: no keys, and nothing that would load other code into it."""


class CampaignFolderChecks:
    """The `OutsideChecks` on this machine; `folder` says where a campaign's folder is, `seconds` how long a file may be read."""

    def __init__(self, folder: Callable[[str], Path], *, seconds: float = 30.0) -> None:
        self._folder = folder
        self._seconds = seconds

    def check(self, campaign_id: str, promise: OutsidePromise) -> tuple[bool, str]:
        """Whether it is so, and what was found."""
        folder = self._folder(campaign_id)
        try:
            if isinstance(promise, CommandSucceeds):
                return _run(folder, promise)
            with _opened(folder, promise.path) as file:
                deadline = time.monotonic() + self._seconds
                return _holds(file, promise, deadline)
        except TimeoutError:
            return False, f"the check took longer than {self._seconds:g} s"
        except (OSError, ValueError) as error:
            return False, getattr(error, "strerror", None) or str(error)


@contextlib.contextmanager
def _opened(folder: Path, path: str) -> Iterator[BinaryIO]:
    """An ordinary file within the folder, wherever links lead."""
    resolved_path = (folder / path).resolve(strict=True)
    if not resolved_path.is_relative_to(folder.resolve()):
        raise ValueError("the file is outside of the campaign's folder")
    if not stat.S_ISREG(resolved_path.stat().st_mode):
        raise ValueError("it is no ordinary file")
    with resolved_path.open("rb") as file:
        yield file


def _holds(file: BinaryIO, promise: FileExists | FileContains, deadline: float) -> tuple[bool, str]:
    if isinstance(promise, FileContains):
        expected_bytes, rest = promise.text.encode(), b""
        for piece in _pieces(file, deadline):
            if expected_bytes in (rest := rest + piece):
                return True, "the text is in the file"
            rest = rest[-len(expected_bytes) :]
        return False, "the text is not in the file"
    if promise.sha256 is None:
        return True, "the file is there"
    digest = hashlib.sha256()
    for piece in _pieces(file, deadline):
        digest.update(piece)
    same = digest.hexdigest() == promise.sha256
    return same, "the file is there, as it was named" if same else f"the file there has SHA-256 {digest.hexdigest()}"


def _pieces(file: BinaryIO, deadline: float) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        if time.monotonic() > deadline:
            raise TimeoutError
        yield piece


def _run(folder: Path, promise: CommandSucceeds) -> tuple[bool, str]:
    """Whatever it starts ends with it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    process = subprocess.Popen(  # noqa: S603 - the user approved exactly this command on this device
        list(promise.argv),
        cwd=folder,
        env=passed_on(_PASSED_ON),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **own_group(),
    )
    tree = ProcessTree(process)
    try:
        status = process.wait(promise.timeout_s)
    except subprocess.TimeoutExpired:
        return False, f"the command took longer than {promise.timeout_s} s and was ended"
    finally:
        tree.kill()
        process.wait()
    return status == promise.exit_code, f"the command ended with status {status}"

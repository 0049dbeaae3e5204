"""Limits and pipes of our processes where a system lacks or refuses them: what asks for them goes on."""

import errno
import os
import sys

import pytest

from backend.adapters import line_process
from backend.machine import process_limits
from tests import posix


@pytest.mark.posix
@pytest.mark.parametrize("error", [OSError(errno.EINVAL, os.strerror(errno.EINVAL)), ValueError("not permitted")])
@pytest.mark.parametrize(("system", "refused"), [("darwin", False), ("linux", True)])
def test_only_macos_may_refuse_to_bound_the_address_space(
    monkeypatch: pytest.MonkeyPatch, system: str, refused: bool, error: Exception
) -> None:
    posix.needed()
    import resource  # noqa: PLC0415 - of POSIX

    limits: dict[int, tuple[int, int]] = {}

    def setrlimit(kind: int, most: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS:
            raise error
        limits[kind] = most

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    monkeypatch.setattr(sys, "platform", system)
    if refused:
        with pytest.raises(type(error)):
            process_limits.set_limits(AS=1 << 30, CORE=0)
    else:
        process_limits.set_limits(AS=1 << 30, CORE=0)
        assert limits == {resource.RLIMIT_CORE: (0, 0)}


def test_a_python_that_cannot_unblock_pipes_talks_to_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 on Windows, where the pipe is told by the system's own means instead."""
    written: list[int] = []
    monkeypatch.delattr(os, "set_blocking", raising=False)
    monkeypatch.setattr(line_process, "_write_without_waiting_on_windows", written.append)
    monkeypatch.setattr(sys, "platform", "win32")
    reading, writing = os.pipe()
    try:
        line_process._write_without_waiting(writing)
        assert written == [writing]
    finally:
        os.close(reading)
        os.close(writing)

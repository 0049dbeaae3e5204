"""What the operating system refuses is told by its kind; only what nobody can explain counts as a defect of ours."""

import errno
import os
import re

import pytest

from backend.domain.values.error_table import ERRORS, ErrorCode
from backend.domain.values.errors import OutriderError, as_told, machine_error


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),  # no inode left, too
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "disk_refused"),
        (errno.EACCES, "disk_refused"),
        (errno.EPERM, "disk_refused"),
        (errno.EIO, "disk_failed"),
        (errno.ELOOP, "path_unusable"),
        (errno.ENAMETOOLONG, "path_unusable"),
        (errno.ENOTDIR, "path_unusable"),
        (errno.ENOMEM, "machine_exhausted"),
        (errno.EMFILE, "machine_exhausted"),
    ],
)
def test_what_the_computer_refuses_names_the_file_and_the_reason(number: int, code: str) -> None:
    error = as_told(OSError(number, os.strerror(number), "a/file"))
    assert error.code == code
    assert os.strerror(number) in error.sentence
    assert code == "machine_exhausted" or "a/file" in error.sentence
    assert as_told(OSError(number, os.strerror(number))).code == code, "one without a name is told, too"


def test_no_memory_is_the_computer_s() -> None:
    assert as_told(MemoryError()).code == "machine_exhausted"


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        FileNotFoundError(errno.ENOENT, "x", "y"),
        OSError("without a number"),
        ConnectionResetError(104, "x"),
    ],
)
def test_what_nobody_can_explain_is_a_defect(error: Exception) -> None:
    assert machine_error(error) is None
    assert as_told(error).code == "internal_error"


def test_what_has_a_code_keeps_it() -> None:
    error = OutriderError("closing")
    assert as_told(error) is error


@pytest.mark.parametrize("code", [code for code, row in ERRORS.items() if re.search(r"\b[Pp]ress\b", row.remedy)])
def test_a_remedy_that_names_a_button_says_what_to_do_in_a_terminal(code: ErrorCode) -> None:
    assert "command" in ERRORS[code].remedy


WITHOUT_WINDOW = {
    "proof_not_accepted", "headless_forbidden", "display_missing", "import_unfinished", "campaign_in_error", "not_a_rehearsal",
    "data_dir_unusable", "data_folder_gone", "on_network_drive", "agent_input_missing",
}  # fmt: skip
"""What is told in a terminal alone, or is about how Outrider was started."""


def test_an_option_is_told_with_its_command_or_where_there_is_one() -> None:
    bare = {code for code, row in ERRORS.items() if re.search(r"--[a-z]", re.sub(r"`outrider [^`]*`", "", row.remedy))}
    assert bare - WITHOUT_WINDOW == {"lead_file_unknown_format"}, "which names the window first"

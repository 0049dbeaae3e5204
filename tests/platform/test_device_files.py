"""A name from elsewhere becomes no device of Windows's, whoever makes a file of it."""

from pathlib import Path

import pytest

from backend.adapters.files.content_files import path_inside
from backend.api.server.file_tickets import safe_name
from backend.domain.device.device_files import is_device
from backend.domain.values.errors import OutriderError

DEVICES = [
    "NUL", "nul.txt", "NUL .txt", "NUL  ", "con.tar.gz", "Aux", "PRN.csv", "COM1", "lpt9.log", "COM¹", "LPT² .x", "CONIN$",
    "conout$.txt", "nul:stream",
]  # fmt: skip
FILES = ["null", "NUL_.txt", "console.txt", "com", "COM10", "aux-1.csv", "my nul.txt", "_NUL"]


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_is_no_file(name: str, tmp_path: Path) -> None:
    assert is_device(name)
    assert not is_device(safe_name(name))
    with pytest.raises(OutriderError) as refused:
        path_inside(tmp_path, name)
    assert refused.value.code == "path_refused"


@pytest.mark.parametrize("name", FILES)
def test_what_only_looks_like_one_is_a_file(name: str) -> None:
    assert not is_device(name)
    assert safe_name(name) == name

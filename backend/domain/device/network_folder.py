"""Whether a folder is on another computer, by its path on Windows: neither locks nor a database's memory are shared there."""

from collections.abc import Callable

REMOTE_DRIVE = 4
"""What Windows says of a letter that stands for a folder of another computer."""


def is_on_network(folder: str, drive_type: Callable[[str], int]) -> bool:
    """Of an absolute path on Windows; `drive_type` says what a root such as `Z:\\` stands for."""
    path = folder.replace("/", "\\")
    if path.upper().startswith("\\\\?\\UNC\\"):
        return True
    path = path.removeprefix("\\\\?\\")
    if path.startswith("\\\\"):
        return not path.startswith("\\\\.\\")
    return path[1:2] == ":" and drive_type(path[:2] + "\\") == REMOTE_DRIVE

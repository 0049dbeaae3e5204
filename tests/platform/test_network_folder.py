"""A data folder on another computer is told as that, however Windows writes its path."""

import pytest

from backend.domain.device.network_folder import is_on_network

DRIVES = {"C:\\": 3, "D:\\": 2, "Z:\\": 4}


@pytest.mark.parametrize(
    ("folder", "on_network"),
    [
        (r"C:\Data\me\Outrider", False),
        ("C:/Data/me/Outrider", False),
        (r"D:\stick", False),
        (r"\\?\C:\Data\me", False),
        (r"\\.\C:\Data\me", False),
        (r"Z:\Outrider", True),
        (r"\\?\Z:\Outrider", True),
        (r"\\server\share\Outrider", True),
        ("//server/share/Outrider", True),
        (r"\\?\UNC\server\share\Outrider", True),
        (r"\\wsl.localhost\Ubuntu\home\me", True),
    ],
)
def test_a_folder_is_on_the_network(folder: str, on_network: bool) -> None:
    assert is_on_network(folder, DRIVES.__getitem__) == on_network

"""Where a data folder is not safe: on another computer, where locks and a database's memory are not shared, or too deep."""

import re
from collections.abc import Callable

REMOTE_DRIVE = 4
"""What Windows says of a letter that stands for a folder of another computer."""

NETWORK_FILE_SYSTEMS = frozenset((
    "9p", "afs", "ceph", "cifs", "coda", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "prl_fs", "smb3",
    "smbfs", "vboxsf", "fuse.davfs", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse",
))  # fmt: skip
"""As Linux calls them; those by which a virtual machine sees its host's folders, too."""

LOCAL_ON_MACOS = 0x0000_1000
"""MNT_LOCAL, among the flags of macOS's `statfs`: where the file system is stored."""
_FLAGS_IN_STATFS = slice(64, 68)
STATFS_BYTES = 2168
"""What macOS fills in, with 64-bit inodes."""


_PLACE, _WORDS_BEFORE_SEPARATOR = 4, 6
"""In a line of `/proc/self/mountinfo`: where the place stands, and how much stands at least before the separator."""

_SYNCED = (
    (r"onedrive( - .*)?|onedrive-.*", "OneDrive"),
    (r"dropbox( \(.*\))?|dropbox-.*", "Dropbox"),
    (r"google drive|googledrive-.*|my drive", "Google Drive"),
    (r"mobile documents|iclouddrive|com~apple~clouddocs", "iCloud Drive"),
    (r"nextcloud|owncloud", "Nextcloud"),
)


LONGEST_INSIDE = 160
"""Characters of the longest path in a data folder, which is one of the browser's profile."""
_LONGEST_ON_WINDOWS = 259


def is_too_long_for_windows(folder: str) -> bool:
    """Whether files in it have longer paths than Windows opens where its administrator allowed no long ones."""
    return len(folder) + len("\\") + LONGEST_INSIDE > _LONGEST_ON_WINDOWS


def syncing_program(folder: str) -> str:
    """Which program copies a folder to other computers, by what such programs call theirs; empty if none is known to."""
    for part in re.split(r"[/\\]", folder.lower()):
        for pattern, name in _SYNCED:
            if re.fullmatch(pattern, part):
                return name
    return ""


def is_on_network(folder: str, drive_type: Callable[[str], int]) -> bool:
    """Of an absolute path on Windows; `drive_type` says what a root such as `Z:\\` stands for."""
    path = folder.replace("/", "\\")
    if path.upper().startswith("\\\\?\\UNC\\"):
        return True
    path = path.removeprefix("\\\\?\\")
    if path.startswith("\\\\"):
        return not path.startswith("\\\\.\\")
    return path[1:2] == ":" and drive_type(path[:2] + "\\") == REMOTE_DRIVE


def is_mounted_from_network(folder: str, mounts: str) -> bool:
    """Of an absolute path on Linux without links; `mounts` is `/proc/self/mountinfo`, of which the last place that fits holds."""
    file_system, depth = "", -1
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        words = before.split(" ")
        if not separator or len(words) < _WORDS_BEFORE_SEPARATOR:
            continue
        place = _unescaped(words[_PLACE]).rstrip("/")
        if (folder == place or folder.startswith(f"{place}/")) and len(place) >= depth:
            file_system, depth = after.split(" ")[0], len(place)
    return file_system in NETWORK_FILE_SYSTEMS


def _unescaped(place: str) -> str:
    """Blanks, tabs, line ends and backslashes are written as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), place)


def is_remote_on_macos(statfs: bytes) -> bool:
    """By what macOS's `statfs` filled in for a path."""
    return not int.from_bytes(statfs[_FLAGS_IN_STATFS], "little") & LOCAL_ON_MACOS

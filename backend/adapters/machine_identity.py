"""Which machine this is: what the operating system calls itself since it was installed, hashed, so that it tells nothing else."""

import ctypes
import hashlib
import hmac
import sys
import uuid
from contextlib import suppress
from pathlib import Path

LINUX_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
PURPOSE = b"outrider: which machine a data folder is on"


def machine_identity() -> str:
    """The same on one machine for as long as its system is installed, another one elsewhere; "" where nothing tells."""
    return hashed(_system_id())


def hashed(system_id: str) -> str:
    """What is kept of the system's own id; "" of none."""
    normalised_id = system_id.strip().lower()
    return hmac.new(normalised_id.encode(), PURPOSE, hashlib.sha256).hexdigest() if normalised_id else ""


def _system_id() -> str:
    if sys.platform == "win32":
        return _windows()
    return _mac() if sys.platform == "darwin" else linux_id()


def linux_id(files: tuple[Path, ...] = LINUX_FILES) -> str:
    """The first id that is there; a system that has not made one yet says so in words."""
    for file in files:
        with suppress(OSError, ValueError):
            return uuid.UUID(file.read_text(encoding="ascii").strip()).hex
    return ""


def _mac() -> str:
    """The hardware's UUID, which the C library tells."""
    with suppress(OSError, AttributeError):
        buffer = ctypes.create_string_buffer(16)
        no_wait = (ctypes.c_long * 2)(0, 0)
        if ctypes.CDLL(None).gethostuuid(buffer, no_wait) == 0:
            return uuid.UUID(bytes=buffer.raw).hex
    return ""


def _windows() -> str:
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 - only there

        with suppress(OSError):
            access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
            registry_path = r"SOFTWARE\Microsoft\Cryptography"
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, registry_path, 0, access) as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
    return ""

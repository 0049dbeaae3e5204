"""How the tests' Chromium is started: the system's where there is one; its sandbox cannot be had as root."""

import shutil
from typing import Any

_system = shutil.which("chromium")

CHROMIUM: dict[str, Any] = {
    "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    **({"executable_path": _system} if _system else {}),
}

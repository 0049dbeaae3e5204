"""The end that no process can catch or prepare for, as each system has it: SIGKILL, or what Windows does at any signal."""

import signal
import sys
from typing import Final

KILL: Final[signal.Signals] = getattr(signal, "SIGKILL", signal.SIGTERM)
"""`os.kill` ends a process with it at once."""
KILLED: Final = KILL if sys.platform == "win32" else -KILL
"""The `returncode` of a process that ended so."""

"""A program that opens the display as the window would, and ends: Qt aborts it where there is none (`adapters/display.py`)."""

import sys

from PySide6.QtGui import QGuiApplication

if __name__ == "__main__":
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    QGuiApplication([])

"""Which browser the user chose for this device, in a file of the data folder that is never synchronised."""

import re
from pathlib import Path

from backend.adapters.browser.chromium import browser_version, find_browser
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import replace_file

FILE = "browser.txt"

PROGRAM_NAME = re.compile(r"chrom|msedge|microsoft[ -]edge|brave", re.IGNORECASE)
"""What the file of every Chromium browser has in its name. Nothing else is executed to ask for its version.

The page may name any path, and a page that somebody else controls must not start just any program.
"""


class BrowserChoice:
    """The choice on a data folder; read anew at each question, so that it holds from the browser's next start."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE

    @property
    def chosen(self) -> str:
        """The chosen browser's program; "" where the choice is left to Outrider."""
        try:
            return self._path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def program(self) -> Path:
        """The browser to use; raises as `find_browser`."""
        return find_browser(chosen=self.chosen)

    def choose(self, program: str) -> None:
        """Use this one from now on, or with "" whichever is found; raises `browser_unusable`, `data_dir_unusable`."""
        if program:
            if not Path(program).is_absolute():
                raise OutriderError("browser_unusable", program=program, detail="its whole path is needed")
            if PROGRAM_NAME.search(Path(program).name) is None:
                detail = "its file is not named like Chrome, Chromium, Edge or Brave"
                raise OutriderError("browser_unusable", program=program, detail=detail)
            browser_version(find_browser({}, chosen=program))
        try:
            replace_file(self._path, f"{program}\n".encode())
        except OSError as error:
            raise OutriderError("data_dir_unusable", path=self._path.parent, detail=error.strerror or error) from error

"""Names that Windows knows as devices in every folder, whatever follows a dot, and behind blanks: `NUL`, `nul.txt`, `NUL .txt`."""

import re

_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *([.:].*)?", re.DOTALL)


def is_device(name: str) -> bool:
    """Whether a file of that name would be no file there."""
    return _DEVICE.fullmatch(name) is not None

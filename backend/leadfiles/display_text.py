"""Text that is safe to show: no control characters, nothing that reorders what follows it."""

import re

_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
# Controls, the bidirectional marks, embeddings, overrides and isolates, and the BOM. The joiners U+200C and U+200D
# stay: Persian spelling and many emoji need them.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def display_text(text: str) -> str:
    """The text on one line, without control and bidirectional characters, trimmed."""
    # Nearly every cell takes this way out.
    if text.isascii() and text.isprintable():
        return text.strip()
    return _UNSAFE.sub("", _BREAKS.sub(" ", text)).strip()

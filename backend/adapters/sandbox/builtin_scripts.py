"""The texts of the scripts that come with Outrider: the files in `builtin/`, named as their keys."""

from pathlib import Path

from backend.domain.device.builtin_scripts import builtin_named

FOLDER = Path(__file__).parent / "builtin"


def builtin_source(key: str) -> str | None:
    """The text of the script with this key, None if there is none."""
    return (FOLDER / f"{key}.py").read_text("utf-8") if builtin_named(key) else None

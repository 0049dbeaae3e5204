"""Newer versions of Outrider: who is asked, what the list there says, and which file is for this system."""

import base64
import binascii
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_ADDRESS = re.compile(r"(https://[^/\s@#?]+|http://127\.0\.0\.1(?::\d+)?)(/[^\s#?]*)?#([\w-]{43}=?)")
OLD = timedelta(days=180)
"""A list made before that may be one that somebody goes on showing so that newer versions stay unknown."""
_MADE = re.compile(r"# made (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_LINE = re.compile(r"([0-9a-f]{64})  ([\w.+-]+)")
_FILES = {
    "linux": r"outrider_(\d+(?:\.\d+)*)_{processor}\.deb",
    "win32": r"outrider-(\d+(?:\.\d+)*)-setup\.exe",
    "darwin": r"Outrider-(\d+(?:\.\d+)*)\.dmg",
}
_DEBIANS_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}


class UpdateSource(NamedTuple):
    """A folder of releases on the web, and whose signature its lists must have."""

    address: str
    public_key: bytes


class Update(NamedTuple):
    """A file that a signed list names."""

    version: str
    name: str
    digest: str


def read_source(text: str) -> UpdateSource:
    """From `https://example.org/outrider/#KEY`, the key in base64; ValueError for anything else."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError("https://…/#KEY, as where you got Outrider says it")
    try:
        key = base64.urlsafe_b64decode(match[3].rstrip("=") + "=")
    except binascii.Error as error:
        raise ValueError("a key of 43 characters after #") from error
    return UpdateSource(f"{match[1]}{(match[2] or '').rstrip('/')}/", key)


def newest(checksums: str, system: str, processor: str) -> Update | None:
    """The newest file for this system in a list of checksums; None if it has none."""
    name_of_processor = _DEBIANS_NAMES.get(processor, processor)
    pattern = re.compile(_FILES[system].replace("{processor}", re.escape(name_of_processor)))
    offered = [
        Update(file[1], row[2], row[1])
        for line in checksums.splitlines()
        if (row := _LINE.fullmatch(line)) and (file := pattern.fullmatch(row[2]))
    ]
    return max(offered, key=lambda update: numbers(update.version), default=None)


def made_at(checksums: str) -> datetime | None:
    """When a list of checksums says that it was made; None if it does not."""
    match = _MADE.fullmatch(checksums.partition("\n")[0])
    try:
        return datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def outdated(names: Iterable[str], here: str) -> list[str]:
    """Of these files those that install no newer version than the one here, on whichever system."""
    pattern = re.compile("|".join(_FILES.values()).replace("{processor}", r"\w+"))
    files = filter(None, map(pattern.fullmatch, names))
    return [file[0] for file in files if numbers(next(filter(None, file.groups()))) <= numbers(here)]


def numbers(version: str) -> tuple[int, ...]:
    """By which versions are ordered; what stands behind them counts for nothing."""
    leading = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in leading[0].split(".")) if leading else ()

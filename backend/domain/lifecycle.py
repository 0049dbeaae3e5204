"""A status machine as a table: which status may follow which, for every noun that has one."""

from enum import StrEnum
from typing import TypeVar

from backend.domain.errors import OutriderError

Status = TypeVar("Status", bound=StrEnum)


def move(noun: str, allowed: dict[Status, frozenset[Status]], state: Status, target: Status) -> Status:
    """`target` if the table allows it, else `OutriderError("illegal_status")`."""
    if target not in allowed[state]:
        raise OutriderError("illegal_status", noun=noun, state=state.value, target=target.value)
    return target

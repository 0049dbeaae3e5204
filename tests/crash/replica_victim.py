"""A device that comes into sync, and kills itself at its n-th boundary.

`main` of a forked process (`tests/forked.py`).
"""

import os
from pathlib import Path

from tests.kills import KILL
from tests.store.devices import Device, FiledSharedStore

PAGE = 2
"""Entries a page and a push: few, so that there are many boundaries."""


def main(database: str, shared_store: str, at: str) -> None:
    device = Device(Path(database), "here")
    for number, _ in enumerate(device.synchronise_by_steps(FiledSharedStore(Path(shared_store)), page=PAGE), 1):
        if number == int(at):
            os.kill(os.getpid(), KILL)
    device.close()

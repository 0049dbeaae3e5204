"""A device whose user decides something all the time, until a line tells of enough, while it acts whenever it may; until it is
told to end, or killed.

`python -m tests.runtime.sync.decider FOLDER NAME URL KEY SITE_PORT CAMPAIGN LAUNCH` prints a line for each decision that
is on disk, and one when the campaign is completed. Some decisions only this device makes; others stand against the other device's.
"""

import sys
import threading
from itertools import count
from pathlib import Path
from random import Random

from backend.adapters.clocks import SystemClock
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.runtime.worker import Workers
from backend.store.log.transaction import Transaction
from tests.runtime.sync.racer import Racer, compete, hurry, say

BETWEEN = 0.05
"""Seconds from one decision to the next: a brisk user."""
SHARED = 3
MADE, DONE = "decided ", "completed"


def decision(transaction: Transaction, campaign_id: str, mark: str, chance: Random) -> tuple[str, Event]:
    """Something that a user may decide now, and in which stream."""
    kind = chance.random()
    if kind < 0.6:
        return WORKSPACE, Event("ConfigSet", mark, {"value": "x" * chance.randrange(300)})
    if kind < 0.85:
        name = f"shared-{chance.randrange(SHARED)}"
        there = transaction.connection.execute("SELECT 1 FROM config_kv WHERE id=?", (name,)).fetchone()
        return WORKSPACE, Event("ConfigChanged" if there else "ConfigSet", name, {"value": mark})
    leads = transaction.connection.execute("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", (campaign_id,))
    return campaign_id, Event("LeadNoted", chance.choice(leads.fetchall())[0], {"notes": mark})


def decide(device: Racer, campaign_id: str, launch: str, over: threading.Event) -> None:
    """One after the other, each with a mark of its own as its cause, until it is over."""
    chance = Random(f"{device.name} {launch}")
    for number in count(1):
        if over.wait(BETWEEN):
            return
        mark = f"{device.name}-{launch}-{number}"
        with device.journal.transaction() as transaction:
            stream, event = decision(transaction, campaign_id, mark, chance)
            transaction.record(stream, [event], actor="user", cause=mark, at=number)
            transaction.audit(stream, [AuditEntry("decided", {"mark": mark})], actor="user", cause=mark, at=number)
        say(f"{MADE}{mark}")


def end_with_a_line(over: threading.Event) -> None:
    """The user has decided enough once a line comes, or nobody is there any more to write one."""
    sys.stdin.readline()
    over.set()


def main(folder: str, name: str, url: str, key: str, port: str, campaign_id: str, launch: str) -> None:
    hurry()
    brisk = Workers(SystemClock(), first_pause=0.05, longest_pause=0.4)
    device, over = Racer(Path(folder), name, url, key, brisk), threading.Event()
    device.engine.open()
    user = threading.Thread(target=decide, args=(device, campaign_id, launch, over))
    user.start()
    enough = threading.Thread(target=end_with_a_line, args=(over,))
    enough.start()
    compete(device, campaign_id, int(port), eager=True)
    say(DONE)
    enough.join()
    user.join()
    sys.stdin.read()
    device.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A program that writes until it is killed: `python -m tests.store.writing_process FILE MODE FIRST`.

It prints `ready`, then `ack N` after each commit; in mode `half` it also prints `half N` inside the transaction and waits.
"""

import sys
import time
from pathlib import Path

from backend.domain.events.events import AuditEntry
from tests.fakes.clock import START
from tests.store.opening import CAMPAIGN, lead_imported, open_journal, task_created


def main(path: str, mode: str, first: int) -> None:
    journal = open_journal(Path(path), f"from {first}")
    print("ready", flush=True)
    number = first
    while True:
        with journal.transaction() as transaction:
            origin = {"actor": "test", "cause": f"write {number}"}
            transaction.audit(CAMPAIGN, [AuditEntry("looked", {"n": number})], **origin, at=START)
            transaction.record(CAMPAIGN, [lead_imported(number)], **origin, at=START)
            if mode == "half" and number > first:
                print("half", number, flush=True)
                time.sleep(60)
            transaction.record(CAMPAIGN, [task_created(number)], **origin, at=START)
        print("ack", number, flush=True)
        number += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

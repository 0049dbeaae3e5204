"""The steps by which one stream comes into step: pushing, pulling, and what happens when another device was first.

Each step is safe to repeat and the process may end between any two. What changes a stream beneath a turn waits until no turn
is in flight; pushing does not, so a turn may push its own intent.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from backend.domain.errors import OutriderError
from backend.domain.events import FENCED
from backend.ports.authority import (
    Appended,
    Authority,
    AuthorityConflictError,
    AuthorityRefusedError,
    Batch,
    Heads,
    LoggedAudit,
    LoggedEvent,
)
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.store import replica, set_aside
from backend.store.journal import Journal, Transaction
from backend.store.replica import OvertakenError
from backend.sync import parts
from backend.sync.state import Phase
from backend.sync.tenure import Tenure

MOST_ENTRIES = 1_000
MOST_BYTES = 1_000_000
PAGE = 1_000

Turn = Callable[[], AbstractContextManager[None]]


class Streams:
    """Both stores' streams. `turn` keeps turns out for as long as it is held; `moved` is called after each step."""

    def __init__(
        self, journal: Journal, blobs: Blobs, tenure: Tenure, clock: Clock, turn: Turn, moved: Callable[[Phase], None]
    ) -> None:
        self._journal = journal
        self._blobs = blobs
        self._tenure = tenure
        self._clock = clock
        self._turn = turn
        self._moved = moved
        self._pushing = threading.Lock()
        self._told: dict[str, Appended] = {}

    # --- pushing ---

    def push(self, authority: Authority, campaign_id: str) -> Appended | None:
        """Everything of this stream; what the authority said when it got the last of it, None if that was before our time.

        Raises `AuthorityConflictError`, and `AuthorityRefusedError("lease_lost")` if it needs the lease and cannot have it.
        """
        while self._push_some(authority, campaign_id):
            self._moved("pushing")
        return self._told.get(campaign_id)

    def _push_some(self, authority: Authority, campaign_id: str) -> bool:
        with self._pushing:
            with self._journal.database.read() as connection:
                batch = replica.outgoing(connection, campaign_id, most=MOST_ENTRIES, most_bytes=MOST_BYTES)
            if batch is None:
                return False
            for file in parts.named(batch.events):
                parts.put(authority, self._blobs, file)
            told = authority.append(batch, self._fence(authority, batch))
            # What stands behind it there, if its answer was lost and others went on, is not ours to acknowledge.
            ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
            with self._writing() as transaction:
                replica.acknowledge(transaction, campaign_id, *ends)
            self._told[campaign_id] = told
            return True

    def _fence(self, authority: Authority, batch: Batch) -> int | None:
        """What an earlier run left behind is recorded with a lease of the moment, if nobody else acts."""
        needed = any(event.kind in FENCED for event in batch.events)
        if needed and self._tenure.fence is None and not self._tenure.acquire(authority):
            raise AuthorityRefusedError("lease_lost", f"{self._tenure.elsewhere} acts")
        return self._tenure.fence

    # --- pulling ---

    def into_step(self, authority: Authority, campaign_id: str, head: Heads | None) -> None:
        """Push what waits, or pull what is there, or both; raises `AuthorityConflictError` if others are quicker still."""
        if head is None or not self.lacks(head):
            self._follow(campaign_id)
            try:
                self.push(authority, campaign_id)
            except AuthorityConflictError:
                head = self.heads(authority).get(campaign_id, Heads(campaign_id, 0, 0))
            else:
                return
        self._pull(authority, head)
        self.push(authority, campaign_id)

    def _follow(self, campaign_id: str) -> None:
        """What a pull left that did not come to its end; what was decided since comes behind it, as it was decided."""
        with self._journal.database.read() as connection:
            if campaign_id not in set_aside.unsettled(connection):
                return
        with self._turn(), self._writing() as transaction:
            replica.set_aside(transaction, campaign_id, self._clock.now())
            replica.follow(transaction, campaign_id, self._clock.now())

    def unsettled(self) -> list[str]:
        """The streams of which something waits here: to be pushed, or to follow again after it was overtaken."""
        with self._journal.database.read() as connection:
            return list(dict.fromkeys([*replica.behind(connection), *set_aside.unsettled(connection)]))

    def heads(self, authority: Authority) -> dict[str, Heads]:
        """Where its streams end. Raises `authority_behind` if it has less than it acknowledged."""
        with self._journal.database.read() as connection:  # before it is asked: meanwhile it only gets more
            known = connection.execute("SELECT campaign_id, event_seq, audit_seq FROM acknowledged").fetchall()
        heads = {head.campaign_id: head for head in authority.streams()}
        for campaign_id, *here in known:
            there = heads.get(campaign_id, Heads(campaign_id, 0, 0))
            if there.event_seq < here[0] or there.audit_seq < here[1]:
                raise OutriderError("authority_behind", campaign=campaign_id, there=sum(there[1:]), here=sum(here))
        return heads

    def lacks(self, head: Heads) -> bool:
        """Whether the authority has entries of this stream that were never adopted here."""
        event_seq, audit_seq = self.known(head.campaign_id)
        return head.event_seq > event_seq or head.audit_seq > audit_seq

    def known(self, campaign_id: str) -> tuple[int, int]:
        """Up to where both logs of the stream are the authority's."""
        with self._journal.database.read() as connection:
            row: tuple[int, int] | None = connection.execute(
                "SELECT event_seq, audit_seq FROM acknowledged WHERE campaign_id=?", (campaign_id,)
            ).fetchone()
        return row or (0, 0)

    def _pull(self, authority: Authority, head: Heads) -> None:
        """Adopt page by page; whatever of ours stands in the way is set aside, and comes back with the last page.

        Not after it: what is decided between the two would stand before what was decided earlier.
        """
        campaign_id = head.campaign_id
        while self.lacks(head):
            event_seq, audit_seq = self.known(campaign_id)
            events = authority.pull_events(campaign_id, event_seq, PAGE) if head.event_seq > event_seq else ()
            audits = authority.pull_audits(campaign_id, audit_seq, PAGE) if head.audit_seq > audit_seq else ()
            if not events and not audits:
                raise OutriderError("authority_log_broken", log="event_log", campaign=campaign_id, seq=event_seq + 1,
                    detail="it is not there")  # fmt: skip
            with self._turn():
                try:
                    with self._writing() as transaction:
                        self._adopt(transaction, head, events, audits)
                except OvertakenError:
                    with self._writing() as transaction:
                        replica.set_aside(transaction, campaign_id, self._clock.now())
                        self._adopt(transaction, head, events, audits)
            self._moved("pulling")

    def _adopt(
        self, transaction: Transaction, head: Heads, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]
    ) -> None:
        replica.adopt(transaction, head.campaign_id, events, audits)
        ended = not events or events[-1].seq >= head.event_seq, not audits or audits[-1].seq >= head.audit_seq
        if all(ended):
            replica.follow(transaction, head.campaign_id, self._clock.now())

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """What an authority answered is of no other project: raises `not_attached` once this one is not attached any more."""
        with self._journal.transaction() as transaction:
            attached = replica.project(transaction.connection)
            if attached is None or attached.device_id != self._tenure.device.id:
                raise OutriderError("not_attached")
            yield transaction

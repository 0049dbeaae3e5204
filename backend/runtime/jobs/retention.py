"""Removes the files that the retention policy lets go, once a day, and tells what it removed in the workspace's audit log."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from backend.domain.device.retention import RetentionPolicy, believes_clock, evidence_may_go, is_over, ledger_may_go
from backend.domain.events.events import WORKSPACE, AuditEntry
from backend.domain.model.campaign import DAY
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.ports.clock import Clock
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.machine_info import file_size
from backend.store import backup
from backend.store.log.journal import Journal
from backend.store.queries.device import retained_files

FIRST_SECONDS = 60.0
"""After the start of the app, which has more urgent things to read."""


class Removed(Shape):
    """How many files went, and their size."""

    files: int
    bytes: int


class Retention:
    """`evidence` is the folder of pictures, `forget` removes some of them by name; `ledgers` the folder of rehearsals."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        evidence: Path,
        forget: Callable[[Iterable[str]], object],
        ledgers: Path,
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._evidence = evidence
        self._forget = forget
        self._ledgers = ledgers
        self._last_round: int | None = None

    def policy(self) -> RetentionPolicy:
        """As the user set it."""
        return self._journal.database.query(retained_files.policy)

    def daily(self) -> float:
        """One round of background work; in how many seconds the next one is due."""
        with suppress(OutriderError):  # entries are missing: the user decides first
            RecordLoss(self._journal).refuse()
            now, last_known = self._clock.now(), self._last_round
            self._last_round = now
            if last_known is None:
                # What was recorded within a day may be by the same clock, at an earlier start.
                last_known = self._journal.database.query(retained_files.newest_entry, now - DAY)
            if believes_clock(now, last_known):
                self.apply()
        return DAY / 1_000

    def apply(self) -> Removed:
        """Remove what may go by now. Raises OSError for what cannot be removed; the next round tries it again."""
        with self._journal.database.read() as connection:
            policy = retained_files.policy(connection)
            over = retained_files.campaigns_over(connection)
            uses = retained_files.evidence_uses(connection)
        now = self._clock.now()
        pictures = [
            path
            for path in _files(self._evidence)
            if evidence_may_go(_written_at(path), uses.get(self._name(path), ()), policy, now)
        ]
        ledgers = [
            path
            for ledger in self._ledgers.glob("*.jsonl")
            if ledger_may_go(_written_at(ledger), policy, now, done=ledger.stem in over)
            for path in self._ledgers.glob(f"{ledger.stem}.*")
        ]
        replaced = [
            path
            for path in backup.set_aside(self._journal.database.path)
            if is_over(_written_at(path), policy.replaced_database_days, now)
        ]
        return self._remove(pictures, ledgers, replaced)

    def remove_replaced(self) -> Removed:
        """Remove every database that a restore replaced, however new it is."""
        return self._remove([], [], list(backup.set_aside(self._journal.database.path)))

    def remove_replaced_before_erasure(self) -> Removed:
        """Remove those of them that had not heard of all that is erased by now."""
        return self._remove([], [], backup.set_aside_before_erasure(self._journal.database))

    def _remove(self, pictures: list[Path], ledgers: list[Path], replaced: list[Path]) -> Removed:
        removed_paths = [*pictures, *ledgers, *replaced]
        removed = Removed(files=len(removed_paths), bytes=sum(file_size(path) for path in removed_paths))
        if not removed_paths:
            return removed
        # Recorded first: what is gone without a word would look like damage.
        parameters = {
            "evidence": len(pictures),
            "rehearsals": len(ledgers),
            "databases": len(replaced),
            "bytes": removed.bytes,
        }
        entry = AuditEntry("file.remove", {"parameters": parameters, "outcome": "ok"})
        self._journal.record(
            WORKSPACE, events=(), audits=(entry,), actor="system", cause="retention", at=self._clock.now()
        )
        self._forget(map(self._name, pictures))
        for path in (*ledgers, *replaced):
            path.unlink(missing_ok=True)
        return removed

    def _name(self, picture: Path) -> str:
        return picture.relative_to(self._evidence).as_posix()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("??/*") if path.is_file())


def _written_at(path: Path) -> int:
    """When it was last written (ms UTC); what vanishes meanwhile is as if it had never been."""
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0

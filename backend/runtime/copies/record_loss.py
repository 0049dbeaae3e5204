"""Committed log entries that are missing: shown, refused while nobody has decided, and gone on without by the user's word."""

from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import ConfigChanged, ConfigSet
from backend.domain.events.record_loss import RECORDS_LOST, LostEntries, describe, describe_all
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.log.heads_file import HeadsKeeper
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import configuration, logs


class RecordLossState(Shape):
    """What is missing, a line each; `unreadable` says why nobody can tell. Both empty: nothing is known to be missing."""

    missing: list[str]
    unreadable: str = ""


class RecordLoss:
    """Asked before anything acts; nothing of it is remembered, because a shared store may bring back what was lost."""

    def __init__(self, journal: Journal) -> None:
        """A journal without heads has nothing to compare, and nothing is ever missing."""
        self._journal = journal

    def state(self) -> RecordLossState:
        """What is missing now. Only reads: a page may look while the disk is full, or while much is being written."""
        heads = self._journal.heads
        try:
            lost = () if heads is None else heads.look()
            names = self._names() if lost else {}
            return RecordLossState(missing=[describe(loss, names) for loss in lost])
        except OutriderError as error:
            if error.code != "heads_unreadable":
                raise
            return RecordLossState(missing=[], unreadable=error.sentence)

    def refusal(self) -> OutriderError | None:
        """The error that `refuse` raises, or None. Only reads, as `state`."""
        heads = self._journal.heads
        try:
            lost = () if heads is None else heads.look()
        except OutriderError as error:
            if error.code != "heads_unreadable":
                raise
            return error
        return OutriderError("records_lost", what=describe_all(lost, self._names())) if lost else None

    def refuse(self) -> None:
        """Raises `records_lost` or `heads_unreadable` while the user has not decided."""
        if lost := self._find():
            raise OutriderError("records_lost", what=describe_all(lost, self._names()))

    def accept(self, now: int) -> RecordLossState:
        """At `now` (ms UTC) the user goes on from what is there; every log that lost entries says so, and the workspace's.

        What was accepted. Nothing is recorded if nothing is missing.
        """
        heads = self._journal.heads
        state = self.state()
        if heads is None or not (state.missing or state.unreadable):
            return state
        lost = () if state.unreadable else self._find()
        with self._journal.transaction() as transaction:
            # A file that cannot be read may have told of a loss anywhere.
            existing_streams = set(logs.last_event_seqs(transaction.connection))
            streams = {loss.stream for loss in lost} if lost else existing_streams
            for stream in sorted((streams & existing_streams) | {WORKSPACE}):
                of_stream = [describe(loss) for loss in lost if stream in (loss.stream, WORKSPACE)]
                before = configuration.campaign_value(transaction.connection, stream, RECORDS_LOST)
                value = canonical({"accepted_at": now, "missing": of_stream or [state.unreadable]})
                fact = (ConfigSet if before is None else ConfigChanged)(RECORDS_LOST, value=value)
                transaction.record(stream, [fact], actor="user", cause="records lost, accepted", at=now)
        _settle(heads, damaged=bool(state.unreadable))
        return state

    def _names(self) -> dict[str, str]:
        return self._journal.database.query(campaigns.names)

    def _find(self) -> tuple[LostEntries, ...]:
        heads = self._journal.heads
        return () if heads is None else heads.check()


def _settle(heads: HeadsKeeper, *, damaged: bool) -> None:
    """Only after it is recorded: a crash in between asks once more."""
    if damaged:
        heads.begin_anew()
    else:
        heads.accept_loss()

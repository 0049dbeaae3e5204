"""Somebody changes a copy of a device's data: whatever it is, Outrider tells of it, refuses with a code, and loses nothing.

All of it happens to copies beside the data folder, so the world goes on as before.
"""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from backend.domain.values.errors import OutriderError
from backend.runtime.copies.portable_proof import proof_page
from backend.runtime.copies.proofs import LogProofs
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import RestoreService, erase_again, restore_at_start
from backend.runtime.jobs.log_check import LogCheck
from backend.runtime.worker import Workers
from backend.store import backup
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.heads_file import HeadsKeeper, heads_path
from backend.store.log.journal import Journal
from backend.store.log.log_signer import LogSigner
from backend.store.queries.campaign import campaigns
from tests.fakes.ids import SeededIds
from tests.fakes.proved import open_signer, verifier

if TYPE_CHECKING:
    from tests.simulation.machine import Launch
    from tests.simulation.world import World

REFUSALS = frozenset({
    "database_corrupt", "database_newer", "database_unread", "database_failed", "backup_damaged", "backup_failed",
    "backup_older", "backup_missing", "log_not_foldable", "log_newer", "heads_unreadable", "records_lost",
})  # fmt: skip
"""What may be said of damaged data."""
LOGS = ("event_log", "audit_log")
IN_LOGS = (*LOGS, "log_heads")
_ROWS = "SELECT campaign_id, seq FROM {} ORDER BY campaign_id, seq"
_CHANGES = (
    "UPDATE {log} SET {payload} = {payload} || ' ' WHERE campaign_id=? AND seq=?",
    "UPDATE {log} SET timestamp = timestamp + 1 WHERE campaign_id=? AND seq=?",
    "UPDATE {log} SET cause = cause || '!' WHERE campaign_id=? AND seq=?",
    "UPDATE {log} SET hash = zeroblob(32) WHERE campaign_id=? AND seq=?",
    "UPDATE {log} SET payload_digest = zeroblob(32), salt = NULL WHERE campaign_id=? AND seq=?",
    "DELETE FROM {log} WHERE campaign_id=? AND seq=?",
    "DELETE FROM log_heads WHERE campaign_id=? AND ?>0",
)
"""Each makes a log that does not chain, whichever entry it meets."""


class Examiner:
    """Who changes the copies at one device, and looks at what is said."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._number = 0

    @property
    def _chance(self) -> random.Random:
        return self._world.chance

    def whim(self, launch: "Launch") -> None:
        """One kind of damage."""
        how = self._chance.choice(
            (self._log, self._end, self._rows, self._file, self._heads, self._proof, self._restore)
        )
        copy = self._copy(launch)
        self._world.tell(f"{launch.name}: a copy of the data is damaged:{how.__name__.replace('_', ' ')}")
        how(launch, copy)
        shutil.rmtree(copy.parent)

    def _copy(self, launch: "Launch") -> Path:
        self._number += 1
        folder = self._world.folder / f"examined-{launch.name.replace(' ', '-')}-{self._number}"
        folder.mkdir()
        copy = folder / "outrider.db"
        launch.database.copy_to(copy)
        with closing(Database(copy)) as database:
            HeadsKeeper(database).begin_anew()
        return copy

    # --- the logs ---

    def _log(self, launch: "Launch", copy: Path) -> None:
        """An entry is another one: whoever verifies names it, or one right behind it."""
        log = self._chance.choice(LOGS)
        with _outside(copy) as outside:
            entries = outside.execute(_ROWS.format(log)).fetchall()
            if not entries:
                return
            stream, seq = self._chance.choice(entries)
            change = self._chance.choice(_CHANGES)
            _without_triggers(outside, log)
            payload = "change_payload" if log == "event_log" else "payload"
            outside.execute(change.format(log=log, payload=payload), (stream, seq))
        what = f"{change.split(' WHERE')[0].format(log=log, payload=payload)} at {seq} of {stream}"
        with _opened(copy) as database:
            reports = database.query(verification.verify)
            if not any(report.broken and report.campaign_id == stream for report in reports):
                self._broken(f"nobody sees {what}")
            for again in (False, True):
                check = LogCheck(Journal(database, SeededIds("examiner")), self._workers(launch))
                if again or "log_heads" not in change:  # what no record of an end speaks of is walked once a launch
                    self._refused(check.verify_again if again else check.verify_new, {"log_broken"}, what)
                    self._refused(check.refuse, {"log_broken"}, what)
            proofs = LogProofs(database, self._workers(launch), launch.signer)
            proofs.begin(stream)
            proofs._worker.run_round()
            proof = proofs.last(stream)
            if not proof.error and not any(line.broken for line in proof.chains):
                self._broken(f"the proof does not see {what}")
        self._refused(lambda: backup.check(_no_present(copy), copy), {"backup_damaged"}, what)

    def _end(self, launch: "Launch", copy: Path) -> None:
        """The last entries are gone, and so is the record of them: the chains are whole, and the file of heads tells."""
        with _outside(copy) as outside:
            row = outside.execute("SELECT campaign_id, event_seq FROM log_heads ORDER BY event_seq DESC").fetchone()
            if row is None or row[1] < 2:
                return
            stream, seq = row
            _without_triggers(outside, "event_log")
            _without_triggers(outside, "log_heads")
            outside.execute("DELETE FROM event_log WHERE campaign_id=? AND seq=?", (stream, seq))
            outside.execute(
                "UPDATE log_heads SET event_seq=event_seq-1, event_hash="
                "(SELECT hash FROM event_log e WHERE e.campaign_id=log_heads.campaign_id AND e.seq=event_seq-1)"
                " WHERE campaign_id=?",
                (stream,),
            )
        with _opened(copy) as database:
            journal = Journal(database, SeededIds("examiner"), HeadsKeeper(database))
            loss = RecordLoss(journal)
            if not loss.state().missing:
                self._broken(f"nobody sees that entry {seq} of {stream} is missing")
            self._refused(loss.refuse, {"records_lost"}, "the end of a log is gone")
            if launch.signer is not None:
                with database.read() as connection:
                    reports = verification.verify_signatures(connection, launch.signer, stream)
                    signed = connection.execute(
                        "SELECT count(*) FROM log_signatures WHERE campaign_id=? AND event_seq=?", (stream, seq)
                    ).fetchone()[0]
                if signed and not any(report.broken for report in reports):
                    self._broken(f"entry {seq} of {stream} was signed, and nobody sees that it is missing")
            loss.accept(launch.device.clock.now())
            if loss.state().missing:
                self._broken("what was accepted as lost is asked about again")

    def _rows(self, launch: "Launch", copy: Path) -> None:
        """A row is another one than the log says: the replay names its table, and makes it again."""
        change, table = self._chance.choice((
            ("UPDATE leads SET company = company || '!'", "leads"),
            ("UPDATE approvals SET status = 'open'", "approvals"),
            ("UPDATE messages SET text = text || ' Bye!'", "messages"),
            ("DELETE FROM tasks", "tasks"),
            ("INSERT INTO turn_projection SELECT * FROM turn_projection LIMIT 0", "turn_projection"),
        ))  # fmt: skip
        with _opened(copy) as database:
            before = _content(copy)
            with _outside(copy) as outside:
                outside.execute("PRAGMA foreign_keys=OFF")
                changed = outside.execute(change).rowcount
            differ = {difference.table for difference in replay.find_differences(database)}
            if changed > 0 and _content(copy) != before and table not in differ:
                self._broken(f"{change} changed {changed} rows, and the replay differs in {differ}")
            replay.rebuild(database, launch.device.clock.now())
            if left := replay.find_differences(database):
                self._broken(f"after a rebuild {left[0]} differs")

    # --- files ---

    def _file(self, launch: "Launch", copy: Path) -> None:
        """The file is damaged, foreign, or half of it: it is refused as it is, or told of, or nothing of it is lost."""
        before = _content(copy)
        self._spoil(copy)
        spoiled = copy.read_bytes()
        try:
            with _opened(copy) as database:
                is_reported = self._says(database)
        except OutriderError as error:
            is_reported = True
            self._coded(error, "a damaged database is opened")
            if error.code == "database_newer" and copy.read_bytes() != spoiled:
                self._broken("a database that was refused was changed")
        if not is_reported and _content(copy) != before:  # of what is in no log nobody can tell
            self._broken("a damaged database is opened, nobody says so, and something in it is another thing")
        copy.write_bytes(spoiled)
        try:
            backup.check(_no_present(copy), copy)
        except OutriderError as error:
            self._coded(error, "a damaged backup is checked")
        else:
            if _content(copy, IN_LOGS) != {table: before[table] for table in IN_LOGS}:
                self._broken("a damaged backup is taken for a sound one")

    def _says(self, database: Database) -> bool:
        """Whether any of what looks at a database says that it is not sound."""
        if database.damage() != "ok":
            return True
        with database.read() as connection:
            broken = any(report.broken for report in verification.verify(connection))
        return broken or bool(replay.find_differences(database)) or bool(HeadsKeeper(database).look())

    def _spoil(self, file: Path) -> None:
        content, chance = bytearray(file.read_bytes()), self._chance
        how = chance.choice(("bytes", "bytes", "half", "empty", "text", "foreign", "newer"))
        if how == "bytes":
            for _ in range(chance.choice((1, 8, 400))):
                content[chance.randrange(len(content))] = chance.randrange(256)
        elif how == "half":
            del content[chance.randrange(1, len(content)) :]
        elif how == "empty":
            content.clear()
        elif how == "text":
            content[:] = b"These are my notes about cooking.\n" * 200
        file.write_bytes(content)
        if how == "foreign":
            file.unlink()
            with _outside(file) as outside:
                outside.execute("CREATE TABLE recipes (name TEXT)")
        elif how == "newer":
            with _outside(file) as outside:
                outside.execute("PRAGMA user_version=4000")

    def _heads(self, launch: "Launch", copy: Path) -> None:
        """The file of heads is damaged: it says so, or what one of its pages says; nothing that is there is called missing."""
        file, chance = heads_path(copy), self._chance
        content = bytearray(file.read_bytes())
        how = chance.choice(("byte", "half", "empty", "text"))
        if how == "byte":
            content[chance.randrange(len(content))] = chance.randrange(256)
        elif how == "half":
            del content[chance.randrange(1, len(content)) :]
        else:
            content[:] = b"" if how == "empty" else b"[1, 2, 3]"
        file.write_bytes(content)
        with _opened(copy) as database:
            loss = RecordLoss(Journal(database, SeededIds("examiner"), HeadsKeeper(database)))
            state = loss.state()
            if state.missing:
                self._broken(f"entries that are there are called missing ({how}): {state.missing}")
            if how in {"empty", "text"} and not state.unreadable:
                self._broken(f"nobody sees that the file of heads is damaged ({how})")
            if state.unreadable:
                self._refused(loss.refuse, {"heads_unreadable"}, "the file of heads is damaged")
            loss.accept(launch.device.clock.now())
            after = loss.state()
            if after.missing or after.unreadable:
                self._broken(f"what was accepted is asked about again: {after}")

    # --- proofs and backups ---

    def _proof(self, launch: "Launch", copy: Path) -> None:
        """A proof to give away holds by a script without our code; with another word in it, it does not."""
        campaign_id = self._world.campaign_id
        with _opened(copy) as database:
            with database.read() as connection:
                if campaigns.campaign(connection, campaign_id) is None or launch.signer is not None:
                    return  # by keys that only pretend nobody else can verify anything
            journal = Journal(database, SeededIds("examiner"), signing=LogSigner(open_signer()))
            seen, now = launch.device.pictures.read, launch.device.clock.now()
            page = b"".join(proof_page(journal, campaign_id, seen, now)).decode()
        script = verifier()
        data, seal = script.block(page, "proof"), script.block(page, "seal")
        problems = _problems(script, data, seal)
        if self._world.shared:  # none of these devices introduced its key: the script takes them for one
            problems = [problem for problem in problems if problem[1] != "this person was on the do-not-contact list"]
        if problems:
            self._broken(f"a proof does not hold: {problems[0]}")
        proof = json.loads(data)
        entry = self._chance.choice(proof["streams"][campaign_id]["events"])
        entry[1] += 1
        if not _problems(script, json.dumps(proof, separators=(",", ":")), seal):
            self._broken("an entry of a proof was changed, and it holds")

    def _restore(self, launch: "Launch", copy: Path) -> None:
        """A backup that was checked is damaged before the next start: the database stays as it is, and the user is told."""
        backup_file = copy.with_name("kept.db")
        with _opened(copy) as database:
            backup.back_up(database, backup_file)
            self._refused(lambda: backup.back_up(database, backup_file), {"backup_exists"}, "a backup is there already")
        before, service = _content(copy), RestoreService(copy, None)
        self._refused(lambda: service.schedule("another"), {"file_ticket_unknown"}, "nothing was checked")
        self._refused(lambda: service.check("t", copy.with_name("none.db"), "none"), {"backup_missing"}, "no backup")
        service.check("t", backup_file, backup_file.name)
        service.schedule("t")
        self._refused(service.refuse, {"restore_scheduled"}, "a backup is put back at the next start")
        how = self._chance.choice(("cancel", "spoil", "sound"))
        scheduled = copy.with_name(f"{copy.name}.scheduled")
        if how == "cancel":
            service.cancel()
            service.refuse()
        elif how == "spoil":
            self._spoil(scheduled)
        ids = SeededIds("examiner")
        done = restore_at_start(copy, partial(erase_again, ids, launch.device.clock))
        if done is not None and done.problem is not None and done.problem.code not in REFUSALS:
            self._broken(f"a backup is not put back: {done.problem}")
        after = _content(copy)
        if how != "spoil" and done is not None and done.problem is not None:
            self._broken(f"a sound backup is not put back: {done.problem}")
        if (how == "cancel" or (done is not None and done.problem is not None)) and after != before:
            self._broken("no backup was put back, and the database is another one")
        if how != "spoil" and after != before:
            self._broken("a backup of this very moment was put back, and something is another thing")

    # --- how it is judged ---

    def _workers(self, launch: "Launch") -> Workers:
        """None of them begins by itself."""
        return Workers(launch.device.clock, scheduler=cast(Any, SimpleNamespace(start=lambda *_: None)))

    def _refused(self, what: Callable[[], object], codes: set[str], why: str) -> None:
        try:
            what()
        except OutriderError as error:
            if error.code not in codes:
                self._broken(f"{why}, and the answer is {error.code}: {error.sentence}")
        else:
            self._broken(f"{why}, and that is not refused")

    def _coded(self, error: OutriderError, why: str) -> None:
        if error.code not in REFUSALS:
            self._broken(f"{why}, and the answer is {error.code}: {error.sentence}")

    def _broken(self, what: str) -> None:
        self._world.judge_broken(what)


def _outside(path: Path) -> Any:
    """Past Outrider; what is changed is kept."""
    return closing(sqlite3.connect(path, isolation_level=None))


def _opened(path: Path) -> Any:
    return closing(Database(path))


def _without_triggers(outside: sqlite3.Connection, table: str) -> None:
    named = "SELECT name FROM sqlite_schema WHERE type='trigger' AND tbl_name=?"
    for (name,) in outside.execute(named, (table,)).fetchall():
        outside.execute(f"DROP TRIGGER {name}")


def _content(path: Path, tables: Sequence[str] = (*IN_LOGS, *replay.PROJECTIONS)) -> dict[str, list[Any]]:
    """Every row of the logs and of what follows from them; what cannot be read has none."""
    with _outside(path) as connection, suppress(sqlite3.DatabaseError, UnicodeDecodeError):
        return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}
    return {}


def _no_present(copy: Path) -> Path:
    """Where there is no database."""
    return copy.with_name("present.db")


def _problems(script: ModuleType, data: str, seal: str) -> list[Any]:
    checked = script.Proof(data, seal)
    checked.check()
    return cast(list[Any], checked.problems)

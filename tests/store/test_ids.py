"""No id that is none of ours comes into the store: it would become the name of a file, in whatever folder it names."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.ids import SystemIds
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import LoggedEvent
from backend.store.database import Database
from backend.store.log.chain import GENESIS, link_entries
from backend.store.log.journal import Journal
from backend.store.replication import replica
from tests.store.opening import CREATED

STRANGE = ["../../X", "a/b", "a\\b", "..", "", "x" * 65, "a\x00b", "a\x00/../b", "-", "é"]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(Database(tmp_path / "o.db"), SystemIds())
    yield opened
    opened.database.close()


def forged(stream: str, kind: str, entity_id: str) -> LoggedEvent:
    """An entry that follows on the stream's beginning: whoever can write to the shared store can make one."""
    payload = canonical(CREATED.changes)
    raw = LoggedEvent(1, 1, kind, "campaign", entity_id, payload, "user", "", b"salt", None, b"")
    return next(link_entries(stream, 0, GENESIS, [raw]))


def refused(journal: Journal, stream: str, entry: LoggedEvent) -> OutriderError:
    with pytest.raises(OutriderError) as error, journal.transaction() as transaction:
        replica.adopt(transaction, stream, [entry], [])
    return error.value


def refusal(journal: Journal, stream: str, entry: LoggedEvent) -> str:
    return refused(journal, stream, entry).code


@pytest.mark.parametrize("strange", STRANGE)
def test_a_campaign_with_a_strange_id_is_not_adopted(journal: Journal, strange: str) -> None:
    for stream in (strange, "camp-2"):
        assert refusal(journal, stream, forged(stream, "CampaignCreated", strange)) == "shared_store_log_broken"


def test_a_stream_with_a_strange_id_is_refused_as_a_whole(journal: Journal) -> None:
    error = refused(journal, "../x", forged("../x", "CampaignCreated", "camp-2"))
    assert (error.code, error.facts["seq"]) == ("shared_store_log_broken", 0)


def test_a_stream_makes_no_other_campaign_than_its_own(journal: Journal) -> None:
    assert refusal(journal, "camp-2", forged("camp-2", "CampaignCreated", "camp-1")) == "shared_store_log_broken"


def test_nothing_else_with_a_strange_id_is_adopted(journal: Journal) -> None:
    assert refusal(journal, "camp-2", forged("camp-2", "LeadImported", "../x")) == "shared_store_log_broken"


EVENT = "INSERT INTO event_log(campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, hash)"
STATEMENTS = (
    "INSERT INTO log_heads VALUES (?, 0, x'', 0, x'')",
    EVENT + " VALUES (?, 1, 1, 'k', 't', 'e', '{}', 'a', 'c', x'')",
    "INSERT INTO audit_log(campaign_id, seq, timestamp, action_type, payload, actor, cause, hash)"
    " VALUES (?, 1, 1, 't', '{}', 'a', 'c', x'')",
    "INSERT INTO campaigns(id, name, status, site, account, settings, created_at) VALUES (?, 'n', 's', 's', 'a', '{}', 1)",
)


@pytest.mark.parametrize("strange", STRANGE)
def test_the_database_itself_takes_no_strange_id(journal: Journal, strange: str) -> None:
    with journal.database.write() as connection:
        for statement in STATEMENTS:
            with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
                connection.execute(statement, (strange,))


def test_the_database_takes_ids_of_ours(journal: Journal) -> None:
    with journal.database.write() as connection:
        for statement in STATEMENTS:
            connection.execute(statement, (SystemIds().new(),))
        connection.execute(EVENT + " VALUES ('c', 1, 1, 'k', 't', 'model:mine-1.5', '{}', 'a', 'c', x'')")

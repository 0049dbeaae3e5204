"""The project's rows are the device's rows: the same logs give the same tables, byte for byte."""

from pathlib import Path
from random import Random

import pytest

from backend.domain.events import AuditEntry
from tests.postgres import Project
from tests.store.opening import open_journal
from tests.store.streams import Streams
from tests.supabase.tenant import (
    ALICE,
    ROWS,
    audits_of,
    events_of,
    local_rows,
    remote_rows,
    signed_in,
    streams_of,
)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_project_makes_of_a_log_is_what_the_device_makes_of_it(
    seed: int, project: Project, tmp_path: Path
) -> None:
    random = Random(seed)
    journal = open_journal(tmp_path / "local.db")
    for campaign, at, event in Streams(random).take(600):
        audits = [AuditEntry("tool", {"said": random.choice(("plain", "漢字 😀 \x00 \ud800"))})] * random.randint(0, 1)
        journal.record(campaign, events=[event], audits=audits, actor="agént \x7f😀", cause='"c\\"', at=at)
    with journal.database.read() as local, signed_in(project, ALICE) as tenant:
        tenant.call("acquire_lease", device_id="d", device_name="D", seconds=60.0)
        for stream in streams_of(local):
            events, audits_, seq, audit_seq = events_of(local, stream), audits_of(local, stream), 0, 0
            while seq < len(events) or audit_seq < len(audits_):
                cut, audit_cut = seq + random.randint(1, 90), audit_seq + random.randint(1, 90)
                tenant.call(
                    "append_events",
                    campaign=stream,
                    expected_seq=seq,
                    fence=1,
                    events=events[seq:cut],
                    expected_audit_seq=audit_seq,
                    audits=audits_[audit_seq:audit_cut],
                )
                seq, audit_seq = min(cut, len(events)), min(audit_cut, len(audits_))
        for table in (*ROWS, "event_log", "audit_log"):
            assert remote_rows(tenant, table) == local_rows(local, table), table

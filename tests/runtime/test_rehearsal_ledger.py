"""The summary of a rehearsal compares what the network received with what is on record, both ways."""

import errno
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backend.app.wiring import open_workspace
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.run import rehearsal
from backend.runtime.run.rehearsal import compare_with_ledger, what_was_proven
from tests.fakes.campaign import MESSAGE_ONLY, Stage


def compared(stage: Stage, campaign: str, folder: Path, entries: list[dict[str, Any]]) -> dict[str, int]:
    ledger = folder / "ledger.jsonl"
    ledger.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    return compare_with_ledger(cast(Any, SimpleNamespace(database=stage.database)), campaign, ledger)


def test_duplicates_what_was_lost_and_what_nobody_sent_are_counted(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    entries = [
        {"kind": entry.kind, "to": entry.to, "text": entry.text, "disposition": "delivered"}
        for entry in stage.delivered()
    ]
    sound = {"received": 2, "duplicates": 0, "missing": 0, "not_on_record": 0, "from_record": 0}
    assert compared(stage, campaign, tmp_path, entries) == sound
    assert compared(stage, campaign, tmp_path, [*entries, entries[0]]) == {**sound, "received": 3, "duplicates": 1}
    assert compared(stage, campaign, tmp_path, entries[:1]) == {**sound, "received": 1, "missing": 1}
    unknown = {**entries[0], "text": "Never recorded"}
    assert compared(stage, campaign, tmp_path, [*entries, unknown]) == {**sound, "received": 3, "not_on_record": 1}


def test_what_somebody_got_whose_data_was_erased_is_not_missing(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    entries = [
        {"kind": entry.kind, "to": entry.to, "text": entry.text, "disposition": "delivered"}
        for entry in stage.delivered()
    ]
    ((lead_id,), *_) = stage.query("SELECT id FROM leads ORDER BY id")
    stage.commands().people.erase(campaign, lead_id)
    counts = compared(stage, campaign, tmp_path, entries)
    assert (counts["received"], counts["missing"], counts["not_on_record"]) == (2, 0, 1)


def test_what_another_device_s_network_received_counts_once_and_is_told_apart(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    entries: list[dict[str, Any]] = [
        {"kind": entry.kind, "to": entry.to, "text": entry.text, "disposition": "delivered"}
        for entry in stage.delivered()
    ]
    person = {
        "slug": entries[0]["to"],
        "connected_at": 1,
        "past": [
            {"kind": "message", "at": 1, "text": entries[0]["text"]},
            {"kind": "reply", "at": 2, "text": "Thanks"},
        ],
    }
    restored = {"kind": "restored", "to": "", "text": "", "detail": {"people": [person]}}
    sound = {"received": 2, "duplicates": 0, "missing": 0, "not_on_record": 0}
    assert compared(stage, campaign, tmp_path, [restored, entries[1]]) == {**sound, "from_record": 1}
    assert compared(stage, campaign, tmp_path, [*entries, restored]) == {**sound, "from_record": 0}
    twice = compared(stage, campaign, tmp_path, [restored, *entries])
    assert (twice["received"], twice["duplicates"]) == (3, 1), "sent on both devices"


def test_what_a_rehearsal_proves_is_counted_and_what_does_not_hold_is_not_hidden(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    ledger = tmp_path / "practice" / f"{campaign}.jsonl"
    ledger.parent.mkdir()
    entries = [
        {"kind": entry.kind, "to": entry.to, "text": entry.text, "disposition": "delivered"}
        for entry in stage.delivered()
    ]
    ledger.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    settings = SimpleNamespace(data_dir=tmp_path)
    workspace = cast(Any, SimpleNamespace(database=stage.database, settings=settings))
    proven = what_was_proven(workspace, campaign)
    assert (proven.delivered, proven.duplicates, proven.missing) == (2, 0, 0)
    assert (proven.unapproved, proven.after_reply, proven.broken) == (0, 0, "")
    assert proven.entries > 50
    stage.outside.execute("UPDATE approvals SET status='revoked'")
    stage.outside.execute("UPDATE messages SET sent_at=1 WHERE kind='reply'")
    assert what_was_proven(workspace, campaign).unapproved == 2


def test_a_list_of_people_that_the_disk_had_no_room_for_is_not_taken_for_whole_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:

        def half(path: Path, content: bytes) -> None:
            path.with_name("half").write_bytes(content[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(rehearsal, "replace_file", half)
            with pytest.raises(OutriderError) as refused:
                rehearsal.bundled_leads(workspace)
        assert refused.value.code == "practice_failed"
        assert len(rehearsal.bundled_leads(workspace).read_text("utf-8").splitlines()) == 13

"""Scripts and their answers as they are kept among the artifacts, what was approved, and how runs ended."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.model.artifact import Maker, maker
from backend.store.database import DatabaseConnection

_ANSWER = "artifact_type='analysis_result' AND made_by GLOB 'script *'"
"""What a script answered: whatever else has that type is somebody's claim, and no answer."""


class KeptResult(NamedTuple):
    """An answer of some campaign's script, as it is kept."""

    campaign_id: str
    key: str
    content: str


def source(connection: DatabaseConnection, campaign_id: str, sha256: str) -> str | None:
    """The script whose bytes have this digest."""
    row = connection.execute(
        "SELECT content FROM artifacts WHERE campaign_id=? AND artifact_type='python_script' AND sha256=? AND NOT in_file",
        (campaign_id, sha256),
    ).fetchone()
    return str(row[0]) if row else None


def result(connection: DatabaseConnection, result_id: str) -> KeptResult | None:
    """The answer with this id."""
    row = connection.execute(
        f"SELECT campaign_id, artifact_key, content FROM artifacts WHERE id=? AND {_ANSWER}", (result_id,)
    ).fetchone()
    return KeptResult(*row) if row else None


@dataclass(frozen=True, slots=True)
class ScriptVersion:
    """A script as it is kept; `approved_at` (ms UTC) is None unless exactly this text was approved on this device."""

    key: str
    version: int
    sha256: str
    made_by: Maker
    created_at: int
    approved_at: int | None


def key_of(connection: DatabaseConnection, campaign_id: str, sha256: str) -> str | None:
    """The key under which the script with this digest is kept, the latest if there are several."""
    row = connection.execute(
        "SELECT artifact_key FROM artifacts WHERE campaign_id=? AND artifact_type='python_script' AND sha256=?"
        " AND NOT in_file ORDER BY created_at DESC, id DESC LIMIT 1",
        (campaign_id, sha256),
    ).fetchone()
    return str(row[0]) if row else None


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An answer among the artifacts, without its content."""

    id: str
    key: str
    version: int
    created_at: int


def saved_results(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[SavedAnswer]:
    """The campaign's saved answers, the latest first."""
    rows = connection.execute(
        "SELECT id, artifact_key, version, created_at FROM artifacts"
        f" WHERE campaign_id=? AND {_ANSWER} ORDER BY created_at DESC, id DESC LIMIT ?",
        (campaign_id, limit),
    )
    return [SavedAnswer(*row) for row in rows]


def versions(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[ScriptVersion]:
    """The campaign's scripts in all their versions, the latest kept first."""
    rows = connection.execute(
        "SELECT a.artifact_key, a.version, a.sha256, a.made_by, a.created_at, s.approved_at FROM artifacts a"
        " LEFT JOIN approved_scripts s ON s.campaign_id = a.campaign_id AND s.sha256 = a.sha256"
        " WHERE a.campaign_id=? AND a.artifact_type='python_script' AND NOT a.in_file"
        " ORDER BY a.created_at DESC, a.id DESC LIMIT ?",
        (campaign_id, limit),
    )
    return [
        ScriptVersion(key, version, sha256, maker(made_by), created_at, approved_at)
        for key, version, sha256, made_by, created_at, approved_at in rows
    ]


def approve(connection: DatabaseConnection, campaign_id: str, sha256: str, at: int) -> None:
    """The user approved exactly the script with this digest on this device; no other device can say so."""
    connection.execute("INSERT INTO approved_scripts VALUES (?,?,?) ON CONFLICT DO NOTHING", (campaign_id, sha256, at))


def is_approved(connection: DatabaseConnection, campaign_id: str, sha256: str) -> bool:
    """Whether exactly this script was approved for the campaign on this device."""
    row = connection.execute(
        "SELECT 1 FROM approved_scripts WHERE campaign_id=? AND sha256=?", (campaign_id, sha256)
    ).fetchone()
    return row is not None


def erased_since(connection: DatabaseConnection, campaign_id: str, log_position: int, entry: str) -> bool:
    """Whether somebody's words were erased behind this entry: an answer of before may still have them.

    If it does not stand there any more, other devices' entries came before it, and any erasure may be one of them.
    """
    row = connection.execute(
        "SELECT 1 FROM event_log WHERE campaign_id=?1 AND kind='EntriesErased' AND"
        " (seq>?2 OR NOT EXISTS (SELECT 1 FROM event_log WHERE campaign_id=?1 AND seq=?2 AND id=?3)) LIMIT 1",
        (campaign_id, log_position, entry),
    ).fetchone()
    return row is not None


class EndedRun(NamedTuple):
    """How a run ended; `at` in ms UTC, `parameters` is what the audit log keeps of it."""

    seq: int
    at: int
    parameters: dict[str, Any]


def ended_runs(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[EndedRun]:
    """The campaign's latest runs, the last first."""
    rows = connection.execute(
        "SELECT seq, timestamp, payload FROM audit_log INDEXED BY audit_log_scripts"
        " WHERE campaign_id=? AND action_type='script.ended' ORDER BY seq DESC LIMIT ?",
        (campaign_id, limit),
    )
    return [EndedRun(seq, at, json.loads(payload).get("parameters", {})) for seq, at, payload in rows]


class ApprovedProposal(NamedTuple):
    """A script that was proposed and approved on this device, and whose task still waits for its answer."""

    question_id: str
    campaign_id: str
    task_id: str
    key: str
    sha256: str


def approved_proposals(connection: DatabaseConnection) -> list[ApprovedProposal]:
    """Those that have not answered yet, in the order in which they were proposed."""
    rows = connection.execute(
        "SELECT q.id, q.campaign_id, q.task_id, json_extract(q.payload, '$.artifact_key'), s.sha256"
        " FROM input_requests q INDEXED BY input_requests_scripts JOIN tasks t ON t.id = q.task_id"
        " JOIN approved_scripts s ON s.campaign_id = q.campaign_id"
        " AND s.sha256 = json_extract(q.payload, '$.script_sha256')"
        " WHERE q.kind='approve_script' AND q.answer='yes' AND t.status='in_progress' AND t.needs='input'"
        " AND NOT EXISTS (SELECT 1 FROM input_requests later WHERE later.task_id = q.task_id"
        " AND (later.created_at, later.id) > (q.created_at, q.id))"
        " ORDER BY q.created_at, q.id"
    )
    return [ApprovedProposal(*row) for row in rows]

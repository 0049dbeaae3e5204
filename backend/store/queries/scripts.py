"""Scripts and their answers as they are kept among the artifacts."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


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
        "SELECT campaign_id, artifact_key, content FROM artifacts WHERE id=? AND artifact_type='analysis_result'",
        (result_id,),
    ).fetchone()
    return KeptResult(*row) if row else None

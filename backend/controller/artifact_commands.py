"""What a user keeps as an artifact: each save is a new version, and no version ever changes."""

from dataclasses import dataclass

from backend.controller.deciding import Deciding
from backend.domain.artifact import Source, content, text_of
from backend.domain.errors import OutriderError
from backend.store import reading


@dataclass(frozen=True, slots=True)
class ArtifactCommands(Deciding):
    """The user's artifacts of a campaign."""

    def save(self, campaign_id: str, artifact_type: str, key: str, raw: bytes, *, follows: int) -> int:
        """Keep these bytes as the version after `follows`, 0 for a new artifact; the new version's number.

        Raises `artifact_version_taken` when that version exists, and `artifact_…` for what may not be kept.
        """
        wanted = content(artifact_type, key, text_of(raw))
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            latest = reading.latest_version(transaction.connection, campaign_id, wanted.artifact_type, key)
            if latest != follows:
                raise OutriderError("artifact_version_taken", type=artifact_type, key=key, latest=latest)
            kept = wanted.persisted(transaction.new_id(), Source.USER, latest, self.clock.now())
            self._record(transaction, campaign_id, [kept], f"save {artifact_type}/{key}")
        return latest + 1

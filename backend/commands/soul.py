"""What the user decides about the agent's voice: the only way in which the soul is ever changed."""

from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import SHOWN, column
from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import WORKSPACE
from backend.domain.turn import soul as domain
from backend.domain.values.errors import OutriderError
from backend.store.queries.turn import soul as soul_queries


@dataclass(frozen=True, slots=True)
class SoulCommands(CommandHandler):
    """Each decision names the version that was shown; raises `soul_changed` when that is not the current one."""

    @command("soul.save", shows={"SoulChanged": "text"})
    def save(
        self,
        text: Annotated[str, column("SoulChanged", "text")],
        *,
        follows: Annotated[int | None, SHOWN],
        restores: Annotated[int | None, SHOWN] = None,
    ) -> int:
        """Make this text the next version; the version that holds then. Raises `soul_…` for a text that cannot be it."""
        text = domain.tidied(text)
        with self.journal.transaction() as transaction:
            now = soul_queries.soul(transaction.connection)
            if follows not in (None, now.version):
                raise OutriderError("soul_changed", version=now.version)
            if now.text == text:
                return now.version
            event = domain.changed(
                transaction.new_id(), text, now.version, who=self.actor, now=self.clock.now(), restores=restores
            )
            self._record(transaction, WORKSPACE, [event])
            return now.version + 1

    def restore(self, version: int, *, follows: int) -> int:
        """Save an earlier version's text again; the version that holds then. Raises `soul_version_unknown`."""
        earlier = self.journal.database.query(soul_queries.soul_version, version)
        if earlier is None:
            raise OutriderError("soul_version_unknown", version=version)
        return self.save(earlier.text, follows=follows, restores=version)

"""What the user decides about the agent's voice: the only way in which the soul is ever changed."""

from dataclasses import dataclass

from backend.controller.deciding import Deciding
from backend.domain import soul as domain
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.store import voice
from backend.store.journal import Transaction


@dataclass(frozen=True, slots=True)
class SoulCommands(Deciding):
    """Each decision names the version that was shown; raises `soul_changed` when that is not the current one."""

    def save(self, text: str, *, follows: int) -> int:
        """Make this text the next version; the version that holds then. Raises `soul_…` for a text that cannot be it."""
        with self.journal.transaction() as transaction:
            return self._follow(transaction, domain.tidied(text), follows, None)

    def restore(self, version: int, *, follows: int) -> int:
        """Go back to an earlier version, as a new one; the version that holds then. Raises `soul_version_unknown`."""
        with self.journal.transaction() as transaction:
            earlier = voice.soul_version(transaction.connection, version)
            if earlier is None:
                raise OutriderError("soul_version_unknown", version=version)
            return self._follow(transaction, earlier.text, follows, version)

    def _follow(self, transaction: Transaction, text: str, follows: int, restores: int | None) -> int:
        now = voice.soul(transaction.connection)
        if now.version != follows:
            raise OutriderError("soul_changed", version=now.version)
        if now.text == text:
            return now.version
        event = domain.changed(
            transaction.new_id(), text, now.version, who=self.actor, now=self.clock.now(), restores=restores
        )
        cause = "save the soul" if restores is None else f"restore version {restores} of the soul"
        self._record(transaction, WORKSPACE, [event], cause)
        return now.version + 1

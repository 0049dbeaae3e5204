"""What the user decides about skills, and the built-in ones that come with Outrider."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.workspace import (
    SkillContent,
    SkillDisabled,
    SkillEnabled,
    SkillInstalled,
    SkillRemoved,
    SkillRestored,
    SkillReviewed,
    SkillUpdated,
)
from backend.domain.turn.skill import (
    MAX_INSTALLED,
    Occasion,
    ReviewState,
    Skill,
    SkillFolder,
    SkillOrigin,
    full_occasion,
    read,
    source_hash,
)
from backend.domain.values.errors import OutriderError
from backend.store.log.transaction import Transaction
from backend.store.queries.turn import skills as skill_queries
from backend.store.queries.turn.skills import InstalledSkill


@dataclass(frozen=True, slots=True)
class SkillCommands(CommandHandler):
    """Decisions about skills; raises `skill_unknown`. A skill is used only while it is reviewed and enabled."""

    @command("skills.install", shows={"SkillInstalled": "version", "SkillUpdated": "version"}, only=())
    def install(self, folder: SkillFolder) -> str:
        """Keep a skill to be reviewed, or the new content of one that is kept; its id. Raises `skill_…`.

        The very same content again changes nothing, a review of it included.
        """
        skill = read(folder)
        with self.journal.transaction() as transaction:
            installed = skill_queries.installed(transaction.connection)
            existing = next((other for other in installed if other.name == skill.name), None)
            if existing is not None and existing.source is SkillOrigin.BUILTIN:
                raise OutriderError("skill_name_taken", name=skill.name)
            if existing is not None and existing.source_hash == skill.source_hash:
                return existing.id
            if existing is None:
                _refuse_full(installed)
            event = self._kept(transaction, skill, existing, SkillOrigin.USER, ReviewState.UNREVIEWED)
            self._record(transaction, WORKSPACE, [event])
            return event.entity_id

    @command("skills.approve", shows={"SkillReviewed": "review_state", "SkillEnabled": "enabled"})
    def approve(self, skill_id: str, *, shown_hash: str) -> None:
        """Say that exactly the content that was shown was read, and use it. Raises `skill_changed`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.source_hash != shown_hash:
                raise OutriderError("skill_changed", name=skill.name)
            events: list[Event] = [] if skill.review_state is ReviewState.REVIEWED else [SkillReviewed(skill_id)]
            events += self._enabled(transaction, replace(skill, review_state=ReviewState.REVIEWED))
            self._record(transaction, WORKSPACE, events)

    @command("skills.enable", shows={"SkillEnabled": "enabled"})
    def enable(self, skill_id: str) -> None:
        """Use it from the next turn on. Raises `skill_unreviewed`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.review_state is not ReviewState.REVIEWED:
                raise OutriderError("skill_unreviewed", name=skill.name)
            self._record(transaction, WORKSPACE, self._enabled(transaction, skill))

    @command("skills.disable", shows={"SkillDisabled": "enabled"}, on_conflict="repeat")
    def disable(self, skill_id: str) -> None:
        """Use it no more from the next turn on; nothing if it is not used."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.enabled:
                event = SkillDisabled(skill_id)
                self._record(transaction, WORKSPACE, [event])

    @command("skills.remove", shows={"SkillRemoved": "removed"}, on_conflict="repeat")
    def remove(self, skill_id: str) -> None:
        """Take it out of the list. Raises `skill_builtin`: those that come with Outrider are only switched off."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.source is SkillOrigin.BUILTIN:
                raise OutriderError("skill_builtin", name=skill.name)
            self._record(transaction, WORKSPACE, [SkillRemoved(skill_id)])

    @command("skills.restore", shows={"SkillRestored": "removed"})
    def restore(self, skill_id: str) -> None:
        """Take the removal back: it is as it was. Raises `skill_name_taken`, `skill_store_full`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = skill_queries.skill(transaction.connection, skill_id)
            if skill is None:
                raise OutriderError("skill_unknown")
            if not skill.removed:
                return
            installed = skill_queries.installed(transaction.connection)
            if any(other.name == skill.name for other in installed):
                raise OutriderError("skill_name_taken", name=skill.name)
            _refuse_full(installed)
            restored = replace(skill, removed=False)
            if restored.in_use:
                _refuse_crowd(installed, restored)
            self._record(transaction, WORKSPACE, [SkillRestored(skill_id)])

    @command("skills.update_builtin", only=())
    def update_builtin(self, folders: Iterable[SkillFolder]) -> None:
        """Bring the built-in skills up to date: new ones are used at once, one that the user switched off stays as it is."""
        with self.journal.database.read() as connection:
            known_hashes = {skill.source_hash for skill in skill_queries.installed(connection)}
        skills = [read(folder) for folder in folders if source_hash(folder.files) not in known_hashes]
        if not skills:
            return
        with self.journal.transaction() as transaction:
            installed = skill_queries.installed(transaction.connection)
            events, applied = [], _applied(installed)
            for skill, existing in _outdated(installed, skills):
                room = full_occasion(skill.applies_to, applied) is None
                if existing is None and room:
                    applied.append(skill.applies_to)
                events.append(
                    self._kept(
                        transaction, skill, existing, SkillOrigin.BUILTIN, ReviewState.REVIEWED, enabled=int(room)
                    )
                )
            self._record(transaction, WORKSPACE, events)

    def _kept(
        self,
        transaction: Transaction,
        skill: Skill,
        existing: InstalledSkill | None,
        source: SkillOrigin,
        review_state: ReviewState,
        *,
        enabled: int = 0,
    ) -> Event:
        """A new one is `enabled` or not; one that is known stays as it is."""
        now = self.clock.now()
        content: SkillContent = {
            "description": skill.description,
            "version": skill.version,
            "applies_to": skill.applies_to,
            "source_hash": skill.source_hash,
            "instructions": skill.instructions,
            "document": skill.document,
            "metadata": {"others": skill.others},
            "updated_at": now,
            "review_state": review_state,
        }
        if existing is not None:
            return SkillUpdated(existing.id, **content)
        return SkillInstalled(
            transaction.new_id(), name=skill.name, source=source, enabled=enabled, created_at=now, **content
        )

    @staticmethod
    def _skill(transaction: Transaction, skill_id: str) -> InstalledSkill:
        skill = skill_queries.skill(transaction.connection, skill_id)
        if skill is None or skill.removed:
            raise OutriderError("skill_unknown")
        return skill

    @staticmethod
    def _enabled(transaction: Transaction, skill: InstalledSkill) -> list[Event]:
        """What enabling a reviewed skill takes; nothing if it is in use already."""
        _refuse_crowd(skill_queries.installed(transaction.connection), skill)
        return [] if skill.enabled else [SkillEnabled(skill.id)]


def _refuse_full(installed: list[InstalledSkill]) -> None:
    if sum(skill.source is SkillOrigin.USER for skill in installed) >= MAX_INSTALLED:
        raise OutriderError("skill_store_full", limit=MAX_INSTALLED)


def _refuse_crowd(installed: list[InstalledSkill], skill: InstalledSkill) -> None:
    others = [other for other in installed if other.id != skill.id]
    if (full := full_occasion(skill.applies_to, _applied(others))) is not None:
        raise OutriderError("skill_crowded", name=skill.name, occasion=full)


def _applied(installed: list[InstalledSkill]) -> list[tuple[Occasion, ...]]:
    return [skill.applies_to for skill in installed if skill.in_use]


def _outdated(installed: list[InstalledSkill], skills: list[Skill]) -> list[tuple[Skill, InstalledSkill | None]]:
    """Built-in skills that are missing, and those in use whose content is another."""
    by_name = {other.name: other for other in installed}
    outdated = []
    for skill in skills:
        existing = by_name.get(skill.name)
        if existing is None or (
            existing.source is SkillOrigin.BUILTIN and existing.enabled and existing.source_hash != skill.source_hash
        ):
            outdated.append((skill, existing))
    return outdated

"""What the user decides about skills, and the built-in ones that come with Outrider."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from backend.controller.deciding import Deciding
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.domain.skill import (
    MAX_INSTALLED,
    Occasion,
    ReviewState,
    Skill,
    SkillFolder,
    SkillSource,
    crowded,
    read,
    source_hash,
)
from backend.store import voice
from backend.store.journal import Transaction
from backend.store.voice import Installed

_UNREVIEWED = {"review_state": ReviewState.UNREVIEWED}
_REVIEWED = {"review_state": ReviewState.REVIEWED}


@dataclass(frozen=True, slots=True)
class SkillCommands(Deciding):
    """Decisions about skills; raises `skill_unknown`. A skill is used only while it is reviewed and enabled."""

    def install(self, folder: SkillFolder) -> str:
        """Keep a skill to be reviewed, or the new content of one that is kept; its id. Raises `skill_…`.

        The very same content again changes nothing, a review of it included.
        """
        skill = read(folder)
        with self.journal.transaction() as transaction:
            kept = voice.installed(transaction.connection)
            known = next((one for one in kept if one.name == skill.name), None)
            if known is not None and known.source is SkillSource.BUILTIN:
                raise OutriderError("skill_name_taken", name=skill.name)
            if known is not None and known.source_hash == skill.source_hash:
                return known.id
            if known is None:
                _refuse_full(kept)
            event = self._kept(transaction, skill, known, SkillSource.USER, _UNREVIEWED)
            self._record(transaction, WORKSPACE, [event], f"install {skill.name}")
            return event.entity_id

    def approve(self, skill_id: str, *, shown_hash: str) -> None:
        """Say that exactly the content that was shown was read, and use it. Raises `skill_changed`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.source_hash != shown_hash:
                raise OutriderError("skill_changed", name=skill.name)
            events = [] if skill.review_state is ReviewState.REVIEWED else [Event("SkillReviewed", skill_id, _REVIEWED)]
            events += self._enabled(transaction, replace(skill, review_state=ReviewState.REVIEWED))
            self._record(transaction, WORKSPACE, events, f"review {skill.name} as {shown_hash[:12]}")

    def enable(self, skill_id: str) -> None:
        """Use it from the next turn on. Raises `skill_unreviewed`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.review_state is not ReviewState.REVIEWED:
                raise OutriderError("skill_unreviewed", name=skill.name)
            self._record(transaction, WORKSPACE, self._enabled(transaction, skill), f"enable {skill.name}")

    def disable(self, skill_id: str) -> None:
        """Use it no more from the next turn on; nothing if it is not used."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.enabled:
                event = Event("SkillDisabled", skill_id, {"enabled": 0})
                self._record(transaction, WORKSPACE, [event], f"disable {skill.name}")

    def remove(self, skill_id: str) -> None:
        """Take it out of the list. Raises `skill_builtin`: those that come with Outrider are only switched off."""
        with self.journal.transaction() as transaction:
            skill = self._skill(transaction, skill_id)
            if skill.source is SkillSource.BUILTIN:
                raise OutriderError("skill_builtin", name=skill.name)
            self._record(
                transaction, WORKSPACE, [Event("SkillRemoved", skill_id, {"removed": 1})], f"remove {skill.name}"
            )

    def restore(self, skill_id: str) -> None:
        """Take the removal back: it is as it was. Raises `skill_name_taken`, `skill_store_full`, `skill_crowded`."""
        with self.journal.transaction() as transaction:
            skill = voice.skill(transaction.connection, skill_id)
            if skill is None:
                raise OutriderError("skill_unknown")
            if not skill.removed:
                return
            kept = voice.installed(transaction.connection)
            if any(one.name == skill.name for one in kept):
                raise OutriderError("skill_name_taken", name=skill.name)
            _refuse_full(kept)
            back = replace(skill, removed=False)
            if back.in_use:
                _refuse_crowd(kept, back)
            self._record(
                transaction, WORKSPACE, [Event("SkillRestored", skill_id, {"removed": 0})], f"restore {skill.name}"
            )

    def ship(self, folders: Iterable[SkillFolder]) -> None:
        """Bring the built-in skills up to date: new ones are used at once, one that the user switched off stays as it is."""
        with self.journal.database.read() as connection:
            known_hashes = {one.source_hash for one in voice.installed(connection)}
        skills = [read(folder) for folder in folders if source_hash(folder.files) not in known_hashes]
        if not skills:
            return
        with self.journal.transaction() as transaction:
            kept = voice.installed(transaction.connection)
            events, applied = [], _applied(kept)
            for skill, known in _outdated(kept, skills):
                room = crowded(skill.applies_to, applied) is None
                if known is None and room:
                    applied.append(skill.applies_to)
                state = _REVIEWED | ({} if known else {"enabled": int(room)})
                events.append(self._kept(transaction, skill, known, SkillSource.BUILTIN, state))
            self._record(transaction, WORKSPACE, events, "built-in skills")

    def _kept(
        self,
        transaction: Transaction,
        skill: Skill,
        known: Installed | None,
        source: SkillSource,
        state: dict[str, Any],
    ) -> Event:
        now = self.clock.now()
        content = {
            "description": skill.description,
            "version": skill.version,
            "applies_to": skill.applies_to,
            "source_hash": skill.source_hash,
            "instructions": skill.instructions,
            "document": skill.document,
            "metadata": {"others": skill.others},
            "updated_at": now,
            **state,
        }
        if known is not None:
            return Event("SkillUpdated", known.id, content)
        first = {"name": skill.name, "source": source, "enabled": 0, "created_at": now}
        return Event("SkillInstalled", transaction.new_id(), first | content)

    @staticmethod
    def _skill(transaction: Transaction, skill_id: str) -> Installed:
        found = voice.skill(transaction.connection, skill_id)
        if found is None or found.removed:
            raise OutriderError("skill_unknown")
        return found

    @staticmethod
    def _enabled(transaction: Transaction, skill: Installed) -> list[Event]:
        """What enabling a reviewed skill takes; nothing if it is in use already."""
        _refuse_crowd(voice.installed(transaction.connection), skill)
        return [] if skill.enabled else [Event("SkillEnabled", skill.id, {"enabled": 1})]


def _refuse_full(kept: list[Installed]) -> None:
    if sum(one.source is SkillSource.USER for one in kept) >= MAX_INSTALLED:
        raise OutriderError("skill_store_full", limit=MAX_INSTALLED)


def _refuse_crowd(kept: list[Installed], skill: Installed) -> None:
    others = [one for one in kept if one.id != skill.id]
    if (full := crowded(skill.applies_to, _applied(others))) is not None:
        raise OutriderError("skill_crowded", name=skill.name, occasion=full)


def _applied(kept: list[Installed]) -> list[tuple[Occasion, ...]]:
    return [one.applies_to for one in kept if one.in_use]


def _outdated(kept: list[Installed], skills: list[Skill]) -> list[tuple[Skill, Installed | None]]:
    """Built-in skills that are missing, and those in use whose content is another."""
    by_name = {one.name: one for one in kept}
    found = []
    for skill in skills:
        known = by_name.get(skill.name)
        if known is None or (
            known.source is SkillSource.BUILTIN and known.enabled and known.source_hash != skill.source_hash
        ):
            found.append((skill, known))
    return found

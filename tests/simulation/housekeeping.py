"""What the same person does beside a campaign's daily work: erases people, keeps and puts back backups, tidies up, pays."""

import random
from typing import TYPE_CHECKING

from backend.commands.campaigns import CampaignCommands
from backend.domain.model.campaign import Campaign, CampaignStatus, Limits
from backend.domain.model.channel import PRACTICE
from backend.runtime.run.campaign_runner import RunEnd, RunResult
from backend.store import backup
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import messages
from tests.simulation.app import AppDesk, AppLaunch
from tests.simulation.damage import Examiner
from tests.simulation.kept_files import FileDesk
from tests.simulation.machine import Device, Launch
from tests.simulation.oracle import DAY, Click, ErasedPerson, profile_of
from tests.simulation.person_rows import mark_of, phone_of
from tests.simulation.profiles import OtherPeople

if TYPE_CHECKING:
    from tests.simulation.user import User
    from tests.simulation.world import World

STORE_IS_ANOTHER = ("shared_store_behind", "shared_store_log_broken")
"""What a device says of a shared store that was put back from a backup."""
TOP_UP_CENTS = 4


class Housekeeping:
    """Of one user, at their device."""

    def __init__(self, user: "User") -> None:
        self._user = user
        self._app, self._files = AppDesk(user), FileDesk(user.world)
        self._examiner, self._others = Examiner(user.world), OtherPeople(user.world)

    @property
    def _world(self) -> "World":
        return self._user.world

    @property
    def _device(self) -> Device:
        return self._user.device

    @property
    def _chance(self) -> random.Random:
        return self._world.chance

    def mend(self, launch: Launch, campaign: Campaign | None) -> bool:
        """Do what Outrider says is needed before anything goes on; whether there was anything."""
        if isinstance(launch, AppLaunch) and self._app.mend(launch):
            return True
        if launch.engine is not None and not launch.running:
            problem = launch.engine.report.state().problem
            if problem is not None and problem.code in STORE_IS_ANOTHER:
                self._world.tell(f"{launch.name}: {problem.code}; the user attaches the project again")
                return self._user.do(launch, launch.attach_again)
        ended = launch.ended
        if isinstance(ended, RunResult) and ended.halt is RunEnd.HELD and "budget" in " ".join(ended.reasons):
            return self._user.do(launch, lambda: self._top_up(launch))
        if campaign is not None and campaign.archived and (self._user.eager or self._chance.random() < 0.5):
            self._world.tell(f"{launch.name}: the user takes the campaign out of the archive")
            return self._user.do(launch, lambda: self._campaigns(launch).unarchive(campaign.id))
        return False

    def whim(self, launch: Launch) -> bool:
        """Something that nobody asked for; whether it came to that."""
        world = self._world
        if world.happens("erase", 0.05):
            self._user.do(launch, lambda: self._erase(launch))
        elif world.happens("delete", 0.1):
            self._user.do(launch, lambda: self._delete(launch))
        elif world.happens("backup", 0.04):
            self._keep_or_put_back(launch)
        elif world.happens("dates", 0.02):
            self._user.do(launch, lambda: self._postpone(launch))
        elif world.happens("tidy", 0.06):
            self._user.do(launch, lambda: self._tidy(launch))
        elif world.happens("profiles", 0.3):
            self._others.whim(launch)
        elif world.happens("closed pages", 0.15):
            self._others.close_pages()
        elif world.happens("damage", 0.15):
            self._examiner.whim(launch)
        elif world.happens("files", 0.15):
            self._files.whim(launch, self._user.do)
        elif isinstance(launch, AppLaunch) and world.happens("app", 0.1):
            self._app.whim(launch)
        else:
            return False
        return True

    # --- people ---

    def _erase(self, launch: Launch) -> None:
        world = self._world
        people = [card for card in world.people if card.slug not in world.oracle.erased_people]
        if not people:
            return
        card = self._chance.choice(people)
        with launch.database.read() as connection:
            row = connection.execute(
                "SELECT campaign_id, id, full_name FROM leads WHERE member_key=? ORDER BY campaign_id, id",
                (profile_of(card.slug),),
            ).fetchone()
        if row is None:
            return
        campaign_id, lead_id, name = row
        before = self._device.erasures()
        if self._chance.random() < 0.5:
            self._write_about(launch, campaign_id, lead_id, mark_of(card.slug), phone_of(card.slug))
        launch.commands().people.erase(campaign_id, lead_id)
        world.tell(f"{launch.name}: all about {card.slug} is erased")
        made = self._device.erasures() - before
        # By the name that Outrider knew: a page may show another one just then.
        world.oracle.erased_people[card.slug] = ErasedPerson(name, self._device.name, made)
        world.oracle.heard(Click("do not contact", card.slug, "", "", world.now(), launch.name))

    def _write_about(self, launch: Launch, campaign_id: str, lead_id: str, mark: str, phone: str) -> None:
        """Something of the user's own in every place where one may write about somebody."""
        user = launch.commands()
        user.leads.note(campaign_id, lead_id, f"Knows us from {mark}, call {phone}")
        user.leads.tag(campaign_id, lead_id, [mark])
        with launch.database.read() as connection:
            drafts = [draft for draft in messages.drafts(connection, campaign_id) if draft.lead_id == lead_id]
        for draft in drafts:
            user.review.reject(campaign_id, draft.id, reason=f"Too dry for {mark}")

    # --- backups ---

    def _keep_or_put_back(self, launch: Launch) -> None:
        device = self._device
        if device.backups and not launch.running and self._chance.random() < 0.4:
            backup_file = self._chance.choice(device.backups)
            self._world.tell(f"{launch.name}: the user puts {backup_file.name} back")
            self._world.suffers("backup")
            problem = device.restore(backup_file)
            self._world.oracle.put_back(device.name)
            if problem:
                self._world.judge_broken(f"{device.name}: the backup is not put back: {problem}")
            return
        target = self._world.folder / f"backup-{device.name.replace(' ', '-')}-{self._world.hub.now}.db"

        def keep() -> None:
            backup.back_up(launch.database, target)
            device.backups.append(target)

        self._user.do(launch, keep)

    # --- the campaign as a whole ---

    def _campaigns(self, launch: Launch) -> CampaignCommands:
        return CampaignCommands(launch.journal, launch.device.clock)

    def _delete(self, launch: Launch) -> None:
        """All of it, for good; first it is paused, as the user is told."""
        campaign_id = self._device.campaign_id
        position = launch.database.query(campaigns.position, campaign_id)
        if position is None:
            return
        if position.campaign.status is CampaignStatus.ACTIVE:
            launch.commands().campaigns.change_status(campaign_id, CampaignStatus.PAUSED, "it is over")
        self._campaigns(launch).delete(campaign_id)
        self._world.oracle.erased |= campaign_id == self._world.campaign_id
        if position.campaign.site == PRACTICE:
            self._world.oracle.contacts.forgotten.add(campaign_id)
        self._world.tell(f"{launch.name}: the user deletes the campaign")

    def _postpone(self, launch: Launch) -> None:
        """The last days are later ones."""
        world, limits = self._world, self._limits(launch)
        if limits is None or limits.ends_at is None:
            return
        later = self._chance.randint(1, 3) * DAY
        first = None if limits.first_contact_until is None else limits.first_contact_until + later
        world.tell(f"{launch.name}: the user postpones the last days")
        world.oracle.last_days(first, limits.ends_at + later)
        moved = {"first_contact_until": first, "ends_at": limits.ends_at + later}
        campaign_id = self._device.campaign_id
        world.oracle.limits_edited(campaign_id, self._device.name)
        self._campaigns(launch).edit(campaign_id, version=None, limits=limits.model_copy(update=moved))

    def _top_up(self, launch: Launch) -> None:
        """The model may cost more."""
        launch.ended = None
        world, limits = self._world, self._limits(launch)
        if limits is None:
            return
        cents = limits.model_cents + TOP_UP_CENTS
        world.tell(f"{launch.name}: the model may cost {cents} cents")
        world.oracle.may_spend(cents)
        world.oracle.limits_edited(self._device.campaign_id, self._device.name)
        self._campaigns(launch).edit(
            self._device.campaign_id, version=None, limits=limits.model_copy(update={"model_cents": cents})
        )

    def _limits(self, launch: Launch) -> Limits | None:
        campaign = launch.database.query(campaigns.campaign, self._device.campaign_id)
        return None if campaign is None else campaign.settings.limits

    def _tidy(self, launch: Launch) -> None:
        """Another name, a copy, the archive; or the copy is thrown away."""
        commands, campaign_id = self._campaigns(launch), self._device.campaign_id
        with launch.database.read() as connection:
            rows = connection.execute(
                "SELECT id, archived_at IS NOT NULL FROM campaigns WHERE deleted_at IS NULL ORDER BY id"
            ).fetchall()
        rows = [(other, archived) for other, archived in rows if other not in self._world.campaigns]
        how = self._chance.choice(("name", "copy", "archive", "throw away"))
        self._world.tell(f"{launch.name}: the user tidies up: {how}")
        if how == "name":
            commands.edit(campaign_id, version=None, name=f"Talk {self._chance.randrange(100)}")
        elif how == "copy" and len(rows) < 2:
            commands.duplicate(campaign_id, f"Another talk {self._chance.randrange(100)}", key=f"{self._world.hub.now}")
        elif how == "archive":
            commands.archive(campaign_id)
        elif rows:
            other, archived = self._chance.choice(rows)
            if archived:
                commands.unarchive(other)
            elif self._chance.random() < 0.3:
                commands.archive(other)
            else:
                commands.delete(other)

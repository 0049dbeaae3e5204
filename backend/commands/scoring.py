"""What a user decides about scoring: another blueprint, and scoring all leads anew."""

import json
from dataclasses import dataclass
from typing import Annotated

from backend.commands import lead_scoring
from backend.commands.command import SHOWN, FromEvent
from backend.commands.handler import CommandHandler, command
from backend.domain.model.artifact import BY_USER
from backend.domain.model.scoring import NewBlueprint, in_force, problem_with, same_rules
from backend.domain.values.errors import OutriderError
from backend.store.queries.leads import scored_leads

_WANTED = FromEvent(
    ("CampaignEdited",), lambda changes: {"criteria": json.loads(changes["settings"])["blueprint"]["criteria"]}
)


@dataclass(frozen=True, slots=True)
class ScoringCommands(CommandHandler):
    """Decisions about the blueprint; raises `campaign_unknown`."""

    @command("scoring.adopt", shows={"CampaignEdited": "settings"})
    def adopt(
        self,
        campaign_id: str,
        new_blueprint: Annotated[NewBlueprint, _WANTED],
        *,
        follows: Annotated[int | None, SHOWN],
    ) -> int:
        """Put a blueprint in force that follows version `follows` (None: whichever is); its version. All leads are scored anew.

        Approvals of texts stay valid. Raises `blueprint_changed` when another is in force, and `blueprint_…` for what
        cannot be one.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            current = campaign.settings.blueprint
            if follows not in (None, current.version):
                raise OutriderError("blueprint_changed")
            if problem := problem_with(
                new_blueprint, scored_leads.scorable_fields(transaction.connection, campaign_id)
            ):
                raise OutriderError(problem[0], **problem[1])
            today = in_force(new_blueprint, current.version, now).reference_date
            if same_rules(new_blueprint, current) and today == current.reference_date:
                raise OutriderError("blueprint_unchanged")
            events = lead_scoring.adoption_events(transaction, campaign, new_blueprint, BY_USER, now)
            self._record(transaction, campaign_id, events)
            return self._campaign(transaction, campaign_id).settings.blueprint.version

    @command("scoring.again")
    def again(self, campaign_id: str) -> None:
        """Score all leads by the blueprint in force (FR-034); one that is under way begins anew."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            events = lead_scoring.scoring_started_events(
                transaction, campaign_id, campaign.settings.blueprint, self.clock.now()
            )
            if not events:
                raise OutriderError("campaign_empty", campaign=campaign_id)
            self._record(transaction, campaign_id, events)

"""What a user decides about rounds of leads to put in order (SC-005)."""

from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import SHOWN, column
from backend.commands.handler import CommandHandler, command
from backend.domain.events.facts.campaign import LeadsRanked, RankingPutBack, RankingTakenBack
from backend.domain.leads.agreement import DEALT, FEWEST_DEALT
from backend.domain.values.errors import OutriderError
from backend.store.queries.leads import rankings


@dataclass(frozen=True, slots=True)
class RankingCommands(CommandHandler):
    """Decisions about the order in which leads should come; raises `campaign_unknown`."""

    @command("rankings.save")
    def save(
        self,
        campaign_id: str,
        lead_ids: Annotated[list[str], column("LeadsRanked", "lead_ids")],
        *,
        number: Annotated[int | None, SHOWN] = None,
    ) -> str:
        """Keep the order of these leads, the first one first, as the next round; its id.

        Raises `ranking_outdated` when the round that was shown as `number` is not the next one any more, and
        `ranking_invalid` when these are not three to ten different leads of the campaign.
        """
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            latest = rankings.rounds(transaction.connection, campaign_id, 1)
            next_number = latest[0].number + 1 if latest else 1
            if number not in (None, next_number):
                raise OutriderError("ranking_outdated")
            ranked_people = rankings.people(transaction.connection, campaign_id, lead_ids)
            if not FEWEST_DEALT <= len(lead_ids) <= DEALT or len(ranked_people) != len(lead_ids):
                raise OutriderError("ranking_invalid")
            ranking_id = transaction.new_id()
            fact = LeadsRanked(ranking_id, number=next_number, lead_ids=lead_ids, created_at=self.clock.now())
            self._record(transaction, campaign_id, [fact])
            return ranking_id

    @command("rankings.take_back", shows={"RankingTakenBack": "counts"})
    def take_back(self, campaign_id: str, ranking_id: str) -> None:
        """Let a round count no more; raises `ranking_unknown`. Twice changes nothing."""
        self._count(campaign_id, ranking_id, counts=False)

    @command("rankings.put_back", shows={"RankingPutBack": "counts"})
    def put_back(self, campaign_id: str, ranking_id: str) -> None:
        """Let a round that was taken back count again; raises `ranking_unknown`."""
        self._count(campaign_id, ranking_id, counts=True)

    def _count(self, campaign_id: str, ranking_id: str, *, counts: bool) -> None:
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            ranking = rankings.ranking(transaction.connection, campaign_id, ranking_id)
            if ranking is None:
                raise OutriderError("ranking_unknown", ranking=ranking_id)
            if ranking.counts != counts:
                fact = RankingPutBack(ranking_id) if counts else RankingTakenBack(ranking_id)
                self._record(transaction, campaign_id, [fact])

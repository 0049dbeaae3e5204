"""The rows of a lead file that a filter takes: asked by what is shown, what is found, and what is imported."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from backend.domain.leads.lead_filter import EVERYBODY, LeadFilter
from backend.domain.people.identity import identity_of
from backend.domain.people.lead_row import LeadRow, RejectedRow
from backend.store.database import Database
from backend.store.queries.people import imported_people

AT_ONCE = 2_000


class MatchingRows:
    """Rows whose people the filter takes, and those that cannot be read; `filtered_out` counts the others that came so far.

    They are for that campaign, or for one that is to be made (""), and are asked about `AT_ONCE`: memory stays bounded.
    """

    def __init__(
        self,
        database: Database,
        campaign_id: str,
        account: str,
        rows: Iterable[LeadRow | RejectedRow],
        lead_filter: LeadFilter,
        now: int,
    ) -> None:
        self.filtered_out = 0
        self._database, self._campaign_id, self._account = database, campaign_id, account
        self._rows, self._lead_filter, self._now = rows, lead_filter, now

    def __iter__(self) -> Iterator[LeadRow | RejectedRow]:
        if self._lead_filter == EVERYBODY:
            yield from self._rows
            return
        source = iter(self._rows)
        while batch := list(islice(source, AT_ONCE)):
            in_touch = self._in_touch([row for row in batch if isinstance(row, LeadRow)])
            for row in batch:
                if isinstance(row, RejectedRow) or self._lead_filter.matches(row, in_touch=row.line in in_touch):
                    yield row
                else:
                    self.filtered_out += 1

    def _in_touch(self, rows: Sequence[LeadRow]) -> set[int]:
        """The lines of people with whom another campaign is or was in touch; nobody's if the filter does not ask."""
        if not self._lead_filter.not_in_touch:
            return set()
        lines = {f"row {row.line}": row.line for row in rows}
        identities = [identity_of(row, f"row {row.line}") for row in rows]
        with self._database.read() as connection:
            row_ids = imported_people.in_touch(connection, self._campaign_id, self._account, identities, self._now)
        return {lines[row_id] for row_id in row_ids & lines.keys()}

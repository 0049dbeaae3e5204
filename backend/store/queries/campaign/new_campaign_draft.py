"""The new campaign that the user is writing, in a table of this device alone: it outlives a reload and a restart.

It is not in the log, where what was typed and taken back would stay for ever and would reach other devices, and not in the
page's own storage, which a private window loses and each start's new port hides. Of a lead file only its name, its ticket
and how it is to be read are kept: nobody of it, and a ticket opens nothing after this launch.
"""

from pydantic import Field

from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection

LONGEST = 400_000
MOST_BYTES = 4 * 1024 * 1024
"""Of a request that brings it."""


class KeptCampaignDraft(Shape):
    """What was typed so far: `name` is what it is called until it is made, `form` the page's own JSON; empty is no draft."""

    name: str = Field(default="", max_length=200)
    form: str = Field(default="", max_length=LONGEST)


def kept_draft(connection: DatabaseConnection) -> KeptCampaignDraft:
    """An empty one if nothing is kept."""
    row = connection.execute("SELECT name, form FROM new_campaign_draft").fetchone()
    return KeptCampaignDraft(name=row[0], form=row[1]) if row else KeptCampaignDraft()


def keep_draft(connection: DatabaseConnection, draft: KeptCampaignDraft) -> None:
    """Keep it in the place of the last one; an empty one leaves nothing."""
    connection.execute("DELETE FROM new_campaign_draft")
    if draft.form:
        connection.execute("INSERT INTO new_campaign_draft VALUES (1, ?, ?)", (draft.name, draft.form))

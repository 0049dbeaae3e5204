"""The new campaign that the user is writing, in a small file beside the database: it outlives a reload and a restart.

It is not in the log, where what was typed and taken back would stay for ever and would reach other devices, and not in the
page's own storage, which a private window loses and each start's new port hides. Of a lead file only its name, its ticket
and how it is to be read are kept: nobody of it, and a ticket opens nothing after this launch.
"""

from contextlib import suppress
from pathlib import Path

from pydantic import Field

from backend.domain.shapes import Wire
from backend.store.small_file import load_small, save_small

FILE = "new-campaign.json"
LONGEST = 400_000
MOST_BYTES = 4 * 1024 * 1024


class KeptCampaignDraft(Wire):
    """What was typed so far: `name` is what it is called until it is made, `form` the page's own JSON; empty is no draft."""

    name: str = Field(default="", max_length=200)
    form: str = Field(default="", max_length=LONGEST)


def load_draft(folder: Path) -> KeptCampaignDraft:
    """An empty one if there is no such file, or it is not what it was."""
    return load_small(folder / FILE, KeptCampaignDraft, MOST_BYTES) or KeptCampaignDraft()


def save_draft(folder: Path, draft: KeptCampaignDraft) -> None:
    """Keep it in the place of the last one; an empty one leaves no file."""
    if draft.form:
        save_small(folder / FILE, draft)
    else:
        with suppress(OSError):
            (folder / FILE).unlink(missing_ok=True)

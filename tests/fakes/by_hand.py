"""A campaign whose looks and sends are the user's, brought to where texts are approved and wait for their hand."""

from backend.adapters.sites.user_hands import UserHands
from backend.domain.events.events import Event
from backend.domain.model.campaign import Limits
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.message import Message
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.runtime.run.campaign_runner import RunResult
from tests.fakes.campaign import QUICK, Stage


def by_hand(
    stage: Stage,
    sequence: Sequence = DEFAULT_SEQUENCE,
    *,
    people: int = 3,
    connected_on: str = "",
    limits: Limits = QUICK.limits,
    name: str = "Talk",
) -> str:
    """A campaign on LinkedIn Assist with that many people; `connected_on` as their file says it."""
    channel = CHANNELS[ASSIST]
    settings = channel.settings(sequence, limits=limits)
    campaign_id = stage.commands().campaigns.create_on(channel, name, "I would like to invite you to a talk.", settings)
    leads = [
        Event(
            "LeadImported",
            stage.ids.new(),
            {
                "full_name": card.name,
                "profile_url": f"https://www.linkedin.com/in/{card.slug}",
                "member_key": card.slug,
                "job_title": card.headline,
                "company": card.company,
                "position": position,
                "import_id": "connections",
                **({"connected_on": connected_on} if connected_on else {}),
            },
        )
        for position, card in enumerate(stage.cards(people))
    ]
    stage.journal.record(campaign_id, events=leads, actor="user", cause="import", at=stage.clock.now())
    return campaign_id


def run_by_hand(stage: Stage, campaign_id: str) -> RunResult:
    """A run as the app makes it, with a user who approves each text."""
    user = stage.commands()

    def approve(_: str, drafts: list[Message]) -> bool:
        for draft in drafts:
            user.review.approve(campaign_id, draft.id, shown_digest=user.review.digest(campaign_id, draft.id))
        return bool(drafts)

    stage.site = UserHands(ASSIST)  # type: ignore[assignment]  # the whole of what a run is given there
    return stage.run(campaign_id, on_drafts=approve)

"""Who waits for the user's hand on a channel where the user acts: loaded, with what is asked about them."""

from backend.domain.contact.send_session import QueuedPerson, ask_for
from backend.domain.contact.sends import SendContext
from backend.domain.model.campaign import DAY, Campaign
from backend.domain.model.channel import is_settled_by_user
from backend.domain.model.send_word import LAST_WORD, GivenWord, SessionAsk
from backend.domain.model.site import Relation
from backend.domain.model.task import Task, TaskStatus
from backend.domain.values.errors import OutriderError
from backend.situation import situations
from backend.situation.situations import LeadSituation
from backend.situation.unsettled_acts import act_of, open_actions
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.contact import messages
from backend.store.queries.device import configuration


def campaign_by_hand(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    """Raises `campaign_unknown` and `not_sent_by_hand`."""
    campaign = campaigns.existing_campaign(connection, campaign_id)
    if not is_settled_by_user(campaign.site):
        raise OutriderError("not_sent_by_hand", campaign=campaign.name)
    return campaign


def campaigns_by_hand(connection: DatabaseConnection) -> list[Campaign]:
    """All whose messages the user sends and that are not archived, by name."""
    unarchived = (campaigns.campaign(connection, campaign_id) for campaign_id in campaigns.unarchived(connection))
    by_hand = [campaign for campaign in unarchived if campaign is not None and is_settled_by_user(campaign.site)]
    return sorted(by_hand, key=lambda campaign: (campaign.name.casefold(), campaign.id))


def last_word(connection: DatabaseConnection, campaign_id: str) -> GivenWord | None:
    """The word that has not taken effect yet."""
    return GivenWord.read(configuration.campaign_value(connection, campaign_id, LAST_WORD) or configuration.REMOVED)


def handed_over(connection: DatabaseConnection, campaign: Campaign) -> list[QueuedPerson]:
    """To whom a text was handed over without a word since, oldest first."""
    open_acts = (act_of(connection, campaign.id, action) for action in open_actions(connection, campaign.id))
    handed = [act for act in open_acts if isinstance(act, SendContext)]
    return [
        QueuedPerson(campaign, sending.task, sending.lead, sending.message, None, SessionAsk.OUTCOME, sending)
        for sending in handed
    ]


def waiting(connection: DatabaseConnection, campaign: Campaign, task: Task | None, now: int) -> QueuedPerson | None:
    """Somebody to whom nothing was handed over and who waits for the user's hand now."""
    situation = situations.task_situation(connection, campaign, task, now)
    if situation is None or task is None or task.status is not TaskStatus.IN_PROGRESS or task.ready_at > now:
        return None
    if situation.due_step.at > now:  # by what another campaign has learnt since the task was made ready
        return None
    ask = ask_for(situation.due_step, situation.lead, situation.message)
    return None if ask is None else _person(connection, campaign, task, situation, ask)


def person(connection: DatabaseConnection, campaign: Campaign, lead_id: str, now: int) -> QueuedPerson | None:
    """Somebody about whom something is asked now."""
    handed = (person for person in handed_over(connection, campaign) if person.lead.id == lead_id)
    lead_tasks = [*task_queries.open_answers(connection, lead_id), task_queries.task_of_lead(connection, lead_id)]
    waiting_people = (waiting(connection, campaign, task, now) for task in lead_tasks)
    asked_person = next(handed, None) or next((person for person in waiting_people if person is not None), None)
    return asked_person or invited_long_ago(connection, campaign, lead_id, now)


def invited_long_ago(connection: DatabaseConnection, campaign: Campaign, lead_id: str, now: int) -> QueuedPerson | None:
    """Somebody whose invitation nobody accepted for so long that it is to be taken back."""
    invited = anybody(connection, campaign, lead_id, now, SessionAsk.WITHDRAW)
    before = now - campaign.settings.limits.withdraw_after_days * DAY
    if invited is None or invited.lead.relation is not Relation.PENDING or invited.lead.replied_at is not None:
        return None
    return invited if invited.lead.invited_at is not None and invited.lead.invited_at < before else None


def anybody(
    connection: DatabaseConnection, campaign: Campaign, lead_id: str, now: int, ask: SessionAsk
) -> QueuedPerson | None:
    """A lead with its task, asked that, whether it waits for the user's hand or not."""
    task = task_queries.task_of_lead(connection, lead_id)
    situation = situations.lead_situation(connection, campaign, lead_id, now)
    if task is None or situation is None:
        return None
    return _person(connection, campaign, task, situation, ask)


def _person(
    connection: DatabaseConnection, campaign: Campaign, task: Task, situation: LeadSituation, ask: SessionAsk
) -> QueuedPerson:
    texts = tuple(messages.waiting_texts(connection, situation.lead.id))
    return QueuedPerson(campaign, task, situation.lead, situation.message, situation.approval, ask, texts=texts)

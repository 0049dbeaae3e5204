"""The queue of a send session: who waits for the user's hand now, who better waits, and what is left of the limits."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from backend.domain.contact.send_session import QueuedPerson
from backend.domain.gates import gates
from backend.domain.gates.approval import ApprovalStatus
from backend.domain.gates.gates import AccountFacts, GateCheck, HandVerdict, Refusal
from backend.domain.model.campaign import DAY, Campaign
from backend.domain.model.send_word import GivenWord
from backend.domain.model.task import ACTING, ActionFamily, TaskStatus, counted_family
from backend.situation import send_people, situations
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.contact import approvals, incidents
from backend.store.queries.contact.pending_invitations import old_invitations

_COUNTED = (ActionFamily.INVITE, ActionFamily.MESSAGE)
MOST_PEOPLE = 50
"""Shown at once; whoever comes after them follows when they are answered."""
_OF_A_PERSON = frozenset({"not_in_touch_elsewhere", "same_person_settled"})
"""Gates whose sentence is about one person."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much of a family was used today, and how much may be."""

    family: ActionFamily
    used: int
    limit: int


class LastSaid(NamedTuple):
    """The last word that can still be taken back, and in which campaign it was said."""

    campaign_id: str
    word: GivenWord


class LaterPerson(NamedTuple):
    """Somebody who need not wait, but for whom hours, pace or a limit speak against it now."""

    person: QueuedPerson
    verdict: HandVerdict


@dataclass(frozen=True, slots=True)
class SessionState:
    """The people of the day, those to whom a text was handed over first; who better waits; and why others must."""

    people: tuple[QueuedPerson, ...]
    later: tuple[LaterPerson, ...]
    hold_reasons: tuple[str, ...]
    allowances: tuple[Allowance, ...]
    last: LastSaid | None


def people_by_hand(
    connection: DatabaseConnection,
    among: Sequence[Campaign],
    inputs: TurnInputs,
    refused: Collection[str] = (),
    most: int = MOST_PEOPLE,
    *,
    withdrawals: bool = False,
) -> SessionState:
    """Who waits for the user's hand in campaigns of one account, as of one moment, with the first `most` people.

    First of whom an outcome is asked; then answers, messages, invitations and looks; within these, campaigns take turns, so
    that none starves. Nobody new is among them while everything is `refused`. `withdrawals`: also the invitations that are to be
    taken back, at the end.
    """
    words = [
        (campaign, given_word)
        for campaign in among
        if (given_word := send_people.last_word(connection, campaign.id))
        and not given_word.is_over(inputs.now, inputs.offset_at)
    ]
    last = max(words, key=lambda campaign_word: campaign_word[1].at, default=None)
    answered_actions = {given_word.action_id for _, given_word in words}
    people = [
        person
        for campaign in among
        for person in send_people.handed_over(connection, campaign)
        if person.action_id not in answered_actions
    ]
    known_lead_ids = {person.lead.id for person in people} | {given_word.lead_id for _, given_word in words}
    later: list[LaterPerson] = []
    reasons = set(refused)

    @cache
    def used(campaign_id: str, family: ActionFamily) -> AccountFacts:
        return account_by_hand(connection, by_id[campaign_id], inputs, family)

    def account(campaign: Campaign, family: ActionFamily) -> AccountFacts:
        return _once_done(used(campaign.id, family), people)

    by_id = {campaign.id: campaign for campaign in among}
    for family in () if reasons else ACTING:
        due = []
        for campaign in among:
            waiting = task_queries.next_of_family(
                connection, campaign.id, TaskStatus.IN_PROGRESS, family, MOST_PEOPLE + len(known_lead_ids)
            )
            ready = [
                (campaign, row.id)
                for row in waiting
                if row.ready_at <= inputs.now and row.lead_id not in known_lead_ids
            ]
            shut = gates.verdict_by_hand(gates.check_gates(account(campaign, family), None)).refusal if ready else None
            if shut is not None:
                reasons.add(shut.sentence if len(among) == 1 else f"{campaign.name}: {shut.sentence}")
            else:
                due.append(ready)
        for campaign, task_id in _taking_turns(due):
            if len(people) >= most:
                break
            if len(later) >= most and not gates.verdict_by_hand(gates.check_gates(account(campaign, family), None)).now:
                continue
            task = task_queries.task(connection, campaign.id, task_id)
            person = send_people.waiting(connection, campaign, task, inputs.now)
            if person is None or person.lead.id in known_lead_ids:
                continue
            verdict = verdict_for_hand(connection, person, account(campaign, person.family), inputs.now, read=True)
            if verdict.refusal is not None:
                reasons.add(_held_by(verdict.refusal, person))
                continue
            known_lead_ids.add(person.lead.id)
            if verdict.now:
                people.append(person)
            elif len(later) < most:
                later.append(LaterPerson(person, verdict))
    for campaign in among if withdrawals else ():
        people += _to_withdraw(connection, campaign, inputs, known_lead_ids, most - len(people))
    return SessionState(
        tuple(people),
        tuple(later),
        tuple(sorted(reasons)),
        _allowances(used(campaign.id, family) for campaign in among for family in _COUNTED),
        None if last is None else LastSaid(last[0].id, last[1]),
    )


def _to_withdraw(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, known_lead_ids: set[str], room: int
) -> list[QueuedPerson]:
    """Whose invitation is to be taken back and whose profile was not seen today."""
    now = inputs.now
    before = now - campaign.settings.limits.withdraw_after_days * DAY
    old = old_invitations(
        connection, campaign.id, before, max(0, room) + len(known_lead_ids), not_seen_since=inputs.midnight
    )
    people = [
        send_people.invited_long_ago(connection, campaign, invitation.lead_id, now)
        for invitation in old
        if invitation.lead_id not in known_lead_ids
    ]
    return [person for person in people if person is not None][: max(0, room)]


def account_by_hand(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, family: ActionFamily
) -> AccountFacts:
    incident = incidents.open_incident(connection, campaign.account)
    return situations.account_facts(connection, campaign, inputs, family, incident)


def _once_done(account: AccountFacts, people: Iterable[QueuedPerson]) -> AccountFacts:
    """The account as it is once these people got what they wait for: nobody is shown beyond what is left of the limits."""
    counted = counted_family(account.family)
    planned_count = sum(person.sending is None and counted_family(person.family) is counted for person in people)
    return account._replace(sent_today=account.sent_today + planned_count, sent_week=account.sent_week + planned_count)


def _taking_turns(due: Sequence[Sequence[tuple[Campaign, str]]]) -> Iterator[tuple[Campaign, str]]:
    """The first of each, then the second of each, and so on."""
    return (campaign_task for row in zip_longest(*due) for campaign_task in row if campaign_task is not None)


def verdict_for_hand(
    connection: DatabaseConnection, person: QueuedPerson, account: AccountFacts, now: int, *, read: bool
) -> HandVerdict:
    """What the gates mean for the user's hand; `read` is that the user looks, or has just looked, at the conversation."""
    return gates.verdict_by_hand(checklist(connection, person, account, now, read=read))


def handed_again(connection: DatabaseConnection, person: QueuedPerson, inputs: TurnInputs) -> HandVerdict:
    """What the gates mean for handing the text once more to the user who has it; the act and its approval count as not begun."""
    sending = person.sending
    spent = approvals.approval_of(connection, sending.message.id) if sending is not None else None
    is_its = sending is not None and spent is not None and spent.id == sending.approval_id
    approval = replace(spent, status=ApprovalStatus.OPEN) if spent is not None and is_its else None
    facts = situations.lead_facts(connection, person.campaign, replace(person, approval=approval), inputs.now)
    account = account_by_hand(connection, person.campaign, inputs, person.family)
    return gates.handed_again_verdict(*gates.without_this_act(account, facts))


def _held_by(refusal: Refusal, person: QueuedPerson) -> str:
    """Why they wait; with their name, where that is about them and no other."""
    return f"{person.lead.full_name}: {refusal.sentence}" if refusal.code in _OF_A_PERSON else refusal.sentence


def checklist(
    connection: DatabaseConnection, person: QueuedPerson, account: AccountFacts, now: int, *, read: bool
) -> tuple[GateCheck, ...]:
    facts = situations.lead_facts(connection, person.campaign, person, now)
    return gates.check_gates(account, facts._replace(thread_read_at=now) if read else facts)


def _allowances(accounts: Iterable[AccountFacts]) -> tuple[Allowance, ...]:
    """What is used and left of each family; where campaigns have other limits, the highest, as one of them still may."""
    most = dict[ActionFamily, Allowance]()
    for account in accounts:
        allowance = Allowance(account.family, account.sent_today, gates.allowance_today(account))
        if account.family not in most or allowance.limit > most[account.family].limit:
            most[account.family] = allowance
    return tuple(most.values())

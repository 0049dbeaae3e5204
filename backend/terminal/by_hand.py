"""Who waits for the user to send by their own hand, and what is left of the day; a text itself is handed over in the window."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from backend.app.wiring import open_workspace
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.model.message import MessageStatus
from backend.domain.model.send_word import SessionAsk
from backend.domain.model.task import ACT_WORDS
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of
from backend.situation.send_people import campaign_by_hand
from backend.situation.send_queue import SessionState, people_by_hand
from backend.situation.situations import TurnInputs
from backend.terminal import campaign_status
from backend.terminal.known_people import conversation
from backend.terminal.output import TerminalOutput, columns, one_line

_TO_DO = {
    SessionAsk.ACCEPTED: "see whether they accepted",
    SessionAsk.CONNECTED: "see whether you are connected",
    SessionAsk.REPLIED: "see whether they replied",
    SessionAsk.INVITE: "send the invitation",
    SessionAsk.WRITE: "look for a reply, then send the message",
    SessionAsk.WITHDRAW: "take the old invitation back",
    SessionAsk.OUTCOME: "say whether it was sent",
}
_BEGINNING = 40
"""Characters of a text, half of it at most: enough to know it, too few to send it without its intent on disk."""


def print_by_hand(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """The people of the day in their order; nothing is handed over, so nothing counts as sent.

    Raises `campaign_unknown` and `not_sent_by_hand`.
    """
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = campaign_status.find_campaign(connection, id_or_name)
        clock = clock_of(workspace, campaign.id)
        inputs = TurnInputs.at(clock, clock.now(), present=True)
        state = people_by_hand(connection, [campaign_by_hand(connection, campaign.id)], inputs, withdrawals=True)
        conversations = {person.lead.id: conversation(connection, person.lead, clock.offset) for person in state.people}
        lines, json_result = by_hand(state, conversations)
    output.result(lines, {"campaign": campaign.id, **json_result})


def by_hand(
    state: SessionState, conversations: Mapping[str, list[str]] = MappingProxyType({})
) -> tuple[list[str], dict[str, Any]]:
    """The same as lines and as values; `conversations` has the last messages with each lead, a line each."""
    people = [_as_json(person) | {"conversation": conversations.get(person.lead.id, [])} for person in state.people]
    used = {
        allowance.family.value: {"used": allowance.used, "limit": allowance.limit} for allowance in state.allowances
    }
    rows = [(person["name"], person["to_do"], person["begins"], person["profile_url"]) for person in people]
    lines = ["Nothing to send right now."] if not rows else []
    for row, person in zip(columns(rows), people, strict=True):
        lines += [row, *(f"  {line}" for line in person["conversation"])]
    lines += [f"Others wait: {sentence}" for sentence in state.hold_reasons]
    lines += [
        f"{ACT_WORDS[allowance.family].title}: {allowance.used} of {allowance.limit} today."
        for allowance in state.allowances
    ]
    if people:
        lines.append("Send them in the window: `outrider app`, Send. Each message is shown there, once.")
    return lines, {"people": people, "held": list(state.hold_reasons), "used": used}


def _as_json(person: QueuedPerson) -> dict[str, Any]:
    message = person.message
    shown = message is not None and message.status in (MessageStatus.APPROVED, MessageStatus.SENDING)
    text = one_line(message.text) if message is not None and shown else ""
    return {
        "lead": person.lead.id,
        "name": one_line(person.lead.full_name),
        "profile_url": person.lead.profile_url,
        "ask": person.ask.value,
        "to_do": _TO_DO[person.ask],
        "begins": text[: min(_BEGINNING, len(text) // 2)] + ("…" if text else ""),
    }

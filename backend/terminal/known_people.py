"""What is told of people who are known already, in every command that brings or shows leads: counts, sentences, last messages."""

from collections.abc import Sequence
from typing import Any

from backend.domain.contact.conversation import ConversationMessage, lines_of
from backend.domain.gates.gates import contact_refusal, doubt_refusal, reply_refusal
from backend.domain.gates.person import Contact, Person
from backend.domain.model.days import OffsetAt
from backend.domain.model.lead import Lead
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.contact import messages
from backend.store.queries.people import people
from backend.store.queries.people.imported_people import ImportedPeople
from backend.terminal.output import one_line


def known_people_lines(brought: ImportedPeople) -> list[str]:
    """Whom a file brought, in sentences; none if nobody is known."""
    lines = [
        f"{_people(n)} with “{campaign}”: left there, unless you decide otherwise with `outrider person`."
        for campaign, n in brought.with_campaigns.items()
    ]
    if brought.in_touch:
        were = "person was" if brought.in_touch == 1 else "people were"
        lines.append(f"{brought.in_touch:,} {were} contacted by another campaign before.")
    if brought.asked:
        people = "person" if brought.asked == 1 else "people"
        lines.append(
            f"{brought.asked:,} {people} may be the same as somebody else, in the file or in your campaigns: nothing goes to"
            " them until you answer `outrider people questions`."
        )
    return lines


def _people(number: int) -> str:
    return f"{number:,} {'person is' if number == 1 else 'people are'}"


def person_lines(connection: DatabaseConnection, lead_id: str, inputs: TurnInputs) -> tuple[list[str], dict[str, Any]]:
    """One lead's person across campaigns: with whom they are, where they replied, and what is asked; as text and as JSON."""
    person, doubt = people.several(connection, lead_id), people.doubt_about(connection, lead_id)
    refusals = [
        reply_refusal(person),
        contact_refusal(person, inputs.now, inputs.offset_at),
        doubt_refusal(doubt),
    ]
    lines = [refusal.sentence for refusal in refusals if refusal is not None]
    others = _others(person)
    lines += [f"Also in “{name}”: {contact}." for name, contact in others]
    if person is not None and person.lead.contact_anyway:
        lines.append(f"Contacted from here anyway: {person.lead.contact_anyway}.")
    json_result = {
        "held_by": [refusal.code for refusal in refusals if refusal is not None],
        "other_campaigns": [{"campaign_name": name, "contact": contact} for name, contact in others],
        "contact_anyway": person.lead.contact_anyway if person is not None else "",
        "doubt": doubt.value if doubt is not None else "",
    }
    return lines, json_result


def _others(person: Person | None) -> Sequence[tuple[str, str]]:
    leads = person.others if person is not None else ()
    return [
        (lead.campaign_name, "not contacted" if lead.contact is Contact.NOTHING else lead.contact.value)
        for lead in leads
    ]


MOST, LONGEST = 4, 160
"""Messages, and characters of each."""


def conversation(connection: DatabaseConnection, lead: Lead, offset_at: OffsetAt) -> list[str]:
    """Oldest first."""
    last = [_marked(message) for message in messages.last_exchanged(connection, lead.id, MOST, LONGEST)]
    return [one_line(line) for line in lines_of(last, lead.full_name, offset_at, lead.campaign_id)]


def _marked(message: ConversationMessage) -> ConversationMessage:
    """With a sign where the rest was left out."""
    return message._replace(text=f"{message.text[:-1].rstrip()}…") if message.length > len(message.text) else message

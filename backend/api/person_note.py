"""What is to be known of a person on every screen that shows a message to them: other campaigns, and whether it is they at all."""

from backend.domain.gates.gates import contact_refusal
from backend.domain.gates.person import with_campaign
from backend.domain.people.identity import DOUBT_SENTENCES
from backend.domain.values.shapes import Shape
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.people import people


class PersonNote(Shape):
    """What is to be known of a person before this campaign writes to them; a text is empty where there is nothing.

    `elsewhere` says which campaign they are with, since when, and how far it came, `here` if it is this very one, by another lead;
    `before`: they are with none, but the user was in touch with them earlier, by a file or through a campaign that is gone.
    `anyway` is the user's reason to write all the same. `doubt` says why they may be the same person as another lead. `held`:
    nothing goes out because of it.
    """

    elsewhere: str = ""
    anyway: str = ""
    doubt: str = ""
    here: bool = False
    before: bool = False
    held: bool = False


def person_note(connection: DatabaseConnection, lead_id: str, inputs: TurnInputs) -> PersonNote:
    """The note on that lead's person; most have none."""
    person, doubt = people.several(connection, lead_id), people.doubt_about(connection, lead_id)
    sentence = "" if doubt is None else DOUBT_SENTENCES[doubt]
    if person is None:
        return PersonNote(doubt=sentence, held=bool(doubt))
    refusal, holder = contact_refusal(person, inputs.now, inputs.offset_at), person.elsewhere(inputs.now)
    elsewhere = refusal.sentence if refusal is not None else ""
    if holder is not None:
        elsewhere = with_campaign(holder, person.lead, inputs.offset_at)
    return PersonNote(
        elsewhere=elsewhere,
        anyway=person.lead.contact_anyway,
        doubt=sentence,
        here=holder is not None and holder.campaign_id == person.lead.campaign_id,
        before=refusal is not None and holder is None,
        held=refusal is not None or doubt is not None,
    )

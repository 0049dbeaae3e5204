"""One sentence for each step of a rehearsal, so that somebody who watches can follow it."""

from backend.domain.model.message import MessageStatus
from backend.domain.model.tools import TOOLS, SendParams
from backend.domain.turn.proposals import AnalyzeLeads, ExecuteTool, GenerateMessage, Proposal, RequestUserInput


def step_words(proposal: Proposal, lead: str, sent: MessageStatus | None) -> str:
    """What was done and what was not, with the lead's name; "" for what nobody needs to hear.

    `sent` is where the text stands that a step was to send.
    """
    match proposal:
        case ExecuteTool(params=params):
            done = TOOLS[params.tool].done.format(lead=lead)
            if not isinstance(params, SendParams):
                return f"{done}; nothing was sent." if done and lead else ""
            if sent is MessageStatus.SENT:
                return f"{done}, in exactly the words that you approved."
            return f"Tried to write to {lead}; whether it arrived is looked up before anything else is sent."
        case GenerateMessage():
            return f"Wrote a message to {lead}; nothing is sent until you approve it."
        case RequestUserInput():
            return "Asked you a question; it goes on with your answer."
        case AnalyzeLeads():
            return "Scored the leads; nothing was sent."
        case _:
            return ""

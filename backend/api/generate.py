"""What is generated from the endpoint table: the page's types and calls, and the OpenAPI document (`make wire`)."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_args

from pydantic import TypeAdapter

from backend.api.app import NOUNS
from backend.api.native import Native, functions
from backend.api.server.endpoint import Endpoint, Routes
from backend.api.server.socket import Hello
from backend.api.typescript import call_functions, declarations, typescript_type
from backend.domain.contact.conversation import SOURCE_WORDS
from backend.domain.events.events import EVENT_KINDS
from backend.domain.gates.gates import GATE_WORDS
from backend.domain.model.artifact import PROTECTED
from backend.domain.model.channel import CHANNELS
from backend.domain.model.lead import LABELS, STATUS_WORDS
from backend.domain.model.site import INCIDENT_NAMES
from backend.domain.model.task import ACT_WORDS, ActWords
from backend.domain.reports.campaign_state import STATE_OF_STATUS
from backend.domain.turn.request import COMMANDS, UNDERSTOOD_AS
from backend.domain.values.csv_cell import MARKS, SEPARATORS, SIGNS
from backend.domain.values.hidden_characters import page_pattern, page_pattern_of_unsendable
from backend.domain.values.shapes import ErrorShape
from backend.runtime.feed.feed_messages import FeedMessage
from backend.store.last_known import LastKnown

HIDDEN_SAID = (
    "Finds hidden characters (`backend/domain/values/hidden_characters.py`): only what group 1 holds is hidden."
)
COMMANDS_SAID = (
    "Whole messages that are the user's own act, and what each is shown as (`backend/domain/turn/request.py`)."
)


def table(nouns: Iterable[Routes] = NOUNS) -> list[Endpoint]:
    """Every endpoint, in the order of the nouns."""
    return [endpoint for noun in nouns for endpoint in noun.endpoints]


def types(endpoints: Sequence[Endpoint]) -> str:
    """The page's types: what endpoints take and answer, the feed's messages, and what the window does."""
    shapes: list[Any] = [ErrorShape, Hello, LastKnown, *get_args(FeedMessage)]
    for function in functions():
        shapes += [function.takes] if function.takes else []
    for endpoint in endpoints:
        shapes += [shape for shape in (endpoint.query, endpoint.body) if shape]
        shapes += [endpoint.answer] if endpoint.answers_json else []
    union = " | ".join(shape.__name__ for shape in get_args(FeedMessage))
    hidden = (
        f"/** {HIDDEN_SAID} */\nexport const HIDDEN_CHARACTERS = /{page_pattern()}/gu;\n"
        "/** Of the hidden characters those that no message may hold (the same file). */\n"
        f"export const UNSENDABLE_CHARACTERS = /{page_pattern_of_unsendable()}/u;"
    )
    kinds = "".join(f'\n  | "{kind}"' for kind in EVENT_KINDS)
    unions = f"export type FeedMessage = {union};\n\n/** Every kind of event. */\nexport type EventKind ={kinds};"
    commands = (
        f"export type PlainCommand = {' | '.join(json.dumps(command) for command in UNDERSTOOD_AS)};\n"
        f"/** {COMMANDS_SAID} */\nexport const PLAIN_COMMANDS: Record<string, PlainCommand> = {json.dumps(dict(COMMANDS))};"
        f"\nexport const UNDERSTOOD_AS: Record<PlainCommand, string> = {json.dumps(dict(UNDERSTOOD_AS))};"
    )
    leads = (
        "/** How what came of a lead is called (`backend/domain/model/lead.py`). */\n"
        f"export const LEAD_WORDS: Record<LeadStatus, string> = {json.dumps(STATUS_WORDS)};\n"
        "/** What the user may say came of a conversation, in the order of the keys (the same file). */\n"
        f"export const LABEL_WORDS: Record<Label, string> = {json.dumps({name: label.title for name, label in LABELS.items()})};"
    )
    sources = (
        "/** How people are told how a message is known (`backend/domain/contact/conversation.py`). */\n"
        f"export const SOURCE_WORDS: Record<MessageSource, string> = {json.dumps(SOURCE_WORDS)};"
    )
    incidents = (
        "/** How people are told of trouble with the account (`backend/domain/model/site.py`). */\n"
        f"export const INCIDENT_NAMES: Record<IncidentKind, string> = {json.dumps(INCIDENT_NAMES)};"
    )
    fields = " | ".join(json.dumps(field) for field in ActWords._fields)
    acts = (
        "/** How each family of acts is called (`backend/domain/model/task.py`). */\n"
        f"export const ACT_WORDS: Record<ActionFamily, Record<{fields}, string>> = "
        f"{json.dumps({family: words._asdict() for family, words in ACT_WORDS.items()})};"
    )
    gates = (
        "/** What each gate checks, in words (`backend/domain/gates/gates.py`). */\n"
        f"export const GATE_WORDS: Record<string, string> = {json.dumps(GATE_WORDS)};"
    )
    states = (
        "/** What a campaign of a recorded status is called (`backend/domain/reports/campaign_state.py`). */\n"
        f"export const STATE_OF_STATUS: Record<CampaignStatus, string> = {json.dumps(STATE_OF_STATUS)};"
    )
    by_hand = (
        "/** The channels on which the user looks and sends (`backend/domain/model/channel.py`). */\n"
        f"export const BY_HAND: readonly string[] = {json.dumps([name for name, way in CHANNELS.items() if way.user_reads])};"
    )
    cells = (
        "/** What a spreadsheet may take for the beginning of a formula (`backend/domain/values/csv_cell.py`). */\n"
        f"export const CSV_CELL = {json.dumps({'signs': SIGNS, 'separators': SEPARATORS, 'marks': MARKS})};"
    )
    protected = (
        "/** The types that only Outrider makes (`backend/domain/model/artifact.py`). */\n"
        f"export const PROTECTED_TYPES: readonly ArtifactType[] = {json.dumps(list(PROTECTED))};"
    )
    words = f"{leads}\n{states}\n{incidents}\n{sources}\n{acts}\n{gates}\n{by_hand}\n{cells}\n{protected}"
    return f"{declarations(shapes)}\n\n{unions}\n\n{hidden}\n\n{commands}\n\n{words}\n\n{native_interface()}\n"


def native_interface() -> str:
    """What the window does for its page, as the page calls it."""
    lines = [f"/** {Native.__doc__} */", "export interface Native {"]
    for name, takes, answers, doc in functions():
        parameter = f"given: {takes.__name__}" if takes else ""
        answered = typescript_type(TypeAdapter(answers).json_schema(mode="serialization"))
        lines += [f"  /** {doc} */", f"  {name}({parameter}): Promise<{answered}>;"]
    return "\n".join([*lines, "}"])


FILES: dict[str, Callable[[Sequence[Endpoint]], str]] = {
    "frontend/src/lib/api/generated.ts": types,
    "frontend/src/lib/api/calls.ts": call_functions,
}
"""What is written, by its place in the checkout."""

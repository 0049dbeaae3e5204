"""What is left of a log entry whose words are erased: ids, numbers, times and states, so that every row keeps its place."""

import json
from collections.abc import Callable, Iterable, Mapping

from backend.domain.events.events import EVENT_KINDS, Event, Row
from backend.domain.events.facts.workspace import EntriesErased
from backend.domain.people.contact_keys import FORGOTTEN_KEY
from backend.domain.turn.assistant_results import StatusLine
from backend.domain.values.canonical_json import Json, canonical

ERASED = "(erased)"
"""Stands where a name, or a question, must be shown."""


def is_erased(words: Json) -> bool:
    """Whether this is all that is left of a lead's name, of whom nobody knows any more who it is; or of a question."""
    return bool(words == ERASED)


MOST_ENTRIES = 500
"""Entries that one event erases; more are several events, so that each is small."""

AUDIT_LEFT = canonical({})

UNIQUE_KEYS = frozenset({"member_key", "artifact_key", "given_key"})
"""Fields in which no two rows may have the same value, so that each gets a substitute of its own."""

ERASED_KEY, DELETED_KEY = "erased-", "deleted-"
"""How the substitutes begin: of an erased person's row, of a row of a deleted campaign."""

SUBSTITUTES = (ERASED_KEY, DELETED_KEY, FORGOTTEN_KEY)


ERASED_RESULT = StatusLine(sentence=ERASED, code="erased").model_dump(mode="json")
"""What is left of a result that the assistant gave."""


def _without_line_words(line: Row) -> Row:
    payload = {name: value for name, value in line.get("payload", {}).items() if name == "question_id"}
    if line.get("kind") == "result":
        payload = ERASED_RESULT
    return _blank(content="", payload=payload)(line)


def _without_text(message: Row) -> Row:
    """Whether there was a text stays: an invitation with a note counts against the month's notes."""
    text = {"text": ERASED} if message.get("text") else {}
    return _blank(reason="", rejection_reason="", evidence=[])(message) | text


def _without_question(question_row: Row) -> Row:
    """What became of an act must be said all the same, as it counts for the account, and such choices name nobody."""
    left = _blank(question=ERASED, choices=[], payload={}, answer="")(question_row)
    if "action_id" in question_row.get("payload", {}):
        left |= {"choices": question_row["choices"], "payload": {"action_id": question_row["payload"]["action_id"]}}
    return left


def _blank(**words: Json) -> Callable[[Row], Row]:
    """Columns that are words, each with what stands in its place; those that the event does not have it does not get."""
    return lambda changes: changes | {name: words[name] for name in changes.keys() & words.keys()}


def _without_recipient(act: Row) -> Row:
    """Which limits the user knowingly went beyond stays: without it the act would have broken them."""
    despite = {"despite": act["params"]["despite"]} if "despite" in act.get("params", {}) else {}
    return _blank(params=despite, said="", evidence=[])(act)


_WITHOUT_WORDS: Mapping[str, Callable[[Row], Row]] = {
    "line": _without_line_words,
    "attachment": _blank(name=ERASED, content=""),
    "task": _blank(description=ERASED, reason="", metadata={}),
    "input_request": _without_question,
    "turn": _blank(error=""),
    "lead": _blank(
        full_name=ERASED,
        profile_url="",
        job_title="",
        company="",
        email="",
        connected_on=None,
        extra={},
        tags=[],
        answers=[],
        headline="",
        notes="",
        contact_anyway="",
        greeting_name="",
    ),
    "message": _without_text,
    "action": _without_recipient,
    "incident": _blank(said=ERASED, reason="", evidence=""),
    "rejected_row": _blank(reason=ERASED, raw=""),
    "merged_row": _blank(earlier={}, later={}),
}
"""By entity. Whose words can be erased is in here; `KeyError` for any other."""

ERASABLE = frozenset(_WITHOUT_WORDS)
"""The entities whose words can be erased."""


def brings_words(event: Event) -> bool:
    """Whether it records words about a person, or to or from them; what the controller says became of a text is none."""
    entity = EVENT_KINDS[event.kind].entity
    if entity == "message":
        return event.changes.get("text", "") not in ("", ERASED)
    return entity == "lead" and _WITHOUT_WORDS[entity](dict(event.changes)) != event.changes


def without_words(entity: str, entity_id: str, changes: Mapping[str, object]) -> str:
    """The payload that is left of an event about such an entity, in canonical JSON."""
    left = _WITHOUT_WORDS[entity](dict(changes))
    if entity == "lead" and "member_key" in left:
        left = left | {"member_key": f"{ERASED_KEY}{entity_id}"}
    return canonical(left)


def evidence_named(payload: str) -> set[str]:
    """The files of evidence that a payload of either log names."""
    if '"evidence"' not in payload:
        return set()
    evidence = json.loads(payload).get("evidence") or ()
    pieces = (evidence,) if isinstance(evidence, str) else evidence
    return {piece if isinstance(piece, str) else piece.get("file", "") for piece in pieces} - {""}


def leads_erased(events: Iterable[Mapping[str, Json]]) -> list[str]:
    """The leads whose data these erasures take out, by what they change."""
    left = (json.loads(text) for changes in events for text in dict(changes.get("entries") or {}).values())
    keys = (str(values.get("member_key", "")) for values in left)
    return sorted({key.removeprefix(ERASED_KEY) for key in keys if key.startswith(ERASED_KEY)})


def forgotten(changes: Mapping[str, object], key: str) -> str:
    """The payload that is left of an entry of the do-not-contact list: a key that only fits who is compared with it."""
    return canonical(dict(changes) | {"member_key": key, "name": ERASED, "reason": ""})


KEPT = frozenset({
    "account", "action_id", "approval_id", "artifact_type", "blocked", "claim", "code", "device_id", "endorsement",
    "family", "finished", "format", "given_by", "history", "import_id", "kind", "label", "lead_id", "made_by", "media_type",
    "message_id", "model", "needs", "previous", "proposer", "public_key", "relation", "reply_kind", "request_id",
    "role", "site", "source", "state", "status", "step", "steps", "task_id", "tool", "variant", "verdict",
})  # fmt: skip
"""Columns that say what something was and what became of it, and nothing about a person. Like numbers, no erasure alters them."""

SIZES = frozenset({"bytes", "in_file"})
"""Numbers that say how large the words were, and are 0 once they are gone."""

_SHOWN = frozenset({"description", "full_name", "name", "question", "text"})


def without_campaign(entity: str, entity_id: str, changes: Mapping[str, Json]) -> str:
    """The payload that is left of an event of a campaign that is deleted, in canonical JSON: times, counts, ids and states.

    A column that is not known to be harmless loses its value. What says that something was erased stays as it is.
    """
    if entity == "erasure":
        return canonical(changes)
    return canonical({name: _left_of(name, entity_id, value) for name, value in changes.items()})


def _left_of(name: str, entity_id: str, value: Json) -> Json:
    if name in KEPT:
        return value
    if name in UNIQUE_KEYS and value:
        return value if str(value).startswith(SUBSTITUTES) else f"{DELETED_KEY}{entity_id}"
    match name:
        case "settings" if value:
            return limits_alone(value)
        case "in_file":
            return 0
    match value:
        case str():
            if name in _SHOWN and value:
                return ERASED
            return {"{": "{}", "[": "[]"}.get(value[:1], "")
        case list() | tuple():
            return []
        case Mapping():
            return {}
    return value


def limits_alone(settings: str) -> str:
    """What is left of a campaign's settings: what was sent was sent within them."""
    try:
        decoded = json.loads(settings)
    except ValueError:
        return ""
    return canonical({"limits": decoded["limits"]} if isinstance(decoded, dict) and "limits" in decoded else {})


def emptied(changes: Mapping[str, Json]) -> str:
    """The payload that is left of an erasure when a later one says less of an entry: that one names all its entries again."""
    return canonical(dict(changes) | {"entries": {}})


def _is_emptied(remains: str) -> bool:
    return '"entries":{}' in remains


def erasures(left: Mapping[str, str], new_id: Callable[[], str], now: int) -> list[Event]:
    """The events that erase these entries and say what is left; earlier erasures last, so that what they named is named before."""
    entries = sorted(left.items(), key=lambda entry: (_is_emptied(entry[1]), entry))
    return [
        EntriesErased(new_id(), entries=dict(entries[first : first + MOST_ENTRIES]), created_at=now)
        for first in range(0, len(entries), MOST_ENTRIES)
    ]

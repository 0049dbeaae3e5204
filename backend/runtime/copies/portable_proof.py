"""A campaign's proof as one HTML file that checks itself, offline and without Outrider; docs/proof.md describes it.

It holds both logs of the campaign and of the workspace. Of the entries that say who was written to, by whose approval and what came
of it, it holds everything; of all others the hash and the digest of their words, which is all that the chain needs.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from backend.domain.erasure.erasure import KEPT
from backend.domain.erasure.remains_by_kind import rules_for_page
from backend.domain.events.events import WORKSPACE
from backend.domain.events.signature import SignedHeads, key_id
from backend.domain.people.contact_keys import ContactDetails, person_keys
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import page_pattern
from backend.store.database import DatabaseConnection
from backend.store.log.chain import payload_digest
from backend.store.log.journal import Journal
from backend.store.log.signatures import signatures
from backend.store.queries.device import logs

FORMAT = "outrider-proof 1"
SEAL = b"outrider proof 1\n"
MOST_EVIDENCE_BYTES = 64_000_000
"""Further evidence is named by its digest alone, so that the file can still be opened."""

PERSONAL_DATA = (
    "The proof contains the names, profile addresses and messages of everyone contacted in this campaign, and pictures"
    " of what was seen there. Give it only to whom you may show these."
)

_PAGE = Path(__file__).with_name("proof_page")
_TRIES = 20
_AT_ONCE = 2_000
_ALWAYS = frozenset({
    "CampaignCreated", "CampaignEdited", "ApprovalGiven", "ApprovalUsed", "ApprovalReopened", "ApprovalExpired",
    "ApprovalRevoked", "ActionIntended", "ActionHandedOver", "ActionSettled", "ActionConfirmed", "MessageSent", "LeadBlocked",
    "LeadUnblocked", "EntriesErased", "SigningKeyIntroduced",
})  # fmt: skip
"""Kinds of event that the rules cannot be checked without."""
_TEXTS = frozenset({"MessageDrafted", "MessageEdited"})
_OPT_OUTS = frozenset({"DoNotContactAdded", "DoNotContactRemoved"})
READ = _ALWAYS | _TEXTS | _OPT_OUTS
"""Kinds of event whose words a verifier reads."""


class _Contacted(NamedTuple):
    """Which texts acts name, and by what the people they went to can be on the do-not-contact list."""

    messages: frozenset[str]
    lead_of_key: dict[str, set[str]]


def proof_page(journal: Journal, campaign_id: str, evidence: Callable[[str], bytes], now: int) -> Iterator[bytes]:
    """The file, with what no signature covers signed first; `now` in ms UTC. Raises `signer_unavailable` without a key at hand."""
    signing = journal.signing
    if signing is None or not signing.signer.is_open:
        raise OutriderError("signer_unavailable", detail="the key is not at hand.")
    data = _signed(journal, campaign_id, evidence, now)
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    seal = signing.signer.sign(SEAL + hashlib.sha256(text.encode()).hexdigest().encode())
    sealed = json.dumps({"key": key_id(signing.signer.public_key()), "signature": seal.hex()})
    yield _page(text, sealed).encode()


def _signed(journal: Journal, campaign_id: str, evidence: Callable[[str], bytes], now: int) -> dict[str, Any]:
    """What the proof holds, of a moment at which it was signed to its end: a run may record more at any time."""
    for _ in range(_TRIES):
        journal.sign_heads(now)
        with journal.database.read() as connection:
            if _is_signed(connection, campaign_id):
                return _collected(connection, campaign_id, evidence, now)
    with journal.database.read() as connection:  # an earlier signature does not hold: a verifier says so
        return _collected(connection, campaign_id, evidence, now)


def _is_signed(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether signatures cover the proof to its end."""
    return all(
        any(
            (heads.event_seq, heads.audit_seq) == logs.lengths(connection, stream)
            for heads in signatures(connection, stream)
        )
        for stream in (WORKSPACE, campaign_id)
    )


def _page(data: str, seal: str) -> str:
    style, script = ((_PAGE / name).read_text(encoding="utf-8") for name in ("style.css", "verify.js"))
    script = script.replace("{hidden_characters}", page_pattern())
    script = script.replace('"{rules_of_remains}"', json.dumps(rules_for_page(READ), separators=(",", ":")))
    script = script.replace('"{states}"', json.dumps(sorted(KEPT)))
    parts = {
        "{style_hash}": _csp_hash(style),
        "{script_hash}": _csp_hash(script),
        "{style}": style,
        "{script}": script,
        "{data}": data,
        "{seal}": seal,
    }
    page = (_PAGE / "page.html").read_text(encoding="utf-8")
    pieces = [page]
    for name in parts:  # never within what was put in
        pieces = [half for piece in pieces for half in _split(piece, name)]
    return "".join(parts.get(piece, piece) for piece in pieces)


def _split(piece: str, name: str) -> Iterable[str]:
    before, separator, after = piece.partition(name)
    return (before, separator, after) if separator else (piece,)


def _csp_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _collected(
    connection: DatabaseConnection, campaign_id: str, evidence: Callable[[str], bytes], now: int
) -> dict[str, Any]:
    contacted = _contacted(connection, campaign_id)
    opted_out: dict[str, list[str]] = {}
    files: dict[str, None] = {}

    def shown(event: dict[str, Any]) -> bool:
        kind, entity = event["kind"], event["entity_id"]
        if kind == "DoNotContactAdded":
            leads = contacted.lead_of_key.get(json.loads(event["payload"]).get("member_key", ""))
            if leads:
                opted_out[entity] = sorted(leads)
        if kind in ("ActionSettled", "ActionConfirmed", "MessageSent"):
            files.update(dict.fromkeys(piece["file"] for piece in json.loads(event["payload"]).get("evidence", ())))
        return (
            kind in _ALWAYS
            or (kind in _TEXTS and entity in contacted.messages)
            or (kind in _OPT_OUTS and entity in opted_out)
        )

    streams = {
        stream: {
            "events": [_event(row, shown(row)) for row in _entries(connection, "event", stream)],
            "audits": [_audit(row) for row in _entries(connection, "audit", stream)],
        }
        for stream in (WORKSPACE, campaign_id)
    }
    return {
        "format": FORMAT,
        "campaign": campaign_id,
        "made_at": now,
        "streams": streams,
        "signatures": [
            _signature(signature) for stream in streams for signature in _last_signatures(connection, stream)
        ],
        "opted_out": opted_out,
        "evidence": dict(_evidence(files, evidence)),
    }


def _contacted(connection: DatabaseConnection, campaign_id: str) -> _Contacted:
    messages: set[str] = set()
    leads: set[str] = set()
    lead_fields: dict[str, dict[str, Any]] = {}
    for row in _entries(connection, "event", campaign_id):
        if row["kind"] in ("ActionIntended", "ActionHandedOver"):
            payload = json.loads(row["payload"])
            if payload.get("message_id"):
                messages.add(payload["message_id"])
                leads.add(payload["lead_id"])
        elif row["kind"] in ("LeadImported", "LeadMerged"):
            lead_fields.setdefault(row["entity_id"], {}).update(json.loads(row["payload"]))
    lead_of_key: dict[str, set[str]] = {}
    for lead in leads & lead_fields.keys():
        fields = {name: lead_fields[lead].get(name, "") for name in ("member_key", "profile_url", "email")}
        for key in person_keys(ContactDetails(**fields)):
            lead_of_key.setdefault(key, set()).add(lead)
    return _Contacted(frozenset(messages), lead_of_key)


def _entries(connection: DatabaseConnection, log: Literal["event", "audit"], stream: str) -> Iterator[dict[str, Any]]:
    lengths = logs.lengths(connection, stream)
    end, after = (lengths.events if log == "event" else lengths.audits), 0
    while after < end:
        rows = logs.entries_between(connection, log, stream, after, end, _AT_ONCE)
        yield from rows
        after = rows[-1]["seq"] if rows else end


def _event(row: dict[str, Any], shown: bool) -> list[Any]:
    names = ("seq", "timestamp", "kind", "entity_type", "entity_id", "actor", "cause")
    return [*(row[name] for name in names), row["hash"].hex(), *_words(row, shown)]


def _audit(row: dict[str, Any]) -> list[Any]:
    names = ("seq", "timestamp", "action_type", "actor", "cause")
    return [*(row[name] for name in names), row["hash"].hex(), *_words(row, shown=False)]


def _words(row: dict[str, Any], shown: bool) -> tuple[str | None, str | None, str | None]:
    """Salt and payload; or, of an erased one, what is left and the digest; or the digest alone."""
    if row["payload_digest"] is not None:
        return None, row["payload"], row["payload_digest"].hex()
    if shown:
        return (row["salt"] or b"").hex(), row["payload"], None
    return None, None, payload_digest(row["salt"] or b"", row["payload"]).hex()


def _last_signatures(connection: DatabaseConnection, stream: str) -> Iterable[SignedHeads]:
    """The last one by each key: it stands for all before it."""
    return {signature.key_id: signature for signature in signatures(connection, stream)}.values()


def _signature(heads: SignedHeads) -> list[Any]:
    return [part.hex() if isinstance(part, bytes) else part for part in heads]


def _evidence(files: Iterable[str], read: Callable[[str], bytes]) -> Iterator[tuple[str, str]]:
    room = MOST_EVIDENCE_BYTES
    for file in filter(None, files):
        try:
            content = read(file)
        except OutriderError:
            continue  # the entry still has its digest
        room -= len(content)
        if room < 0:
            return
        yield file, base64.b64encode(content).decode()

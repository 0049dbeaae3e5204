"""What a raw reply amounts to: one proposal, the words said beside it, and whether anything follows (spec 004 REQ-DET-006)."""

import re
from dataclasses import dataclass
from typing import Protocol

from backend.domain.turn.proposals import MAX_REPLY_BYTES, NoOp, Proposal, Rejection, parse, reject
from backend.domain.values.json_in_text import without_thoughts


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The proposal of a reply, or why it has none, and the model's own words to the user, exactly as it said them."""

    proposal: Proposal | Rejection
    words: tuple[str, ...] = ()

    @property
    def wants_another_turn(self) -> bool:
        """Whether another turn is wanted once this one is carried out."""
        return not isinstance(self.proposal, NoOp)


class ReplyParser(Protocol):
    """Reads replies of one format. The loop knows this and no format."""

    name: str

    def read(self, raw: str) -> ParsedReply:
        """Never raises, for any text."""
        ...


class JsonReplyParser:
    """The proposal is the reply's one JSON object; what a model thinks or says around it is kept on record only."""

    name = "json"

    def read(self, raw: str) -> ParsedReply:
        """Words are what a `no_op` says."""
        return _action(parse(raw))


_FENCE = re.compile(r"^```json[ \t]*\r?\n(.*?)^```[ \t]*\r?(?:\n|\Z)", re.MULTILINE | re.DOTALL)


class FencedReplyParser:
    """For models that talk: exactly one ```json block is the proposal, and what stands around it is said to the user."""

    name = "fenced"

    def read(self, raw: str) -> ParsedReply:
        """Without its one block a reply is refused, and so is what it says."""
        if not raw or raw.isspace():
            return ParsedReply(reject("reply_missing"))
        if len(raw) > MAX_REPLY_BYTES or len(raw.encode("utf-8", "surrogatepass")) > MAX_REPLY_BYTES:
            return ParsedReply(reject("reply_too_large"))
        blocks = list(_FENCE.finditer(raw))
        if len(blocks) != 1:
            return ParsedReply(reject("reply_not_json"))
        (block,) = blocks
        surrounding = tuple(words for words in (raw[: block.start()], raw[block.end() :]) if words.strip())
        return _action(parse(block.group(1)), surrounding)


_PROSE = re.compile(r"[^{}\[\]`\x00]*[^\W\d_][^{}\[\]`\x00]*")
"""Words, and nothing that could have been meant as a proposal."""


def prose_for(request_id: str, reply: ParsedReply, raw: str) -> ParsedReply:
    """A reply to the user's request: words without any object in them are said to the user, and do nothing (spec 004 DET-003)."""
    words = without_thoughts(raw)
    if reply.proposal != reject("reply_not_json") or not _PROSE.fullmatch(words):
        return reply
    return ParsedReply(NoOp(type="no_op", task_id=request_id), (words,))


def _action(proposal: Proposal | Rejection, surrounding: tuple[str, ...] = ()) -> ParsedReply:
    if isinstance(proposal, Rejection):
        return ParsedReply(proposal)
    own_words = (proposal.params.say,) if isinstance(proposal, NoOp) and proposal.params.say else ()
    return ParsedReply(proposal, (*surrounding, *own_words))

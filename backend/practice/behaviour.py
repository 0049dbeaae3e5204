"""How a person answers: whether, when and in what tone; a function of (seed, slug, what was received, when)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from backend.practice.deterministic_random import between, pick, weighted
from backend.practice.virtual_time import HOUR, MINUTE, next_waking_hour

Accepts = Literal["always", "with_note", "never"]
Tone = Literal["friendly", "lukewarm", "declining", "puzzled"]

ACCEPTS: tuple[tuple[int, Accepts], ...] = ((58, "always"), (14, "with_note"), (28, "never"))
TONES: tuple[tuple[int, Tone], ...] = ((45, "friendly"), (35, "lukewarm"), (20, "declining"))

# Which of the texts a person received is the first they answer: 0 is the note of the invitation, None is none at all.
ANSWERS: tuple[tuple[int, int | None], ...] = ((8, 0), (30, 1), (24, 2), (38, None))

MOST_REPLIES = 3

SENTENCES: dict[Tone, tuple[str, ...]] = {
    "friendly": (
        "Thanks for writing! Yes, that is something we are thinking about. Would a call next week suit you?",
        "Good timing, we talked about this only yesterday. Send me a few dates and I will make one work.",
        "Nice to meet you. I would be glad to hear more. Thursday afternoon is free on my side.",
        "That sounds interesting 🙂 Could you send me two or three lines I can forward to the team?",
    ),
    "lukewarm": (
        "Thanks for the note. We are busy until the end of the quarter, maybe ask me again after that.",
        "Not a priority for us right now, but feel free to send some material.",
        "Hm, I am not sure I am the right person. What exactly would you need from me?",
        "Thank you. I will have a look when I find the time.",
    ),
    "declining": (
        "Thank you for reaching out, but we are not interested.",
        "No thanks. Please do not follow up on this.",
        "We already work with someone on this and are happy. All the best.",
        "I don't take requests of this kind here. Please take me off your list.",
    ),
    "puzzled": (
        "I think you sent me that twice.",
        "You seem to have sent the same message two times. Is this automated?",
    ),
}


@dataclass(frozen=True, slots=True)
class AnswerBehaviour:
    accepts: Accepts
    answers_from: int | None
    tone: Tone


@dataclass(frozen=True, slots=True)
class PracticeReply:
    at: int
    text: str
    tone: Tone


def behaviour_of(seed: str, slug: str) -> AnswerBehaviour:
    return AnswerBehaviour(
        accepts=weighted(ACCEPTS, seed, "accepts", slug),
        answers_from=weighted(ANSWERS, seed, "answers", slug),
        tone=weighted(TONES, seed, "tone", slug),
    )


def acceptance(seed: str, slug: str, note: str, at: int) -> int | None:
    """When an invitation received at this moment is accepted, or None for never."""
    accepts = behaviour_of(seed, slug).accepts
    if accepts == "never" or (accepts == "with_note" and not note):
        return None
    return next_waking_hour(at + between(40 * MINUTE, 60 * HOUR, seed, "accepts after", slug, note, at))


def reply(
    seed: str, slug: str, *, received: Sequence[str], had_note: bool, at: int, earlier: Sequence[PracticeReply]
) -> PracticeReply | None:
    """The answer to the last of the texts received, the note included as the first of them.

    A person who has begun to answer goes on answering for a while, but never twice before hearing back, and
    a friendly one does not turn.
    """
    person = behaviour_of(seed, slug)
    number = len(received) - (1 if had_note else 0)
    first = person.answers_from
    if first is None or number < first or len(earlier) >= MOST_REPLIES or (earlier and earlier[-1].at > at):
        return None
    if earlier and person.tone == "declining":
        return None
    tone: Tone = "puzzled" if received[-1] in received[:-1] else person.tone
    after = between(25 * MINUTE, 40 * HOUR, seed, "replies after", slug, len(received), received[-1], at)
    return PracticeReply(
        next_waking_hour(at + after), pick(SENTENCES[tone], seed, "sentence", slug, len(received)), tone
    )

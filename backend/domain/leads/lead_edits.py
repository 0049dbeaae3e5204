"""What the user sets on a lead by hand: a priority, a place among others, a greeting name, tags and notes, with their limits."""

from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import hides

LOWEST, HIGHEST = 0, 100
MOST_TAGS, LONGEST_TAG = 20, 40
LONGEST_NOTE = 10_000
LONGEST_GREETING = 60


def priority(value: int) -> int:
    """A priority that may be set; raises `priority_out_of_range`."""
    if not LOWEST <= value <= HIGHEST:
        raise OutriderError("priority_out_of_range", priority=value)
    return value


def priority_between(own: int, above: int | None, below: int | None, *, upwards: bool) -> int:
    """The priority that brings a lead to a place, whose neighbours have these (None at either end of the list).

    Halfway when there is room. When there is none it joins the neighbour that it passes, or goes by it if it was its equal:
    then ties decide (the most recently updated profile first), and a move in one direction never leads in the other.
    """
    upper = HIGHEST + 1 if above is None else above
    lower = LOWEST - 1 if below is None else below
    if upper - lower > 1:
        halfway = (upper + lower) // 2
        passed = below if upwards else above
        # At an end of the list, a step beyond its last is enough.
        if above is None and below is not None:
            halfway = below + 1
        elif below is None and above is not None:
            halfway = above - 1
        if passed is None or halfway != own:
            return max(LOWEST, min(HIGHEST, halfway))
    passed = below if upwards else above
    if passed is None:
        return own
    if upwards:
        return min(HIGHEST, passed if own < passed else own + 1)
    return max(LOWEST, passed if own > passed else own - 1)


def tags(entered_tags: list[str]) -> list[str]:
    """The tags as they are kept: trimmed, each once whatever its case; raises `tags_not_usable`."""
    unique_tags: dict[str, str] = {}
    for tag in (" ".join(text.split()) for text in entered_tags):
        if not tag:
            continue
        if len(tag) > LONGEST_TAG:
            raise OutriderError("tags_not_usable", why=f"a tag has at most {LONGEST_TAG} characters")
        if hides(tag):
            raise OutriderError("tags_not_usable", why="a tag holds a character that cannot be shown")
        unique_tags.setdefault(tag.casefold(), tag)
    if len(unique_tags) > MOST_TAGS:
        raise OutriderError("tags_not_usable", why=f"a lead has at most {MOST_TAGS} tags")
    return list(unique_tags.values())


def note(text: str) -> str:
    """The notes as they are kept; raises `note_too_long`."""
    if len(text) > LONGEST_NOTE:
        raise OutriderError("note_too_long", length=len(text), limit=LONGEST_NOTE)
    return text.replace("\0", "")


def greeting_name(text: str) -> str:
    """What they are called in a greeting, as it is kept; raises `greeting_not_usable`."""
    name = " ".join(text.split())
    if len(name) > LONGEST_GREETING:
        raise OutriderError("greeting_not_usable", why=f"it has at most {LONGEST_GREETING} characters")
    if hides(name):
        raise OutriderError("greeting_not_usable", why="it holds a character that cannot be shown")
    if "{" in name or "}" in name:
        raise OutriderError("greeting_not_usable", why="it holds a brace, which stands for a variable")
    return name

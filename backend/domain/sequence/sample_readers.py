"""For which few people of a lead file a message is shown before anything is sent."""

from collections.abc import Sequence

from backend.domain.model.variables import Recipient, value_of


def sample_readers(people: Sequence[Recipient], names: Sequence[str]) -> list[int]:
    """The places of three people who differ: of whom the most of these variables are known, the fewest, and the longest words.

    Among equals the first; nobody is in it twice, so of fewer than three it is all.
    """
    values_by_person = [[value_of(name, to, "").strip() for name in names] for to in people]
    filled = [sum(map(bool, values)) for values in values_by_person]
    lengths = [sum(map(len, values)) for values in values_by_person]
    chosen: list[int] = []
    for worth in (filled, [-count for count in filled], lengths):
        left = [index for index in range(len(people)) if index not in chosen]
        chosen += [max(left, key=worth.__getitem__)] if left else []
    return chosen

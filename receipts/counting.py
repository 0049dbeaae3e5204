"""What a run amounts to: the ledger's messages to one person, and how the jobs said that they ended."""

from collections import Counter
from collections.abc import Iterable, Sequence

DONE, ASKED, STUCK = "done", "asked", "stuck"
OUTCOMES = ("once", "doubled", "lost", "stuck", "asked")


def outcome(messages: int, endings: Sequence[str]) -> str:
    """One word for a run in which the person should get exactly one message.

    Doubled: more than one arrived, whatever the engine said. Asked: a job stopped and named what a person has to decide. Lost:
    none arrived, and every job says that it is done. Stuck: no job is done, and nobody was asked. Of two jobs on the same work
    the better ending counts: it is enough that one of them is done.
    """
    if messages > 1:
        return "doubled"
    if ASKED in endings and DONE not in endings:
        return "asked"
    if DONE not in endings:
        return "stuck"
    return "once" if messages == 1 else "lost"


def totals(outcomes: Iterable[str]) -> dict[str, int]:
    """How often each, all of them named."""
    counts = Counter(outcomes)
    return {name: counts[name] for name in OUTCOMES}

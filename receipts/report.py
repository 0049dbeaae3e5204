"""The document that a run writes."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from receipts.counting import OUTCOMES, totals
from receipts.faults import FAULTS
from receipts.rows import Engine


class Row(NamedTuple):
    """An engine in one of its variants, and its word for each fault in their order."""

    engine: Engine
    variant: str
    outcomes: Sequence[str]


HEAD = """\
# Receipts

Written by `make receipts`; do not edit. The same small job on several engines: a model writes a message, a tool sends it to one
person, a model concludes. The person should get **exactly one** message. The site has no idempotency keys: every request that it
accepts is a message, and it can be looked at. It is a process of its own ([`receipts/ledger.py`](../receipts/ledger.py)), and
what it received is what counts. A job that fails is started again every second, for a minute.

| word | what it means |
|---|---|
| once | one message, and a job that is done |
| **doubled** | more than one message, whatever the engine said |
| **lost** | none, and the engine said that it is done |
| **stuck** | nothing goes on by itself, and nobody was asked; the message may or may not have arrived |
| asked | it stopped, and named what a person has to decide |

Where sending is not repeatable, *asked* is the honest answer of an engine that cannot look; *once* is better where it can. Each
engine is used as its documentation recommends. In the variant “looks first” the tool looks at the conversation before it sends,
which any developer can add to any engine; it is not any engine's own work. Two processes at the same moment are held at the site
until both have looked, and until both are about to send: the worst moment, not a usual one. Job and faults were chosen by those who
make Outrider, for what Outrider is about; an engine that is doubled here can be the right one for work that may be repeated.
"""


def table(rows: Sequence[Row]) -> str:
    """Faults across, a line for each engine and variant, and its totals."""
    names = [fault.name for fault in FAULTS]
    lines = [f"| engine | variant | {' | '.join(names)} | totals |", "|---" * (len(names) + 3) + "|"]
    for row in rows:
        counts = totals(row.outcomes)
        words = " | ".join(_marked(word) for word in row.outcomes)
        total = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])
        lines.append(f"| {row.engine.name} | {row.variant} | {words} | {total} |")
    return "\n".join(lines)


def _marked(word: str) -> str:
    return f"**{word}**" if word in {"doubled", "lost", "stuck"} else word


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 128, subsequent_indent="  " if text.startswith("- ") else "", break_long_words=False)


def document(rows: Sequence[Row], versions: Mapping[str, str], left_out: Sequence[tuple[str, str]], made: str) -> str:
    """The whole page."""
    faults = "\n".join(f"- **{fault.name}**: {fault.description}." for fault in FAULTS)
    engines = list(dict.fromkeys(row.engine for row in rows))
    words = "\n\n".join(
        _wrapped(
            f"**{engine.name}** ([the job](../receipts/engines/{engine.module}.py)). Follows: {engine.follows} {engine.fair}"
        )
        for engine in engines
    )
    missing = "\n".join(_wrapped(f"- **{name}**: {why}") for name, why in left_out)
    listed = ", ".join(f"{package} {version}" for package, version in versions.items())
    named = _wrapped(
        "The other engines are installed into `.receipts/` (git-ignored) from "
        "[`receipts/requirements.txt`](../receipts/requirements.txt) and Restate's npm package; Outrider itself depends on none of "
        f"them. Versions: {listed}. If a row is unfair, change its file in `receipts/engines/`, which has the job and nothing "
        "else, and run it."
    )
    return f"""{HEAD}
## The table

{made}

{table(rows)}

## The faults

{faults}

## A fair word for each

{words}

## Left out

{missing}

## Run it yourself

```
make receipts                          # all of it, and writes this page; some minutes
make receipts ENGINES="langgraph dbos" # these rows only, printed
```

{named}
"""

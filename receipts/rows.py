"""The engines: how each is run, which of its documentation's pages the job follows, and a fair word for each."""

from typing import NamedTuple


class Engine(NamedTuple):
    """A row of the table for each variant; `packages` are those whose versions are named."""

    name: str
    module: str
    packages: tuple[str, ...]
    variants: tuple[str, ...]
    follows: str
    fair: str


AS_DOCUMENTED, LOOKS = "as documented", "looks first"

ENGINES = (
    Engine(
        "Outrider",
        "outrider",
        (),
        (AS_DOCUMENTED,),
        "this repository, `backend/runtime/run/campaign_runner.py` on its own workspace, lock, turns and recovery; the site is the "
        "ledger behind the port `Site`, and the job approves the draft as the user would.",
        "It was made for this one job and for sites that can be looked at; the others are made for any job. It waits up to 60 "
        "seconds for what may still arrive (`settle_seconds`): a message that is later than that can be doubled here, too. "
        "Of two copies of its data folder on one machine the second is refused until the first has stopped, and then asks about "
        "the message that it finds. On two machines without a shared project, which is not tried here, they know nothing of each "
        "other: both look, both see nothing, and both send.",
    ),
    Engine(
        "LangGraph",
        "langgraph",
        ("langgraph", "langgraph-checkpoint-sqlite"),
        (AS_DOCUMENTED, LOOKS),
        '“Durable execution” and “Persistence”: a checkpointer, side effects in a task, `durability="sync"`, resumed with '
        "`invoke(None)`. The page asks for idempotent side effects, by keys or by verifying existing results; the second variant "
        "does the latter.",
        "It promises to go on from the last checkpoint, not that a side effect happens once, and says so. Its `interrupt` can ask "
        "a person wherever the developer puts one; nothing asks by itself after a crash. The server product, which gives each "
        "thread one run at a time, was not tried.",
    ),
    Engine(
        "DBOS",
        "dbos",
        ("dbos",),
        (AS_DOCUMENTED, LOOKS),
        "“Learn DBOS Python”, “How Workflows Work” and “Steps”: three steps in a workflow with a workflow id, recovered at "
        "launch; SQLite, which is its default (Postgres is recommended for production).",
        "It promises that a workflow runs to its end and a completed step is not run again; a step that was cut off before "
        "its result was stored is executed again, as “How Workflows Work” says. A step that raises is not retried unless "
        "asked for: the workflow ends with an error on record, which counts here as stuck, and nothing was sent twice by it.",
    ),
    Engine(
        "Restate",
        "restate",
        ("restate-sdk",),
        (AS_DOCUMENTED, "max_attempts=1", LOOKS),
        "“Durable steps” and “Workflows”: a workflow with a key behind Restate's server, side effects in `ctx.run`; retries as "
        "the server has them by default, and in a variant a single attempt.",
        "It promises that a result that was recorded is never computed again and that one key runs once, also for two workers. "
        "A `ctx.run` that fails or is cut off runs again; “Durable steps” says so. Copying a server's data folder while "
        "keeping the original is outside what it is meant for: a cluster replicates instead.",
    ),
    Engine(
        "Burr",
        "burr",
        ("apache-burr",),
        (AS_DOCUMENTED, LOOKS),
        "“State Persistence”: actions with the SQLite persister, `initialize_from(…, resume_at_next_action=True)`.",
        "It saves the state after each action and promises to go on from there; it claims nothing about what an action did to "
        "the world, and no protection from a second process.",
    ),
    Engine(
        "exactly-once",
        "exactly_once",
        ("exactly-once",),
        (AS_DOCUMENTED, "check_then_decide"),
        "its README: `@once` with a SQLite store and a key from business identity (the workflow); in the variant the recipe "
        "`check_then_decide` with `lease_ttl=30.0`, whose prober looks at the conversation.",
        "It promises at most one execution per key and asks rather than guesses; it says that it cannot know the outcome of a "
        "crash, and is as strong as its store, which an older copy or a second copy undoes. Keys are the developer's: with the "
        "person as key it would have stopped the second workflow, and every later message to that person.",
    ),
    Engine(
        "justonce",
        "justonce",
        ("justonce",),
        (AS_DOCUMENTED, "retry_on_failure=False", LOOKS),
        "its README: `@idempotent` with a SQLite store on disk and an operation key (the workflow), `OnInFlight.RAISE`.",
        "It promises at most one execution per key. An effect that raises releases the key unless `retry_on_failure=False`, "
        "which its docstring leaves to the caller: a possible duplicate or a possible loss. A key that was burned so is "
        "reported as if it had been done, also if the message had never arrived, which none of these faults tries. Keys as above.",
    ),
)

LEFT_OUT = (
    (
        "Temporal",
        "its client can be installed (`temporalio`), its server is a separate program that is downloaded from its releases and "
        "is in no package registry that this run uses; a package that wraps it downloads it, too. Its documentation (“Activity "
        "Definition”, “Error handling - Python SDK”) strongly recommends idempotent activities, since they may be retried.",
    ),
)

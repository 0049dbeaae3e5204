"""`python -m backend.practice`: serve the practice network."""

import argparse
import os
import sys
from pathlib import Path

from backend.practice.network_store import DEFAULT_PEOPLE, DEFAULT_SEED
from backend.practice.server import CannotServe, serve


def main() -> int:
    os.umask(0o077)  # whatever is written from here on is for its owner alone
    parser = argparse.ArgumentParser(prog="python -m backend.practice", description="Serve the practice network.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--ledger", type=Path, required=True, help="file that records everything received")
    parser.add_argument("--seed", default=DEFAULT_SEED, help="who the people are and how they behave")
    parser.add_argument("--people", type=int, default=DEFAULT_PEOPLE, help="how many people there are")
    parser.add_argument("--now", type=int, help="virtual time of the first start, in ms since 1970 UTC")
    parser.add_argument(
        "--exit-with-parent",
        action="store_true",
        help="take the launch's secrets from the first line of stdin, and end when it ends",
    )
    arguments = parser.parse_args()
    try:
        serve(
            arguments.port,
            arguments.ledger,
            seed=arguments.seed,
            people=arguments.people,
            now=arguments.now,
            exit_with_parent=arguments.exit_with_parent,
        )
    except CannotServe as error:
        sys.stderr.write(f"practice: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

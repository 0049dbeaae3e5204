"""One turn: what a proposer is shown and proposes, whether that may be, and what comes of it."""

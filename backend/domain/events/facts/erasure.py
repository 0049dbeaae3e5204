"""What was erased from the logs."""

from collections.abc import Mapping

from backend.domain.events.facts.fact import Fact, Verb


class EntriesErased(Fact, entity="erasure", verb=Verb.CREATES):
    """Entries of this stream lost their words on a person's request.

    `entries` has for each the digest of its salt and payload (hex), which its hash was made of and which another number in the log
    does not change, and the canonical JSON that stands in the payload's place from now on.
    """

    entries: Mapping[str, str]
    created_at: int

"""Small wrong versions of what the product knows of a person across campaigns: as in `planted.py`, each must be found."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from backend.domain.gates import gates, person
from backend.domain.gates.person import LeadOfPerson, Person
from backend.domain.people import identity
from backend.situation import situations
from tests.simulation.planting import Planted, replaced, without_gates


@contextmanager
def _by_the_planner_alone() -> Iterator[None]:
    with ExitStack() as planted:
        planted.enter_context(without_gates("not_in_touch_elsewhere")())
        planted.enter_context(replaced(situations, "hold_refusal", lambda *_: None))
        yield


@contextmanager
def _by_nobody() -> Iterator[None]:
    with replaced(identity, "_join_namesakes", lambda *_: None), replaced(identity, "_doubts", lambda *_: ()):
        yield


def _while_it_runs(lead: LeadOfPerson) -> int | None:
    return None if lead.is_under_way else 0


def _own(whose: Person) -> LeadOfPerson | None:
    return whose.lead if whose.lead.label in person.REFUSALS else None


@contextmanager
def _reply_counts_alone() -> Iterator[None]:
    """As below: neither the gate nor the end of the other campaigns' sequences knows of it."""
    refused = property(lambda lead: bool(lead.refusal))
    with (
        replaced(person.Person, "replied_elsewhere", None),
        replaced(person.LeadOfPerson, "has_answered", refused),
    ):
        yield


@contextmanager
def _no_counts_alone() -> Iterator[None]:
    """Neither the gate nor the end of the other campaigns' sequences knows of it: each would do by itself."""
    replied = property(lambda lead: lead.replied_at is not None)
    with replaced(person.Person, "refused_in", property(_own)), replaced(person.LeadOfPerson, "has_answered", replied):
        yield


SEVERAL, BY_HAND = frozenset({"campaigns"}), frozenset({"assist", "campaigns"})
"""Kinds of world without troubles: worlds of the seed's own choice find these faults, too, a few only after two hundred."""

PEOPLE_PLANTED = (
    Planted(
        "nobody looks whether another campaign has a person",
        lambda: replaced(gates, "contact_refusal", lambda *_: None),
        None,
    ),
    Planted("only the planner looks whether another campaign has a person", _by_the_planner_alone, SEVERAL),
    Planted(
        "a campaign keeps nobody after its sequence",
        lambda: replaced(person.LeadOfPerson, "claim_ends", _while_it_runs),
        SEVERAL,
    ),
    Planted(
        "who was handed over and is not confirmed is free for a copy of the campaign",
        lambda: replaced(person.LeadOfPerson, "is_under_way", False),
        BY_HAND,
    ),
    Planted("a reply counts in its own campaign alone", _reply_counts_alone, SEVERAL),
    Planted("a no counts in its own campaign alone", _no_counts_alone, SEVERAL),
    Planted(
        "who has another address is a stranger, and nobody is asked",
        lambda: replaced(identity, "_doubts", lambda *_: ()),
        BY_HAND,
    ),
    Planted("one address in two campaigns is two people", _by_nobody, SEVERAL),
)

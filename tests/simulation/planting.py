"""How a small wrong version of the product is put in the place of the right one, for as long as a block lasts."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NamedTuple

from backend.domain.gates import gates

Plant = Callable[[], AbstractContextManager[None]]


class Planted(NamedTuple):
    """A rule that is broken: how, and in which worlds that shows."""

    name: str
    plant: Plant
    faults: frozenset[str] | None
    """None: the seed's choice."""
    devices: int = 1


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Another value for as long as the block lasts."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def without_gates(*codes: str) -> Plant:
    """These gates are always open, also when they are asked again."""

    @contextmanager
    def plant() -> Iterator[None]:
        with ExitStack() as open_gates:
            for name in ("_GUARDING", "_ASKED_AGAIN"):
                table = getattr(gates, name)
                left = {
                    family: tuple(gate for gate in some if gate.code not in codes) for family, some in table.items()
                }
                open_gates.enter_context(replaced(gates, name, left))
            yield

    return plant


def wrapped(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """Instead of it the wrong version is called, with the right one before its arguments."""
    original = getattr(owner, name)
    return lambda: replaced(owner, name, lambda *args, **how: wrong(original, *args, **how))

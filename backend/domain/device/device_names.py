"""What a user's devices are called: machines of one host name are told apart."""

from collections import Counter
from collections.abc import Iterable


def told_apart(names: Iterable[str]) -> list[str]:
    """Each name, numbered where an earlier device has it already: `Laptop`, `Laptop (2)`."""
    taken, times = set[str](), Counter[str]()
    unique_names: list[str] = []
    for name in names:
        unique = name
        while unique in taken:
            times[name] += 1
            unique = f"{name} ({times[name] + 1})"
        taken.add(unique)
        unique_names.append(unique)
    return unique_names

"""What devices are called: no two of a user's devices by one name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.store.queries.device.devices import with_unique_names


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        ([], []),
        (["Laptop", "Desk"], ["Laptop", "Desk"]),
        (["Laptop", "Laptop", "Laptop"], ["Laptop", "Laptop (2)", "Laptop (3)"]),
        (["Laptop (2)", "Laptop", "Laptop"], ["Laptop (2)", "Laptop", "Laptop (3)"]),
    ],
)
def test_later_devices_of_a_name_are_numbered(names: list[str], labels: list[str]) -> None:
    assert with_unique_names(names) == labels


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"]), max_size=8))
def test_no_two_are_called_the_same(names: list[str]) -> None:
    labels = with_unique_names(names)
    assert len(set(labels)) == len(names)
    assert all(label.startswith(name) for name, label in zip(names, labels, strict=True))

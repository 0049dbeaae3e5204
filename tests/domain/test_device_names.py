"""What devices are called: no two of a user's devices by one name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.device.device_names import told_apart


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], []),
        (["Laptop", "Desk"], ["Laptop", "Desk"]),
        (["Laptop", "Laptop", "Laptop"], ["Laptop", "Laptop (2)", "Laptop (3)"]),
        (["Laptop (2)", "Laptop", "Laptop"], ["Laptop (2)", "Laptop", "Laptop (3)"]),
    ],
)
def test_later_devices_of_a_name_are_numbered(names: list[str], told: list[str]) -> None:
    assert told_apart(names) == told


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"]), max_size=8))
def test_no_two_are_called_the_same(names: list[str]) -> None:
    told = told_apart(names)
    assert len(set(told)) == len(names)
    assert all(one.startswith(name) for name, one in zip(names, told, strict=True))

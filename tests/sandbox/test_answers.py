"""An answer holds every value that its script gave it, or it is refused with the place of what cannot be kept."""

import json

import pytest

from backend.domain.device.script import ScriptStatus
from tests.sandbox.conftest import Run

DATES = "import datetime\n"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('result = {1: "x", "1": "y"}', "'1'"),
        ('result = [{None: 1, "None": 2}]', "'None'"),
        ('result = {"a": {("x", 1): 1, "x / 1": 2}}', "'x / 1'"),
        (f'{DATES}result = {{datetime.date(2020, 1, 1): 1, "2020-01-01": 2}}', "'2020-01-01'"),
        ('result = query("SELECT :1", {1: "x", "1": "y"})', "'1'"),
    ],
)
def test_two_keys_that_would_be_one_are_refused(source: str, name: str, run: Run) -> None:
    ended = run(source)
    assert (ended.status, ended.code) == (ScriptStatus.FAILED, "script_result_not_plain"), ended
    assert f"two keys that are both kept as {name}" in ended.message


def test_keys_of_any_type_that_stay_apart_are_kept(run: Run) -> None:
    ended = run('result = {1: "a", "01": "b", 1.5: "c", True and "True": "d", None: "e", (1, "x"): "f"}')
    assert json.loads(ended.result) == {"1": "a", "01": "b", "1.5": "c", "True": "d", "None": "e", "1 / x": "f"}


@pytest.mark.parametrize(
    "value",
    [
        "decimal.Decimal('sNaN')",
        "decimal.Decimal('Infinity')",
        "fractions.Fraction(10**400)",
        "float('nan')",
        "1j",
        "b'x'",
    ],
)
def test_what_is_no_number_that_can_be_kept_is_told_with_its_place(value: str, run: Run) -> None:
    ended = run(f"import decimal, fractions\nresult = [1, {value}]")
    assert (ended.status, ended.code) == (ScriptStatus.FAILED, "script_result_not_plain"), ended
    assert ended.message.startswith("result[1] is ")

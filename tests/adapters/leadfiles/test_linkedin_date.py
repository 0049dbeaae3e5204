from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.adapters.leadfiles.linkedin_date import linkedin_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15 Mar 2024", "2024-03-15"),
        ("12 Mar 19", "2019-03-12"),
        ("1 Jan 2005", "2005-01-01"),
        ("29 feb 2024", "2024-02-29"),
        ("3 September 2020", "2020-09-03"),
        ("15-Mar-24", "2024-03-15"),
        ("29 Feb 2023", None),
        ("15 Mrz 2024", None),
        ("15 Mar", None),
        ("2024", None),
        ("15 Mar 024", None),
        ("\u0661\u0665 Mar 2024", None),
        ("00 Mar 2024", None),
        ("15 Mar 0000", None),
    ],
)
def test_a_date_is_read_or_is_none(text: str, expected: str | None) -> None:
    assert linkedin_date(text) == expected


@given(st.dates(min_value=date(2003, 1, 1), max_value=date(2099, 12, 31)))
def test_every_date_linkedin_can_write_is_read(day: date) -> None:
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][day.month - 1]
    assert linkedin_date(f"{day.day:02} {month} {day.year}") == day.isoformat()
    assert linkedin_date(f"{day.day} {month} {day.year % 100:02}") == day.isoformat()


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    linkedin_date(text)

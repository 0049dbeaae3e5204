from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.adapters.leadfiles.linkedin_date import DateOrder, column_order, linkedin_date, moment


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
        ("15 Mar", None),
        ("2024", None),
        ("15 Mar 024", None),
        ("\u0661\u0665 Mar 2024", None),
        ("00 Mar 2024", None),
        ("15 Mar 0000", None),
        ("", None),
        ("soon", None),
        ("15 Mar 2024 15 Mar 2024", None),
        ("15 Jui 2024", None),  # June or July, in French
        ("500", None),
    ],
)
def test_a_date_is_read_or_is_none(text: str, expected: str | None) -> None:
    assert linkedin_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "15.03.2024", "15.3.24", "15. 3. 2024", "2024-03-15", "2024/03/15", "2024.03.15", "20240315", "15/03/2024", "15/3/24",
        "15-03-2024",
        "03/15/2024", "3/15/24", "15-M\u00e4r-24", "15. M\u00e4r 24", "15. M\u00e4rz 2024", "15 Mrz 2024", "15-mars-24",
        "15 mars 2024",
        "15 mar. 2024", "15 de marzo de 2024", "15 mrt 2024", "15-mrt-24", "15 maart 2024", "15 de mar\u00e7o de 2024",
        "15/mar/2024",
        "15 marzo 2024", "15-mar-24", "March 15, 2024", "Mar 15, 2024", "15th March 2024", "15th of March, 2024", "2024 Mar 15",
        "Fri, 15 Mar 2024", "Freitag, 15. M\u00e4rz 2024", "vendredi 15 mars 2024", "sexta-feira, 15 de mar\u00e7o de 2024",
        "15.03.2024 00:00", "15.03.2024, 14:22 Uhr", "2024-03-15 00:00:00", "2024-03-15T14:22:10Z", "2024-03-15T14:22:10.123+01:00",
        "3/15/2024 12:00:00 AM", "3/15/24, 1:45\u202fPM", "45366", "45366.5", "2024\u5e743\u670815\u65e5", " 15 Mar 2024 ",
    ],
)  # fmt: skip
def test_what_a_spreadsheet_in_any_of_the_languages_makes_of_a_date_is_read(text: str) -> None:
    assert linkedin_date(text) == "2024-03-15"


@pytest.mark.parametrize(
    ("number", "names"),
    [
        (1, "Jan Januar J\u00e4nner janv. janvier ene enero januari janeiro gen gennaio"),
        (2, "Feb Februar f\u00e9vr. f\u00e9vrier febrero februari fev fevereiro febbraio"),
        (4, "Apr April avr. avril abr abril aprile"),
        (5, "May Mai mayo mei maio mag maggio"),
        (6, "Jun Juni juin junio junho giu giugno"),
        (7, "Jul Juli juil. juillet julio julho lug luglio"),
        (8, "Aug August ao\u00fbt aou ago agosto augustus"),
        (9, "Sep Sept September septembre septiembre set setembro settembre"),
        (10, "Oct Okt Oktober octobre octubre out outubro ott ottobre"),
        (11, "Nov November novembre noviembre novembro"),
        (12, "Dec Dez Dezember d\u00e9c. d\u00e9cembre dic diciembre dezembro dicembre"),
    ],
)
def test_months_have_their_names_in_seven_languages(number: int, names: str) -> None:
    for name in names.split():
        assert linkedin_date(f"7 {name} 2023") == f"2023-{number:02}-07", name
        assert linkedin_date(f"07-{name.lower()}-23") == f"2023-{number:02}-07", name


@pytest.mark.parametrize("text", ["04/03/2024", "4/3/24", "04-03-2024", "12/11/2023 10:00"])
def test_a_date_that_two_readings_fit_is_not_guessed(text: str) -> None:
    assert linkedin_date(text) is None


def test_the_other_dates_of_a_column_decide_what_comes_first() -> None:
    assert column_order(["04/03/2024", "", "31/01/2024", "soon"]) is DateOrder.DAY_FIRST
    assert column_order(["04/03/2024", "01/31/2024"]) is DateOrder.MONTH_FIRST
    assert linkedin_date("04/03/2024", DateOrder.DAY_FIRST) == "2024-03-04"
    assert linkedin_date("04/03/2024", DateOrder.MONTH_FIRST) == "2024-04-03"


@pytest.mark.parametrize(
    "texts",
    [[], ["04/03/2024", "05/06/2024"], ["31/01/2024", "01/31/2024"], ["15 Mar 2024", "2024-03-04", "04.03.2024"]],
)
def test_a_column_without_a_telling_date_or_with_two_that_disagree_decides_nothing(texts: list[str]) -> None:
    assert column_order(texts) is None


def test_the_order_of_a_column_leaves_dates_with_a_month_or_a_year_first_alone() -> None:
    for order in DateOrder:
        assert linkedin_date("4 Mar 2024", order) == "2024-03-04"
        assert linkedin_date("2024-03-04", order) == "2024-03-04"
        assert linkedin_date("04.03.2024", order) == "2024-03-04"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2023-05-01 14:22:10 UTC", datetime(2023, 5, 1, 14, 22, 10, tzinfo=UTC)),
        ("2023-05-01 14:22:10", datetime(2023, 5, 1, 14, 22, 10, tzinfo=UTC)),
        ("2023-05-01T16:22:10+02:00", datetime(2023, 5, 1, 14, 22, 10, tzinfo=UTC)),
        ("01.05.2023 14:22", datetime(2023, 5, 1, 14, 22, tzinfo=UTC)),
        ("5/31/23, 2:22 PM", datetime(2023, 5, 31, 14, 22, tzinfo=UTC)),
        ("5/31/23, 12:05 AM", datetime(2023, 5, 31, 0, 5, tzinfo=UTC)),
        ("31 mai 2023 14h22", datetime(2023, 5, 31, 14, 22, tzinfo=UTC)),
        ("2023-05-01", None),
        ("2023-05-01 25:00:00", None),
        ("5/31/23, 13:22 PM", None),
        ("04/03/2023 14:22", None),
    ],
)
def test_a_moment_has_a_date_and_a_time_of_day(text: str, at: datetime | None) -> None:
    assert moment(text) == (int(at.timestamp()) * 1_000 if at else None)


@given(st.dates(min_value=date(2003, 1, 1), max_value=date(2099, 12, 31)))
def test_every_date_linkedin_can_write_is_read(day: date) -> None:
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][day.month - 1]
    assert linkedin_date(f"{day.day:02} {month} {day.year}") == day.isoformat()
    assert linkedin_date(f"{day.day} {month} {day.year % 100:02}") == day.isoformat()


@given(st.dates(min_value=date(2003, 1, 1), max_value=date(2099, 12, 31)))
def test_a_numeric_date_is_the_right_one_or_unknown(day: date) -> None:
    written = f"{day.day:02}/{day.month:02}/{day.year}"
    assert linkedin_date(written) in (day.isoformat(), None)
    assert linkedin_date(written, DateOrder.DAY_FIRST) == day.isoformat()


@given(st.text() | st.text(alphabet="0123456789/-.: marTUZ+apm,"))
def test_no_text_makes_it_fail(text: str) -> None:
    linkedin_date(text)
    moment(text)
    column_order([text])

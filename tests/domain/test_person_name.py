"""What a person is called in a greeting."""

import pytest

from backend.domain.model.variables import Recipient, fill
from backend.domain.people.person_name import clean_name


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("🚀 Fatou Sow 🚀", "Fatou Sow"), ("Dr. Ada Lovelace, PhD", "Ada Lovelace"), ("Ada (she/her) Lovelace", "Ada Lovelace"),
        ("Ada Lovelace | CTO", "Ada Lovelace"), ("Ada Lovelace \u2013 hiring!", "Ada Lovelace"), ("★ Ada ★", "Ada"),
        ("Mei-Ling Zhang", "Mei-Ling Zhang"), ("Tomás Ó Conaill", "Tomás Ó Conaill"), ("Siobhán O'Shea", "Siobhán O'Shea"),
        ("Gal\u00b7la Puig \u00b7 CEO", "Gal\u00b7la Puig"),
        ("J. R. Tolkien", "J. R. Tolkien"), ("سارة الخطيب", "سارة الخطيب"), ("می‌خواهم", "می‌خواهم"), ("王小明", "王小明"),
        ("Prof. Dr. Jürgen Klein", "Jürgen Klein"), ("Dr.", "Dr"), ("🚀", ""), ("123", ""), ("", ""),
        ("क्षितिज शर्मा", "क्षितिज शर्मा"), ("A\u00adda La\u200bne", "Ada Lane"),
    ],
)  # fmt: skip
def test_ornaments_titles_and_degrees_are_no_part_of_a_name(name: str, called: str) -> None:
    assert clean_name(name) == called


def test_nobody_is_greeted_with_an_ornament() -> None:
    assert fill("Hi {first_name},", Recipient("🚀 Fatou"), "").text == "Hi Fatou,"
    assert fill("Hi {first_name},", Recipient("🚀"), "").missing == ("first_name",), "then the user is asked"

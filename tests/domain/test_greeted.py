"""What people are called in a greeting, in many languages: `tests/data/greetings.txt` is a list to which everybody may add."""

import re
from pathlib import Path

import pytest

from backend.domain.model.variables import Recipient, columns_as_variables, fill, is_greeting_unsure, more_of
from backend.domain.people.person_name import greeted_as, last_name

_LIST = (Path(__file__).parents[1] / "data" / "greetings.txt").read_text("utf-8")


def _read(text: str) -> str:
    """The text with what it has escaped."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda escape: chr(int(escape[1], 16)), text)


LANGUAGES = re.findall(r"^\[(.+)\]$", _LIST, re.MULTILINE)
NAMES = [
    (_read(given_name), _read(name), "" if greeting == "?" else _read(greeting))
    for given_name, name, greeting in re.findall(r"^(?:([^|\n]+) \| (?=[^|\n]*$))?(.*) -> (.*)$", _LIST, re.MULTILINE)
    if not name.startswith("#")
]


@pytest.mark.parametrize(("given_name", "name", "greeting"), NAMES)
def test_a_greeting_is_right_or_asked_for(given_name: str, name: str, greeting: str) -> None:
    assert greeted_as(name, given_name) == greeting


def test_the_list_is_long_enough_to_mean_something() -> None:
    assert len(NAMES) >= 300
    assert len(LANGUAGES) >= 25


def test_a_template_greets_by_what_the_file_says() -> None:
    more = columns_as_variables({"First name": "Mary Ann"})
    assert fill("Hi {first_name} ({last_name})", Recipient("Mary Ann Lee", more=more), "").text == "Hi Mary Ann (Lee)"
    assert fill("Hi {first_name}", Recipient("£ukasz Lis"), "").missing == ("first_name",), "then the user is asked"
    assert last_name("Dr. Ada King") == "King"


@pytest.mark.parametrize(
    "name",
    [
        'Ada "Countess" King', "Ada «Addy» King", "Ada `Addy` King", "Ada King she/her", "Ada King @ Acme", "Ada King 3rd",
        "Ada King: CEO", "Ada King; CEO", "Ada King ~ Coach", "Ada King #hiring", "Ada King PhD, MBA", "Ada King DDS",
    ],
)  # fmt: skip
def test_what_stands_around_a_name_is_no_part_of_the_last(name: str) -> None:
    assert last_name(name) == "King"


@pytest.mark.parametrize(
    ("name", "extra", "greeting_name", "unsure"),
    [
        ("Ada King", "{}", "", False),
        ("£ukasz Lis", "{}", "", True),
        ("£ukasz Lis", "{}", "Łukasz", False),
        ("£ukasz Lis", '{"Greeting name": "Łukasz"}', "", False),
        ("Wang Min Lee", '{"FIRST-NAME": "Wang Min"}', "", False),
        ("Lee, Ann", '{"First name": "Bo"}', "", True),
        ("Lee, Ann", '{"Fur": "first"}', "", True),
    ],
)
def test_a_lead_is_unsure_exactly_when_its_message_would_be_asked_about(
    name: str, extra: str, greeting_name: str, *, unsure: bool
) -> None:
    assert is_greeting_unsure(name, extra, greeting_name) is unsure
    to = Recipient(name, more=more_of(extra, greeting_name))
    assert (fill("{first_name}", to, "").missing == ("first_name",)) is unsure

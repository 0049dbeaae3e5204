"""Templates: what stands in braces, what becomes of it for one person, and what is said about a hole."""

import pytest

from backend.domain.model.campaign import Settings
from backend.domain.model.variables import (
    VARIABLES,
    Recipient,
    columns_as_variables,
    fill,
    required_variables,
    variable_name,
)
from backend.domain.sequence.sequence_change import RequestedStep
from backend.domain.sequence.template import refuse_unsendable, render, sequence_of
from backend.domain.values.errors import OutriderError

ADA = Recipient("Ada Maria Lane", "Fern", "CTO", "ada@example.org", {"location": "Leeds"})
NOBODY = Recipient("Ada")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{first_name}|{last_name}|{full_name}", "Ada|Maria Lane|Ada Maria Lane"),
        ("{company}, {at_company}", "Fern,  at Fern"),
        ("{job_title} {email} {location}", "CTO ada@example.org Leeds"),
        ("{topic}", "a talk"),
        ("{company|your company}", "Fern"),
        ("no braces", "no braces"),
    ],
)
def test_a_variable_is_what_is_known_of_the_person(template: str, text: str) -> None:
    assert fill(template, ADA, "a talk") == (text, ())


@pytest.mark.parametrize(
    ("template", "text", "missing"),
    [
        ("at {company}", "at {company}", ("company",)),
        ("at {company|your company}", "at your company", ()),
        ("x{company|}y", "xy", ()),
        ("you{at_company}", "you", ()),
        ("{location} {job_title} {location}", "{location} {job_title} {location}", ("location", "job_title")),
        ("{last_name}", "{last_name}", ("last_name",)),
        ("{nonsense}", "{nonsense}", ("nonsense",)),
    ],
)
def test_what_is_not_known_is_named_or_replaced_by_the_words_behind_the_bar(
    template: str, text: str, missing: tuple[str, ...]
) -> None:
    assert fill(template, NOBODY, "a talk") == (text, missing)


def test_what_is_only_blanks_is_not_known() -> None:
    assert fill("{company}", Recipient("Ada", company="  "), "").missing == ("company",)
    assert fill("{company}", NOBODY, "", {"company": " "}).missing == ("company",)


def test_what_the_user_said_stands_where_nothing_is_known_and_nowhere_else() -> None:
    assert fill("{company}", NOBODY, "", {"company": "her shop"}) == ("her shop", ())
    assert fill("{company}", ADA, "", {"company": "her shop"}) == ("Fern", ())


def test_a_text_needs_what_has_neither_other_words_nor_may_be_nothing() -> None:
    assert required_variables("{first_name} {company|x} {at_company} {company} {company}") == ("first_name", "company")


def test_further_columns_are_variables_and_never_shadow_ours() -> None:
    columns = {"Favourite  colour!": "red", "favourite colour": "blue", "Company": "x", "???": "y"}
    assert columns_as_variables(columns) == {"favourite_colour": "red"}
    assert all(variable_name(name) == name for name in VARIABLES)
    assert variable_name("x" * 41) == "x" * 40


def test_a_hole_is_told_by_its_name_and_is_no_problem_of_the_text() -> None:
    rendered = render(RequestedStep(kind="message", template="Hi {first_name} at {company}"), NOBODY, Settings())
    assert (rendered.missing, rendered.problem) == (("company",), "")


def test_an_unknown_variable_is_a_problem_unless_the_file_has_such_a_column() -> None:
    writing = RequestedStep(kind="message", template="Hi from {location}")
    assert "{location}" in render(writing, NOBODY, Settings()).problem
    assert render(writing, NOBODY, Settings(), ["location"]).problem == ""
    with pytest.raises(OutriderError, match=r"\{location\}"):
        refuse_unsendable(sequence_of([writing]), Settings())
    refuse_unsendable(sequence_of([writing]), Settings(), ["location"])


def test_the_limit_holds_for_the_filled_text_counted_as_sites_do() -> None:
    note = RequestedStep(kind="invitation", template="🙂" * 99 + "{first_name}")
    assert render(note, Recipient("Al"), Settings()).problem == ""
    rendered = render(note, Recipient("Ada"), Settings())
    assert (rendered.length, rendered.limit, bool(rendered.problem)) == (201, 200, True)

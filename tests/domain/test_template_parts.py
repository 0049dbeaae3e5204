"""A text is divided into its template's words and what was put in for one person."""

from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.variables import Recipient, fill
from backend.domain.sequence.template import TextPart, template_parts

TEMPLATE = "Hi {first_name}, I saw your work{at_company}. {topic|Shall we talk?} Best"


def marked(template: str, text: str) -> list[tuple[str, str]]:
    return [(part.variable, part.text) for part in template_parts(template, text) if part.variable]


def test_what_was_put_in_is_told_by_its_variable() -> None:
    text = fill(TEMPLATE, Recipient("Ada Byron", "Analytical Ltd"), "Let me ask you something.").text
    assert marked(TEMPLATE, text) == [
        ("first_name", "Ada"),
        ("at_company", " at Analytical"),
        ("topic", "Let me ask you something."),
    ]


def test_the_template_s_words_for_what_is_not_known_are_told_as_such() -> None:
    text = fill(TEMPLATE, Recipient("Ada"), "").text
    assert template_parts(TEMPLATE, text)[-2] == TextPart(text="Shall we talk?", variable="topic", fallback=True)


def test_a_text_that_is_worded_in_another_way_has_no_parts() -> None:
    assert template_parts(TEMPLATE, "Dear Ada, I saw your work. Shall we talk? Best") == []
    assert template_parts(TEMPLATE, "Hi Ada, I saw your work. Shall we talk? Best wishes") == []
    assert template_parts("Hello there", "Hello there!") == []
    assert template_parts("Hi {first_name}, Hi", "Hi") == []  # the same letters cannot be its beginning and its end


def test_a_template_without_variables_is_one_part() -> None:
    assert template_parts("Hello there", "Hello there") == [TextPart(text="Hello there")]


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=8), st.text(alphabet="ab{} ", max_size=12))
def test_the_parts_are_the_whole_text_and_every_filled_template_has_them(
    name: str, company: str, topic: str, inputs: str
) -> None:
    template = inputs + "Hi {first_name}{at_company} {topic|x}" + inputs
    text = fill(template, Recipient(name, company), topic).text
    assert "".join(part.text for part in template_parts(template, text)) == text

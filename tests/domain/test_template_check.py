"""A template over all leads says the same as filling it for each of them."""

from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.variables import Recipient, fill
from backend.domain.sequence.template_check import check_templates
from backend.domain.turn.proposal_check import text_length

NAMES = ("Ada King", "Dr. Lin Wei", "Prof Ann", "Søren Ås", "", "🚀 Zoë (she) Long-Name, PhD", "Frau Meier", "Madonna")
templates = st.sampled_from(
    (
        "Hi {first_name}!",
        "{full_name}{at_company}: {topic}",
        "{company|your company} and {company}",
        "{last_name|friend} {last_name|pal} {job_title}{job_title}",
        "{topic} {topic|winter} {email}",
        "nothing",
    )
)
recipients = st.builds(
    Recipient,
    st.sampled_from(NAMES),
    st.sampled_from(("", " ", "Engines", "Ö" * 70)),
    st.sampled_from(("", "CTO")),
    st.sampled_from(("", "a@b.test")),
    st.sampled_from(({}, {"topic": "energy 🔋"}, {"greeting_name": "Zo"})),
)


@given(st.lists(st.tuples(templates, st.integers(1, 60)), min_size=1, max_size=3), st.lists(recipients, max_size=6))
def test_it_counts_what_filling_each_gives(templates: list[tuple[str, int]], people: list[Recipient]) -> None:
    for (template, limit), check in zip(templates, check_templates(templates, people, "a goal"), strict=True):
        filled = [fill(template, recipient, "a goal") for recipient in people]
        whole = [text_length(rendered.text) for rendered in filled if not rendered.missing]
        assert check.people == len(people)
        assert check.unfilled == sum(1 for rendered in filled if rendered.missing)
        assert check.missing == {
            name: n
            for name in ("first_name", "company", "job_title", "topic", "email", "full_name", "last_name")
            if (n := sum(name in rendered.missing for rendered in filled))
        }
        if len(whole) == len(filled):
            assert check.longest == max(whole, default=0)
            assert check.too_long == sum(length > limit for length in whole)


def test_what_may_be_a_placeholder_is_told_and_a_variable_is_none() -> None:
    (check,) = check_templates([("Hi {first_name}, greetings from [Team] {company|your company}", 200)], [], "")
    assert check.doubtful == ("[Team]",)

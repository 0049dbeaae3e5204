"""A goal in plain words becomes a blueprint: always one that can be used, and one that puts the right people first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.leads.blueprints import INDUSTRIES, ROLES, SENIORITY, blueprint_for
from backend.domain.model.criteria import BASE_FIELDS, Criterion, Keywords
from backend.domain.model.scoring import NewBlueprint, in_force, problem_with, score

FIELDS = (*BASE_FIELDS, "industry", "company_size")


def named(blueprint: NewBlueprint) -> dict[str, Criterion]:
    return {criterion.name: criterion for criterion in blueprint.criteria}


def test_ctos_in_fintech_asks_for_their_titles_and_their_industry() -> None:
    criteria = named(blueprint_for("prioritise my leads for CTOs in fintech", FIELDS))
    titles, industry = criteria["Job title relevance"].rule, criteria["Industry"].rule
    assert isinstance(titles, Keywords)
    assert isinstance(industry, Keywords)
    assert titles.fields == ("job_title",)
    assert {"cto", "chief technology officer"} <= set(titles.words)
    assert industry.fields == ("industry", "company", "headline", "job_title")
    assert {"fintech", "payments"} <= set(industry.words)
    assert "bank" in industry.partly


def test_the_people_that_a_goal_names_come_first() -> None:
    blueprint = in_force(blueprint_for("Reach CTOs in fintech startups", FIELDS), 1, 0)
    best = {"job_title": "CTO", "company": "Payments Ltd", "company_size": "11-50", "connected_on": "1970-01-01"}
    people = [best, best | {"company": "Bakery"}, best | {"company": "Bakery", "job_title": "Architect"}]
    scores = [score(blueprint, lead) for lead in people]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("I would like to talk with beekeepers about pollination", ("beekeepers", "pollination")),
        ("Invite nurses and ask whether they'd try our sensor", ("nurses", "sensor")),
        ("Find ten early users among dentists, especially in Leeds", ("dentists", "leeds")),
        ("Interview bakers without selling anything", ("bakers",)),
        ("Get five demos booked with hotels this month", ("hotels",)),
        ("Reconnect with colleagues from my time at Siemens", ("siemens",)),
        ("I am inviting a small group of bakers, and your view would help us a lot", ("bakers",)),
        ("Discuss partnership opportunities with florists", ("florists",)),
    ],
)
def test_a_goal_that_names_no_people_is_looked_for_by_its_own_words(goal: str, words: tuple[str, ...]) -> None:
    rule = named(blueprint_for(goal, FIELDS))["Words of the goal"].rule
    assert isinstance(rule, Keywords)
    assert rule.words == words


def test_words_that_say_nothing_prefer_nobody() -> None:
    rules = [criterion.rule for criterion in blueprint_for("I would like to meet you all", FIELDS).criteria]
    assert rules
    assert not [rule for rule in rules if isinstance(rule, Keywords)], "no founders for everyone"


@pytest.mark.parametrize("word", ["director's cut", "scaling", "aim", "ethical", "bankrupt"])
def test_a_family_is_named_by_whole_words_only(word: str) -> None:
    assert "Industry" not in named(blueprint_for(word, FIELDS))


_SAID = st.sampled_from(
    [
        "CTOs",
        "heads of product",
        "recruiters",
        "investors",
        "managers",
        "in fintech",
        "health tech",
        "startups",
        "enterprise",
    ]
)


@given(st.text(max_size=60) | st.lists(_SAID, max_size=6).map(" ".join), st.sets(st.sampled_from(FIELDS)))
def test_whatever_is_said_gives_a_blueprint_over_fields_that_there_are(words: str, fields: set[str]) -> None:
    all_fields = fields | {"job_title"}
    assert problem_with(blueprint_for(words, all_fields), all_fields) is None
    assert blueprint_for(words, all_fields) == blueprint_for(words, all_fields)


@pytest.mark.parametrize("family", [*ROLES, *SENIORITY, *INDUSTRIES], ids=lambda family: family.words[0])
def test_every_family_is_of_words_that_a_rule_may_hold(family: tuple[str, tuple[str, ...], tuple[str, ...]]) -> None:
    _, words, near = family
    assert Keywords(fields=("company",), words=words, partly=near).words == words
    assert not set(words) & set(near)

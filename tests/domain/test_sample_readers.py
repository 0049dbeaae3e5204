"""A message is shown for three people who differ where it matters."""

from backend.domain.model.variables import Recipient, sample_readers

NAMES = ("first_name", "company", "job_title", "city")


def named(*people: Recipient) -> list[str]:
    return [people[position].name for position in sample_readers(people, NAMES)]


def test_they_are_who_fills_every_variable_who_has_the_most_gaps_and_who_has_the_longest_words() -> None:
    partly = Recipient("Ada", "Fern")
    whole = Recipient("Ben", "Oak", "Cook", more={"city": "York"})
    bare = Recipient("Cara")
    long = Recipient("Dina", "A company whose name is rather long", "Editor")
    assert named(partly, whole, partly, bare, long, whole) == ["Ben", "Cara", "Dina"]


def test_nobody_is_shown_twice_though_the_same_person_is_the_fullest_and_the_longest() -> None:
    whole = Recipient("Ada", "A company whose name is rather long", "Editor", more={"city": "York"})
    assert named(Recipient("Ben", "Oak"), whole, Recipient("Cara"), Recipient("Dina", "Fernhill")) == [
        "Ada", "Cara", "Dina"
    ]  # fmt: skip


def test_of_few_people_it_is_all_and_of_equals_the_first() -> None:
    assert named(Recipient("Ada"), Recipient("Ben")) == ["Ada", "Ben"]
    assert named(*(Recipient(name) for name in ("Ada", "Ben", "Cea", "Dan"))) == ["Ada", "Ben", "Cea"]
    assert named() == []

"""Addresses and names, as the practice network's pages have them."""

import pytest

from backend.adapters.sites.practice_pages import slug_of
from backend.adapters.sites.shown_name import is_shown_name


@pytest.mark.parametrize(
    ("url", "slug"),
    [
        ("https://www.linkedin.com/in/ann-becker-1a", "ann-becker-1a"),
        ("https://www.linkedin.com/in/ann-becker-1a/", "ann-becker-1a"),
        ("http://127.0.0.1:5000/in/ann?trk=people#top", "ann"),
        (" https://linkedin.com/in/J%C3%B6rg ", "Jörg"),
    ],
)
def test_a_profile_url_names_a_person(url: str, slug: str) -> None:
    assert slug_of(url) == slug


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ann",
        "https://x.example/",
        "https://x.example/company/ann",
        "https://x.example/in/",
        "https://x.example/in/ann/invite",
        "https://x.example/in/..",
        "https://x.example/in/%2e%2e",
        "https://x.example/in/a%2Fb",
        "https://x.example/in/a%5Cb",
        "https://x.example/in/a%3Fb",
        "https://x.example/in/a%00b",
        "https://x.example/in/" + "a" * 121,
    ],
)
def test_no_other_url_names_anybody(url: str) -> None:
    with pytest.raises(ValueError, match="not a profile address"):
        slug_of(url)


def test_a_name_is_the_same_but_for_composition_and_blanks() -> None:
    assert is_shown_name("Jose\u0301\u00a0 Martí\n", " José Marti\u0301")
    assert not is_shown_name("José Martí", "Jose Marti")
    assert not is_shown_name("ANN", "Ann")
    assert not is_shown_name("", " ")

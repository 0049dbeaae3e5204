import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backend.adapters.leadfiles import normalise_profile_url

ANN = "https://www.linkedin.com/in/ann-lee"


@pytest.mark.parametrize(
    "spelling",
    [
        "https://www.linkedin.com/in/ann-lee",
        "https://www.linkedin.com/in/ann-lee/",
        "http://www.linkedin.com/in/ann-lee",
        "HTTPS://WWW.LinkedIn.COM/in/Ann-Lee",
        "https://linkedin.com/in/ann-lee",
        "https://de.linkedin.com/in/ann-lee",
        "https://uk.linkedin.com/IN/ann-lee/",
        "https://m.linkedin.com/in/ann-lee",
        "https://www.linkedin.com/in/ann-lee?trk=x&y=/in/bob",
        "https://www.linkedin.com/in/ann-lee#about",
        "https://www.linkedin.com/in/ann-lee/details/experience/",
        "https://www.linkedin.com//in//ann-lee",
        "https://www.linkedin.com:443/in/ann-lee",
        "https://www.linkedin.com./in/ann-lee",
        "https://www.linkedin.com/in/%61nn-lee",
        "linkedin.com/in/ann-lee",
        "www.linkedin.com/in/ann-lee",
        "//www.linkedin.com/in/ann-lee",
        "  https://www.linkedin.com/in/ann-lee\t",
        "https://www.linkedin.com/in/ann-lee\u200b",
        "https://www.linkedin.com/in/ann\u00ad-lee%20/",
    ],
)
def test_every_spelling_of_a_profile_is_one(spelling: str) -> None:
    assert normalise_profile_url(spelling) == ANN


@pytest.mark.parametrize("slug", ["josé", "jos%C3%A9", "jos%c3%a9", "JOSÉ", "JOS%C3%89", "jose\u0301"])
def test_accents_are_one_however_they_are_written(slug: str) -> None:
    assert normalise_profile_url(f"https://www.linkedin.com/in/{slug}") == "https://www.linkedin.com/in/jos%C3%A9"


def test_people_with_similar_names_stay_apart() -> None:
    slugs = ["strasse", "straße", "a%2Fb", "a", "a%3Fb", "jos%E9", "josé"]
    assert len({normalise_profile_url(f"https://www.linkedin.com/in/{slug}") for slug in slugs}) == len(slugs)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "n/a", "-", "ann", "ann@example.com", "javascript:alert(1)", "JavaScript://www.linkedin.com/in/x",
        "data:text/html,x", "file:///etc/passwd", "ftp://linkedin.com/in/x", "mailto:a@b.co", "https://", "https:///in/x",
        "http:linkedin.com/in/x", "https://www.linkedin.com", "https://www.linkedin.com/", "https://www.linkedin.com/in/",
        "https://www.linkedin.com/in/..", "https://www.linkedin.com/in/%2e%2e/x", "https://www.linkedin.com@evil.example/in/x",
        "https://evil.example\\@www.linkedin.com/in/x", "https://[::1", "https://a b.com/x", "https://x.com:99999/y",
        "https://x.com:y/", "https://localhost/in/x", "https://-..-/x", "/in/ann", "java\nscript:alert(1)",
        "https://www.link", "www.link", "https://example.com", "https://example.com/?a=1", "https://www.linkedin.com/i",
        "https://www.linkedin.com/company/acme", "https://www.linkedin.com/feed",
        "https://www.linkedin.com/in/a\x00b", "https://x.com/\ud800", "=HYPERLINK(\"https://x.com\")",
    ],
)  # fmt: skip
def test_what_is_no_profile_url_is_refused(text: str) -> None:
    assert normalise_profile_url(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://Example.com/People/Ann/?a=1", "https://example.com/People/Ann"),
        ("https://example.com:8080/a", "https://example.com:8080/a"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("https://linkedin.com.evil.example/in/X", "https://linkedin.com.evil.example/in/X"),
        ("https://notlinkedin.com/in/X", "https://notlinkedin.com/in/X"),
        (
            "https://www.linkedin.com/sales/lead/ACwAAB,NAME_x?_ntb=1",
            "https://www.linkedin.com/sales/lead/ACwAAB,NAME_x",
        ),
    ],
)
def test_other_addresses_keep_their_own_host_and_path(text: str, expected: str) -> None:
    assert normalise_profile_url(text) == expected


_URLISH = st.one_of(
    st.text(),
    st.text(alphabet="htps:/.linkedcomw%C3A9éİßΣǅ?#@\\[]0 -~"),
    st.builds(
        lambda scheme, host, path: scheme + host + path,
        st.sampled_from(["https://", "http://", "HTTP://", "//", ""]),
        st.sampled_from(["linkedin.com", "www.linkedin.com", "de.linkedin.com", "Bücher.example", "x.io:81", "a.b."]),
        st.text().map(lambda text: "/in/" + text) | st.text().map(lambda text: "/" + text),
    ),
)


@given(_URLISH)
@example("https://www.linkedin.com/in/İ")
@example("https://www.linkedin.com/in/%25%32%35")
@example("https://İx.com/a")
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_profile_url(text)
    if once is not None:
        assert normalise_profile_url(once) == once


@given(_URLISH)
def test_the_result_is_always_plain_https(text: str) -> None:
    once = normalise_profile_url(text)
    if once is not None:
        assert once.startswith("https://")
        assert once.isascii()
        assert once.isprintable()
        assert not set(" ?#\\\"<>'").intersection(once) - {"'"}


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_escaped_slug_and_a_plain_one_are_the_same_person(slug: str) -> None:
    escaped = "".join(f"%{byte:02X}" for byte in slug.encode())
    plain = normalise_profile_url(f"https://www.linkedin.com/in/{slug}")
    if plain is not None and not set("%/?# \t").intersection(slug) and slug.strip() == slug:
        assert normalise_profile_url(f"https://de.linkedin.com/in/{escaped}/") == plain

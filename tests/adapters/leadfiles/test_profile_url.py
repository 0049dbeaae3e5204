from urllib.parse import quote

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
        "https://www.linkedin.com/in/ann-lee/de",
        "https://www.linkedin.com/in/ann-lee/?locale=de_DE",
        "https://www.linkedin.com/mwlite/in/ann-lee",
        "https://www.linkedin.com/mwlite/profile/in/ann-lee",
        "https://www.linkedin.com/comm/in/ann-lee?trk=eml&midToken=AQ",
        "https://www.linkedin.com/comm/mwlite/in/ann-lee",
        "https://www.linkedin.com/m/in/ann-lee/",
        "https://touch.linkedin.com/in/ann-lee",
        "https://touch.www.linkedin.com/in/ann-lee",
        "https://de.m.linkedin.com/in/ann-lee",
        "\ufeffhttps://www.linkedin.com/in/ann-lee",
        "\u200e https://www.linkedin.com/in/ann-lee\u200f",
        "\u202awww.linkedin.com/in/ann-lee\u202c",
        "https://www.linkedin.com/pub/ann-lee",
    ],
)
def test_every_spelling_of_a_profile_is_one(spelling: str) -> None:
    assert normalise_profile_url(spelling) == ANN


@pytest.mark.parametrize("slug", ["josé", "jos%C3%A9", "jos%c3%a9", "JOSÉ", "JOS%C3%89", "jose\u0301"])
def test_accents_are_one_however_they_are_written(slug: str) -> None:
    assert normalise_profile_url(f"https://www.linkedin.com/in/{slug}") == "https://www.linkedin.com/in/jos%C3%A9"


BEHIND = [
    "&sa=U&ved=2ah",
    "%3Ftrk%3Dx",
    "%253Ftrk%253Dx",
    "%2F",
    ";jsessionid=1",
    "=",
    "|Ann",
    "*",
    "%5C",
    "%23a",
    "%25",
]


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("slug", ["ann-lee", "josé", "ACoAAbCdEfGhIjKlMnOpQr"])
def test_what_no_profiles_name_holds_ends_it(slug: str, behind: str) -> None:
    """As scraped lists have it: the do-not-contact list would else know nobody by it."""
    address = f"https://www.linkedin.com/in/{slug}"
    assert normalise_profile_url(address + behind) == normalise_profile_url(address) is not None


HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"


@pytest.mark.parametrize("host", ["pt-br.linkedin.com", "wwww.linkedin.com", "www.linkedin.cn", "linkedin.cn/incareer"])
@pytest.mark.parametrize(
    "slug", [*(f"ann{hyphen}lee" for hyphen in HYPHENS), "\uff41nn-lee", "ann%25252Dlee", "%EF%BC%A1nn-lee"]
)
def test_a_profiles_name_is_one_in_whatever_letters_and_wherever_linkedin_shows_it(host: str, slug: str) -> None:
    assert normalise_profile_url(f"https://{host}/in/{slug}") == ANN


def test_people_with_similar_names_stay_apart() -> None:
    slugs = ["strasse", "straße", "a", "jos%E9", "josé"]
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
        "https://www.link", "www.link", "https://example.com", "https://example.com/?utm_source=a", "https://www.linkedin.com/i",
        "https://example.com/#about", "https://www.linkedin.com/in/ann-l...", "https://www.linkedin.com/in/ann-l\u2026",
        "https://www.linkedin.com/pub/dir/ann/lee", "https://www.linkedin.com/pub/ann-lee/1a/2b3", "linkedin://in/ann",
        "https://www.linkedin.com/company/acme", "https://www.linkedin.com/feed",
        "https://www.linkedin.com/in/a\x00b", "https://x.com/\ud800", "=HYPERLINK(\"https://x.com\")",
    ],
)  # fmt: skip
def test_what_is_no_profile_url_is_refused(text: str) -> None:
    assert normalise_profile_url(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://Example.com/People/Ann/?a=1", "https://example.com/People/Ann?a=1"),
        ("https://example.com/?a=1", "https://example.com/?a=1"),
        ("https://example.com/ann?b=2&a=1&fbclid=x&utm_source=y", "https://example.com/ann?a=1&b=2"),
        ("https://example.com/profile.asp?12345", "https://example.com/profile.asp?12345"),
        ("https://example.com/app#/people/7", "https://example.com/app#/people/7"),
        ("https://example.com/people/ann#top", "https://example.com/people/ann"),
        ("https://en.wikipedia.org/wiki/Ann_(singer)", "https://en.wikipedia.org/wiki/Ann_(singer)"),
        ("https://lnkd.in/eAbC12", "https://lnkd.in/eAbC12"),
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
def test_other_addresses_keep_their_own_host_path_and_query(text: str, expected: str) -> None:
    assert normalise_profile_url(text) == expected


@pytest.mark.parametrize(
    "written",
    [
        '=HYPERLINK("{}","Ann Lee")', '=HYPERLINK("{}";"Ann Lee")', '=hyperlink( "{}" , "Ann" )', '=HYPERLINK("{}")',
        '=HYPERLINK(""{}"",""Ann"")', '=LIEN_HYPERTEXTE("{}";"Ann")', '=HIPERV\u00cdNCULO("{}";"Ann")',
        '\'=HYPERLINK("{}","Ann")',
        "[Ann]({})", "[Ann Lee, CEO]({})", '[Ann]({} "Her profile")', "[Ann](<{}>)", "[{0}]({0})", "![Ann]({})",
        "<{}>", "<URL:{}>", "<{}|Ann Lee>",
        '<a href="{}">Ann Lee</a>', "<a class='x' href='{}' target=_blank>Ann</a>", "<A HREF={}>Ann</A>",
        '"{}"', "'{}'", "\u201c{}\u201d", "\u00ab{}\u00bb", "`{}`", "({})", "[{}]", "({}).",
        "{}.", "{},", "{};", "{})", "{}>", '{}"', "{}/).", "{}!",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "address", [ANN, "http://de.linkedin.com/in/Ann-Lee/", "www.linkedin.com/in/ann-lee?trk=x&y=1"]
)
def test_what_is_written_around_an_address_is_no_part_of_it(written: str, address: str) -> None:
    assert normalise_profile_url(written.format(address)) == ANN


@pytest.mark.parametrize(
    "redirect",
    [
        "https://www.google.com/url?q={}&sa=D", "https://www.google.co.uk/url?sa=t&rct=j&url={}&usg=x", "google.de/url?q={}",
        "https://www.google.com/url?sa=D&amp;q={}", "https://l.facebook.com/l.php?u={}&h=AT1", "https://lm.facebook.com/l.php?u={}",
        "https://l.instagram.com/?u={}&e=AT", "https://www.linkedin.com/redir/redirect?url={}&urlhash=x",
        "https://www.linkedin.com/redir/suspicious-page?url={}", "https://www.linkedin.com/safety/go?url={}&trk=x",
        "https://www.linkedin.com/authwall?trk=x&sessionRedirect={}", "https://www.linkedin.com/uas/login?session_redirect={}",
        "https://eur01.safelinks.protection.outlook.com/?url={}&data=05%7C01", "https://slack-redir.net/link?url={}",
        "https://www.youtube.com/redirect?event=x&q={}", "https://out.reddit.com/t3_x?url={}", "https://duckduckgo.com/l/?uddg={}",
        "https://www.google.com/url?q=https%3A%2F%2Fl.facebook.com%2Fl.php%3Fu%3Dhttps%253A%252F%252Fwww.linkedin.com%252Fin%252Fann-lee",
    ],
)  # fmt: skip
def test_a_redirect_is_the_person_it_leads_to(redirect: str) -> None:
    for address in (ANN, f"{ANN}/?trk=x", "http://de.linkedin.com/in/Ann-Lee"):
        assert normalise_profile_url(redirect.format(quote(address, safe=""))) == ANN
    assert normalise_profile_url(redirect.format(ANN)) == ANN


@pytest.mark.parametrize(
    "redirect",
    [
        "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.linkedin.com_in_ann-2Dlee&d=DwMFaQ",
        "https://urldefense.com/v3/__https://www.linkedin.com/in/ann-lee/__;!!Abc!Def$",
        "https://urldefense.com/v3/__https:/www.linkedin.com/in/ann-lee?trk=x__;!!Abc!Def$",
        "https://web.archive.org/web/20240315000000/https://www.linkedin.com/in/ann-lee",
        "https%3A%2F%2Fwww.linkedin.com%2Fin%2Fann-lee%2F",
    ],
)
def test_an_address_in_another_is_read_in_the_spelling_of_that_service(redirect: str) -> None:
    assert normalise_profile_url(redirect) == ANN


@pytest.mark.parametrize(
    "text",
    [
        "https://www.google.com/url?sa=D", "https://www.google.com/url?q=ann+lee", "https://l.facebook.com/l.php?u=javascript:alert(1)",
        "https://www.google.com/url?q=https%3A%2F%2Fwww.linkedin.com%40evil.example%2Fin%2Fx", '=HYPERLINK("mailto:a@b.co","Ann")',
        "https://www.linkedin.com/safety/go?url=https%3A%2F%2Fwww.linkedin.com%2Ffeed", "[Ann](javascript:alert(1))",
        "https://urldefense.com/v3/__https://www.linkedin.com/in/ann*lee__;w6k!!Abc$", "Ann <https://www.linkedin.com/in/ann-lee>",
        "https://www.google.com/url?q=" * 9 + ANN,
    ],
)  # fmt: skip
def test_a_redirect_to_nobody_is_nobody(text: str) -> None:
    assert normalise_profile_url(text) is None


@pytest.mark.parametrize(
    "pair",
    [
        ("https://scholar.google.com/citations?user=A", "https://scholar.google.com/citations?user=B"),
        ("https://www.facebook.com/profile.php?id=1", "https://www.facebook.com/profile.php?id=2"),
        ("https://orcid.example/search?q=1", "https://orcid.example/search?q=2"),
        ("https://example.com/staff?id=ab", "https://example.com/staff?id=AB"),
        ("https://example.com/?p=1", "https://example.com/?p=2"),
        ("https://www.linkedin.com/profile/view?id=1", "https://www.linkedin.com/profile/view?id=2"),
        ("https://example.com/app#/people/1", "https://example.com/app#!/people/2"),
        (
            "https://www.google.com/url?q=https://example.com/?p%3D1",
            "https://www.google.com/url?q=https://example.com/?p%3D2",
        ),
        ("https://lnkd.in/a", "https://lnkd.in/b"),
        ("https://www.linkedin.com/pub/ann-lee/1a/2b3/4c5", "https://www.linkedin.com/pub/ann-lee/1a/2b3/4c6"),
        ("https://example.com/view?id=%E9", "https://example.com/view?id=%E8"),
    ],
)
def test_people_whom_only_the_query_tells_apart_stay_apart(pair: tuple[str, str]) -> None:
    first, other = map(normalise_profile_url, pair)
    assert first is not None
    assert other is not None
    assert first != other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "https://scholar.google.de/citations?hl=de&user=AbC-1&oi=ao",
            "https://scholar.google.com/citations?user=AbC-1",
        ),
        (
            "https://m.facebook.com/profile.php?id=1001&mibextid=Z&sk=about",
            "https://www.facebook.com/profile.php?id=1001",
        ),
        ("https://nl.linkedin.com/profile/view?id=99&authType=NAME", "https://www.linkedin.com/profile/view?id=99"),
        (
            "https://www.linkedin.com/profile/view?id=ACoAABcdefghijklmnop",
            "https://www.linkedin.com/in/ACoAABcdefghijklmnop",
        ),
        # As LinkedIn has redirected them since 2015; of the two higher numbers the old form leaves out leading zeros.
        ("https://pl.linkedin.com/pub/Ann-Lee/10/b14/5a2", "https://www.linkedin.com/in/ann-lee-5a2b1410"),
        ("https://www.linkedin.com/pub/ann-lee/6a/90/21", "https://www.linkedin.com/in/ann-lee-0210906a"),
    ],
)
def test_a_page_with_its_person_in_the_query_has_one_spelling(text: str, expected: str) -> None:
    assert normalise_profile_url(text) == expected


@pytest.mark.parametrize(
    "slug",
    ["unavailable", "Unavailable/", "linkedin-member", "LinkedIn%20Member", "undefined", "null", "none", "N-A", "me", "edit/",
     "profile", "example", "your-name", "yourname", "headless?trk=x", "username", "firstname-lastname", "xxxxx", "NaN"],
)  # fmt: skip
def test_a_placeholder_is_nobody(slug: str) -> None:
    for before in ("https://www.linkedin.com/in/", "http://de.linkedin.com/mwlite/in/", "linkedin.com/pub/"):
        assert normalise_profile_url(before + slug) is None


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/null", "https://example.com/people/undefined/", "https://example.com/view?id=null", "https://x.com/N%2FA",
        "https://www.facebook.com/profile.php", "https://www.facebook.com/profile.php?id=undefined",
        "https://scholar.google.com/citations?hl=en", "N/A", "#N/A", "none", "unavailable",
    ],
)  # fmt: skip
def test_what_a_program_writes_where_it_knows_nothing_is_nobody(text: str) -> None:
    normalised = normalise_profile_url(text)
    assert normalised in (None, "https://example.com/view")


def test_real_names_that_begin_like_placeholders_stay() -> None:
    for slug in ("me-anders", "none-pauline", "example-ann", "profile-of-ann", "nullmann", "ana"):
        assert normalise_profile_url(f"https://www.linkedin.com/in/{slug}") == f"https://www.linkedin.com/in/{slug}"


_URLISH = st.one_of(
    st.text(),
    st.text(alphabet="htps:/.linkedcomw%C3A9éİßΣǅ?#@\\[]0 -~"),
    st.builds(
        lambda scheme, host, path: scheme + host + path,
        st.sampled_from(["https://", "http://", "HTTP://", "//", ""]),
        st.sampled_from(["linkedin.com", "www.linkedin.com", "de.linkedin.com", "Bücher.example", "x.io:81", "a.b."]),
        st.text().map(lambda text: "/in/" + text) | st.text().map(lambda text: "/" + text),
    ),
    st.builds(
        lambda host, path, query: f"https://{host}/{path}?{query}",
        st.sampled_from(["x.io", "www.google.com", "www.linkedin.com", "scholar.google.com", "web.archive.org"]),
        st.sampled_from(
            ["", "url", "a.", "a)/b(c)", "in/a).", "pub/a/1/2/3", "citations", "profile/view", "web/1/https://x.io/b"]
        ),
        st.text(alphabet="quserid=&.%2+?#/!();\u00e9'\"") | st.text(),
    ),
    st.builds(
        lambda before, text, after: before + "https://x.io/" + text + after,
        st.sampled_from(["", '=HYPERLINK("', "[a](", "<", "(", '"']),
        st.text(alphabet="ab/.,;:!?)(]>'\"%2E29#&="),
        st.sampled_from(["", '","a")', ")", ">", ").", '"', "..", "\u2026"]),
    ),
)


@given(_URLISH)
@example("https://www.linkedin.com/in/İ")
@example("https://www.linkedin.com/in/%25%32%35")
@example("https://İx.com/a")
@example("https://x.io/a%29/b(c)")
@example("https://x.io/a%2E%2E(")
@example("https://x.io/?b=1)&a=2")
@example("https://x.io/#/a/.!")
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
        assert not set(' \\"<>').intersection(once)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_escaped_slug_and_a_plain_one_are_the_same_person(slug: str) -> None:
    escaped = "".join(f"%{byte:02X}" for byte in slug.encode())
    plain = normalise_profile_url(f"https://www.linkedin.com/in/{slug}")
    if plain is not None and not set("%/?# \t").intersection(slug) and slug.strip() == slug:
        assert normalise_profile_url(f"https://de.linkedin.com/in/{escaped}/") == plain

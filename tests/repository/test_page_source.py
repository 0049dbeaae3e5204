"""The page's sources: nothing that its content security policy refuses, no word from outside that hides something."""

import re
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parents[2] / "frontend"
FORBIDDEN = {
    "an inline script": re.compile(r"<script\b(?![^>]*\bsrc=)(?![^>]*\blang=\"ts\")[^>]*>", re.IGNORECASE),
    # `style:width={…}` is set through the DOM and is allowed; a literal attribute is parsed and refused.
    "an inline style": re.compile(r"\sstyle=[\"']"),
    "raw HTML": re.compile(r"\{@html\b"),
    "an inline handler": re.compile(r"\son[a-z]+=[\"']"),
    "another origin": re.compile(r"\b(?:src|href)=[\"']?(?:https?:)?//", re.IGNORECASE),
}


def refused(source: str) -> list[str]:
    return [what for what, pattern in FORBIDDEN.items() if pattern.search(source)]


def sources() -> list[Path]:
    return [FRONTEND / "index.html", *sorted((FRONTEND / "src").rglob("*.svelte"))]


def test_the_page_needs_no_exception_from_its_policy() -> None:
    refusals = {str(path): refused(path.read_text(encoding="utf-8")) for path in sources()}
    assert len(refusals) > 50
    assert {path: what for path, what in refusals.items() if what} == {}


def test_index_html_has_no_style_element() -> None:
    assert "<style" not in (FRONTEND / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        '<p style="color: red">',
        "<p>{@html reply}</p>",
        '<button onclick="go()">',
        '<script src="//example.com/x.js"></script>',
    ],
)
def test_what_the_policy_refuses_is_found(source: str) -> None:
    assert refused(source)


def test_ordinary_markup_is_left_alone() -> None:
    source = '<script lang="ts">let x = 1;</script><div style:width={w} onclick={go} class="a">{text}</div>'
    assert refused(source) == []


# --- words from outside ---

FROM_OUTSIDE = (
    "assignment", "detail", "sentence", "remedy", "quote", "justification", "rationale", "full_name", "headline", "company",
    "job_title", "description", "lead", "lead_name", "why", "message", "reason",
)  # fmt: skip
"""Fields that hold, or tell with, what somebody else wrote: people, programs, models, files, scripts."""
NAMED = (
    "campaign", "lead", "person", "invitation", "attachment", "program", "client", "skill", "unfinishedCampaign", "thread",
    "dragging", "servitor", "run", "device", "author", "project",
)  # fmt: skip
"""What has its name from outside."""
RAW = re.compile(rf"(?:\b(?:{'|'.join(NAMED)})\??\.name|\??\.(?:{'|'.join(FROM_OUTSIDE)}))\b(?!\s*[(=?.!])")
NOT_SHOWN = re.compile(r"<script.*?</script>|<style.*?</style>|<!--.*?-->", re.DOTALL)
EXPRESSION = re.compile(
    r"(?:(?<![\w-])(?P<attribute>[\w:-]+)=(?:\"[^\"{]*)?)?\{(?P<shown>(?:[^{}`]|`(?:[^`$]|\$\{[^}]*\})*`)*)\}"
)
READ_TO_THE_USER = (None, "title", "aria-label", "alt", "label")
REVEALED = re.compile(r"reveal\((?:[^()]|\([^()]*\))*\)")
NO_TEXT = re.compile(r"[#:/@]|\s*\w+:|.*=>", re.DOTALL)
"""A block, an object, a function."""


def hiding(source: str) -> list[str]:
    """What a component shows of others' words without `reveal`, in which they could hide something or turn the page around."""
    found_raw = []
    for match in EXPRESSION.finditer(NOT_SHOWN.sub("", source)):
        shown = match["shown"]
        if match["attribute"] in READ_TO_THE_USER and not NO_TEXT.match(shown) and RAW.search(REVEALED.sub("", shown)):
            found_raw.append(shown)
    return found_raw


def test_every_word_from_outside_is_shown_with_what_it_hides() -> None:
    raw = {str(path): hiding(path.read_text(encoding="utf-8")) for path in sources()}
    assert {path: shown for path, shown in raw.items() if shown} == {}


@pytest.mark.parametrize(
    ("source", "raw"),
    [
        ("<p>{entry.servitor.assignment}</p>", True),
        ("<p>{entry.assignment || 'None.'}</p>", True),
        ('<p title="To {lead.full_name}">x</p>', True),
        ("<p title={campaign.name}>x</p>", True),
        ("<b>{error?.sentence}</b>", True),
        ("<b>{`${count} of ${person.name}`}</b>", True),
        ("<b>{reveal(`${count} of ${person.name}`)}</b>", False),
        ("<b>{reveal(cut(error.sentence))}</b>", False),
        ("<Avatar name={lead.full_name} />", False),
        ("<button onclick={() => tell(lead.full_name)}>x</button>", False),
        ("{#if lead.full_name}x{/if}", False),
        ('<script lang="ts">const name = `{lead.full_name}`;</script>', False),
    ],
)
def test_a_word_from_outside_that_is_not_revealed_is_found(source: str, raw: bool) -> None:
    assert bool(hiding(source)) is raw

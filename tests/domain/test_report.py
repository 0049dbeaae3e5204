"""A report's figures are exact in both files, and nothing that people wrote is taken for more than text."""

import csv
import io
from html.parser import HTMLParser

from backend.domain.reports.report import COLUMNS, Figure, Report, Section, report_html, report_rows

HOSTILE = '</title></h1><script>alert(1)</script><img src=x onerror="alert(1)">&amp;\u202e'


def report(name: str = "Talks", item: str = "Hello") -> Report:
    steps = Section(
        title="Steps",
        of_what="Step",
        measures=("Sent", "Accepted", "Replied"),
        rows=[
            (item, (Figure(3), None, Figure(2, 3, rate=True))),
            ("Later", (Figure(0), None, Figure(0, 0, rate=True))),
        ],
        note="A note.",
    )
    nothing = Section(title="Variants", of_what="Variant", measures=("Sent",), rows=[], empty="None was sent.")
    return Report(name, [("Goal", item)], [steps, nothing], ["Who read it."])


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def _parsed(page: str) -> _Tags:
    tags = _Tags()
    tags.feed(page)
    return tags


def test_each_figure_is_a_row_with_its_share_and_interval() -> None:
    head, *rows = report_rows(report())
    assert head == COLUMNS
    assert rows == [
        ("About", "Campaign", "", "", "", "", "", "", "", "Talks"),
        ("About", "Goal", "", "", "", "", "", "", "", "Hello"),
        ("Steps", "Hello", "Sent", "3", "", "", "", "", "", ""),
        ("Steps", "Hello", "Replied", "2", "3", "0.6667", "0.2077", "0.9385", "few", ""),
        ("Steps", "Later", "Sent", "0", "", "", "", "", "", ""),
        ("Steps", "Later", "Replied", "0", "0", "", "", "", "few", ""),
        ("Steps", "", "", "", "", "", "", "", "", "A note."),
        ("Variants", "", "", "", "", "", "", "", "", "None was sent."),
        ("Not known", "", "", "", "", "", "", "", "", "Who read it."),
    ]


def test_only_a_share_over_few_is_marked() -> None:
    assert [Figure(1, of, rate=True).few for of in (19, 20)] == [True, False]
    assert not Figure(1, 2).few


def test_the_page_says_the_same_figures() -> None:
    text = " ".join(_parsed(report_html(report())).text.split())
    assert "2 of 367 % (21 to 94 %), few" in text
    assert "None was sent." in text
    assert "Who read it." in text


def test_hostile_words_are_shown_and_never_obeyed() -> None:
    plain, hostile = (_parsed(report_html(report(*words))) for words in (("a", "b"), (HOSTILE, HOSTILE)))
    assert hostile.tags == plain.tags
    assert hostile.attributes == plain.attributes
    assert hostile.text.count("<script>alert(1)</script>") == 4  # title, heading, goal, row
    assert "\u202e" not in hostile.text


def test_the_page_asks_for_nothing_from_outside() -> None:
    page = _parsed(report_html(report()))
    assert not {"script", "link", "img", "iframe", "a", "base"} & set(page.tags)
    assert not {"src", "href", "style"} & set(page.attributes)


def test_the_rows_are_one_table() -> None:
    out = io.StringIO()
    csv.writer(out).writerows(report_rows(report(HOSTILE, "a\nb,c")))
    assert {len(row) for row in csv.reader(io.StringIO(out.getvalue()))} == {len(COLUMNS)}

"""A campaign's report: its tables as one HTML file without scripts or outside resources, or as rows for a spreadsheet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from backend.domain.reports.insight import SMALL_SAMPLE, Interval, wilson_interval
from backend.domain.values.hidden_characters import reveal


@dataclass(frozen=True, slots=True)
class Figure:
    """A count, and of how many; a `rate` stands for more than those it was counted over, and so has an interval."""

    count: int
    of: int | None = None
    rate: bool = False

    @property
    def share(self) -> float | None:
        """The count's part; None when it is a part of nothing."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        """Where the true share lies with 95 % confidence; None for what is no rate."""
        return wilson_interval(self.count, self.of) if self.rate and self.of else None

    @property
    def few(self) -> bool:
        """Whether a rate was counted over so few that it says little."""
        return self.rate and self.of is not None and self.of < SMALL_SAMPLE


@dataclass(frozen=True, slots=True)
class Section:
    """A table: what each column measures, and rows of a title and a figure a column; None where there is none."""

    title: str
    of_what: str
    measures: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Figure | None]]]
    note: str = ""
    empty: str = "Nothing yet."


@dataclass(frozen=True, slots=True)
class Report:
    """What it is about, its tables, and what is not known."""

    name: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    unknown: Sequence[str]


COLUMNS = ("section", "item", "measure", "count", "of", "share", "low_95", "high_95", "few", "text")


def report_rows(report: Report) -> Iterator[Sequence[str]]:
    """The report as one table with a row for each figure; what is said in words stands in the last column."""
    yield COLUMNS
    words = [("About", "Campaign", report.name), *(("About", item, text) for item, text in report.facts)]
    for title, item, text in words:
        yield (title, item, *[""] * 7, text)
    for section in report.sections:
        for item, figures in section.rows:
            for measure, figure in zip(section.measures, figures, strict=True):
                if figure is not None:
                    yield (section.title, item, measure, *_cells(figure), "")
        if section.note or not section.rows:
            yield (section.title, *[""] * 8, section.note if section.rows else section.empty)
    for text in report.unknown:
        yield ("Not known", *[""] * 8, text)


def _cells(figure: Figure) -> tuple[str, ...]:
    low, high = figure.interval or (None, None)
    shares = ("" if share is None else f"{share:.4f}" for share in (figure.share, low, high))
    return str(figure.count), "" if figure.of is None else str(figure.of), *shares, "few" if figure.few else ""


_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --muted: #5b6675; --line: #d9dee5; --ground: #ffffff; --bar: #2f6fdd;
  --track: #e8ebf0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --muted: #9aa5b3; --line: #323a46; --ground: #12161c; --bar: #6ea0ff; --track: #262d37; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .4rem; font-size: 1.05rem; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .15rem .8rem; margin: 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--muted); font-size: .8rem; font-weight: 500; }
tr > :first-child { width: 36%; min-width: 6.5rem; } tbody th { font-weight: 400; overflow-wrap: anywhere; }
.none, .more, .note { color: var(--muted); } .more, .note { font-size: .8rem; } .more { display: block; }
.note { margin: .4rem 0 0; }
svg { display: block; width: 7rem; height: .5rem; margin-top: .2rem; }
.track { fill: var(--track); } .bar { fill: var(--bar); } .few .bar { opacity: .45; } .range { stroke: var(--ink); }
ul { margin: .4rem 0 0; padding-left: 1.2rem; } li { overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --ink: #000; --muted: #444; --line: #bbb; --ground: #fff; --bar: #2f6fdd; --track: #e8ebf0; }
  main { max-width: none; padding: 0; } tr, dl { break-inside: avoid; } h2 { break-after: avoid; }
  thead { display: table-header-group; } svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def report_html(report: Report) -> str:
    """The report as a page; everything that came from the user, or from other people, is shown and never obeyed."""
    facts = "".join(f"<dt>{_shown(item)}</dt><dd>{_shown(text)}</dd>" for item, text in report.facts)
    unknown = "".join(f"<li>{_shown(text)}</li>" for text in report.unknown)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_shown(report.name)}: report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_shown(report.name)}</h1>\n<dl>{facts}</dl>\n"
        + "".join(map(_section, report.sections))
        + f"<section>\n<h2>Not known</h2>\n<ul>{unknown}</ul>\n</section>\n</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    head = "".join(f'<th scope="col">{_shown(title)}</th>' for title in (section.of_what, *section.measures))
    rows = "".join(
        f'<tr><th scope="row">{_shown(item)}</th>{"".join(map(_cell, figures))}</tr>\n'
        for item, figures in section.rows
    )
    table = f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n'
    note = f'<p class="note">{_shown(section.note)}</p>\n' if section.note else ""
    shown = table + note if section.rows else f'<p class="none">{_shown(section.empty)}</p>\n'
    return f"<section>\n<h2>{_shown(section.title)}</h2>\n{shown}</section>\n"


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return '<td class="none">-</td>'
    of = "" if figure.of is None else f' <span class="none">of {figure.of:,}</span>'
    share, interval = figure.share, figure.interval
    if share is None or interval is None:
        return f"<td>{figure.count:,}{of}</td>"
    low, high = (100 * bound for bound in interval)
    words = f"{100 * share:.0f} % ({low:.0f} to {high:.0f} %){', few' if figure.few else ''}"
    return (
        f'<td class="{"few" if figure.few else ""}">{figure.count:,}{of}'
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="10"/><rect class="bar" width="{100 * share:.1f}" height="10"/>'
        f'<line class="range" x1="{low:.1f}" x2="{high:.1f}" y1="5" y2="5" stroke-width="2"/></svg>'
        f'<span class="more">{words}</span></td>'
    )


def _shown(text: str) -> str:
    return escape(reveal(text))

"""Whose work is inside the packaged app, and under which terms: what every one of those licences asks to be told."""

from collections.abc import Sequence

from inventory import Component

RULE = "\n" + "=" * 100 + "\n"
OPENING = """What Outrider comes with, and under which terms

Each part below is its authors' work. Parts under the LGPL (Qt, PySide, FFmpeg) are used as their authors publish them, without
debugging symbols, as libraries in files of their own: whoever has the app may replace them by a version of theirs, and may take the
app apart to find out how. The line "source" says where the source of a part in this version is, where its licence asks for that.

What is missing: the packages of Qt (only on Linux) bring no list of what others wrote inside Qt and its web engine. The lists here
are Debian's of Qt 6.4 and Chromium 150's own, so what only the versions named below have is not in them. Crates of Rust inside
Python packages are listed by name, version, licence and authors, as each package lists them. No package brings the crates' own
copyright lines and texts of licences, some crates name no authors, and wasmtime lists none of its crates."""


def notices(components: Sequence[Component]) -> str:
    """One text: every component with its terms, each text of a licence once."""
    parts = [OPENING]
    written: dict[str, str] = {}
    for component in components:
        title = f"{component.name} {component.version}".strip()
        lines = [title, component.licence]
        if component.source:
            lines.append(f"source: {component.source}")
        parts.append("\n\n".join(["\n".join(lines), *_texts(component, title, written), *_parts(component)]))
    return RULE.join(parts) + "\n"


def heads(whole: str) -> str:
    """Of that text what comes before the licences' own words: whose work is inside, under which terms, and where its source is."""
    opening, *parts = whole.split(RULE)
    return (
        "\n\n".join(
            [opening, "The texts of all these licences are in NOTICES.gz beside this file.", *map(_head, parts)]
        )
        + "\n"
    )


def _head(part: str) -> str:
    return part.partition("\n\n")[0]


def _texts(component: Component, title: str, written: dict[str, str]) -> list[str]:
    shown = []
    for words in component.texts:
        first = words.partition("\n")[0].strip()
        shown.append(f"({first}: as under {written[words]})" if words in written else words)
        written.setdefault(words, title)
    return shown


def _parts(component: Component) -> list[str]:
    if not component.parts:
        return []
    rows = sorted(
        f"  {part.name} {part.version}: {part.licence or 'see its source'}{f', by {part.authors}' if part.authors else ''}"
        for part in component.parts
    )
    return ["\n".join(["Compiled into it:", *rows])]

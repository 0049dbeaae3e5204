"""A person's picture: their initials on a quiet colour of their own, as SVG."""

from markupsafe import escape

from backend.practice.deterministic_random import between, roll
from backend.practice.people import PracticePerson

# Background, shape and letter colours that go together on a light and on a dark page.
TINTS = (
    ("#dfe7dc", "#c6d4c1", "#2f4a38"),
    ("#e9e0d2", "#d8c8b0", "#5a4427"),
    ("#dbe4ea", "#bfd0db", "#27465a"),
    ("#ece0e0", "#dcc5c6", "#6a3238"),
    ("#e3dfeb", "#cfc7de", "#463a6b"),
    ("#e8e6d0", "#d5d1a8", "#4d4a1e"),
    ("#d9e8e6", "#bad5d1", "#1f504b"),
)


def avatar(person: PracticePerson) -> str:
    ground, shape, letters = TINTS[roll("tint", person.slug) % len(TINTS)]
    x = between(8, 88, "x", person.slug)
    y = between(60, 100, "y", person.slug)
    radius = between(30, 54, "radius", person.slug)
    style = 'font-family="ui-sans-serif, system-ui, sans-serif" font-size="34" font-weight="600" letter-spacing="1"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96">'
        f'<rect width="96" height="96" fill="{ground}"/><circle cx="{x}" cy="{y}" r="{radius}" fill="{shape}"/>'
        f'<text x="48" y="49" text-anchor="middle" dominant-baseline="central" {style} fill="{letters}">'
        f"{escape(person.initials)}</text>"
        "</svg>"
    )

"""Whose work is inside the packaged app, and under which terms: what every one of those licences asks to be told."""

import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from contents import PAGE, ROOT
from packaging.requirements import Requirement

PAGE_LIBRARIES = ROOT / "frontend" / "node_modules"
STYLES_AND_FONTS = ("@fontsource-variable/ibm-plex-sans", "tailwindcss")
"""What the page's style sheet takes from; the build lists the libraries of its scripts by itself."""

RULE = "\n" + "=" * 100 + "\n"


def distributions(root: str = "outrider") -> list[Distribution]:
    """The distributions that `root` needs on this system, by name, without itself."""
    found: dict[str, Distribution] = {}
    waiting = [root]
    while waiting:
        try:
            one = distribution(waiting.pop())
        except PackageNotFoundError:
            continue  # asked for on other systems or by an extra only
        if one.name.lower() not in found:
            found[one.name.lower()] = one
            needed = [Requirement(line) for line in one.requires or []]
            waiting += [need.name for need in needed if need.marker is None or need.marker.evaluate({"extra": ""})]
    found.pop(root)
    return [found[name] for name in sorted(found)]


def licence_texts(one: Distribution) -> Iterator[str]:
    """The licence files that a distribution brings along."""
    for file in one.files or []:
        name = file.name.upper()
        if ".dist-info" in str(file) and name.startswith(("LICEN", "COPYING", "NOTICE", "AUTHORS")):
            yield Path(str(one.locate_file(file))).read_text(encoding="utf-8", errors="replace").strip()


def notices() -> str:
    """One text: ourselves, Python, then every library with its terms."""
    ours = (ROOT / "LICENSE").read_text(encoding="utf-8")
    parts = [
        f"Outrider\n\n{ours}",
        f"Python {sys.version.split()[0]}\nPython Software Foundation License\n\n{_pythons_licence()}",
    ]
    for one in distributions():
        about = one.metadata.json
        terms = str(about.get("license_expression") or about.get("license") or "see the text below")
        texts = "\n\n".join(licence_texts(one))
        parts.append(f"{one.name} {one.version}\n{terms.splitlines()[0]}\n\n{texts}".rstrip())
    parts.append("The page's libraries\n\n" + (PAGE / ".vite" / "license.md").read_text(encoding="utf-8").strip())
    licences = {name: (PAGE_LIBRARIES / name / "LICENSE").read_text(encoding="utf-8") for name in STYLES_AND_FONTS}
    parts.extend(f"{name}\n\n{text.strip()}" for name, text in licences.items())
    return RULE.join(parts) + "\n"


def _pythons_licence() -> str:
    folder = Path(sysconfig.get_path("stdlib"))
    for file in (folder / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"):
        if file.exists():
            return file.read_text(encoding="utf-8").strip()
    return "https://docs.python.org/3/license.html"

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
    by_name: dict[str, Distribution] = {}
    waiting = [root]
    while waiting:
        try:
            package = distribution(waiting.pop())
        except PackageNotFoundError:
            continue  # asked for on other systems or by an extra only
        if package.name.lower() not in by_name:
            by_name[package.name.lower()] = package
            needed = [Requirement(line) for line in package.requires or []]
            waiting += [
                requirement.name
                for requirement in needed
                if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ]
    by_name.pop(root)
    return [by_name[name] for name in sorted(by_name)]


def licence_texts(package: Distribution) -> Iterator[str]:
    """The licence files that a distribution brings along."""
    for file in package.files or []:
        name = file.name.upper()
        if ".dist-info" in str(file) and name.startswith(("LICEN", "COPYING", "NOTICE", "AUTHORS")):
            yield Path(str(package.locate_file(file))).read_text(encoding="utf-8", errors="replace").strip()


def notices() -> str:
    """One text: ourselves, Python, then every library with its terms."""
    own_licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    parts = [
        f"Outrider\n\n{own_licence}",
        f"Python {sys.version.split()[0]}\nPython Software Foundation License\n\n{_pythons_licence()}",
    ]
    for package in distributions():
        metadata = package.metadata.json
        terms = str(metadata.get("license_expression") or metadata.get("license") or "see the text below")
        texts = "\n\n".join(licence_texts(package))
        parts.append(f"{package.name} {package.version}\n{terms.splitlines()[0]}\n\n{texts}".rstrip())
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

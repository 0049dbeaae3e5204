"""The Debian package: PyInstaller's folder under /usr/lib, a command, a menu entry with its icon, and what it depends on."""

import gzip
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from contents import ROOT, project
from icons import DRAWING, png

HERE = ROOT / "packaging" / "linux"
HOME = "usr/lib/outrider"
PRIVATE = f"{HOME}/_internal"
PNG_SIZES = (48, 128, 256)
BROWSERS = "chromium | google-chrome-stable | microsoft-edge-stable | chromium-browser"
# Without these plugins no window opens; the others only make it fit a desktop better.
NEEDED_PLUGINS = ("platforms/libqxcb.so", "xcbglintegrations/")
COMPRESSION = ("-Zxz", "-z6")  # a fifth smaller than zstd at level 12, in minutes on two cores instead of seconds


def build_deb(folder: Path, notices: Path, work: Path, out: Path) -> Path:
    """Lay out `folder` and what belongs to it as a tree in `work`, and pack that; the package's file in `out`."""
    tree = work / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    lay_out(folder, notices, tree)
    version, description = project()["version"], project()["description"]
    architecture = said("dpkg", "--print-architecture")
    control = tree / "DEBIAN"
    control.mkdir()
    for script in ("postinst", "prerm"):
        place(HERE / script, control / script, 0o755)
    (control / "md5sums").write_text("".join(md5sums(tree)), encoding="utf-8")
    fields = {
        "Package": "outrider",
        "Version": version,
        "Architecture": architecture,
        "Maintainer": "The Outrider authors",
        "Installed-Size": str(sum(path.lstat().st_size for path in installed(tree)) // 1024),
        **depends(tree, work),
        "Section": "misc",
        "Priority": "optional",
        "Description": f"{description.partition(':')[0]}\n {description}",
    }
    fields["Recommends"] = ", ".join(filter(None, (BROWSERS, fields.get("Recommends"))))
    (control / "control").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()), encoding="utf-8")
    file = out / f"outrider_{version}_{architecture}.deb"
    said("dpkg-deb", "--root-owner-group", *COMPRESSION, "--build", str(tree), str(file))
    return file


def lay_out(folder: Path, notices: Path, tree: Path) -> None:
    """Everything where it will be installed."""
    shutil.copytree(folder, tree / HOME, symlinks=True)
    # Qt makes this folder where it may (as root), and what is not the package's own would stay behind.
    (tree / PRIVATE / "PySide6/Qt/resources/locales").mkdir(parents=True)
    command = tree / "usr/bin/outrider"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/outrider/outrider")
    share = tree / "usr/share"
    place(HERE / "outrider.desktop", share / "applications/outrider.desktop")
    place(HERE / "apparmor", share / "outrider/apparmor")
    icons = share / "icons/hicolor"
    place(DRAWING, icons / "scalable/apps/outrider.svg")
    for size in PNG_SIZES:
        write(png(size), icons / f"{size}x{size}/apps/outrider.png")
    document = share / "doc/outrider"
    place(notices, document / "copyright")
    write(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0), document / "NEWS.gz")
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
        elif path.is_file() and not path.is_symlink() and may_be_stripped(path) and is_program(path):
            with suppress(subprocess.CalledProcessError):  # what cannot be stripped stays as it is
                said("strip", "--strip-unneeded", str(path))


def depends(tree: Path, work: Path) -> dict[str, str]:
    """Depends and Recommends: the system's libraries that the programs in the tree name, asked of Debian's own tool."""
    needed: list[str] = []
    optional: list[str] = []
    for path in installed(tree):
        if path.is_file() and not path.is_symlink() and is_program(path):
            plugin = path.as_posix().partition("/Qt/plugins/")[2]
            (optional if plugin and not plugin.startswith(NEEDED_PLUGINS) else needed).append(str(path))
    source = work / "debian"
    source.mkdir(exist_ok=True)
    (source / "control").write_text("Source: outrider\n\nPackage: outrider\nArchitecture: any\n", encoding="utf-8")
    found = said(
        "dpkg-shlibdeps", "--ignore-missing-info", "--warnings=0", "-O", f"-S{tree}", f"-l/{PRIVATE}",
        *needed, "-dRecommends", *optional,
        cwd=work,
    )  # fmt: skip
    rows = (line.removeprefix("shlibs:").partition("=") for line in found.splitlines())
    return {name: value for name, _, value in rows}


def may_be_stripped(path: Path) -> bool:
    """Whether it may lose its debugging symbols: all but PyInstaller's own executable, whose archive would go with them."""
    return path.parent.name != Path(HOME).name


def is_program(path: Path) -> bool:
    """Whether the loader would read it: a program or a library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def installed(tree: Path) -> Iterator[Path]:
    """Every path of the tree that will be installed."""
    return (path for path in sorted(tree.rglob("*")) if "DEBIAN" not in path.relative_to(tree).parts)


def md5sums(tree: Path) -> Iterator[str]:
    """What `dpkg --verify` compares with."""
    for path in installed(tree):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
            yield f"{digest.hexdigest()}  {path.relative_to(tree).as_posix()}\n"


def place(source: Path, target: Path, mode: int = 0o644) -> None:
    write(source.read_bytes(), target, mode)


def write(content: bytes, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(mode)


def said(*command: str, cwd: Path | None = None) -> str:
    """What a program prints, in plain English; CalledProcessError when it fails."""
    environ = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, cwd=cwd, env=environ, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()  # noqa: S603

"""The Debian packages: PyInstaller's folder under /usr/lib, a command, a menu entry with its icon, and what it depends on."""

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
from icu_data import ENGINE_LEFT_OUT, slim, without
from notices import heads

HERE = ROOT / "packaging" / "linux"
HOME = "usr/lib/outrider"
PRIVATE = f"{HOME}/_internal"
PNG_SIZES = (48, 128, 256)
BROWSERS = "chromium | google-chrome-stable | microsoft-edge-stable | chromium-browser"
NODE = f"{PRIVATE}/playwright/driver/node"
NODES = "nodejs (>= 20) | outrider-node"
"""What drives the browser: the system's own Node where it is new enough (`backend/adapters/browser/node.py`)."""
NODES_DESCRIPTION = """Node.js for Outrider
 What drives Outrider's browser, for systems whose own Node.js is older than version 20."""
AR_MAGIC, AR_HEAD = b"!<arch>\n", 60
# Without these plugins no window opens; the others only make it fit a desktop better.
NEEDED_PLUGINS = ("platforms/libqxcb.so", "xcbglintegrations/")
COMPRESS = ("xz", "--stdout", "--threads=2", "--block-size=64MiB")
"""A sixth smaller than zstd at level 12. The number of threads is fixed, because the bytes depend on it."""
LEVEL = "--lzma2=preset=6,dict=32MiB"
PROCESSORS_FILTER = {"amd64": ("--x86",)}
"""Makes the addresses in programs alike, which dpkg itself does not ask for; whatever unpacks xz undoes it by the file's head."""


def build_debs(folder: Path, notices: Path, work: Path, out: Path) -> list[Path]:
    """Lay out `folder` and what belongs to it as trees in `work`, and pack those; the packages' files in `out`.

    Playwright's Node is a package of its own, for systems whose own Node is too old: others need not have a second one.
    """
    tree, nodes_tree = work / "deb", work / "deb-node"
    for old in (tree, nodes_tree):
        shutil.rmtree(old, ignore_errors=True)
    lay_out(folder, notices, tree)
    made = [pack_node(tree, nodes_tree, work, out)] if (tree / NODE).exists() else []
    version, description = project()["version"], project()["description"]
    prepare(tree, work)
    for script in ("postinst", "prerm"):
        place(HERE / script, tree / "DEBIAN" / script, 0o755)
    needed = depends(tree, work)
    fields = {
        **needed,
        "Depends": ", ".join(filter(None, (needed.get("Depends"), NODES))),
        "Recommends": ", ".join(filter(None, (BROWSERS, needed.get("Recommends")))),
        "Description": f"{description.partition(':')[0]}\n {description}",
    }
    return [pack(tree, "outrider", version, fields, out), *made]


def pack_node(tree: Path, nodes_tree: Path, work: Path, out: Path) -> Path:
    """Move Playwright's Node out of the tree into a package of its own."""
    node = nodes_tree / "usr/lib/outrider-node/node"
    node.parent.mkdir(parents=True)
    (tree / NODE).rename(node)
    licence = nodes_tree / "usr/share/doc/outrider-node/copyright"
    licence.parent.mkdir(parents=True)
    (tree / NODE).with_name("LICENSE").rename(licence)
    prepare(nodes_tree, work)
    fields = {**depends(nodes_tree, work), "Description": NODES_DESCRIPTION}
    return pack(nodes_tree, "outrider-node", project()["version"], fields, out)


def prepare(tree: Path, work: Path) -> None:
    """Slimmed and with the modes of a package's files: programs lose their debugging symbols, ICU what Qt never asks for."""
    for data in tree.rglob("libicudata.so.*"):
        if not data.is_symlink():
            slim(data, work)
    for data in tree.rglob("icudtl.dat"):
        data.write_bytes(without(data.read_bytes(), ENGINE_LEFT_OUT))
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():  # whatever the umask of whoever packs
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    for path in programs(tree):
        if may_be_stripped(path):
            with suppress(subprocess.CalledProcessError):  # what cannot be stripped stays as it is
                said("strip", "--strip-unneeded", str(path))
    control = tree / "DEBIAN"
    control.mkdir()
    control.chmod(0o755)


def pack(tree: Path, name: str, version: str, fields: dict[str, str], out: Path) -> Path:
    """Write what the package manager is told of the tree, and its file."""
    architecture = said("dpkg", "--print-architecture")
    whole = {
        "Package": name,
        "Version": version,
        "Architecture": architecture,
        "Maintainer": "The Outrider authors",
        "Installed-Size": str(sum(path.lstat().st_size for path in installed(tree)) // 1024),
        "Section": "misc",
        "Priority": "optional",
        **fields,
    }
    control = tree / "DEBIAN"
    write("".join(md5sums(tree)).encode(), control / "md5sums")
    write("".join(f"{key}: {value}\n" for key, value in whole.items()).encode(), control / "control")
    plain = tree.with_suffix(".plain")
    said("dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(plain))
    file = out / f"{name}_{version}_{architecture}.deb"
    compress(plain, file, PROCESSORS_FILTER.get(architecture, ()))
    plain.unlink()
    return file


def compress(plain: Path, file: Path, processors_filter: tuple[str, ...]) -> None:
    """Write a package again with its two archives compressed; it is an `ar` file of three members."""
    with plain.open("rb") as source, file.open("wb") as into:
        into.write(source.read(len(AR_MAGIC)))
        while head := source.read(AR_HEAD):
            name, size = head[:16].decode("ascii").strip().rstrip("/"), int(head[48:58])
            content = source.read(size)
            source.read(size % 2)
            if name.endswith(".tar"):
                command = [*COMPRESS, *processors_filter, LEVEL]
                content = subprocess.run(command, input=content, check=True, stdout=subprocess.PIPE).stdout  # noqa: S603
                name += ".xz"
            into.write(name.encode("ascii").ljust(16) + head[16:48] + str(len(content)).encode("ascii").ljust(10))
            into.write(head[58:] + content + b"\n" * (len(content) % 2))


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
    # The texts of the licences are 3 MB, which nobody has to keep on the disk in full.
    whole = notices.read_text(encoding="utf-8")
    write(heads(whole).encode(), document / "copyright")
    write(gzip.compress(whole.encode(), mtime=0), document / "NOTICES.gz")
    (tree / PRIVATE / notices.name).unlink(missing_ok=True)  # the same text
    write(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0), document / "NEWS.gz")


def depends(tree: Path, work: Path) -> dict[str, str]:
    """Depends and Recommends: the system's libraries that the programs in the tree name, asked of Debian's own tool."""
    needed: list[str] = []
    optional: list[str] = []
    for path in programs(tree):
        plugin = path.as_posix().partition("/Qt/plugins/")[2]
        (optional if plugin and not plugin.startswith(NEEDED_PLUGINS) else needed).append(str(path))
    source = work / "debian"
    source.mkdir(exist_ok=True)
    (source / "control").write_text("Source: outrider\n\nPackage: outrider\nArchitecture: any\n", encoding="utf-8")
    output = said(
        "dpkg-shlibdeps", "--ignore-missing-info", "--warnings=0", "-O", f"-S{tree}", f"-l/{PRIVATE}",
        *needed, "-dRecommends", *optional,
        cwd=work,
    )  # fmt: skip
    rows = (line.removeprefix("shlibs:").partition("=") for line in output.splitlines())
    return {name: value for name, _, value in rows}


def may_be_stripped(path: Path) -> bool:
    """Whether it may lose its debugging symbols: all but PyInstaller's own executable, whose archive would go with them."""
    return path.parent.name != Path(HOME).name


def programs(tree: Path) -> list[Path]:
    """What the loader would read: programs and libraries."""
    return [path for path in installed(tree) if path.is_file() and not path.is_symlink() and is_program(path)]


def is_program(path: Path) -> bool:
    """By its first bytes."""
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
    return subprocess.run(  # noqa: S603
        command, cwd=cwd, env=environ, check=True, encoding="utf-8", stdout=subprocess.PIPE
    ).stdout.strip()

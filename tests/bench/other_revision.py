"""Another revision of this repository, checked out in a folder of its own for as long as it is measured."""

import compileall
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

ROOT = Path(__file__).resolve().parents[2]
_BENCHMARKS, _FIGURES = Path("tests", "bench"), "figures.py"
_PAGE = Path("frontend", "dist")


@contextmanager
def checked_out(revision: str, root: Path = ROOT) -> Iterator[Path | None]:
    """The folder with that revision of the repository at `root`; None for no revision. It is gone afterwards.

    A revision is measured by its own benchmarks, which know its rows; one from before there was a table of figures, by
    those of `root` (its name then has the mark of changed files). It has the page that is built at `root`.
    """
    if not revision:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="outrider-revision-") as made:
        folder = Path(made, "checkout")
        _git(root, "worktree", "add", "--quiet", "--detach", str(folder), revision)
        try:
            if not (folder / _BENCHMARKS / _FIGURES).exists():
                shutil.rmtree(folder / _BENCHMARKS, ignore_errors=True)
                shutil.copytree(root / _BENCHMARKS, folder / _BENCHMARKS)
            if (root / _PAGE).exists():
                (folder / _PAGE).symlink_to((root / _PAGE).resolve(), target_is_directory=True)
            for package in ("backend", "bridge", "tests"):  # or its first start would compile them
                compileall.compile_dir(folder / package, quiet=1)
            yield folder
        finally:
            _git(root, "worktree", "remove", "--force", str(folder))


def revision_of(root: Path) -> str:
    """The short name of what is checked out, with a mark if files differ from it."""
    return _git(root, "describe", "--always", "--dirty=+", "--exclude=*").strip()


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise typer.BadParameter(done.stderr.strip())
    return done.stdout

"""No module needs another that needs it, not even for its types: import contracts compare folders, this compares files."""

from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

from grimp import build_graph

import backend
import bridge


def test_no_two_modules_import_each_other() -> None:
    graph = build_graph("backend", "bridge", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) == sum(len(_files_of(package)) for package in (backend, bridge))
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the modules


def _files_of(package: ModuleType) -> list[Path]:
    """The files of the package and of its subpackages: a folder without `__init__.py` is no part of it."""
    top = Path(str(package.__file__)).parent
    return [path for path in top.rglob("*.py") if all((up / "__init__.py").exists() for up in _folders(path, top))]


def _folders(path: Path, top: Path) -> list[Path]:
    return [folder for folder in path.parents if folder.is_relative_to(top)]

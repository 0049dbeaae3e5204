"""No module needs another that needs it, not even for its types: import contracts compare folders, this compares files."""

from graphlib import TopologicalSorter

from grimp import build_graph


def test_no_two_modules_import_each_other() -> None:
    graph = build_graph("backend", "bridge", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 700
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the modules

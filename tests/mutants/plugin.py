"""A pytest plugin that puts one wrong version in a module's place: `OUTRIDER_MUTANT=module=file`.

Programs that a test starts have the right version: what only they run counts as not noticed.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

MODULE, _, FILE = os.environ.get("OUTRIDER_MUTANT", "").partition("=")


class WrongVersion(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads the wrong version of the one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Only for that module; everything else is found as ever."""
        if fullname != MODULE:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or found.origin is None:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=found.origin)
        if spec is not None:
            spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """The wrong text, under the right file's name."""
        code = compile(Path(FILE).read_text("utf-8"), str(module.__file__), "exec")
        exec(code, module.__dict__)


if MODULE:
    assert MODULE not in sys.modules, f"{MODULE} was imported before its wrong version could be"
    sys.meta_path.insert(0, WrongVersion())

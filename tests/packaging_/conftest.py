"""The scripts of `packaging/`, which is no package on purpose, as modules."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import one by its file's name."""
    monkeypatch.syspath_prepend(ROOT / "packaging")
    return importlib.import_module

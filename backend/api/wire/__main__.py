"""Writes the page's types: every shape of every module of this package, the feed's messages, and what the window does."""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

from pydantic import TypeAdapter

import backend.api.wire as package
from backend.api.typescript import declarations, type_of
from backend.api.wire.base import Wire
from backend.api.wire.feed import FeedMessage
from backend.api.wire.native import Native, functions


def shapes() -> list[type[Wire]]:
    """Every shape, found in the modules of this package; raises ValueError when two bear the same name."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    found = {
        (shape.__name__, shape)
        for module in modules
        for shape in vars(module).values()
        if isinstance(shape, type) and issubclass(shape, Wire) and shape is not Wire
    }
    names = sorted(name for name, _ in found)
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two shapes are called {', '.join(sorted(twice))}")
    return [shape for _, shape in sorted(found, key=lambda one: one[0])]


def generated() -> str:
    """The TypeScript file."""
    union = " | ".join(shape.__name__ for shape in get_args(FeedMessage))
    return f"{declarations(shapes())}\n\nexport type FeedMessage = {union};\n\n{native_interface()}\n"


def native_interface() -> str:
    """What the window does for its page, as the page calls it."""
    lines = [f"/** {Native.__doc__} */", "export interface Native {"]
    for name, takes, answers, doc in functions():
        given = f"given: {takes.__name__}" if takes else ""
        answered = type_of(TypeAdapter(answers).json_schema(mode="serialization"))
        lines += [f"  /** {doc} */", f"  {name}({given}): Promise<{answered}>;"]
    return "\n".join([*lines, "}"])


def main(arguments: list[str]) -> int:
    """Write FILE, or with `--check` say whether it is fresh; 2 on wrong usage."""
    checking = arguments[:1] == ["--check"]
    names = arguments[1:] if checking else arguments
    if len(names) != 1:
        sys.stderr.write("usage: python -m backend.api.wire [--check] FILE\n")
        return 2
    file, text = Path(names[0]), generated()
    if not checking:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{file} is stale; write it again with `make wire`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A script's names are what its reader sees: the parser folds look-alikes, so all names are in ASCII."""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from backend.adapters import sandbox
from backend.domain.device.script import ScriptStatus
from tests.sandbox.conftest import Run

PLACES = (
    "x = {0}",
    "{0} = 1",
    "x.{0}",
    "x.{0} = 1",
    "x.{0} += 1",
    "{0}: int = 1",
    "f({0}=1)",
    "f(*{0})",
    "import {0}",
    "import math.{0}",
    "import math as {0}",
    "from {0} import sqrt",
    "from math import {0}",
    "from math import sqrt as {0}",
    "def {0}(): pass",
    "def f({0}): pass",
    "def f(*, {0}=1): pass",
    "def f(*{0}): pass",
    "def f(**{0}): pass",
    "def f(a: {0}): pass",
    "x = lambda {0}: 1",
    "class {0}: pass",
    "class A({0}): pass",
    "@{0}\ndef f(): pass",
    "def f():\n    global {0}",
    "def f():\n    def g():\n        nonlocal {0}\n    {0} = 1",
    "for {0} in []: pass",
    "x = [1 for {0} in []]",
    "if ({0} := 1): pass",
    "try:\n    pass\nexcept ValueError as {0}: pass",
    "with x as {0}: pass",
    "del {0}",
    "match x:\n    case {0}: pass",
    "match x:\n    case [*{0}]: pass",
    "match x:\n    case {{**{0}}}: pass",
    "match x:\n    case A({0}=1): pass",
    "async def {0}(): pass",
    "x = f'{{{0}}}'",
    "x = f'{{a:{{{0}}}}}'",
    "x = f'''\n{{a.{0}}}'''",
)
OPEN, LEN = "\uff4f\uff50\uff45\uff4e", "\uff4c\uff45\uff4e"
"""In full-width letters."""
SPELLINGS = (OPEN, "op\uff45n", "ªb", "\u017fum", "größe", "\u0435", "e\u0301", "\U0001d425\U0001d41e\U0001d427")


def names() -> Callable[[str], list[tuple[int, str]]]:
    """The guest's own function, which is no module of ours."""
    spec = spec_from_file_location("policy", Path(sandbox.__file__).with_name("guest") / "policy.py")
    assert spec is not None
    assert spec.loader is not None
    policy = module_from_spec(spec)
    spec.loader.exec_module(policy)
    names_in_other_letters: Callable[[str], list[tuple[int, str]]] = policy.names_in_other_letters
    return names_in_other_letters


@pytest.mark.parametrize("template", PLACES)
def test_a_name_in_other_letters_is_found_wherever_a_name_may_stand(template: str) -> None:
    find = names()
    for spelling in SPELLINGS:
        assert spelling in [name.removeprefix("math.") for _, name in find(template.format(spelling))]
    assert find(template.format("plain")) == []


@pytest.mark.parametrize(
    "source",
    [
        f"x = '{OPEN}'  # {OPEN}",
        "'''ä\nö'''",
        "x = f'ä{a}ö{b:é}'",
        "x = {'ü': b'a'}['ü']",
        "x = f'{\"ä\"}'",
    ],
)
def test_texts_and_comments_are_in_any_letters(source: str) -> None:
    assert names()(source) == []


def test_a_name_is_found_among_any_number_of_letters() -> None:
    many = "".join(chr(code) for code in range(0x4E00, 0xD000) if chr(code).isidentifier())
    assert [line for line, _ in names()(f"x = '{many}'\ny.{OPEN} = 1")] == [2]


@pytest.mark.parametrize("source", [f"result = {LEN}('abc')", f"result = f'{{{LEN}([])}}'"])
def test_such_a_script_is_refused_with_the_name_as_it_is_written(source: str, run: Run) -> None:
    ended = run(f"import math\n{source}")
    assert (ended.status, ended.code, ended.line) == (ScriptStatus.DENIED, "script_denied", 2)
    assert repr(LEN) in ended.message


def test_a_script_may_write_any_letters(run: Run) -> None:
    ended = run(f"# größe\nresult = str(len('{OPEN}')) + ' größe'")
    assert (ended.status, ended.result) == (ScriptStatus.OK, '"4 größe"'), ended

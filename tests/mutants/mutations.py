"""Makes the small wrong versions of a module: one changed operator, constant or left-out call at a time."""

import ast
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FunctionType

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}
FUNCTIONS = {"all": "any", "any": "all", "min": "max", "max": "min"}
SQL_WORDS = ((" AND ", " OR "), ("<=", "<"), (">=", ">"), ("='open'", "!='open'"))


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change that could be made: at which line, of which node of the tree, and which of that node's changes."""

    line: int
    node: int
    number: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong version of a module: what was changed, and its code with that change, line by line as it was."""

    was: str
    now: str
    code: CodeType

    @property
    def change(self) -> str:
        """The change without its place, by which it is known after lines have moved."""
        return f"{self.was} → {self.now}"


def mutations(source: str) -> Iterator[Mutation]:
    """Every change that makes a wrong version of this module."""
    for place, node in enumerate(ast.walk(ast.parse(source))):
        for number, _ in enumerate(_changes(node)):
            yield Mutation(getattr(node, "lineno", 1), place, number)


def mutant(source: str, file: str, mutation: Mutation) -> Mutant:
    """The wrong version of what that file holds."""
    tree = ast.parse(source)
    node = next(islice(ast.walk(tree), mutation.node, None))
    change = next(islice(_changes(node), mutation.number, None))
    was = shown(node)
    if isinstance(node, ast.Constant):  # says nothing without what it is in
        was = f"{source.splitlines()[node.lineno - 1].strip()}: {was}"
    change(node)
    ast.fix_missing_locations(tree)
    return Mutant(was, shown(node), compile(tree, file, "exec"))


def shown(node: ast.AST) -> str:
    return f"if {ast.unparse(node.test)}" if isinstance(node, ast.If) else ast.unparse(node)


def put_in_place(code: CodeType) -> bool:
    """Let every function of that file, whoever holds it, run the wrong code from now on; False if none is changed by it."""
    changed = False
    functions: dict[tuple[str, int], list[CodeType]] = {}
    for inner_code in _within(code):
        functions.setdefault((inner_code.co_qualname, inner_code.co_firstlineno), []).append(inner_code)
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == code.co_filename:
            right = function.__code__
            alike = functions.get((right.co_qualname, right.co_firstlineno), [])
            function.__code__ = (
                alike[0] if len(alike) == 1 else right
            )  # of two lambdas in a line nobody knows which is which
            changed |= function.__code__ != right
    return changed


def _within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def _changes(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    match node:
        case ast.Compare(ops=[comparison]) if type(comparison) in COMPARISONS:
            yield lambda wrong: setattr(wrong, "ops", [COMPARISONS[type(comparison)]()])
        case ast.BoolOp(op=operator):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield lambda wrong: setattr(wrong, "op", other)
        case ast.BinOp(op=arithmetic) if type(arithmetic) in ARITHMETIC:
            yield lambda wrong: setattr(wrong, "op", ARITHMETIC[type(arithmetic)]())
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            yield lambda wrong: setattr(wrong, "func", ast.Name(FUNCTIONS[name], ast.Load()))
        case ast.If(test=test) | ast.IfExp(test=test):
            yield lambda wrong: setattr(wrong, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Expr(value=ast.Call()):  # a call whose answer nobody wants is there for what it does
            yield lambda wrong: setattr(wrong, "value", ast.Constant(None))
        case ast.Constant(value=bool() as truth):
            yield lambda wrong: setattr(wrong, "value", not truth)
        case ast.Constant(value=int() as number):
            yield lambda wrong: setattr(wrong, "value", number + 1)
        case ast.Constant(value=str() as text):
            for word, other_word in SQL_WORDS:
                if text.upper().lstrip().startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")) and word in text:
                    replaced = text.replace(word, other_word, 1)
                    yield lambda wrong, replaced=replaced: setattr(wrong, "value", replaced)  # type: ignore[misc]
        case _:
            return

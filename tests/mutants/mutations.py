"""Makes the small wrong versions of a module: one changed operator, constant or left-out call at a time."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
class Mutant:
    """A wrong version: what was changed at which line, and the whole module's text with that change."""

    line: int
    was: str
    now: str
    source: str

    @property
    def change(self) -> str:
        """The change without its place, by which it is known after lines have moved."""
        return f"{self.was} → {self.now}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every wrong version of this module, in the order of its text."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node):
            wrong = copy.deepcopy(tree)
            changed = _nth(wrong, place)
            was = ast.unparse(node)
            change(changed)
            now = ast.unparse(changed)
            yield Mutant(getattr(node, "lineno", 1), was, now, ast.unparse(ast.fix_missing_locations(wrong)))


def _nth(tree: ast.AST, place: int) -> ast.AST:
    return next(node for at, node in enumerate(ast.walk(tree)) if at == place)


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

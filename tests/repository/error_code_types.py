"""A plugin for mypy: the type `ErrorCode` is one of the codes that the table of errors has a row for."""

import ast
from collections.abc import Callable
from pathlib import Path

from mypy.plugin import AnalyzeTypeContext, Plugin, ReportConfigContext
from mypy.types import LiteralType, Type, UnionType

TABLE = Path(__file__).parents[2] / "backend/domain/values/error_table.py"


def codes_of(source: str) -> list[str]:
    """The keys of `ERRORS` as they stand in the source of its module."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == "ERRORS":
            rows: ast.Dict = statement.value  # type: ignore[assignment]  # no dict: an attribute is missing below
            return [ast.literal_eval(key) for key in rows.keys if key]
    raise LookupError(TABLE)


class ErrorCodeTypes(Plugin):
    """Reads the table once for each run; another table has everything checked again."""

    _codes = tuple(codes_of(TABLE.read_text("utf-8")))

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return self._one_of_them if fullname == "backend.domain.values.error_table.ErrorCode" else None

    def _one_of_them(self, context: AnalyzeTypeContext) -> Type:
        string = context.api.named_type("builtins.str", [])
        return UnionType.make_union([LiteralType(code, string) for code in self._codes])

    def report_config_data(self, ctx: ReportConfigContext) -> tuple[str, ...]:
        return self._codes


def plugin(version: str) -> type[Plugin]:
    """What mypy asks a plugin's module for."""
    return ErrorCodeTypes

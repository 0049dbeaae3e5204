"""Which Python a script may be written in: RestrictedPython's rules, and what ordinary analysis scripts need besides.

Runs inside the sandbox. What is refused here is told with its line, before anything runs.
"""

import ast

from RestrictedPython.transformer import ALLOWED_FUNC_NAMES, RestrictingNodeTransformer, copy_locations

METHODS = ALLOWED_FUNC_NAMES | {
    "__repr__", "__str__", "__len__", "__iter__", "__next__", "__getitem__", "__hash__", "__bool__", "__call__",
    "__add__", "__radd__", "__sub__", "__mul__", "__truediv__", "__neg__", "__abs__", "__float__", "__int__",
}  # fmt: skip
"""The special methods that a script's own class may have; none that sees an attribute, a class or a traceback."""

NOT_THERE = {
    "open": "there are no files", "input": "nobody is there to type", "eval": "code is never made at run time",
    "exec": "code is never made at run time", "compile": "code is never made at run time",
    "globals": "namespaces cannot be looked at", "locals": "namespaces cannot be looked at",
    "vars": "namespaces cannot be looked at", "dir": "objects cannot be looked into", "breakpoint": "there is no debugger",
    "type": "use isinstance()", "memoryview": "raw memory cannot be reached", "bytearray": "use bytes or a list",
    "object": "a class needs no base", "super": "name the base class's method another way",
    "BaseException": "catch Exception", "SystemExit": "let the script end", "KeyboardInterrupt": "catch Exception",
    "GeneratorExit": "catch Exception", "help": "nobody reads it", "exit": "let the script end", "quit": "let the script end",
    "delattr": "attributes cannot be removed", "setattr": "write object.name = value",
}  # fmt: skip
"""Names that people try and that are not in a script's world, and why."""


def names_in_other_letters(source):
    """(line, name) of each name that is not in ASCII, as it is written; texts and comments may hold any letters.

    Python's parser reads a full-width `open` as the plain one, so the tree of a script does not show what its reader sees, and
    before Python 3.12 an f-string has no tokens. Here an ideograph, which the parser leaves alone, stands for each such letter.
    """
    letters = {letter: chr(0x4E00 + position % 20_000) for position, letter in enumerate(sorted({*source} - _ASCII))}
    if not letters:
        return []
    written = str.maketrans({ideograph: letter for letter, ideograph in letters.items()})
    source = source.translate(str.maketrans(letters))
    nodes = [node for node in ast.walk(ast.parse(source)) if not isinstance(node, ast.Constant)]
    return sorted(
        (node.lineno, name.translate(written))
        for node in nodes
        for _, value in ast.iter_fields(node)
        for name in (value if isinstance(value, list) else [value])
        if isinstance(name, str) and not name.isascii()
    )


_ASCII = {chr(code) for code in range(128)}


class ScriptPolicy(RestrictingNodeTransformer):
    """RestrictedPython's transformer, opened where data work needs it and every opening has a guard of its own."""

    def __init__(self, errors=None, warnings=None, used_names=None, modules=()):
        super().__init__(errors, warnings, used_names)
        self._modules = modules

    def check_name(self, node, name, allow_magic_methods=False):
        """As RestrictedPython, with more special methods."""
        if not (allow_magic_methods and name in METHODS and node.col_offset != 0):
            super().check_name(node, name, allow_magic_methods)

    def visit_Name(self, node):
        """`print` is a plain function here, and `__name__` a text."""
        if node.id == "__name__" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant("__main__"), node)
        if isinstance(node.ctx, ast.Load) and node.id in NOT_THERE:
            self.error(node, f"{node.id} is not available: {NOT_THERE[node.id]}.")
        if node.id == "print" and isinstance(node.ctx, ast.Load):
            return node
        self.check_name(node, node.id)
        return node

    def visit_Attribute(self, node):
        """Like any other, and `_` is none."""
        if node.attr == "_":
            self.error(node, '"_" is no attribute.')
        return super().visit_Attribute(node)

    def visit_keyword(self, node):
        """The name of an argument is a name."""
        self.check_name(node, node.arg)
        return self.node_contents_visit(node)

    def visit_Global(self, node):
        """Names of a script's own."""
        for name in node.names:
            self.check_name(node, name)
        return node

    visit_Nonlocal = visit_Global

    def visit_AugAssign(self, node):
        """`d[k] += v` and `o.a += v`: object and key are looked at once, and each through its guard."""
        target = node.target
        if isinstance(target, ast.Name):
            return super().visit_AugAssign(node)
        if isinstance(target, ast.Subscript):
            guard, key = "_inplace_item_", self.visit(target.slice)
        else:
            self.visit(ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target))
            guard, key = "_inplace_attribute_", ast.Constant(target.attr)
        operator = ast.Constant(type(node.op).__name__)
        call = ast.Call(
            ast.Name(guard, ast.Load()), [self.visit(target.value), key, operator, self.visit(node.value)], []
        )
        expression = ast.Expr(call)
        copy_locations(expression, node)
        return expression

    def visit_AnnAssign(self, node):
        """The annotation says nothing to a script that runs once."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        assignment = ast.Assign([node.target], node.value)
        copy_locations(assignment, node)
        return self.visit(assignment)

    def visit_arg(self, node):
        """Without its annotation."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node):
        """Without annotations and type parameters."""
        node.returns, node.type_params = None, []
        return super().visit_FunctionDef(node)

    def visit_ClassDef(self, node):
        """With bases alone: a keyword would reach the machinery that makes classes."""
        if node.keywords:
            self.error(node, "a class takes no keywords.")
        return super().visit_ClassDef(node)

    def visit_Import(self, node):
        """Modules of the table."""
        for name in node.names:
            self._check_module(node, name.name)
        return super().visit_Import(node)

    def visit_ImportFrom(self, node):
        """Names of a module of the table; what a `__future__` brings is here already."""
        if node.level == 0 and node.module == "__future__":
            return ast.copy_location(ast.Pass(), node)
        if node.level or node.module is None:
            self.error(node, "there are no files to import from.")
        else:
            self._check_module(node, node.module)
            for name in node.names:
                if node.module in self._modules and name.name not in self._modules[node.module] and name.name != "*":
                    self.error(node, f"{node.module}.{name.name} is not available in a script.")
        return super().visit_ImportFrom(node)

    def visit_With(self, node):
        """Nothing in a script's world is opened and closed."""
        self.error(node, "`with` is not available: there is nothing to open or close.")
        return node

    def visit_Match(self, node):
        """Patterns read attributes unguarded."""
        self.error(node, "`match` is not available: use if and elif.")
        return node

    def _check_module(self, node, name):
        if name not in self._modules:
            module_names = ", ".join(sorted(self._modules))
            self.error(node, f"the module {name} is not available in a script. There are: {module_names}.")

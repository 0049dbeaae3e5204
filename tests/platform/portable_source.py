"""What source may not say, because another system does otherwise or nothing at all: a row a rule, looked for in the syntax.

Names that a system lacks (`os.getuid`, `signal.SIGHUP`, `os.set_blocking` in Python 3.11) are mypy's to find, also in tests.
"""

import ast
import re
from asyncio import AbstractEventLoop, SelectorEventLoop
from asyncio.proactor_events import BaseProactorEventLoop
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from backend.domain.device.device_files import is_device

_PATH_NAME = re.compile(r"(?i)(.*_)?(path|folder|dir|directory|root|home)")
_SPLITTERS = {"split", "rsplit", "partition", "rpartition", "startswith", "endswith"}
_FOLDS = {"lower", "casefold", "upper"}
_ENDS = {"replace", "rename", "unlink"}
_SESSIONS = {"start_new_session", "creationflags", "preexec_fn", "process_group", "pass_fds"}
_DIRECTIVES = set("aAbBcdfGHIjmMpSuUVwWxXyYzZ%")
"""What follows `%` in a date's format on each system, as Python's documentation lists it."""
_WATCHES = {
    name
    for name in dir(SelectorEventLoop)
    if name[0] != "_" and getattr(BaseProactorEventLoop, name, None) is getattr(AbstractEventLoop, name, None)
}
"""Methods of an event loop that Windows's own loop (the proactor) does not have, as the standard library here says."""
_TEXT_FILES = {"FileHandler", "RotatingFileHandler", "TextIOWrapper"}
"""Classes that read or write text in the system's own encoding, unless one is named."""
_ROOTS = r"\0?/(bin|dev|etc|lib|opt|proc|sbin|sys|tmp|usr|var)/.*"
_STARTS = {f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output")}
_SYNCS = ("os.fsync", "os.fdatasync")
_OF_POSIX = {"curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}


class Rule(NamedTuple):
    """`finds` gives the nodes of a module that break it; `may` is where it holds not, beside the one place that keeps it."""

    name: str
    why: str
    finds: Callable[[ast.Module], Iterator[ast.AST]]
    may: tuple[str, ...] = ()
    only: tuple[str, ...] = ("backend/", "bridge/", "packaging/")


def broken_rules(source: str, path: str) -> list[str]:
    """Each with its line and what to do instead; `path` is relative to the checkout, with slashes."""
    _nodes.cache_clear()
    _nodes_of.cache_clear()
    _calls.cache_clear()
    tree = ast.parse(source)
    return [
        f"{path}:{getattr(node, 'lineno', 0)}: {rule.name}: {rule.why}"
        for rule in RULES
        if path not in rule.may and path.startswith(rule.only)
        for node in rule.finds(tree)
    ]


@cache
def _nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All of them; each rule looks through the same tree."""
    return tuple(ast.walk(tree))


@cache
def _nodes_of(tree: ast.AST, *kinds: type[ast.AST]) -> tuple[ast.AST, ...]:
    """Those of these kinds: most rules are about a few of many nodes."""
    return tuple(node for node in _nodes(tree) if isinstance(node, kinds))


@cache
def _calls(tree: ast.AST) -> tuple[tuple[ast.Call, str], ...]:
    """With what is called, as it is written."""
    return tuple((node, _as_written(node.func)) for node in _nodes(tree) if isinstance(node, ast.Call))


def _as_written(node: ast.expr) -> str:
    """As `ast.unparse`, which takes fifty times as long for a name with dots."""
    steps, inner = list[str](), node
    while isinstance(inner, ast.Attribute):
        steps.append(inner.attr)
        inner = inner.value
    return ".".join([inner.id, *reversed(steps)]) if isinstance(inner, ast.Name) else ast.unparse(node)


def _own_sessions(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.keyword) and node.arg in _SESSIONS:
            yield node.value
        if isinstance(node, ast.Constant) and node.value in _SESSIONS:
            yield node


def _bare_starts(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        if name in _STARTS and not _SESSIONS & {keyword.arg for keyword in call.keywords}:
            options = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg is None]
            if not any(option.startswith("own_group(") for option in options):
                yield call


def _syncs_of_what_is_read(tree: ast.Module) -> Iterator[ast.AST]:
    if not any(name in _SYNCS for _, name in _calls(tree)):
        return
    for node in _nodes(tree):
        if isinstance(node, ast.With) and any(_opens_for_reading(item.context_expr) for item in node.items):
            yield from (call for call, name in _calls(node) if name in _SYNCS)
        if isinstance(node, ast.FunctionDef):
            calls = _calls(node)
            if any(name == "os.open" and "O_RDONLY" in ast.unparse(call) for call, name in calls):
                yield from (call for call, name in calls if name in _SYNCS)


def _opens_for_reading(opened: ast.expr) -> bool:
    if not isinstance(opened, ast.Call):
        return False
    name = ast.unparse(opened.func)
    if name != "open" and not name.endswith(".open"):
        return False
    modes = _modes(opened, int(name in ("open", "io.open")))
    return all(isinstance(mode, ast.Constant) and not set("wax+") & set(str(mode.value)) for mode in modes)


def _moves_of_what_is_open(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.With):
            opened = {name for item in node.items for name in _opened_names(item)}
            for statement in node.body:
                for call, name in _calls(statement):
                    owner, _, method = name.rpartition(".")
                    paths = {ast.unparse(argument) for argument in call.args}
                    paths |= {owner} if owner not in ("os", "shutil") else set()
                    if method in _ENDS | {"remove", "move", "move_onto"} and paths & opened:
                        yield call


def _opened_names(item: ast.withitem) -> Iterator[str]:
    """How its path may be written: as what was opened, or as the name of the file that is there then."""
    opened = item.context_expr
    if not isinstance(opened, ast.Call):
        return
    name = ast.unparse(opened.func)
    if name in ("open", "io.open") and opened.args:
        yield ast.unparse(opened.args[0])
    elif name.endswith(".open"):
        yield name.removesuffix(".open")
    elif not name.endswith("NamedTemporaryFile"):
        return
    if item.optional_vars is not None:
        file = ast.unparse(item.optional_vars)
        yield from (f"{file}.name", f"Path({file}.name)")


def _moves(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        of_a_path = name.endswith((".rename", ".replace")) and len(call.args) == 1 and not call.keywords
        if of_a_path or name in ("os.rename", "os.replace", "shutil.move"):
            yield call


def _paths_as_text(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and _is_path(value.value) and _is_text(after, r"/.*"):
                    yield node
                if isinstance(after, ast.FormattedValue) and _is_text(value, r"(.*\b)?file:/*"):
                    yield node
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_text_of_path(node.left):
            right = node.right.values[0] if isinstance(node.right, ast.JoinedStr) else node.right
            if _is_text(right, r"/.*"):
                yield node
    for call, _ in _calls(tree):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _SPLITTERS and _is_text_of_path(call.func.value):
            yield from (call for argument in call.args if _is_text(argument, r".*/.*"))


def _is_text_of_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and any(map(_is_path, node.args))


def _is_path(node: ast.expr) -> bool:
    if _is_text_of_path(node):
        return True
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return _PATH_NAME.fullmatch(name) is not None


def _is_text(node: ast.AST, pattern: str) -> bool:
    return isinstance(node, ast.Constant) and re.fullmatch(pattern, str(node.value), re.DOTALL) is not None


def _unnamed_encodings(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        method, argument_count = name.rpartition(".")[2], len(call.args)
        if name in ("open", "io.open", "os.fdopen"):
            is_text = _is_text_mode(_modes(call, 1), unless_named=True)
        elif name in ("gzip.open", "bz2.open", "lzma.open"):
            is_text = _is_text_mode(_modes(call, 1), unless_named=False)
        elif method == "open":
            assert isinstance(call.func, ast.Attribute)
            of_lines = any(keyword.arg in ("newline", "errors") for keyword in call.keywords)
            is_text = _is_text_mode(
                _modes(call, 0), unless_named=not call.args and (of_lines or _is_path(call.func.value))
            )
        elif method in _TEXT_FILES:
            is_text = argument_count == 1
        elif method.endswith("TemporaryFile"):
            is_text = _is_text_mode(_modes(call, 0), unless_named=False)
        elif name in _STARTS:
            is_text = any(keyword.arg in ("text", "universal_newlines") for keyword in call.keywords)
        else:
            is_text = (method, argument_count) in (("read_text", 0), ("write_text", 1))
        if is_text and not any(keyword.arg == "encoding" for keyword in call.keywords):
            yield call


def _is_text_mode(modes: list[ast.expr], *, unless_named: bool) -> bool:
    """`unless_named`: what it is without a mode."""
    return any(_is_text(mode, "[rwax+t]+") for mode in modes) if modes else unless_named


def _modes(call: ast.Call, place: int) -> list[ast.expr]:
    return [*call.args[place : place + 1], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]


def _lists_of_devices(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            in_a_pattern = all(re.search(rf"(?i)\b{device}\b", node.value) for device in ("nul", "prn"))
            if in_a_pattern or node.value.lower() in ("nul", "prn", "aux", "com1", "lpt1"):
                yield node


def _dates_of_one_system(tree: ast.Module) -> Iterator[ast.AST]:
    formats: list[ast.expr] = [
        node.format_spec for node in _nodes(tree) if isinstance(node, ast.FormattedValue) and node.format_spec
    ]
    formats += [argument for call, name in _calls(tree) if name.endswith("strftime") for argument in call.args]
    yield from (written for written in formats if set(re.findall("%(.)", _written(written))) - _DIRECTIVES)


def _refused_names(tree: ast.Module) -> Iterator[ast.AST]:
    yield from (name for name in _file_names(tree) if is_refused(_written(name)))


def _file_names(tree: ast.Module) -> Iterator[ast.expr]:
    yield from (node.right for node in _nodes(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    for call, name in _calls(tree):
        if name.endswith((".with_name", ".with_stem", ".with_suffix", ".joinpath")):
            yield from call.args


def is_refused(name: str) -> bool:
    """Whether Windows takes no file of that name, with or without folders before it."""
    return any(is_device(part) or re.search(r'[<>:"|?*]|[. ]$', part) for part in name.split("/"))


def _written(text: ast.expr) -> str:
    """A text as the source has it; what is filled in is a letter, or its format if that is a date's."""
    if isinstance(text, ast.JoinedStr):
        return "".join(map(_written, text.values))
    if isinstance(text, ast.FormattedValue):
        form = _written(text.format_spec) if text.format_spec else ""
        return form if "%" in form else "x"
    return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""


def _compared_texts_of_paths(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.Compare):
            sides = [_without_case(side) for side in (node.left, *node.comparators)]
            names = [isinstance(side, ast.Attribute) and side.attr == "name" and _is_path(side.value) for side in sides]
            is_ours = any(isinstance(side, ast.Constant) or ast.unparse(side).isupper() for side in sides)
            if any(map(_is_text_of_path, sides)) or (any(names) and not is_ours) or any(map(_is_list_of_names, sides)):
                yield node


def _is_list_of_names(node: ast.expr) -> bool:
    """Of what is in a folder, as the system wrote them."""
    if isinstance(node, ast.SetComp | ast.ListComp | ast.GeneratorExp):
        folder = ast.unparse(node.generators[0].iter)
        of_a_folder = re.search(r"\b(iterdir|r?glob|scandir)\(", folder) is not None
        return of_a_folder and isinstance(node.elt, ast.Attribute) and node.elt.attr in ("name", "stem")
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "os.listdir"


def _without_case(text: ast.expr) -> ast.expr:
    """What a text is of, whose letters' case is taken away."""
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and text.func.attr in _FOLDS:
        return text.func.value
    return text


def _names_of_the_user(tree: ast.Module) -> Iterator[ast.AST]:
    """As variables that only POSIX sets."""
    asked = [call.args[0] for call, name in _calls(tree) if call.args and name.endswith(("environ.get", "getenv"))]
    asked += [
        node.slice
        for node in _nodes(tree)
        if isinstance(node, ast.Subscript)
        and "environ" in (getattr(node.value, "attr", ""), getattr(node.value, "id", ""))
    ]
    yield from (name for name in asked if _is_text(name, "HOME|USER|LOGNAME|SHELL|PWD"))


def _named(*names: str) -> Callable[[ast.Module], Iterator[ast.AST]]:
    """Whatever has one of these names, or asks for it by a text; one with a module before it is meant of that module alone."""
    last_words = {name.rpartition(".")[2] for name in names}

    def finds(tree: ast.Module) -> Iterator[ast.AST]:
        for node in _nodes_of(tree, ast.Attribute, ast.Import, ast.ImportFrom, ast.Constant):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in last_words
                and {node.attr, ast.unparse(node)} & set(names)
            ):
                yield node
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", None)
                imported = {name for alias in node.names for name in (alias.name, f"{module}.{alias.name}")}
                if {module, *imported} & set(names):
                    yield node
            if isinstance(node, ast.Constant) and node.value in names:
                yield node

    return finds


def _calls_of(*names: str, saying: str) -> Callable[[ast.Module], Iterator[ast.AST]]:
    """Every call of what has one of these names, or ends with it, in which that pattern is found."""

    def finds(tree: ast.Module) -> Iterator[ast.AST]:
        yield from (
            call for call, name in _calls(tree) if name.endswith(names) and re.search(saying, ast.unparse(call))
        )

    return finds


def _modules_of_posix(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if isinstance(node, ast.Import) and {alias.name for alias in node.names} & _OF_POSIX:
            yield node
        if isinstance(node, ast.ImportFrom) and node.module in _OF_POSIX:
            yield node


def _skips_of_windows(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        if name.endswith("skipif") and any(
            re.search(r"os\.name|'win32'|hasattr\((os|signal|socket)\b", ast.unparse(argument))
            for argument in call.args
        ):
            yield call
        if name.endswith("importorskip") and any(_is_text(argument, "|".join(_OF_POSIX)) for argument in call.args):
            yield call


def _places_of_posix(tree: ast.Module) -> Iterator[ast.AST]:
    yield from (node for node in _nodes(tree) if isinstance(node, ast.Constant) and _is_text(node, _ROOTS))


def _folders_between_colons(tree: ast.Module) -> Iterator[ast.AST]:
    """Where a variable that lists folders is set or taken apart."""
    for node in _nodes(tree):
        settings: list[tuple[ast.expr | None, ast.expr]] = []
        if isinstance(node, ast.Dict):
            settings = list(zip(node.keys, node.values, strict=True))
        if isinstance(node, ast.Assign):
            settings = [(target.slice, node.value) for target in node.targets if isinstance(target, ast.Subscript)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SPLITTERS:
            words = [part for part in ast.walk(node.func.value) if isinstance(part, ast.Constant)]
            settings = [(name, argument) for name in words for argument in node.args]
        for name, value in settings:
            if name and _is_text(name, "[A-Z_]*PATH"):
                yield from [part for part in ast.walk(value) if _is_text(part, ":")][:1]


def _files_as_text_on_windows(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.FunctionDef):
            calls = _calls(node)
            if any(name in ("os.read", "os.write", "os.pread", "os.pwrite") for _, name in calls):
                opened = [call for call, name in calls if name == "os.open"]
                # What is no file has no lines, and a function that begins by asking for the system is not run on Windows.
                yield from (
                    call for call in opened if not re.search(r"O_BINARY|O_DIRECTORY|os\.devnull", ast.unparse(call))
                )


def _line_ends_of_one_system(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        modes = _modes(call, int(name in ("open", "io.open", "os.fdopen"))) if name.endswith("open") else []
        is_written = name.endswith(".write_text") or any(_is_text(mode, "[wxat+]*[wxa][wxat+]*") for mode in modes)
        if is_written and not any(keyword.arg == "newline" for keyword in call.keywords):
            yield call


def _names_by_case(tree: ast.Module) -> Iterator[ast.AST]:
    """Names of files that are put together of what is random or encoded with letters of both cases."""
    for name in _file_names(tree):
        yield from (
            call for call, called in _calls(name) if called.endswith(("token_urlsafe", "b64encode", "85encode"))
        )


def _files_of_addresses(tree: ast.Module) -> Iterator[ast.AST]:
    for call, name in _calls(tree):
        if name in ("Path", "pathlib.Path", "open", "io.open"):
            written = " ".join(map(ast.unparse, call.args))
            if re.search(r"\burl(split|parse)\(.*\)\.path\b", written) and "url2pathname(" not in written:
                yield call
        if name.endswith((".removeprefix", ".lstrip")) and any(_is_text(argument, "file:/*") for argument in call.args):
            yield call


def _programs_of_an_environment(tree: ast.Module) -> Iterator[ast.AST]:
    yield from (name for name in _file_names(tree) if _is_text(name, "bin(/.*)?"))


def _bare_environments(tree: ast.Module) -> Iterator[ast.AST]:
    """Those that take nothing over: what comes in by `**` may have what the system needs."""
    for call, name in _calls(tree):
        environments = [keyword.value for keyword in call.keywords if keyword.arg == "env"] if name in _STARTS else []
        for environment in environments:
            if isinstance(environment, ast.Dict) and None not in environment.keys:
                yield environment


def _text_of_stdin(tree: ast.Module) -> Iterator[ast.AST]:
    """Unless it is only asked what it is."""
    asked = {
        id(node.value)
        for node in _nodes(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("buffer", "close", "fileno", "isatty", "reconfigure")
    }
    yield from (node for node in _named("sys.stdin")(tree) if id(node) not in asked)


def _rights_by_bits(tree: ast.Module) -> Iterator[ast.AST]:
    """Also where they are read, unless the function asks which system it is."""
    yield from _named("chmod", "fchmod")(tree)
    if not any(map(_reads_rights, _nodes_of(tree, ast.BinOp, ast.Attribute))):
        return
    for function in _nodes(tree):
        if isinstance(function, ast.FunctionDef):
            reads = [node for node in ast.walk(function) if _reads_rights(node)]
            if reads and not re.search(r"sys\.platform|os\.name", ast.unparse(function)):
                yield from reads


def _ends_by_signal(tree: ast.Module) -> Iterator[ast.AST]:
    for node in _nodes(tree):
        if isinstance(node, ast.Compare) and re.search(r"[<>] 0\b|-(\d|signal\.|SIG)", ast.unparse(node)):
            sides = map(ast.unparse, (node.left, *node.comparators))
            if any(re.search(r"(returncode|\.(wait|poll)\(.*\))$", side) for side in sides):
                yield node


def _reads_rights(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return re.search(r"\b(st_)?mode\b|\bS_I[RWXM]", ast.unparse(node)) is not None
    return isinstance(node, ast.Attribute) and node.attr in ("st_uid", "st_gid")


RULES = (
    Rule(
        "os.kill(pid, 0)",
        "ends the process on Windows, or is a Ctrl-C there; `child_processes.is_running` looks at it",
        _calls_of("os.kill", "os.killpg", saying=r", 0\)$"),
        ("backend/adapters/child_processes.py",),
    ),
    Rule(
        "a session of its own",
        "Windows ignores it; `child_processes.own_group` has each system's options",
        _own_sessions,
        ("backend/adapters/child_processes.py",),
    ),
    Rule(
        "a program with a console of its own",
        "Windows opens one beside the window, and closing it ends the program; `**own_group()` prevents that",
        _bare_starts,
        # On Linux and macOS only; and what a terminal starts in its own console.
        (
            "backend/adapters/display.py",
            "backend/adapters/browser/chromium.py",
            "backend/terminal/run_program.py",
            "backend/terminal/review.py",
        ),
        ("backend/", "bridge/"),
    ),
    Rule(
        "fsync of what is open for reading",
        "Windows refuses it; `durable_files.sync_file` opens it for writing",
        _syncs_of_what_is_read,
        ("backend/machine/durable_files.py",),
    ),
    Rule(
        "UTF-16 with a mark",
        "other programs show the mark; name the order of the bytes",
        _calls_of(".encode", "bytes", saying=r"(?i)'u(tf)?[-_]?(16|32)'"),
    ),
    Rule(
        "RLIMIT_AS",
        "macOS refuses it; `process_limits.set_limits` goes on there",
        _named("RLIMIT_AS"),
    ),
    Rule(
        "a clock of its own",
        "some stand still while the machine sleeps, some do not; ask the clock's `real_time`",
        _named("time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns"),
        # How long a wait, a reader or a piece of work took: nothing is decided by that.
        (
            "backend/runtime/run/deadline_proposer.py",
            "backend/runtime/feed/feed.py",
            "backend/runtime/jobs/importer.py",
            "backend/runtime/copies/time_travel.py",
        ),
        ("backend/commands/", "backend/domain/", "backend/runtime/", "backend/turn/"),
    ),
    Rule(
        "links followed by pathlib",
        "some versions raise RuntimeError for links in a circle; `real_path` follows them",
        _calls_of(".resolve", saying=r"\.resolve\((strict=\w+)?\)$"),
        only=("backend/", "bridge/"),
    ),
    Rule(
        "moving what is open",
        "Windows refuses to move, replace and delete it; close it first",
        _moves_of_what_is_open,
    ),
    Rule(
        "a move of its own",
        "on Windows it fails where a scanner reads either for a moment, or the name is taken; `durable_files.move_onto` does not",
        _moves,
        ("packaging/debian.py", "backend/machine/durable_files.py"),  # the first runs on Debian alone
    ),
    Rule(
        "a path put together as text",
        "Windows writes it with backslashes; join `Path`s",
        _paths_as_text,
        ("packaging/debian.py",),
    ),
    Rule(
        "text without a named encoding",
        "Windows has one of its own, in which few names can be written",
        _unnamed_encodings,
    ),
    Rule(
        "a list of devices of its own",
        "`device_files.is_device` knows all their spellings",
        _lists_of_devices,
        ("backend/domain/device/device_files.py",),
    ),
    Rule(
        "a date in one system's format",
        "Windows raises for `%-d` and the like; format the number itself",
        _dates_of_one_system,
    ),
    Rule(
        "a file's name that Windows refuses",
        "it takes no `:` and `?` and no point or blank at the end",
        _refused_names,
    ),
    Rule(
        "paths compared as text",
        "Windows and macOS know a file by other letters, too; compare what `resolve` gives, or `samefile`",
        _compared_texts_of_paths,
    ),
    Rule(
        "a file's name in which letters' case counts",
        "Windows and macOS take two that differ in nothing else for one; `token_hex` and digests have one case",
        _names_by_case,
    ),
    Rule(
        "an address's path as a file's",
        "on Windows it begins `/C:`; `url2pathname` makes a path of it",
        _files_of_addresses,
    ),
    Rule(
        "a virtual environment's programs",
        "on Windows they are in `Scripts`",
        _programs_of_an_environment,
    ),
    Rule(
        "an environment without the system's own",
        "Windows starts few programs without SYSTEMROOT; `processes.bare_environment` has what there must be",
        _bare_environments,
    ),
    Rule(
        "input as text",
        "what is piped comes in Windows's own encoding; decode `sys.stdin.buffer`",
        _text_of_stdin,
        ("backend/terminal/proofs.py", "backend/terminal/review.py"),  # a line that somebody types at a terminal
    ),
    Rule(
        "an end by a signal",
        "on Windows there is none: what was killed has a status like any other; remember that it was ended",
        _ends_by_signal,
    ),
    Rule(
        "a file's time that means another",
        "on Windows it is when the file was made, elsewhere when its name or its rights changed",
        _named("st_ctime", "st_ctime_ns"),
    ),
    Rule(
        "memory in one system's unit",
        "macOS counts it in bytes, Linux in kB",
        _named("ru_maxrss"),
    ),
    Rule(
        "a path by the rules of POSIX",
        "Windows's user types backslashes; a `Path` knows them",
        _named("PurePosixPath", "posixpath"),
        # Names inside archives, workbooks and wheels, and of a file that any system may have sent.
        (
            "backend/adapters/leadfiles/archive.py",
            "backend/adapters/leadfiles/workbook.py",
            "backend/api/server/file_tickets.py",
            "packaging/inventory.py",
        ),
    ),
    Rule("a variable that only POSIX sets", "there is none on Windows; `Path.home()` knows", _names_of_the_user),
    Rule(
        "a link",
        "Windows needs a right for it that users do not have; write a copy, or the place into a file",
        _named("symlink_to", "hardlink_to", "os.symlink", "os.link"),
        ("packaging/debian.py", "packaging/package.py"),  # on Debian and macOS alone
    ),
    Rule(
        "a temporary file opened by its name",
        "Windows refuses that while it is open; make a folder, or keep the file (`delete=False`) and close it",
        _calls_of("NamedTemporaryFile", saying=r"^(?!.*\bdelete(_on_close)?=)"),
    ),
    Rule(
        "waiting for pipes",
        "Windows waits for sockets alone; ask a process by `LineProcess`, or read in a thread",
        _named("select.select", *_WATCHES),
        ("backend/adapters/files/command_program.py",),
    ),
    Rule(
        "a copy of this process",
        "Windows cannot make one, macOS's break, and a packaged program starts itself again; `processes.command` starts ours",
        _named("multiprocessing", "ProcessPoolExecutor"),
        ("backend/agents/stepper.py",),  # which refuses it to agents
    ),
    Rule(
        "a module that only POSIX has",
        "Windows cannot even import what imports it; do so in the function that needs it",
        _modules_of_posix,
        only=("backend/", "bridge/", "packaging/", "tests/"),
    ),
    Rule(
        "a place that only POSIX has",
        "there is none on Windows, and few of them on macOS; ask for the file, the program or the folder by what gives it",
        _places_of_posix,
        (
            "backend/adapters/browser/chromium.py",
            "backend/adapters/browser/node.py",
            "backend/adapters/child_processes.py",
            "backend/adapters/clocks.py",
            "backend/adapters/display.py",
            "backend/adapters/files/command_program.py",
            "backend/adapters/machine_identity.py",
            "backend/machine/confinement.py",
            "backend/machine/network_drive.py",
            "packaging/bundle.py",
            "packaging/contents.py",
            "packaging/setup.py",
        ),
    ),
    Rule(
        "folders between colons",
        "Windows has semicolons, and a colon behind each drive; `os.pathsep` is the system's own",
        _folders_between_colons,
    ),
    Rule(
        "a Ctrl-C for another process",
        "Windows ends the process at once, or raises; `child_processes` stops one on each system",
        _calls_of(".send_signal", "os.kill", "os.killpg", saying="SIGINT"),
    ),
    Rule(
        "a file read or written as text by Windows",
        "without `O_BINARY` it changes line ends and stops at a Ctrl-Z",
        _files_as_text_on_windows,
    ),
    Rule(
        "line ends of one system",
        "Windows writes others, and the file's digest is another; `newline` names them",
        _line_ends_of_one_system,
        ("packaging/debian.py",),  # runs on Debian alone
    ),
    Rule(
        "words by the rules of POSIX's shell",
        "Windows has other quotes, and a backslash there is part of a path; give a list of arguments",
        _named("shlex"),
        # What is shown to people; the user's editor, where that shell is.
        ("backend/domain/turn/commitments.py", "backend/terminal/review.py", "backend/terminal/update.py"),
    ),
    Rule(
        "rights by mode bits",
        "Windows has none: there they are neither set nor to be read; `private_folder` has each system's way",
        _rights_by_bits,
        ("backend/adapters/files/mcp_hosts.py", "backend/machine/private_folder.py", "packaging/debian.py"),
    ),
    Rule(
        "an address that two may share",
        "on Windows another program could listen at it, too; `SO_EXCLUSIVEADDRUSE` is the one there",
        _named("SO_REUSEADDR", "SO_REUSEPORT"),
        ("backend/practice/server.py",),
    ),
    Rule(
        "a skip of Windows",
        "mark the test `posix`: what is left out there is counted",
        _skips_of_windows,
        only=("tests/",),
    ),
)

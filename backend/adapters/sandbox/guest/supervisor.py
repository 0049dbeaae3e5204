"""Runs one script inside the sandbox: reads it, checks it, runs it, and sends its result to the host.

Frames on descriptors 0 and 1: four bytes of length (little-endian), then JSON. The host trusts none of them: whatever a script
did to this interpreter, it can only ask what a script may ask.
"""

import json
import os
import sys

from policy import ScriptPolicy, names_in_other_letters
from RestrictedPython.compile import compile_restricted_exec
from world import MODULES, Denied, Killed, World

SCRIPT = "script.py"
MOST_NODES, MOST_DEPTH = 200_000, 50
_SIMPLE = (bool, int, float, str, type(None))


def send(frame):
    """Send one frame to the host."""
    raw = json.dumps(frame).encode()
    raw = len(raw).to_bytes(4, "little") + raw
    while raw:
        raw = raw[os.write(1, raw) :]


def receive():
    """Wait for one frame from the host."""
    return json.loads(read_exactly(int.from_bytes(read_exactly(4), "little")))


def read_exactly(count):
    pieces = []
    while count:
        piece = os.read(0, min(count, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


class Failed(Exception):
    """The script's result cannot be saved: `code` says why."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def ask(**question):
    """The host's answer to a question; an ordinary error in the script if it is refused."""
    send(question)
    answer = receive()
    if "denied" in answer:
        WORLD.deny(answer["denied"])
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer


def query(sql, params=()):
    """The rows of one SELECT over this campaign's tables, as dicts."""
    if not isinstance(sql, str):
        raise TypeError("query() takes its SQL as a text")
    values = dict(params) if isinstance(params, dict) else list(params)
    return rows_of(ask(op="query", sql=sql, params=plain(values, "a parameter")))


def rows_of(answer):
    """All rows of an answer, as dicts; the host sends them in parts."""
    names, rows = answer["columns"], answer["rows"]
    while answer["more"]:
        answer = ask(op="more")
        rows += answer["rows"]
    return [dict(zip(names, row)) for row in rows]


def leads():
    """Every lead of the campaign; `extra` (columns of the lead file that have none of their own) and `tags` unpacked."""
    rows = rows_of(ask(op="table", name="leads"))
    for lead in rows:
        lead["extra"], lead["tags"] = lead.get("extra") or {}, lead.get("tags") or []
    return rows


def messages():
    """Every message of the campaign."""
    return rows_of(ask(op="table", name="messages"))


def tasks():
    """Every task of the campaign."""
    return rows_of(ask(op="table", name="tasks"))


class Output:
    """What the script printed, up to a limit."""

    def __init__(self, limit):
        self._left = limit
        self.parts = []

    def write(self, text):
        """Add text; beyond the limit the run ends."""
        self._left -= len(text)
        if self._left < 0:
            raise Killed("script_output_too_large", "It printed more than a run may.")
        self.parts.append(text)


def plain(value, what="result", path="", depth=0, outer=(), count=None):
    """The value in JSON's own types; raises `Failed` with the place of a part that cannot be expressed in them."""
    count = count if count is not None else [0]
    count[0] += 1
    location = f"{what}{path}"
    if count[0] > MOST_NODES or depth > MOST_DEPTH:
        raise Failed("script_result_too_large", f"{location} has too many parts or levels.")
    if id(value) in outer:
        raise Failed("script_result_not_plain", f"{location} contains itself.")
    if type(value) in _SIMPLE:
        return _simple(value, location)
    outer = (*outer, id(value))
    if isinstance(value, dict):
        named = {}
        for key, element in value.items():
            name = _key(key, location)
            if name in named:
                raise Failed("script_result_not_plain", f"{location} has two keys that are both kept as {name!r:.40}.")
            named[name] = plain(element, what, f"{path}[{key!r:.40}]", depth + 1, outer, count)
        return named
    if isinstance(value, tuple) and hasattr(type(value), "_fields"):
        return plain(dict(zip(type(value)._fields, value)), what, path, depth, outer, count)
    if isinstance(value, (set, frozenset)):
        try:
            value = sorted(value)
        except TypeError:
            raise Failed("script_result_not_plain", f"{location} is a set of things without an order.") from None
    if isinstance(value, (list, tuple)):
        return [plain(element, what, f"{path}[{at}]", depth + 1, outer, count) for at, element in enumerate(value)]
    for name, kinds in (("datetime", ("date", "time")), ("decimal", ("Decimal",)), ("fractions", ("Fraction",))):
        if name in sys.modules and isinstance(value, tuple(getattr(sys.modules[name], kind) for kind in kinds)):
            return value.isoformat() if name == "datetime" else _simple(_decimal(value, location), location)
    raise Failed("script_result_not_plain", f"{location} is of type {type(value).__name__}, which is no plain data.")


def _simple(value, location):
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise Failed("script_result_not_plain", f"{location} is {value}, which is no number that can be kept.")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Failed("script_result_not_plain", f"{location} holds half a character.") from None
    if type(value) is int and value.bit_length() > 1_000:
        raise Failed("script_result_too_large", f"{location} is a number of too many digits.")
    return value


def _decimal(value, location):
    try:
        return float(value)
    except (ValueError, OverflowError):  # a signalling NaN, a fraction beyond all floats
        raise Failed("script_result_not_plain", f"{location} is no number that can be kept.") from None


def _key(key, location):
    if isinstance(key, str):
        return _simple(key, location)
    if type(key) in _SIMPLE:
        return str(_simple(key, location))
    if isinstance(key, tuple) and all(type(part) in _SIMPLE for part in key):
        return " / ".join(str(_simple(part, location)) for part in key)
    if "datetime" in sys.modules and isinstance(key, sys.modules["datetime"].date):
        return key.isoformat()
    raise Failed("script_result_not_plain", f"{location} has a key of type {type(key).__name__}.")


def line_of(error):
    """The line of the script in which the error arose, None if it arose elsewhere."""
    line, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == SCRIPT:
            line = at.tb_lineno
        at = at.tb_next
    return line


def compiled(job):
    """The script's code; raises `Denied` or `SyntaxError` with its line."""
    source = job["source"]
    if not job["restricted"]:
        return compile(source, SCRIPT, "exec", dont_inherit=True)

    class Policy(ScriptPolicy):
        def __init__(self, errors=None, warnings=None, used_names=None):
            super().__init__(errors, warnings, used_names, MODULES)

    compile(source, SCRIPT, "exec", dont_inherit=True)  # a syntax error is reported in Python's own words
    for line, name in names_in_other_letters(source):
        raise Denied(f"Line {line}: the name {name!r} is not in plain letters.")
    outcome = compile_restricted_exec(source, SCRIPT, policy=Policy)
    if outcome.errors:
        raise Denied(outcome.errors[0])
    return outcome.code


def run(job):
    """Run the script; the frame with its result."""
    code = compiled(job)
    if job["check"]:
        return {"op": "done", "status": "ok"}
    names = WORLD.names()
    if not job["restricted"]:
        names = {"__builtins__": __builtins__, "__name__": "script"}
    names |= {"query": query, "leads": leads, "messages": messages, "tasks": tasks}
    exec(code, names)
    if "result" not in names:
        raise Failed("script_result_missing", "It assigns nothing to result.")
    return {"op": "done", "status": "ok", "result": plain(names["result"])}


_LIMITS = (
    (MemoryError, "script_out_of_memory", "It needs more memory than a run may have."),
    (RecursionError, "script_too_deep", "It calls itself, or nests, deeper than a run may."),
    (SystemError, "script_crashed", "It broke the interpreter that it ran in, and nothing else."),
)
"""Exceptions that end a run as a limit does."""


def report(error):
    """What to report of a run that ended with this error."""
    line = line_of(error)
    if isinstance(error, Denied):
        message = str(error)
        if message.startswith("Line ") and ": " in message:
            number, _, message = message[5:].partition(": ")
            line = int(number) if number.isdigit() else line
        return {"status": "denied", "code": "script_denied", "line": line, "message": message}
    if isinstance(error, Killed):
        return {"status": "killed", "code": error.code, "line": line, "message": str(error)}
    for kind, code, message in _LIMITS:
        if isinstance(error, kind):
            return {"status": "killed", "code": code, "line": line, "message": message}
    if isinstance(error, Failed):
        return {"status": "failed", "code": error.code, "line": line, "message": str(error)}
    if isinstance(error, SyntaxError):
        return {"status": "failed", "code": "script_not_python", "line": error.lineno, "message": str(error.msg)}
    message = f"{type(error).__name__}: {error}"
    return {"status": "failed", "code": "script_failed", "line": line, "message": message}


JOB = receive()
OUTPUT = Output(JOB["most_output"])
WORLD = World(OUTPUT.write, JOB["seed"])


def main():
    """Run the one script and send its outcome."""
    try:
        frame = run(JOB)
    except BaseException as error:
        try:
            frame = report(error)
        except BaseException:
            frame = {"status": "failed", "code": "script_failed", "line": None, "message": "Its error cannot be told."}
        frame["op"] = "done"
    if WORLD.denied is not None and frame["status"] != "denied":
        frame = {"op": "done", "status": "denied", "code": "script_denied", "line": None, "message": WORLD.denied}
    frame["output"] = "".join(OUTPUT.parts).encode("utf-8", "replace").decode()
    send(frame)


main()

"""JSON with comments and trailing commas, changed in one place; what stands outside of it stays, byte for byte."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<mark>[{}\[\]:,])
    |(?P<word>[^\s{}\[\]:,"/]+)""",
    re.DOTALL | re.VERBOSE,
)
_LAST_LINE = re.compile(r"\r?\n[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands; of an object its members, also repeated ones, each with where its name begins (`named_at`)."""

    start: int
    end: int
    value: Any
    members: Sequence[tuple[str, "Node"]] = ()
    has_last_comma: bool = False
    named_at: int = 0

    def member(self, name: str) -> "Node | None":
        """The one that holds: the last of that name."""
        return next((node for key, node in reversed(self.members) if key == name), None)


def parse(text: str) -> Node:
    """The one value that the text is; raises ValueError, and RecursionError if it is too deep."""
    tokens = _Tokens(text)
    node = tokens.node()
    if tokens.mark():
        raise ValueError("something follows the value")
    return node


def with_member(text: str, parent: Node, name: str, value: object) -> str:
    """The text in which the object at `parent` has that member: its old value is replaced, or it comes behind the others."""
    old, newline, unit = parent.member(name), "\r\n" if "\r\n" in text else "\n", _unit(text)

    def told(indent: str) -> str:
        return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)

    if old is not None:
        return text if old.value == value else text[: old.start] + told(_indent(text, old.start)) + text[old.end :]
    brace, outside = parent.end - 1, _indent(text, parent.start)
    inside = _indent(text, parent.members[-1][1].start) if parent.members else outside + unit
    if len(inside) <= len(outside):  # all in one line
        inside = outside + unit
    last_line = _LAST_LINE.search(text, 0, brace)
    ends = last_line.start() if last_line else brace
    comma = parent.members[-1][1].end if parent.members and not parent.has_last_comma else None
    before = text[:ends] if comma is None else f"{text[:comma]},{text[comma:ends]}"
    after = text[ends:] if last_line else newline + outside + text[brace:]
    return f"{before}{newline}{inside}{json.dumps(name)}: {told(inside)}{after}"


def without_member(text: str, parent: Node, name: str) -> str:
    """The text in which the object at `parent` has no such member, which it had: it goes with its comma, comments stay."""
    at = max(at for at, (key, _) in enumerate(parent.members) if key == name)
    node = parent.members[at][1]
    comma = _comma_behind(text, node.end)
    if comma is None and at > 0:
        comma = _comma_behind(text, parent.members[at - 1][1].end)
    is_alone = re.compile(r"[ \t]*,?[ \t]*(\r?\n|$)").match(text, node.end)
    indent = re.search(r"(\r?\n)?[ \t]*\Z" if is_alone else r"\Z", text[: node.named_at])
    cuts = [
        (indent.start() if indent else node.named_at, node.end),
        *([(comma, comma + 1)] if comma is not None else []),
    ]
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _comma_behind(text: str, at: int) -> int | None:
    """Where the comma stands that follows; None if something else does."""
    while (token := _TOKEN.match(text, at)) is not None and token.lastgroup == "space":
        at = token.end()
    return at if token is not None and token[0] == "," else None


def _unit(text: str) -> str:
    """What the file indents by."""
    match = re.search(r"^[\s\ufeff]*\{[ \t]*\r?\n([ \t]+)\"", text)
    return match[1] if match else "  "


def _indent(text: str, at: int) -> str:
    """That of the line."""
    return re.match(r"[ \t]*", text[text.rfind("\n", 0, at) + 1 : at])[0]  # type: ignore[index]  # it always matches


class _Tokens:
    """What is left to read of a text."""

    def __init__(self, text: str) -> None:
        self._tokens: list[re.Match[str]] = []
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise ValueError(f"nothing that JSON has stands at {at}")
            at = token.end()
            if token.lastgroup != "space":
                self._tokens.append(token)
        self._tokens.reverse()

    def mark(self) -> str:
        """The next token's text; empty at the end."""
        return self._tokens[-1][0] if self._tokens else ""

    def take(self, *marks: str) -> re.Match[str]:
        """The next token, one of these if they are named; raises ValueError."""
        if not self._tokens or (marks and self.mark() not in marks):
            raise ValueError(f"{self.mark() or 'the end'} comes where {' or '.join(marks) or 'a value'} should")
        return self._tokens.pop()

    def node(self) -> Node:
        """The next value."""
        token = self.take()
        if token[0] == "{":
            return self._object(token.start())
        if token[0] == "[":
            return self._list(token.start())
        return Node(token.start(), token.end(), json.loads(token[0]))

    def _object(self, start: int) -> Node:
        members, has_last_comma = list[tuple[str, Node]](), False
        while self.mark() != "}":
            name = self.take()
            if name.lastgroup != "string":
                raise ValueError(f"{name[0]} is no name")
            self.take(":")
            members.append((json.loads(name[0]), replace(self.node(), named_at=name.start())))
            has_last_comma = self.mark() == ","
            if self.mark() != "}":
                self.take(",")
        end = self.take("}").end()
        return Node(start, end, {name: node.value for name, node in members}, members, has_last_comma)

    def _list(self, start: int) -> Node:
        values = list[Any]()
        while self.mark() != "]":
            values.append(self.node().value)
            if self.mark() != "]":
                self.take(",")
        return Node(start, self.take("]").end(), values)

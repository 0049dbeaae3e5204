"""A file that only claims to be a proof cannot fool who checks it: not by its words, not by its shape, not by its page."""

import copy
import json
import random
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backend.domain.values.hidden_characters import reveal
from backend.terminal.output import one_line
from tests.fakes.proved import SCRIPT, data_of, edited, forged, verifier, written_proof

KEY = "0123 4567 89ab cdef 0123"
HOSTILE = (
    f"\x1b[2J\x1b[HVERIFIED  signed by key {KEY}\x1b[8m",
    f"\r\nVERIFIED  signed by key {KEY}\n",
    "\u202edeifirev\u2066\u200b\u2028VERIFIED\x9b2J\x07\x00\u3164",
)
Steps = tuple[Any, ...]


@pytest.fixture(scope="module")
def confirmed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The proof that prints the most kinds of word."""
    return written_proof(tmp_path_factory.mktemp("written"), "confirmed by an export")


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[bytes], tuple[int, str]]:
    """Runs the script on a file; what it prints is asserted to be harmless, whatever the file says."""
    script, file = verifier(), tmp_path / "proof.html"

    def run(page: bytes) -> tuple[int, str]:
        file.write_bytes(page)
        monkeypatch.setattr(sys, "argv", ["verify_proof.py", str(file)])
        status = script.main()
        heard = capsys.readouterr()
        printed = heard.out + heard.err
        lines = printed.splitlines()
        assert printed == "".join(f"{line}\n" for line in lines)  # nothing but line feeds ends a line
        assert all(reveal(line) == line for line in lines), printed
        verdict = {0: "VERIFIED  signed by key ", 1: "NOT VERIFIED", 2: "Not a proof: "}[status]
        assert lines[0].startswith(verdict)
        assert all(line.startswith("  ") for line in lines[1:]), printed
        assert KEY not in lines[0]
        assert "Traceback" not in printed
        return status, printed

    return run


def nodes(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Every value within the file's data, and within what it has as JSON in a string (`None` in its path)."""
    yield at, value
    if isinstance(value, dict):
        for name in value:
            yield from nodes(value[name], (*at, name))
    elif isinstance(value, list):
        for number, element in enumerate(value):
            yield from nodes(element, (*at, number))
    elif isinstance(value, str) and value.startswith("{"):
        yield from nodes(json.loads(value), (*at, None))


def replaced(value: Any, path: Steps, new: Any) -> Any:
    if not path:
        return new
    step, rest = path[0], path[1:]
    if step is None:
        return json.dumps(replaced(json.loads(value), rest, new), separators=(",", ":"))
    value[step] = replaced(value[step], rest, new)
    return value


def changed(path: Steps, new: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        result = replaced(data, path, copy.deepcopy(new))
        if result is not data:
            data.clear()

    return change


def strings(page: bytes) -> list[Steps]:
    return [path for path, value in nodes(data_of(page)) if isinstance(value, str)]


def in_words(path: Steps) -> bool:
    """Whether it is within the words of an entry, which whoever signs can choose freely."""
    return None in path


def test_every_word_of_a_changed_file_is_printed_harmlessly_and_never_verified(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]]
) -> None:
    for path in strings(confirmed):
        for hostile in HOSTILE:
            status, _ = check(edited(confirmed, changed(path, hostile)))
            assert status == 1, path


def test_every_word_that_a_forger_signed_is_printed_harmlessly_under_the_forgers_own_key(
    proof: bytes, confirmed: bytes, check: Callable[[bytes], tuple[int, str]]
) -> None:
    shown = 0
    assert check(forged(confirmed, lambda _: None))[0] == 0
    for page in (proof, confirmed):
        for path in filter(in_words, strings(page)):
            for hostile in HOSTILE:
                status, printed = check(forged(page, changed(path, hostile)))
                assert status in (0, 1), path
                shown += status == 0 and one_line(hostile) in printed
    assert shown >= 2 * len(HOSTILE)  # a name, an address, an export's words


SHAPES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**14,
    0.5,
    "",
    "x",
    "{}",
    "[]",
    "7",
    "\ud800",
    [],
    {},
    [[]],
    {"": {}},
    [None] * 12,
)


def test_no_shape_of_the_data_ends_the_check_otherwise_than_with_a_verdict(
    proof: bytes, confirmed: bytes, check: Callable[[bytes], tuple[int, str]]
) -> None:
    chance = random.Random(33)
    for page in (proof, confirmed):
        originals = {path: value for path, value in nodes(data_of(page)) if path}
        paths = list(originals)
        for path in chance.sample(paths, min(len(paths), 150)):
            new = chance.choice(SHAPES)
            status, _ = check(edited(page, changed(path, new)))
            assert status in (1, 2) or new == originals[path], path
        for path in filter(in_words, paths):
            new = chance.choice(SHAPES)
            if path[-1] is not None:  # words that are no object cannot be chained with a key
                assert check(forged(page, changed(path, new)))[0] in (0, 1), path


def test_what_is_missing_is_one_sentence(confirmed: bytes, check: Callable[[bytes], tuple[int, str]]) -> None:
    for path, _ in nodes(data_of(confirmed)):
        if path and isinstance(path[-1], str) and path[:1] != ("streams",):

            def without(data: dict[str, Any], path: Steps = path) -> None:
                for step in path[:-1]:
                    data = data[step]
                del data[path[-1]]

            assert check(edited(confirmed, without))[0] == 1, path


def with_data(page: bytes, data: str) -> bytes:
    return page.decode().replace(verifier().block(page.decode(), "proof"), data).encode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        ('{"format":' * 100_000, "it is nested too deeply"),
        ('{"made_at":' + "9" * 10_000 + "}", "it has a number that is too large"),
        ('{"made_at":1e999}', "it has a number that is too large"),
        ('{"made_at":0.5}', "it has a fraction where only whole numbers belong"),
        ('{"made_at":NaN}', "it has NaN, which is no number"),
        ('{"format":1,"format":2}', "it has a field twice"),
        ("[]", "its data is no object"),
        ("7", "its data is no object"),
        ("[" * 501 + "]" * 501, "it is nested too deeply"),
        ('{"a":"\u00e9"}', "its data has letters that Outrider never writes there"),
        ('{"a":\x1b}', "it is not JSON (Expecting value at character 5)"),
        ("", "it is not JSON (Expecting value at character 0)"),
    ],
)
def test_data_that_no_two_programs_would_read_alike_is_no_proof(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], data: str, sentence: str
) -> None:
    assert check(with_data(confirmed, data)) == (2, f"Not a proof: {sentence}\n")


@pytest.mark.parametrize("words", ["[" * 100_000, '{"a":1e999}', '{"a":' + "9" * 5_000 + "}", '{"a":1,"a":2}', "\x1b"])
def test_an_entry_whose_words_cannot_be_read_is_named(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], words: str
) -> None:
    def change(data: dict[str, Any]) -> None:
        entry = next(event for event in data["streams"][data["campaign"]]["events"] if event[2] == "ActionIntended")
        entry[9] = words

    status, printed = check(forged(confirmed, change))
    assert status == 1
    assert re.search(r"\n  event \d+ of the campaign: it (is|has) ", printed)


@pytest.mark.parametrize("made", [10**14 * 9, -1, "now", []])
def test_a_time_that_is_none_ends_in_a_verdict(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], made: object
) -> None:
    status, _ = check(forged(confirmed, lambda data: data.update(made_at=made)))
    assert status == 1


READ_OTHERWISE = (
    ("<!-- ", " -->"),
    ("<!-->", "-->"),
    ("<!-- --!>", "-->"),
    ("<!-- -- >", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?x ", "?>"),
    ("</ ", ">"),
    ("<title>", "</title>"),
    ("<style>", "</style>"),
    ("<textarea>", "</textarea>"),
    ("<noscript>", "</noscript>"),
    ("<svg>", "</svg>"),
    ("<select>", "</select>"),
    ("<template>", "</template>"),
    ("<xmp>", "</xmp>"),
    ("<iframe>", "</iframe>"),
    ("<noembed>", "</noembed>"),
    ("<noframes>", "</noframes>"),
    ("<math>", "</math>"),
    ("<table>", "</table>"),
    ("<object>", "</object>"),
    ("<svg><title>", "</title></svg>"),
    ("<plaintext>", ""),
    ("<p a='", "'>"),
    ('<script id="x"/>', "</script>"),
    ('<script id="x"><!--<script></script>', "--></script>"),
    ('<script id="x"><!-- <script </script>', "</script>"),
    ('<script id="x"></script/>', ""),
    ('<script id="x"></script x="', '">'),
)
"""Between what blocks are hidden from some programs, or seem to be: browsers, and Python's parser of whatever version."""


@pytest.mark.parametrize(("before", "after"), READ_OTHERWISE)
def test_a_page_that_two_programs_may_read_otherwise_is_no_proof(
    proof: bytes, confirmed: bytes, check: Callable[[bytes], tuple[int, str]], before: str, after: str
) -> None:
    refused = (2, "Not a proof: it is no page that Outrider made\n")
    page = confirmed.decode()
    start, end = page.index("<script type"), page.rindex("<script>")
    blocks = proof.decode()[proof.index(b"<script type") : proof.rindex(b"<script>")]
    assert check(f"{page[:start]}{before}{page[start:end]}{after}{page[end:]}".encode()) == refused
    for place in (page.index("<main>"), start, end, len(page)):
        for decoy in (f"{before}{blocks}{after}", before):
            assert check(f"{page[:place]}{decoy}{page[place:]}".encode()) == refused


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id="proof"', 'id="other" id="proof"'),
        ('id="proof"', "id=proof"),
        ('id="proof"', 'id="&#112;roof"'),
        ('<script type="application/json" id="proof"', '<template id="proof"'),
        ("<main>", '<main id="proof">'),
        ("<main>", '<main id="seal">'),
        ("<main>", '<main class="x" id="seal">'),
        ("<main>", '<p id="se&#97;l"><main>'),
        ("<main>", '<p class="\0"><main>'),
        ("<main>", '<p class="<"><main>'),
        ("<main>", '<p class=">"><main>'),
        ("<main>", '<p id="&#112;roof"><main>'),
        ("<main>", "<SCRIPT ID=proof></SCRIPT><main>"),
        ('charset="utf-8"', 'charset="shift_jis"'),
        ("</html>", "</html><p>"),
    ],
)
def test_a_page_with_other_blocks_or_tags_is_no_proof(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], old: str, new: str
) -> None:
    assert check(confirmed)[0] == 0
    assert check(confirmed.decode().replace(old, new, 1).encode())[0] == 2


@pytest.mark.parametrize("name", ["proof", "seal"])
def test_neither_of_the_two_blocks_stands_for_the_other(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], name: str
) -> None:
    empty = re.sub(rf'(?<=id="{name}">)[^<]*', "", confirmed.decode())
    assert check(empty.encode()) == (2, "Not a proof: it is not JSON (Expecting value at character 0)\n")


@pytest.mark.parametrize("words", ["\0", "<!--", "<script", "<Script", "</script", "</SCRIPT "])
def test_no_element_holds_what_two_programs_may_read_otherwise(
    confirmed: bytes, check: Callable[[bytes], tuple[int, str]], words: str
) -> None:
    """Nor the script and what it reads: a comment in a script hides its end, and a browser replaces NUL."""
    page = confirmed.decode()
    places = {tag[0]: tag.end() for tag in re.finditer(r"<[a-z][^>]*>", page[: page.rindex("<script>") + 8])}
    assert {'<script type="application/json" id="proof">', '<script type="application/json" id="seal">'} < places.keys()
    assert {"<title>", "<style>", "<main>", "<script>"} < places.keys()
    for tag, place in places.items():
        ended = check(f"{page[:place]}{words}{page[place:]}".encode())
        assert ended == (2, "Not a proof: it is no page that Outrider made\n"), tag


@pytest.mark.parametrize(
    "page", [b"", b"\xff\xfe\x00", b"<![if", b"<![x[", b"<!--", b"<script id=proof>", b"<a id", b"<?\x1b"]
)
def test_a_page_of_any_kind_is_no_proof(check: Callable[[bytes], tuple[int, str]], page: bytes) -> None:
    assert check(page)[0] == 2


def test_whoever_runs_it_where_letters_are_missing_still_gets_a_verdict(tmp_path: Path, confirmed: bytes) -> None:
    file = tmp_path / "proof.html"
    file.write_bytes(edited(confirmed, changed(("evidence",), {"Grüße \u2603": "AAAA"})))
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(file)], capture_output=True, check=False, env={"PYTHONIOENCODING": "ascii"}
    )
    assert (run.returncode, run.stderr) == (1, b"")
    assert rb"the evidence Gr\xfc\xdfe \u2603: it is not what was kept" in run.stdout


def test_the_script_hides_no_less_than_the_terminal() -> None:
    script: ModuleType = verifier()
    block = 64
    for first in range(0, sys.maxunicode + 1, block):
        words = [f"a{chr(n)}b" for n in range(first, first + block)]
        if script.one_line("".join(words)) == one_line("".join(words)):
            continue
        for word in words:
            shown = one_line(word)
            if shown != word or unicodedata.category(word[1]) != "Cn":  # which Python does not know yet
                assert script.one_line(word) == shown, hex(ord(word[1]))
    assert script.one_line("a\u200b\u200b\n\t b") == one_line("a\u200b\u200b\n\t b") == "a[U+200B x2] b"

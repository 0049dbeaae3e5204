"""What a script may look like, and what an answer is."""

import json

import pytest

from backend.domain.device.script import (
    MAX_LINE,
    MAX_RESULT_BYTES,
    MAX_SOURCE_BYTES,
    AnalysisResult,
    ResultShape,
    kept_result,
    read_result,
    read_source,
    script_key,
    script_sha256,
    shape_of,
    table_rows,
)
from backend.domain.erasure.erasure import ERASED
from backend.domain.values.errors import OutriderError


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "script_empty"),
        (b" \n", "script_empty"),
        (b"\xff\xfe", "script_not_text"),
        (b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1), "script_too_large"),
        (b"x" * (MAX_LINE + 1), "script_line_too_long"),
        ("x = 1  # \u202e".encode(), "script_hides"),
        ("\ufeffx = 1".encode(), "script_hides"),
        (b"x = 1\r# hidden", "script_hides"),
        (b"x = 1\0", "script_hides"),
        ("x = '\U000e0041'".encode(), "script_hides"),
    ],
)
def test_what_nobody_could_read_whole_is_refused(raw: bytes, code: str) -> None:
    with pytest.raises(OutriderError) as refused:
        read_source(raw)
    assert refused.value.code == code


def test_any_script_and_windows_line_ends_are_fine() -> None:
    assert (
        read_source("name = '東京 Łódź نص'\r\nresult = name\r\n".encode())
        == "name = '東京 Łódź نص'\r\nresult = name\r\n"
    )


def test_another_byte_is_another_script() -> None:
    assert script_sha256("result = 1") != script_sha256("result = 1\n")


@pytest.mark.parametrize(
    "value", [float("nan"), [float("inf")], "\ud800", ["x"] * 300_000, "x" * 600_000, json.loads("[" * 80 + "]" * 80)]
)
def test_an_odd_answer_is_none(value: object) -> None:
    with pytest.raises(ValueError, match=r"too|no number|surrogates"):
        read_result(value)


def test_an_answer_has_at_most_sixty_levels() -> None:
    deepest = "[" * 60 + "1" + "]" * 60
    assert read_result(json.loads(deepest)) == deepest
    with pytest.raises(ValueError, match="levels"):
        read_result(json.loads(f"[{deepest}]"))


def test_an_answer_is_shown_as_what_it_is() -> None:
    assert [shape_of(value) for value in (3, 2.5, "a", None, True)] == [
        ResultShape.NUMBER, ResultShape.NUMBER, ResultShape.TEXT, ResultShape.NOTHING, ResultShape.TEXT,
    ]  # fmt: skip
    assert shape_of({"a": 1, "b": 2.5}) is ResultShape.CHART
    assert shape_of({"a": 1, "b": "x"}) is ResultShape.TEXT
    assert shape_of([{"a": 1}, {"b": 2}]) is ResultShape.TABLE
    assert table_rows([{"a": 1}, {"a": 2, "b": 3}]) == (["a", "b"], [[1, None], [2, 3]])
    assert table_rows([{"a": 1}, [5, 6], {"2": 7}]) == (
        ["a", "1", "2"],
        [[1, None, None], [None, 5, 6], [None, None, 7]],
    )
    assert table_rows([[1, 2], [3]]) == (["1", "2"], [[1, 2], [3, None]])


@pytest.mark.parametrize(
    "value",
    [
        [{f"n{row}": 1} for row in range(30_000)],
        [[1] * 501],
        [{f"n{at}": 1 for at in range(251)}, [1] * 250],
        [{"a": 1, **{f"n{at}": 1 for at in range(499)}}, *[{}] * 2_000],
    ],
    ids=["ever other columns", "too wide", "wide together", "mostly empty"],
)
def test_rows_that_would_be_far_more_cells_than_were_answered_are_no_table(value: list[object]) -> None:
    """Window and terminal hold a cell for each column of each row."""
    assert len(read_result(value)) <= MAX_RESULT_BYTES
    assert shape_of(value) is ResultShape.TEXT
    assert shape_of([[1] * 500] * 500) is ResultShape.TABLE


def test_a_kept_answer_says_when_it_was_changed() -> None:
    answer = AnalysisResult("0" * 64, 7, 1_700_000_000_000, '{"a":1}', "hi\n", reproducible=True)
    assert kept_result(answer.text()) == answer
    for changed in (
        answer.text().replace('"a": 1', '"a": 2'),
        answer.text().replace("hi", "ho"),
        "{}",
        "nonsense",
        "[]",
        "[" * 100_000,
        answer.text().replace('"log_position": 7', '"log_position": Infinity'),
    ):
        with pytest.raises(OutriderError) as refused:
            kept_result(changed)
        assert refused.value.code == "script_result_unreadable"


def test_an_answer_that_lost_the_name_of_somebody_erased_says_so() -> None:
    answer = AnalysisResult("0" * 64, 7, 1_700_000_000_000, '["Ada Lovelace"]', "", reproducible=True)
    with pytest.raises(OutriderError) as refused:
        kept_result(answer.text().replace("Ada Lovelace", ERASED))
    assert refused.value.code == "script_result_erased"


def test_a_files_name_becomes_a_key() -> None:
    assert [script_key(name) for name in ("Reply Rate.py", "../../x.py", "東京.py", "a" * 99)] == [
        "reply-rate", "x", "script", "a" * 64,
    ]  # fmt: skip

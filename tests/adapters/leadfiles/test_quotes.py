"""A stray quotation mark costs the line it is on, never the rows below it."""

from pathlib import Path

import pytest

from .accounting import connections, read_whole


def _row(name: str, title: str = "CTO") -> str:
    return f"{name},Lee,https://www.linkedin.com/in/{name.lower()},,Acme,{title},15 Mar 2024\n"


BAD = 'Bad,"Lee,https://www.linkedin.com/in/bad,,Acme,CTO,15 Mar 2024\n'


def _names(tmp_path: Path, body: str) -> tuple[list[str], list[tuple[int, str]]]:
    accepted, rejected = read_whole(connections(tmp_path, body))
    return [row.first_name for row in accepted], [(row.line, row.code) for row in rejected]


def test_a_quote_open_to_the_end_of_the_file_loses_one_line(tmp_path: Path) -> None:
    body = _row("A") + BAD + "".join(_row(f"N{i}") for i in range(50))
    names, rejected = _names(tmp_path, body)
    assert names == ["A", *(f"N{i}" for i in range(50))]
    assert rejected == [(3, "unclosed_quote")]


def test_a_quote_open_on_the_last_line_is_reported(tmp_path: Path) -> None:
    assert _names(tmp_path, _row("A") + BAD.rstrip()) == (["A"], [(3, "unclosed_quote")])


def test_an_open_quote_does_not_end_at_the_next_quoted_cell(tmp_path: Path) -> None:
    body = BAD + _row("A") + _row("B", '"CTO, Founder"') + _row("C", '"Head\nof X"') + _row("D")
    assert _names(tmp_path, body) == (["A", "B", "C", "D"], [(2, "unclosed_quote")])


def test_several_open_quotes_cost_a_line_each(tmp_path: Path) -> None:
    body = (BAD + _row("A")) * 3 + BAD + BAD + _row("B")
    names, rejected = _names(tmp_path, body)
    assert names == ["A", "A", "A", "B"]
    assert [line for line, _ in rejected] == [2, 4, 6, 8, 9]


def test_an_open_quote_above_a_row_with_too_many_columns_frees_the_rows_between(tmp_path: Path) -> None:
    body = BAD + _row("A") + 'X,Y",,,,,,,,,,Z\n' + _row("B")
    names, rejected = _names(tmp_path, body)
    assert names == ["A", "B"]
    assert [line for line, _ in rejected] == [2, 4]


def test_an_open_quote_that_ends_in_a_short_row_frees_the_rows_between(tmp_path: Path) -> None:
    names, _ = _names(tmp_path, BAD + _row("A") + 'X,Y"\n' + _row("B"))
    assert names == ["A", "B"]


def test_a_quote_without_end_in_sight_frees_what_it_ran_over(tmp_path: Path) -> None:
    body = BAD + "".join(_row(f"N{i}") for i in range(20_000)) + _row("Z", '"CTO"')
    names, rejected = _names(tmp_path, body)
    assert len(names) == 20_001
    assert rejected == [(2, "unclosed_quote")]


def test_a_quote_in_the_wrong_place_rejects_its_line(tmp_path: Path) -> None:
    assert _names(tmp_path, 'Bad,"Lee" x,,,,,\n' + _row("A")) == (["A"], [(2, "bad_quotes")])


def test_a_quote_inside_a_plain_cell_is_text(tmp_path: Path) -> None:
    accepted, _ = read_whole(connections(tmp_path, 'Ann,Lee,,,5" Pipes,CTO\nBob,Lee\n'))
    assert [row.company for row in accepted] == ['5" Pipes', None]


def test_the_rest_of_a_torn_cell_never_becomes_a_person(tmp_path: Path) -> None:
    names, rejected = _names(tmp_path, 'Ann,Lee,,,"Acme\nfor,good"x,CTO,\n' + _row("B"))
    assert names == ["B"]
    assert rejected == [(2, "unclosed_quote"), (3, "unclosed_quote")]


def test_a_row_hidden_in_a_good_cell_stays_text(tmp_path: Path) -> None:
    names, rejected = _names(tmp_path, f'Ann,Lee,,,"Acme\n{_row("Fake").strip()}",CTO,\n')
    assert (names, rejected) == (["Ann"], [])


def test_a_file_made_of_open_quotes_takes_no_longer_than_its_length(tmp_path: Path) -> None:
    # Read naively, each of these lines opens a quote that runs over all the others.
    names, rejected = _names(tmp_path, 'x","""\n' * 30_000)
    assert names == []
    assert len(rejected) == 30_000


@pytest.mark.parametrize(
    ("line", "company"),
    [
        ('"Ann", "Lee", "https://www.linkedin.com/in/ann", "", "Fern", "CTO", "15 Mar 2024"', "Fern"),
        ('Ann,Lee, "https://www.linkedin.com/in/ann",, "Fern, Inc.",CTO,15 Mar 2024', "Fern, Inc."),
        ('Ann,Lee,https://www.linkedin.com/in/ann,,"Fern, ""the"" Inc.",CTO,15 Mar 2024', 'Fern, "the" Inc.'),
        ('Ann,Lee,https://www.linkedin.com/in/ann,, "Fern" and Sons,CTO,15 Mar 2024', '"Fern" and Sons'),
        ('Ann,Lee,https://www.linkedin.com/in/ann,, "Fern, "Inc",15 Mar 2024', '"Fern'),
    ],
)
def test_a_blank_before_a_quote_is_no_part_of_the_cell(tmp_path: Path, line: str, company: str) -> None:
    accepted, rejected = read_whole(connections(tmp_path, line + "\n"))
    assert [(row.full_name, row.profile_url, row.company) for row in accepted] == [
        ("Ann Lee", "https://www.linkedin.com/in/ann", company)
    ]
    assert not rejected


@pytest.mark.parametrize(
    ("line", "company"),
    [
        (r'"Ann","Lee","https://www.linkedin.com/in/ann","","Fern \"the\" Inc.","CTO",""', 'Fern "the" Inc.'),
        (r'"Ann","Lee","https://www.linkedin.com/in/ann","","\"Fern\", Inc.","CTO",""', '"Fern", Inc.'),
        (r'"Ann","Lee","https://www.linkedin.com/in/ann","",Fern,"CTO","\"15 Mar\""', "Fern"),
        ('"Ann" ,"Lee" ,"https://www.linkedin.com/in/ann","" ,"Fern, Inc."  ,"CTO","" ', "Fern, Inc."),
        (r'"Ann","Lee","https://www.linkedin.com/in/ann","","Fern\","CTO",""', "Fern\\"),
    ],
)
@pytest.mark.parametrize("before", ["", BAD])
def test_quotes_escaped_by_a_stroke_or_followed_by_a_blank_are_read(
    tmp_path: Path, before: str, line: str, company: str
) -> None:
    accepted, rejected = read_whole(connections(tmp_path, _row("A") + before + line + "\n" + _row("B")))
    assert [(row.full_name, row.company) for row in accepted] == [
        ("A Lee", "Acme"), ("Ann Lee", company), ("B Lee", "Acme")
    ]  # fmt: skip
    assert [row.line for row in rejected] == [3] * bool(before)


def test_a_line_below_one_that_was_read_otherwise_is_rejected_for_what_it_is(tmp_path: Path) -> None:
    line = r'"Ann","Lee","https://www.linkedin.com/in/ann","","Fern \"the\" Inc.","CTO",""'
    assert _names(tmp_path, line + "\nB,Lee,,,,,,x\n") == (["Ann"], [(3, "too_many_columns")])


@pytest.mark.parametrize("line", [r'"Ann \"A\"","Lee",,,,,,,', r'"Ann \"A\"","Lee"x,,,,,', r'"Ann \"A,Lee,,,,,'])
def test_a_line_that_fits_no_better_so_is_rejected(tmp_path: Path, line: str) -> None:
    assert _names(tmp_path, line + "\n" + _row("A")) == (["A"], [(2, "bad_quotes")])

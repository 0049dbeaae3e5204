from pathlib import Path

import pytest

from backend.adapters.leadfiles import limits, read_leads

from .accounting import connections, one, read_whole

ANN = "Ann,Lee,https://www.linkedin.com/in/ann,ann@x.example,Acme,CEO,15 Mar 2024\n"


def test_every_field_of_a_row_is_read(tmp_path: Path) -> None:
    row = one(tmp_path, ANN)
    assert (row.line, row.raw, row.extra) == (2, ANN, {})
    assert (row.full_name, row.first_name, row.last_name) == ("Ann Lee", "Ann", "Lee")
    assert row.profile_url == row.member_key == "https://www.linkedin.com/in/ann"
    assert (row.email, row.company, row.job_title, row.connected_on) == ("ann@x.example", "Acme", "CEO", "2024-03-15")


def test_rows_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        one(tmp_path, ANN).line = 3  # type: ignore[misc]


def test_identity_is_the_url_then_the_email_then_none(tmp_path: Path) -> None:
    accepted, _ = read_whole(
        connections(tmp_path, "A,B,https://de.linkedin.com/in/AB/,A@x.example\nC,D,,C.D@X.example\nE,F,,\n")
    )
    assert [row.member_key for row in accepted] == ["https://www.linkedin.com/in/ab", "c.d@x.example", None]
    assert accepted[1].email == "C.D@X.example"


def test_older_files_have_no_url_column(tmp_path: Path) -> None:
    row = one(
        tmp_path,
        "Ann,Lee,A@x.example,Acme,CEO,12 Mar 19\n",
        header="First Name,Last Name,Email Address,Company,Position,Connected On\n",
    )
    assert (row.profile_url, row.member_key, row.connected_on) == (None, "a@x.example", "2019-03-12")
    assert (row.company, row.job_title) == ("Acme", "CEO")


def test_columns_in_another_order_and_case_are_found(tmp_path: Path) -> None:
    row = one(tmp_path, "1 May 2020,Lee,Ann\n", header=" connected on,LAST NAME ,First name\n")
    assert (row.full_name, row.connected_on) == ("Ann Lee", "2020-05-01")


def test_unmapped_columns_that_hold_something_are_kept(tmp_path: Path) -> None:
    header = "First Name,Last Name,Connected On,City,,City,Empty,First Name\n"
    row = one(tmp_path, "Ann,Lee,,Oslo,x,Bergen,,Anna\n", header=header)
    assert row.first_name == "Ann"
    assert row.extra == {
        "City": "Oslo",
        "column 5": "x",
        "City (column 6)": "Bergen",
        "First Name (column 8)": "Anna",
    }


@pytest.mark.parametrize("day", ["31 Feb 2024", "00 Jan 2020", "15 Mar 0001", "1 Jan 2003", "2024-13-45"])
def test_a_date_on_which_nobody_was_connected_is_kept_as_it_stands(tmp_path: Path, day: str) -> None:
    row = one(tmp_path, f"Ann,Lee,,,,,{day}\n")
    assert (row.connected_on, row.extra) == (None, {"Connected On": day})


def test_an_address_that_was_copied_as_a_link_is_the_address(tmp_path: Path) -> None:
    assert one(tmp_path, "Ann,Lee,,mailto:ann@x.example,,,\n").email == "ann@x.example"


def test_values_that_do_not_fit_their_field_are_kept_in_extra(tmp_path: Path) -> None:
    row = one(tmp_path, "Ann,Lee,javascript:alert(1),not an e-mail,,,sometime in May\n")
    assert (row.profile_url, row.email, row.connected_on, row.member_key) == (None, None, None, None)
    assert row.extra == {
        "URL": "javascript:alert(1)",
        "Email Address": "not an e-mail",
        "Connected On": "sometime in May",
    }


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_values_that_look_like_formulas_stay_text(tmp_path: Path, sign: str) -> None:
    assert one(tmp_path, f"Ann,Lee,,,{sign}1+1,,\n").company == f"{sign}1+1"


def test_one_name_is_enough(tmp_path: Path) -> None:
    accepted, _ = read_whole(connections(tmp_path, "Ann,,,,,,\n,Lee,,,,,\n"))
    assert [row.full_name for row in accepted] == ["Ann", "Lee"]


@pytest.mark.parametrize("body", [",,,,,,15 Mar 2024\n", ' ,"\t",,,Acme,,\n', "\u202e,\x00,,,,,\n"])
def test_a_row_without_a_name_is_rejected(tmp_path: Path, body: str) -> None:
    _, (row,) = read_whole(connections(tmp_path, body))
    assert (row.line, row.raw, row.code) == (2, body, "no_name")


def test_a_row_with_too_many_columns_is_rejected(tmp_path: Path) -> None:
    accepted, (row,) = read_whole(connections(tmp_path, "a,b,c,d,e,f,g,h\n" + ANN))
    assert (row.code, row.reason) == ("too_many_columns", "The row has 8 columns, but the header has 7.")
    assert len(accepted) == 1


def test_missing_trailing_columns_are_tolerated(tmp_path: Path) -> None:
    row = one(tmp_path, "Ann,Lee\n")
    assert (row.full_name, row.company, row.connected_on) == ("Ann Lee", None, None)


def test_a_row_that_ends_within_the_name_is_rejected(tmp_path: Path) -> None:
    _, (row,) = read_whole(connections(tmp_path, "42 connections\n"))
    assert row.code == "too_few_columns"


def test_hidden_characters_are_kept_as_they_are_in_the_file(tmp_path: Path) -> None:
    body = 'A\x00nn\x07,\u202eLee\u2066,,,"Head\r\nof\tX",\ufeffCTO\u200f\u00a0,\n'
    row = one(tmp_path, body)
    assert (row.full_name, row.company, row.job_title) == (
        "Ann\x07 \u202eLee\u2066",
        "Head of X",
        "\ufeffCTO\u200f",
    )
    assert row.raw == body


def test_addresses_and_dates_that_look_the_same_are_the_same(tmp_path: Path) -> None:
    row = one(tmp_path, "Ann,Lee,https://www.linkedin.com/in/ann\u200e,a\u200bnn@example.com,,,1\u00a0May 2020\n")
    assert (row.profile_url, row.email) == ("https://www.linkedin.com/in/ann", "ann@example.com")
    assert row.connected_on == "2020-05-01"


def test_joiners_of_emoji_and_persian_survive(tmp_path: Path) -> None:
    assert one(tmp_path, "👩‍🔬,می‌خواهم,,,,,\n").full_name == "👩‍🔬 می‌خواهم"


def test_a_cell_above_the_limit_rejects_only_its_row(tmp_path: Path) -> None:
    long = "é" * (limits.MAX_CELL_BYTES // 2)
    accepted, (row,) = read_whole(connections(tmp_path, f"A,B,,,{long},,\nC,D,,,{long}x,,\nE,F\n"))
    assert [lead.first_name for lead in accepted] == ["A", "E"]
    assert (row.line, row.code, row.raw) == (3, "cell_too_long", f"C,D,,,{long}x,,\n")


@pytest.mark.parametrize("size", [200_000, 5_000_000])
def test_a_cell_above_csvs_own_limit_rejects_only_its_row(tmp_path: Path, size: int) -> None:
    accepted, (row,) = read_whole(connections(tmp_path, f'A,B,,,"{"x" * size}",,\nC,D\n'))
    assert [lead.first_name for lead in accepted] == ["C"]
    assert row.code == "cell_too_long"


def test_a_long_cell_of_many_lines_is_rejected_whole(tmp_path: Path) -> None:
    cell = "Fake,Person,https://www.linkedin.com/in/fake,,,,\n" * 4_000
    accepted, (row,) = read_whole(connections(tmp_path, f'A,B,,,"{cell}",,\nC,D\n'))
    assert [lead.first_name for lead in accepted] == ["C"]
    assert (row.code, row.line) == ("cell_too_long", 2)


def test_quoted_commas_quotes_and_line_breaks_are_one_cell(tmp_path: Path) -> None:
    accepted, _ = read_whole(connections(tmp_path, 'A,B,,,"X, ""Y""\n\nZ",CTO,\nC,D\n'))
    assert accepted[0].company == 'X, "Y" Z'
    assert [(row.line, row.first_name) for row in accepted] == [(2, "A"), (5, "C")]


def test_blank_lines_are_no_rows_but_count_as_lines(tmp_path: Path) -> None:
    accepted, rejected = read_whole(connections(tmp_path, "\n\nA,B\n\nC,D\n\n"))
    assert [row.line for row in accepted] == [4, 6]
    assert not rejected


def test_a_last_line_without_line_break_is_a_row(tmp_path: Path) -> None:
    whole = ANN.removesuffix("\n")
    assert one(tmp_path, whole).raw == whole


@pytest.mark.parametrize("beginning", ["Ann,Lee", "Ann,Lee,https://www.linkedin.com/in/an", "Ann,Lee,https://www.link"])
def test_a_row_in_whose_middle_the_file_ends_is_rejected_with_its_line(tmp_path: Path, beginning: str) -> None:
    accepted, (row,) = read_whole(connections(tmp_path, ANN + beginning))
    assert len(accepted) == 1
    assert (row.line, row.code, row.raw) == (3, "cut_off", beginning)
    assert row.reason.startswith("The file ends in the middle of this row, after ")


def test_a_quote_in_which_the_file_ends_is_rejected_with_its_line(tmp_path: Path) -> None:
    accepted, (row,) = read_whole(connections(tmp_path, ANN + '"Ann,Le'))
    assert len(accepted) == 1
    assert (row.line, row.code) == (3, "unclosed_quote")


def test_reading_is_lazy_and_can_be_repeated(tmp_path: Path) -> None:
    lead_file = read_leads(connections(tmp_path, ANN * 3))
    first = next(iter(lead_file))
    assert [first, *list(lead_file)[1:]] == list(lead_file)

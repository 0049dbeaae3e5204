"""LinkedIn's export zip, and what an attacker could put in its place."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.adapters.leadfiles import LeadRow, limits, read_leads
from backend.domain.values.errors import OutriderError

from .accounting import HEADER_LINE, assert_accounted, read_whole
from .generate import NOTES, write_connections

GOOD = (NOTES + HEADER_LINE + "Ann,Lee,https://www.linkedin.com/in/ann,,Acme,CEO,1 May 2020\n").encode()


def _zip(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def _code(path: Path) -> str:
    with pytest.raises(OutriderError) as caught:
        list(read_leads(path))
    return caught.value.code


@pytest.mark.parametrize(
    "name", ["Connections.csv", "Basic_LinkedInDataExport/a/b/connections.CSV", "Verbindungen.csv"]
)
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_connections_are_found_at_any_depth_and_under_any_name(tmp_path: Path, name: str, compression: int) -> None:
    path = _zip(tmp_path / "export.zip", {"Profile.csv": b"a,b\n1,2\n", "x/": b"", name: GOOD}, compression)
    lead_file = read_leads(path)
    assert lead_file.source.member == name
    rows = list(lead_file)
    assert_accounted(lead_file, rows)
    assert [row.full_name for row in rows if isinstance(row, LeadRow)] == ["Ann Lee"]


def test_the_name_of_the_zip_does_not_matter(tmp_path: Path) -> None:
    assert len(read_whole(_zip(tmp_path / "leads.csv", {"Connections.csv": GOOD}))[0]) == 1


def test_of_several_candidates_the_one_whose_header_matches_is_read(tmp_path: Path) -> None:
    members = {"a/Connections.csv": b"x,y\n1,2\n", "b/Connections.csv": HEADER_LINE.encode(), "c/Connections.csv": GOOD}
    assert read_leads(_zip(tmp_path / "export.zip", members)).source.member == "c/Connections.csv"


OTHER = GOOD.replace(b"Ann", b"Bob")


@pytest.mark.parametrize("names", [("a/Connections.csv", "b/Connections.csv"), ("one.csv", "two.csv")])
def test_of_several_lead_files_none_is_chosen_in_silence(tmp_path: Path, names: tuple[str, str]) -> None:
    with pytest.raises(OutriderError) as caught:
        read_leads(_zip(tmp_path / "export.zip", {names[0]: GOOD, names[1]: OTHER}))
    assert caught.value.code == "lead_file_zip_several"
    assert all(name in caught.value.sentence for name in names)


def test_the_same_lead_file_twice_is_one(tmp_path: Path) -> None:
    members = {"a/Connections.csv": GOOD, "b/Connections.csv": GOOD}
    assert len(read_whole(_zip(tmp_path / "export.zip", members))[0]) == 1


def test_a_usual_name_counts_before_any_other(tmp_path: Path) -> None:
    members = {"Old contacts.csv": OTHER, "Connections.csv": GOOD}
    assert read_leads(_zip(tmp_path / "export.zip", members)).source.member == "Connections.csv"


def test_a_macs_shadow_files_are_passed_over(tmp_path: Path) -> None:
    members = {"__MACOSX/._Connections.csv": b"\0\5\26\7" * 40, "Connections.csv": GOOD}
    assert len(read_whole(_zip(tmp_path / "export.zip", members))[0]) == 1


def test_a_zip_without_leads_names_what_was_found(tmp_path: Path) -> None:
    path = _zip(tmp_path / "export.zip", {"Profile.csv": b"a,b\n1,2\n", "Rich\u202eMedia.txt": b"x"})
    with pytest.raises(OutriderError) as caught:
        read_leads(path)
    assert caught.value.code == "lead_file_zip_without_leads"
    assert "it contains Profile.csv, Rich[U+202E]Media.txt" in caught.value.sentence
    assert _code(_zip(tmp_path / "empty.zip", {})) == "lead_file_zip_without_leads"


def test_a_zip_in_a_zip_is_to_be_unpacked_once(tmp_path: Path) -> None:
    inner = _zip(tmp_path / "inner.zip", {"Connections.csv": GOOD}).read_bytes()
    assert _code(_zip(tmp_path / "a.zip", {"Export/inner.ZIP": inner, "Read me.txt": b"x"})) == "lead_file_zip_in_zip"
    beside = _zip(tmp_path / "b.zip", {"inner.zip": inner, "Connections.csv": GOOD})
    assert read_leads(beside).source.member == "Connections.csv"


def test_what_is_wrong_with_the_connections_inside_is_said(tmp_path: Path) -> None:
    assert _code(_zip(tmp_path / "a.zip", {"Connections.csv": NOTES.encode()})) == "lead_file_only_notes"
    assert _code(_zip(tmp_path / "b.zip", {"Connections.csv": b""})) == "lead_file_empty"


def test_a_workbook_is_not_an_export(tmp_path: Path) -> None:
    path = _zip(tmp_path / "leads.xlsx", {"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    assert _code(path) == "lead_file_binary"


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert _code(path) == "lead_file_zip_encrypted"


def test_a_zip_bomb_is_refused_unopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD + b"\0" * 50_000_000})
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was opened"))
    assert _code(path) == "lead_file_zip_bomb"


def test_a_bomb_that_lies_about_its_size_yields_no_more_than_it_claims(tmp_path: Path) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD + b"a,b\n" * 10_000_000})
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (1_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    assert _code(path) == "lead_file_zip_damaged"


def test_a_member_above_the_size_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 10_000)
    assert _code(_zip(tmp_path / "export.zip", {"Connections.csv": GOOD * 200})) == "lead_file_too_large"


@pytest.mark.parametrize("name", ["../Connections.csv", "/etc/passwd", "a/../../x", "C:/x.csv", "..\\x.csv"])
def test_a_path_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    path = _zip(tmp_path / "export.zip", {name: b"x", "Connections.csv": GOOD})
    assert _code(path) == "lead_file_zip_unsafe_path"


def test_a_zip_with_too_many_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD, "a": b"", "b": b""})
    monkeypatch.setattr(limits, "MAX_ZIP_MEMBERS", 2)
    assert _code(path) == "lead_file_zip_too_many_members"
    monkeypatch.setattr(limits, "MAX_ZIP_MEMBERS", 3)
    assert len(list(read_leads(path))) == 1
    monkeypatch.setattr(limits, "MAX_ZIP_DIRECTORY_BYTES", 100)
    assert _code(path) == "lead_file_zip_too_many_members"


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD})
    data = path.read_bytes()
    path.write_bytes(data[:-30])
    assert _code(path) == "lead_file_zip_damaged"


def test_a_compression_we_do_not_know_is_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "export.zip", {"Connections.csv": GOOD}, zipfile.ZIP_LZMA)
    assert _code(path) == "lead_file_zip_damaged"


def test_a_big_export_is_streamed_from_the_zip(tmp_path: Path) -> None:
    write_connections(tmp_path / "big.csv", 5_000)
    path = _zip(tmp_path / "export.zip", {"Connections.csv": (tmp_path / "big.csv").read_bytes()})
    assert [len(rows) for rows in read_whole(path)] == [5_000, 0]


def _zip_bytes() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Profile.csv", b"a,b\n1,2\n")
        archive.writestr("Connections.csv", GOOD)
    return buffer.getvalue()


_SEED = _zip_bytes()


@given(st.lists(st.tuples(st.integers(0, len(_SEED) - 1), st.integers(0, 255)), min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=400)
@example([(_SEED.rindex(b"PK\1\2") + 46, 0)])  # a name that begins with its end
def test_a_damaged_zip_is_read_or_refused_and_nothing_else(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    data = bytearray(_SEED)
    for at, value in changes:
        data[at] = value
    path = tmp_path / "export.zip"
    path.write_bytes(data)
    try:
        list(read_leads(path))
    except OutriderError as error:
        assert error.code.startswith("lead_file_")  # noqa: PT017  both outcomes are right

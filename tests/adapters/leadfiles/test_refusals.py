"""Every file that cannot be read at all has its code, and each code a sentence and a remedy."""

import codecs
from pathlib import Path

import pytest

from backend.adapters.leadfiles import limits, read_leads
from backend.domain.values.error_table import ERRORS
from backend.domain.values.errors import OutriderError
from tests.posix import make_pipe

from .accounting import HEADER_LINE, connections
from .generate import NOTES


def _refused(path: Path | str) -> OutriderError:
    with pytest.raises(OutriderError) as caught:
        list(read_leads(path))
    return caught.value


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "lead_file_empty"),
        (b"\n \r\n", "lead_file_empty"),
        (codecs.BOM_UTF8, "lead_file_empty"),
        (codecs.BOM_UTF16_LE, "lead_file_empty"),
        (NOTES.encode(), "lead_file_only_notes"),
        (NOTES.encode() + "Prénom,Nom,URL\nAda,Lee,\n".encode(), "lead_file_unknown_format"),
        (HEADER_LINE.encode(), "lead_file_no_rows"),
        (NOTES.encode() + HEADER_LINE.encode() + b"\n\n", "lead_file_no_rows"),
        (b"a,b,c\n1,2,3\n", "lead_file_unknown_format"),
        (b"\n" * 5_000 + HEADER_LINE.encode() + b"a,b\n", "lead_file_unknown_format"),
        (b"note\n" * 10 + HEADER_LINE.encode() + b"a,b\n", "lead_file_unknown_format"),
        (b"%PDF-1.7 text", "lead_file_binary"),
        (b"\x89PNG\r\n\x1a\n", "lead_file_binary"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "lead_file_old_workbook"),
        (b"\xd0\xcf\x11\xe0" + bytes(300_000) + "EncryptedPackage".encode("utf-16-le"), "lead_file_workbook_protected"),
        (bytes(range(256)) * 4, "lead_file_binary"),
        (HEADER_LINE.encode("utf-16-be"), "lead_file_no_rows"),
        (HEADER_LINE.encode("utf-32"), "lead_file_wrong_encoding"),
        (HEADER_LINE.encode("utf-16") + b"\x00\xd8\x00\x00", "lead_file_wrong_encoding"),
        (HEADER_LINE.encode("utf-16") + b"x", "lead_file_wrong_encoding"),
        (HEADER_LINE.encode() + b"\xff\x81,x\n", "lead_file_wrong_encoding"),
        (HEADER_LINE.encode() + b"J\xc3\xbcrgen,x\nM\xfcller,x\n", "lead_file_mixed_encodings"),
        (bytes(4_096), "lead_file_unfinished"),
        (bytes(4_096) + HEADER_LINE.encode() + b"Ada,x\n", "lead_file_unfinished"),
        (HEADER_LINE.encode() + b"Ada,x\n" + bytes(4_096), "lead_file_unfinished"),
        (HEADER_LINE.encode("utf-16") + bytes(4_096), "lead_file_unfinished"),
        (codecs.BOM_UTF8 + HEADER_LINE.encode() + b"Ada,x\n" * 80_000 + bytes(64), "lead_file_unfinished"),
        (codecs.BOM_UTF8 + HEADER_LINE.encode() + b"Zo\xeb,x\n", "lead_file_wrong_encoding"),
    ],
)
def test_a_file_that_is_no_lead_file_is_refused_with_its_code(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "leads.csv"
    path.write_bytes(content)
    error = _refused(path)
    assert error.code == code
    assert "leads.csv" in error.sentence


def test_a_wrong_encoding_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "leads.csv"
    path.write_bytes(HEADER_LINE.encode() + b"a,b\n" * 5 + b"\xff\x81,x\n")
    assert _refused(path).facts["line"] == 7


def test_an_unknown_header_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "leads.csv"
    path.write_bytes(b"colour,size\nred,2\n")
    assert "colour, size" in _refused(path).sentence


def test_missing_files_and_things_that_are_no_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"x")
    assert _refused(tmp_path / "nowhere.csv").code == "lead_file_missing"
    assert _refused(tmp_path / "plain" / "x.csv").code == "lead_file_missing"
    assert _refused("nul\0byte.csv").code == "lead_file_missing"
    assert _refused(tmp_path).code == "lead_file_is_a_directory"


@pytest.mark.posix
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    make_pipe(tmp_path / "pipe")
    assert _refused(tmp_path / "pipe").code == "lead_file_not_a_file"


def test_a_file_we_may_not_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = connections(tmp_path, "a,b\n")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    error = _refused(path)
    assert error.code == "lead_file_unreadable"
    assert "Permission denied" in error.sentence


def test_a_file_that_changes_under_us_is_reported(tmp_path: Path) -> None:
    lead_file = read_leads(connections(tmp_path, "a,b\n"))
    lead_file.source.path.write_bytes(HEADER_LINE.encode() + b"a,\xff\n")
    with pytest.raises(OutriderError) as caught:
        list(lead_file)
    assert caught.value.code == "lead_file_changed"
    lead_file.source.path.unlink()
    with pytest.raises(OutriderError) as caught:
        list(lead_file)
    assert caught.value.code == "lead_file_unreadable"


def test_a_file_above_200_mb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "leads.csv"
    with path.open("wb") as file:
        file.truncate(limits.MAX_FILE_BYTES + 1)
    error = _refused(path)
    assert error.code == "lead_file_too_large"
    assert "201 MB; the limit is 200 MB" in error.sentence


def test_too_many_rows_are_refused_before_the_first_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 5)
    assert len(list(read_leads(connections(tmp_path, "a,b\r\n" * 5)))) == 5
    assert len(list(read_leads(connections(tmp_path, 'a,"b\n\n"\n' * 5)))) == 5
    with pytest.raises(OutriderError) as caught:
        read_leads(connections(tmp_path, "a,b\n" * 6))
    assert caught.value.code == "lead_file_too_many_rows"


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    header = HEADER_LINE.rstrip() + "," * (limits.MAX_COLUMNS - 7) + "\n"
    assert len(list(read_leads(connections(tmp_path, "a,b\n", header=header)))) == 1
    assert _refused(connections(tmp_path, "a,b\n", header="," + header)).code == "lead_file_too_many_columns"


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LINE_CHARS", 300_000)
    error = _refused(connections(tmp_path, "a,b\n" + "x" * 1_000_000))
    assert error.code == "lead_file_line_too_long"
    assert error.facts["line"] == 3


def test_a_mapping_that_names_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutriderError) as caught:
        read_leads(connections(tmp_path, "a,b\n"), {"company": "Company"})
    assert caught.value.code == "lead_file_no_name_column"


def test_every_lead_file_code_has_a_test_of_its_own() -> None:
    folder = Path(__file__).parent
    tests = "".join(path.read_text(encoding="utf-8") for path in folder.glob("test_*.py"))
    assert [code for code in ERRORS if code.startswith("lead_file_") and f'"{code}"' not in tests] == []

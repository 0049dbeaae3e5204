"""PDF files are read within bounds, whatever they do to the library that reads them."""

import io
import sys
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from backend.adapters.files.pdf_summary import MOST_LISTED, MOST_READ, PdfSummarizer
from backend.adapters.line_process import OwnLineProcess
from backend.app.wiring import start_pdf_reader
from backend.domain.device.agent_tools import TextSummary
from backend.domain.values.errors import OutriderError
from tests.posix import make_pipe

FONT = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}


def pdf(text: str, *, pages: int = 1, compress: bool = False) -> bytes:
    writer = PdfWriter()
    for _ in range(pages):
        page = writer.add_blank_page(300, 300)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content.flate_encode() if compress else content)
        font = DictionaryObject({NameObject(key): NameObject(value) for key, value in FONT.items()})
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def summed_up(*files: Path, summarizer: PdfSummarizer | None = None) -> list[str]:
    answer = (summarizer or PdfSummarizer(start_pdf_reader)).summarize(
        TextSummary(files=[str(file) for file in files]), lambda: False
    )
    assert isinstance(answer.value, str)
    return answer.value.splitlines()


def test_a_summary_has_pages_and_how_the_text_begins(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(pdf("Hello outreach"))
    (tmp_path / "two.pdf").write_bytes(pdf("Offer", pages=2))
    assert summed_up(tmp_path / "one.pdf", tmp_path / "two.pdf") == [
        "2 PDF files, 2 read, 0 unreadable.",
        "- one.pdf: 1 page. Hello outreach",
        "- two.pdf: 2 pages. Offer Offer",
    ]


@pytest.mark.posix
def test_a_file_that_vanished_or_is_too_large_or_a_link_is_named_with_the_reason(tmp_path: Path) -> None:
    with (tmp_path / "huge.pdf").open("wb") as huge:
        huge.truncate(8 << 30)
    make_pipe(tmp_path / "pipe.pdf")
    (tmp_path / "link.pdf").symlink_to("/etc/passwd")
    names = ("gone.pdf", "huge.pdf", "pipe.pdf", "link.pdf")
    lines = summed_up(*(tmp_path / name for name in names))
    assert lines[0] == "4 PDF files, 0 read, 4 unreadable."
    assert lines[1:4] == [
        "- gone.pdf: not read, No such file or directory",
        "- huge.pdf: not read, it is too large",
        "- pipe.pdf: not read, it is no ordinary file",
    ]


def test_a_bomb_is_bounded_in_memory(tmp_path: Path) -> None:
    (tmp_path / "bomb.pdf").write_bytes(pdf("A" * (200 << 20), compress=True))
    (tmp_path / "after.pdf").write_bytes(pdf("Still here"))
    lines = summed_up(tmp_path / "bomb.pdf", tmp_path / "after.pdf")
    assert "not read" in lines[1]
    assert lines[2] == "- after.pdf: 1 page. Still here"


def _program(tmp_path: Path, body: str) -> PdfSummarizer:
    """A reader that does what a broken library might, in a process as real as ours."""
    program = tmp_path / "reader.py"
    program.write_text(f"import os, sys, time\nprint('ready', flush=True)\nfor line in sys.stdin:\n    {body}\n")
    return PdfSummarizer(lambda: OwnLineProcess([sys.executable, str(program)], most=1_000), file_seconds=0.3)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True: pass", "it takes longer than 0.3 s"),
        ("os.abort()", "reading it broke off"),
        ("print('x' * 5_000, flush=True)", "reading it broke off"),
        ("print('no JSON', flush=True)", "reading it broke off"),
    ],
)
def test_a_reader_that_hangs_dies_or_babbles_is_ended_and_the_next_file_is_read_by_another(
    tmp_path: Path, body: str, reason: str
) -> None:
    lines = summed_up(tmp_path / "a.pdf", tmp_path / "b.pdf", summarizer=_program(tmp_path, body))
    assert lines[1:] == [f"- a.pdf: not read, {reason}", f"- b.pdf: not read, {reason}"]


def test_of_many_files_the_first_are_read_and_more_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.pdf" for number in range(MOST_LISTED + 5)]
    files[0].write_bytes(pdf("First"))
    lines = summed_up(*files)
    assert lines[0] == f"{MOST_LISTED + 5} PDF files, 1 read, {MOST_READ - 1} unreadable."
    assert lines[MOST_READ + 1] == f"- {MOST_READ}.pdf"
    assert (len(lines), lines[-1]) == (MOST_LISTED + 2, "- and 5 more")


def test_reading_stops_when_its_time_is_over_and_when_it_is_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("Hello"))
    hurried = PdfSummarizer(start_pdf_reader, all_seconds=-1.0)
    assert summed_up(tmp_path / "a.pdf", summarizer=hurried)[1] == "- a.pdf"
    with pytest.raises(OutriderError) as refused:
        PdfSummarizer(start_pdf_reader).summarize(TextSummary(files=[str(tmp_path / "a.pdf")]), lambda: True)
    assert refused.value.code == "agent_cancelled"

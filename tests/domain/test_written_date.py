"""Dates of other tools: read in six languages; what can mean two days says so."""

import pytest

from backend.domain.values.written_date import written_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-10-05", "2026-10-05"),
        ("2026/10/5", "2026-10-05"),
        ("20261005", "2026-10-05"),
        ("2026-10-05T10:00:00Z", "2026-10-05"),
        ("05.10.2026", "2026-10-05"),
        ("5.10.26", "2026-10-05"),
        ("15/03/2024", "2024-03-15"),
        ("03/15/2024", "2024-03-15"),
        ("3/15/24, 1:45 AM", "2024-03-15"),
        ("04/04/2024", "2024-04-04"),
        ("15 Mar 2024", "2024-03-15"),
        ("15-Mär-24", "2024-03-15"),
        ("03. Feb 24", "2024-02-03"),
        ("1. Oktober 2026", "2026-10-01"),
        ("1er août 2026", "2026-08-01"),
        ("5 juillet 2026", "2026-07-05"),
        ("5 juin 2026", "2026-06-05"),
        ("5 de octubre de 2026", "2026-10-05"),
        ("5 maart 2026", "2026-03-05"),
        ("5 mei 2026", "2026-05-05"),
        ("5 de fevereiro de 2026", "2026-02-05"),
        ("Oct 5, 2026", "2026-10-05"),
        ("Mon Oct 05 2026 10:00:00 GMT+0200", "2026-10-05"),
        ("1759312800", "2025-10-01"),
        ("1759312800000", "2025-10-01"),
    ],
)
def test_a_date_is_read_however_it_is_written(text: str, day: str) -> None:
    written = written_date(text)
    assert written is not None
    assert written.day == day


def test_a_date_that_can_mean_two_days_means_neither_for_certain() -> None:
    written = written_date("04/03/2024")
    assert written is not None
    assert (written.day, written.first, written.last) == ("", "2024-03-04", "2024-04-03")


@pytest.mark.parametrize(
    "text", ["2 days ago", "yesterday", "vor 3 Tagen", "il y a 2 jours", "hace 2 días", "3 dagen geleden", "ontem"]
)
def test_so_long_ago_is_a_date_without_a_day(text: str) -> None:
    written = written_date(text)
    assert written is not None
    assert written.day == ""


@pytest.mark.parametrize(
    "text", ["", "soon", "31 Feb 2024", "2024-13-45", "12", "1.2", "10:30", "Mars 2024 Ltd", "hello 5 world 2026"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert written_date(text) is None

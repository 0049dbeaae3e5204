"""Whatever the bytes, the reader accounts for each line or refuses the file with a code."""

from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from backend.adapters.leadfiles import read_leads
from backend.domain.values.errors import OutriderError

from .accounting import HEADER_LINE, assert_accounted

_CSVISH = st.text(alphabet='ab",;\n\r\t \x00é\u202e', max_size=120)
_FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)


def _read(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        lead_file = read_leads(path)
        rows = list(lead_file)
    except OutriderError as error:
        assert error.code.startswith("lead_file_")  # noqa: PT017  both outcomes are right
    else:
        assert_accounted(lead_file, rows)


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\xff\xfe", b"\xef\xbb\xbf"]))
@_FUZZ
def test_random_bytes(tmp_path: Path, content: bytes, prefix: bytes) -> None:
    _read(tmp_path / "leads.csv", prefix + content)


@given(st.binary(max_size=200))
@example(b"\x84\x93")  # an empty cell between quotation marks
@_FUZZ
def test_random_bytes_below_a_header(tmp_path: Path, content: bytes) -> None:
    _read(tmp_path / "leads.csv", HEADER_LINE.encode() + content)


@given(_CSVISH, _CSVISH, st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8", "utf-16"]))
@example("", '"\n"', ",", "utf-8")
@example('"\n', '\n"a', ",", "utf-8")
@_FUZZ
def test_random_quotes_delimiters_and_line_breaks(
    tmp_path: Path, above: str, below: str, delimiter: str, encoding: str
) -> None:
    header = "First Name,Last Name,Connected On".replace(",", delimiter)
    _read(tmp_path / "leads.csv", f"{above}\n{header}\n{below}".encode(encoding))

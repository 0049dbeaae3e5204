"""A recovery code is read as it was written, however it is typed, and a slip of the pen is noticed."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.device.vault import ALPHABET, format_code, parse_code
from backend.domain.values.errors import OutriderError

SECRETS = st.binary(min_size=16, max_size=16)


@given(SECRETS)
def test_it_is_read_as_it_was_written(secret: bytes) -> None:
    code = format_code(secret)
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}", code)
    assert parse_code(code) == secret
    typed = code.replace("-", " ").lower().replace("0", "o").replace("1", "l", 1).replace("1", "I", 1)
    assert parse_code(f" {typed} ") == secret


def test_known_answers() -> None:
    assert format_code(bytes(16)) == "0000-0000-0000-0000-0000-0000-0000"
    number = int.from_bytes(bytes(range(16)))
    whole = number * 1024 + number % 1021
    signs = "".join(ALPHABET[int(f"{whole:0140b}"[at : at + 5], 2)] for at in range(0, 140, 5))
    assert format_code(bytes(range(16))).replace("-", "") == signs


@given(SECRETS)
def test_one_wrong_sign_and_two_that_changed_places_are_noticed(secret: bytes) -> None:
    code = format_code(secret).replace("-", "")
    wrong = {code[:at] + sign + code[at + 1 :] for at in range(len(code)) for sign in ALPHABET}
    for first, other in itertools.combinations(range(len(code)), 2):
        signs = list(code)
        signs[first], signs[other] = signs[other], signs[first]
        wrong.add("".join(signs))
    for mistyped in wrong - {code}:
        with pytest.raises(OutriderError, match="recovery_code_wrong"):
            parse_code(mistyped)


@pytest.mark.parametrize("code", ["", "0000", "U" * 28, "0" * 27, "0" * 29, "Z" * 28, "ключ" * 7, "²" * 28])
def test_what_is_no_code_is_refused_in_words(code: str) -> None:
    with pytest.raises(OutriderError, match="recovery_code_wrong"):
        parse_code(code)

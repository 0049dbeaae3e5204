"""Where a text names a person: the quick look finds whatever the exact one takes out."""

import json

import pytest

from backend.domain.erasure.mentions import (
    PersonNames,
    mention_pattern,
    mentioned,
    payload_without_mentions,
    rough_keys,
)

JOERG = PersonNames("Jörg Müller", "Joerg@Müller.example", "https://www.linkedin.com/in/jörg-müller", "ACoAAB12")
OTHER = PersonNames("Ann Lee", "ann@lee.example", "https://www.linkedin.com/in/ann-lee", "ACoAAB34")


@pytest.mark.parametrize(
    "words",
    [
        "Ask Jörg Müller.",
        "ask JÖRG MÜLLER",
        "Jörg\n  Müller",
        "to joerg@müller.example",
        "see linkedin.com/in/jörg-müller/",
        "(acoaab12)",
        json.dumps({"rows": [["Jörg Müller", 3]]}),
        json.dumps({"rows": [["joerg@müller.example", 3]]}),
        json.dumps({"rows": [["linkedin.com/in/jörg-müller", 3]]}),
        json.dumps({"answer": json.dumps({"name": "Jörg Müller"}, ensure_ascii=False)}),
    ],
)
def test_whomever_an_erasure_takes_out_of_an_entry_the_quick_look_finds_there(words: str) -> None:
    pattern = mention_pattern([JOERG])
    assert pattern is not None
    for payload in (json.dumps({"content": words}), json.dumps({"content": words}, ensure_ascii=False)):
        assert payload_without_mentions(pattern, "e1", payload) is not None
        assert mentioned(rough_keys([OTHER, JOERG]), payload) == [JOERG]

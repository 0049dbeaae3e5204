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


SPELLINGS = {
    "Jörg Müller": ["Joerg Mueller", "jorg_muller2", "MÜLLER, Jörg", "Jörg Mueller", "xjorgmullerx"],
    "Jan Strauß": ["jan.strauss", "JAN STRAUSS", "janstrauß"],
    "Dr. Vera M. Torres, PhD": ["Vera Torres", "vera-torres", "Torres, Vera", "xVeraTorresx"],
    "Søren Ødegård": ["Soren Odegard", "søren-ødegård"],
    "Zoë O'Neill": ["Zoe O\u2019Neill", "zo%C3%AB-o-neill", "ZoeONeill", "Zoe\u0308 O&#39;Neill"],
    "\u0130pek Y\u0131ld\u0131z": ["ipek yildiz", "İPEK YILDIZ"],
    "王 小明": ["请问王小明先生"],
    "김 민수": ["김민수가"],
}


@pytest.mark.parametrize(("name", "spelled"), [(name, spelled) for name, all_ in SPELLINGS.items() for spelled in all_])
def test_a_name_is_found_as_people_programs_and_pages_spell_it(name: str, spelled: str) -> None:
    person = PersonNames(name, "", "", "")
    pattern = mention_pattern([person])
    assert pattern is not None
    for payload in (json.dumps({"content": f"Ask {spelled} now"}), json.dumps({"content": json.dumps([spelled])})):
        assert payload_without_mentions(pattern, "e1", payload) is not None
        assert mentioned(rough_keys([OTHER, person]), payload) == [person]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Al An", "Alan"),
        ("Jan Novak", "Jan Novakova"),
        ("Vera Torres", "Vera"),
        ("Vera Torres", "Torres wrote"),
        ("Vera Torres", "Vera went. Then Torres did"),
        ("Ann Lee", "Joann Leeds"),
        ("Ann Lee", "annleeds"),
    ],
)
def test_what_may_be_anybodys_stays(name: str, other: str) -> None:
    pattern = mention_pattern([PersonNames(name, "al@an.example", "https://x.example/in/al", "")])
    assert pattern is not None
    assert payload_without_mentions(pattern, "e1", json.dumps({"content": f"Ask {other} now"})) is None

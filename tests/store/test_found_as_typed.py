"""People are found by what is on the keyboard: every Latin letter without its marks, every other script as it is."""

import json

import pytest

from backend.commands.lead_import import import_leads
from backend.domain.values.latin import PLAIN, as_typed, is_folded_by_an_index
from backend.store.log.replay import find_differences
from backend.store.queries.leads import lead_index
from backend.store.queries.leads.lead_list import LeadListQuery, LeadQuery
from tests.commands.test_lead_import import person
from tests.fakes.campaign import Stage

NAMES = {
    "Łukasz Król": ["lukasz", "LUKASZ KROL", "łukasz", "krol lukasz"],
    "Maren Weiß": ["weiss", "weiß", "WEISS"],
    "Søren Ærø": ["soren", "søren aero", "aero"],
    "Đorđe Đokić": ["dorde", "đorđe", "dokic"],
    "Þóra Björk": ["thora", "bjork"],
    "Œuvre Straße": ["oeuvre strasse"],
    "Ayşe Y\u0131ld\u0131z": ["ayse", "yildiz", "YILDIZ"],
    "Иван Щукин": ["иван", "щукин"],
    "李 小龙": ["李", "小龙"],
    "Ελένη Παππά": ["ελένη", "παππα"],
    "محمد علي": ["محمد"],
}


@pytest.mark.parametrize(("name", "typed"), [(name, typed) for name, words in NAMES.items() for typed in words])
def test_a_name_is_found_by_what_people_type_for_it(stage: Stage, name: str, typed: str) -> None:
    campaign = stage.campaign(0)
    rows = [person(k, full_name=full_name) for k, full_name in enumerate(NAMES)]
    import_leads(stage.journal, stage.clock, campaign, rows, file="c.csv", file_format="linkedin")
    lead = stage.one("SELECT id FROM leads WHERE full_name=?", name)
    with stage.database.read() as connection:
        assert [lead.name for lead in lead_index.find_by_name(connection, campaign, typed)] == [name]
        assert name in [lead.name for lead in lead_index.find_anywhere(connection, typed, campaign)]
        query = LeadListQuery(campaign, LeadQuery(text=typed))
        assert query.count(connection)[0] == 1
        number = connection.execute("SELECT number FROM lead_keys WHERE lead_id=?", (lead,)).fetchone()
        assert query.numbers(connection, (), 0, 9) == [number[0]]


@pytest.mark.parametrize("letter", PLAIN)
def test_every_such_letter_is_found_in_every_place_and_gone_once_it_is_edited(stage: Stage, letter: str) -> None:
    campaign, typed = stage.campaign(0), f"o{PLAIN[letter]}a"
    words = f"o{letter}a"
    rows = [person(1, full_name="Ada Long", company=words), person(2, full_name="Bo Long", tags=(words,))]
    import_leads(stage.journal, stage.clock, campaign, rows, file="c.csv", file_format="linkedin")
    assert stage.database.query(LeadListQuery(campaign, LeadQuery(text=typed)).count)[0] == 2
    for lead in [lead for (lead,) in stage.query("SELECT id FROM leads")]:
        with stage.database.write() as connection:
            connection.execute("UPDATE leads SET company='', tags='[]' WHERE id=?", (lead,))
    assert stage.database.query(LeadListQuery(campaign, LeadQuery(text=typed)).count)[0] == 0
    assert json.loads(stage.one("SELECT tags FROM leads LIMIT 1")) == []


def test_every_latin_letter_is_found_as_it_is_typed_and_indexed_again_only_if_the_index_does_not_fold_it(
    stage: Stage,
) -> None:
    letters = [letter for letter in map(chr, range(0xC0, 0x250)) if letter.isalpha()]
    rows = [person(k, full_name=f"Ada {letter}x{k:03}") for k, letter in enumerate(letters)]
    campaign = stage.campaign(0)
    import_leads(stage.journal, stage.clock, campaign, rows, file="c.csv", file_format="linkedin")
    with stage.database.read() as connection:
        for k, letter in enumerate(letters):
            typed = LeadListQuery(campaign, LeadQuery(text=as_typed(f"{letter}x{k:03}")))
            assert typed.count(connection)[0] == 1, letter
    again = sum(not is_folded_by_an_index(letter) for letter in letters)
    assert stage.one("SELECT count(*) FROM leads_text_typed") == again
    assert is_folded_by_an_index("Zoë Müller")
    assert not is_folded_by_an_index("Łukasz")


def test_nothing_of_the_search_is_state(stage: Stage) -> None:
    import_leads(
        stage.journal, stage.clock, stage.campaign(0), [person(1, full_name="Łukasz Król")], file="c", file_format="l"
    )
    assert find_differences(stage.database) == []

"""One person under many addresses: in each order of contact, refusal, erasure and answer, they are written to from one campaign."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from backend.domain.model.send_word import Word
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import Desk
from tests.turn.test_one_person import ANNA, MAIL, RENAMED, blocked, campaign_of, lead_of, waiting

NUMBER = "ACwAABcdEfGhIjKlMnOpQrSt"
SALES = f"https://www.linkedin.com/sales/people/{NUMBER},NAME_SEARCH"
GMAIL = "an.na.berg@gmail.com"
FIRST = {"email": MAIL, "company": "Acme", "extra": {"Sales Navigator URL": SALES, "Private e-mail": GMAIL}}

AGAIN: dict[str, dict[str, Any]] = {
    "the same address": {},
    "their number": {"profile_url": f"https://www.linkedin.com/in/{NUMBER}"},
    "their number in a column, with a new address": {"profile_url": RENAMED, "extra": {"vmid": NUMBER}},
    "their number, with a maiden name": {"profile_url": RENAMED, "full_name": "Anna Sommer", "extra": {"Link": SALES}},
    "their e-mail": {"profile_url": "", "email": "Anna@ACME.example"},
    "their e-mail with a tag": {"profile_url": "", "email": "anna+news@acme.example"},
    "their e-mail with a tag, and a new address": {"profile_url": RENAMED, "email": "anna+news@acme.example"},
    "their e-mail without its dots": {"profile_url": RENAMED, "email": "AnnaBerg+x@googlemail.com"},
    "their e-mail in a column": {"profile_url": RENAMED, "extra": {"E-Mail": f"mailto:{MAIL}"}},
    "their e-mail, with a maiden name": {"profile_url": RENAMED, "email": MAIL, "full_name": "Anna Sommer"},
    "their name and company": {"profile_url": RENAMED, "company": "ACME Ltd."},
}
"""What a later file says of her."""

UNKNOWN_ONCE_ERASED = {"their name and company"}
"""By a name alone nobody erased is known: it may be anybody's."""


def _nothing(first: Desk) -> None:
    assert waiting(first)


def _send(first: Desk) -> None:
    first.say(first.hand_over(no_reply=True), Word.SENT)
    first.leave()


def _forbid(first: Desk) -> None:
    first.stage.commands().leads.do_not_contact(first.campaign, lead_of(first), "asked")


def _forbid_tagged(first: Desk) -> None:
    first.stage.commands().workspace.add_do_not_contact("Anna <anna+crm@acme.example>", "", "asked")


def _erase(first: Desk) -> None:
    first.stage.commands().people.erase(first.campaign, lead_of(first))


def _send_and_erase(first: Desk) -> None:
    _send(first)
    _erase(first)


BETWEEN: list[Callable[[Desk], None]] = [_nothing, _send, _forbid, _forbid_tagged, _erase, _send_and_erase]


def of_first(stage: Stage) -> Desk:
    first = campaign_of(stage, "Water founders", **FIRST)
    first.run()
    return first


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("again", AGAIN)
def test_whoever_comes_again_is_known_or_asked_about(stage: Stage, again: str, between: Callable[[Desk], None]) -> None:
    first = of_first(stage)
    between(first)
    second = campaign_of(stage, "Pumps", **AGAIN[again])
    second.run()
    if not (again in UNKNOWN_ONCE_ERASED and between in (_erase, _send_and_erase)):
        assert waiting(second) == []
        assert blocked(second) in ("in_touch_elsewhere", "in_doubt", "do_not_contact")
    assert replay.find_differences(stage.database) == []


IN_DOUBT = [again for again, row in AGAIN.items() if row.get("profile_url") == RENAMED and "number" not in again]


@pytest.mark.parametrize("refuses", ["before the answer", "after it", "after it is taken back"])
@pytest.mark.parametrize("again", IN_DOUBT)
def test_a_refusal_binds_whoever_was_said_to_be_the_same(stage: Stage, again: str, refuses: str) -> None:
    first, second = of_first(stage), campaign_of(stage, "Pumps", **AGAIN[again])
    second.run()
    assert blocked(second) == "in_doubt"
    commands = stage.commands()

    def refuse(when: str) -> None:
        if when == refuses:
            commands.workspace.add_do_not_contact(ANNA, "", "asked")
        second.run()
        assert waiting(second) == []

    refuse("before the answer")
    answer = commands.people.answer_same([ANNA, RENAMED], same=True)
    refuse("after it")
    if refuses != "after it is taken back":  # nothing that the user allows lifts it
        with suppress(OutriderError):
            commands.people.contact_anyway(second.campaign, lead_of(second), "another matter")
        second.run()
        assert waiting(second) == []
    commands.people.take_answer_back(answer.answer_id)
    refuse("after it is taken back")
    assert (waiting(first), waiting(second)) == ([], [])
    assert replay.find_differences(stage.database) == []

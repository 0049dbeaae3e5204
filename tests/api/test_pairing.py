"""The code from the terminal, once, for the token."""

from typing import Any

import pytest

from backend.api.server.pairing import ALPHABET, LENGTH, MOST_TICKETS, VALID_SECONDS, Pairing
from backend.domain.values.errors import OutriderError
from tests.api.app import App


class Ticks:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def codes() -> list[str]:
    return []


@pytest.fixture
def pairing(ticks: Ticks, codes: list[str]) -> Pairing:
    return Pairing(codes.append, ticks)


def refusal(pairing: Pairing, typed: str) -> str:
    with pytest.raises(OutriderError) as refused:
        pairing.redeem(typed)
    return refused.value.code


def test_the_code_opens_the_page_as_it_is_typed_by_people(pairing: Pairing, codes: list[str]) -> None:
    pairing.redeem(f" {codes[-1].lower().replace('-', ' ')} ")


def test_a_code_works_once_and_the_next_is_shown(pairing: Pairing, codes: list[str]) -> None:
    pairing.redeem(codes[0])
    assert refusal(pairing, codes[0]) == "pairing_refused"
    assert len(codes) == 2
    pairing.redeem(codes[1])


def test_a_code_expires(pairing: Pairing, codes: list[str], ticks: Ticks) -> None:
    ticks.now += VALID_SECONDS
    assert refusal(pairing, "2222222222") == "pairing_refused"
    assert len(codes) == 1, "until then it is good"
    ticks.now += 1
    assert refusal(pairing, codes[0]) == "pairing_expired"
    pairing.redeem(codes[1])


def test_wrong_codes_never_delay_the_right_one(pairing: Pairing, codes: list[str]) -> None:
    for _ in range(1_000):
        assert refusal(pairing, "2222222222") == "pairing_refused"
    assert len(codes) == 1, "no new code is shown: the user may be typing this one"
    pairing.redeem(codes[0])


def test_a_code_is_too_long_to_be_found_by_trying(codes: list[str], pairing: Pairing) -> None:
    assert [len(half) for half in codes[0].split("-")] == [LENGTH // 2, LENGTH // 2]
    assert set(codes[0]) <= {*ALPHABET, "-"}
    a_thousand_a_second = 1_000 * VALID_SECONDS
    assert a_thousand_a_second / len(ALPHABET) ** LENGTH < 1e-8


def test_the_page_exchanges_the_code_for_the_token(app: App) -> None:
    answer = app.ask("/api/pair", {"code": app.codes[0]}, X_Outrider_Token=None)
    assert answer.ok
    assert answer.json["token"] == app.token
    assert app.ask("/api/pair", {"code": app.codes[0]}, X_Outrider_Token=None).code == "pairing_refused"


def test_a_foreign_page_cannot_pair_even_with_the_code(app: App) -> None:
    assert app.ask("/api/pair", {"code": app.codes[0]}, Origin="http://evil.example").status == 403
    assert len(app.codes) == 1


def test_a_page_that_is_loaded_again_comes_back_by_a_ticket_once(app: App) -> None:
    def again(ticket: object, **changed: str) -> Any:
        return app.ask("/api/pair/again", {"ticket": ticket}, X_Outrider_Token=None, **changed)

    ticket = app.ask("/api/pair", {"code": app.codes[0]}, X_Outrider_Token=None).json["ticket"]
    assert app.token not in ticket
    assert app.ask("/api/session", X_Outrider_Token=ticket).code == "token_refused", "it opens nothing by itself"
    assert again(ticket, Origin="http://evil.example").status == 403
    back = again(ticket)
    assert (back.status, back.json["token"]) == (200, app.token)
    assert again(ticket).code == "pairing_refused"
    assert again(back.json["ticket"]).ok
    for wrong in ("", "x" * 43):
        assert again(wrong).code == "pairing_refused"
    assert len(app.codes) == 2, "no code is spent on it"


def test_only_the_newest_tickets_are_kept(pairing: Pairing) -> None:
    oldest = pairing.ticket()
    newer = [pairing.ticket() for _ in range(MOST_TICKETS)]
    with pytest.raises(OutriderError):
        pairing.come_back(oldest)
    pairing.come_back(newer[0])

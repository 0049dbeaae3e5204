"""Every data folder calls the lock on an account the same, and each account's lock by another name."""

import math

import pytest

from backend.domain.model.channel import CHANNELS, LINKEDIN_ACCOUNT, LINKEDIN_ADDRESS
from backend.ports.account_locks import SenderAccount, seconds_to_wait

LINKEDIN = SenderAccount(LINKEDIN_ADDRESS, LINKEDIN_ACCOUNT)


@pytest.mark.parametrize(
    "address", ["https://www.linkedin.com/", "https://WWW.LinkedIn.com", " https://www.linkedin.com "]
)
def test_each_spelling_of_an_address_is_one_network(address: str) -> None:
    assert SenderAccount(address, LINKEDIN_ACCOUNT).lock_name == LINKEDIN.lock_name


@pytest.mark.parametrize(
    "other",
    [
        SenderAccount("http://127.0.0.1:4101", LINKEDIN_ACCOUNT),
        SenderAccount(LINKEDIN_ADDRESS, "another"),
        SenderAccount(LINKEDIN_ADDRESS, LINKEDIN_ACCOUNT.upper()),
        SenderAccount("", LINKEDIN_ADDRESS + "\n" + LINKEDIN_ACCOUNT),
    ],
)
def test_another_network_or_account_has_another_lock(other: SenderAccount) -> None:
    assert other.lock_name != LINKEDIN.lock_name


def test_by_whosever_hand_it_is_one_account() -> None:
    """Assist and Drive write to the same people from the same member."""
    accounts = {SenderAccount(each.address, each.account) for each in CHANNELS.values() if each.account}
    assert accounts == {LINKEDIN}


def test_the_name_is_a_file_name_that_tells_nothing() -> None:
    assert LINKEDIN.lock_name.isalnum()
    assert "linkedin" not in LINKEDIN.lock_name


@pytest.mark.parametrize(("since", "expected"), [(0.0, 60.0), (45.0, 15.0), (60.0, 0.0), (math.inf, 0.0)])
def test_what_another_folder_sent_last_is_waited_for_once(since: float, expected: float) -> None:
    assert seconds_to_wait(60.0, since) == expected

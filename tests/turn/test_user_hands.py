"""On a channel where the user acts, the controller scores, plans and writes; it looks at nothing and sends nothing."""

from collections import Counter

import pytest

from backend.adapters.sites.user_hands import NoSite, UserHands
from backend.domain.model.channel import ASSIST, find_channel
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import SelectorReport, SitePerson
from backend.ports.site import Site, SiteUnavailable, unguarded
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.by_hand import by_hand, run_by_hand
from tests.fakes.campaign import Stage

MESSAGE = Sequence(steps=(Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),))
REFUSALS = {ASSIST: "only the user looks and acts here", "none": "a request of the user reaches no site"}
"""What whoever planned a look or an act is told, by the site's name."""


def test_texts_are_written_and_approved_and_nothing_is_read_or_sent(stage: Stage) -> None:
    made = by_hand(stage)
    ended = run_by_hand(stage, made)
    assert ended.halt is RunEnd.HELD
    assert ["waiting for you in Send" in reason for reason in ended.reasons] == [True]
    assert Counter(stage.query("SELECT status, kind FROM messages")) == {("approved", "invitation"): 3}
    assert stage.query("SELECT count(*) FROM actions") == [(0,)]
    assert stage.received() == []
    assert not {turn.proposal for turn in stage.turns} - {
        "analyze_leads",
        "select_next_task",
        "generate_message",
        "no_op",
    }


def test_who_is_connected_by_the_lead_file_is_not_invited(stage: Stage) -> None:
    made = by_hand(stage, connected_on="2024-03-15")
    run_by_hand(stage, made)
    assert Counter(stage.query("SELECT step, kind FROM messages")) == {("hello", "message"): 3}


def test_a_message_to_somebody_of_whom_nobody_knows_is_written_and_the_user_says_at_the_act(stage: Stage) -> None:
    made = by_hand(stage, MESSAGE)
    run_by_hand(stage, made)
    assert stage.query("SELECT count(*) FROM messages WHERE status='approved'") == [(3,)]
    assert stage.query("SELECT DISTINCT needs FROM tasks WHERE kind='reach_lead'") == [("message",)]


@pytest.mark.parametrize("site", [UserHands(ASSIST), NoSite()], ids=["user's hands", "none"])
def test_what_reaches_no_site_refuses_every_look_and_act_before_anything_is_done(site: Site) -> None:
    person = SitePerson("https://www.linkedin.com/in/ada", "Ada")
    site.open()
    for call in (
        lambda: site.open_profile(person),
        lambda: site.read_profile(person),
        lambda: site.read_thread(person),
        lambda: site.send_invitation(person, "", unguarded),
        lambda: site.send_message(person, "Hi", unguarded),
        lambda: site.withdraw_invitation(person, unguarded),
    ):
        with pytest.raises(SiteUnavailable) as refused:
            call()
        assert str(refused.value) == REFUSALS[site.name]
    site.close()


def test_no_page_can_have_changed_of_a_site_that_only_the_user_looks_at() -> None:
    """It is a network all the same, and what they did there counts for it; of no site nothing is known to be as it was."""
    hands, none = UserHands(ASSIST), NoSite()
    assert hands.check_selectors() == SelectorReport()
    with pytest.raises(SiteUnavailable) as refused:
        none.check_selectors()
    assert str(refused.value) == REFUSALS[none.name]
    assert (hands.address, none.address) == (find_channel(ASSIST).address, "")
    assert hands.address

"""What a tool showed is kept with the act, and named in the audit entry of its call."""

from typing import Any, cast

import pytest

from backend.domain.erasure.erasure import ERASED
from backend.domain.model.message import Observation, SendOutcome
from backend.domain.model.site import (
    Attempt,
    Evidence,
    IncidentKind,
    Profile,
    Relation,
    SiteAnswer,
    Thread,
    ThreadMessage,
)
from backend.ports.site import NobodyThere, Site, SiteIncident, SiteUnavailable, unguarded
from backend.turn.gateway import PreActObservation, SiteProblem, ToolGateway
from tests.domain.samples import NOON, lead, message

CLICK, THREAD, PROFILE = (Evidence("screenshot", "0" * 64, f"{name}.png", name) for name in ("click", "thread", "page"))


class Pictured:
    """A site that keeps a picture of everything it did and showed."""

    def read_profile(self, _: Any) -> Profile:
        return Profile("Ada King", "", "", "", "", (), Relation.PENDING, (PROFILE,))

    def read_thread(self, _: Any) -> Thread:
        return Thread((ThreadMessage("you", "Hello", NOON),), Relation.CONNECTED, (THREAD,))

    def send_invitation(self, *_: Any) -> Attempt:
        return Attempt(SiteAnswer.CONFIRMED, "sent", evidence=(CLICK,))

    send_message = send_invitation


def test_what_was_seen_of_an_act_and_after_it_is_kept_with_it() -> None:
    for kind, page, words in (
        ("message", THREAD, "1 of this message in the thread, connected"),
        ("invitation", PROFILE, "invitation pending"),
    ):
        gateway = ToolGateway(cast(Site, Pictured()), lambda: 0)
        acted = gateway.act(
            "a1", lead(), message(kind=kind), PreActObservation(0, Thread((), Relation.CONNECTED)), unguarded
        )
        assert not hasattr(acted, "detail")
        assert (acted.seen, acted.outcome) == (Observation.PRESENT, SendOutcome.SENT)
        clicked, seen, shown = acted.attempt.evidence
        assert (clicked, seen.quote, shown) == (CLICK, words, page)
        with gateway.unrecorded_audits() as audits:
            assert [entry.payload["evidence"] for entry in audits] == [["click.png"], [page.file]]


def test_a_copy_that_was_there_before_the_act_is_not_the_acts() -> None:
    gateway = ToolGateway(cast(Site, Pictured()), lambda: 0)
    claimed = Attempt(SiteAnswer.NO_ANSWER, "")
    for before, seen in ((0, Observation.PRESENT), (1, Observation.ABSENT), (2, Observation.ABSENT)):
        assert gateway.observe(lead(), message(kind="message"), before, claimed, settled=True).seen is seen


def test_several_people_in_a_row_without_a_page_are_no_matter_of_theirs() -> None:
    ann = Profile("Ann", "", "", "", "", (), Relation.NONE)
    answers: list[Profile | None] = [None, None, ann, *[None] * 6]

    class Deserted:
        def read_profile(self, _: Any) -> Profile:
            if answer := answers.pop(0):
                return answer
            raise NobodyThere("There is no page.")

    gateway = ToolGateway(cast(Site, Deserted()), lambda: 0)
    people = ("a", "b", "c", "d", "e", "e", "d", "f", "d")  # who is tried again is one person still
    seen = [gateway.read_profile(lead(profile_url=f"https://x.test/in/{person}")) for person in people]
    about_one = [problem.nobody_there for problem in seen if isinstance(problem, SiteProblem)]
    assert about_one == [True, True, True, True, True, True, False, True]
    assert [problem.kind is None for problem in seen if isinstance(problem, SiteProblem)] == about_one


@pytest.mark.parametrize("other", [SiteUnavailable("No answer"), SiteIncident(IncidentKind.LOGGED_OUT, "Sign in")])
def test_only_that_a_person_has_no_page_is_a_matter_of_theirs(other: Exception) -> None:
    nobody = NobodyThere("There is no page.")
    shown = [nobody, other, nobody, nobody, nobody]

    class Troubled:
        def read_profile(self, _: Any = None) -> Profile:
            raise shown.pop(0)

        check_selectors = read_profile

    gateway = ToolGateway(cast(Site, Troubled()), lambda: 0)
    seen = [gateway.read_profile(lead()) for _ in range(3)]
    seen += [cast(SiteProblem, gateway.check_selectors()), gateway.read_profile(lead())]
    assert [cast(SiteProblem, problem).nobody_there for problem in seen] == [True, False, True, False, True]


def test_nobody_is_looked_for_without_an_address_and_no_page_is_blamed() -> None:
    erased, message_sent = lead(profile_url=""), message(kind="invitation")
    gateway = ToolGateway(cast(Site, None), lambda: 0)  # which would fail if it were asked
    claimed = Attempt(SiteAnswer.NO_ANSWER, "")
    for acted in (
        gateway.observe(erased, message_sent, 0, claimed, settled=True),
        gateway.observe_withdrawal(erased, claimed, settled=True),
    ):
        assert (acted.seen, acted.outcome) == (Observation.UNREADABLE, SendOutcome.OUTCOME_UNKNOWN)
        assert acted.problem is not None
        assert acted.problem.kind is None
    for name, is_asked_about in (("Ada King", True), (ERASED, False)):
        problem = gateway.read_profile(lead(profile_url="", full_name=name))
        assert isinstance(problem, SiteProblem)
        assert (problem.kind, problem.nobody_there) == (None, is_asked_about)

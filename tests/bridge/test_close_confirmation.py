"""Whether the window may close."""

from bridge.close_confirmation import CloseConfirmation


class Page:
    def __init__(self, *, there: bool = True) -> None:
        self.there, self.asked = there, 0

    def ask(self) -> bool:
        self.asked += 1
        return self.there


def test_when_nothing_runs_it_closes() -> None:
    page = Page()
    assert CloseConfirmation(lambda: False, page.ask).allowed()
    assert page.asked == 0


def test_while_a_campaign_runs_the_page_asks_and_a_second_time_closes() -> None:
    page = Page()
    closing = CloseConfirmation(lambda: True, page.ask)
    assert [closing.allowed() for _ in range(3)] == [False, True, True]
    assert page.asked == 1


def test_after_keep_open_it_asks_again() -> None:
    page = Page()
    closing = CloseConfirmation(lambda: True, page.ask)
    assert not closing.allowed()
    closing.keep_open()
    assert not closing.allowed()
    assert page.asked == 2


def test_without_a_page_that_could_ask_it_closes() -> None:
    assert CloseConfirmation(lambda: True, Page(there=False).ask).allowed()


def test_when_it_was_decided_nobody_is_asked() -> None:
    page = Page()
    closing = CloseConfirmation(lambda: True, page.ask)
    closing.decide()
    assert closing.allowed()
    assert page.asked == 0

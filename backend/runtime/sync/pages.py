"""The entries of a log at the shared store, page after page: several pages are asked for before the first one is here."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from backend.ports.scheduler import Scheduler
from backend.ports.shared_store import LoggedAudit, LoggedEvent

Entry = TypeVar("Entry", LoggedEvent, LoggedAudit)
Ask = Callable[[int, int], Sequence[Entry]]
"""The entries after a number, at most so many; fewer when they are large."""


class PageLimits(NamedTuple):
    """How many entries a page has at most, and how many pages may be on their way: what they take of memory is bounded."""

    entries: int = 1_000
    in_flight: int = 8


def pages(ask: Ask[Entry], after: int, end: int, limits: PageLimits, scheduler: Scheduler) -> Iterator[Sequence[Entry]]:
    """All from the entry behind `after` to `end`, in order; ends early if an entry is not there. Raises what `ask` does."""
    begins = iter(range(after, end, limits.entries))
    alone = limits.in_flight == 1 or end - after <= limits.entries
    requested_pages: deque[_AskedPage[Entry]] = deque()
    while True:
        while len(requested_pages) < limits.in_flight and (begin := next(begins, None)) is not None:
            page = _AskedPage(ask, begin, min(limits.entries, end - begin))
            requested_pages.append(page)
            if not alone:
                page.start(scheduler)
        if not requested_pages:
            return
        page = requested_pages.popleft()
        entries, page_end = page.answer(), page.begin + page.most
        while entries:
            yield entries
            if entries[-1].seq >= page_end:
                break
            entries = ask(entries[-1].seq, page_end - entries[-1].seq)  # the page was too large for one answer
        else:
            return


class _AskedPage(Generic[Entry]):
    """A page that is on its way, or is asked for when its turn comes."""

    def __init__(self, ask: Ask[Entry], begin: int, most: int) -> None:
        self.begin, self.most = begin, most
        self._ask: Ask[Entry] = ask
        self._wait: Callable[[], object] = self._work
        self._entries: Sequence[Entry] = ()
        self._error: BaseException | None = None

    def start(self, scheduler: Scheduler) -> None:
        """Ask now, beside whatever runs."""
        self._wait = scheduler.start("page", self._work).join

    def answer(self) -> Sequence[Entry]:
        """Wait for it."""
        self._wait()
        if self._error is not None:
            raise self._error
        return self._entries

    def _work(self) -> None:
        try:
            self._entries = self._ask(self.begin, self.most)
        except BaseException as error:  # noqa: BLE001 - raised where the page is waited for
            self._error = error

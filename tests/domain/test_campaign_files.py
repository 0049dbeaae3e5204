"""The files for people: plain, the same for the same state, and without a value of any setting."""

import re
from dataclasses import replace

import pytest

from backend.domain.model.task import TaskStatus
from backend.domain.reports.campaign_files import (
    ContextText,
    SettingNames,
    context_md,
    environment_md,
    fenced,
    plain,
    tasks_md,
)
from tests.domain.samples import campaign, task

HOSTILE = "# Title\n[click](http://x) <img src=x> `code` | a *b* _c_ \u202e ~~d~~ ![i](j)"


def test_text_from_outside_makes_no_markup() -> None:
    shown = plain(HOSTILE)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)[`*_\[\]<>#|!~]", shown)


@pytest.mark.parametrize("text", ["plain", "a\n```\n# out", "````` and ```", "~~~", ""])
def test_nothing_ends_a_block_but_its_own_end(text: str) -> None:
    fence, *within, last = fenced(text).split("\n")
    mark = fence.removesuffix("text")
    assert last == mark
    assert not any(line.strip().startswith(mark) for line in within)


def test_the_same_state_gives_the_same_bytes() -> None:
    hostile_campaign = replace(campaign(), name=HOSTILE, goal="```\n# not a heading")
    context = ContextText(3, "# my context\n", "ab" * 32)
    first, other = (
        context_md(hostile_campaign, leads, context)
        for leads in ({"pending": 2, "contacted": 1}, {"contacted": 1, "pending": 2})
    )
    assert first == other
    assert "version 3" in first
    assert context_md(hostile_campaign, {}, None) != first


def test_the_environment_names_and_tells_no_value() -> None:
    text = environment_md(campaign(), SettingNames(("OUTRIDER_DATA_DIR",), ("model:main",), (), ("OPENAI_API_KEY",)))
    assert "OPENAI\\_API\\_KEY" in text
    assert text.count("None.") == 1


def test_tasks_are_counted_where_they_are_not_listed() -> None:
    blocked = task(status=TaskStatus.BLOCKED, reason="no *reply*")
    text = tasks_md(campaign(), {"blocked": 3, "done": 7}, {TaskStatus.BLOCKED: [blocked]})
    assert "## Blocked (3)" in text
    assert "no \\*reply\\*" in text
    assert (text.count("- [ ]"), text.count("- [x]")) == (1, 0)
    assert "and 2 more" in text
    assert "and 7 more" in text
    assert tasks_md(campaign(), {}, {}).endswith("There are none.\n")

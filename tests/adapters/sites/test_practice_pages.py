"""What the practice network's forms send, and what stands in a field before it is typed into; no browser."""

import pytest

from backend.adapters.sites.practice_pages import is_draft, posts


@pytest.mark.parametrize(
    ("kind", "path", "body", "is_it"),
    [
        ("message", "/messaging/ann", b"text=One%0D%0Atwo", True),
        ("message", "/messaging/ann", b"text=One%0Atwo", True),
        ("message", "/messaging/ann", b"text=One%0D%0Atwo+", False),
        ("message", "/messaging/ann", b"text=Other", False),
        ("message", "/messaging/ann", b"text=One%0D%0Atwo&text=More", False),
        ("message", "/messaging/ann", b"text=One%0D%0Atwo&subject=More", False),
        ("message", "/messaging/ann", b"", False),
        ("message", "/messaging/bo", b"text=One%0D%0Atwo", False),
        ("message", "/in/ann/withdraw", b"text=One%0D%0Atwo", False),
        ("invitation", "/in/ann/invite", b"note=One%0D%0Atwo", True),
        ("invitation", "/in/ann/invite", b"note=", False),
        ("invitation", "/in/ann/invite", b"note=Other", False),
        ("invitation", "/in/ann/invite", b"note=One%0D%0Atwo&text=More", False),
        ("invitation", "/in/ann/withdraw", b"note=One%0D%0Atwo", False),
        ("invitation", "/messaging/ann", b"text=One%0D%0Atwo", False),
        ("withdrawal", "/in/ann/withdraw", b"", True),
        ("withdrawal", "/in/ann/withdraw", b"note=Sorry", False),
        ("withdrawal", "/in/ann/invite", b"", False),
    ],
)
def test_a_form_does_what_was_approved_for_this_person_and_nothing_else(
    kind: str, path: str, body: bytes, is_it: bool
) -> None:
    assert posts(kind, "ann", path, body, "" if kind == "withdrawal" else "One\ntwo") is is_it


def test_an_invitation_without_a_note_has_none() -> None:
    assert posts("invitation", "ann", "/in/ann/invite", b"note=", "")
    assert not posts("invitation", "ann", "/in/ann/invite", b"note=Hello", "")


@pytest.mark.parametrize(("shown", "is_it"), [("", False), (" \n", False), ("Hello  Ann", False), ("Hello Bo", True)])
def test_what_stands_in_the_field_is_a_draft_unless_it_is_the_text_itself(shown: str, is_it: bool) -> None:
    assert is_draft(shown, "Hello Ann") is is_it

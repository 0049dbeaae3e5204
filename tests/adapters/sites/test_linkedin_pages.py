"""What a page of LinkedIn's says, tried on accessible trees as Playwright writes them; no browser."""

import json
from datetime import UTC, date, datetime, timedelta
from string import Formatter
from typing import Any

import pytest

from backend.adapters.browser.single_post import PostAnswer
from backend.adapters.sites.linkedin import answer_of
from backend.adapters.sites.linkedin_labels import LABELS, Labels
from backend.adapters.sites.linkedin_pages import (
    NO_WORDS,
    ListedConversation,
    UnreadableError,
    day_of,
    degree_of,
    headline_of,
    incident_of,
    is_post,
    is_to,
    label,
    labels_for,
    names_shown,
    read_messages,
    sends,
)
from backend.domain.model.site import IncidentKind, SiteAnswer
from tests.fakes.linkedin_facsimile import WORDS

NOW = datetime(2026, 11, 23, 12, 2, 30, tzinfo=UTC)  # a Monday
EN = LABELS["en"]

PROFILE = r"""
- navigation "Primary":
  - link "Home":
    - /url: /feed/
- main:
  - heading "Ann \"Annie\" Becker" [level=1]
  - text: 2nd degree connection
  - paragraph: "Editor: Fernhill Books"
  - button "Invite Ann \"Annie\" Becker to connect"
  - button "More actions"
  - heading "Security check list for 2026, captcha" [level=2]
  - paragraph: 3rd degree connection
  - heading "People also viewed" [level=2]
"""


def test_a_profile_says_whose_it_is_and_how_far_they_are() -> None:
    assert names_shown(PROFILE) == ['Ann "Annie" Becker']
    assert degree_of(PROFILE, EN) == 1
    assert headline_of(PROFILE, EN) == "Editor: Fernhill Books"
    assert incident_of("/in/ann/", PROFILE) is None
    assert (names_shown("- main"), degree_of("- main", EN), headline_of("- main", EN)) == ([], None, "")


@pytest.mark.parametrize(
    ("path", "tree", "kind"),
    [
        ("/login", "", IncidentKind.LOGGED_OUT),
        ("/uas/login?x=1", "", IncidentKind.LOGGED_OUT),
        ("/authwall", "", IncidentKind.LOGGED_OUT),
        ("/checkpoint/lg/login", "", IncidentKind.LOGGED_OUT),
        ("/checkpoint/challenge/AgG", "", IncidentKind.UNUSUAL_ACTIVITY),
        ("/feed/", '- heading "Sign in" [level=1]', IncidentKind.LOGGED_OUT),
        ("/feed/", '- heading "Let\u2019s do a quick security check" [level=1]', IncidentKind.UNUSUAL_ACTIVITY),
        ("/feed/", "- alert: Your account has been temporarily restricted", IncidentKind.UNUSUAL_ACTIVITY),
        ("/feed/", '- dialog "You\u2019ve reached the weekly invitation limit":', IncidentKind.INVITATION_LIMIT),
        ("/feed/", '- heading "Ihr Konto wurde vorübergehend eingeschränkt" [level=1]', IncidentKind.UNUSUAL_ACTIVITY),
        ("/feed/", '- dialog "Limite hebdomadaire d\u2019invitations atteinte":', IncidentKind.INVITATION_LIMIT),
        ("/feed/", '- alertdialog "Has alcanzado el límite semanal de invitaciones"', IncidentKind.INVITATION_LIMIT),
        ("/feed/", '- heading "Verificación de seguridad" [level=1]', IncidentKind.UNUSUAL_ACTIVITY),
    ],
)
def test_a_page_in_the_way_is_known_by_its_address_or_by_what_it_says(path: str, tree: str, kind: IncidentKind) -> None:
    incident = incident_of(path, tree)
    assert incident is not None
    assert incident[0] is kind


def test_what_people_write_is_no_incident() -> None:
    quoted = "- main:\n  - paragraph: Sign in, captcha, weekly invitation limit\n  - text: account restricted"
    assert incident_of("/in/ann/", quoted) is None


@pytest.mark.parametrize("language", LABELS)
def test_every_language_has_all_labels_and_only_known_fields(language: str) -> None:
    labels = LABELS[language]
    for name in Labels._fields:
        for words in [value] if isinstance(value := getattr(labels, name), str) else value:
            assert words.strip() == words != "", name
            assert {field for _, field, _, _ in Formatter().parse(words) if field} <= {"name", "time"}, name
    assert all("{name}" in words for words in (labels.connect, labels.pending, labels.message, labels.wrote))
    assert len({labels.connect, labels.pending, labels.message}) == 3
    assert labels_for(f"{language}-XX") is labels


@pytest.mark.parametrize("language", WORDS)
def test_the_table_has_what_the_pages_say_in_every_language(language: str) -> None:
    words, labels = WORDS[language], labels_for(language)
    assert labels
    assert (words.nav, words.degrees) == ((labels.home, labels.network, labels.messaging), labels.degrees)
    for shown, control in (
        (words.connect, labels.connect), (words.pending, labels.pending), (words.message, labels.message),
        (words.more, labels.more), (words.add_note, labels.add_note), (words.without_note, labels.without_note),
        (words.send_invitation, labels.send_with_note), (words.composer, labels.composer), (words.send, labels.send),
        (words.withdraw, labels.withdraw),
    ):  # fmt: skip
        assert label(control, name="José Díaz").match(shown.format("José Díaz")), control
    rows = [ListedConversation([words.today, words.wrote.format("José Díaz", "9:05")], ["Hola"])]
    (message,) = read_messages(rows, labels, "José Díaz", NOW)
    assert (message.author, message.at) == (
        "them",
        int(NOW.replace(hour=9, minute=5, second=59).timestamp()) * 1_000 + 999,
    )
    assert incident_of("/in/jose/", f'- alertdialog "{words.limit}"') == (IncidentKind.INVITATION_LIMIT, words.limit)


def test_a_language_that_nobody_looked_at_is_unknown() -> None:
    assert labels_for("xx") is None
    assert labels_for("") is None


def test_a_label_is_found_however_its_apostrophes_are_printed_and_for_nobody_else() -> None:
    pattern = label(LABELS["fr"].pending, name="Ann")
    assert pattern.match("En attente, cliquez pour retirer l\u2019invitation envoyée à Ann")
    assert not pattern.match("En attente, cliquez pour retirer l\u2019invitation envoyée à Annie")
    assert label(EN.composer).match("Write a message…")


@pytest.mark.parametrize(
    ("language", "line", "day"),
    [
        ("en", "Today", date(2026, 11, 23)),
        ("en", "YESTERDAY", date(2026, 11, 22)),
        ("en", "Friday", date(2026, 11, 20)),
        ("en", "Mar 3", date(2026, 3, 3)),
        ("en", "Dec 31", date(2025, 12, 31)),
        ("en", "Mar 3, 2024", date(2024, 3, 3)),
        ("de", "3. März", date(2026, 3, 3)),
        ("de", "Gestern", date(2026, 11, 22)),
        ("fr", "aujourd\u2019hui", date(2026, 11, 23)),
        ("fr", "3 juin 2025", date(2025, 6, 3)),
        ("fr", "1 juil.", date(2026, 7, 1)),
        ("es", "3 de mar de 2025", date(2025, 3, 3)),
        ("es", "miércoles", date(2026, 11, 18)),
        ("en", "Feb 30", None),
        ("en", "Ann Becker", None),
        ("en", "3", None),
        ("en", "See you on Mar 3 then", None),
        ("en", "3rd+", None),
    ],
)
def test_a_day_is_read_in_each_language_and_nothing_else_is_one(language: str, line: str, day: date | None) -> None:
    assert day_of(line, LABELS[language], NOW.date()) == day


def test_a_conversation_is_read_with_who_wrote_and_when() -> None:
    rows = [
        ListedConversation(["Sunday"], []),
        ListedConversation(
            ["Robin Reyes sent the following messages at 3:05 PM", "Robin Reyes"], ["Hello", "Are you there?"]
        ),
        ListedConversation(["Today", "Ann Becker sent the following message at 12:02 PM"], ["Yes\n\nI am"]),
        ListedConversation([], ["And you?"]),
    ]
    messages = read_messages(rows, EN, "Ann  Becker", NOW)
    assert [(m.author, m.text) for m in messages] == [
        ("you", "Hello"), ("you", "Are you there?"), ("them", "Yes\n\nI am"), ("them", "And you?"),
    ]  # fmt: skip
    assert messages[0].at == int(datetime(2026, 11, 22, 15, 5, 59, 999_000, tzinfo=UTC).timestamp() * 1_000)
    assert messages[2].at == int(NOW.timestamp() * 1_000)  # the minute is not over yet


def test_a_message_without_words_is_one_all_the_same() -> None:
    rows = [
        ListedConversation(["Today", "Robin Reyes sent the following message at 9:00 AM"], ["Hello"]),
        ListedConversation(["Ann Becker sent the following message at 9:30 AM"], []),
        ListedConversation(["Robin Reyes sent the following message at 9:40 AM"], []),
        ListedConversation(["You are now connected", "Ann Becker is typing"], []),
        ListedConversation(["Ann Becker sent the following messages at 9:50 AM"], []),
        ListedConversation(["Ann Becker sent the following messages at 9:50 AM"], ["See the picture"]),
        ListedConversation(["Robin Reyes sent the following message at 9:55 AM"], []),
    ]
    messages = read_messages(rows, EN, "Ann Becker", NOW)
    assert [(m.author, m.text) for m in messages] == [
        ("you", "Hello"), ("them", NO_WORDS), ("you", NO_WORDS), ("them", "See the picture"), ("you", NO_WORDS),
    ]  # fmt: skip
    with pytest.raises(UnreadableError):  # a third person's picture, too
        read_messages(
            [*rows, ListedConversation(["Cy sent the following message at 10:01"], [])], EN, "Ann Becker", NOW
        )


def test_how_far_somebody_is_is_never_read_off_somebody_else() -> None:
    others = PROFILE.replace("2nd degree connection", "Berlin").replace("3rd degree", "1st degree")
    assert degree_of(others, EN) is None
    twice = others + '- heading "Ann \\"Annie\\" Becker" [level=1]\n- text: 2nd degree connection\n'
    assert degree_of(twice, EN) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [ListedConversation(["Today"], ["Hello"])],
        [ListedConversation(["Ann Becker sent the following message at 3:05 PM"], ["No day"])],
        [ListedConversation(["Today", "Ann Becker sent the following message at noon"], ["No time"])],
        [ListedConversation(["Today", "Ann Becker sent the following message at 25:61"], ["No such time"])],
        [
            ListedConversation(["Today", "Bo sent the following message at 10:00"], ["One"]),
            ListedConversation(["Cy sent the following message at 10:01"], ["Two"]),
        ],
    ],
)
def test_a_conversation_of_which_anything_is_doubtful_is_not_read(rows: list[ListedConversation]) -> None:
    with pytest.raises(UnreadableError):
        read_messages(rows, EN, "Ann Becker", NOW + timedelta(hours=12))


@pytest.mark.parametrize(
    ("kind", "path", "body", "text", "is_it"),
    [
        ("message", "/api/messaging?action=create", b'{"message": {"body": {"text": "Hello "}}}', "Hello", True),
        ("message", "/api/messaging?action=create", b'{"message": "Hello there"}', "Hello", False),
        ("message", "/api/messaging?action=create", b'{"message": "Hel  lo"}', "Hel lo", False),
        ("message", "/api/messaging?action=typing", b"{}", "Hello", False),
        ("message", "/track", b'{"message": "Hello"}', "Hello", False),
        ("message", "/api/messaging", b"Hello", "Hello", False),
        ("invitation", "/api/memberRelationships?action=create", b"{}", "", True),
        ("invitation", "/api/growth/invitations", b'[{"note": "Hi"}]', "Hi", True),
        ("invitation", "/api/growth/invitations", b'[{"note": ""}]', "Hi", False),
        ("invitation", "/api/growth/invitations", b'{"to": "ann", "trace": "Hello"}', "Hello", False),
        ("invitation", "/api/growth/invitations", b'{"note": "Hi", "subject": "Buy now"}', "Hi", False),
        ("invitation", "/track", b"{}", "", False),
        ("invitation", "/api/growth/invitations", b'{"customMessage": "I would like to add you"}', "", False),
        ("invitation", "/api/growth/invitations", b'{"customMessage": " ", "trackingId": "x"}', "", True),
        ("invitation", "/api/growth/invitations", b"note=Hello", "", False),
        ("invitation", "/api/growth/invitations?action=withdraw", b"{}", "", False),
        ("invitation", "/api/memberRelationships?action=removeConnection", b"{}", "", False),
        ("withdrawal", "/api/growth/invitations?action=withdraw", b"{}", "", True),
        ("withdrawal", "/api/growth/invitations?action=withdraw", b'{"withdrawn": true}', "", True),
        ("withdrawal", "/api/growth/invitations?action=create", b"{}", "", False),
        ("withdrawal", "/api/growth/invitations?action=withdraw", b'{"note": "Sorry!"}', "", False),
        ("message", "/api/messaging?action=create", b'{"subject": "Buy now", "body": "Hello"}', "Hello", False),
        (
            "message",
            "/api/messaging?action=create",
            b'[{"body": "Hello"}, {"body": "Hello"}, {"text": "More"}]',
            "Hello",
            False,
        ),
        ("message", "/api/messaging?action=create", b'[{"body": "Hello"}, {"body": "Hello"}]', "Hello", False),
        ("message", "/api/messaging?action=create", b'{"body": "Hello", "text": "Hello"}', "Hello", False),
        ("message", "/api/messaging?action=create", b'{"body": "", "attributed": {"text": "Hello"}}', "Hello", True),
        ("message", "/api/messaging?action=create", b'{"body": "Buy now", "body": "Hello"}', "Hello", False),
        ("message", "/api/messaging?action=create&subject=Buy+now", b'{"body": "Hello"}', "Hello", False),
        ("message", "/api/messaging?action=create&text=Hello", b'{"body": "Hello"}', "Hello", False),
        ("message", "/api/messaging?action=create", b'{"body": "Hello", "originToken": "5e1f"}', "Hello", True),
        ("message", "/api/messaging?action=recall", b'{"body": "Hello"}', "Hello", False),
        ("message", "/api/messaging/delete", b'{"to": "ann", "text": "Hello"}', "Hello", False),
        ("message", "/api/messaging/message", b'{"to": "ann", "text": "Add me"}', "Hello", False),
        ("message", "/api/messaging/message", b'{"to": "ann", "trace": "Hello"}', "Hello", False),
    ],
)
def test_the_request_that_sends_is_known_by_its_path_and_its_exact_text(
    kind: str, path: str, body: bytes, text: str, is_it: bool
) -> None:
    assert sends(kind, path, body, text) is is_it


@pytest.mark.parametrize(
    ("path", "body", "is_theirs"),
    [
        ("/api/messaging/message", b'{"to": "ann", "text": "Hello"}', True),
        ("/api/messaging/message", b'{"to": ["urn:li:member:7"], "text": "Hello"}', True),
        ("/api/messaging/message", b'{"to": "ann", "text": "Hello", "cc": ["bo"]}', False),
        ("/api/messaging/message", b'{"to": ["ann", "urn:li:member:7"], "text": "Hello"}', False),
        ("/api/messaging/message", b'{"to": "ann", "recipientUrn": "urn:li:member:7", "text": "Hello"}', True),
        ("/api/messaging/message", b'{"to": "bo", "to": "ann", "text": "Hello"}', False),
        ("/api/relationships/invitation", b'{"to": "ann", "text": "Hello", "cc": ["bo"]}', False),
        ("/api/relationships/invitation?invitee=bo", b'{"to": "ann"}', False),
        ("/api/relationships/invitation", b'{"to": "bo"}', False),
        ("/api/relationships/invitation", b'{"text": "Hello"}', False),
    ],
)
def test_a_request_is_to_a_person_if_it_names_them_and_nobody_else(path: str, body: bytes, is_theirs: bool) -> None:
    assert is_to({"Ann", "7"}, path, body) is is_theirs


HERS = {"to": "ann", "text": "Hello Ann"}
BESIDE: dict[str, list[dict[str, Any]]] = {
    "words": [{name: "Buy now"} for name in ("ps", "html", "trace", "renderedAs", "attachment")],
    "a word in the place of words": [
        {"titleText": "Sale"},
        {"altCaption": "Sale"},
        {" text ": "Sale"},
        {"messageHtml": "Sale"},
        {"customMessages": "Sale"},
        {"comment": ["Sale"]},
    ],
    "words without blanks": [{"trace": "\u4eca\u3059\u3050\u8cb7\u3046"}, {"trace": "\u043a\u0443\u043f\u0438"}],
    "a page": [{"preview": {"of": "https://x.test/a"}}],
    "a request in a word": [{"payload": '{"to": "bo", "text": "Buy now"}'}],
    "somebody else": [
        *({name: ["urn:li:member:8"]} for name in ("recipientUrnList", "addressees", "sendTo", "userIds")),
        {"cc": {"who": "bo"}},
        {"sendTo": "urn:li:pair:(8):ann"},
    ],
    "somebody else's number": [{"recipientId": 8}, {"recipientIds": [8]}],
    "another deed": [{"action": "delete"}, {"_method": "PUT"}, {"draft": True}, {"inMail": 1}],
    "another time": [{"sendAt": 1_893_456_000}, {"scheduledAt": "2030-01-01"}, {"delay": 5}, {"sendLater": True}],
}


@pytest.mark.parametrize("beside", BESIDE)
def test_a_request_that_says_anything_beside_it_under_any_name_is_not_the_one(beside: str) -> None:
    path = "/api/messaging/message"
    for added in BESIDE[beside]:
        body = json.dumps(HERS | added).encode()
        assert not (sends("message", path, body, "Hello Ann") and is_to({"ann"}, path, body)), added


def test_what_a_page_needs_beside_the_words_is_let_through() -> None:
    beside = {
        "originToken": "0b5e1f5e-6f0a-4f7e-9d54-9f0f3c1f2f9e",
        "trackingId": "\u00e1\u0012\u00c4xY\u0001\u00b5z",
        "conversationUrn": "urn:li:msg_conversation:(urn:li:fsd_profile:OWNER,2-abc==)",
        "mailboxUrn": "urn:li:fsd_profile:OWNER",
        "dedupeByClientGeneratedToken": False,
        "draft": False,
        "notify": False,
        "scheduledAt": None,
        "renderContentUnions": [],
        "link": "https://x.test/a",
    }
    text = "Hello Ann, see https://x.test/a"
    body = json.dumps(
        {"to": ["urn:li:member:ann"], "message": {"body": {"attributes": [], "text": text}, **beside}}
    ).encode()
    path = "/voyager/api/voyagerMessagingDashMessengerMessages?action=createMessage"
    assert sends("message", path, body, text)
    assert is_to({"ann"}, path, body)


@pytest.mark.parametrize(
    "deed",
    ["follow", "report-spam", "markAsRead", "bulk", "forward", "template", "undo", "x?action=update", "x?forward=true"],
)
def test_a_path_that_says_another_deed_is_not_the_one(deed: str) -> None:
    assert not sends("invitation", f"/api/relationships/{deed}", b'{"to": "ann"}', "")
    assert not sends("message", f"/api/messaging/{deed}", json.dumps(HERS).encode(), "Hello Ann")


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(HERS).encode("utf-16"),
        b"\xef\xbb\xbf" + json.dumps(HERS).encode(),
        json.dumps([HERS, {"to": "ann"}]).encode(),
        *(json.dumps(HERS).encode()[:-1] + b', "x": ' + b"[" * n + b"]" * n + b"}" for n in (990, 5_000)),
        json.dumps(HERS).encode()[:-1] + b', "Text": ""}',
        json.dumps(HERS).encode()[:-1] + b', " text ": ""}',
    ],
)
def test_a_body_that_others_may_read_otherwise_is_not_the_one(body: bytes) -> None:
    assert not sends("message", "/api/messaging/message", body, "Hello Ann")
    assert not is_to({"ann"}, "/api/messaging/message", body)


@pytest.mark.parametrize(
    ("method", "headers", "is_new"),
    [
        ("POST", {"Content-Type": "application/json", "X-RestLi-Method": "create"}, True),
        ("POST", {"X-HTTP-Method-Override": "DELETE"}, False),
        ("POST", {"x-restli-method": "batch_create"}, False),
        ("POST", {"X-Original-URL": "/api/messaging/delete"}, False),
        ("POST", {"X-Rewrite-URI": "/api/messaging/delete"}, False),
        ("POST", {"Content-Encoding": "gzip"}, False),
        ("DELETE", {}, False),
        ("PUT", {"x-method-override": "POST"}, False),
    ],
)
def test_a_request_that_is_another_one_by_its_method_or_a_header_sends_nothing(
    method: str, headers: dict[str, str], is_new: bool
) -> None:
    assert is_post(method, headers) is is_new


def said(status: int, location: str = "") -> PostAnswer:
    return PostAnswer(status, location, [], "")


@pytest.mark.parametrize(
    ("kind", "answer", "claim", "incident"),
    [
        ("message", said(201), SiteAnswer.CONFIRMED, None),
        ("message", said(302, "/login?x=1"), SiteAnswer.NO_ANSWER, IncidentKind.LOGGED_OUT),
        ("message", said(302, "/checkpoint/challenge/1"), SiteAnswer.NO_ANSWER, IncidentKind.UNUSUAL_ACTIVITY),
        ("message", said(302, "/somewhere"), SiteAnswer.NO_ANSWER, IncidentKind.UNKNOWN_PAGE),
        ("invitation", said(429), SiteAnswer.REFUSED, IncidentKind.INVITATION_LIMIT),
        ("message", said(429), SiteAnswer.REFUSED, IncidentKind.UNUSUAL_ACTIVITY),
        ("message", said(403), SiteAnswer.REFUSED, IncidentKind.LOGGED_OUT),
        ("message", said(999), SiteAnswer.REFUSED, IncidentKind.UNUSUAL_ACTIVITY),
        ("message", said(422), SiteAnswer.REFUSED, None),
        ("message", said(503), SiteAnswer.NO_ANSWER, None),
        ("message", None, SiteAnswer.NO_ANSWER, IncidentKind.UNKNOWN_PAGE),
    ],
)
def test_an_answer_is_told_as_it_is(
    kind: str, answer: PostAnswer | None, claim: SiteAnswer, incident: IncidentKind | None
) -> None:
    recognised = answer_of(kind, answer)
    assert (recognised[0], recognised[2]) == (claim, incident)
    assert recognised[1]

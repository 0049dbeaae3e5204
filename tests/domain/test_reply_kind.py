"""What a reply is, in four languages: the rule that fits is named, and a person's answer is not taken for a machine's."""

import pytest

from backend.domain.model.reply_kind import RULES, ReplyKind, classify, ends_sequence, kind_of, why

EXAMPLES = [
    ("no.stop.en", "Please stop messaging me."), ("no.stop.en", "Unsubscribe"), ("no.stop.en", "Don\u2019t contact me again!"),
    ("no.stop.de", "Bitte keine weiteren Nachrichten."), ("no.stop.de", "Lassen Sie mich in Ruhe"),
    ("no.stop.fr", "Merci de ne plus me contacter."), ("no.stop.es", "No me escriba más, por favor"),
    ("no.refuses.en", "No thanks. Please do not follow up on this."), ("no.refuses.en", "We are not interested"),
    ("no.refuses.de", "Nein danke!"), ("no.refuses.de", "Wir haben kein Interesse."), ("no.refuses.fr", "Non merci"),
    ("no.refuses.fr", "Cela ne m\u2019intéresse pas"), ("no.refuses.es", "No, gracias"), ("no.refuses.es", "No me interesa"),
    ("gone.left.en", "I am no longer with Fern; please write to Bob."), ("gone.left.en", "Clara has left the company."),
    ("gone.left.de", "Ich arbeite nicht mehr bei der Bahn."), ("gone.left.de", "Sie ist nicht mehr bei der Fern GmbH tätig."),
    ("gone.left.fr", "Je ne travaille plus chez Fern."), ("gone.left.es", "Ya no trabajo en Fern"),
    ("automatic.away.en", "Thank you for your message. I am currently out of office until Monday."),
    ("automatic.away.en", "Automatic reply: I\u2019m on annual leave"), ("automatic.away.de", "Ich bin bis 5.6. im Urlaub."),
    ("automatic.away.de", "Automatische Antwort"), ("automatic.away.fr", "Je suis actuellement en congés."),
    ("automatic.away.es", "Estoy de vacaciones hasta el lunes"),
]  # fmt: skip
PEOPLE = [
    "Yes, that is something we are thinking about. Would a call next week suit you?", "Thanks! I am interested.",
    "Ich habe Interesse, rufen Sie mich an.", "Oui, cela m'intéresse", "Sí, me interesa mucho",
    "We met at the office party; happy to talk.", "No problem, Tuesday works.", "I left a message for you.", "",
    "Thanks for the note. We are busy until the end of the quarter, maybe ask me again after that.",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
def test_what_a_machine_or_a_no_says_is_known_by_its_rule(rule: str, text: str) -> None:
    classified = classify(text)
    assert classified is not None
    # "do not follow up" is a plainer no than "no thanks"
    assert (classified.kind, classified.language) == (ReplyKind(rule.split(".", maxsplit=1)[0]), rule.split(".")[2])


@pytest.mark.parametrize("text", PEOPLE)
def test_a_persons_answer_is_a_persons(text: str) -> None:
    assert kind_of(classify(text)) is ReplyKind.HUMAN


def test_every_rule_has_a_name_of_its_own_an_example_and_words() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert {rule.id for rule in RULES} == {rule for rule, _ in EXAMPLES}
    assert why("no.stop.de") == "asks not to be written to (German)"
    assert (why("user"), why("")) == ("by you", "")


def test_whoever_says_no_from_a_holiday_says_no() -> None:
    assert kind_of(classify("I am out of office. Please stop contacting me.")) is ReplyKind.NO


def test_only_an_automatic_reply_is_no_answer() -> None:
    assert not ends_sequence([ReplyKind.AUTOMATIC])
    assert all(ends_sequence([ReplyKind.AUTOMATIC, kind]) for kind in ReplyKind if kind is not ReplyKind.AUTOMATIC)

"""Classifies replies: from a person, automatic, from somebody who has left, or a no. By a table of rules, without a model.

The first rule that fits decides, and is shown with the reply; the user may correct it. A no is looked for first, so that mistakes
lead to not writing.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from backend.domain.model.campaign import DAY


class ReplyKind(StrEnum):
    """What a reply is."""

    HUMAN = "human"
    NO = "no"
    GONE = "gone"
    AUTOMATIC = "automatic"


PAUSE = 5 * DAY
"""How long (ms) nothing is written to somebody whose reply was automatic."""

BY_USER = "user"
"""The rule of a kind that the user gave."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reply is if one of these phrases begins at a word in it; `id` is stable, `language` an ISO code."""

    id: str
    kind: ReplyKind
    language: str
    title: str
    phrases: re.Pattern[str]


def _rule(kind: ReplyKind, what: str, language: str, title: str, *phrases: str) -> Rule:
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(phrases) + r")(?!\w)")
    return Rule(f"{kind}.{what}.{language}", kind, language, title, pattern)


_NO, _GONE, _AUTOMATIC = ReplyKind.NO, ReplyKind.GONE, ReplyKind.AUTOMATIC
_STOP, _REFUSES, _LEFT, _AWAY = (
    "asks not to be written to",
    "is not interested",
    "has left the company",
    "is out of office",
)

RULES: tuple[Rule, ...] = (
    _rule(_NO, "stop", "en", _STOP,
          r"unsubscribe(?: me)?",
          r"(?:please )?(?:stop|quit) (?:contacting|messaging|writing|e?-?mailing)(?: to)? ?(?:me|us)?",
          r"(?:take|remove) me (?:off|from)", r"do(?: not|n't) (?:contact|message|write(?: to)?|e?-?mail) (?:me|us)",
          r"do(?: not|n't) follow up", r"leave me alone"),
    _rule(_NO, "stop", "de", _STOP,
          r"abmelden", r"(?:schreiben|kontaktieren) sie mi(?:r|ch) (?:bitte )?nicht (?:mehr|wieder)",
          r"(?:bitte )?keine (?:weiteren|mehr)? ?(?:nachrichten|anfragen|mails)", r"lassen sie mich in ruhe",
          r"(?:löschen|entfernen) sie (?:bitte )?(?:mich|meine daten|meinen kontakt)"),
    _rule(_NO, "stop", "fr", _STOP,
          r"désabonne[rz](?:-moi)?", r"(?:merci de )?ne (?:plus|pas) me (?:contacter|écrire|solliciter)",
          r"ne m['e ]?(?:écrivez|contactez) plus", r"ne me contactez plus", r"(?:retirez|supprimez)[- ]moi"),
    _rule(_NO, "stop", "es", _STOP,
          r"darme de baja", r"dar(?:me)? de baja",
          r"no (?:me )?(?:escriba|escribas|contacte|contactes|vuelva a escribirme)(?: más)?",
          r"deje de (?:escribirme|contactarme)", r"elim[ií]n(?:e|en|a)me de"),
    _rule(_NO, "refuses", "en", _REFUSES,
          r"no,? thank(?:s| you)", r"not interested", r"no interest", r"(?:i(?:'ll| will)|we(?:'ll| will)) pass",
          r"not for (?:me|us)",
          r"no need for this"),
    _rule(_NO, "refuses", "de", _REFUSES,
          r"nein,? danke", r"kein(?:erlei)? interesse", r"nicht interessiert", r"kein bedarf",
          r"nichts für (?:mich|uns)"),
    _rule(_NO, "refuses", "fr", _REFUSES,
          r"non,? merci", r"pas intéressée?s?", r"pas d'intérêt", r"ne (?:m'|nous )intéresse pas", r"pas besoin"),
    _rule(_NO, "refuses", "es", _REFUSES,
          r"no,? gracias", r"no (?:me|nos) interesa", r"no est(?:oy|amos) interesad[oa]s?", r"sin interés"),
    _rule(_GONE, "left", "en", _LEFT,
          r"no longer (?:work(?:ing)?|employed|with|at)(?: (?:at|for|with|by))?",
          r"(?:have|has|'ve) left (?:the )?(?:company|firm|organi[sz]ation)",
          r"(?:i|have) (?:have )?moved on from", r"(?:has|have) retired"),
    _rule(_GONE, "left", "de", _LEFT,
          r"nicht mehr (?:bei|für|in|im) [\w .&-]{1,60}(?:tätig|beschäftigt|angestellt|unternehmen)",
          r"nicht mehr (?:im|beim) unternehmen",
          r"das unternehmen verlassen", r"arbeite nicht mehr (?:bei|für)", r"im ruhestand"),
    _rule(_GONE, "left", "fr", _LEFT,
          r"ne (?:travaille|fais) plus (?:chez|pour|partie)",
          r"(?:ai|a) quitté (?:la société|l'entreprise|mon poste|ses fonctions)",
          r"ne fait plus partie", r"à la retraite"),
    _rule(_GONE, "left", "es", _LEFT,
          r"ya no trabaj[oa]", r"(?:he|ha) dejado (?:la empresa|la compañía)", r"ya no form[oa] parte",
          r"(?:me he|se ha) jubilado"),
    _rule(_AUTOMATIC, "away", "en", _AWAY,
          r"out of (?:the )?office", r"automatic(?:ally generated)? (?:reply|response|message)",
          r"auto-?(?:reply|response|responder)",
          r"(?:i am|i'm) (?:currently )?(?:away|on (?:annual |parental |sick )?leave|on (?:vacation|holidays?))",
          r"(?:limited|no) access to (?:my )?(?:e-?mail|messages)", r"back in the office"),
    _rule(_AUTOMATIC, "away", "de", _AWAY,
          r"(?:nicht|außer) im (?:büro|hause?)", r"automatische (?:antwort|nachricht)",
          r"abwesenheits(?:notiz|nachricht|assistent)",
          r"(?:bin|befinde mich) (?:[\w.:]{1,12} ){0,6}?(?:im urlaub|in elternzeit|abwesend|nicht erreichbar)"),
    _rule(_AUTOMATIC, "away", "fr", _AWAY,
          r"absente? du bureau", r"réponse automatique", r"message automatique",
          r"(?:je suis|suis) (?:actuellement )?(?:absente?|en (?:congés?|vacances))"),
    _rule(_AUTOMATIC, "away", "es", _AWAY,
          r"fuera de la oficina", r"respuesta automática", r"mensaje automático",
          r"(?:estoy|estaré) (?:de vacaciones|de baja|ausente|fuera)(?: hasta)?"),
)  # fmt: skip
"""In the order in which they are tried."""

_BY_ID = {rule.id: rule for rule in RULES}


def classify(text: str) -> Rule | None:
    """The first rule that fits; None for what a person seems to have written."""
    plain = unicodedata.normalize("NFC", text).replace("\u2019", "'").casefold()
    words = " ".join(plain.split())
    return next((rule for rule in RULES if rule.phrases.search(words)), None)


def kind_of(rule: Rule | None) -> ReplyKind:
    """The kind of a reply, by the rule that fits it."""
    return ReplyKind.HUMAN if rule is None else rule.kind


def why(rule_id: str) -> str:
    """The rule in words, with its language; empty for none."""
    rule = _BY_ID.get(rule_id)
    if rule is None:
        return "by you" if rule_id == BY_USER else ""
    return f"{rule.title} ({_LANGUAGES[rule.language]})"


_LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish"}


def ends_sequence(kinds: Iterable[ReplyKind]) -> bool:
    """Whether one of these replies is an answer; an automatic one is none."""
    return any(kind is not ReplyKind.AUTOMATIC for kind in kinds)

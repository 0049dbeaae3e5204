"""What LinkedIn's pages call the few things that Drive uses, by language: the one place to mend when a label changes.

Everything is found by its role and by the label that a screen reader would say. `{name}` is the person, as the page names them.
Apostrophes, dashes and ellipses are written plainly here; a page may print them (`linkedin_pages.label`).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from backend.domain.model.site import IncidentKind


class Labels(NamedTuple):
    """One language. Words that are compared loosely are in lower case."""

    connect: str
    """Button on a profile, or in its menu: opens the dialog of an invitation."""
    pending: str
    """Button in the place of `connect` while an invitation waits; opens its withdrawal."""
    message: str
    """Button on the profile of a contact: opens the conversation."""
    more: str
    """Button on a profile: opens the menu of what does not fit beside it."""
    degrees: tuple[str, str, str]
    """How far the person is: contact, contact of a contact, further."""
    add_note: str
    """Button in the dialog of an invitation: asks for the field of the note."""
    without_note: str
    """Button there: sends without a note."""
    send_with_note: str
    """Button there: sends with the note."""
    composer: str
    """Field of a conversation."""
    send: str
    """Button of a conversation."""
    wrote: str
    """What stands before messages: who sent them, and at what `{time}`. Singular or plural: `(s)` may be there or not."""
    withdraw: str
    """Button of the dialog that withdraws an invitation."""
    home: str
    network: str
    messaging: str
    """Links of the navigation of everybody who is logged in."""
    today: str
    yesterday: str
    weekdays: tuple[str, str, str, str, str, str, str]
    """Monday first."""
    months: tuple[str, str, str, str, str, str, str, str, str, str, str, str]
    """How their names begin, long enough to be one month's only."""


LABELS: Mapping[str, Labels] = {
    "en": Labels(
        connect="Invite {name} to connect",
        pending="Pending, click to withdraw invitation sent to {name}",
        message="Message {name}",
        more="More actions",
        degrees=("1st degree connection", "2nd degree connection", "3rd degree connection"),
        add_note="Add a note",
        without_note="Send without a note",
        send_with_note="Send invitation",
        composer="Write a message...",
        send="Send",
        wrote="{name} sent the following message(s) at {time}",
        withdraw="Withdraw",
        home="Home",
        network="My Network",
        messaging="Messaging",
        today="today",
        yesterday="yesterday",
        weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        months=("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ),
    "de": Labels(
        connect="{name} als Kontakt einladen",
        pending="Ausstehend - klicken Sie, um die an {name} gesendete Einladung zurückzuziehen",
        message="Nachricht an {name}",
        more="Weitere Aktionen",
        degrees=("Kontakt 1. Grades", "Kontakt 2. Grades", "Kontakt 3. Grades"),
        add_note="Nachricht hinzufügen",
        without_note="Ohne Nachricht senden",
        send_with_note="Einladung senden",
        composer="Nachricht verfassen ...",
        send="Senden",
        wrote="{name} hat um {time} die folgende(n) Nachricht(en) gesendet",
        withdraw="Zurückziehen",
        home="Start",
        network="Ihr Netzwerk",
        messaging="Nachrichten",
        today="heute",
        yesterday="gestern",
        weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        months=("jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"),
    ),
    "fr": Labels(
        connect="Inviter {name} à rejoindre votre réseau",
        pending="En attente, cliquez pour retirer l'invitation envoyée à {name}",
        message="Envoyer un message à {name}",
        more="Plus d'actions",
        degrees=("relation de 1er niveau", "relation de 2e niveau", "relation de 3e niveau"),
        add_note="Ajouter une note",
        without_note="Envoyer sans note",
        send_with_note="Envoyer l'invitation",
        composer="Rédigez un message...",
        send="Envoyer",
        wrote="{name} a envoyé le(s) message(s) suivant(s) à {time}",
        withdraw="Retirer",
        home="Accueil",
        network="Réseau",
        messaging="Messagerie",
        today="aujourd'hui",
        yesterday="hier",
        weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        months=("janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"),
    ),
    "es": Labels(
        connect="Invitar a {name} a conectar",
        pending="Pendiente, haz clic para retirar la invitación enviada a {name}",
        message="Enviar mensaje a {name}",
        more="Más acciones",
        degrees=("contacto de 1.er grado", "contacto de 2.º grado", "contacto de 3.er grado"),
        add_note="Añadir una nota",
        without_note="Enviar sin nota",
        send_with_note="Enviar invitación",
        composer="Escribe un mensaje...",
        send="Enviar",
        wrote="{name} envió (el)(los) siguiente(s) mensaje(s) a las {time}",
        withdraw="Retirar",
        home="Inicio",
        network="Mi red",
        messaging="Mensajes",
        today="hoy",
        yesterday="ayer",
        weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
        months=("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    ),
}
"""By the beginning of the page's `lang`. Another language is an unknown page: nothing is guessed."""

INCIDENT_PATHS: tuple[tuple[str, IncidentKind], ...] = (
    (r"/(?:login|uas/login|authwall|signup|checkpoint/lg|checkpoint/rm)(?:[/?]|$)", IncidentKind.LOGGED_OUT),
    (r"/checkpoint(?:[/?]|$)", IncidentKind.UNUSUAL_ACTIVITY),
)
"""Where LinkedIn sends whom it does not let go on, the first that fits."""

INCIDENT_WORDS: tuple[tuple[str, IncidentKind], ...] = (
    (
        r"weekly invitation limit|wöchentliche (?:limit|obergrenze) für einladungen|limite hebdomadaire d['\u2019]invitations"
        r"|límite semanal de invitaciones",
        IncidentKind.INVITATION_LIMIT,
    ),
    (
        r"account .*restricted|unusual activity|security (?:check|verification)|verify (?:you|it)|not a robot|captcha"
        r"|konto .*eingeschränkt|ungewöhnliche aktivität|sicherheits(?:überprüfung|prüfung)|kein roboter"
        r"|compte .*restreint|activité inhabituelle|vérification de sécurité|pas un robot"
        r"|cuenta .*restringid|actividad inusual|(?:verificación|control) de seguridad|no eres un robot",
        IncidentKind.UNUSUAL_ACTIVITY,
    ),
    (
        r"^(?:sign in|log in|join linkedin|welcome back|einloggen|anmelden|willkommen zurück|s['\u2019]identifier"
        r"|bon retour|iniciar sesión|hola de nuevo)\b",
        IncidentKind.LOGGED_OUT,
    ),
)
"""What its headings, dialogs and alerts say then, in lower case; never the text of a post or a message."""

RECIPIENT_KEY = re.compile(
    r"(?:.+_)?(?:to|b?cc|with|notify|tagged|audience|broadcast|people|dest(?:ination)?|public_?identifier"
    r"|(?:recipient|participant|member|target|invitee|addressee|attendee|receiver|user|profile|contact|connection|group|mention)s?)"
    r"(?:_?(?:id|urn|list|identifier|profile)s?)*"
)
"""The names of what says in a request, or in a link, whom it is about; in small letters, with `_` between words."""

REQUESTS: Mapping[str, re.Pattern[str]] = {
    "invitation": re.compile(r"invit|relationship", re.IGNORECASE),
    "message": re.compile(r"messag", re.IGNORECASE),
    "withdrawal": re.compile(r"(?=.*(?:invit|relationship)).*withdraw", re.IGNORECASE),
}
"""By the path and query of the request with which a page sends. What is written must stand in its body, too."""

UNDOING = re.compile(
    r"withdraw|remove|delete|recall|disconnect|block|ignore|decline|reject|accept|draft|typing|schedule|in_?mail|sponsored",
    re.IGNORECASE,
)
"""Never in the path or query of a request that invites or writes: it would do something else, or nothing yet."""

OTHER_DEEDS = frozenset(
    """
    follow unfollow report mute archive mark seen star react forward share endorse subscribe snooze visit export flag hide poke
    spam bulk batch undo revoke cancel edit update copy template broadcast group translate search suggest unsend later delay
    queue preview feedback saved reply
    """.split()  # noqa: SIM905
)
"""Nor one of these words."""

DELAYING = re.compile(r"(?:^|_)(?:delay|later|(?:send|deliver|publish)_(?:at|on|after))")
"""Nor a value by such a name in its query or body; nor by one that would be undoing."""

ACTION_KEY = re.compile(r"(?:http_?)?method|action")
NEW_ACTION = re.compile(r"create|send|add|post|invite|connect|withdraw", re.IGNORECASE)
"""The names by which a request says what it does, and what one that invites, writes or withdraws says there."""

WORDS_KEY = re.compile(
    r"(?:.+_)?(?:(?:custom_?)?message(?:_?(?:body|text))?s?|text|body|html|note|subject|comment|content|caption|title|headline"
    r"|greeting|signature|quote[ds]?|description|summary|footer|prefix|suffix|ps|msg|emoji|reaction)"
)
"""The names of what says in a request what the person is to read."""

METHOD_HEADER = re.compile(
    r"x-(?:http-)?method(?:-override)?|x-restli-method|x-(?:original|rewrite)-ur[il]|content-encoding", re.IGNORECASE
)
"""The names of headers by which a request can be another one than its own method, address and body say."""

NEW_METHODS = frozenset({"post", "create", "action"})
"""What a request that invites, writes or withdraws calls itself there; what else it does stands in its path."""
